"""msgspec's JSON Schema: short names, no made-up titles, and the spelling of the other vendors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal, get_args, get_origin

from toolhaft.vendors.annotations import hints_of, types_in
from toolhaft.vendors.emitted import (
    REFS,
    descriptions,
    is_untyped,
    objects,
    short_name,
    summary,
    typed,
    unused,
    whole,
)
from toolhaft.vendors.patterns import (
    CLOCK,
    DECIMAL,
    INTEGER_KEY,
    LOCAL,
    LOCAL_CLOCK,
    NUMBER_KEY,
    SPAN,
    ZONED_CLOCK,
)

__all__ = ["Emission", "components_of"]


def components_of(tp: Any) -> tuple[dict[str, Any], dict[str, tuple[type, dict[str, Any]]]]:
    """Give msgspec's schema of a type, and by their names the classes in it with theirs.

    msgspec says nothing of the form of times that may lack a zone, and names a format for
    decimals that nobody knows; only its generator still has the types when it writes them.

    Raises:
        TypeError: msgspec has no JSON Schema for some type.
    """
    from msgspec import _json_schema as own
    from msgspec import inspect

    # No public generator says which type a schema is of.
    class Generator(own._SchemaGenerator):  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
        def to_schema(self, t: Any, check_ref: bool = True) -> dict[str, Any]:
            made = super().to_schema(t, check_ref)
            while isinstance(t, inspect.Metadata):
                t = t.type
            if isinstance(t, inspect.DictType):
                made |= self.keys(t.key_type)
            form = _FORMS.get((type(t).__name__, getattr(t, "tz", None)))
            return made if form is None else {**_without_format(made), **form}

        def keys(self, t: Any) -> dict[str, Any]:
            """Say what keys must be that are read as something else than text."""
            while isinstance(t, inspect.Metadata):
                t = t.type
            kind = type(t).__name__
            if kind in ("StrType", "AnyType"):
                return {}
            members = getattr(t, "values", None) or getattr(t, "cls", None)
            if members is not None:
                values = [getattr(one, "value", one) for one in members]
                return {"propertyNames": {"enum": [str(one) for one in values]}}
            pattern = _KEYS.get(kind)
            return {"propertyNames": {"pattern": pattern} if pattern else self.to_schema(t)}

    infos = inspect.multi_type_info([tp])
    parts = own._collect_component_types(infos)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]
    names = _named(parts)
    write = Generator(names, None, REFS + "{name}").to_schema
    components = {
        names[cls]: (get_origin(cls) or cls, write(info, False)) for cls, info in parts.items()
    }
    return write(infos[0]), components


def _named(classes: Iterable[Any]) -> dict[Any, str]:
    """Name each class shortly, and none like another: msgspec mixes up those of one full name."""
    names: dict[Any, str] = {}
    for cls in classes:
        arguments = ",".join(getattr(one, "__name__", str(one)) for one in get_args(cls))
        name = (get_origin(cls) or cls).__name__ + (f"[{arguments}]" if arguments else "")
        names[cls] = unused(short_name(name), names.values())
    return names


def _without_format(schema: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key != "format"}


# By the kind of a type and what it says of zones.
_FORMS: Final[dict[tuple[str, bool | None], dict[str, str]]] = {
    ("DateTimeType", None): {"format": "date-time"},
    ("DateTimeType", False): {"pattern": LOCAL},
    ("TimeType", None): {"pattern": CLOCK},
    ("TimeType", False): {"pattern": LOCAL_CLOCK},
    ("TimeType", True): {"pattern": ZONED_CLOCK},
    ("DecimalType", None): {"pattern": DECIMAL},
    ("TimeDeltaType", None): {"format": "duration", "pattern": SPAN},
}


_KEYS: Final = {"IntType": INTEGER_KEY, "FloatType": NUMBER_KEY}


class Emission:
    """msgspec's components, made one schema with the help of the classes that they stand for."""

    def __init__(self, tp: Any, classes: set[Any]) -> None:
        origins = [cls for cls in classes if isinstance(cls, type)]
        named = sorted(origins, key=lambda cls: (cls.__module__, cls.__qualname__))
        hints = [tp, *(hint for cls in named for hint in hints_of(cls).values())]
        literals = [one for hint in hints for one in types_in(hint) if get_origin(one) is Literal]
        self.orders = {_members(get_args(one)): list(get_args(one)) for one in literals}

    def made(
        self, root: dict[str, Any], components: Mapping[str, tuple[type, dict[str, Any]]]
    ) -> dict[str, Any]:
        for cls, component in components.values():
            self.finish(component, cls)
        definitions = {name: component for name, (_, component) in components.items()}
        for part in (root, *definitions.values()):
            for node in objects(part):
                self.reorder(node)
                _spell(node)
        return whole(root, definitions)

    def finish(self, component: dict[str, Any], cls: type) -> None:
        """Put what the class's author wrote in the place of what msgspec made of it."""
        component.pop("title", None)
        component.pop("description", None)
        if text := summary(cls):
            component["description"] = text
        if "enum" in component and hasattr(cls, "__members__"):
            component["enum"] = [member.value for member in cls.__members__.values()]
        properties = component.get("properties", {})
        for name, text in descriptions(cls).items():
            if (node := properties.get(_encoded(cls, name))) is not None:
                node.setdefault("description", text)

    def reorder(self, node: dict[str, Any]) -> None:
        """Put a literal's members in the order written: msgspec sorts them."""
        if "enum" in node:
            node["enum"] = self.orders.get(_members(node["enum"]), node["enum"])


def _members(values: Iterable[Any]) -> frozenset[str]:
    return frozenset(map(repr, values))


def _encoded(cls: Any, name: str) -> str:
    fields = getattr(cls, "__struct_fields__", ())
    return str(cls.__struct_encode_fields__[fields.index(name)]) if name in fields else name


def _spell(node: dict[str, Any]) -> None:
    """Spell a node as the other vendors do; the meaning stays."""
    if isinstance(node.get("default"), tuple | frozenset):
        from msgspec import json

        node["default"] = json.decode(json.encode(node["default"], order="deterministic"))
    if node.get("required") == []:
        del node["required"]
    _spell_members(node)
    if node.get("type") == "array" and not node.keys() & {"items", "prefixItems"}:
        node["items"] = {}
    if node.get("type") == "object" and not node.keys() & {"properties", "additionalProperties"}:
        node["additionalProperties"] = True
    if node.get("items") is False and node.get("maxItems") == len(node.get("prefixItems", ())):
        del node["items"]
    for name, property_ in node.get("properties", {}).items():
        if is_untyped(property_):
            node["properties"][name] = typed(property_)


def _spell_members(node: dict[str, Any]) -> None:
    members = node.get("enum", ())
    kinds = {type(member) for member in members}
    if len(kinds) == 1 and (kind := kinds.pop()) in _KINDS:
        node.setdefault("type", _KINDS[kind])
    if len(members) == 1:
        node["const"] = node.pop("enum")[0]


_KINDS: Final = {str: "string", int: "integer", bool: "boolean", float: "number"}
