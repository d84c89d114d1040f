"""A model's mistakes in calls of a drawn tool: faults are rejected, and slips are repaired."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from random import Random
from typing import Any, Final, NamedTuple

from generated import Drawn, Place, draw, draw_bounded, draw_enum, draw_pattern, draw_value
from workloads import Bounds, Default, Longest, Span

__all__ = ["FAULTS", "REPAIRS", "Wrong", "draw_wrong"]

ABSENT: Final = object()
OBJECT: Final = {"first": str, "second": int}
Changes = Iterator[tuple[str, Any]]


class Wrong(NamedTuple):
    """A drawn tool, what a model may send, and where the first fault of it is.

    `sent` are ways to send the same kind of fault, for no library refuses everything;
    `refusable` are other faults of the same tool, for libraries that take `sent` as it is.
    """

    drawn: Drawn
    right: dict[str, Any]
    sent: list[dict[str, Any]]
    refusable: list[dict[str, Any]]
    path: Place


class Kind(NamedTuple):
    """A kind of fault or slip: the field that it needs, and what may stand there instead."""

    field: Callable[[Random], Any]
    changes: Callable[[Random, Any, Drawn], Changes]


def draw_wrong(random: Random, kind: Kind, *, nested: bool) -> Wrong:
    """Draw a tool and arguments with one fault."""
    field = kind.field(random)
    drawn = draw(random, field, nested=nested)
    changes = list(kind.changes(random, field, drawn))
    right = drawn.right
    if isinstance(field, Default):
        right = _changed(drawn, drawn.name, ABSENT)
    others: tuple[Any, ...] = ({"?": "?"}, [{}], "?")
    refusable = [_changed(drawn, drawn.name, value) for value in others]
    refusable += [{key: one for key, one in right.items() if key != name} for name in right]
    sent = [_changed(drawn, key, value) for key, value in changes]
    return Wrong(drawn, right, sent, refusable, (*drawn.place, changes[0][0]))


def _changed(drawn: Drawn, key: str, value: Any) -> dict[str, Any]:
    """Copy the right arguments with another value, or none, at the drawn place."""
    copy = deepcopy(drawn.right)
    holder: Any = copy
    for step in drawn.place:
        holder = holder[step]
    if value is ABSENT:
        holder.pop(key, None)
    else:
        holder[key] = value
    return copy


def _any_kind(random: Random) -> Any:
    return random.choice((str, int, float, bool, [str], draw_enum(random), draw_bounded(random)))


def _missing(random: Random, field: Any, drawn: Drawn) -> Changes:
    yield drawn.name, ABSENT


def _type(random: Random, field: Any, drawn: Drawn) -> Changes:
    """Send what no rule can read as the type."""
    by_type: dict[Any, tuple[Any, ...]] = {
        str: (5, ["a"], {"a": 1}),
        int: ("many", [1], {"a": 1}),
        float: ("warm", [1.5], {"a": 1}),
        bool: ("perhaps", 5, [True]),
    }
    wrong = by_type[field] if isinstance(field, type) else (7, {"a": 1}, True)
    for value in random.sample(wrong, len(wrong)):
        yield drawn.name, value


def _bound(random: Random, field: Any, drawn: Drawn) -> Changes:
    match field:
        case Bounds() | Span():
            yield drawn.name, random.choice((field.low - 1, field.high + random.randint(1, 50)))
        case Longest():
            yield drawn.name, "too long " * (field.length // 8)
        case _:
            raise AssertionError(field)


def _enum(random: Random, field: Any, drawn: Drawn) -> Changes:
    yield drawn.name, random.choice(("unheard of", "", field.members[0][:-1] + "?"))


def _pattern(random: Random, field: Any, drawn: Drawn) -> Changes:
    yield drawn.name, random.choice(("?!", "not this one", "_"))


def _unknown(random: Random, field: Any, drawn: Drawn) -> Changes:
    """Send a key that no field has: another word, or a declared name with a slip."""
    key = random.choice(("verbose", "dryRun", f"{drawn.name}s", drawn.name.title()))
    yield key, random.choice((True, 3, "yes", {"a": 1}))


FAULTS: Final[dict[str, Kind]] = {
    "missing": Kind(_any_kind, _missing),
    "type": Kind(lambda random: random.choice((str, int, int, float, bool, [str])), _type),
    "bound": Kind(draw_bounded, _bound),
    "enum": Kind(draw_enum, _enum),
    "pattern": Kind(draw_pattern, _pattern),
    "unknown key": Kind(_any_kind, _unknown),
}


def _number(random: Random) -> Any:
    return random.choice((int, float, Bounds(0, 20_000), Span(-100, 10_000)))


def _may_be_left_out(random: Random) -> Any:
    """Draw a field that may be left out, whose type takes neither null nor ""."""
    kind = random.choice((int, float, Bounds(1, 100), draw_enum(random), draw_pattern(random)))
    return Default(kind, draw_value(random, kind))


def _as(write: Callable[[Any], Any]) -> Callable[[Random, Any, Drawn], Changes]:
    """Send the right value in another way."""

    def changes(random: Random, field: Any, drawn: Drawn) -> Changes:
        value: Any = drawn.right
        for step in (*drawn.place, drawn.name):
            value = value[step]
        yield drawn.name, write(value)

    return changes


def _nothing(value: Any) -> Callable[[Random, Any, Drawn], Changes]:
    def changes(random: Random, field: Any, drawn: Drawn) -> Changes:
        yield drawn.name, value

    return changes


def _lower_or_upper(member: str) -> str:
    return member.lower() if member.isupper() else member.upper()


REPAIRS: Final[dict[str, Kind]] = {
    "number_text": Kind(_number, _as(json.dumps)),
    "boolean_text": Kind(lambda _: bool, _as(str)),
    "json_text": Kind(lambda random: random.choice(([str], [int], OBJECT)), _as(json.dumps)),
    "python_literal": Kind(lambda random: random.choice(([str], OBJECT)), _as(repr)),
    "enum_case": Kind(draw_enum, _as(_lower_or_upper)),
    "null_absent": Kind(_may_be_left_out, _nothing(None)),
    "empty_absent": Kind(_may_be_left_out, _nothing("")),
}
