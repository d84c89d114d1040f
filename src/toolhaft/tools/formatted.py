"""What `Tool.formatted` gives: an object of the StandardTool shape that keeps what the tool is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolhaft.call.formatted import Format

if TYPE_CHECKING:
    from toolhaft.tools.tool import AnyTool

__all__ = ["FormattedTool"]


class FormattedTool:
    """A tool whose `execute` gives what a function makes of the output or the exception.

    In a toolset it stays what it was: hints, provider options, permission, strictness and limits.
    """

    __slots__ = ("format", "tool")

    def __init__(self, tool: AnyTool, format: Format) -> None:
        self.tool: AnyTool = tool
        self.format: Format = format

    @property
    def __unformatted__(self) -> AnyTool:
        return self.tool

    @property
    def name(self) -> str:
        return self.tool.name

    @property
    def title(self) -> str | None:
        return self.tool.title

    @property
    def description(self) -> str:
        return self.tool.description

    @property
    def input_schema(self) -> Any:
        return self.tool.input_schema

    @property
    def output_schema(self) -> Any:
        return self.tool.output_schema

    async def execute(self, input: Any = None, context: Any = None, /) -> Any:
        """Run the tool and give what the function makes of it; a crash comes masked."""
        outcome = await self.tool.call(input, context=context)
        result = self.format(outcome.value if outcome else outcome.to_exception())
        return await result if hasattr(result, "__await__") else result

    def formatted(self, format: Format, /) -> FormattedTool:
        """Give the tool with another function instead of this one."""
        return FormattedTool(self.tool, format)

    def __repr__(self) -> str:
        return f"FormattedTool({self.name!r})"
