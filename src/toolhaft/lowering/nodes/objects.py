"""Objects: properties, further keys, and the ways that a target wants both."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from toolhaft.lowering.conjoin import Node
from toolhaft.lowering.keywords import FAMILIES, pointer
from toolhaft.lowering.lenses.lens import IDENTITY, NodeLens
from toolhaft.lowering.lenses.objects import Member, ObjectLens, object_lens
from toolhaft.lowering.lenses.pairs import PairsLens
from toolhaft.lowering.lenses.wrap import WrapLens
from toolhaft.lowering.nodes.anything import NoValue, closed
from toolhaft.lowering.nodes.describe import hint
from toolhaft.lowering.nodes.null import with_null
from toolhaft.lowering.nodes.run import Carried, Run

__all__ = ["lower_object"]

_REST = "additional_properties"
_HANDLED = ("properties", "required", "additionalProperties", "patternProperties")


def lower_object(run: Run, body: Mapping[str, Any], at: str, *, root: bool = False) -> Carried:
    """A node of kind object; the root stays an object whatever it is."""
    rest = _rest_of(run, body, at, root)
    try:
        return _with_rest_as(run, body, at, rest, root)
    except NoValue as nothing:
        if rest is False or not nothing.at.startswith(_rest_at(body, at)):
            raise
        return _with_rest_as(run, body, at, False, root)


def _with_rest_as(
    run: Run, body: Mapping[str, Any], at: str, rest: Node, root: bool
) -> Carried:
    if run.dialect.takes("additionalProperties", {}):
        return _open_object(run, body, at, rest, root)
    if rest is not False and not body.get("properties") and not body.get("required") and not root:
        return _map(run, body, at, rest)
    return _closed_object(run, body, at, rest, root)


def _rest_of(run: Run, body: Mapping[str, Any], at: str, root: bool) -> Node:
    """What the object says of keys that it does not name; silence closes it in a closed dialect."""
    silent = "additionalProperties" not in body and "patternProperties" not in body
    if "unevaluatedProperties" in body and silent:
        if not run.dialect.takes("unevaluatedProperties", body["unevaluatedProperties"]):
            rest: Node = body["unevaluatedProperties"]
            return rest
    if silent and run.trait("closed objects") and (root or "properties" in body):
        run.lose(at, "additionalProperties", "closed", "no keys but the named ones")
        return False
    if "patternProperties" in body and not run.dialect.takes("patternProperties", {}):
        return _by_pattern(run, body, at)
    found: Node = body.get("additionalProperties", True)
    return found


def _by_pattern(run: Run, body: Mapping[str, Any], at: str) -> Node:
    """Keys by pattern, for a target that knows no patterns: any of the values that they name."""
    values = list(body["patternProperties"].values())
    rest = body.get("additionalProperties", True)
    run.note(at, f"keys by pattern: {', '.join(body['patternProperties'])}")
    run.lose(at, "patternProperties", "hinted", "said in the description")
    values += [rest] if rest is not False else []
    return values[0] if len(values) == 1 else {"anyOf": values}


def _map(run: Run, body: Mapping[str, Any], at: str, rest: Node) -> Carried:
    """A map as a list of pairs."""
    value = run.lower(rest, _rest_at(body, at))
    names = body.get("propertyNames", True)
    key = run.lower({"type": "string"} | (names if isinstance(names, dict) else {}), at)
    wire: dict[str, Any] = {"type": "array", "items": closed(run, {"key": key.wire, "value": value.wire})}
    for word, items in (("minProperties", "minItems"), ("maxProperties", "maxItems")):
        if word in body and run.dialect.takes(items, body[word]):
            wire[items] = body[word]
        elif word in body:
            hint(run, at, word, body[word])
    run.lose(at, _rest_word(body), "encoded", "a list of key and value")
    _others(run, body, at, {*_HANDLED, "propertyNames", "minProperties", "maxProperties"})
    return Carried(wire, PairsLens(value.lens))


def _rest_at(body: Mapping[str, Any], at: str) -> str:
    word = _rest_word(body)
    return pointer(at, word) if word in body and word != "type" else at


def _rest_word(body: Mapping[str, Any]) -> str:
    words = ("additionalProperties", "patternProperties", "unevaluatedProperties")
    return next((word for word in words if word in body), "type")


def _others(run: Run, body: Mapping[str, Any], at: str, handled: set[str]) -> dict[str, Any]:
    """The remaining keywords of objects: kept where values stand as they are, else in words."""
    wire = {}
    for keyword, value in body.items():
        if keyword not in FAMILIES["object"] or keyword in handled:
            continue
        if keyword != "unevaluatedProperties":
            hint(run, at, keyword, value)
    return wire


def _closed_object(
    run: Run, body: Mapping[str, Any], at: str, rest: Node, root: bool
) -> Carried:
    """An object whose further keys, if any, stand in a list of pairs."""
    properties, required, members = _declared(run, body, at, rest, root)
    lens = ObjectLens(members)
    if rest is not False and (run.trait("closed objects") or _rest_word(body) != "type"):
        lens = _with_rest(run, body, at, rest, lens, properties, required)
    wire: dict[str, Any] = {"type": "object", "properties": properties, "required": required}
    if not required and not run.trait("all required"):
        del wire["required"]
    if run.dialect.takes("additionalProperties", False):
        wire["additionalProperties"] = False
    elif rest is False:
        run.lose(at, "additionalProperties", "widened", "the target has no word for closed")
    _others(run, body, at, set(_HANDLED))
    return Carried(wire, object_lens(lens))


def _with_rest(
    run: Run,
    body: Mapping[str, Any],
    at: str,
    rest: Node,
    lens: ObjectLens,
    properties: dict[str, Any],
    required: list[str],
) -> ObjectLens:
    names = {member.key for member in lens.members.values()}
    tries = (_REST if i == 1 else f"{_REST}_{i}" for i in range(1, len(names) + 2))
    key = next(name for name in tries if name not in names)
    said = {key: value for key, value in body.items() if key == _rest_word(body) != "type"}
    pairs = _map(run, said, at, rest)
    properties[key] = {**pairs.wire, "description": "further keys, each with its value"}
    if run.trait("all required"):
        required.append(key)
    values = pairs.lens if isinstance(pairs.lens, PairsLens) else PairsLens()
    return ObjectLens(lens.members, IDENTITY, key, values, bool(run.trait("all required")))


def _declared(
    run: Run, body: Mapping[str, Any], at: str, rest: Node, root: bool
) -> tuple[dict[str, Any], list[str], dict[str, Member]]:
    """Each declared property, with its key and lens; keys that must be there are declared too."""
    named: dict[str, Node] = dict(body.get("properties", {}))
    must = list(dict.fromkeys(body.get("required", ())))
    silent = "additionalProperties" not in body and "patternProperties" not in body
    if run.trait("closed objects") or not run.dialect.takes("additionalProperties", {}):
        named |= {name: True if silent else rest for name in must if name not in named}
    keys = _keys(run, named, at, root)
    properties: dict[str, Any] = {}
    members: dict[str, Member] = {}
    for name, given in named.items():
        node = given if run.kinds(given) else False
        if node is False and name not in must and not _keeps_false(run, rest):
            continue
        try:
            properties[keys[name]], members[name] = _member(run, node, at, keys[name], name, must)
        except NoValue:
            if name in must:
                raise
    required = [keys.get(name, name) for name in must]
    return properties, (list(properties) if run.trait("all required") else required), members


def _keeps_false(run: Run, rest: Node) -> bool:
    return rest is not False and bool(run.trait("boolean schemas"))


def _member(
    run: Run, node: Node, at: str, key: str, name: str, must: list[str]
) -> tuple[Any, Member]:
    here = pointer(at, "properties", name)
    carried = run.lower_below(node, here, optional=name not in must)
    if isinstance(node, bool) and run.trait("boolean schemas") and carried.lens is IDENTITY:
        return node, Member(key)
    if name in must or not run.trait("all required"):
        return carried.wire, Member(key, carried.lens)
    return _optional(run, node, here, key, carried)


def _optional(run: Run, node: Node, at: str, key: str, carried: Carried) -> tuple[Any, Member]:
    """A property that may be absent, where every property must be there: null stands for it."""
    run.lose(at, "required", "encoded", "null means absent")
    if "null" not in run.kinds(node) or _null_by_default(node):
        return with_null(run, carried.wire), Member(key, carried.lens, null_is_absent=True)
    boxed = closed(run, {"value": carried.wire})
    words = {k: carried.wire[k] for k in ("title", "description") if k in carried.wire}
    boxed["properties"]["value"] = {k: v for k, v in carried.wire.items() if k not in words}
    return {"anyOf": [boxed, {"type": "null"}], **words}, Member(
        key, WrapLens("value", carried.lens), null_is_absent=True
    )


def _null_by_default(node: Node) -> bool:
    return isinstance(node, Mapping) and "default" in node and node["default"] is None


def _keys(run: Run, named: Mapping[str, Node], at: str, root: bool) -> dict[str, str]:
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
    return (text if text[0].isalpha() else f"_{text}")[:64]


def _open_object(
    run: Run, body: Mapping[str, Any], at: str, rest: Node, root: bool
) -> Carried:
    """An object of JSON Schema: further keys stay where they are."""
    properties, required, members = _declared(run, body, at, rest, root)
    wire: dict[str, Any] = {"type": "object"}
    if "properties" in body:
        wire["properties"] = properties
    if required:
        wire["required"] = required
    if not _keeps_patterns(run, body, at, object_lens(ObjectLens(members))):
        rest = _by_pattern(run, body, at)
        body = {key: value for key, value in body.items() if key != "patternProperties"}
        body["additionalProperties"] = rest
    others = IDENTITY
    if isinstance(rest, Mapping):
        value = run.lower(rest, _rest_at(body, at))
        wire["additionalProperties"], others = value.wire, value.lens
    elif rest is False or "additionalProperties" in body or run.trait("closed objects"):
        wire["additionalProperties"] = rest
    lens = object_lens(ObjectLens(members, others))
    wire |= _kept(run, body, at, lens is IDENTITY)
    return Carried(wire, lens)


def _keeps_patterns(run: Run, body: Mapping[str, Any], at: str, lens: NodeLens) -> bool:
    """Patterns see keys and values as they are: they stay only where nothing is rewritten."""
    patterns = body.get("patternProperties")
    if patterns is None or not run.dialect.takes("patternProperties", patterns):
        return True
    here = pointer(at, "patternProperties")
    return lens is IDENTITY and _schemas(run, patterns, here, "patternProperties") is not None


def _kept(run: Run, body: Mapping[str, Any], at: str, same: bool) -> dict[str, Any]:
    wire: dict[str, Any] = {}
    for keyword, value in body.items():
        if keyword not in FAMILIES["object"] or keyword in _HANDLED[:3]:
            continue
        if not run.dialect.takes(keyword, value):
            if keyword not in ("patternProperties", "unevaluatedProperties"):
                hint(run, at, keyword, value)
            continue
        kept = _schemas(run, value, pointer(at, keyword), keyword) if same else None
        if kept is not None:
            wire[keyword] = kept
        else:
            hint(run, at, keyword, value)
    return wire


def _schemas(run: Run, value: Any, at: str, keyword: str) -> Any:
    """A keyword's value with its schemas lowered, or None when that would change their sense."""
    if keyword in ("patternProperties", "dependentSchemas"):
        lowered = {k: _exactly(run, each, pointer(at, k)) for k, each in value.items()}
        return None if None in lowered.values() else lowered
    if keyword in ("propertyNames", "unevaluatedProperties"):
        return _exactly(run, value, at)
    return value


def _exactly(run: Run, node: Node, at: str) -> Any:
    if isinstance(node, bool):
        return node if run.trait("boolean schemas") else None
    carried = run.attempt(lambda: run.lower(node, at))
    return None if carried is None else carried.wire
