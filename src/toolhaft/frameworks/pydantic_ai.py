"""Pydantic AI: `pip install 'toolhaft[pydantic-ai]'`.

Out: a `Tool`, for `Agent(tools=)`, which receives a call's text as the model wrote it. The context
is the run's `deps`; `visible=` is judged by it before each request. A call that waits for a person
raises `ApprovalRequired`, and is resumed by `DeferredToolResults(approvals=...)`. The call that was
shown is kept in the metadata of the response that made it, and exactly that call runs. A history
without it needs `metadata=requests.metadata`. `ToolApproved(override_args=...)` is an edit: these
arguments run instead, by the names that the model has, except for a tool with default factories,
whose values nobody was shown. A handler may raise exceptions that steer a run, such as `ModelRetry`
and `CallDeferred`. An error is `ToolFailed`, because a second `ModelRetry` would end the run. A
deferred tool has `defer_loading`: Pydantic AI shows it once its own tool search has found it.

Lost on the way out: Pydantic AI shows an error as `{"error": text}`; hooks see the arguments of a
call as one, `arguments`; duplicate keys are not seen if a hook reads the text first; title,
annotations and output schema are left out.

Lost on the way in: an exception that steers a run is a tool error; `prepare`, retries and timeouts
are applied by Pydantic AI's runner. The context is `deps`, or a `RunContext`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, overload

from toolhaft.call.parts import describe_part
from toolhaft.content import ResourceLink
from toolhaft.errors import ToolError
from toolhaft.frameworks.approval import describe_call
from toolhaft.frameworks.bridge import (
    BridgeOptions,
    bridge_tools,
    show_bridge_options,
    write_content,
)
from toolhaft.frameworks.hosts import require_host
from toolhaft.frameworks.incoming import media, reject_object, take_tool
from toolhaft.tools.internals import call_options_of
from toolhaft.tools.invisible import InvisibleCharacters

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelResponse, ToolCallPart
    from pydantic_ai.tools import RunContext
    from pydantic_ai.tools import Tool as HostTool
    from typing_extensions import Unpack

    from toolhaft.call.outcome import Err, Ok
    from toolhaft.call.prepared import Prepared
    from toolhaft.content import Content
    from toolhaft.frameworks.bridge import Bridge
    from toolhaft.tools.tool import AnyTool
    from toolhaft.toolset.members import Member
    from toolhaft.toolset.toolset import Toolset

__all__ = ["LOST", "from_pydantic_ai", "to_pydantic_ai"]

KEPT = "toolhaft"  # in the metadata of a response: its calls as they were shown, by their ids
WAITS = "The tool waits for an answer that cannot be had here."
LOST = ("bare text of a refusal", "arguments in hooks", "title", "annotations", "output schema")


@overload
def to_pydantic_ai(tools: Toolset, /, **options: Unpack[BridgeOptions]) -> list[HostTool[Any]]: ...
@overload
def to_pydantic_ai(tools: Member, /, **options: Unpack[BridgeOptions]) -> HostTool[Any]: ...
@show_bridge_options
def to_pydantic_ai(tools: Any, /, **options: Unpack[BridgeOptions]) -> Any:
    """Convert a tool to a `Tool` of Pydantic AI, or a toolset to a list of them.

    Args:
        tools: A `Toolset`, or one tool.
        target: The target whose schema the tools get, such as `openai`; by default plain JSON
            Schema.
        strict: See `Toolset.export`; only with `target`.
        context: The context of each call, instead of the framework's own; None is a context.

    Raises:
        ImportError: Pydantic AI is not installed.
        DefinitionError: A tool is defined incorrectly.
        ExportError: The target rejects a tool.
        ToolhaftError: `visible=` needs a context, and there is none.
    """
    require_host("pydantic_ai")
    from pydantic_ai.exceptions import (
        AgentRunError,
        ApprovalRequired,
        CallDeferred,
        ModelRetry,
        ToolFailed,
    )

    kinds = (AgentRunError, ApprovalRequired, CallDeferred, ModelRetry, ToolFailed)
    return bridge_tools(tools, _build, kinds, lists_by_run=True, **options)


class _AsWritten:
    """Takes any arguments as they were written: a validator in Pydantic AI's terms."""

    def __init__(self, bridge: Bridge) -> None:
        self.bridge = bridge  # for the way back

    def validate_json(self, input: str | bytes | bytearray, **options: Any) -> Any:
        """Take the text of a call."""
        del options
        return {"arguments": input}

    def validate_python(self, input: Any, **options: Any) -> Any:
        """Take the arguments of a provider that gives data, or of who approved a call."""
        del options
        return {"arguments": input}


def _build(bridge: Bridge) -> HostTool[Any]:
    from pydantic_ai.exceptions import ApprovalRequired
    from pydantic_ai.tools import Tool

    async def run(call: RunContext[Any], /, arguments: Any) -> Any:
        def ask(prepared: Prepared[Any]) -> Prepared[Any] | Err:
            if not call.tool_call_approved:
                raise ApprovalRequired(_keep_shown(call, describe_call(bridge.tool, prepared)))
            return bridge.approve(prepared, _find_shown(call, arguments))

        asked = _find_asked(call, arguments) if call.tool_call_approved else None
        if asked is not None:
            called = arguments, call.deps, call.tool_call_id
            return _write(await bridge.call_edited(asked, *called))
        return _write(await bridge.call(arguments, call.deps, ask, call.tool_call_id))

    declared = bridge.name, bridge.description, bridge.schema
    is_alone = not call_options_of(bridge.tool).parallel
    tool = Tool.from_schema(run, *declared, takes_ctx=True, sequential=is_alone)
    tool.defer_loading = bridge.tool.defer  # until Pydantic AI's own search has found it
    tool.function_schema = replace(tool.function_schema, validator=_AsWritten(bridge))
    if bridge.may_hide:
        tool.prepare = lambda run, declared: declared if bridge.is_shown(run.deps) else None
    return tool


