"""Pydantic types from JSON Schemas, as far as pydantic can say them, for those who take types."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from operator import or_
from typing import Annotated, Any, Final, Literal, NoReturn

from pydantic import ConfigDict, Field, PydanticUserError, TypeAdapter, create_model
from pydantic_core import SchemaError

__all__ = ["Unsayable", "adapter_of", "model_of"]

MAX_DEPTH: Final = 8
SILENT: Final = frozenset({"$comment", "$defs", "$schema", "default", "description", "title"})
SILENT_OF: Final[Mapping[str, frozenset[str]]] = {
    "object": frozenset({"additionalProperties", "properties", "required"}),
    "array": frozenset({"items", "maxItems", "minItems"}),
    "string": frozenset({"format", "maxLength", "minLength", "pattern"}),
    "integer": frozenset(
        {"exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum", "multipleOf"}
    ),
}
BOUNDS: Final = {
    "minimum": "ge", "maximum": "le", "exclusiveMinimum": "gt", "exclusiveMaximum": "lt",
    "multipleOf": "multiple_of", "minLength": "min_length", "maxLength": "max_length",
    "minItems": "min_length", "maxItems": "max_length", "pattern": "pattern",
}  # fmt: skip
PLAIN: Final[Mapping[str, Any]] = {
    "string": str, "integer": int, "number": float, "boolean": bool, "null": None,
}  # fmt: skip


class Unsayable(Exception):
    """No type of pydantic's means what the schema says."""


def adapter_of(schema: Any) -> TypeAdapter[Any]:
    """Return the validator of arguments.

    Raises:
        Unsayable: The schema has conditions, patterns of keys, recursion or the like.
    """
    return TypeAdapter(model_of(schema))


def model_of(schema: Any) -> Any:
    """Return the model of an object's schema."""
    try:
        return _Types(schema).of(schema, MAX_DEPTH)
    except (PydanticUserError, SchemaError, NameError, TypeError) as error:
        raise Unsayable from error


class _Types:
    def __init__(self, root: Any) -> None:
        self.root = root

    def of(self, schema: Any, depth: int) -> Any:
        """Return the type of a node."""
        if schema is True or schema == {}:
            return Any
        if not isinstance(schema, dict) or depth == 0:
            _refuse()
        if "$ref" in schema:
            name = schema["$ref"].removeprefix("#/$defs/")
            return self.of(self.root.get("$defs", {}).get(name, False), depth - 1)
        said = schema.keys() - SILENT
        if said & {"const", "enum"}:
            return _literal(schema)
        if said in ({"anyOf"}, {"oneOf"}):
            forms = schema.get("anyOf") or schema["oneOf"]
            return reduce(or_, [self.of(form, depth - 1) or type(None) for form in forms])
        names = schema.get("type")
        if isinstance(names, list):
            return reduce(
                or_, [self.of({**schema, "type": name}, depth) or type(None) for name in names]
            )
        return self.typed(schema, names, said - {"type"}, depth)

    def typed(self, schema: Any, name: Any, said: set[str], depth: int) -> Any:
        """Return the type of a node that names one."""
        if name not in (*PLAIN, "array", "object"):
            _refuse()
        known = SILENT_OF.get("integer" if name == "number" else name, frozenset())
        if not said <= known:
            _refuse()
        if name == "object":
            return self.object(schema, depth)
        bounds = {BOUNDS[word]: schema[word] for word in said if word in BOUNDS}
        base = PLAIN.get(name)
        if name == "array":
            base = list[self.of(schema.get("items", True), depth - 1)]  # type: ignore[misc]  # made at run time
        return Annotated[base, Field(**bounds)] if bounds else base

    def object(self, schema: Any, depth: int) -> Any:
        """Return a model, or a dict if no key is declared."""
        rest = schema.get("additionalProperties", True)
        properties = schema.get("properties", {})
        if not properties:
            return dict[str, self.of(rest, depth - 1)]  # type: ignore[misc]  # as above
        if rest not in (True, False):
            _refuse()
        required = schema.get("required", ())
        fields: dict[str, Any] = {}
        for number, (name, sub) in enumerate(properties.items()):
            default = ... if name in required else None
            fields[f"field_{number}"] = self.of(sub, depth - 1), Field(default, alias=name)
        config = ConfigDict(extra="allow" if rest else "forbid")
        return create_model("Arguments", __config__=config, __base__=None, **fields)


def _literal(schema: Any) -> Any:
    members = [schema["const"]] if "const" in schema else schema["enum"]
    if any(type(member) not in (str, int, bool, type(None)) for member in members):
        _refuse()
    return Literal[tuple(members)]


def _refuse() -> NoReturn:
    raise Unsayable
