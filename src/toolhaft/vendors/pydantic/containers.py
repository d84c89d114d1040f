"""Rules for arrays, maps, and objects with fields: lax enough for their JSON form, no laxer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from toolhaft.vendors.pydantic.scalars import only_guarded
from toolhaft.vendors.pydantic.walk import Node, Rule, Walk, require_sync

__all__ = ["RULES"]


def _list(walk: Walk, node: Node) -> Node:
    """An `Iterable` is read as a list: pydantic's generator would check only when it is used."""
    return {**_items(walk, node), "type": "list", "strict": True}


def _from_array(walk: Walk, node: Node) -> Node:
    return {**_items(walk, node), "strict": walk.route == "json" and not walk.objects}


def _items(walk: Walk, node: Node) -> Node:
    items = node.get("items_schema")
    if items is None:
        return node
    walked = [walk(item) for item in items] if isinstance(items, list) else walk(items)
    return {**node, "items_schema": walked}


def _set(walk: Walk, node: Node) -> Node:
    if walk.route == "json":
        walk.expect_objects()
    lax = {**_items(walk, node), "strict": False}
    return {"type": "function-wrap", "function": _ONLY_UNEQUAL, "schema": lax}


def _only_unequal(value: Any, read: Callable[[Any], Any]) -> Any:
    """Refuse equal items, which the schema forbids and pydantic would merge."""
    made = read(value)
    if len(made) != len(value) and _has_equal_items(value):
        from pydantic_core import PydanticCustomError

        raise PydanticCustomError("unique", "expected no duplicate items")
    return made


def _has_equal_items(items: Any) -> bool:
    from pydantic_core import to_json

    return isinstance(items, list) and len({to_json(item) for item in items}) != len(items)


_ONLY_UNEQUAL: Final = {"type": "no-info", "function": _only_unequal}


def _named_tuple(walk: Walk, node: Node) -> Node:
    if walk.route == "json":
        walk.expect_objects()
    fields = [{**field, "schema": walk(field["schema"])} for field in node["fields"]]
    return only_guarded(walk, {"type": "list", "strict": True}, {**node, "fields": fields})


def _mapping(walk: Walk, node: Node) -> Node:
    made = {**node, "strict": False}
    if "keys_schema" in node:
        made["keys_schema"] = _keys(walk, node["keys_schema"])
    if "values_schema" in node:
        made["values_schema"] = walk(node["values_schema"])
    return made


def _keys(walk: Walk, node: Node) -> Node:
    """Keys are text in JSON: an integer key is read from it, in JSON mode too."""
    if node["type"] in ("str", "literal"):
        return walk(node)
    walk.own_checks = walk.loose = True
    return node


def _fields(walk: Walk, node: Node) -> Node:
    found, made = node["fields"], dict(node)
    with walk.under(node) as config:
        if isinstance(found, list):
            made["fields"] = [_field(walk, field["name"], field) for field in found]
        else:
            made["fields"] = {name: _field(walk, name, field) for name, field in found.items()}
        if "extras_schema" in node:
            made["extras_schema"] = walk(node["extras_schema"])
    return made | config


def _field(walk: Walk, name: str, field: Node) -> Node:
    walk.aliases(name, field.get("validation_alias"))
    return {**field, "schema": walk(field["schema"])}


def _instance(walk: Walk, node: Node) -> Node:
    cls = node["cls"]
    for computed in node["schema"].get("computed_fields", ()):
        require_sync(getattr(getattr(cls, computed["property_name"]), "fget", None))
    name = node.get("post_init")
    if name:
        walk.own_checks = True
        require_sync(getattr(cls, name if isinstance(name, str) else "__post_init__"))
    if node.get("custom_init"):
        walk.own_checks = walk.loose = True
    with walk.under(node) as config:
        return {**node, **config, "schema": walk(node["schema"]), "strict": False}


RULES: Final[dict[str, Rule]] = {
    "list": _list,
    "generator": _list,
    "tuple": _from_array,
    "deque": _from_array,
    "set": _set,
    "frozenset": _set,
    "named-tuple": _named_tuple,
    "dict": _mapping,
    "ordered-dict": _mapping,
    "counter": _mapping,
    "typed-dict": _fields,
    "model-fields": _fields,
    "dataclass-args": _fields,
    "model": _instance,
    "dataclass": _instance,
}
