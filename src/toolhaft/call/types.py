"""Plain records of a call that every step of it uses."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from toolhaft.definition.call_info import Origin
from toolhaft.spec import Path

__all__ = [
    "AnyOrigin",
    "Coercion",
    "Rule",
    "ToolCall",
    "ValidatedInput",
    "read_name",
    "with_fields",
]

# The repairs of `coerce="safe"`, then the repairs that "lenient" adds, then passes that are no
# repairs.
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
# A caller of an unknown kind may call nothing.
AnyOrigin: TypeAlias = Origin | Literal["unknown"]


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
    """Return a tool's name as plain text; anything else names no tool.

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
        caller: The maker of the call, as the provider wrote it; None without one.
        origin: The kind of caller: "direct", "programmatic" or "unknown".
        principal: The authenticated client that made the call, for `CallInfo.principal`.
        key: The idempotency key of the call, for `CallInfo.key`; random by default.
        id_given: Whether the provider gave the id; without one, a call gets an id by its place.
        is_text: Whether the arguments are the text itself, of a tool with a `format`.

    >>> ToolCall("call_1", "search", '{"q": "tea"}')
    ToolCall('call_1', 'search')
    """

    __match_args__ = ("id", "name", "arguments")
    __slots__ = (
        "arguments",
        "caller",
        "coercions",
        "id",
        "id_given",
        "is_text",
        "key",
        "name",
        "origin",
        "principal",
        "target",
    )

    def __init__(
        self,
        id: str | None,
        name: str,
        arguments: Any = None,
        *,
        target: str | None = None,
        coercions: tuple[Coercion, ...] = (),
        caller: dict[str, Any] | None = None,
        origin: AnyOrigin = "direct",
        principal: str | None = None,
        key: str | None = None,
        id_given: bool = True,
        is_text: bool = False,
    ) -> None:
        self.id: str | None = id
        self.name: str = name if type(name) is str else read_name(name)
        self.arguments: Any = arguments
        self.target: str | None = target
        self.coercions: tuple[Coercion, ...] = coercions
        self.caller: dict[str, Any] | None = caller
        self.origin: AnyOrigin = origin
        self.principal: str | None = principal
        self.key: str | None = key
        self.id_given: bool = id_given
        self.is_text: bool = is_text

    @property
    def provider_id(self) -> str | None:
        """The id that the provider gave; None for one that was made by the call's place."""
        return self.id if self.id_given else None

    def __repr__(self) -> str:
        return f"ToolCall({self.id!r}, {self.name!r})"


def with_fields(call: ToolCall, **fields: Any) -> ToolCall:
    """Return a copy of a call with other fields.

    >>> with_fields(ToolCall("call_1", "search"), name="find")
    ToolCall('call_1', 'find')
    """
    other = object.__new__(ToolCall)  # `copy` would cost as much as a small call
    for name in ToolCall.__slots__:
        setattr(other, name, fields[name] if name in fields else getattr(call, name))
    return other


# The declared object, the accepted JSON data that it was made from, and the repairs.
ValidatedInput: TypeAlias = tuple[Any, Any, tuple[Coercion, ...]]
