"""The declared properties of an object: their keys on the wire, and each one's node."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from toolhaft.lowering.conjoin import Node
from toolhaft.lowering.keywords import pointer
from toolhaft.lowering.lenses.lens import IDENTITY
from toolhaft.lowering.lenses.objects import Member
from toolhaft.lowering.nodes.anything import NoValue
from toolhaft.lowering.nodes.context import LoweringContext
from toolhaft.lowering.nodes.optional import or_absent

__all__ = ["Declared", "declared"]

_LONGEST_KEY = 64


class Declared(NamedTuple):
    """Nodes by key, the keys that must be there, and the members of the lens."""

    properties: dict[str, Any]
    required: list[str]
    members: dict[str, Member]


def declared(
    run: LoweringContext, body: Mapping[str, Any], at: str, rest: Node, *, root: bool
) -> Declared:
    """Lower each declared property; keys that must be there are declared too."""
    must: list[str] = list(dict.fromkeys(body.get("required", ())))
    named = _named(run, body, rest, must)
    keys = _keys(run, named, at, root=root)
    filled = _filled(run, named, must, root=root)
    found = Declared({}, [keys.get(name, name) for name in must], {})
    for name, node in named.items():
        here = pointer(at, "properties", name)
        fill = name in filled
        member = _possible(run, node, here, keys[name], needed=name in must, fill=fill, rest=rest)
        if member is not None:
            found.properties[keys[name]], found.members[name] = member
            found.required.extend([keys[name]] if fill else [])
    if run.trait("all required"):
        return found._replace(required=list(found.properties))
    return found


def _filled(
    run: LoweringContext, named: Mapping[str, Node], must: list[str], *, root: bool
) -> list[str]:
    """The properties that are always there, with null for absent, though they need not be."""
    free = [name for name in named if name not in must]
    if run.trait("all required"):
        return free
    return free[:1] if root and run.trait("required parameter") and not must else []


def _possible(
    run: LoweringContext, node: Node, at: str, key: str, *, needed: bool, fill: bool, rest: Node
) -> tuple[Any, Member] | None:
    """The property, or None for one that can only be absent."""
    if not run.kinds(node):
        node = False
    if node is not False or needed or _says_false(run, rest):
        try:
            return _member(run, node, at, key, needed=needed, fill=fill)
        except NoValue:
            if needed:
                raise
    if rest is not False:
        run.lose(at, "false", "widened", "the target cannot say that it must be absent")
    return None


def _named(
    run: LoweringContext, body: Mapping[str, Any], rest: Node, must: list[str]
) -> dict[str, Node]:
    named: dict[str, Node] = dict(body.get("properties", {}))
    if run.trait("closed objects") or not run.dialect.takes("additionalProperties", {}):
        silent = "additionalProperties" not in body and "patternProperties" not in body
        named |= {name: True if silent else rest for name in must if name not in named}
    return named


def _says_false(run: LoweringContext, rest: Node) -> bool:
    """Whether a property that must be absent is worth its word: a closed object says it anyway."""
    return rest is not False and bool(run.trait("boolean schemas"))


def _member(
    run: LoweringContext, node: Node, at: str, key: str, *, needed: bool, fill: bool
) -> tuple[Any, Member]:
    carried = run.lower_below(node, at, optional=not needed)
    if isinstance(node, bool) and run.trait("boolean schemas") and carried.lens is IDENTITY:
        return node, Member(key)
    if not fill:
        return carried.wire, Member(key, carried.lens)
    run.lose(at, "required", "encoded", "null means absent")
    wire, lens = or_absent(run, node, carried)
    return wire, Member(key, lens, null_is_absent=True)


def _keys(
    run: LoweringContext, named: Mapping[str, Node], at: str, *, root: bool
) -> dict[str, str]:
    """The key of each property on the wire; two that become the same are an error."""
    pattern = run.trait("property key") or (run.trait("root property key") if root else "")
    keys = {name: name if _fits(pattern, name) else _renamed(name) for name in named}
    if len(set(keys.values())) < len(keys):
        raise run.refuse(
            at, "properties", "two property keys become the same", "rename one of the properties"
        )
    for name, key in keys.items():
        if name != key:
            run.lose(pointer(at, "properties", name), "properties", "encoded", f"named {key}")
    return keys


def _fits(pattern: str, name: str) -> bool:
    return not pattern or re.search(pattern, name) is not None


def _renamed(name: str) -> str:
    text = re.sub(r"[^A-Za-z0-9_]+", "_", name).strip("_") or "key"
    return (text if text[0].isalpha() else f"_{text}")[:_LONGEST_KEY]
