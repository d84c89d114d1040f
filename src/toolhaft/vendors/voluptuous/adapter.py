"""voluptuous: Schema objects, and dicts whose keys are its markers.

The schema that we write decides: Python's `1 == True` and the types that `Coerce`
converts are checked before voluptuous sees the data. Its validator trees are only read: a
conversion must not change what they accept.
"""

from __future__ import annotations

import sys
from typing import Any, Final

from toolhaft.spec import Issue, Mode
from toolhaft.vendors.acting import ActingCheck
from toolhaft.vendors.adapter import NoVendor, Rejected
from toolhaft.vendors.annotations import is_async
from toolhaft.vendors.schema_writer import AuditedAdapter, WrittenSchema
from toolhaft.vendors.voluptuous.emit import Emission, functions_in
from toolhaft.vendors.voluptuous.explain import issue_of

__all__ = ["NAME", "VoluptuousAdapter", "adapter", "owns"]

NAME = "voluptuous"
LOOKING: Final = ("IsFile", "IsDir", "PathExists")


def owns(tp: object) -> bool:
    """Return whether an object is a validator of voluptuous, without importing it."""
    library: Any = sys.modules.get(NAME)
    if not hasattr(library, "Schema"):  # it may be half imported
        return False
    if isinstance(tp, dict):
        return any(isinstance(key, library.Marker) for key in tp)
    return isinstance(tp, library.Schema)


def adapter(tp: Any) -> VoluptuousAdapter:
    """Read a validator once.

    Raises:
            NoVendor: A function in it is async: voluptuous would return its coroutine as the value.
    """
    import voluptuous

    schema = voluptuous.Schema(tp) if isinstance(tp, dict) else tp
    for function in functions_in(schema):
        if is_async(function):
            name = getattr(function, "__name__", type(function).__name__)
            raise NoVendor(f"voluptuous: the function {name} is async", "use def")
    return VoluptuousAdapter(schema)


class VoluptuousAdapter(AuditedAdapter):
    """One voluptuous Schema."""

    vendor = NAME

    def __init__(self, schema: Any) -> None:
        from voluptuous import Invalid

        super().__init__()
        self._schema = schema
        self.rejects = (Invalid, Rejected)

    def audit(self, mode: Mode) -> WrittenSchema:
        del mode  # values pass through: the output equals the input
        return Emission().write(self._schema)

    def construct(self, data: Any) -> Any:
        """Let voluptuous read the data; to it 5 is no float, as `int` is another class."""
        return self._schema(self.input_or_none().numbers.as_floats(data))

    def acting_checks(self) -> list[ActingCheck]:
        names = (
            getattr(function, "__name__", "")
            for function in functions_in(self._schema)
            if getattr(function, "__module__", None) == "voluptuous.validators"
        )
        return [ActingCheck((), name) for name in dict.fromkeys(names) if name in LOOKING]

    def explain_rejection(self, error: Any, data: Any) -> list[Issue]:
        root = self.input_or_none().gate.normalised
        return [issue_of(invalid, data, root) for invalid in getattr(error, "errors", [error])]
