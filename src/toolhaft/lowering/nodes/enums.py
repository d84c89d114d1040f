"""Enumerations: members that the target can write, and texts for members that it cannot."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolhaft.jsonio import jsontext
from toolhaft.lowering.keywords import FAMILIES
from toolhaft.lowering.lenses.lens import IDENTITY, kind_of
from toolhaft.lowering.lenses.values import EnumLens
from toolhaft.lowering.nodes.anything import lower_nothing
from toolhaft.lowering.nodes.context import LoweredNode, LoweringContext
from toolhaft.lowering.nodes.null import null_node, with_null

__all__ = ["lower_enum"]


def lower_enum(context: LoweringContext, body: Mapping[str, Any], at: str) -> LoweredNode:
    """Lower a node with `enum` or `const`."""
    if _is_taken_unchanged(context, body):
        return LoweredNode(dict(body))
    members = [each for each in _members(body) if context.accepts(_without_members(body), each)]
    if not members:
        return lower_nothing(context, at)
    non_null = [each for each in members if each is not None]
    kinds = {kind_of(each) for each in non_null}
    if kinds <= set(context.trait("enum members")):
        wire, table = _group_by_type(context, body, non_null), None
    else:
        table = _member_texts(non_null)
        wire = {"type": "string", "enum": [text for text, _ in table]}
        context.add_loss(at, "enum", "encoded", "texts stand for the members")
    if None not in members:
        return LoweredNode(wire, EnumLens(tuple(table)) if table else IDENTITY)
    nullable = with_null(context, wire) if non_null else null_node(context)
    if nullable.get("enum") == [None] and "null" not in context.trait("enum members"):
        context.add_loss(at, "enum", "encoded", "a text stands for null")
        return LoweredNode({"type": "string", "enum": ["null"]}, EnumLens((("null", None),)))
    return LoweredNode(nullable, EnumLens((*table, (None, None))) if table else IDENTITY)


def _is_taken_unchanged(context: LoweringContext, body: Mapping[str, Any]) -> bool:
    """Return whether the target takes the node as it is."""
    if context.trait("typed nodes") or not all(
        context.dialect.takes(key, body[key]) for key in body
    ):
        return False
    if body.keys() - {"enum", "const", "type", *FAMILIES["string"], *FAMILIES["number"]}:
        return False
    if isinstance(body.get("type"), list) and not context.trait("type list"):
        return False
    kinds = {kind_of(each) for each in _members(body)}
    return kinds <= set(context.trait("enum members")) - (
        set() if context.trait("type null") else {"null"}
    ) and not any(isinstance(body.get(key), bool) for key in FAMILIES["number"])


def _members(body: Mapping[str, Any]) -> list[Any]:
    members = [body["const"]] if "const" in body else body["enum"]
    return list(members)


def _without_members(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return the node without its first list of members."""
    first = "const" if "const" in body else "enum"
    return {key: value for key, value in body.items() if key != first}


def _group_by_type(
    context: LoweringContext, body: Mapping[str, Any], members: list[Any]
) -> dict[str, Any]:
    groups: dict[str, list[Any]] = {}
    for each in members:
        groups.setdefault(_type_name(each), []).append(each)
    if "integer" in groups and "number" in groups:
        groups["number"] = groups.pop("integer") + groups["number"]
    nodes = [_typed_enum(context, body, name, group) for name, group in groups.items()]
    return nodes[0] if len(nodes) == 1 else {"anyOf": nodes}


def _typed_enum(
    context: LoweringContext, body: Mapping[str, Any], name: str, group: list[Any]
) -> dict[str, Any]:
    if len(group) == 1 and "const" in body and context.dialect.takes("const", group[0]):
        return {"type": name, "const": group[0]}
    return {"type": name, "enum": group}


def _type_name(member: Any) -> str:
    return "integer" if type(member) is int else kind_of(member)


def _member_texts(members: list[Any]) -> list[tuple[str, Any]]:
    """Pair each member with a text: itself or its JSON text; JSON text for all if two clash."""
    plain = [each if isinstance(each, str) else jsontext.write(each) for each in members]
    if len(set(plain)) < len(plain):
        plain = [jsontext.write(each) for each in members]
    return list(dict(zip(plain, members, strict=True)).items())
