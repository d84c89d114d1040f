"""Keys that an object does not declare: the keys they may stand for, or the values they need."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import filterfalse, islice
from typing import TYPE_CHECKING, Any, TypeAlias

from toolhaft.definition.names import MOST_COMPARED, nearest
from toolhaft.schema.branches import declared_in, object_of
from toolhaft.schema.explain.wording import cut
from toolhaft.spec import Path

if TYPE_CHECKING:
    from toolhaft.schema.explain.node import Node, Walk

__all__ = ["Rest", "another_key", "keys_like", "meant_key", "other_name", "rest_check"]
__all__ += ["report_wrapped", "takes_any_key"]

# The check of the keys of an object that nothing else declares: (run, object, keys, path).
Rest: TypeAlias = "Callable[[Walk, Mapping[str, Any], Sequence[str], Path], None]"


# Keywords that look at undeclared keys, where they are not true.
CLOSING = ("additionalProperties", "unevaluatedProperties")
# How many keys are looked into for what is missing beside them.
MOST_WRAPPERS = 50
FEW = 3  # names that are worth listing though none is near


def keys_like(patterns: Iterable[str]) -> list[str]:
    """Name the keys that patterns allow, which there may be none.

    >>> keys_like(["^x-"])
    ['keys that match ^x-']
    """
    alternatives = " or ".join(map(cut, patterns))
    return [f"keys that match {alternatives}"] if alternatives else []


def other_name(meant: str | None) -> str:
    """Describe an unknown key, with the key that is meant, if any.

    >>> other_name("amount")
    'unknown (did you mean amount?)'
    """
    return "unknown" if meant is None else f"unknown (did you mean {meant}?)"


def rest_check(node: Node, schema: Any, required: Sequence[str] = ()) -> Rest:
    """The check of the keys that nothing else in a node declares, by the schema of their values.

    `required` are the keys that the object must have.
    """
    child = node.child(schema)
    if child.schema is False:
        return _refuse(node)
    declared = declared_in(node.schema)
    own = object_of(node.root, child.schema).properties

    def wrapped_in(
        run: Walk, item: Any, missing: Sequence[str], free: Sequence[str], place: Path
    ) -> list[str]:
        """Return the keys that are nested in an entry instead of beside it, if it wraps any."""
        members = _members(item, missing)
        if members:
            return members
        members = _fitting(run, node, item, {name: declared[name] for name in free}, place)
        return members if len(members) > len(_fitting(run, node, item, own, place)) else []

    def check(run: Walk, value: Mapping[str, Any], names: Sequence[str], path: Path) -> None:
        missing = tuple(filterfalse(value.__contains__, required))
        free = tuple(filterfalse(value.__contains__, declared))
        for name in names:
            item, place = value[name], (*path, name)
            issues = run.trial(child, item, place, name in required)
            if not issues:
                continue
            wrapped = wrapped_in(run, item, missing, free, place)
            meant = None if wrapped else meant_key(run, node, place, item, missing, free)
            if wrapped:
                words = _move_members(path)
                run.report(child.schema, False, words, place, "value", wraps=wrapped)
            elif meant:
                run.report(child.schema, False, another_key(meant), place, "value", meant=meant)
            else:
                run.extend(issues)

    return check


def _fitting(
    run: Walk, node: Node, item: Any, schemas: Mapping[str, Any], place: Path
) -> list[str]:
    """Return the keys of an object whose values fit the schemas that are declared for them."""
    if not isinstance(item, dict):
        return []
    return [
        name
        for name in schemas
        if name in item and not run.trial(node.child(schemas[name]), item[name], (*place, name))
    ]


def another_key(meant: str) -> str:
    """Suggest the declared key that an entry should have.

    >>> another_key("amount")
    'did you mean the key amount?'
    """
    return f"did you mean the key {meant}?"


def meant_key(
    run: Walk, node: Node, place: Path, item: Any, missing: tuple[str, ...], free: tuple[str, ...]
) -> str | None:
    """Return the declared key that an entry should have: a near missing one, or one that fits."""
    if not (missing or free) or not run.may_suggest():
        return None
    near = _meant(str(place[-1])[:MOST_COMPARED], missing, free)
    if near is None or near in missing:
        return near
    child = node.child(node.schema["properties"][near])
    return None if run.trial(child, item, place) else near


def _refuse(node: Node) -> Rest:
    """Where there may be none, each is an issue."""
    declared = [*declared_in(node.schema)]
    patterns = node.schema.get("patternProperties", ())
    allowed = [*declared, *keys_like(patterns)]
    needed: Sequence[str] = node.schema.get("required", ())
    homes = _homes(node, needed)
    listed = f"unknown (allowed: {', '.join(allowed)})" if 0 < len(allowed) <= FEW else None
    if patterns and not declared:
        listed = f"unknown; keys must match {' or '.join(map(cut, patterns))}"

    def check(run: Walk, value: Mapping[str, Any], names: Sequence[str], path: Path) -> None:
        missing = tuple(filterfalse(value.__contains__, needed))
        free = tuple(filterfalse(value.__contains__, declared))
        facts: dict[str, Any]
        for name in names:
            home = homes.get(name)
            if home is not None and home in missing:
                message, facts = f"unknown; send inside {home}", {"meant": home}
            elif wrapped := _members(value[name], free):
                message, facts = f"unknown; {_move_members(path)}", {"wraps": wrapped}
            else:
                meant = _meant(name[:MOST_COMPARED], missing, free) if run.may_suggest() else None
                message, facts = other_name(meant), {"meant": meant} if meant else {}
                if listed is not None and meant is None and not missing:
                    message = listed
            run.report(node.schema, False, message, (*path, name), "extra", **facts)

    return check


def takes_any_key(schema: Mapping[str, Any]) -> bool:
    """Whether nothing looks at the keys that an object does not declare."""
    return all(schema.get(word, True) is True for word in CLOSING)


def report_wrapped(
    run: Walk, node: Node, value: Mapping[str, Any], names: Sequence[str], path: Path
) -> bool:
    """Report of an object that may have any key which of them hold what is missing beside them."""
    declared = node.schema.get("properties", {})
    others = [
        (name, item)
        for name, item in islice(value.items(), MOST_WRAPPERS)
        if isinstance(item, dict) and name not in declared
    ]
    needed = {name: declared[name] for name in names if name in declared} if others else {}
    wrappers = [
        (name, wrapped)
        for name, item in others
        if (wrapped := _fitting(run, node, item, needed, (*path, name)))
    ]
    for name, wrapped in wrappers:
        run.report(node.schema, False, _move_members(path), (*path, name), wraps=wrapped)
    return bool(wrappers)


def _homes(node: Node, needed: Sequence[str]) -> dict[str, str]:
    """Return for each key of only one required object the name of that object."""
    properties = node.schema.get("properties", {})
    holders = [(name, object_of(node.root, properties.get(name)).properties) for name in needed]
    uses = Counter(key for _, keys in holders for key in keys)
    return {key: name for name, keys in holders for key in keys if uses[key] == 1}


def _move_members(path: Path) -> str:
    return f"send its members {'one level up' if path else 'at the top level'}"


def _members(value: Any, free: Sequence[str]) -> list[str]:
    """Return the declared keys that are in a value instead of beside it."""
    return [name for name in free if name in value] if isinstance(value, dict) else []


@lru_cache(maxsize=64)  # a model that mistakes a name once does it again
def _meant(name: str, missing: tuple[str, ...], free: tuple[str, ...]) -> str | None:
    """Return the nearest key for an unknown one: a missing required key, else an optional key."""
    return nearest(name, missing) or nearest(name, free)