def _find_call(call: RunContext[Any]) -> tuple[ModelResponse, ToolCallPart] | None:
    """Find the model's own call in the history, and the response that it is of."""
    from pydantic_ai.exceptions import UserError
    from pydantic_ai.messages import ModelResponse

    try:
        history = reversed(call.messages)
    except UserError:  # a durable run has no history here
        return None
    responses = (message for message in history if isinstance(message, ModelResponse))
    calls = ((response, part) for response in responses for part in response.tool_calls)
    return next((origin for origin in calls if origin[1].tool_call_id == call.tool_call_id), None)


def _keep_shown(call: RunContext[Any], shown: dict[str, Any]) -> dict[str, Any]:
    """Keep what is shown of a call where it travels with the history."""
    origin = _find_call(call)
    if origin is not None:
        response, _ = origin
        metadata = response.metadata or {}
        kept = {**metadata.get(KEPT, {}), call.tool_call_id: shown["call"]}
        response.metadata = {**metadata, KEPT: kept}
    return shown


def _find_shown(call: RunContext[Any], arguments: Any) -> Any:
    """Return the call that was shown and approved; None if a person has changed the arguments."""
    metadata = call.tool_call_metadata
    shown = metadata.get("call") if isinstance(metadata, dict) else None
    origin = _find_call(call)
    if origin is None:
        return shown
    response, part = origin
    if arguments != (part.args or ("{}" if isinstance(arguments, str) else {})):
        return None  # a person has changed them
    return (response.metadata or {}).get(KEPT, {}).get(call.tool_call_id, shown)


def _find_asked(call: RunContext[Any], arguments: Any) -> Any:
    """Return the arguments of the model's own call, where a person has changed them."""
    origin = _find_call(call)
    if origin is None:
        return None
    asked = origin[1].args or ("{}" if isinstance(arguments, str) else {})
    return None if asked == arguments else asked


def _write(outcome: Ok[Any] | Err) -> Any:
    from pydantic_ai.exceptions import ToolFailed

    if not outcome:
        raise ToolFailed(outcome.text)
    return write_content(outcome, _write_part)


def _write_part(part: Content) -> Any:
    from pydantic_ai.messages import BinaryContent

    if isinstance(part, str | ResourceLink):
        return describe_part(part)
    return BinaryContent(part.data, media_type=part.media_type)


def from_pydantic_ai(
    tool: HostTool[Any], /, *, invisible_characters: InvisibleCharacters = "reject"
) -> AnyTool:
    """Convert a tool of Pydantic AI to a toolhaft tool.

    `ModelRetry` and `ToolFailed` become tool errors.

    Args:
        tool: A `Tool`.
        invisible_characters: "strip" removes characters that a person cannot see from its texts,
            with a warning; "reject" rejects a tool with one.

    Raises:
        ImportError: Pydantic AI is not installed.
        DefinitionError: The object is not such a tool, or its schema cannot be used.
    """
    require_host("pydantic_ai")
    from pydantic_ai.exceptions import ApprovalRequired, CallDeferred, ModelRetry, ToolFailed
    from pydantic_ai.tools import Tool

    if not isinstance(tool, Tool):
        raise reject_object("pydantic_ai", tool, "a Tool, such as Tool(function) makes")
    schema = tool.function_schema

    async def run(arguments: dict[str, Any], context: Any) -> Any:
        validated = schema.validator.validate_python(arguments)
        try:
            return _read(await schema.call(validated, _run_context(tool, context)))
        except (ModelRetry, ToolFailed) as error:
            raise ToolError(error.message) from None
        except (ApprovalRequired, CallDeferred):
            raise ToolError(WAITS) from None

    return take_tool(
        tool.name,
        tool.description,
        schema.json_schema,
        run,
        bridge=getattr(schema.validator, "bridge", None),
        requires_approval=tool.requires_approval or None,
        invisible_characters=invisible_characters,
    )


def _run_context(tool: HostTool[Any], context: Any) -> RunContext[Any]:
    from pydantic_ai.models.test import TestModel
    from pydantic_ai.tools import RunContext
    from pydantic_ai.usage import RunUsage

    if isinstance(context, RunContext):
        return context
    return RunContext(deps=context, model=TestModel(), usage=RunUsage(), tool_name=tool.name)


def _read(result: Any) -> Any:
    """Read content; any other result is what it is."""
    from pydantic_ai.messages import BinaryContent, ToolReturn

    value = result.return_value if isinstance(result, ToolReturn) else result
    if isinstance(value, list) and any(isinstance(item, BinaryContent) for item in value):
        return [_read_part(item) for item in value]
    return _read_part(value)


def _read_part(value: Any) -> Any:
    from pydantic_ai.messages import BinaryContent

    return media(value.data, value.media_type) if isinstance(value, BinaryContent) else value
