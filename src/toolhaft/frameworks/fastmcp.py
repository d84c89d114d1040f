"""FastMCP: `pip install 'toolhaft[fastmcp]'`.

Out: a `Tool` for `server.add_tool`, with title, annotations and output schema; an error is a result
with the error flag, and is not logged as a crash. The context is FastMCP's `Context`, or
`context=`. `visible=` is judged by it in a provider for `server.add_provider`, which
`to_fastmcp_provider` returns. A call that waits for a person elicits the approval of the client's
user. A handler may raise FastMCP's own errors (`ToolError`, `AuthorizationError`).

Lost on the way out: the client or the server has read the text of a call; the schema's keys are in
another order; an output schema whose root is not an object, with its structured content.

Lost on the way in: a tool that takes FastMCP's `Context` needs a request of its server. Meta, tags,
tasks and auth stay with the server.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, overload

from toolhaft.call.outcome import Err
from toolhaft.call.permission import Deny
from toolhaft.content import ResourceLink, block
from toolhaft.errors import ToolError
from toolhaft.frameworks.approval import describe_call
from toolhaft.frameworks.bridge import BridgeOptions, bridge_tools, content_of, show_bridge_options
from toolhaft.frameworks.hosts import require_host
from toolhaft.frameworks.incoming import join_parts, media, reject_object, take_tool
from toolhaft.jsonio import jsontext
from toolhaft.tools.invisible import InvisibleCharacters

if TYPE_CHECKING:
    from fastmcp.server.providers import Provider
    from fastmcp.tools.base import Tool as HostTool
    from typing_extensions import Unpack

    from toolhaft.call.outcome import Ok
    from toolhaft.call.prepared import Prepared
    from toolhaft.frameworks.bridge import Bridge
    from toolhaft.tools.tool import AnyTool
    from toolhaft.toolset.members import Member
    from toolhaft.toolset.toolset import Toolset

__all__ = ["LOST", "from_fastmcp", "to_fastmcp", "to_fastmcp_provider"]

LOST = ("raw text", "call id", "output schema of no object")


@overload
def to_fastmcp(tools: Toolset, /, **options: Unpack[BridgeOptions]) -> list[HostTool]: ...
@overload
def to_fastmcp(tools: Member, /, **options: Unpack[BridgeOptions]) -> HostTool: ...
@show_bridge_options
def to_fastmcp(tools: Any, /, **options: Unpack[BridgeOptions]) -> Any:
    """Convert a tool to a `Tool` of FastMCP, or a toolset to a list of them.

    Args:
        tools: A `Toolset`, or one tool.
        target: The target whose schema the tools get, such as `openai`; by default plain JSON
            Schema.
        strict: See `Toolset.export`; only with `target`.
        context: The context of each call, instead of the framework's own; None is a context.

    Raises:
        ImportError: FastMCP is not installed.
        DefinitionError: A tool is defined incorrectly.
        ExportError: The target rejects a tool.
        ToolhaftError: `visible=` needs a context, and there is none.
    """
    require_host("fastmcp")
    from fastmcp.exceptions import FastMCPError

    return bridge_tools(tools, _build, (FastMCPError,), **options)


@show_bridge_options
def to_fastmcp_provider(tools: Toolset, /, **options: Unpack[BridgeOptions]) -> Provider:
    """Convert a toolset to a FastMCP provider, which lists for each client its visible tools.

    Args:
        tools: A `Toolset`.
        target: The target whose schema the tools get, such as `openai`; by default plain JSON
            Schema.
        strict: See `Toolset.export`; only with `target`.
        context: The context of each call, instead of the framework's own; None is a context.

    Raises:
        ImportError: FastMCP is not installed.
        DefinitionError: A tool is defined incorrectly.
        ExportError: The target rejects a tool.
        ToolhaftError: `visible=` needs a context, and there is none.
    """
    require_host("fastmcp")
    from fastmcp.exceptions import FastMCPError

    bridged: list[Any] = bridge_tools(tools, _build, (FastMCPError,), lists_by_run=True, **options)
    provider: Provider = _provider_class()(bridged)
    return provider


@cache
def _provider_class() -> Any:
    from fastmcp.server.providers import Provider

    class BridgedProvider(Provider):
        """The tools of a toolset of toolhaft's, for FastMCP."""

        def __init__(self, tools: list[Any]) -> None:
            super().__init__()
            self.tools = tools

        async def _list_tools(self) -> list[Any]:
            context = _context()
            return [tool for tool in self.tools if tool.bridge.is_shown(context)]

    return BridgedProvider


def _build(bridge: Bridge) -> HostTool:
    tool = bridge.tool
    output: Any = tool.output_schema and tool.output_schema.json_schema(mode="output")
    return _bridged_class()(
        name=bridge.name,
        title=tool.title,
        description=bridge.description,
        parameters=bridge.schema,
        annotations=tool.annotations,
        output_schema=output if (output or {}).get("type") == "object" else None,
        bridge=bridge,
    )


