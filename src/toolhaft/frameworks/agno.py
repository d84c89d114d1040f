"""Agno: `pip install 'toolhaft[agno]'`.

Out: a `Function`, with `sync=True` for an agent that is not awaited. A tool that may need approval
has `requires_confirmation`, and Agno asks before each of its calls; outside of a run of Agno's, its
result is that it waits. Images are Agno's media. A handler may raise `StopAgentRun` and
`RetryAgentRun`.

Lost on the way out, and `to_agno` warns: Agno reads the text of a call in its own way. It takes
duplicate keys and Python's literals, and the strings `"null"`, `"none"`, `"true"` and `"false"`
become None and booleans. There is no error flag; sounds and files are described in text; Agno's run
context is not the tool's, so pass one as `context=`; title, annotations, output schema and the id
of the call are left out. A call that would be rejected is confirmed first, and a person sees no
defaults. So a default that changes meanwhile is not noticed, and a tool with default factories is
denied.

Lost on the way in: Agno's own parameters, such as `agent` and `run_context`, hooks and the cache.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, overload

from toolhaft.content import Image
from toolhaft.frameworks.bridge import (
    BridgeOptions,
    bridge_tools,
    show_bridge_options,
    split_content,
    warn_once,
)
from toolhaft.frameworks.hosts import require_host
from toolhaft.frameworks.incoming import media, reject_object, take_tool
from toolhaft.tools.invisible import InvisibleCharacters

if TYPE_CHECKING:
    from agno.tools.function import Function
    from typing_extensions import Unpack

    from toolhaft.call.outcome import Err, Ok
    from toolhaft.frameworks.bridge import Ask, Bridge
    from toolhaft.tools.tool import AnyTool
    from toolhaft.toolset.members import Member
    from toolhaft.toolset.toolset import Toolset

__all__ = ["LOST", "from_agno", "to_agno"]

LOST = (
    "raw text", "error flag", "sounds", "files", "context",
    "defaults in what is approved", "title", "annotations", "output schema", "call id",
)  # fmt: skip
WARNING = (
    "to_agno: Agno reads the arguments of a call before they are checked: duplicate keys are "
    'taken, and the strings "null", "none", "true" and "false" become null and booleans'
)


@overload
def to_agno(
    tools: Toolset, /, *, sync: bool = False, **options: Unpack[BridgeOptions]
) -> list[Function]: ...
@overload
def to_agno(
    tools: Member, /, *, sync: bool = False, **options: Unpack[BridgeOptions]
) -> Function: ...
@show_bridge_options
def to_agno(tools: Any, /, *, sync: bool = False, **options: Unpack[BridgeOptions]) -> Any:
    """Convert a tool to a `Function` of Agno, or a toolset to a list of them.

    Args:
        tools: A `Toolset`, or one tool.
        sync: Whether to make tools for synchronous code.
        target: The target whose schema the tools get, such as `openai`; by default plain JSON
            Schema.
        strict: See `Toolset.export`; only with `target`.
        context: The context of each call, instead of the framework's own; None is a context.

    Raises:
        ImportError: Agno is not installed.
        DefinitionError: A tool is defined incorrectly.
        ExportError: The target rejects a tool.
        ToolhaftError: `visible=` needs a context, and there is none.
    """
    require_host("agno")
    from agno.exceptions import AgentRunException

    warn_once(WARNING)
    build = _build_sync if sync else _build_async
    return bridge_tools(tools, build, (AgentRunException,), **options)


def _build_sync(bridge: Bridge) -> Function:
    def run(*, _agno_run_context: Any = None, **arguments: Any) -> Any:
        return _write(bridge.call_sync(arguments, ask=_ask_of(bridge, _agno_run_context)))

    return _build(bridge, run)


def _build_async(bridge: Bridge) -> Function:
    async def run(*, _agno_run_context: Any = None, **arguments: Any) -> Any:
        return _write(await bridge.call(arguments, ask=_ask_of(bridge, _agno_run_context)))

    return _build(bridge, run)


def _ask_of(bridge: Bridge, run_context: Any) -> Ask | None:
    """Approve a call in a run, because Agno runs a waiting tool only after a person confirmed it.

    Outside of a run nobody confirmed the call, so it keeps waiting.
    """
    return None if run_context is None else bridge.approve


def _build(bridge: Bridge, run: Any) -> Function:
    from agno.tools.function import Function

    run.bridge = bridge  # for the way back
    return Function(
        name=bridge.name,
        description=bridge.description,
        parameters=bridge.schema,
        entrypoint=run,
        skip_entrypoint_processing=True,
        requires_confirmation=bridge.may_wait,
    )


def _write(outcome: Ok[Any] | Err) -> Any:
    from agno.media import Image as HostImage
    from agno.tools.function import ToolResult

    text, parts = split_content(outcome, Image)
    images = [HostImage(content=part.data, mime_type=part.media_type) for part in parts]
    return ToolResult(content=text, images=images) if images else text


def from_agno(
    tool: Function, /, *, invisible_characters: InvisibleCharacters = "reject"
) -> AnyTool:
    """Convert a tool of Agno to a toolhaft tool.

    A failed execution becomes a runtime error, because Agno does not tell errors apart.

    Args:
        tool: A `Function`, such as `@tool` makes.
        invisible_characters: "strip" removes characters that a person cannot see from its texts,
            with a warning; "reject" rejects a tool with one.

    Raises:
        ImportError: Agno is not installed.
        DefinitionError: The object is not such a tool, or its schema cannot be used.
    """
    require_host("agno")
    from agno.tools.function import Function, FunctionCall

    if not isinstance(tool, Function):
        raise reject_object("agno", tool, "a Function, such as @tool makes")
    function = tool.model_copy()
    function.process_entrypoint()

    async def run(arguments: dict[str, Any], context: Any) -> Any:
        del context
        call = FunctionCall(function=function, arguments=arguments)
        is_async = inspect.iscoroutinefunction(function.entrypoint)
        result = await call.aexecute() if is_async else call.execute()
        if result.status != "success":
            raise RuntimeError(result.error)  # the words of a crash, for the log alone
        return _read(result.result)

    return take_tool(
        function.name,
        function.description,
        function.parameters,
        run,
        bridge=getattr(function.entrypoint, "bridge", None),
        requires_approval=bool(function.requires_confirmation),
        invisible_characters=invisible_characters,
    )


def _read(result: Any) -> Any:
    """Read content; any other result is what it is."""
    from agno.tools.function import ToolResult

    if not isinstance(result, ToolResult):
        return result
    images = [media(image.content, image.mime_type) for image in result.images or []]
    return [result.content, *images] if images else result.content
