"""What the data look like that a type is written as, and a validator that sees such data.

What the node of a shape accepts is plain JSON data: every key declared, text without lone
surrogates, finite numbers, no more values than a result may have. It does not look at bounds and
patterns, for which there is the emitted schema.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MemberDescriptorType
from typing import Any, Final, NamedTuple

from toolhaft.plaindata import MAX_DEPTH, MAX_VALUES, is_flat
from toolhaft.vendors.pydantic.walk import UNBOUNDED, Node

__all__ = ["AS_READ", "Shape", "hides", "shape_of"]

TEXT: Final[Node] = {"type": "str", "strict": True, "max_length": UNBOUNDED}
# Of integers, pydantic compares those of up to 64 bits in a fifth of the time.
INTEGER: Final[Node] = {"type": "int", "strict": True, "gt": -(1 << 63), "lt": 1 << 63}
SCALARS: Final[dict[str, Node]] = {
    "none": {"type": "none"},
    "bool": {"type": "bool", "strict": True},
    "int": INTEGER,
    "float": {"type": "float", "strict": True, "allow_inf_nan": False},
    "str": TEXT,
    "any": {"type": "any"},
}
KINDS: Final[dict[type, str]] = {str: "str", int: "int", float: "float", bool: "bool"}
# Types with a form in text that is not what they were read from.
TEXTS: Final = frozenset({
    "uuid", "date", "datetime", "time", "timedelta", "decimal", "url", "multi-host-url", "bytes",
})  # fmt: skip
# What may be said of a type that is written as it was read.
SAYS: Final = frozenset({
    "type", "ref", "metadata", "strict", "gt", "ge", "lt", "le", "multiple_of", "allow_inf_nan",
    "min_length", "max_length", "expected", "schema", "items_schema", "keys_schema",
    "values_schema", "cls", "config", "frozen", "slots", "generic_origin", "fields", "model_name",
    "dataclass_name", "extra_behavior", "total", "default", "default_factory",
    "default_factory_takes_data", "name", "required", "validation_alias", "serialization_alias",
    "kw_only", "init", "definitions", "schema_ref",
})  # fmt: skip
CONFIGURES: Final = frozenset({"title", "strict", "frozen", "extra_fields_behavior"})
# What changes which keys are written.
HIDES: Final = (
    "computed_fields", "root_model", "serialization_exclude", "serialization_exclude_if",
    "init_only", "extras_schema", "extras_keys_schema",
)  # fmt: skip
# In the metadata of a node, that its functions neither look at nor change what passes through.
AS_READ: Final = "toolhaft_as_read"
MOST_NODES: Final = 1_000
# More lists within each other may share parts without bound.
MOST_LISTS: Final = 2


class Shape(NamedTuple):
    """How the data of a type look.

    `exact` says that what is read from such data is written as the same data; `flat` that they
    are an object of scalars besides, which a class stores under their keys. `open` says that
    somewhere any value may stand, so that the node does not see whether data are plain.
    """

    node: Node
    exact: bool
    flat: bool
    open: bool

    @property
    def floats(self) -> tuple[str, ...]:
        """The keys of an object's floats, which is how an integer would be written there."""
        fields = self.node["fields"].items()
        return tuple(key for key, one in fields if _inside(one["schema"])["type"] == "float")


class _Shapeless(Exception):
    """A type that may be written as anything, or whose data have no bound."""


def shape_of(core_schema: Mapping[str, Any]) -> Shape | None:
    """Give the shape of the data that a core schema is written as; None where it has none."""
    shaping = _Shaping()
    try:
        made = shaping(dict(core_schema))
    except _Shapeless:
        return None
    flat = shaping.exact and shaping.stored and _holds_scalars(made)
    return Shape(_bounded(made, shaping), shaping.exact, flat, shaping.open)


def _holds_scalars(node: Node) -> bool:
    if node["type"] == "dict":
        return _inside(node["values_schema"])["type"] in SCALARS
    fields = node.get("fields", {}).values()
    return "fields" in node and all(_inside(one["schema"])["type"] in SCALARS for one in fields)


