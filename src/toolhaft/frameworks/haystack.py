"""Haystack: `pip install 'toolhaft[haystack]'`.

Out: a `Tool` with a sync and an async function; an image is an `ImageContent`. `context=` is the
context of its calls.

Lost on the way out: Haystack has read the text of a call; a rejected call is a result, because an
error of Haystack's repeats all arguments; files and sounds are described in text; there is no
context, and no person to ask: a call that needs one returns that it waits, unless the toolset has
an `approve=`; title, annotations, output schema and the id of the call are left out.

Lost on the way in: parameters that Haystack fills from an agent's state (`inputs_from_state`) are
looked up in the context by name, and results are not written there; a model cannot set them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, overload

from toolhaft.call.parts import describe_part
from toolhaft.content import Image
from toolhaft.errors import DefinitionError, Fault, ToolError
from toolhaft.frameworks.bridge import BridgeOptions, bridge_tools, content_of, show_bridge_options
from toolhaft.frameworks.hosts import require_host
from toolhaft.frameworks.incoming import join_parts, media, reject_object, take_tool
from toolhaft.tools.invisible import InvisibleCharacters

if TYPE_CHECKING:
    from haystack.tools import Tool as HostTool
    from typing_extensions import Unpack

    from toolhaft.call.outcome import Err, Ok
    from toolhaft.content import Content
    from toolhaft.frameworks.bridge import Bridge
    from toolhaft.tools.tool import AnyTool
    from toolhaft.toolset.members import Member
    from toolhaft.toolset.toolset import Toolset

__all__ = ["LOST", "from_haystack", "to_haystack"]

LOST = (
    "raw text", "error flag", "files", "sounds", "context", "approval", "title", "annotations",
    "output schema", "call id", "approval on the way back",
)  # fmt: skip


@overload
def to_haystack(tools: Toolset, /, **options: Unpack[BridgeOptions]) -> list[HostTool]: ...
@overload
def to_haystack(tools: Member, /, **options: Unpack[BridgeOptions]) -> HostTool: ...
@show_bridge_options
def to_haystack(tools: Any, /, **options: Unpack[BridgeOptions]) -> Any:
    """Convert a tool to a `Tool` of Haystack, or a toolset to a list of them.

    Args:
        tools: A `Toolset`, or one tool.
        target: The target whose schema the tools get, such as `openai`; by default plain JSON
            Schema.
        strict: See `Toolset.export`; only with `target`.
        context: The context of each call, instead of the framework's own; None is a context.

    Raises:
        ImportError: Haystack is not installed.
        DefinitionError: A tool is defined incorrectly.
        ExportError: The target rejects a tool.
        ToolhaftError: `visible=` needs a context, and there is none.
    """
    require_host("haystack")
    return bridge_tools(tools, _build, **options)


def _build(bridge: Bridge) -> HostTool:
    from haystack.tools import Tool

    class BridgedTool(Tool):
        """A tool of toolhaft's, for Haystack, which may have an argument called self."""

        def invoke(self, /, **arguments: Any) -> Any:
            """Run a call."""
            return _write(bridge.call_sync(arguments))

        async def invoke_async(self, /, **arguments: Any) -> Any:
            """Run a call."""
            return _write(await bridge.call(arguments))

    def run(**arguments: Any) -> Any:
        return _write(bridge.call_sync(arguments))

    async def run_awaited(**arguments: Any) -> Any:
        return _write(await bridge.call(arguments))

    try:
        return BridgedTool(
            name=bridge.name,
            description=bridge.description,
            parameters=bridge.schema,
            function=run,
            async_function=run_awaited,
            outputs_to_string={"raw_result": True, "handler": _as_content},
        )
    except ValueError as error:
        fix = "write a schema that its own metaschema accepts, as Haystack asks jsonschema"
        raise DefinitionError([Fault(bridge.name, "input", "refused by Haystack", fix)]) from error


def _as_content(result: Any) -> Any:
    """Leave what is written already; Haystack asks for a handler where results are raw."""
    return result


def _write(outcome: Ok[Any] | Err) -> Any:
    return [_write_part(part) for part in content_of(outcome)]


def _write_part(part: Content) -> Any:
    from haystack.dataclasses import ImageContent, TextContent

    if isinstance(part, Image):
        return ImageContent(base64_image=part.base64, mime_type=part.media_type, validation=False)
    return TextContent(describe_part(part))


def from_haystack(
    tool: HostTool, /, *, invisible_characters: InvisibleCharacters = "reject"
) -> AnyTool:
    """Convert a tool of Haystack to a toolhaft tool.

    A failed invocation becomes a runtime error, because its message repeats arguments.

    Args:
        tool: A `Tool`.
        invisible_characters: "strip" removes characters that a person cannot see from its texts,
            with a warning; "reject" rejects a tool with one.

    Raises:
        ImportError: Haystack is not installed.
        DefinitionError: The object is not such a tool, or its schema cannot be used.
    """
    require_host("haystack")
    from haystack.tools import Tool

    if not isinstance(tool, Tool):
        raise reject_object("haystack", tool, "a Tool, such as @tool makes")
    injected = dict(tool.inputs_from_state or {})

    async def run(arguments: dict[str, Any], context: Any) -> Any:
        known = context if isinstance(context, Mapping) else {}
        injected_values = {name: known[key] for key, name in injected.items() if key in known}
        return _read(await tool.invoke_async(**arguments, **injected_values))

    return take_tool(
        tool.name, tool.description, tool.parameters, run, invisible_characters=invisible_characters
    )


def _read(result: Any) -> Any:
    """Read content; any other result is what it is."""
    from haystack.dataclasses import ImageContent, TextContent

    if not isinstance(result, list):
        return result
    if not any(isinstance(item, ImageContent | TextContent) for item in result):
        return result
    return join_parts([_read_part(item) for item in result])


def _read_part(item: Any) -> Any:
    from haystack.dataclasses import ImageContent, TextContent

    if isinstance(item, TextContent):
        return item.text
    if isinstance(item, ImageContent):
        return media(item.base64_image, item.mime_type)
    raise ToolError("the tool gave content that is not shown")
