"""Print what a call costs, as a ratio to the floor, measured in one process.

    python bench/floor.py [--rounds 201]

Every guarantee is on. Each workload is run by a tool that takes the validated object whole, as
the floor's handler does, and by one whose signature is the schema.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any

from floors import (
    FLAT,
    FLAT_TEXT,
    INVALID,
    NESTED,
    NESTED_TEXT,
    Flat,
    Item,
    Nested,
    floors,
    take_flat,
    take_nested,
)
from paired import Ratio, paired
from pydantic import Field

from toolhaft import tool
from toolhaft.tools import AnyTool

Work = Callable[[], object]
TARGET = 2.5


@tool(input=Flat)
def flat_object(value: Flat) -> Any:
    """Three fields, taken whole."""
    return take_flat(value)


@tool(input=Nested)
def nested_object(value: Nested) -> Any:
    """Twelve fields, taken whole."""
    return take_nested(value)


@tool
def flat_signature(city: str, days: Annotated[int, Field(ge=1, le=14)], units: str) -> Any:
    """Three parameters."""
    return {"city": city, "days": days}


@tool
def nested_signature(
    order: str,
    customer: str,
    email: str,
    street: str,
    city: str,
    country: str,
    express: bool,
    discount: float,
    priority: int,
    notes: str,
    tags: list[str],
    items: list[Item],
) -> Any:
    """Twelve parameters."""
    return {"order": order, "items": len(items)}


def workloads() -> list[tuple[str, str, Work]]:
    """Workload, the form of the tool, and the work."""
    forms: list[tuple[str, AnyTool, AnyTool]] = [
        ("object", flat_object, nested_object),
        ("signature", flat_signature, nested_signature),
    ]
    found: list[tuple[str, str, Work]] = []
    for form, flat, nested in forms:
        found += [
            ("flat", form, partial(flat.call_sync, FLAT)),
            ("nested", form, partial(nested.call_sync, NESTED)),
            ("invalid", form, partial(to_text, flat, INVALID)),
            ("text to text, flat", form, partial(to_text, flat, FLAT_TEXT)),
            ("text to text, nested", form, partial(to_text, nested, NESTED_TEXT)),
        ]
    return found


def to_text(one: AnyTool, raw: Any) -> str:
    """A call up to what the model reads."""
    return one.call_sync(raw).text


def definition() -> list[tuple[str, Ratio]]:
    """What defining and joining cost, against `inspect.signature` and the vendor's own work."""
    import inspect

    import typing_extensions
    from pydantic import TypeAdapter

    from toolhaft import Toolset

    typed_dict: Any = typing_extensions.TypedDict  # pydantic wants this one before Python 3.12

    def weather(
        city: str, days: Annotated[int, Field(ge=1)] = 3, units: str = "C"
    ) -> dict[str, Any]:
        """The weather of a city."""
        return {}

    def vendor() -> object:
        days: Any = typing_extensions.NotRequired[Annotated[int, Field(ge=1)]]
        optional: Any = typing_extensions.NotRequired[str]
        made: Any = typed_dict("weather", {"city": str, "days": days, "units": optional})
        output = TypeAdapter(dict[str, Any])
        adapter = TypeAdapter(made)
        return adapter.json_schema(), output.json_schema(mode="serialization")

    return [
        (
            "define / inspect.signature",
            paired(lambda: inspect.signature(weather), lambda: tool(weather), count=200),
        ),
        (
            "join / vendor's compile and emission",
            paired(vendor, lambda: Toolset([weather]), rounds=41, count=5),
        ),
    ]


def main() -> int:
    """Print the table; exit code 1 where a ratio is above the target."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=201)
    rounds = parser.parse_args().rounds
    known = floors()
    missed = False
    sys.stdout.write(f"{'workload':38} {'form':10} {'floor us':>9} {'ratio':>6}  middle half\n")
    for workload, form, work in workloads():
        ratio = paired(known[workload], work, rounds=rounds)
        missed |= ratio.median > TARGET
        _print(workload, form, ratio)
    for what, ratio in definition():
        _print(what, "", ratio)
    return int(missed)


def _print(workload: str, form: str, ratio: Ratio) -> None:
    spread = f"{ratio.low:.2f} to {ratio.high:.2f}"
    sys.stdout.write(
        f"{workload:38} {form:10} {ratio.floor_us:9.2f} {ratio.median:6.2f}  {spread}\n"
    )


if __name__ == "__main__":
    raise SystemExit(main())
