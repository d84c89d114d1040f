"""Wrong calls with known right values: recorded and random ones, with one to eight faults planted.

A fault is a change at one place that makes the call wrong by itself: it is refused, not repaired.
Faults of one call are planted at places of which none is inside another.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from pathlib import Path as File
from random import Random
from typing import Any, Final, NamedTuple

from tests.laws.schemas import schema as random_schema
from toolhaft.schema.checker import Checker
from toolhaft.schema.document.kinds import constants_of, names_of
from toolhaft.schema.document.places import Place, child_schemas, parts
from toolhaft.schema.document.walk import child_nodes, replace_children
from toolhaft.schema.faults import SchemaRefused
from toolhaft.schema.generate import NoValue, Values
from toolhaft.spec import Path

__all__ = ["ABSENT", "DATA", "Fault", "Right", "Wrong", "plant", "random_calls", "recorded_calls"]

DATA: Final = File(__file__).parents[2] / "shared" / "data"
ABSENT: Final = object()
CANARY: Final = "zq7canary"
WRONG: Final[tuple[Any, ...]] = (CANARY, 71.5, -90017, False, None, [CANARY], {"a": CANARY}, [])
# How often each rare keyword stands in a random schema, so that unions and maps are frequent.
LEAST: Final = 0.12
MOST_CANDIDATES: Final = 60


class Right(NamedTuple):
    """A call that its schema accepts, and where it comes from."""

    schema: dict[str, Any]
    arguments: dict[str, Any]
    source: str


class Fault(NamedTuple):
    """A planted fault: its kind, and the places where the wrong call differs from the right one."""

    kind: str
    places: tuple[Path, ...]


class Wrong(NamedTuple):
    """A wrong call: the right one, what is sent instead, and the faults in it."""

    right: Right
    sent: Any
    faults: tuple[Fault, ...]


class _Change(NamedTuple):
    """A fault that may be planted: new values, or `ABSENT`, by place."""

    kind: str
    values: dict[Path, Any]


def recorded_calls(random: Random, count: int) -> Iterator[Right]:
    """Calls that models made; objects are closed, as a signature's are."""
    tools = {row["id"]: row["inputSchema"] for row in _rows("tools_for_calls")}
    calls = [row for row in _rows("calls_valid") if row["tool_id"] in tools]
    random.shuffle(calls)
    for row in calls[: 3 * count]:
        schema, arguments = _closed(tools[row["tool_id"]]), json.loads(row["arguments_text"])
        if isinstance(arguments, dict) and arguments and _accepts(schema, arguments):
            yield Right(schema, arguments, "recorded")


def _rows(name: str) -> list[dict[str, Any]]:
    with gzip.open(DATA / f"{name}.jsonl.gz", "rt") as lines:
        return [json.loads(line) for line in lines]


def _closed(schema: Any) -> Any:
    """Close the objects that have no keyword about further keys."""
    if not isinstance(schema, dict):
        return schema
    node = replace_children(schema, {steps: _closed(sub) for steps, sub in child_nodes(schema)})
    return {"additionalProperties": False, **node} if "properties" in node else node


def random_calls(random: Random) -> Iterator[Right]:
    """Values of random schemas, with unions, maps, conditions and recursion; without end."""
    while True:
        schema = random_schema(random, LEAST)
        try:
            values = Values(schema, random)
            drawn = [values.valid() for _ in range(3)]
        except (NoValue, SchemaRefused, RecursionError):
            continue
        for arguments in drawn:
            if schema.get("type") == "object" and isinstance(arguments, dict) and arguments:
                yield Right(schema, arguments, "random")


def _accepts(schema: Any, arguments: Any) -> bool:
    try:
        return Checker(schema).is_valid(arguments)
    except SchemaRefused:
        return False


def plant(
    right: Right, count: int, random: Random, is_refused: Callable[[Any], bool]
) -> Wrong | None:
    """Plant up to `count` faults in a valid call, or return None if there is no room for one."""
    root = Checker(right.schema).normalised
    changes = list(_changes(root, right.arguments, [Place(root)], (), random))
    random.shuffle(changes)
    sent: Any = right.arguments
    faults: list[Any] = []
    for change in _varied(changes)[:MOST_CANDIDATES]:
        taken = [place for fault in faults for place in fault.places]
        if len(faults) == count or any(_meet(a, b) for a in change.values for b in taken):
            continue
        if is_refused(_with(right.arguments, change.values)):
            sent = _with(sent, change.values)
            faults.append(Fault(change.kind, tuple(change.values)))
    if not faults or not is_refused(sent):
        return None
    return Wrong(right, sent, tuple(faults))


