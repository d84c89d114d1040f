"""Enumerations: members that the target can write, and texts for those that it cannot."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolhaft.jsonio import jsontext
from toolhaft.lowering.keywords import FAMILIES
from toolhaft.lowering.lenses.enums import EnumLens
from toolhaft.lowering.lenses.lens import IDENTITY, kind_of
from toolhaft.lowering.nodes.anything import lower_nothing
from toolhaft.lowering.nodes.context import LoweredNode, LoweringContext
from toolhaft.lowering.nodes.null import null_node, with_null

__all__ = ["lower_enum"]


def lower_enum(run: LoweringContext, body: Mapping[str, Any], at: str) -> LoweredNode:
    """A node with `enum` or `const`."""
    if _as_it_is(run, body):
        return LoweredNode(dict(body))
    members = [each for each in _members(body) if run.accepts(_rest(body), each)]
    if not members:
        return lower_nothing(run, at)
    some = [each for each in members if each is not None]
    kinds = {kind_of(each) for each in some}
    if kinds <= set(run.trait("enum members")):
        wire, table = _by_kind(run, body, some), None
    else:
        table = _texts(some)
        wire = {"type": "string", "enum": [text for text, _ in table]}
        run.lose(at, "enum", "encoded", "texts stand for the members")
    if None not in members:
        return LoweredNode(wire, EnumLens(tuple(table)) if table else IDENTITY)
    nullable = with_null(run, wire) if some else null_node(run)
    if nullable.get("enum") == [None] and "null" not in run.trait("enum members"):
        run.lose(at, "enum", "encoded", "a text stands for null")
        return LoweredNode({"type": "string", "enum": ["null"]}, EnumLens((("null", None),)))
    return LoweredNode(nullable, EnumLens((*table, (None, None))) if table else IDENTITY)


def _as_it_is(run: LoweringContext, body: Mapping[str, Any]) -> bool:
    """Whether the target takes the node with everything beside its members."""
    if run.trait("typed nodes") or not all(run.dialect.takes(key, body[key]) for key in body):
        return False
    if body.keys() - {"enum", "const", "type", *FAMILIES["string"], *FAMILIES["number"]}:
        return False
    if isinstance(body.get("type"), list) and not run.trait("type list"):
        return False
    kinds = {kind_of(each) for each in _members(body)}
    return kinds <= set(run.trait("enum members")) - (
        set() if run.trait("type null") else {"null"}
    ) and not any(isinstance(body.get(key), bool) for key in FAMILIES["number"])


def _members(body: Mapping[str, Any]) -> list[Any]:
    members = [body["const"]] if "const" in body else body["enum"]
    return list(members)


def _rest(body: Mapping[str, Any]) -> dict[str, Any]:
    """What the node says beside its first list of members."""
    first = "const" if "const" in body else "enum"
    return {key: value for key, value in body.items() if key != first}


def _by_kind(run: LoweringContext, body: Mapping[str, Any], members: list[Any]) -> dict[str, Any]:
    groups: dict[str, list[Any]] = {}
    for each in members:
        groups.setdefault(_type(each), []).append(each)
    if "integer" in groups and "number" in groups:
        groups["number"] = groups.pop("integer") + groups["number"]
    nodes = [_of_type(run, body, name, group) for name, group in groups.items()]
    return nodes[0] if len(nodes) == 1 else {"anyOf": nodes}


def _of_type(
    run: LoweringContext, body: Mapping[str, Any], name: str, group: list[Any]
) -> dict[str, Any]:
    if len(group) == 1 and "const" in body and run.dialect.takes("const", group[0]):
        return {"type": name, "const": group[0]}
    return {"type": name, "enum": group}


def _type(member: Any) -> str:
    return "integer" if type(member) is int else kind_of(member)


def _texts(members: list[Any]) -> list[tuple[str, Any]]:
    """Texts by themselves and other members as JSON text; all as JSON text where two clash."""
    plain = [each if isinstance(each, str) else jsontext.write(each) for each in members]
    if len(set(plain)) < len(plain):
        plain = [jsontext.write(each) for each in members]
    return list(dict(zip(plain, members, strict=True)).items())
