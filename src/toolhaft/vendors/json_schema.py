"""A raw JSON Schema: it is the validator, and it goes out exactly as it was given.

Values are the data themselves: nothing is converted, and `default` fills nothing in.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from toolhaft.jsonio.jsondata import NotPlain, read_plain
from toolhaft.jsonio.primitives import copy_data
from toolhaft.schema.checker import Checker
from toolhaft.schema.components import Components, View, view_of
from toolhaft.spec import Mode
from toolhaft.vendors.adapter import Adapter, NoVendor
from toolhaft.vendors.input_schema import InputSchema

__all__ = ["NAME", "JsonSchemaAdapter", "adapter", "owns"]

NAME = "json-schema"


def owns(tp: object) -> bool:
    """Return whether a value is a JSON Schema, not the mapping of some other library."""
    return (
        not isinstance(tp, type) and isinstance(tp, Mapping) and all(type(key) is str for key in tp)
    )


def adapter(tp: Any, components: Components | None = None) -> JsonSchemaAdapter:
    """Take a schema as it is; definitions that are equal to one of the `components` are shared.

    Raises:
            NoVendor: It is not a schema that can be checked, or it asserts nothing at all.
    """
    try:
        schema = read_plain(tp) if components is None else components.read(tp)
    except NotPlain as fault:
        reason = f"JSON Schema: not plain JSON ({fault.issues[0]})"
        raise NoVendor(reason, "use JSON data only") from None
    if _says_nothing(schema):
        fix = "describe the values; parameters stand under properties"
        raise NoVendor("the JSON Schema is empty", fix)
    view = view_of(schema) if components is None else components.view(schema)
    if view.faults:
        raise NoVendor(f"JSON Schema: {view.faults[0]}", "correct the schema")
    return JsonSchemaAdapter(schema, view)


def _says_nothing(schema: Mapping[str, Any]) -> bool:
    """Return whether no keyword rejects anything, as if parameters are written at the top."""
    if "type" in schema:
        return False
    from toolhaft.schema.explain.keywords import SAYING  # few schemas need the whole table

    return schema.keys().isdisjoint(SAYING)


class JsonSchemaAdapter(Adapter[Any]):
    """One JSON Schema without faults; `view` is what is known of it."""

    vendor = NAME
    authored = True
    is_json = True
    layout = True

    def __init__(self, schema: dict[str, Any], view: View) -> None:
        super().__init__()
        self._schema = schema
        self._view = view
        self._views = dict.fromkeys(("input", "output"), view)

    @property
    def _is_plain(self) -> bool:
        """Return whether the schema is known to be its own gate, for any policy."""
        return self.extra is None and self._view.is_plain

    @cached_property
    def input(self) -> InputSchema:
        if not self._is_plain:
            return super().input
        return InputSchema(self._schema, authored=True, checker=self.checker("input"))

    def checker(self, mode: Mode = "input") -> Checker:
        if not self._is_plain:
            return super().checker(mode)
        if mode not in self._checkers:
            is_current, shared = self._view.is_current, self._view.accepts
            self._checkers[mode] = Checker(self._schema, is_current=is_current, shared=shared)
        return self._checkers[mode]

    def dump_gate(self) -> Checker:
        return self.checker("output") if self._is_plain else super().dump_gate()

    def emit(self, mode: Mode) -> dict[str, Any]:
        del mode
        return copy_data(self._schema)

    def marked_schema(self, mode: Mode) -> Any:
        return self._schema if self.extra is None else super().marked_schema(mode)

    def construct(self, data: Any) -> Any:
        """Return the data themselves."""
        return data

    def is_instance(self, value: object) -> bool:
        del value
        return True  # any value is data; whether it fits is checked once it is dumped
