"""Strands Agents: `pip install 'toolhaft[strands]'`.

Out: an `AgentTool`; a rejected call has the status error, images are Strands' blocks. The context
is the `invocation_state` of the call. A call that waits for a person interrupts the agent with the
tool and its arguments. It resumes with the response True or the text of a denial; to approve a tool
with default factories, answer with the `call` of the interrupt's reason. A handler may interrupt.

Lost on the way out, and `to_strands` warns: duplicate keys are accepted. A call whose text is
cut off is made with no arguments at all, so a tool whose parameters are all optional runs. Strands
adds missing descriptions and types to a schema; files and sounds are described in text; title,
annotations and output schema are left out.

Lost on the way in: a tool that takes its `ToolContext` needs an agent in the context, which is the
`invocation_state` there. Streamed events other than the result are not passed on.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, overload

from toolhaft.call.parts import describe_part
from toolhaft.call.permission import Deny
from toolhaft.content import Image
from toolhaft.frameworks.approval import describe_call
from toolhaft.frameworks.bridge import (
    BridgeOptions,
    bridge_tools,
    content_of,
    show_bridge_options,
    warn_once,
)
from toolhaft.frameworks.hosts import require_host
from toolhaft.frameworks.incoming import join_parts, media, reject_object, reject_part, take_tool
from toolhaft.tools.invisible import InvisibleCharacters

if TYPE_CHECKING:
    from strands.types.tools import AgentTool
    from typing_extensions import Unpack

    from toolhaft.call.outcome import Err, Ok
    from toolhaft.call.prepared import Prepared
    from toolhaft.content import Content
    from toolhaft.frameworks.bridge import Bridge
    from toolhaft.tools.tool import AnyTool
    from toolhaft.toolset.members import Member
    from toolhaft.toolset.toolset import Toolset

__all__ = ["LOST", "from_strands", "to_strands"]

LOST = ("raw text", "files", "sounds", "title", "annotations", "output schema")
WARNING = (
    "to_strands: Strands calls a tool without arguments where a model's text is cut off, so that "
    "one whose parameters are all optional runs"
)


@overload
def to_strands(tools: Toolset, /, **options: Unpack[BridgeOptions]) -> list[AgentTool]: ...
@overload
def to_strands(tools: Member, /, **options: Unpack[BridgeOptions]) -> AgentTool: ...
@show_bridge_options
def to_strands(tools: Any, /, **options: Unpack[BridgeOptions]) -> Any:
    """Convert a tool to a `AgentTool` of Strands, or a toolset to a list of them.

    Args:
        tools: A `Toolset`, or one tool.
        target: The target whose schema the tools get, such as `openai`; by default plain JSON
            Schema.
        strict: See `Toolset.export`; only with `target`.
        context: The context of each call, instead of the framework's own; None is a context.

    Raises:
        ImportError: Strands is not installed.
        DefinitionError: A tool is defined incorrectly.
        ExportError: The target rejects a tool.
        ToolhaftError: `visible=` needs a context, and there is none.
    """
    require_host("strands")
    from strands.interrupt import InterruptException

    warn_once(WARNING)
    return bridge_tools(tools, _bridged_class(), (InterruptException,), **options)


@cache
def _bridged_class() -> Any:
    from strands.interrupt import InterruptException
    from strands.types._events import ToolInterruptEvent, ToolResultEvent
    from strands.types.tools import AgentTool

    class BridgedTool(AgentTool):
        """A tool of toolhaft's, for Strands."""

        def __init__(self, bridge: Any) -> None:
            super().__init__()
            self.bridge = bridge

        @property
        def tool_name(self) -> str:
            return self.bridge.name

        @property
        def tool_type(self) -> str:
            return "toolhaft"

        @property
        def tool_spec(self) -> Any:
            described = {"name": self.bridge.name, "description": self.bridge.description}
            return {**described, "inputSchema": {"json": self.bridge.schema}}

        async def stream(
            self, tool_use: Any, invocation_state: dict[str, Any], **options: Any
        ) -> AsyncGenerator[Any, None]:
            """Run a call."""
            del options

            def ask(prepared: Prepared[Any]) -> Prepared[Any] | Err | Deny | None:
                return _ask(self.bridge, prepared, tool_use, invocation_state)

            arguments, call_id = tool_use["input"], tool_use["toolUseId"]
            try:
                outcome = await self.bridge.call(arguments, invocation_state, ask, call_id)
            except InterruptException as stop:
                yield ToolInterruptEvent(tool_use, [stop.interrupt])
            else:
                yield ToolResultEvent(_write(outcome, call_id))

    return BridgedTool


def _ask(
    bridge: Bridge, prepared: Prepared[Any], tool_use: Any, invocation_state: dict[str, Any]
) -> Prepared[Any] | Err | Deny | None:
    from strands.types.tools import ToolContext

    agent = invocation_state.get("agent")
    if agent is None:
        return None
    context = ToolContext(tool_use=tool_use, agent=agent, invocation_state=invocation_state)
    shown = describe_call(bridge.tool, prepared)
    answer = context.interrupt(shown["digest"], reason=shown)
    if answer is True or isinstance(answer, dict):
        return bridge.approve(prepared, None if answer is True else answer)
    return Deny(answer if isinstance(answer, str) else "")


def _write(outcome: Ok[Any] | Err, call_id: str) -> Any:
    return {
        "toolUseId": call_id,
        "status": "success" if outcome else "error",
        "content": [_write_part(part) for part in content_of(outcome)],
    }


def _write_part(part: Content) -> dict[str, Any]:
    if isinstance(part, Image):
        kind = part.media_type.removeprefix("image/")
        return {"image": {"format": kind, "source": {"bytes": part.data}}}
    return {"text": describe_part(part)}


def from_strands(
    tool: AgentTool, /, *, invisible_characters: InvisibleCharacters = "reject"
) -> AnyTool:
    """Convert a tool of Strands to a toolhaft tool.

    A result with the status "error" becomes a tool error.

    Args:
        tool: An `AgentTool`.
        invisible_characters: "strip" removes characters that a person cannot see from its texts,
            with a warning; "reject" rejects a tool with one.

    Raises:
        ImportError: Strands is not installed.
        DefinitionError: The object is not such a tool, or its schema cannot be used.
    """
    require_host("strands")
    from strands.types.tools import AgentTool

    if not isinstance(tool, AgentTool):
        raise reject_object("strands", tool, "an AgentTool, such as @tool makes")
    spec: Any = tool.tool_spec

    async def run(arguments: dict[str, Any], context: Any) -> Any:
        use: Any = {"toolUseId": "", "name": tool.tool_name, "input": arguments}
        state = dict(context) if isinstance(context, Mapping) else {}
        result: Any = {"status": "error", "content": []}
        async for event in tool.stream(use, state):
            result = getattr(event, "tool_result", result)
            if getattr(event, "exception", None) is not None:
                raise event.exception  # a crash, whose words are for the log alone
        parts = [_read_part(block) for block in result["content"]]
        return join_parts(parts, is_error=result["status"] == "error")

    schema = spec["inputSchema"].get("json", spec["inputSchema"])
    bridge = getattr(tool, "bridge", None)
    return take_tool(
        tool.tool_name,
        spec["description"],
        schema,
        run,
        bridge=bridge,
        invisible_characters=invisible_characters,
    )


def _read_part(block: Any) -> Any:
    if "text" in block:
        return block["text"]
    if "json" in block:
        return block["json"]
    if "image" in block:
        image = block["image"]
        return media(image["source"]["bytes"], f"image/{image['format']}")
    raise reject_part(next(iter(block)))
