"""Wrap annotated functions and objects of the StandardTool shape as tools."""

from __future__ import annotations

from typing import Any

from toolhaft import vendors
from toolhaft.definition.markers import Context
from toolhaft.errors import DefinitionError, Fault
from toolhaft.spec import StandardTool
from toolhaft.tools.decorator import tool
from toolhaft.tools.definition import Definition
from toolhaft.tools.tool import AnyTool, Tool
from toolhaft.vendors import json_schema
from toolhaft.vendors.composed import PassThrough

__all__ = ["wrap_foreign"]

SHAPE = ("name", "description", "input_schema", "output_schema", "execute")
NO_ARGUMENTS = {"type": "object", "properties": {}}


def wrap_foreign(member: Any) -> AnyTool:
    """Wrap any member of a toolset as a tool.

    Raises:
        DefinitionError: It is not a tool of any shape, or is defined wrongly.
    """
    if isinstance(member, Tool):
        return member
    if all(hasattr(member, name) for name in SHAPE) and not isinstance(member, type):
        return _wrap_standard_tool(member)
    if callable(member):
        wrapped: AnyTool = tool(member)
        return wrapped
    fix = "pass a tool, an annotated function, or an object of the StandardTool shape"
    raise DefinitionError([Fault(type(member).__name__, "", "not a tool", fix)])


def _wrap_standard_tool(member: StandardTool[Any, Any]) -> AnyTool:
    """Wrap an object of the StandardTool shape; arguments and result are checked."""

    async def execute(arguments: Any, context: Context[Any]) -> Any:
        return await member.execute(arguments, context)

    schema = member.input_schema
    inner = json_schema.adapter(NO_ARGUMENTS) if schema is None else vendors.adapt(schema)
    # A formatted result is not what the output schema declares.
    formatted = hasattr(member, "__unformatted__")
    options: Any = {
        "name": member.name,
        "input": PassThrough(inner),
        "output": None if formatted else member.output_schema,
    }
    for option in ("title", "description"):
        if getattr(member, option, None):
            options[option] = getattr(member, option)
    return Tool(Definition(execute, options, is_own=False))
