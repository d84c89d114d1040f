"""`standard_schema`: a StandardSchema of whatever an adapter owns, in every dialect of schemas."""

from __future__ import annotations

from typing import Any, Literal, TypeVar, overload

from toolhaft import vendors
from toolhaft.definition.targets import Target
from toolhaft.errors import DefinitionError, Fault, ToolhaftError
from toolhaft.lowering import lower
from toolhaft.spec import HasStandardSchema, Mode, SchemaNotConvertible, StandardSchema
from toolhaft.vendors.adapter import Adapter, NoVendor
from toolhaft.vendors.annotations import describe_type

__all__ = ["standard_schema"]

T = TypeVar("T")
DIALECTS = ("draft-2020-12", "draft-07", "openapi-3.0", "openapi-3.1")


@overload
def standard_schema(tp: type[T], /) -> StandardSchema[T]: ...
@overload
def standard_schema(tp: StandardSchema[T] | HasStandardSchema[T], /) -> StandardSchema[T]: ...
@overload
def standard_schema(tp: Any, /) -> StandardSchema[Any]: ...
def standard_schema(tp: Any, /) -> StandardSchema[Any]:
    """Make a `StandardSchema` from a type of any supported validator, or from a JSON Schema.

    Args:
        tp: The type, a schema object of a validator, or a JSON Schema as a dict.

    Raises:
        DefinitionError: No supported validator owns the type.

    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Place:
    ...     town: str
    >>> places = standard_schema(Place)
    >>> places.validate({"town": "Oslo"}).value
    Place(town='Oslo')
    >>> [str(issue) for issue in places.validate({}).issues]
    ['town: required']
    >>> places.json_schema(target="openapi-3.0")["required"]
    ['town']
    """
    try:
        adapter = vendors.shared_adapter(tp)
        adapter.checker("input")
    except NoVendor as error:
        name = describe_type(tp)
        raise DefinitionError([Fault(name, "", error.reason, error.fix)]) from None
    return _InEveryDialect(adapter)


class _InEveryDialect:
    """An adapter whose schema is written in any dialect."""

    version: Literal[1] = 1

    def __init__(self, adapter: Adapter[Any]) -> None:
        self._adapter = adapter
        self.vendor: str = adapter.vendor

    def validate(self, value: object, /) -> Any:
        return self._adapter.validate(value)

    def dump(self, value: Any, /) -> Any:
        """Give the JSON data of a validated value."""
        return self._adapter.dump(value)

    def json_schema(
        self, *, target: Target = "draft-2020-12", mode: Mode = "input"
    ) -> dict[str, Any]:
        """Write the schema in a dialect.

        Raises:
            SchemaNotConvertible: There is no such dialect, or it cannot say what the schema says.
        """
        if target not in DIALECTS:
            fix = f"use one of {', '.join(DIALECTS)}, or toolhaft.lowering.lower for a provider"
            raise SchemaNotConvertible(f"{self.vendor}: {target} is no dialect of schemas; {fix}")
        schema = self._adapter.json_schema(mode=mode)
        if target == "draft-2020-12":
            return schema
        try:
            lowered = lower(schema, target)
        except ToolhaftError as error:
            raise SchemaNotConvertible(f"{self.vendor}: {error}") from None
        lost = [loss for loss in lowered.losses if loss.kind in ("narrowed", "unsupported")]
        if lost:
            raise SchemaNotConvertible(f"{self.vendor}: {target} cannot say it: {lost[0]}")
        return lowered.schema

    def __repr__(self) -> str:
        return f"standard_schema({self.vendor})"
