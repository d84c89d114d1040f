"""The booking tool once for each vendor: a module here is one, by its name in `NAMES`."""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

from toolhaft import tool
from toolhaft.tools import AnyTool

__all__ = ["NAMES", "Booking", "booking"]

NAMES = (
    "pydantic_model",
    "pydantic_dataclass",
    "stdlib_dataclass",
    "typed_dict",
    "signature",
    "mixed_signature",
    "msgspec_struct",
    "json_schema",
    "native",
)


class Booking(NamedTuple):
    """The tool of one vendor; `lacks` says of keys, and of `format`, why it cannot have them.

    `policy` says what the vendor does with undeclared keys: `forbid` or `ignore`.
    """

    tool: AnyTool
    policy: str
    lacks: dict[str, str]


def booking(name: str) -> Booking:
    module = import_module(f"tests.vendors.booking.{name}")
    if hasattr(module, "HANDLER"):
        made: Any = tool(module.HANDLER, name="book", description="Book.", output=None)
    else:
        made = tool(
            lambda given: given, name="book", description="Book.", input=module.INPUT, output=None
        )
    return Booking(made, module.POLICY, module.LACKS)