def _varied(changes: Sequence[_Change]) -> list[_Change]:
    """Put the kinds by turns, so that frequent ones leave room for rare ones."""
    by_kind: dict[str, list[_Change]] = {}
    for change in changes:
        by_kind.setdefault(change.kind, []).append(change)
    rounds = max(map(len, by_kind.values()), default=0)
    kinds = list(by_kind.values())
    return [of_kind[turn] for turn in range(rounds) for of_kind in kinds if turn < len(of_kind)]


def _meet(one: Path, other: Path) -> bool:
    size = min(len(one), len(other))
    return one[:size] == other[:size]


def _with(data: Any, values: dict[Path, Any]) -> Any:
    copy = deepcopy(data)
    for (*outer, last), value in values.items():
        holder = copy
        for step in outer:
            holder = holder[step]
        if value is ABSENT:
            del holder[last]
        else:
            holder[last] = value
    return copy


def _changes(
    root: Any, value: Any, here: list[Place], path: Path, random: Random
) -> Iterator[_Change]:
    nodes = [part for place in here for part in parts(root, place.schema)]
    is_entry = bool(path) and isinstance(path[-1], str) and not any(it.declared for it in here)
    if path:
        for kind, new in _others(value, nodes, random):
            yield _Change(f"map entry, {kind}" if is_entry else kind, {path: new})
    if isinstance(value, dict):
        yield from _of_object(value, nodes, path, random)
        for name, inner in value.items():
            yield from _changes(root, inner, child_schemas(root, here, name), (*path, name), random)
    elif isinstance(value, list):
        for index, inner in enumerate(value[:8]):
            below = child_schemas(root, here, index)
            yield from _changes(root, inner, below, (*path, index), random)


def _of_object(
    value: dict[str, Any], nodes: list[Any], path: Path, random: Random
) -> Iterator[_Change]:
    demanded = {name for node in nodes for name in node.get("required", ())}
    own = {name for node in nodes[:1] for name in node.get("required", ())}
    conditional = any("if" in node or "dependentRequired" in node for node in nodes)
    for name in value:
        words = "missing" if name in own else "missing, by a union or a condition"
        if name in demanded or conditional:
            yield _Change(words, {(*path, name): ABSENT})
    if any("oneOf" in node or "anyOf" in node for node in nodes) and len(value) > 1:
        several = random.sample(list(value), 2)
        yield _Change("alternatives", {(*path, name): ABSENT for name in several})
    declared = {name for node in nodes for name in node.get("properties", ())}
    absent = [name for name in declared if name not in value]
    if absent:
        yield _Change("one too many", {(*path, random.choice(absent)): 5})
    yield _Change("unknown", {(*path, "verbose_mode"): True})
    for name, held in value.items():
        slip = random.choice((f"{name}s", name.title(), name[:-1], f"{name}_name", f"the_{name}"))
        if slip not in value and slip:
            renamed = {(*path, name): ABSENT, (*path, slip): held}
            yield _Change("renamed", renamed)
    if not path:
        moved: dict[Path, Any] = {(name,): ABSENT for name in value}
        yield _Change("wrapped", {**moved, ("event",): value})


def _others(value: Any, nodes: list[Any], random: Random) -> Iterator[tuple[str, Any]]:
    """Yield wrong values for a place, each with its kind."""
    union = any("anyOf" in node or "oneOf" in node for node in nodes)
    kind = "type, of a union" if union else "type"
    yield from (
        (kind, wrong) for wrong in random.sample(WRONG, 4) if type(wrong) is not type(value)
    )
    members = [member for node in nodes for member in constants_of(node) or ()]
    if members:
        yield "enum", random.choice((CANARY, f"{CANARY}{random.choice(members)}"))
    if isinstance(value, list):
        yield from _lists(value, nodes, random)
    elif isinstance(value, str):
        yield "pattern", random.choice((f"?{CANARY} {value}", "~!~"))
        most = max((node["maxLength"] for node in nodes if "maxLength" in node), default=None)
        if most is not None:
            yield "length", CANARY + "x" * most
        yield "length", ""
    elif isinstance(value, int | float) and not isinstance(value, bool):
        for far in (90_017_001, -90_017_001, value + 0.37):
            yield "bound", far
    elif isinstance(value, dict) and value:
        yield "type", list(value.values())
        names = [name for node in nodes for name in node.get("properties", ())]
        if names and all(names_of(node) == ("object",) for node in nodes[:1]):
            yield "an object as text", f"{CANARY} {names[0]}"


def _lists(value: list[Any], nodes: list[Any], random: Random) -> Iterator[tuple[str, Any]]:
    if any("maxItems" in node for node in nodes) and value:
        yield "items", value * 9
    if any("minItems" in node for node in nodes):
        yield "items", []
    if value and not isinstance(value[0], list):
        yield "scalar for a list", value[0] if value[0] is not None else CANARY
    if value:
        yield "items", [*value, value[0]]
