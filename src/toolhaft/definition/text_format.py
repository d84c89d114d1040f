"""`Regex`: the format of a tool whose only argument is a text."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias, final

__all__ = ["FREE", "Regex", "TextFormat"]

# Any text.
FREE: Final = "text"


@final
class Regex:
    r"""A regular expression that the whole text of a call matches, for `tool(format=)`.

    Args:
        pattern: The expression, in the syntax of JSON Schema without lookarounds and back
            references, so that matching takes linear time.

    >>> from toolhaft import tool
    >>> @tool(format=Regex(r"[0-9]+( [-+*/] [0-9]+)*"))
    ... def calculate(expression: str) -> str:
    ...     "Calculate an expression such as 3 + 4."
    ...     return expression
    >>> calculate.call_sync({"expression": "3 + 4"}).text
    '3 + 4'
    >>> bool(calculate.call_sync({"expression": "3 + "}))
    False
    """

    __slots__ = ("pattern",)

    def __init__(self, pattern: str) -> None:
        self.pattern: str = pattern

    @property
    def whole(self) -> str:
        """The expression as a `pattern` of JSON Schema, which by itself matches any part."""
        return f"^(?:{self.pattern})$"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Regex) and self.pattern == other.pattern

    def __hash__(self) -> int:
        return hash(self.pattern)

    def __repr__(self) -> str:
        return f"Regex({self.pattern!r})"


TextFormat: TypeAlias = Literal["text"] | Regex