def _inside(node: Node) -> Node:
    """What a node holds that may be absent or null."""
    while node["type"] in ("default", "nullable"):
        node = node["schema"]
    return node


def _bounded(node: Any, shaping: _Shaping) -> Any:
    """Bound each list and map, so that there are never more values than a result may have."""
    if not shaping.most_lists:
        return node
    return _with_lengths(node, int((MAX_VALUES / shaping.nodes) ** (1 / shaping.most_lists)))


def _with_lengths(node: Any, most: int) -> Any:
    if isinstance(node, list):
        return [_with_lengths(one, most) for one in node]
    if not isinstance(node, dict):
        return node
    made = {key: _with_lengths(one, most) for key, one in node.items()}
    return {**made, "max_length": most} if node.get("type") in ("list", "dict") else made


class _Shaping:
    """One pass over a core schema, and what was seen on the way.

    `open` says that something may hold any value, `stored` that objects keep each value under its
    key, and `most_lists` how many lists stand within each other.
    """

    def __init__(self) -> None:
        self.exact = self.stored = True
        self.open = False
        self.definitions: dict[str, Node] = {}
        self.depth = self.lists = self.most_lists = self.nodes = 0

    def __call__(self, node: Node) -> Node:
        if (node.get("metadata") or {}).get(AS_READ):
            return self.kept(node["schema"])
        rule = _RULES.get(node["type"])
        if rule is None or any(node.get(word) for word in HIDES):
            raise _Shapeless
        if "serialization" in node:
            return self.serialized(node["serialization"])
        if self.depth > MAX_DEPTH or self.nodes > MOST_NODES:
            raise _Shapeless
        self.exact = self.exact and _says_no_more(node)
        self.depth += 1
        self.nodes += 1
        made = rule(self, node)
        self.depth -= 1
        return made

    def kept(self, node: Node) -> Node:
        """All that is read is written, and what a default adds besides."""
        made = self(node)
        self.stored = False
        fields = {key: {**one, "required": True} for key, one in made["fields"].items()}
        return {**made, "fields": fields}

    def serialized(self, node: Node) -> Node:
        """What a serializer gives is written as it declares, if it does."""
        self.exact = False
        declared = node.get("return_schema")
        if declared is None:
            raise _Shapeless
        return self(declared)

    def scalar(self, node: Node) -> Node:
        self.open |= node["type"] == "any"
        return SCALARS[node["type"]]

    def text(self, node: Node) -> Node:
        del node
        self.exact = False
        return TEXT

    def literal(self, node: Node) -> Node:
        return _kind_of(node["expected"])

    def enum(self, node: Node) -> Node:
        self.exact = False
        return _kind_of([member.value for member in node["members"]])

    def function(self, node: Node) -> Node:
        """What an author's validator gives is written as the type behind it says."""
        self.exact = False
        return self(node["schema"])

    def nullable(self, node: Node) -> Node:
        return {"type": "nullable", "schema": self(node["schema"])}

    def default(self, node: Node) -> Node:
        """A default is written as it stands, so it is known only where it is such a scalar."""
        made = self(node["schema"])
        inner = made["schema"] if made["type"] == "nullable" else made
        given = node.get("default", self)
        if given is None or (KINDS.get(type(given)) == inner["type"] and is_flat({"": given})):
            return {"type": "default", "schema": made, "default": given, "validate_default": True}
        self.stored = False
        return made

    def items(self, node: Node) -> Node:
        items = self.several(node.get("items_schema"))
        return {"type": "list", "strict": True, "items_schema": items}

    def members(self, node: Node) -> Node:
        names = node.get("keys_schema", node)
        if names["type"] != "str":
            raise _Shapeless
        self.exact = self.exact and names.keys() <= {"type", "strict"}
        values = self.several(node.get("values_schema"))
        return {"type": "dict", "strict": True, "keys_schema": TEXT, "values_schema": values}

    def several(self, node: Node | None) -> Node:
        self.lists += 1
        self.most_lists = max(self.most_lists, self.lists)
        if node is None or self.lists > MOST_LISTS:
            raise _Shapeless
        made = self(node)
        self.lists -= 1
        return made

    def instance(self, node: Node) -> Node:
        _require_closed(node)
        is_dataclass = node["type"] == "dataclass"
        self.stored = self.stored and not node.get("slots")
        self.exact = self.exact and not (is_dataclass and hides(node["cls"], node["fields"]))
        return self(node["schema"])

    def fields(self, node: Node) -> Node:
        _require_closed(node)
        found: Any = node["fields"]
        named = found.items() if isinstance(found, dict) else [(one["name"], one) for one in found]
        fields = dict(self.field(node, name, field) for name, field in named)
        return {"type": "typed-dict", "fields": fields, "extra_behavior": "forbid"}

    def field(self, node: Node, name: str, field: Node) -> tuple[str, Node]:
        if any(field.get(word) for word in HIDES) or field.get("init") is False:
            raise _Shapeless
        key = field.get("serialization_alias", name)
        is_same = field.get("validation_alias", name) == key
        self.exact = self.exact and is_same and _says_no_more(field)
        self.stored = self.stored and key == name
        made = self(field["schema"])
        required = made["type"] != "default" and (
            node["type"] != "typed-dict" or field.get("required", node.get("total", True))
        )
        return key, {"type": "typed-dict-field", "schema": made, "required": required}

    def choices(self, node: Node) -> Node:
        self.exact = False
        found = node["choices"]
        nodes = found.values() if isinstance(found, dict) else found
        choices = [self(one[0] if isinstance(one, tuple) else one) for one in nodes]
        return {"type": "union", "mode": "left_to_right", "choices": choices}

    def definitions_of(self, node: Node) -> Node:
        self.definitions |= {one["ref"]: one for one in node["definitions"]}
        return self(node["schema"])

    def reference(self, node: Node) -> Node:
        return self(self.definitions[node["schema_ref"]])


