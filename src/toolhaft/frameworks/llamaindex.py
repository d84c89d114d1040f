"""LlamaIndex: `pip install 'toolhaft[llamaindex]'`.

Out: a `FunctionTool` for agents; a rejected call has `is_error`, images and sounds are blocks, and
`raw_output` is the JSON data of a result. The context is the workflow's `Context`, or `context=`. A
call that waits for a person writes an `InputRequiredEvent` with its `digest`. It resumes with a
`HumanResponseEvent` of the same `digest`, whose `response` is True or the text of a denial. If the
tool has default factories, it needs the event's `call` too. A handler may wait for events.

Lost on the way out: LlamaIndex has read the text of a call; files are described in text; title,
annotations and output schema are left out. `to_openai_tool` rejects a description of more than
1,024 characters.

Lost on the way in: a tool that needs the workflow's context needs an agent. LlamaIndex's own
description includes the signature. Its schemas declare nothing about further keys, so they are
closed.
"""

from __future__ import annotations

from base64 import b64decode
from functools import cache
from typing import TYPE_CHECKING, Any, overload

from toolhaft.call.parts import describe_part
from toolhaft.call.permission import Deny
from toolhaft.content import Audio, Image
from toolhaft.errors import ToolError
from toolhaft.frameworks.approval import describe_call
from toolhaft.frameworks.bridge import BridgeOptions, bridge_tools, content_of, show_bridge_options
from toolhaft.frameworks.hosts import require_host
from toolhaft.frameworks.incoming import media, reject_object, reject_part, take_tool
from toolhaft.tools.invisible import InvisibleCharacters

if TYPE_CHECKING:
    from llama_index.core.tools import FunctionTool
    from typing_extensions import Unpack

    from toolhaft.call.outcome import Err, Ok
    from toolhaft.call.prepared import Prepared
    from toolhaft.content import Content
    from toolhaft.frameworks.bridge import Bridge
    from toolhaft.tools.tool import AnyTool
    from toolhaft.toolset.members import Member
    from toolhaft.toolset.toolset import Toolset

__all__ = ["LOST", "from_llamaindex", "to_llamaindex"]

LOST = ("raw text", "files", "title", "annotations", "output schema")
# The argument in which an agent passes its context, replacing what a model may have written.
CONTEXT = "__toolhaft_context__"


@overload
def to_llamaindex(tools: Toolset, /, **options: Unpack[BridgeOptions]) -> list[FunctionTool]: ...
@overload
def to_llamaindex(tools: Member, /, **options: Unpack[BridgeOptions]) -> FunctionTool: ...
@show_bridge_options
def to_llamaindex(tools: Any, /, **options: Unpack[BridgeOptions]) -> Any:
    """Convert a tool to a `FunctionTool` of LlamaIndex, or a toolset to a list of them.

    Args:
        tools: A `Toolset`, or one tool.
        target: The target whose schema the tools get, such as `openai`; by default plain JSON
            Schema.
        strict: See `Toolset.export`; only with `target`.
        context: The context of each call, instead of the framework's own; None is a context.

    Raises:
        ImportError: LlamaIndex is not installed.
        DefinitionError: A tool is defined incorrectly.
        ExportError: The target rejects a tool.
        ToolhaftError: `visible=` needs a context, and there is none.
    """
    require_host("llamaindex")
    from workflows.runtime.types.results import WaitingForEvent

    return bridge_tools(tools, _bridged_class(), (WaitingForEvent,), **options)


@cache
def _bridged_class() -> Any:
    from llama_index.core.tools import FunctionTool, ToolMetadata
    from llama_index.core.workflow import Context

    class BridgedTool(FunctionTool):
        """A tool of toolhaft's, for LlamaIndex."""

        def __init__(self, bridge: Any) -> None:
            class Metadata(ToolMetadata):
                def get_parameters_dict(self) -> Any:
                    return bridge.schema

            metadata = Metadata(name=bridge.name, description=bridge.description, fn_schema=None)
            super().__init__(async_fn=bridge.call, metadata=metadata)
            self.bridge = bridge
            self.requires_context = True
            self.ctx_param_name = CONTEXT

        def call(self, /, **arguments: Any) -> Any:
            """Run a call."""
            return _write(self.bridge.call_sync(arguments), arguments)

        async def acall(self, /, **arguments: Any) -> Any:
            """Run a call."""
            is_agents = isinstance(arguments.get(CONTEXT), Context)
            workflow = arguments.pop(CONTEXT) if is_agents else None

            async def ask(prepared: Prepared[Any]) -> Prepared[Any] | Err | Deny | None:
                return None if workflow is None else await _ask(self.bridge, workflow, prepared)

            call_id = None if workflow is None else _call_id()
            return _write(await self.bridge.call(arguments, workflow, ask, call_id), arguments)

    return BridgedTool