@cache
def _bridged_class() -> Any:
    from fastmcp.tools.base import Tool, ToolResult
    from pydantic import Field

    class BridgedTool(Tool):
        """A tool of toolhaft's, for FastMCP."""

        bridge: Any = Field(exclude=True, repr=False)

        async def run(self, arguments: dict[str, Any]) -> Any:
            def ask(prepared: Prepared[Any]) -> Any:
                return _ask(self.bridge, prepared)

            try:
                outcome = await self.bridge.call(arguments, _context(), ask)
            except _AskClient as asked:
                return _write_question(describe_call(self.bridge.tool, asked.args[0]))
            structured = outcome.json if outcome and self.output_schema else None
            return ToolResult(_write(outcome), structured, is_error=not outcome)

    return BridgedTool


def _context() -> Any:
    from fastmcp.server.dependencies import get_context

    try:
        return get_context()
    except RuntimeError:  # no request: the tool is called by the program
        return None


class _AskClient(Exception):
    """Raised to have the client ask its user, and call again with the answer."""


async def _ask(bridge: Bridge, prepared: Prepared[Any]) -> Prepared[Any] | Err | Deny | None:
    """Have the client ask its user; one that cannot leaves the call waiting.

    From revision 2026-07-28 on, a server asks by a result, and is called again.
    """
    from fastmcp.exceptions import FastMCPError

    context = _context()
    capabilities = context and context.session.client_capabilities
    if context is None or capabilities is None or capabilities.elicitation is None:
        return None
    try:
        answer = await context.elicit(_question(describe_call(bridge.tool, prepared)), bool)
    except FastMCPError:
        return _read_answer(bridge, context, prepared)
    return prepared if answer.action == "accept" and answer.data is True else Deny()


def _read_answer(
    bridge: Bridge, context: Any, prepared: Prepared[Any]
) -> Prepared[Any] | Err | Deny:
    """Read the answer to a question that was sent as a result; ask anew about another call."""
    answer = (context.input_responses or {}).get("approval")
    shown = _read_state(context.request_state)
    if answer is None or shown is None:
        raise _AskClient(prepared)
    approved = bridge.approve(prepared, shown)
    if isinstance(approved, Err):
        raise _AskClient(prepared)
    is_yes = answer.action == "accept" and answer.content == {"value": True}
    return approved if is_yes else Deny()


def _read_state(state: Any) -> Any:
    try:
        return jsontext.read(state, max_depth=200, decimals=True)
    except (jsontext.JsonSyntaxError, TypeError):
        return None


def _question(shown: dict[str, Any]) -> str:
    return f"Run {shown['tool']} with {jsontext.write(shown['arguments'])}?"


def _write_question(shown: dict[str, Any]) -> Any:
    from fastmcp.tools.base import InputRequiredToolResult
    from mcp_types import ElicitRequest, ElicitRequestFormParams, InputRequiredResult

    schema = {"type": "object", "properties": {"value": {"type": "boolean"}}, "required": ["value"]}
    params = ElicitRequestFormParams(message=_question(shown), requested_schema=schema)
    state = jsontext.write_exact(shown["call"])
    requests: Any = {"approval": ElicitRequest(params=params)}
    required = InputRequiredResult(input_requests=requests, request_state=state)
    return InputRequiredToolResult(required)


def _write(outcome: Ok[Any] | Err) -> list[Any]:
    """Write content in MCP's blocks."""
    from mcp_types import ContentBlock
    from pydantic import TypeAdapter

    read = TypeAdapter[Any](ContentBlock).validate_python
    return [read(block(part)) for part in content_of(outcome)]


def from_fastmcp(
    tool: HostTool, /, *, invisible_characters: InvisibleCharacters = "reject"
) -> AnyTool:
    """Convert a tool of FastMCP to a toolhaft tool.

    A result with its error flag and FastMCP's `ToolError` become tool errors.

    Args:
        tool: A `Tool`, such as `Tool.from_function` makes.
        invisible_characters: "strip" removes characters that a person cannot see from its texts,
            with a warning; "reject" rejects a tool with one.

    Raises:
        ImportError: FastMCP is not installed.
        DefinitionError: The object is not such a tool, or its schema cannot be used.
    """
    require_host("fastmcp")
    from fastmcp.exceptions import ToolError as HostError
    from fastmcp.tools.base import Tool

    if not isinstance(tool, Tool):
        raise reject_object("fastmcp", tool, "a Tool, such as Tool.from_function makes")

    async def run(arguments: dict[str, Any], context: Any) -> Any:
        del context
        try:
            result = await tool.run(arguments)
        except HostError as error:
            raise ToolError(str(error)) from None
        value = join_parts(list(map(_read_part, result.content)), is_error=result.is_error)
        is_structured = tool.output_schema is not None and result.structured_content is not None
        return result.structured_content if is_structured else value

    return take_tool(
        tool.name,
        tool.description,
        tool.parameters,
        run,
        title=tool.title,
        output=tool.output_schema,
        bridge=getattr(tool, "bridge", None),
        annotations=tool.annotations
        and tool.annotations.model_dump(by_alias=True, exclude_none=True),
        invisible_characters=invisible_characters,
    )


def _read_part(block: Any) -> Any:
    if block.type == "text":
        return block.text
    if block.type in {"image", "audio"}:
        return media(block.data, block.mime_type)
    if block.type == "resource_link":
        return ResourceLink(str(block.uri), block.name, block.description, block.mime_type)
    resource = block.resource
    data = getattr(resource, "blob", None) or resource.text.encode()
    return media(data, resource.mime_type)
