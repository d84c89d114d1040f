"""Microsoft Agent Framework: `pip install 'toolhaft[agent-framework]'`.

Out: a `FunctionTool`. The context is the `kwargs` of its invocation context, or `context=`. A tool
that may need approval has `approval_mode="always_require"`, so a person is asked before each of its
calls; invoked outside the framework's loop, its result is that it waits. Text that is not a JSON
object is passed on, and rejected with our message. A handler may raise `UserInputRequiredException`
and the exceptions of middleware.

Lost on the way out: the framework has read the text of a call; there is no error flag; links are
described in text; title, annotations, output schema and the id of the call are left out. A person
is asked even about a call that would be rejected, and sees no defaults. So a default that changes
meanwhile is not noticed, and a tool with default factories is denied.

Lost on the way in: middleware and the bounds of invocations; the invocation context has the context
of the call as its `kwargs` if that is a mapping.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, overload

from toolhaft.call.parts import describe_part
from toolhaft.content import ResourceLink
from toolhaft.errors import ToolError
from toolhaft.frameworks.bridge import (
    BridgeOptions,
    bridge_tools,
    show_bridge_options,
    write_content,
)
from toolhaft.frameworks.hosts import require_host
from toolhaft.frameworks.incoming import join_parts, media, reject_object, reject_part, take_tool
from toolhaft.tools.invisible import InvisibleCharacters

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from toolhaft.content import Content
    from toolhaft.frameworks.bridge import Bridge
    from toolhaft.tools.tool import AnyTool
    from toolhaft.toolset.members import Member
    from toolhaft.toolset.toolset import Toolset

__all__ = ["LOST", "from_agent_framework", "to_agent_framework"]

# A key in the metadata of calls by the framework's loop, which asks before it runs a tool.
OF_LOOP = "_parent_tool_approval_source_ids"
LOST = (
    "raw text", "error flag", "defaults in what is approved",
    "title", "annotations", "output schema", "call id",
)  # fmt: skip


@overload
def to_agent_framework(tools: Toolset, /, **options: Unpack[BridgeOptions]) -> list[Any]: ...
@overload
def to_agent_framework(tools: Member, /, **options: Unpack[BridgeOptions]) -> Any: ...
@show_bridge_options
def to_agent_framework(tools: Any, /, **options: Unpack[BridgeOptions]) -> Any:
    """Convert a tool to a Microsoft Agent Framework `FunctionTool`, or a toolset to a list.

    Args:
        tools: A `Toolset`, or one tool.
        target: The target whose schema the tools get, such as `openai`; by default plain JSON
            Schema.
        strict: See `Toolset.export`; only with `target`.
        context: The context of each call, instead of the framework's own; None is a context.

    Raises:
        ImportError: Microsoft Agent Framework is not installed.
        DefinitionError: A tool is defined incorrectly.
        ExportError: The target rejects a tool.
        ToolhaftError: `visible=` needs a context, and there is none.
    """
    require_host("agent_framework")
    host = import_module("agent_framework")
    exceptions = import_module("agent_framework.exceptions")
    kinds = (exceptions.UserInputRequiredException, host.MiddlewareFailure)
    return bridge_tools(tools, _build, kinds, **options)


def _build(bridge: Bridge) -> Any:
    from pydantic import BaseModel, ConfigDict

    host: Any = import_module("agent_framework")

    class Arguments(BaseModel):
        """Takes any arguments, which are checked behind it, and has our schema."""

        model_config = ConfigDict(extra="allow")

        @classmethod
        def model_json_schema(cls, *args: Any, **options: Any) -> dict[str, Any]:
            del args, options
            return bridge.schema

    properties = bridge.schema.get("properties", {})

    async def run(arguments: dict[str, Any], __toolhaft_context__: Any = None) -> Any:
        call = arguments.pop("__toolhaft_context__", __toolhaft_context__)
        is_unread = arguments.keys() == {"raw"} and "raw" not in properties
        raw = arguments["raw"] if is_unread else arguments
        if call is None:  # the program calls the tool
            return write_content(await bridge.call(raw), _write_part)
        ask = bridge.approve if OF_LOOP in call.metadata else None
        called = raw, call.kwargs or None, ask, call.metadata.get("call_id")
        return write_content(await bridge.call(*called), _write_part)

    run.bridge = bridge  # type: ignore[attr-defined]  # for the way back
    run.__annotations__ = {"__toolhaft_context__": host.FunctionInvocationContext}
    return _bridged_class()(
        name=bridge.name,
        description=bridge.description,
        func=run,
        input_model=Arguments,
        approval_mode="always_require" if bridge.may_wait else "never_require",
    )


@cache
def _bridged_class() -> Any:
    host: Any = import_module("agent_framework")

    class BridgedTool(host.FunctionTool):
        """A tool of toolhaft's, for Agent Framework: its arguments may have any name."""

        def __call__(self, /, **arguments: Any) -> Any:
            return super().__call__(arguments)

        async def invoke(self, *, tool_call_id: str | None = None, **options: Any) -> Any:
            # Without middleware, nothing else has the id.
            if (context := options.get("context")) is not None and tool_call_id is not None:
                context.metadata.setdefault("call_id", tool_call_id)
            return await super().invoke(tool_call_id=tool_call_id, **options)

    return BridgedTool


def _write_part(part: Content) -> Any:
    content = import_module("agent_framework").Content
    if isinstance(part, str | ResourceLink):
        return content.from_text(describe_part(part))
    return content.from_data(part.data, part.media_type)


def from_agent_framework(
    tool: Any, /, *, invisible_characters: InvisibleCharacters = "reject"
) -> AnyTool:
    """Convert a tool of Microsoft Agent Framework to a toolhaft tool.

    A `ToolException` becomes a tool error.

    Args:
        tool: A `FunctionTool`.
        invisible_characters: "strip" removes characters that a person cannot see from its texts,
            with a warning; "reject" rejects a tool with one.

    Raises:
        ImportError: Microsoft Agent Framework is not installed.
        DefinitionError: The object is not such a tool, or its schema cannot be used.
    """
    require_host("agent_framework")
    host = import_module("agent_framework")
    exceptions = import_module("agent_framework.exceptions")
    if not isinstance(tool, host.FunctionTool):
        raise reject_object("agent_framework", tool, "a FunctionTool, such as @tool makes")

    async def run(arguments: dict[str, Any], context: Any) -> Any:
        kwargs = dict(context) if isinstance(context, Mapping) else {}
        call = host.FunctionInvocationContext(function=tool, arguments=arguments, kwargs=kwargs)
        try:
            result = await tool.invoke(arguments=arguments, context=call)
        except exceptions.ToolException as error:
            raise ToolError(str(error)) from None
        return join_parts([_read_part(content) for content in result])

    return take_tool(
        tool.name,
        tool.description,
        tool.parameters(),
        run,
        bridge=getattr(tool.func, "bridge", None),
        requires_approval=tool.approval_mode == "always_require",
        invisible_characters=invisible_characters,
    )


def _read_part(content: Any) -> Any:
    if content.type == "text":
        return content.text
    if content.type == "data":
        return media(content.uri.partition(";base64,")[2], content.media_type)
    raise reject_part(content.type)
