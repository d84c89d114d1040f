"""One neutral type for an LLM tool: define it once, with any validator, for any model.

    from toolhaft import Toolset, tool

    @tool
    def get_weather(city: str, days: int = 1) -> dict[str, int]:
        "The weather of a city."
        return {"days": days, "degrees": 21}

    tools = Toolset([get_weather])
    outcome = tools.call_sync("get_weather", '{"city": "Paris", "days": "2"}')
    outcome.value            # {'days': 2, 'degrees': 21}; "2" was repaired, and that is recorded
    outcome.text             # what the model reads
    tools.export("openai")   # the tools as a provider takes them, and its calls read back

Names are loaded when they are first used; importing toolhaft loads the standard library only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toolhaft.call.edit import Edit
    from toolhaft.call.loop_guard import LoopGuard
    from toolhaft.call.outcome import Err, Ok, Outcome
    from toolhaft.call.permission import Deny
    from toolhaft.call.prepared import Prepared
    from toolhaft.call.progress import Progress
    from toolhaft.call.types import Coercion, ToolCall
    from toolhaft.content import File, Image
    from toolhaft.definition.call_info import CallInfo
    from toolhaft.definition.markers import Context, Doc, Injected, Report
    from toolhaft.definition.text_format import Regex
    from toolhaft.errors import (
        ContextMissing,
        DefinitionError,
        ToolError,
        ToolInputInvalid,
        ToolOutputInvalid,
        ToolRefused,
        WireError,
    )
    from toolhaft.imports.declarations import from_json
    from toolhaft.imports.mcp.session import from_mcp
    from toolhaft.imports.openapi.tools import from_openapi
    from toolhaft.schema.bounds import DefinitionLimits
    from toolhaft.spec import Issue, ToolValidationError
    from toolhaft.tools.decorator import tool
    from toolhaft.tools.tool import Tool
    from toolhaft.toolset.answers import Answer
    from toolhaft.toolset.export import Export
    from toolhaft.toolset.results.store import Store
    from toolhaft.toolset.toolset import Toolset
    from toolhaft.vendors.functions import schema_of
    from toolhaft.vendors.standard_schema import standard_schema

    __version__: str

__all__ = [
    "Answer",
    "CallInfo",
    "Coercion",
    "Context",
    "ContextMissing",
    "DefinitionError",
    "DefinitionLimits",
    "Deny",
    "Doc",
    "Edit",
    "Err",
    "Export",
    "File",
    "Image",
    "Injected",
    "Issue",
    "LoopGuard",
    "Ok",
    "Outcome",
    "Prepared",
    "Progress",
    "Regex",
    "Report",
    "Store",
    "Tool",
    "ToolCall",
    "ToolError",
    "ToolInputInvalid",
    "ToolOutputInvalid",
    "ToolRefused",
    "ToolValidationError",
    "Toolset",
    "WireError",
    "from_json",
    "from_mcp",
    "from_openapi",
    "schema_of",
    "standard_schema",
    "tool",
]

HOMES = {
    "Answer": "toolset.answers",
    "CallInfo": "definition.call_info",
    "Coercion": "call.types",
    "Context": "definition.markers",
    "ContextMissing": "errors",
    "DefinitionError": "errors",
    "DefinitionLimits": "schema.bounds",
    "Deny": "call.permission",
    "Doc": "definition.markers",
    "Edit": "call.edit",
    "Err": "call.outcome",
    "Export": "toolset.export",
    "File": "content",
    "Image": "content",
    "Injected": "definition.markers",
    "Issue": "spec",
    "LoopGuard": "call.loop_guard",
    "Ok": "call.outcome",
    "Outcome": "call.outcome",
    "Prepared": "call.prepared",
    "Progress": "call.progress",
    "Regex": "definition.text_format",
    "Report": "definition.markers",
    "Store": "toolset.results.store",
    "Tool": "tools.tool",
    "ToolCall": "call.types",
    "ToolError": "errors",
    "ToolInputInvalid": "errors",
    "ToolOutputInvalid": "errors",
    "ToolRefused": "errors",
    "ToolValidationError": "spec",
    "Toolset": "toolset.toolset",
    "WireError": "errors",
    "from_json": "imports.declarations",
    "from_mcp": "imports.mcp.session",
    "from_openapi": "imports.openapi.tools",
    "schema_of": "vendors.functions",
    "standard_schema": "vendors.standard_schema",
    "tool": "tools.decorator",
}


# Names that were here, and where they are now.
MOVED = {"agreement": "testing", "native": "jsonio.primitives"}

if not TYPE_CHECKING:  # or a misspelt name would be Any to a type checker

    def __getattr__(name: str) -> Any:
        home = HOMES.get(name)
        if name == "__version__":
            from importlib.metadata import version

            return version("toolhaft")
        if name in MOVED:
            from toolhaft.deprecation import warn_once

            home = MOVED[name]
            instead = f"import it from toolhaft.{home}"
            warn_once(f"toolhaft.{name}", instead, removed_in="0.3", stacklevel=2)
        if home is None:
            raise AttributeError(f"module 'toolhaft' has no attribute {name!r}")
        # `importlib` would load more modules than the standard library has left to load by then.
        value = globals()[name] = getattr(__import__(f"toolhaft.{home}", fromlist=[name]), name)
        return value


def __dir__() -> list[str]:
    return __all__