def _call_id() -> str | None:
    """Return the id of the call that an agent's step handles."""
    from workflows.runtime.types.results import StepWorkerStateContextVar

    step: Any = StepWorkerStateContextVar.get(None)
    return getattr(step and step.event, "tool_id", None)


async def _ask(
    bridge: Bridge, workflow: Any, prepared: Prepared[Any]
) -> Prepared[Any] | Err | Deny:
    """Wait for the answer that names the call."""
    from llama_index.core.workflow import HumanResponseEvent, InputRequiredEvent

    question = describe_call(bridge.tool, prepared)
    answer = await workflow.wait_for_event(
        HumanResponseEvent,
        waiter_event=InputRequiredEvent(prefix=f"Run {prepared.name}?", **question),
        requirements={"digest": question["digest"]},
    )
    response = answer.response
    if response is True:
        return bridge.approve(prepared, answer.get("call"))
    return Deny(response if isinstance(response, str) else "")


def _write(outcome: Ok[Any] | Err, arguments: dict[str, Any]) -> Any:
    from llama_index.core.tools import ToolOutput

    return ToolOutput(
        tool_name=outcome.name,
        blocks=[_write_part(part) for part in content_of(outcome)],
        raw_input=arguments,
        raw_output=outcome.json if outcome else outcome.text,
        is_error=not outcome,
    )


def _write_part(part: Content) -> Any:
    from llama_index.core.base.llms.types import AudioBlock, ImageBlock, TextBlock

    if isinstance(part, Image):
        return ImageBlock(image=part.data, image_mimetype=part.media_type)
    if isinstance(part, Audio):
        return AudioBlock(audio=part.data)
    return TextBlock(text=describe_part(part))


def from_llamaindex(
    tool: FunctionTool, /, *, invisible_characters: InvisibleCharacters = "reject"
) -> AnyTool:
    """Convert a tool of LlamaIndex to a toolhaft tool.

    An output with `is_error` becomes a tool error.

    Args:
        tool: A tool, such as `FunctionTool.from_defaults` makes.
        invisible_characters: "strip" removes characters that a person cannot see from its texts,
            with a warning; "reject" rejects a tool with one.

    Raises:
        ImportError: LlamaIndex is not installed.
        DefinitionError: The object is not such a tool, or its schema cannot be used.
    """
    require_host("llamaindex")
    from llama_index.core.tools import BaseTool, adapt_to_async_tool

    if not isinstance(tool, BaseTool):
        raise reject_object("llamaindex", tool, "a tool, such as FunctionTool.from_defaults makes")
    inner = adapt_to_async_tool(tool)

    async def run(arguments: dict[str, Any], context: Any) -> Any:
        is_asked = getattr(tool, "requires_context", False) and context is not None
        injected = {tool.ctx_param_name: context} if is_asked else {}
        output = await inner.acall(**arguments, **injected)
        if output.is_error:
            raise ToolError(output.content)
        media_blocks = [block for block in output.blocks if block.block_type != "text"]
        return [_read_part(block) for block in output.blocks] if media_blocks else output.content

    metadata = tool.metadata
    return take_tool(
        metadata.get_name(),
        metadata.description,
        metadata.get_parameters_dict(),
        run,
        bridge=getattr(tool, "bridge", None),
        invisible_characters=invisible_characters,
    )


def _read_part(block: Any) -> Any:
    if block.block_type == "text":
        return block.text
    data = getattr(block, block.block_type, None)
    if data is None:
        raise reject_part(block.block_type)
    return media(b64decode(data), getattr(block, "image_mimetype", None))
