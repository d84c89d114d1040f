"""Keys that an object does not declare: what they may stand for, or what they must hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import filterfalse
from typing import TYPE_CHECKING, Any, TypeAlias

from toolhaft.definition.names import MOST_COMPARED, nearest
from toolhaft.schema.branches import object_of
from toolhaft.spec import Path

if TYPE_CHECKING:
    from toolhaft.schema.explain.node import Node, Walk

__all__ = ["Rest", "other_name", "rest_check"]

# The check of the keys of an object that nothing else declares: (run, object, keys, path).
Rest: TypeAlias = "Callable[[Walk, Mapping[str, Any], Sequence[str], Path], None]"


FEW = 3  # names that are worth listing though none is near


def other_name(meant: str | None) -> str:
    """Say of a key that it is none, and which is meant, if any.

    >>> other_name("amount")
    'unknown (did you mean amount?)'
    """
    return "unknown" if meant is None else f"unknown (did you mean {meant}?)"


def rest_check(node: Node, schema: Any, required: frozenset[str] = frozenset()) -> Rest:
    """The check of the keys that nothing else in a node declares, by the schema of their values.

    `required` are the keys that the object must have.
    """
    child = node.child(schema)
    if child.schema is False:
        return _refuse(node)

    def check(run: Walk, value: Mapping[str, Any], names: Sequence[str], path: Path) -> None:
        missing = [name for name in required if name not in value]
        for name in names:
            place = (*path, name)
            wrapped = _members(value[name], missing)
            if wrapped and run.trial(child, value[name], place):
                words = _move_members(path)
                run.report(child.schema, False, words, place, "value", wraps=wrapped)
            else:
                child.check(run, value[name], place, name in required)

    return check


def _refuse(node: Node) -> Rest:
    """Where there may be none, each is an issue."""
    properties = node.schema.get("properties", {}).items()
    declared = [name for name, sub in properties if sub is not False]
    needed: Sequence[str] = node.schema.get("required", ())
    homes = _homes(node, needed)

    def check(run: Walk, value: Mapping[str, Any], names: Sequence[str], path: Path) -> None:
        missing = tuple(filterfalse(value.__contains__, needed))
        free = tuple(filterfalse(value.__contains__, declared))
        facts: dict[str, Any]
        for name in names:
            home = homes.get(name)
            if home is not None and home in missing:
                message, facts = f"unknown; send it in {home}", {"meant": home}
            elif wrapped := _members(value[name], free):
                message, facts = f"unknown; {_move_members(path)}", {"wraps": wrapped}
            else:
                meant = _meant(name[:MOST_COMPARED], missing, free) if run.may_suggest() else None
                message, facts = other_name(meant), {"meant": meant} if meant else {}
                if meant is None and not missing and 0 < len(declared) <= FEW:
                    message = f"unknown (there is only {', '.join(declared)})"
            run.report(node.schema, False, message, (*path, name), "extra", **facts)

    return check


def _homes(node: Node, needed: Sequence[str]) -> dict[str, str]:
    """Give for each key of a required object, which no other has, the name of that object."""
    properties = node.schema.get("properties", {})
    holders = [(name, object_of(node.root, properties.get(name)).properties) for name in needed]
    uses = Counter(key for _, keys in holders for key in keys)
    return {key: name for name, keys in holders for key in keys if uses[key] == 1}


def _move_members(path: Path) -> str:
    return f"send its members {'one level up' if path else 'at the top level'}"


def _members(value: Any, free: Sequence[str]) -> list[str]:
    """Give the declared keys that stand in a value instead of beside it."""
    return [name for name in free if name in value] if isinstance(value, dict) else []


@lru_cache(maxsize=64)  # a model that mistakes a name once does it again
def _meant(name: str, missing: tuple[str, ...], free: tuple[str, ...]) -> str | None:
    """What an unknown key may stand for: the nearest that must be there, or else may be."""
    return nearest(name, missing) or nearest(name, free)
