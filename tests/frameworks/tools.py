"""The tools of the battery: one of every kind that a host may treat badly."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from toolhaft import Context, Image, ToolError, Toolset, tool

__all__ = ["AWKWARD", "PIXEL", "TREE", "Cancelled", "make_tools"]

PIXEL = bytes.fromhex("89504e470d0a1a0a")

# Names that hosts use for their own parameters, fields and methods.
AWKWARD = (
    "self", "cls", "args", "kwargs", "input", "tool_input", "config", "callbacks", "run_manager",
    "runtime", "state", "store", "name", "description", "ctx", "context", "tool_context",
    "agent", "function", "arguments", "raw", "invocation_state", "run_context", "schema", "return",
)  # fmt: skip

TREE: dict[str, Any] = {
    "type": "object",
    "properties": {
        "root": {"$ref": "#/$defs/node"},
        "sizes": {"type": "object", "additionalProperties": {"type": "integer", "minimum": 0}},
        "when": {
            "oneOf": [
                {"type": "object", "properties": {"day": {"type": "integer"}}, "required": ["day"],
                 "additionalProperties": False},
                {"type": "string", "enum": ["now", "later"]},
            ]
        },
    },
    "required": ["root"],
    "additionalProperties": False,
    "$defs": {
        "node": {
            "type": "object",
            "properties": {
                "label": {"type": "string", "minLength": 1},
                "children": {"type": "array", "items": {"$ref": "#/$defs/node"}},
            },
            "required": ["label"],
            "additionalProperties": False,
        }
    },
}  # fmt: skip


# Shapes that a strict provider takes only in another form: a map, an optional field, a union.
ORDER: dict[str, Any] = {
    "type": "object",
    "properties": {
        "items": {"type": "object", "additionalProperties": {"type": "integer"}},
        "gift": {"type": "boolean"},
        "to": {"oneOf": [{"type": "string"}, {"type": "integer"}]},
    },
    "required": ["items", "to"],
    "additionalProperties": False,
}


class Cancelled:
    """The traces of a handler that is cancelled."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.seen = False


def _object_of(names: tuple[str, ...]) -> dict[str, Any]:
    properties = {name: {"type": "string"} for name in names}
    return {
        "type": "object",
        "properties": properties,
        "required": list(names),
        "additionalProperties": False,
    }


@tool(name="plant", description="Plant a tree.", input=TREE, output=None)
async def plant(arguments: Any) -> Any:
    return arguments


@tool(name="echo", description="Say what came.", input=_object_of(AWKWARD), output=None)
def echo(arguments: Any) -> Any:
    return arguments


@tool(name="order", description="Order.", input=ORDER, output=None)
def order(arguments: Any) -> Any:
    return arguments


@tool
def crash() -> str:
    """Fail."""
    raise RuntimeError("secret")


@tool
def complain() -> str:
    """Complain."""
    raise ToolError("the shop is closed")


@tool(output=None)
def draw() -> Any:
    """Draw."""
    return ["a pixel", Image(PIXEL, "image/png")]


@tool(requires_approval=True)
async def pay(amount: int, to: str = "ann") -> str:
    """Pay."""
    return f"paid {amount} to {to}"


@tool
def whoami(*, context: Context[Any]) -> str:
    """Say who calls."""
    return str(context["user"])


def make_tools(steer: Callable[[], Any] = dict, cancelled: Cancelled | None = None) -> Toolset:
    """Make the tools; one calls `steer` to steer the host, one tells `cancelled` that it was."""

    @tool
    def steered() -> str:
        """Steer the host."""
        steer()
        return "never"

    @tool
    async def wait() -> str:
        """Wait for ever."""
        assert cancelled is not None
        cancelled.begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.seen = True
            raise
        return "never"

    return Toolset([plant, echo, order, crash, complain, draw, pay, whoami, steered, wait])
