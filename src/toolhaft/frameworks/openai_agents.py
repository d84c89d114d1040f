"""The OpenAI Agents SDK: `pip install 'toolhaft[openai-agents]'`.

Out: a `FunctionTool`, which receives a call's text as the model wrote it. The context is the run's
(`Runner.run(..., context=)`); `visible=` is judged by it before each request. A call that waits for
a person interrupts the run, and is resumed by `state.approve(item)` or `state.reject(item)`. A
handler may raise the SDK's own exceptions (`AgentsException`), which end the run. With
`target="openai", strict="require"` the schema is OpenAI's strict one, which the SDK's own pass
leaves as it is. Deferred tools are declared like others, because most models of the SDK have no
tool search; in a toolset with `search="native"` they are deferred, and `ToolSearchTool` is in the
list, for models of the Responses API.

Lost on the way out: there is no error flag, an error is the output; sounds are described in text;
title, annotations and output schema are left out. If a tool may need approval, text that is not
JSON interrupts the run before it is rejected; a person sees no defaults, so a default that changes
meanwhile is not noticed, and a waiting call of a tool with default factories is denied. An unknown
tool ends the run.

Lost on the way in: guardrails, the timeout and whether a tool is enabled, which the SDK's runner
applies; if `needs_approval` is a function, every call needs approval. The context is the run's.
"""

from __future__ import annotations

from base64 import b64decode
from typing import TYPE_CHECKING, Any, overload

from toolhaft.call.parts import describe_part
from toolhaft.call.permission import Deny
from toolhaft.content import File, Image
from toolhaft.errors import ToolError
from toolhaft.frameworks.bridge import (
    BridgeOptions,
    bridge_tools,
    show_bridge_options,
    write_content,
)
from toolhaft.frameworks.hosts import require_host
from toolhaft.frameworks.incoming import media, reject_object, take_tool
from toolhaft.jsonio import jsontext
from toolhaft.providers.response import Part, is_program, read_caller
from toolhaft.tools.invisible import InvisibleCharacters

if TYPE_CHECKING:
    from agents import FunctionTool
    from typing_extensions import Unpack

    from toolhaft.call.outcome import Err
    from toolhaft.call.prepared import Prepared
    from toolhaft.content import Content
    from toolhaft.frameworks.bridge import Bridge
    from toolhaft.tools.tool import AnyTool
    from toolhaft.toolset.members import Member
    from toolhaft.toolset.toolset import Toolset

__all__ = ["LOST", "from_openai_agents", "to_openai_agents"]

LOST = (
    "error flag", "sounds", "defaults in what is approved",
    "title", "annotations", "output schema",
)  # fmt: skip


@overload
def to_openai_agents(tools: Toolset, /, **options: Unpack[BridgeOptions]) -> list[Any]: ...
@overload
def to_openai_agents(tools: Member, /, **options: Unpack[BridgeOptions]) -> FunctionTool: ...
@show_bridge_options
def to_openai_agents(tools: Any, /, **options: Unpack[BridgeOptions]) -> Any:
    """Convert a tool to a `FunctionTool` of OpenAI Agents SDK, or a toolset to a list of them.

    Args:
        tools: A `Toolset`, or one tool.
        target: The target whose schema the tools get, such as `openai`; by default plain JSON
            Schema.
        strict: See `Toolset.export`; only with `target`.
        context: The context of each call, instead of the framework's own; None is a context.

    Raises:
        ImportError: OpenAI Agents SDK is not installed.
        DefinitionError: A tool is defined incorrectly.
        ExportError: The target rejects a tool.
        ToolhaftError: `visible=` needs a context, and there is none.
    """
    require_host("openai_agents")
    from agents import AgentsException, FunctionTool, ToolSearchTool

    built = bridge_tools(tools, _build, (AgentsException,), lists_by_run=True, **options)
    if isinstance(built, FunctionTool) or not any(each.defer_loading for each in built):
        return built
    return [*built, ToolSearchTool()]


