"""Plain records of a call that every step of it uses."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from toolhaft.spec import Path

__all__ = ["Coercion", "Rule", "ToolCall", "ValidatedInput", "read_name"]

# The repairs of `coerce="safe"`, then those that "lenient" adds, then passes that are no repairs.
Rule: TypeAlias = Literal[
    "number_text",
    "boolean_text",
    "json_text",
    "python_literal",
    "double_encoded",
    "enum_case",
    "null_absent",
    "empty_absent",
    "scalar_to_list",
    "comma_list",
    "none_text",
    "undeclared_dropped",
    "ignored",
    "vendor_ignored",
    "vendor",
]


class Coercion:
    """A repair that was made to an argument; never contains the value.

    Args:
        path: The place in the arguments, as a tuple of keys and indexes.
        rule: The name of the repair rule.

    >>> Coercion(("tags",), "json_text")
    Coercion(('tags',), 'json_text')
    """

    __slots__ = ("path", "rule")

    def __init__(self, path: Path, rule: Rule) -> None:
        self.path: Path = path
        self.rule: Rule = rule

    def as_json(self) -> dict[str, Any]:
        """Return the repair as JSON data."""
        return {"path": list(self.path), "rule": self.rule}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Coercion):
            return NotImplemented
        return (self.path, self.rule) == (other.path, other.rule)

    def __hash__(self) -> int:
        return hash((self.path, self.rule))

    def __repr__(self) -> str:
        return f"Coercion({self.path!r}, {self.rule!r})"


def read_name(name: Any) -> str:
    """Give a tool's name as plain text; anything else names no tool.

    >>> read_name("add"), read_name(["add"])
    ('add', '')
    """
    return str.__str__(name) if issubclass(type(name), str) else ""


class ToolCall:
    """One call as a model sent it.

    Args:
        id: The provider's id of the call, if it has one.
        name: The name of the tool.
        arguments: The raw arguments: text, bytes or data.
        target: The target whose response held the call.
        coercions: The repairs that reading the response took.

    >>> ToolCall("call_1", "search", '{"q": "tea"}')
    ToolCall('call_1', 'search')
    """

    __match_args__ = ("id", "name", "arguments")
    __slots__ = ("arguments", "coercions", "id", "name", "target")

    def __init__(
        self,
        id: str | None,
        name: str,
        arguments: Any = None,
        *,
        target: str | None = None,
        coercions: tuple[Coercion, ...] = (),
    ) -> None:
        self.id: str | None = id
        self.name: str = read_name(name)
        self.arguments: Any = arguments
        self.target: str | None = target
        self.coercions: tuple[Coercion, ...] = coercions

    def __repr__(self) -> str:
        return f"ToolCall({self.id!r}, {self.name!r})"


# The declared object, the admitted JSON data that it was made from, and what was repaired.
ValidatedInput: TypeAlias = tuple[Any, Any, tuple[Coercion, ...]]
