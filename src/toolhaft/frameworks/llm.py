"""llm, the command and the library: `pip install 'toolhaft[llm]'`.

Out: an `llm.Tool` for `model.chain(tools=)`; with `sync=False` for an async model. Images and other
media are attachments. A call that waits for a person pauses the chain (`PauseChain`), and runs when
a caller whose `approve=` allows it resumes the chain; a handler may pause it, too.

Lost on the way out: llm has read the text of a call; there is no error flag; the id of the call,
title, annotations and output schema are left out; llm has no context, so pass one as `context=`.
The parameter `llm_tool_call` is llm's own.

Lost on the way in: a toolbox, whose methods are converted one by one; a tool that takes
`llm_tool_call` gets none. An exception is a crash here, whereas llm shows its message.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, overload

from toolhaft.content import Audio, File, Image
from toolhaft.frameworks.bridge import (
    BridgeOptions,
    bridge_tools,
    show_bridge_options,
    split_content,
)
from toolhaft.frameworks.hosts import require_host
from toolhaft.frameworks.incoming import media, reject_object, take_tool
from toolhaft.tools.invisible import InvisibleCharacters

if TYPE_CHECKING:
    from llm.models import Tool as HostTool
    from typing_extensions import Unpack

    from toolhaft.call.outcome import Err, Ok
    from toolhaft.call.prepared import Prepared
    from toolhaft.frameworks.bridge import Bridge
    from toolhaft.tools.tool import AnyTool
    from toolhaft.toolset.members import Member
    from toolhaft.toolset.toolset import Toolset

__all__ = ["LOST", "from_llm", "to_llm"]

LOST = (
    "raw text", "error flag", "context", "title", "annotations", "output schema", "call id",
    "approval on the way back",
)  # fmt: skip


@overload
def to_llm(
    tools: Toolset, /, *, sync: bool = True, **options: Unpack[BridgeOptions]
) -> list[HostTool]: ...
@overload
def to_llm(
    tools: Member, /, *, sync: bool = True, **options: Unpack[BridgeOptions]
) -> HostTool: ...
@show_bridge_options
def to_llm(tools: Any, /, *, sync: bool = True, **options: Unpack[BridgeOptions]) -> Any:
    """Convert a tool to a `llm.Tool` of llm, or a toolset to a list of them.

    Args:
        tools: A `Toolset`, or one tool.
        sync: Whether to make tools for synchronous code.
        target: The target whose schema the tools get, such as `openai`; by default plain JSON
            Schema.
        strict: See `Toolset.export`; only with `target`.
        context: The context of each call, instead of the framework's own; None is a context.

    Raises:
        ImportError: llm is not installed.
        DefinitionError: A tool is defined incorrectly.
        ExportError: The target rejects a tool.
        ToolhaftError: `visible=` needs a context, and there is none.
    """
    require_host("llm")
    from llm.models import PauseChain

    build = _build_sync if sync else _build_async
    return bridge_tools(tools, build, (PauseChain,), **options)


def _build_sync(bridge: Bridge) -> HostTool:
    def run(**arguments: Any) -> Any:
        return _write(bridge.call_sync(arguments, ask=_pause))

    return _build(bridge, run)


def _build_async(bridge: Bridge) -> HostTool:
    async def run(**arguments: Any) -> Any:
        return _write(await bridge.call(arguments, ask=_pause))

    return _build(bridge, run)


def _build(bridge: Bridge, run: Any) -> HostTool:
    from llm.models import Tool

    return Tool(bridge.name, bridge.description, bridge.schema, run)


def _pause(prepared: Prepared[Any]) -> None:
    from llm.models import PauseChain

    raise PauseChain(prepared)


def _write(outcome: Ok[Any] | Err) -> Any:
    from llm.models import Attachment, ToolOutput

    text, parts = split_content(outcome, (Image, Audio, File))
    attachments = [Attachment(type=part.media_type, content=part.data) for part in parts]
    return ToolOutput(text, attachments) if attachments else text


def from_llm(tool: HostTool, /, *, invisible_characters: InvisibleCharacters = "reject") -> AnyTool:
    """Convert a tool of llm to a toolhaft tool.

    Args:
        tool: An `llm.Tool` with an implementation.
        invisible_characters: "strip" removes characters that a person cannot see from its texts,
            with a warning; "reject" rejects a tool with one.

    Raises:
        ImportError: llm is not installed.
        DefinitionError: The object is not such a tool, or its schema cannot be used.
    """
    require_host("llm")
    from llm.models import Tool

    implementation: Any = tool.implementation if isinstance(tool, Tool) else None
    if implementation is None:
        raise reject_object("llm", tool, "an llm.Tool, such as llm.Tool.function makes")

    async def run_awaited(arguments: dict[str, Any], context: Any) -> Any:
        del context
        return _read(await implementation(**arguments))

    def run(arguments: dict[str, Any], context: Any) -> Any:
        del context
        return _read(implementation(**arguments))

    is_async = inspect.iscoroutinefunction(implementation)
    return take_tool(
        tool.name,
        tool.description,
        tool.input_schema,
        run_awaited if is_async else run,
        invisible_characters=invisible_characters,
    )


def _read(result: Any) -> Any:
    from llm.models import ToolOutput

    if not isinstance(result, ToolOutput):
        return result
    parts = [media(each.content, each.type) for each in result.attachments if each.content]
    return [str(result.output), *parts] if parts else result.output
