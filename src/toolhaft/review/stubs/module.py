"""The module that `Toolset.stubs` writes: a typed function for each tool of a program."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from toolhaft.review.stubs.functions import FunctionWriter
from toolhaft.review.stubs.source import identifier
from toolhaft.tools.tool import AnyTool

__all__ = ["write_stubs"]

TITLE: Final = '''"""Typed functions for tools, written by toolhaft.

Call `connect` first, with what carries a call to the tools: a function of a tool's name and its
arguments that returns the outcome as JSON data, such as the one that `Toolset.dispatcher` makes.
"""

from __future__ import annotations
'''
PREAMBLE: Final = '''

class CallFailed(Exception):
    """A call that failed: its text says why, and `outcome` is the outcome as JSON data."""

    def __init__(self, outcome: dict[str, Any]) -> None:
        super().__init__(outcome["text"])
        self.outcome = outcome


# The value of an argument that is left out.
OMIT: Any = object()


{define} _not_connected(_name: str, _arguments: dict[str, object]) -> dict[str, Any]:
    raise RuntimeError("call connect(...) before the functions of this module")


_dispatch: Callable[[str, dict[str, object]], {awaited}] = _not_connected


def connect(dispatch: Callable[[str, dict[str, object]], {awaited}]) -> None:
    """Set the function that carries calls to the tools."""
    global _dispatch
    _dispatch = dispatch


{define} _call(name: str, arguments: Mapping[str, object]) -> Any:
    given = {{key: value for key, value in arguments.items() if value is not OMIT}}
    outcome = {wait}_dispatch(name, given)
{check}    if outcome["kind"] != "ok":
        raise CallFailed(outcome)
    return outcome["value"]
'''
# Only the call shows whether what was given is async: a dispatcher is an object.
NOT_ASYNC: Final = """\
    if not isinstance(outcome, dict):
        raise RuntimeError("connect(...) got an async function; write the stubs without sync")
"""
OWN_NAMES: Final = ("CallFailed", "OMIT", "_call", "_dispatch", "_not_connected", "connect")
TYPING: Final = ("Any", "Literal", "Never", "NotRequired", "TypeAlias", "TypedDict")
ABSTRACT: Final = ("Awaitable", "Callable", "Mapping")
BUILTINS: Final = (
    "Exception", "RuntimeError", "bool", "dict", "float", "int", "isinstance", "list", "object",
)  # fmt: skip
RESERVED: Final = {
    *OWN_NAMES, *TYPING, *ABSTRACT, *BUILTINS, "annotations", "str", "super",
}  # fmt: skip


def write_stubs(tools: Iterable[AnyTool], *, sync: bool = False) -> str:
    """Write a module with a function for each tool that a program may call.

    >>> from toolhaft import tool
    >>> @tool
    ... def double(n: int) -> int:
    ...     "Return twice a number."
    ...     return 2 * n
    >>> print(write_stubs([double], sync=True).splitlines()[-4])
    def double(n: int) -> int:
    """
    functions: dict[str, AnyTool] = {}
    for tool in sorted(filter(_is_callable, tools), key=lambda tool: tool.name):
        name = identifier(tool.name)
        own = f"{name}_" if name in RESERVED else name
        functions[identifier(own, RESERVED | functions.keys())] = tool
    writer = FunctionWriter(RESERVED | functions.keys(), wait="" if sync else "await ")
    define = "def" if sync else "async def"
    awaited = "dict[str, Any]" if sync else "Awaitable[dict[str, Any]]"
    preamble = PREAMBLE.format(
        define=define, wait=writer.wait, awaited=awaited, check=NOT_ASYNC if sync else ""
    )
    written = [f"{define} {writer.write(name, tool)}" for name, tool in functions.items()]
    body = "\n\n\n".join([preamble.rstrip(), *writer.types.definitions, *written])
    return f"{TITLE}\n{_imports(body)}{body}\n"


def _is_callable(tool: AnyTool) -> bool:
    callers = tool.allowed_callers
    return callers is None or "programmatic" in callers


def _imports(body: str) -> str:
    """Import what the module uses, and nothing more."""
    abstract = [name for name in ABSTRACT if _uses(body, name)]
    typing = [name for name in TYPING if _uses(body, name)]
    return (
        f"from collections.abc import {', '.join(abstract)}\n"
        f"from typing import {', '.join(typing)}\n"
    )


def _uses(body: str, name: str) -> bool:
    return re.search(rf"\b{name}\b", body) is not None