def _says_no_more(node: Node) -> bool:
    """Whether all that a node says is known, and changes neither what is read nor written."""
    config = node.get("config") or {}
    return config.keys() <= CONFIGURES and not any(node[key] for key in node.keys() - SAYS)


def _require_closed(node: Node) -> None:
    config = node.get("config") or {}
    if "allow" in (node.get("extra_behavior"), config.get("extra_fields_behavior")):
        raise _Shapeless


def hides(cls: Any, names: list[str]) -> bool:
    """Whether a class may show other values than were put into its fields."""
    found = [vars(base)[name] for base in cls.__mro__ for name in names if name in vars(base)]
    return cls.__getattribute__ is not object.__getattribute__ or any(
        hasattr(one, "__set__") and type(one) is not MemberDescriptorType for one in found
    )


def _kind_of(values: list[Any]) -> Node:
    """The node of values that are written as scalars of one kind."""
    kinds = {type(value) for value in values}
    if kinds not in ({str}, {int}):
        raise _Shapeless
    return SCALARS[KINDS[kinds.pop()]]


_Rule = Callable[[_Shaping, Node], Node]
_RULES: Final[dict[str, _Rule]] = {
    **dict.fromkeys(SCALARS, _Shaping.scalar),
    **dict.fromkeys(TEXTS, _Shaping.text),
    "literal": _Shaping.literal,
    "enum": _Shaping.enum,
    "nullable": _Shaping.nullable,
    "default": _Shaping.default,
    "list": _Shaping.items,
    "dict": _Shaping.members,
    "model": _Shaping.instance,
    "dataclass": _Shaping.instance,
    "model-fields": _Shaping.fields,
    "dataclass-args": _Shaping.fields,
    "typed-dict": _Shaping.fields,
    "union": _Shaping.choices,
    "tagged-union": _Shaping.choices,
    "function-after": _Shaping.function,
    "function-before": _Shaping.function,
    "function-wrap": _Shaping.function,
    "definitions": _Shaping.definitions_of,
    "definition-ref": _Shaping.reference,
}
