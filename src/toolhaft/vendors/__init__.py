"""Validator libraries behind one interface; the owner of a type is found without importing any.

Each module names its library (`NAME`), recognises its types (`owns`) and makes an `Adapter`
(`adapter`). No library is imported that the program has not imported itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import ModuleType
from typing import Any, Final, TypeAlias, get_origin

from toolhaft.jsonio.jsondata import UNKNOWN, NotJson
from toolhaft.vendors import json_schema, native, plugins
from toolhaft.vendors.adapter import Adapter, NoVendor, Rejected
from toolhaft.vendors.annotations import UNRESOLVED, describe_type, is_resolved, types_in
from toolhaft.vendors.attrs import adapter as attrs
from toolhaft.vendors.dumps import too_large
from toolhaft.vendors.fields import Fields
from toolhaft.vendors.marshmallow import adapter as marshmallow
from toolhaft.vendors.msgspec import adapter as msgspec
from toolhaft.vendors.pydantic import adapter as pydantic
from toolhaft.vendors.versions import require_library
from toolhaft.vendors.voluptuous import adapter as voluptuous

__all__ = [
    "adapt",
    "dump_foreign",
    "fields_of",
    "find_owner",
    "find_owner_uncached",
    "is_vendor_object",
    "register",
    "shared_adapter",
]

# In this order: an object with its own schema decides for itself, and pydantic reads the builtins.
_VENDORS: Final[tuple[ModuleType, ...]] = (
    native, marshmallow, voluptuous, json_schema, attrs, msgspec, pydantic,
)  # fmt: skip
register = plugins.register
# A module of ours, or an installed adapter of the same few names.
Owner: TypeAlias = ModuleType | plugins.Plugin
_MARKS: Final = ("__attrs_attrs__", "__pydantic_validator__", "__struct_fields__")


def find_owner(tp: Any) -> Owner | None:
    """Return the module of the vendor that owns a type; a final answer is cached."""
    if isinstance(tp, Adapter):  # of one tool, which the cache would keep
        return native
    try:
        return _cached_owner(tp)
    except TypeError:  # not hashable
        return find_owner_uncached(tp)
    except _UncachedOwner as answer:
        return answer.owner


class _UncachedOwner(Exception):
    """An owner that may be another one later, when more names are defined."""

    def __init__(self, owner: Owner | None) -> None:
        super().__init__()
        self.owner = owner


@lru_cache(maxsize=1024)
def _cached_owner(tp: Any) -> Owner:
    vendor = find_owner_uncached(tp)
    if vendor is None or not is_resolved(tp):
        raise _UncachedOwner(vendor)
    return vendor


def find_owner_uncached(tp: object) -> Owner | None:
    """Ask each vendor in turn, the installed adapters last.

    Raises:
        NoVendor: An installed adapter is broken, and no other owns the type.
    """
    own_vendor = next((vendor for vendor in _VENDORS if vendor.owns(tp)), None)
    return plugins.find_owner(tp) if own_vendor is None else own_vendor


def adapt(tp: object) -> Adapter[Any]:
    """Return the adapter of a type, an annotation, a JSON Schema or a schema object.

    Raises:
            NoVendor: No vendor owns the type, its vendor does not support it, or is too old.

    >>> adapt(list[int]).validate([1, 2]).value
    [1, 2]
    """
    vendor = find_owner(tp)
    if vendor is None:
        fix = "give its JSON Schema as parameters=, or a schema_of(...) for it"
        if any(hasattr(type(tp), mark) for mark in _MARKS):
            fix = "pass its class"
        raise NoVendor(f"no validator owns {describe_type(tp)}", fix)
    require_library(vendor.NAME)
    vendor_adapter: Adapter[Any] = vendor.adapter(tp)
    if isinstance(tp, type):
        vendor_adapter.class_name = tp.__name__
    return vendor_adapter


def shared_adapter(tp: object) -> Adapter[Any]:
    """Return the adapter of a type, shared by all tools that use the type.

    Raises:
        NoVendor: as `adapt`.
    """
    try:
        if isinstance(tp, type):
            return _adapter_of(tp)
        if get_origin(tp) is None or any(isinstance(part, UNRESOLVED) for part in types_in(tp)):
            return adapt(tp)
        # Annotations are equal also where their parts are in another order, or 1 is written 1.0,
        # which the schema shows.
        return _adapter_of(tp, repr(tp))
    except TypeError:  # not hashable
        return adapt(tp)


def is_vendor_object(value: object) -> bool:
    """Return whether a value is an object of a vendor's class."""
    return not isinstance(value, type) and any(hasattr(value, mark) for mark in _MARKS)


def dump_foreign(value: object) -> Any:
    """Dump a vendor's object by its own class, or give `UNKNOWN`: for `jsondata.to_json_data`.

    Raises:
        NotJson: Some part of the object has no JSON form.
    """
    if not is_vendor_object(value):
        return UNKNOWN
    kind: Any = type(value)
    if issues := too_large(value):
        raise NotJson(issues)
    try:
        return _adapter_of(kind).dump(value)
    except NoVendor:  # a class that no schema can be written of
        return UNKNOWN
    except Rejected as error:
        rejected = error.issues
    raise NotJson(rejected)


def fields_of(value: object) -> Mapping[type, Fields]:
    """Return the fields of a vendor's object by class: its own, and the classes inside it."""
    if not is_vendor_object(value):
        return {}
    kind: Any = type(value)
    try:
        adapter = _adapter_of(kind)
    except NoVendor:
        return {}
    return {} if adapter.input_or_none() is None else adapter.fields


@lru_cache(maxsize=256)
def _adapter_of(tp: Any, spelling: str = "") -> Adapter[Any]:
    del spelling
    return adapt(tp)


Adapter.foreign = staticmethod(dump_foreign)
