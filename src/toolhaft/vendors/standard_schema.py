"""`standard_schema`: a StandardSchema of whatever an adapter owns."""

from __future__ import annotations

from typing import Any, TypeVar, overload

from toolhaft import vendors
from toolhaft.errors import DefinitionError, Fault
from toolhaft.spec import HasStandardSchema, StandardSchema
from toolhaft.vendors.adapter import NoVendor
from toolhaft.vendors.annotations import describe_type

__all__ = ["standard_schema"]

T = TypeVar("T")


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
    return adapter
