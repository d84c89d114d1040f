"""The result of `Tool.formatted`: a StandardTool that keeps the tool's attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic

from toolhaft.call.callbacks import run_without_loop
from toolhaft.call.formatted import Format, format_outcome
from toolhaft.definition.typevars import In_co, Out_co
from toolhaft.errors import ToolOutputInvalid
from toolhaft.jsonio.jsondata import NotJson

if TYPE_CHECKING:
    from toolhaft.call.outcome import Err, Ok
    from toolhaft.tools.tool import AnyTool

__all__ = ["FormattedTool"]


class FormattedTool(Generic[In_co, Out_co]):
    """A tool whose result is what a function makes of the output or the exception, as JSON data.

    `Tool.formatted` returns one. In a toolset it keeps its hints, provider options, permission,
    strictness and limits.

    Args:
        tool: The tool.
        format: A function of the output or of the exception.
    """

    __slots__ = ("__format_output__", "__unformatted__")

    def __init__(self, tool: AnyTool, format: Format) -> None:
        self.__unformatted__: AnyTool = tool
        self.__format_output__: Format = format

    @property
    def name(self) -> str:
        """The name of the tool."""
        return self.__unformatted__.name

    @property
    def title(self) -> str | None:
        """The title that people see, if there is one."""
        return self.__unformatted__.title

    @property
    def description(self) -> str:
        """The description that models read."""
        return self.__unformatted__.description

    @property
    def input_schema(self) -> Any:
        """The schema of the arguments."""
        return self.__unformatted__.input_schema

    @property
    def output_schema(self) -> Any:
        """The schema of the results, before the function."""
        return self.__unformatted__.output_schema

    async def execute(self, input: Any = None, context: Any = None, /) -> Out_co:
        """Run the tool and return what the function makes of its result, as JSON data.

        Args:
            input: The arguments as a dict, or an object of the declared input type.
            context: The context of the call, passed to the handler and to `authorize`.

        Raises:
            ToolOutputInvalid: The function returned something that is not JSON.
            Exception: Any exception of the function passes through.
        """
        outcome = await self.__unformatted__.call(input, context=context)
        result: Out_co = await self._write(outcome, has_loop=True)
        return result

    def execute_sync(self, input: Any = None, context: Any = None, /) -> Out_co:
        """Like `execute`, but synchronous, with the same arguments."""
        outcome = self.__unformatted__.call_sync(input, context=context)
        result: Out_co = run_without_loop(self._write(outcome, has_loop=False))
        return result

    async def _write(self, outcome: Ok[Any] | Err, *, has_loop: bool) -> Any:
        try:
            _, data = await format_outcome(self.__format_output__, outcome, has_loop=has_loop)
        except NotJson as error:
            issues = error.issues
        else:
            return data
        raise ToolOutputInvalid(self.name, issues)

    def formatted(self, format: Format, /) -> FormattedTool[In_co, Any]:
        """Return the tool with another function instead of this one.

        Args:
            format: See `Tool.formatted`.
        """
        return FormattedTool(self.__unformatted__, format)

    def __repr__(self) -> str:
        return f"FormattedTool({self.name!r})"
