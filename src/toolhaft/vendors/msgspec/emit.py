"""msgspec's types as JSON Schema: short names, no made-up titles, the spelling of other vendors.

All is written in one walk over the result of `msgspec.inspect`. msgspec's own schema does not
distinguish times that may lack a zone, names an unknown format for decimals, sorts the members of
literals, and confuses classes of one name.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Final, Literal, TypeAlias, get_args, get_origin

from toolhaft.definition.names import free_name
from toolhaft.jsonio.jsondata import UNKNOWN, NotPlain, snapshot, to_json_data
from toolhaft.schema.format_patterns import (
    CLOCK,
    DECIMAL,
    INTEGER_KEY,
    LOCAL,
    LOCAL_CLOCK,
    NUMBER_KEY,
    SPAN,
    ZONED_CLOCK,
)
from toolhaft.schema.marks import mark
from toolhaft.vendors.adapter import Adapter
from toolhaft.vendors.annotations import hints_of, types_in
from toolhaft.vendors.emission_rules import (
    REFS,
    class_summary,
    field_descriptions,
    is_untyped,
    short_name,
    with_type,
)
from toolhaft.vendors.fields import FieldKey, Fields, factory_default, mark_fields

__all__ = ["Emission"]

Schema: TypeAlias = dict[str, Any]
# Constraints: msgspec's name and the keyword of JSON Schema.
Words: TypeAlias = tuple[tuple[str, str], ...]


class Emission:
    """The schema of one type; its classes become definitions, in the order in which they are met.

    Raises:
        TypeError: Some type has no JSON Schema.
    """

    def __init__(self, tp: Any, classes: Iterable[Any]) -> None:
        self.tp, self.classes = tp, classes
        self.names: dict[Any, str] = {}
        self.definitions: dict[str, Schema] = {}
        self.repeated: set[str] = set()
        self.fields_of: dict[type, Fields] = {}

    def write(self, info: Any) -> Schema:
        """Write the whole schema; its root is no reference."""
        root = self.write_type(info)
        if "$ref" in root:
            name = root.pop("$ref").removeprefix(REFS)
            root = {**self.definitions[name], **root}
            if name not in self.repeated:
                del self.definitions[name]
        return {**root, "$defs": self.definitions} if self.definitions else root

    def write_type(self, info: Any) -> Schema:
        extra: Schema = {}
        while (kind := type(info).__name__) == "Metadata":
            extra |= info.extra_json_schema or {}
            info = info.type
        if kind in _SCALARS:
            node, words = _SCALARS[kind]
            return {**extra, **node, **_bounds(info, words)}
        if kind in _CLASSES:
            return extra | {"$ref": self.reference(info)}
        if kind in _WRITERS:
            return extra | _WRITERS[kind](self, info)
        if not extra:  # which may tell what a type of nobody's is in JSON
            raise TypeError("custom type" if kind == "CustomType" else f"{kind} is not JSON")
        return extra

    def reference(self, info: Any) -> str:
        """Refer to a class, whose definition is written at its first use."""
        cls = info.cls
        if cls in self.names:
            self.repeated.add(self.names[cls])
        else:
            name = self.names[cls] = free_name(_name(cls), self.definitions)
            node = self.definitions[name] = {}
            node |= _CLASSES[type(info).__name__](self, info)
            if text := class_summary(get_origin(cls) or cls):
                node["description"] = text
        return REFS + self.names[cls]

    def object(self, info: Any) -> Schema:
        properties = self.fields(info)
        required = [field.encode_name for field in info.fields if field.required]
        if (tag := getattr(info, "tag_field", None)) is not None:
            required.insert(0, tag)
        node: Schema = {"type": "object", "properties": properties}
        if required:
            node["required"] = required
        forbids = getattr(info, "forbid_unknown_fields", False)
        if forbids:
            node["additionalProperties"] = False
        keys = self.mark_keys(node, info)
        other_names = {
            field.attribute: field.key for field in keys if field.attribute not in ("", *properties)
        }
        mark(node, extra="forbid" if forbids else "ignore")
        if other_names:
            mark(node, other_names=other_names)
        return node

    def mark_keys(self, node: Schema, info: Any, *, is_array: bool = False) -> list[FieldKey]:
        """Mark a schema with the fields of its class, the tag first."""
        keys = [
            FieldKey(field.encode_name, field.name, **_filled_by(field)) for field in info.fields
        ]
        if (tag := getattr(info, "tag_field", None)) is not None:
            keys.insert(0, FieldKey(tag, "", constant=info.tag))
        cls = get_origin(info.cls) or info.cls
        is_dict = type(info).__name__ == "TypedDictType"
        self.fields_of[cls] = Fields(
            keys, cls=None if is_dict else cls, is_array=is_array, scalar=write_scalar
        )
        mark_fields(node, self.fields_of[cls])
        return keys

    def struct(self, info: Any) -> Schema:
        return self.array(info) if info.array_like else self.object(info)

    def array(self, info: Any) -> Schema:
        """Write a class whose fields are items; those with a default may be left out at the end.

        There are no others: msgspec would drop an item that somebody was shown.
        """
        items = list(self.fields(info).values())
        needed = [place for place, field in enumerate(info.fields, 1) if field.required]
        least = max(needed, default=0) + len(items) - len(info.fields)
        node: Schema = {**_items(items), "minItems": least, "maxItems": len(items)}
        self.mark_keys(node, info, is_array=True)
        return node

    def fields(self, info: Any) -> dict[str, Schema]:
        """Write the fields of a class by their encoded names, the tag first."""
        nodes: dict[str, Schema] = {}
        if (tag := getattr(info, "tag_field", None)) is not None:
            nodes[tag] = _enumerate([info.tag])
        texts = field_descriptions(get_origin(info.cls) or info.cls)
        factories = _EMPTY if type(info).__name__ == "StructType" else ()
        for field in info.fields:
            node = self.write_type(field.type)
            node |= {} if field.required else _default(field, factories=factories)
            if (text := texts.get(field.name)) is not None:
                node.setdefault("description", text)
            nodes[field.encode_name] = with_type(node) if is_untyped(node) else node
        return nodes

    def collection(self, info: Any) -> Schema:
        unique = {"uniqueItems": True} if type(info).__name__ in _SETS else {}
        items = self.write_type(info.item_type)
        return {"type": "array", "items": items, **_bounds(info, _ITEMS), **unique}

    def tuple(self, info: Any) -> Schema:
        items = [self.write_type(item) for item in info.item_types]
        return {"type": "array", "minItems": len(items), "maxItems": len(items)} | _items(items)

    def mapping(self, info: Any) -> Schema:
        open_ = type(info.value_type).__name__ == "AnyType"
        values = True if open_ else self.write_type(info.value_type)
        keys = self.keys(info.key_type)
        names = {"propertyNames": keys} if keys else {}
        node = {"type": "object", "additionalProperties": values, **names, **_bounds(info, _SIZE)}
        if type(_unwrap(info.key_type)).__name__ != "StrType":
            mark(node, typed_keys=True)
        return node

    def keys(self, info: Any) -> Schema:
        """Write the schema of keys, also where they are read as another type than text."""
        extra: Schema = {}
        while (kind := type(info).__name__) == "Metadata":
            extra |= info.extra_json_schema or {}
            info = info.type
        if kind == "StrType":
            return extra | _bounds(info, _TEXT)
        if kind == "AnyType":
            return {}
        if kind in ("EnumType", "LiteralType"):
            return _enumerate([*map(str, self.members(info))])
        if kind == "UnionType":
            forms = [self.keys(form) for form in info.types if type(form).__name__ != "NoneType"]
            if len(forms) == 1:
                return extra | forms[0]
            return extra | ({"anyOf": forms} if all(forms) else {})
        return {"pattern": _NUMBERS[kind]} if kind in _NUMBERS else self.write_type(info)

    def union(self, info: Any) -> Schema:
        """Write a union: tagged structs together, null last."""
        structs = [member for member in info.types if _is_tagged(_unwrap(member))]
        nulls = [member for member in info.types if type(_unwrap(member)).__name__ == "NoneType"]
        other_types = [
            member for member in info.types if member not in structs and member not in nulls
        ]
        forms = [self.write_type(member) for member in structs]
        if len(forms) > 1:
            by_tag = {"anyOf": forms, "discriminator": self.discriminator(structs)}
            if len(forms) == len(info.types):
                return by_tag
            forms = [by_tag]
        return {"anyOf": [*map(self.write_type, other_types), *forms, *map(self.write_type, nulls)]}

    def discriminator(self, structs: Iterable[Any]) -> Schema:
        bare = [_unwrap(struct) for struct in structs]
        mapping = {
            str(struct.tag): REFS + self.names[struct.cls] for struct in bare
        }  # OpenAPI wants text
        return {"propertyName": bare[0].tag_field, "mapping": mapping}

    def choice(self, info: Any) -> Schema:
        return _enumerate(self.members(info))

    def members(self, info: Any) -> Sequence[Any]:
        """List the values of an enum or a literal in the order written: msgspec sorts them."""
        if type(info).__name__ == "EnumType":
            members = dict.fromkeys(info.cls.__members__.values())  # aliases are members again
            return [member.value for member in members]
        listed: Sequence[Any] = info.values
        return self.orders.get(_unordered(listed), listed)

    @cached_property
    def orders(self) -> dict[frozenset[str], Sequence[Any]]:
        """The members of all literals in the order written."""
        classes = [cls for cls in self.classes if isinstance(cls, type)]
        classes.sort(key=lambda cls: (cls.__module__, cls.__qualname__))
        hints = [self.tp, *(hint for cls in classes for hint in hints_of(cls).values())]
        literals = [
            literal
            for hint in hints
            for literal in types_in(hint)
            if get_origin(literal) is Literal
        ]
        return {_unordered(get_args(literal)): get_args(literal) for literal in literals}


def _items(items: list[Schema]) -> Schema:
    return {"type": "array", "prefixItems": items} if items else {"type": "array", "items": {}}


def _binary(_: Emission, info: Any) -> Schema:
    """Write the length of base64, which is four characters for three bytes."""
    bounds = _bounds(info, _LENGTH)
    text = {"type": "string", "contentEncoding": "base64"}
    return text | {word: 4 * ((most + 2) // 3) for word, most in bounds.items()}


def _moment(_: Emission, info: Any) -> Schema:
    return {"type": "string", **_MOMENTS[type(info).__name__, info.tz]}


def _name(cls: Any) -> str:
    """Name a class without its module; equal names are numbered later."""
    arguments = ",".join(getattr(argument, "__name__", str(argument)) for argument in get_args(cls))
    return short_name((get_origin(cls) or cls).__name__ + (f"[{arguments}]" if arguments else ""))


def _unwrap(info: Any) -> Any:
    while type(info).__name__ == "Metadata":
        info = info.type
    return info


def _is_tagged(info: Any) -> bool:
    return type(info).__name__ == "StructType" and not info.array_like


def _bounds(info: Any, words: Words) -> Schema:
    limits = [(word, getattr(info, name)) for name, word in words]
    return {word: bound for word, bound in limits if bound is not None}


def _default(field: Any, *, factories: Collection[Any]) -> Schema:
    """Write the default of a field; `makes` are the factories whose result is known."""
    from msgspec import NODEFAULT, json, to_builtins

    if field.default is NODEFAULT and field.default_factory not in factories:
        return {}
    value = field.default_factory() if field.default is NODEFAULT else field.default
    data = to_builtins(value, str_keys=True)
    if isinstance(data, tuple | frozenset):
        data = json.decode(json.encode(data, order="deterministic"))
    try:
        return {"default": snapshot(data)}
    except NotPlain:
        return {}


def write_scalar(value: Any) -> Any:
    """Write a value as msgspec reads it from JSON: bytes as base64, and a Decimal as text.

    Raises:
        NotJson: It has no JSON form.
    """
    from msgspec import UNSET

    if value is UNSET:
        return UNKNOWN
    if isinstance(value, bytes | bytearray | memoryview):
        return b64encode(value).decode()
    return to_json_data(value, foreign=Adapter.foreign)


def _filled_by(field: Any) -> dict[str, Any]:
    """Return how a field that is not given is filled."""
    from msgspec import NODEFAULT

    if field.default_factory is not NODEFAULT:
        return factory_default(field.default_factory)
    return {} if field.required else {"default": "static", "declared": field.default}


def _unordered(members: Iterable[Any]) -> frozenset[str]:
    return frozenset(map(repr, members))


def _enumerate(values: Sequence[Any]) -> Schema:
    """Write an enumeration of values, with their type where they share one."""
    kinds = {_KINDS.get(type(value)) for value in values}
    kind = kinds.pop() if len(kinds) == 1 else None
    type_keyword = {} if kind is None else {"type": kind}
    return (
        {**type_keyword, "const": values[0]}
        if len(values) == 1
        else {"enum": [*values], **type_keyword}
    )


_KINDS: Final = {str: "string", int: "integer", bool: "boolean", float: "number"}
_EMPTY: Final = (list, dict, set, bytearray)
_SETS: Final = {"SetType", "FrozenSetType"}
_NUMBERS: Final = {"IntType": INTEGER_KEY, "FloatType": NUMBER_KEY}

_RANGE: Final[Words] = (
    ("ge", "minimum"),
    ("gt", "exclusiveMinimum"),
    ("le", "maximum"),
    ("lt", "exclusiveMaximum"),
    ("multiple_of", "multipleOf"),
)
_LENGTH: Final[Words] = (("max_length", "maxLength"), ("min_length", "minLength"))
_TEXT: Final[Words] = (*_LENGTH, ("pattern", "pattern"))
_ITEMS: Final[Words] = (("max_length", "maxItems"), ("min_length", "minItems"))
_SIZE: Final[Words] = (("max_length", "maxProperties"), ("min_length", "minProperties"))

_SCALARS: Final[Mapping[str, tuple[Schema, Words]]] = {
    "AnyType": ({}, ()),
    "NoneType": ({"type": "null"}, ()),
    "BoolType": ({"type": "boolean"}, ()),
    "IntType": ({"type": "integer"}, _RANGE),
    "FloatType": ({"type": "number"}, _RANGE),
    "StrType": ({"type": "string"}, _TEXT),
    "DateType": ({"type": "string", "format": "date"}, ()),
    "UUIDType": ({"type": "string", "format": "uuid"}, ()),
    "DecimalType": ({"type": "string", "pattern": DECIMAL}, ()),
    "TimeDeltaType": ({"type": "string", "format": "duration", "pattern": SPAN}, ()),
}
# By the type's rule for zones.
_MOMENTS: Final[Mapping[tuple[str, bool | None], Schema]] = {
    ("DateTimeType", None): {"format": "date-time"},
    ("DateTimeType", True): {"format": "date-time"},
    ("DateTimeType", False): {"pattern": LOCAL},
    ("TimeType", None): {"pattern": CLOCK},
    ("TimeType", True): {"pattern": ZONED_CLOCK},
    ("TimeType", False): {"pattern": LOCAL_CLOCK},
}
Writer: TypeAlias = Callable[[Emission, Any], Schema]
_WRITERS: Final[Mapping[str, Writer]] = {
    **dict.fromkeys(("BytesType", "ByteArrayType", "MemoryViewType"), _binary),
    **dict.fromkeys(("DateTimeType", "TimeType"), _moment),
    **dict.fromkeys(("ListType", "SetType", "FrozenSetType", "VarTupleType"), Emission.collection),
    **dict.fromkeys(("DictType", "FrozenDictType"), Emission.mapping),
    "TupleType": Emission.tuple,
    "UnionType": Emission.union,
    "LiteralType": Emission.choice,
}
_CLASSES: Final[Mapping[str, Writer]] = {
    "StructType": Emission.struct,
    "DataclassType": Emission.object,
    "TypedDictType": Emission.object,
    "NamedTupleType": Emission.array,
    "EnumType": Emission.choice,
}
