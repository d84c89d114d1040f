"""The booking tool once for each vendor: a module here is one, by its name in `NAMES`."""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

from toolhaft import tool
from toolhaft.tools.tool import AnyTool

__all__ = ["NAMES", "Booking", "booking"]

NAMES = (
    "pydantic_model",
    "pydantic_dataclass",
    "stdlib_dataclass",
    "typed_dict",
    "attrs_class",
    "signature",
    "mixed_signature",
    "msgspec_struct",
    "json_schema",
    "native",
    "marshmallow_schema",
    "voluptuous_schema",
)


class Booking(NamedTuple):
    """The tool of one vendor; `lacks` has the reason for each key, and `format`, that it lacks.

    `policy` is how the vendor treats undeclared keys: `forbid` or `ignore`.
    """

    tool: AnyTool
    policy: str
    lacks: dict[str, str]


def _same(given: Any) -> Any:
    return given


def booking(name: str) -> Booking:
    module = import_module(f"tests.vendors.booking.{name}")
    if hasattr(module, "HANDLER"):
        made: Any = tool(module.HANDLER, name="book", description="Book.", output=None)
    else:
        schema = module.INPUT
        made = tool(_same, name="book", description="Book.", input=schema, output=schema)
    return Booking(made, module.POLICY, module.LACKS)
