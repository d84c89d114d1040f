"""A raw JSON Schema: it is the validator, and it goes out exactly as it was given.

Values are the data themselves: nothing is converted, and `default` fills nothing in.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from toolhaft.jsonio.jsondata import NotPlain, read_plain
from toolhaft.jsonio.primitives import plain_copy
from toolhaft.schema.bounds import DefinitionLimits
from toolhaft.schema.limits import faults_of
from toolhaft.spec import Mode
from toolhaft.vendors.adapter import Adapter, NoVendor

__all__ = ["NAME", "JsonSchemaAdapter", "adapter", "owns"]

NAME = "json-schema"


def owns(tp: object) -> bool:
    """Say whether a value is a JSON Schema, not the mapping of some other library."""
    return (
        not isinstance(tp, type) and isinstance(tp, Mapping) and all(type(key) is str for key in tp)
    )


def adapter(tp: Any) -> JsonSchemaAdapter:
    """Take a schema as it is.

    Raises:
        NoVendor: It is not a schema that can be checked, or it says nothing at all.
    """
    try:
        schema = read_plain(tp)
    except NotPlain as fault:
        reason = f"JSON Schema: not plain JSON ({fault.issues[0]})"
        raise NoVendor(reason, "use JSON data only") from None
    if _says_nothing(schema):
        fix = "describe the values; parameters stand under properties"
        raise NoVendor("the JSON Schema is empty", fix)
    faults = faults_of(schema)
    if faults:
        raise NoVendor(f"JSON Schema: {faults[0]}", "correct the schema")
    return JsonSchemaAdapter(schema)


def _says_nothing(schema: Mapping[str, Any]) -> bool:
    """Say whether no keyword refuses anything, as where parameters are written at the top."""
    if "type" in schema:
        return False
    from toolhaft.schema.explain.keywords import SAYING  # few schemas need the whole table

    return schema.keys().isdisjoint(SAYING)


class JsonSchemaAdapter(Adapter[Any]):
    """One JSON Schema without faults."""

    vendor = NAME
    authored = True
    is_json = True
    layout = True

    def __init__(self, schema: dict[str, Any]) -> None:
        super().__init__()
        self._schema = schema
        self._within = dict.fromkeys(("input", "output"), DefinitionLimits())

    def emit(self, mode: Mode) -> dict[str, Any]:
        del mode
        return plain_copy(self._schema) or deepcopy(self._schema)

    def marked_schema(self, mode: Mode) -> Any:
        return self._schema if self.extra is None else super().marked_schema(mode)

    def construct(self, data: Any) -> Any:
        """Give the data themselves."""
        return data

    def is_instance(self, value: object) -> bool:
        del value
        return True  # any value is data; whether it fits is checked once it is dumped
