"""Which types are read in one step, from a dict or from JSON text, and how their keys are counted.

The validator of such a type takes data apart completely: it builds every container anew, runs no
function of an author's, and refuses all that is not plain JSON. What it cannot see is a key that
is written twice or that nobody declared. Then data hold more keys than were read, so it is enough
to count both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from toolhaft.jsondata import MAX_DEPTH, is_exact
from toolhaft.vendors.adapter import Direct
from toolhaft.vendors.pydantic.walk import UNBOUNDED, Node

__all__ = ["direct", "is_required"]

# Nodes that hold no keys, and read nothing from Python objects that JSON does not have.
LEAVES: Final = frozenset({
    "none", "bool", "int", "float", "str", "literal", "enum", "uuid", "date", "datetime", "time",
    "timedelta", "decimal", "url", "multi-host-url", "bytes",
})  # fmt: skip
# Nodes of which pydantic reads subclasses as their base, and calls none of their methods.
SCALARS: Final = frozenset({"none", "bool", "int", "float", "str"})
# What holds any number of values; more of them within each other may share parts without bound.
LISTS: Final = ("list", "dict")
MOST_LISTS: Final = 2
# A type that is used in several places is counted in each.
MOST_NODES: Final = 1_000
# An author's code, or keys that no field has.
OPEN: Final = ("custom_init", "post_init", "root_model", "extras_schema", "extras_keys_schema")

Count = Callable[[Any], int]


class Keys(NamedTuple):
    """How many keys were read for a value, and how many its data hold.

    `fixed` is what `read` gives, where that is the same for every value.
    """

    read: Count
    held: Count
    fixed: int | None = None


class _Uncounted(Exception):
    """A node whose keys cannot be counted, or that is not taken apart."""


def direct(
    schema: Node, config: Mapping[str, Any] | None, construct: Callable[[Any], Any]
) -> Direct | None:
    """Give the way to read a strict schema in one step; None where there is none.

    `construct` reads decoded data, and sees lone surrogates itself; so it reads flat objects.
    """
    from pydantic_core import SchemaValidator

    try:
        keys = _Counting().keys(schema)
    except _Uncounted:
        return None
    if keys is None:
        return None
    made: Any = _unbounded(schema)
    core_config: Any = config
    validator = SchemaValidator(made, core_config, _use_prebuilt=False)
    if _is_flat(schema):
        return Direct(None, construct, validator.validate_json, *keys)
    return Direct(is_exact, validator.validate_python, validator.validate_json, *keys)


def _unbounded(node: Any) -> Any:
    """Drop the bounds that only find lone surrogates: text that is read directly has none."""
    if isinstance(node, dict):
        return {
            key: _unbounded(value)
            for key, value in node.items()
            if not (key == "max_length" and value == UNBOUNDED)
        }
    if isinstance(node, list | tuple):
        return type(node)(map(_unbounded, node))
    return node


class _Counting:
    """The counts of one schema, node by node; None for what holds no keys."""

    def __init__(self) -> None:
        self.definitions: dict[str, Node] = {}
        self.depth = self.lists = 0
        self.left = MOST_NODES

    def keys(self, node: Node) -> Keys | None:
        kind = node["type"]
        if kind in LEAVES:
            return None
        rule = _RULES.get(kind)
        if rule is None or any(node.get(word) for word in OPEN):
            raise _Uncounted
        self.depth += 1
        self.lists += kind in LISTS
        self.left -= 1
        if self.depth > MAX_DEPTH or self.lists > MOST_LISTS or not self.left:
            raise _Uncounted
        found = rule(self, node)
        self.depth -= 1
        self.lists -= kind in LISTS
        return found

    def default(self, node: Node) -> Keys | None:
        """A default that holds keys of its own would be counted as if they had been sent."""
        found = self.keys(node["schema"])
        if found is not None and node.get("default", self):
            raise _Uncounted
        return found

    def nullable(self, node: Node) -> Keys | None:
        found = self.keys(node["schema"])
        if found is None:
            return None
        read, held, _ = found
        return Keys(
            lambda value: 0 if value is None else read(value),
            lambda data: 0 if data is None else held(data),
        )

    def chain(self, node: Node) -> None:
        if any(self.keys(step) is not None for step in node["steps"]):
            raise _Uncounted

    def items(self, node: Node) -> Keys | None:
        if "items_schema" not in node:
            raise _Uncounted
        found = self.keys(node["items_schema"])
        if found is None:
            return None
        read, held, fixed = found
        return Keys(
            _sum_of(read) if fixed is None else lambda value: fixed * len(value),
            _sum_of(held),
        )

    def members(self, node: Node) -> Keys:
        names, values = node.get("keys_schema"), node.get("values_schema")
        if names is None or values is None or names["type"] != "str":
            raise _Uncounted
        found = self.keys(values)
        if found is None:
            return Keys(len, len)
        read, held, _ = found
        return Keys(
            lambda value: len(value) + sum(map(read, value.values())),
            lambda data: len(data) + sum(map(held, data.values())),
        )

    def instance(self, node: Node) -> Keys:
        inner = node["schema"]
        if inner["type"] not in ("model-fields", "dataclass-args") or _keeps_more(node):
            raise _Uncounted
        return self.object(inner)

    def object(self, node: Node) -> Keys:
        fields = _fields(node)
        inner = [
            (name, _key(name, field), keys)
            for name, field in fields.items()
            if (keys := self.keys(field["schema"])) is not None
        ]
        fixed = len(fields) if all(is_required(node, one) for one in fields.values()) else None
        own = _own(node, fields) if fixed is None else lambda _: fixed
        if not inner:
            return Keys(own, len, fixed)
        is_dict = node["type"] == "typed-dict"

        def read(value: Any) -> int:
            total = own(value)
            for name, _, keys in inner:
                if not is_dict:
                    total += keys.read(getattr(value, name))
                elif name in value:
                    total += keys.read(value[name])
            return total

        def held(data: Any) -> int:
            total = len(data)
            for _, key, keys in inner:
                if key in data:
                    total += keys.held(data[key])
            return total

        return Keys(read, held)

    def definitions_of(self, node: Node) -> Keys | None:
        self.definitions |= {one["ref"]: one for one in node["definitions"]}
        return self.keys(node["schema"])

    def reference(self, node: Node) -> Keys | None:
        return self.keys(self.definitions[node["schema_ref"]])


def _sum_of(count: Count) -> Count:
    return lambda parts: sum(map(count, parts))


def _fields(node: Node) -> dict[str, Node]:
    found: Any = node["fields"]
    if _keeps_more(node):
        raise _Uncounted
    return {one["name"]: one for one in found} if isinstance(found, list) else found


def _keeps_more(node: Node) -> bool:
    """Whether an object keeps keys that no field has, or a field is no key."""
    config: dict[str, Any] = node.get("config") or {}
    fields: Any = node.get("fields")
    unread = isinstance(fields, list) and any(
        field.get("init_only") or field.get("init") is False
        for field in fields
        if isinstance(field, dict)
    )
    behaviour = node.get("extra_behavior") or config.get("extra_fields_behavior")
    return behaviour == "allow" or unread


def is_required(node: Node, field: Node) -> bool:
    """Whether an object of a core schema cannot do without a field."""
    if field["schema"]["type"] == "default":
        return False
    return node["type"] != "typed-dict" or bool(field.get("required", node.get("total", True)))


def _own(node: Node, fields: Mapping[str, Node]) -> Count:
    """Count the keys that an object of optional fields was made from, where it still knows."""
    if node["type"] == "model-fields":
        return lambda value: len(value.__pydantic_fields_set__)
    has_defaults = any(one["schema"]["type"] == "default" for one in fields.values())
    if node["type"] != "typed-dict" or has_defaults:
        raise _Uncounted
    return len


def _key(name: str, field: Node) -> str:
    alias = field.get("validation_alias", name)
    if not isinstance(alias, str):
        raise _Uncounted
    return alias


def _is_flat(node: Node) -> bool:
    """Whether the schema is of an object that holds nothing but plain scalars."""
    while node["type"] in ("model", "dataclass"):
        node = node["schema"]
    return "fields" in node and all(_is_scalar(one["schema"]) for one in _fields(node).values())


def _is_scalar(node: Node) -> bool:
    while node["type"] in ("default", "nullable", "chain"):
        node = node["steps"][0] if node["type"] == "chain" else node["schema"]
    return node["type"] in SCALARS


_RULES: Final[dict[str, Callable[[_Counting, Node], Keys | None]]] = {
    "list": _Counting.items,
    "dict": _Counting.members,
    "model": _Counting.instance,
    "dataclass": _Counting.instance,
    "typed-dict": _Counting.object,
    "default": _Counting.default,
    "nullable": _Counting.nullable,
    "chain": _Counting.chain,
    "definitions": _Counting.definitions_of,
    "definition-ref": _Counting.reference,
}
