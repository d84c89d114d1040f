"""LangChain and LangGraph: `pip install 'toolhaft[langchain]'`.

Out: a `BaseTool` for `ToolNode`, agents and `bind_tools`; a rejected call is a message with the
status error; the JSON data of a result are its artifact. The context is LangGraph's
(`context_schema`). A call that waits for a person interrupts the graph, as
`frameworks/langgraph.py` describes; outside of a graph, its result is that it waits. A handler may
`interrupt()`. Models that take OpenAI's dicts take `wire.tools` of `tools.export("openai-chat")` in
`bind_tools`; LangChain would inline their references.

Lost on the way out: LangChain reads the text of a call first, so duplicate keys and repairs of JSON
are not seen; files and sounds are described in text; title, annotations and output schema are left
out, and the id of the call if no `ToolNode` makes it; LangChain's own conversion of a schema writes
a recursive one as `{}`.

Lost on the way in: state, store and runtime, which LangGraph injects; other injected parameters are
looked up in the context by name. Root schemas are closed unless they declare a policy about further
keys.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, overload

from toolhaft.call.callbacks import run_without_loop
from toolhaft.call.parts import describe_part
from toolhaft.content import Image
from toolhaft.errors import ToolError
from toolhaft.frameworks.bridge import (
    BridgeOptions,
    bridge_tools,
    show_bridge_options,
    write_content,
)
from toolhaft.frameworks.hosts import require_host
from toolhaft.frameworks.incoming import media, reject_object, reject_part, take_tool
from toolhaft.frameworks.langgraph import ask_graph, pop_runtime, read_context, read_injected
from toolhaft.tools.invisible import InvisibleCharacters

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool
    from typing_extensions import Unpack

    from toolhaft.call.outcome import Err, Ok
    from toolhaft.call.prepared import Prepared
    from toolhaft.content import Content
    from toolhaft.frameworks.bridge import Bridge
    from toolhaft.tools.tool import AnyTool
    from toolhaft.toolset.members import Member
    from toolhaft.toolset.toolset import Toolset

__all__ = ["LOST", "from_langchain", "to_langchain"]

LOST = (
    "raw text", "files", "title", "annotations", "output schema", "call id outside of a ToolNode",
)  # fmt: skip


@overload
def to_langchain(tools: Toolset, /, **options: Unpack[BridgeOptions]) -> list[BaseTool]: ...
@overload
def to_langchain(tools: Member, /, **options: Unpack[BridgeOptions]) -> BaseTool: ...
@show_bridge_options
def to_langchain(tools: Any, /, **options: Unpack[BridgeOptions]) -> Any:
    """Convert a tool to a `BaseTool` of LangChain, or a toolset to a list of them.

    Args:
        tools: A `Toolset`, or one tool.
        target: The target whose schema the tools get, such as `openai`; by default plain JSON
            Schema.
        strict: See `Toolset.export`; only with `target`.
        context: The context of each call, instead of the framework's own; None is a context.

    Raises:
        ImportError: LangChain is not installed.
        DefinitionError: A tool is defined incorrectly.
        ExportError: The target rejects a tool.
        ToolhaftError: `visible=` needs a context, and there is none.
    """
    require_host("langchain")
    return bridge_tools(tools, _build, _control_flow(), **options)


def _build(bridge: Bridge) -> BaseTool:
    tool: BaseTool = _bridged_class()(
        name=bridge.name,
        description=bridge.description,
        args_schema=bridge.schema,
        response_format="content_and_artifact",
        handle_tool_error=True,
        bridge=bridge,
    )
    return tool


@cache
def _bridged_class() -> Any:
    from langchain_core.tools import BaseTool
    from pydantic import Field

    class BridgedTool(BaseTool):
        """A tool of toolhaft's, for LangChain."""

        bridge: Any = Field(exclude=True, repr=False)

        def get_input_schema(self, config: Any = None) -> Any:
            """Have a `ToolNode` inject its runtime; models are given `args_schema`."""
            return read_injected() or super().get_input_schema(config)

        def _run(self, /, **arguments: Any) -> Any:
            runtime = pop_runtime(arguments)
            call_id = getattr(runtime, "tool_call_id", None)

            def ask(prepared: Prepared[Any]) -> Any:
                return run_without_loop(ask_graph(self.bridge, prepared, runtime, has_loop=False))

            return _write(self.bridge.call_sync(arguments, read_context(), ask, call_id))

        async def _arun(self, /, **arguments: Any) -> Any:
            runtime = pop_runtime(arguments)
            call_id = getattr(runtime, "tool_call_id", None)

            def ask(prepared: Prepared[Any]) -> Any:
                return ask_graph(self.bridge, prepared, runtime, has_loop=True)

            return _write(await self.bridge.call(arguments, read_context(), ask, call_id))

    return BridgedTool


