"""The declared properties of an object: their keys on the wire, and their nodes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

from toolhaft.lowering.conjoin import Node
from toolhaft.lowering.keywords import pointer
from toolhaft.lowering.lenses.lens import IDENTITY
from toolhaft.lowering.lenses.objects import Member
from toolhaft.lowering.nodes.anything import NoValue
from toolhaft.lowering.nodes.context import LoweringContext
from toolhaft.lowering.nodes.null import or_absent

__all__ = ["LoweredProperties", "lower_properties"]

_LONGEST_KEY = 64


class LoweredProperties(NamedTuple):
    """Nodes by key, the keys that must be there, and the members of the lens."""

    properties: dict[str, Any]
    required: list[str]
    members: dict[str, Member]


def lower_properties(
    context: LoweringContext, body: Mapping[str, Any], at: str, rest: Node, *, root: bool
) -> LoweredProperties:
    """Lower each declared property; required keys are declared too."""
    required: list[str] = list(dict.fromkeys(body.get("required", ())))
    nodes = _declared_nodes(context, body, rest, required)
    keys = _wire_keys(context, nodes, at, root=root)
    filled = _null_filled(context, nodes, required, root=root)
    lowered = LoweredProperties({}, [keys.get(name, name) for name in required], {})
    for name, node in nodes.items():
        here = pointer(at, "properties", name)
        fill = name in filled
        member = _lower_possible(
            context, node, here, keys[name], needed=name in required, fill=fill, rest=rest
        )
        if member is not None:
            lowered.properties[keys[name]], lowered.members[name] = member
            lowered.required.extend([keys[name]] if fill else [])
    if context.trait("all required"):
        return lowered._replace(required=list(lowered.properties))
    return lowered


def _null_filled(
    context: LoweringContext, nodes: Mapping[str, Node], required: list[str], *, root: bool
) -> list[str]:
    """Return the optional properties that become required, with null for an absent value."""
    free = [name for name in nodes if name not in required]
    if context.trait("all required"):
        return free
    return free[:1] if root and context.trait("required parameter") and not required else []


def _lower_possible(
    context: LoweringContext, node: Node, at: str, key: str, *, needed: bool, fill: bool, rest: Node
) -> tuple[Any, Member] | None:
    """Lower a property, or return None if it can only be absent."""
    if not context.kinds(node):
        node = False
    if node is not False or needed or _keeps_false(context, rest):
        try:
            return _lower_member(context, node, at, key, needed=needed, fill=fill)
        except NoValue:
            if needed:
                raise
    if rest is not False:
        context.add_loss(at, "false", "widened", "the target cannot say that it must be absent")
    return None


def _declared_nodes(
    context: LoweringContext, body: Mapping[str, Any], rest: Node, required: list[str]
) -> dict[str, Node]:
    nodes: dict[str, Node] = dict(body.get("properties", {}))
    if context.trait("closed objects") or not context.dialect.takes("additionalProperties", {}):
        silent = "additionalProperties" not in body and "patternProperties" not in body
        nodes |= {name: True if silent else rest for name in required if name not in nodes}
    return nodes


def _keeps_false(context: LoweringContext, rest: Node) -> bool:
    """Return whether a property that must be absent is written; a closed object implies it."""
    return rest is not False and bool(context.trait("boolean schemas"))


def _lower_member(
    context: LoweringContext, node: Node, at: str, key: str, *, needed: bool, fill: bool
) -> tuple[Any, Member]:
    lowered = context.lower_property(node, at, optional=not needed)
    if isinstance(node, bool) and context.trait("boolean schemas") and lowered.lens is IDENTITY:
        return node, Member(key)
    if not fill:
        return lowered.wire, Member(key, lowered.lens)
    context.add_loss(at, "required", "encoded", "null means absent")
    wire, lens = or_absent(context, node, lowered)
    return wire, Member(key, lens, null_is_absent=True)


def _wire_keys(
    context: LoweringContext, nodes: Mapping[str, Node], at: str, *, root: bool
) -> dict[str, str]:
    """Return the key of each property on the wire; keys that would be equal get digits appended."""
    pattern = context.trait("property key") or (context.trait("root property key") if root else "")
    renamed = {name: _to_wire_key(name) for name in nodes if not _matches(pattern, name)}
    keys = {name: renamed.get(name, name) for name in nodes}
    claims = Counter(keys.values())
    keys |= {name: _with_digits(name) for name, key in renamed.items() if claims[key] > 1}
    if len(set(keys.values())) < len(keys):
        raise context.unsupported(
            at, "properties", "two property keys become the same", "rename one of the properties"
        )
    for name, key in keys.items():
        if name != key:
            context.add_loss(
                pointer(at, "properties", name), "properties", "encoded", f"named {key}"
            )
    return keys


def _matches(pattern: str, name: str) -> bool:
    return not pattern or re.search(pattern, name) is not None


def _with_digits(name: str) -> str:
    """Return a key that ends in eight digits of the SHA-256 of the name, as tool names do."""
    from hashlib import sha256  # only a collision needs it

    digits = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{_to_wire_key(name)[: _LONGEST_KEY - 9]}_{digits}"


def _to_wire_key(name: str) -> str:
    text = re.sub(r"[^A-Za-z0-9_]+", "_", name).strip("_") or "key"
    return (text if text[0].isalpha() else f"_{text}")[:_LONGEST_KEY]
