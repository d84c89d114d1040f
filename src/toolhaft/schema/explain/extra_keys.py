"""Keys that an object does not declare: what they may stand for, or what they must hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from toolhaft.definition.names import MOST_COMPARED, nearest
from toolhaft.spec import Path

if TYPE_CHECKING:
    from toolhaft.schema.explain.node import Node, Walk

__all__ = ["Rest", "other_name", "rest_check"]

# The check of the keys of an object that nothing else declares: (run, object, keys, path).
Rest: TypeAlias = "Callable[[Walk, Mapping[str, Any], Sequence[str], Path], None]"

# Where models put the arguments when they send the whole call instead.
WRAPPERS = ("arguments", "parameters")
# Finding a near name costs more than all the rest, and a model reads no more.
MAX_SUGGESTIONS = 5
FEW = 3  # names that are worth listing though none is near


def other_name(meant: str | None) -> str:
    """Say of another name of a declared key that it is none, and which is meant, if any.

    >>> other_name("amount")
    'unknown (did you mean amount?)'
    """
    return "unknown" if meant is None else f"unknown (did you mean {meant}?)"


def rest_check(node: Node, schema: Any, required: frozenset[str] = frozenset()) -> Rest:
    """The check of the keys that nothing else in a node declares, by the schema of their values.

    `demanded` are the keys that the object must have.
    """
    child = node.child(schema)
    if child.schema is False:
        return _refuse(node)

    def check(run: Walk, value: Mapping[str, Any], names: Sequence[str], path: Path) -> None:
        for name in names:
            child.check(run, value[name], (*path, name), name in required)

    return check


def _refuse(node: Node) -> Rest:
    """Where there may be none, each is an issue."""
    properties = node.schema.get("properties", {}).items()
    declared = [name for name, sub in properties if sub is not False]
    needed = frozenset(node.schema.get("required", ()))

    def check(run: Walk, value: Mapping[str, Any], names: Sequence[str], path: Path) -> None:
        free = tuple([name for name in declared if name not in value])
        optional = tuple([name for name in free if name not in needed])
        for index, name in enumerate(names):
            if name in WRAPPERS and not path and _is_wrapped(value, name, needed):
                hint = " (send its content as the arguments themselves)"
            elif index < MAX_SUGGESTIONS:
                hint = _hint(name[:MOST_COMPARED], free, optional)
            else:
                hint = ""
            run.report(node.schema, False, f"unknown{hint}", (*path, name), "extra")

    return check


def _is_wrapped(value: Mapping[str, Any], name: str, needed: frozenset[str]) -> bool:
    return isinstance(value[name], dict) and not needed <= value.keys()


@lru_cache(maxsize=64)  # a model that mistakes a name once does it again
def _hint(name: str, free: tuple[str, ...], optional: tuple[str, ...]) -> str:
    """What an unknown key may stand for: the nearest that is not there yet, or one of a few.

    Required keys that are not there are findings of their own.
    """
    nearest_name = nearest(name, free)
    if nearest_name is not None:
        return f" (did you mean {nearest_name}?)"
    return f" (not given: {', '.join(optional)})" if 0 < len(optional) <= FEW else ""