def _write(outcome: Ok[Any] | Err) -> tuple[Any, Any]:
    """Write a result as content and artifact."""
    from langchain_core.tools import ToolException

    if not outcome:
        raise ToolException(outcome.text)
    return write_content(outcome, _write_part), outcome.json


def _write_part(part: Content) -> dict[str, Any]:
    if isinstance(part, Image):
        return {"type": "image", "base64": part.base64, "mime_type": part.media_type}
    return {"type": "text", "text": describe_part(part)}


def _control_flow() -> tuple[Any, ...]:
    """Return the exceptions that steer a graph, if LangGraph is installed."""
    try:
        from langgraph.errors import GraphBubbleUp
    except ImportError:
        return ()
    return (GraphBubbleUp,)


def from_langchain(
    tool: BaseTool, /, *, invisible_characters: InvisibleCharacters = "reject"
) -> AnyTool:
    """Convert a tool of LangChain to a toolhaft tool.

    A `ToolException` becomes a tool error.

    Args:
        tool: A `BaseTool`, such as `@tool` makes.
        invisible_characters: "strip" removes characters that a person cannot see from its texts,
            with a warning; "reject" rejects a tool with one.

    Raises:
        ImportError: LangChain is not installed.
        DefinitionError: The object is not such a tool, or its schema cannot be used.
    """
    require_host("langchain")
    from langchain_core.tools import BaseTool, ToolException

    if not isinstance(tool, BaseTool):
        raise reject_object("langchain", tool, "a BaseTool, such as what @tool makes")
    schema, injected = _read_schema(tool)

    async def run(arguments: dict[str, Any], context: Any) -> Any:
        known = context if isinstance(context, Mapping) else {}
        injected_values = {name: known[name] for name in injected if name in known}
        call = {
            "type": "tool_call",
            "id": "",
            "name": tool.name,
            "args": {**arguments, **injected_values},
        }
        try:
            message = await tool.ainvoke(call)
        except ToolException as error:
            raise ToolError(str(error)) from None
        if message.status == "error":
            raise ToolError(message.text)
        return _read(message.content)

    bridge = getattr(tool, "bridge", None)
    return take_tool(
        tool.name,
        tool.description,
        schema,
        run,
        bridge=bridge,
        invisible_characters=invisible_characters,
    )


def _read_schema(tool: BaseTool) -> tuple[dict[str, Any], list[str]]:
    """Return the parameters' schema for the model, and the names of injected parameters."""
    if isinstance(tool.args_schema, dict):
        return tool.args_schema, []
    shown: Any = tool.tool_call_schema
    schema = shown.model_json_schema()
    everything: Any = tool.get_input_schema()
    schema.pop("description", None)  # the tool's
    names = everything.model_fields
    return schema, [name for name in names if name not in shown.model_fields]


def _read(content: Any) -> Any:
    return content if isinstance(content, str) else [_read_part(block) for block in content]


def _read_part(block: Any) -> Any:
    if isinstance(block, str):
        return block
    if block.get("type") == "text":
        return block["text"]
    if "base64" in block:
        return media(block["base64"], block.get("mime_type"))
    raise reject_part(block.get("type"))
