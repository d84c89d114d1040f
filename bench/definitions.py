"""What defining a tool and joining it to a toolset cost, and what they are held against."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import partial
from itertools import cycle
from typing import Annotated, Any

import msgspec
import typing_extensions
from floors import Msgspec
from pydantic import Field, TypeAdapter

from toolhaft import Toolset, tool

__all__ = ["definitions"]

Work = Callable[[], Any]
POOL = 600


def weather(city: str, days: Annotated[int, Field(ge=1)] = 3, units: str = "C") -> dict[str, Any]:
    """The weather of a city."""
    return {}


def definitions() -> Iterator[tuple[str, Work, Work, int]]:
    """What it is, the floor, our work, and how many a round."""
    yield (
        "define, to inspect.signature",
        lambda: inspect.signature(weather),
        lambda: tool(weather),
        200,
    )
    yield "join, to pydantic's own work", _pydantic, lambda: Toolset([weather]), 5
    ours, theirs = _structs(), _structs()
    yield (
        "join, to msgspec's own work",
        lambda: msgspec.json.schema(theirs()),
        lambda: _joined(ours()),
        5,
    )


def _pydantic() -> object:
    """Compile and emit what the signature and the result are."""
    typed_dict: Any = typing_extensions.TypedDict  # pydantic wants this one before Python 3.12
    days: Any = typing_extensions.NotRequired[Annotated[int, Field(ge=1)]]
    optional: Any = typing_extensions.NotRequired[str]
    made: Any = typed_dict("weather", {"city": str, "days": days, "units": optional})
    output = TypeAdapter(dict[str, Any])
    adapter = TypeAdapter(made)
    return adapter.json_schema(), output.json_schema(mode="serialization")


def _structs() -> Callable[[], Any]:
    """Give Structs in turn, more than any cache holds."""
    made = [Msgspec().make("Flat", {"city": str, "days": int, "units": str}) for _ in range(POOL)]
    return partial(next, cycle(made))


def _joined(struct: Any) -> object:
    def run(value: Any) -> Any:
        return {}

    return Toolset([tool(run, name="run", description="Run.", input=struct)])
