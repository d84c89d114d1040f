"""Anthropic's tool runner: `pip install 'toolhaft[anthropic-runner]'`.

Out: a runnable tool for `client.beta.messages.tool_runner(tools=)`; with `sync=True` for a client
that is not async. A rejected call is a result with `is_error`, images and PDFs are Anthropic's
blocks. A handler may raise the runner's own `ToolError`. Deferred tools of a toolset have
`defer_loading`, and Anthropic's tool search is in the list; with `search="local"` they are declared
like others.

Lost on the way out: the SDK has read the text of a call; sounds and other files are described in
text; the runner has no context, so pass one as `context=`, and cannot ask a person: a call that
needs one returns that it waits, unless the toolset has an `approve=`; title, annotations, output
schema and the id of the call are left out.

Lost on the way in: `close`, and tools that are not functions, such as the memory tool's commands.
"""

from __future__ import annotations

import inspect
from functools import cache
from typing import TYPE_CHECKING, Any, overload

from toolhaft.call.parts import describe_part
from toolhaft.content import File, Image
from toolhaft.errors import ToolError
from toolhaft.frameworks.bridge import (
    BridgeOptions,
    bridge_tools,
    show_bridge_options,
    write_content,
)
from toolhaft.frameworks.hosts import require_host
from toolhaft.frameworks.incoming import media, reject_object, reject_part, take_tool
from toolhaft.providers.anthropic import SEARCH_TOOL
from toolhaft.tools.invisible import InvisibleCharacters

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from toolhaft.call.outcome import Err, Ok
    from toolhaft.content import Content
    from toolhaft.tools.tool import AnyTool
    from toolhaft.toolset.members import Member
    from toolhaft.toolset.toolset import Toolset

__all__ = ["LOST", "from_anthropic", "to_anthropic"]

LOST = (
    "raw text", "approval", "sounds", "title", "annotations", "output schema", "call id",
    "approval on the way back",
)  # fmt: skip


@overload
def to_anthropic(
    tools: Toolset, /, *, sync: bool = False, **options: Unpack[BridgeOptions]
) -> list[Any]: ...
@overload
def to_anthropic(
    tools: Member, /, *, sync: bool = False, **options: Unpack[BridgeOptions]
) -> Any: ...
@show_bridge_options
def to_anthropic(tools: Any, /, *, sync: bool = False, **options: Unpack[BridgeOptions]) -> Any:
    """Convert a tool to a runner tool of Anthropic's tool runner, or a toolset to a list of them.

    Args:
        tools: A `Toolset`, or one tool.
        sync: Whether to make tools for synchronous code.
        target: The target whose schema the tools get, such as `openai`; by default plain JSON
            Schema.
        strict: See `Toolset.export`; only with `target`.
        context: The context of each call, instead of the framework's own; None is a context.

    Raises:
        ImportError: Anthropic's tool runner is not installed.
        DefinitionError: A tool is defined incorrectly.
        ExportError: The target rejects a tool.
        ToolhaftError: `visible=` needs a context, and there is none.
    """
    require_host("anthropic")
    from anthropic.lib.tools import ToolError as HostError

    built = bridge_tools(tools, _bridged_classes()[sync], (HostError,), **options)
    defers = isinstance(built, list) and any(each.defers for each in built)
    return [*built, dict(SEARCH_TOOL)] if defers else built


@cache
def _bridged_classes() -> tuple[Any, Any]:
    from anthropic.lib.tools import BetaAsyncBuiltinFunctionTool, BetaBuiltinFunctionTool

    class Bridged:
        """A tool of toolhaft's, for the tool runner."""

        def __init__(self, bridge: Any) -> None:
            self.bridge = bridge
            self.defers = bridge.is_deferred and bridge.search != "local"

        def to_dict(self) -> Any:
            """Declare the tool."""
            declared = {"name": self.bridge.name, "description": self.bridge.description}
            strict = {"strict": True} if self.bridge.strict else {}
            deferred = {"defer_loading": True} if self.defers else {}
            return {**declared, "input_schema": self.bridge.schema, **strict, **deferred}

    class AsyncBridged(Bridged, BetaAsyncBuiltinFunctionTool):
        """The same, awaited."""

        async def call(self, input: object) -> Any:
            """Run a call."""
            return _write(await self.bridge.call(input))

    class SyncBridged(Bridged, BetaBuiltinFunctionTool):
        """The same, for a client without a loop."""

        def call(self, input: object) -> Any:
            """Run a call."""
            return _write(self.bridge.call_sync(input))

    return AsyncBridged, SyncBridged


def _write(outcome: Ok[Any] | Err) -> Any:
    from anthropic.lib.tools import ToolError as HostError

    if not outcome:
        raise HostError(outcome.text)
    return write_content(outcome, _write_part)


def _write_part(part: Content) -> dict[str, Any]:
    if isinstance(part, Image):
        kind = "image"
    elif isinstance(part, File) and part.media_type == "application/pdf":
        kind = "document"
    else:
        return {"type": "text", "text": describe_part(part)}
    source = {"type": "base64", "media_type": part.media_type, "data": part.base64}
    return {"type": kind, "source": source}


def from_anthropic(
    tool: Any, /, *, invisible_characters: InvisibleCharacters = "reject"
) -> AnyTool:
    """Convert a tool of Anthropic's tool runner to a toolhaft tool.

    Anthropic's `ToolError` becomes a tool error.

    Args:
        tool: A function tool, such as `@beta_tool` makes.
        invisible_characters: "strip" removes characters that a person cannot see from its texts,
            with a warning; "reject" rejects a tool with one.

    Raises:
        ImportError: Anthropic's tool runner is not installed.
        DefinitionError: The object is not such a tool, or its schema cannot be used.
    """
    require_host("anthropic")
    from anthropic.lib.tools import (
        BetaAsyncBuiltinFunctionTool,
        BetaAsyncFunctionTool,
        BetaBuiltinFunctionTool,
        BetaFunctionTool,
    )
    from anthropic.lib.tools import ToolError as HostError

    kinds = (
        BetaFunctionTool,
        BetaAsyncFunctionTool,
        BetaBuiltinFunctionTool,
        BetaAsyncBuiltinFunctionTool,
    )
    declared: Any = tool.to_dict() if isinstance(tool, kinds) else {}
    if "input_schema" not in declared:
        raise reject_object("anthropic", tool, "a function tool, such as @beta_tool makes")

    async def run(arguments: dict[str, Any], context: Any) -> Any:
        del context
        try:
            result = tool.call(arguments)
            return _read(await result if inspect.isawaitable(result) else result)
        except HostError as error:
            raise ToolError(str(error)) from None

    return take_tool(
        tool.name,
        declared.get("description"),
        declared["input_schema"],
        run,
        invisible_characters=invisible_characters,
    )


def _read(result: Any) -> Any:
    return result if isinstance(result, str) else [_read_part(block) for block in result]


def _read_part(block: Any) -> Any:
    if block["type"] == "text":
        return block["text"]
    source = block.get("source", {})
    if source.get("type") == "base64":
        return media(source["data"], source["media_type"])
    raise reject_part(block["type"])
