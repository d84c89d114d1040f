"""Validator libraries behind one shape; which one owns a type is seen without importing any.

Each module names its library (`NAME`), says what it owns (`owns`) and makes an `Adapter`
(`adapter`). No library is imported that the program has not imported itself.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

from toolhaft.vendors import pydantic
from toolhaft.vendors.adapter import Adapter, NoVendor, Rejected
from toolhaft.vendors.annotations import readable

__all__ = ["Adapter", "NoVendor", "Rejected", "adapt", "owner"]

_VENDORS: tuple[ModuleType, ...] = (pydantic,)


def owner(tp: object) -> ModuleType | None:
    """Give the module of the vendor that a type belongs to."""
    return next((vendor for vendor in _VENDORS if vendor.owns(tp)), None)


def adapt(tp: object) -> Adapter[Any]:
    """Give the adapter of a type, an annotation, a JSON Schema or a schema object.

    Raises:
        NoVendor: Nobody owns the type, or its vendor cannot carry it.
    """
    vendor = owner(tp)
    if vendor is None:
        raise NoVendor(f"no validator owns {readable(tp)}", "give its JSON Schema as parameters=")
    made: Adapter[Any] = vendor.adapter(tp)
    return made
