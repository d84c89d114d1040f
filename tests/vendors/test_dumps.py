"""Objects of plain fields are dumped at once, and exactly as their library dumps them."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, timedelta, timezone
from enum import Enum, EnumMeta
from random import Random
from types import NoneType
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

import annotated_types
import attrs
import msgspec
import pytest

from tests.plain_samples import Colour, Level, Word, shape
from tests.share import share
from toolhaft import tool, vendors
from toolhaft.jsonio.primitives import native
from toolhaft.vendors.dumps import layout_of, value_of


class Size(Enum):
    SMALL = "small"
    LARGE = "large"


class Shouting(Enum):
    LOW = "low"

    @property
    def value(self) -> str:
        return "LOW"


SCALARS = (str, int, float, bool)
RARE = (
    date,
    datetime,
    datetime,
    Any,
    Level,
    Shouting,
    set[str],
    dict[str, int],
    str | list[int],
    int | str,
)


SAMPLES: dict[Any, Any] = {
    NoneType: None, date: date(2026, 1, 31), str: "é", int: 5, float: 1.5, bool: True,
    Any: {"k": [1]}, set[str]: {"b", "a"}, dict[str, int]: {"k": 1}, Literal["x", "y"]: "y",
}  # fmt: skip
OFFSETS = [timedelta(0), timedelta(hours=2), -timedelta(hours=3, minutes=30), timedelta(seconds=59)]
ZONES = ("UTC", "Europe/London", "Asia/Kolkata")


class Types:
    """Draws classes of one library, and values that nearly fit them."""

    def __init__(self, library: str, random: Random) -> None:
        self.library = library
        self.random = random
        self.made: list[tuple[Any, dict[str, Any]]] = []

    def a_class(self, depth: int = 0) -> Any:
        names = self.random.sample(("a", "b", "c", "_d", "e"), self.random.randint(1, 4))
        fields = {name: self.a_type(depth + 1) for name in names}
        if self.library == "msgspec":
            how: Any = {"rename": self.random.choice((None, "upper"))}
            how["tag"] = self.random.random() < 0.05 or None
            cls: Any = msgspec.defstruct(f"C{len(self.made)}", list(fields.items()), **how)
        else:
            cls = attrs.make_class(
                f"C{len(self.made)}", {name: attrs.field(type=tp) for name, tp in fields.items()}
            )
        self.made.append((cls, fields))
        return cls

    def a_type(self, depth: int) -> Any:
        kind = self.random.random()
        if kind < 0.45 or depth > 3:
            return self.random.choice(SCALARS)
        if kind < 0.5:
            return self.random.choice(RARE)
        if kind < 0.6:
            return self.random.choice((Size, Colour, Literal["x", "y"]))
        if kind < 0.65:
            return Annotated[int, self.a_bound()]
        inner: Any = self.a_type(depth + 1) if kind < 0.8 else self.a_class(depth)
        return self.random.choice((list[inner], inner | None, inner))

    def a_bound(self) -> Any:
        return msgspec.Meta(ge=0) if self.library == "msgspec" else annotated_types.Ge(0)

    def a_value(self, tp: Any, odd: float) -> Any:
        random = self.random
        if random.random() < odd:
            return random.choice((
                None, "x", Word("x"), 3, 2.0, math.nan, True, b"x", "\ud800", (1,), [], {},
                {"a": 1}, Size.SMALL, Colour.RED, date(2026, 1, 31), 10**30, self.an_object(odd),
            ))  # fmt: skip
        for cls, fields in self.made:
            if tp is cls:
                return cls(*[self.a_value(inner, odd) for inner in fields.values()])
        args: Any = getattr(tp, "__args__", ())
        if getattr(tp, "__origin__", None) is list:
            return [self.a_value(args[0], odd) for _ in range(random.randint(0, 3))]
        if isinstance(tp, EnumMeta):
            return random.choice(list[Any](tp))
        if tp in SAMPLES or tp is datetime:
            return self.a_time() if tp is datetime else SAMPLES[tp]
        return self.a_value(random.choice(args), odd) if args and hasattr(tp, "__or__") else 7

    def a_time(self) -> datetime:
        zone = self.random.choice((None, UTC, *map(timezone, OFFSETS), *map(ZoneInfo, ZONES)))
        fraction = self.random.choice((0, 250_000, 1))
        return datetime(self.random.choice((1, 2026)), 1, 31, 9, 0, 5, fraction, zone)

    def an_object(self, odd: float) -> Any:
        return self.a_value(self.random.choice(self.made)[0], odd / 2)


def returning(output: Any) -> tuple[Any, list[Any]]:
    """Return the boundary of a tool with this output, and the list that has its result."""
    results: list[Any] = [None]
    made: Any = tool(lambda: results[0], name="give", description="Give.", output=output)
    assert made.call_sync({}).kind == "output_invalid"
    return made._boundary, results


def seen(outcome: Any, result: Any) -> Any:
    if not outcome:
        return outcome.kind, [(issue.path, issue.message) for issue in outcome.issues]
    return shape(outcome.json), outcome.json, outcome.value is result, outcome.value


@pytest.mark.unmeasured
@pytest.mark.skipif(not native, reason="built without the primitives in C")
@pytest.mark.parametrize("library", ["msgspec", "attrs"])
def test_results_are_dumped_at_once_as_they_are_the_whole_way(library: str) -> None:
    random = Random(library)
    laid_out = 0
    for _ in range(share(300)):
        types = Types(library, random)
        tp: Any = types.a_class()
        output: Any = list[tp] if random.random() < 0.3 else tp
        boundary, results = returning(output)
        laid_out += boundary.results.adapter.layout is not None
        for _ in range(20):
            result = results[0] = types.a_value(output, random.choice((0, 0, 0.1)))
            at_once = boundary.right_call(boundary, {}, None)
            whole = boundary.run_whole_sync({}, None, boundary.to_outcome)
            assert repr(seen(at_once, result)) == repr(seen(whole, result)), (tp, result)
    assert laid_out > share(300) / 3


class Inner(msgspec.Struct):
    n: int


class Outer(msgspec.Struct, rename="camel"):
    one_name: str
    inner: Inner | None
    many: list[Inner]
    size: Size
    unit: Literal["C", "F"]


@attrs.define
class Seen:
    _city: str
    days: list[int] | None = None


class Tagged(msgspec.Struct, tag=True):
    n: int


Shadowed = msgspec.defstruct(
    "Shadowed", [], bases=(Inner,), namespace={"n": property(lambda _: 99)}
)


class Node(msgspec.Struct):
    inner: Node | None


class Dated(msgspec.Struct):
    at: date | None


class Spans(msgspec.Struct):
    of: timedelta


@attrs.define
class Computed:
    n: int

    def __getattr__(self, name: str) -> Any:
        return 5


INNER = (Inner, (("n", "n", int),))


@pytest.mark.parametrize(
    ("tp", "layout"),
    [
        (Inner, INNER),
        (list[list[Inner]], [[INNER]]),
        (
            Outer,
            (
                Outer,
                (
                    ("oneName", "one_name", str),
                    ("inner", "inner", INNER),
                    ("many", "many", [INNER]),
                    ("size", "size", (Size, value_of)),
                    ("unit", "unit", str),
                ),
            ),
        ),
        (Seen, (Seen, (("city", "_city", str), ("days", "days", [int])))),
        (Inner | None, None),
        (Tagged, None),
        (Shadowed, None),
        (Node, None),
        (Dated, (Dated, (("at", "at", (date, msgspec.to_builtins)),))),
        (Spans, None),
        (Computed, None),
        ({"type": "object"}, True),
    ],
    ids=str,
)
def test_a_layout_describes_the_dump_of_objects_of_plain_fields(tp: Any, layout: Any) -> None:
    assert vendors.adapt(tp).layout == layout


def test_members_that_are_dumped_as_another_value_have_no_layout() -> None:
    assert layout_of(Inner, lambda _: [("n", "n", Shouting)]) is None
    assert layout_of(Inner, lambda _: [("n", "n", Level)]) is None