def _build(bridge: Bridge) -> FunctionTool:
    from agents import FunctionTool

    async def invoke(call: Any, text: str) -> Any:
        def ask(prepared: Prepared[Any]) -> Prepared[Any] | Err | Deny | None:
            approved = call.is_tool_approved(bridge.name, call.tool_call_id)
            if approved is None:
                return None
            return bridge.approve(prepared) if approved else Deny()

        _, origin = read_caller(Part("openai", call.tool_call), is_program)
        outcome = await bridge.call(text, call.context, ask, call.tool_call_id, origin)
        return write_content(outcome, _write_part)

    invoke.bridge = bridge  # type: ignore[attr-defined]  # for the way back

    async def waits(run: Any, arguments: dict[str, Any], call_id: str) -> bool:
        del call_id
        return await bridge.waits(arguments, run.context)

    def is_enabled(run: Any, agent: Any) -> bool:
        del agent
        return bridge.is_shown(run.context)

    callers = bridge.tool.allowed_callers
    return FunctionTool(
        name=bridge.name,
        description=bridge.description,
        params_json_schema=bridge.schema,
        on_invoke_tool=invoke,
        strict_json_schema=bridge.strict,
        needs_approval=waits if bridge.may_wait else False,
        is_enabled=is_enabled if bridge.may_hide else True,
        allowed_callers=sorted(callers) if callers else None,
        defer_loading=bridge.is_deferred and bridge.search == "native",
    )


def _write_part(part: Content) -> Any:
    from agents import ToolOutputFileContent, ToolOutputImage, ToolOutputText

    if isinstance(part, Image):
        return ToolOutputImage(image_url=part.data_url)
    if isinstance(part, File):
        return ToolOutputFileContent(file_data=part.base64, filename=part.name or "file")
    return ToolOutputText(text=describe_part(part))


def from_openai_agents(
    tool: FunctionTool, /, *, invisible_characters: InvisibleCharacters = "reject"
) -> AnyTool:
    """Convert a tool of OpenAI Agents SDK to a toolhaft tool.

    The text of a custom `failure_error_function` is its result.

    Args:
        tool: A `FunctionTool`.
        invisible_characters: "strip" removes characters that a person cannot see from its texts,
            with a warning; "reject" rejects a tool with one.

    Raises:
        ImportError: OpenAI Agents SDK is not installed.
        DefinitionError: The object is not such a tool, or its schema cannot be used.
    """
    require_host("openai_agents")
    from agents import FunctionTool, RunConfig
    from agents.tool_context import ToolContext

    if not isinstance(tool, FunctionTool):
        raise reject_object("openai_agents", tool, "a FunctionTool, such as @function_tool makes")

    async def run(arguments: dict[str, Any], context: Any) -> Any:
        text = jsontext.write(arguments)
        failures: list[Any] = []
        call = ToolContext(
            context=context,
            tool_name=tool.name,
            tool_call_id="",
            tool_arguments=text,
            # Collects failures, which the SDK would otherwise put in its own words.
            run_config=RunConfig(tool_error_formatter=failures.append),
        )
        output = await tool.on_invoke_tool(call, text)
        if failures:
            raise RuntimeError(failures[0].error)  # the words of a crash, for the log alone
        return _read(output)

    return take_tool(
        tool.name,
        tool.description,
        tool.params_json_schema,
        run,
        bridge=getattr(tool.on_invoke_tool, "bridge", None),
        requires_approval=tool.needs_approval is not False,
        allowed_callers=tool.allowed_callers,
        invisible_characters=invisible_characters,
    )


def _read(output: Any) -> Any:
    """Read content; any other output is what it is."""
    if isinstance(output, list) and output:
        return [_read_part(item) for item in output]
    return _read_part(output)


def _read_part(output: Any) -> Any:
    from agents import ToolOutputFileContent, ToolOutputImage, ToolOutputText

    if isinstance(output, ToolOutputText):
        return output.text
    if isinstance(output, ToolOutputImage | ToolOutputFileContent):
        return _read_media(output)
    return output


def _read_media(output: Any) -> Content:
    url: str = getattr(output, "image_url", None) or ""
    if url.startswith("data:"):
        media_type, _, data = url.removeprefix("data:").partition(";base64,")
        return media(data, media_type)
    if getattr(output, "file_data", None):
        return File(b64decode(output.file_data), "application/octet-stream", output.filename)
    raise ToolError("the tool gave a file by reference, which cannot be shown")
