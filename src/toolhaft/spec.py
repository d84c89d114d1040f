"""The StandardTool protocol: what a schema, a result and a tool look like, whoever made them.

This file imports the standard library only and stands alone: copy it into your project and
a tool built here, there or by toolhaft is the same kind of object. The behaviour follows the
TypeScript packages standard-schema 1.1 (2026-06-11) and standard-tool 0.0.6 (2026-07-20).
"""

from __future__ import annotations

from collections.abc import Awaitable, Iterable
from typing import Any, Generic, Literal, Protocol, TypeAlias, TypeVar

T_co = TypeVar("T_co", covariant=True)
In_co = TypeVar("In_co", covariant=True)
Out_co = TypeVar("Out_co", covariant=True)

Code: TypeAlias = Literal[
    "type", "missing", "extra", "enum", "value", "format", "json", "union", "custom"
]
Path: TypeAlias = tuple[str | int, ...]


class SchemaNotConvertible(Exception):
    """A schema cannot be written as JSON Schema for the wanted target and mode."""


class Issue:
    """One thing wrong with a value: where it is and what was expected, never the value itself.

    `code` is API, `message` is prose. `expected` and `received` are short type or keyword
    names; `vendor_code` is the validator's own name for the fault.
    """

    __slots__ = ("code", "expected", "message", "path", "received", "vendor_code")

    def __init__(
        self,
        message: str,
        path: Iterable[str | int] = (),
        code: Code = "custom",
        expected: str | None = None,
        received: str | None = None,
        vendor_code: str | None = None,
    ) -> None:
        self.message = message
        self.path: Path = tuple(path)
        self.code: Code = code
        self.expected = expected
        self.received = received
        self.vendor_code = vendor_code

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Issue):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self.__slots__)

    def __hash__(self) -> int:
        return hash((self.message, self.path, self.code))

    def __repr__(self) -> str:
        return f"Issue({self.message!r}, path={self.path!r}, code={self.code!r})"

    def __str__(self) -> str:
        where = ".".join(str(step) for step in self.path)
        return f"{where}: {self.message}" if where else self.message


class Success(Generic[T_co]):
    """The value that a schema accepted, as the schema gives it back."""

    __match_args__ = ("value",)
    __slots__ = ("_value",)

    def __init__(self, value: T_co) -> None:
        self._value = value

    @property
    def value(self) -> T_co:
        return self._value

    def __bool__(self) -> Literal[True]:
        return True


class Failure:
    """Why a schema refused a value."""

    __match_args__ = ("issues",)
    __slots__ = ("_issues",)

    def __init__(self, issues: Iterable[Issue]) -> None:
        self._issues = tuple(issues)

    @property
    def issues(self) -> tuple[Issue, ...]:
        return self._issues

    def __bool__(self) -> Literal[False]:
        return False


class StandardSchema(Protocol[T_co]):
    """What a validator library implements: check a value, and say so as JSON Schema."""

    @property
    def version(self) -> int: ...
    @property
    def vendor(self) -> str: ...
    def validate(
        self, value: object, /
    ) -> Success[T_co] | Failure | Awaitable[Success[T_co] | Failure]: ...
    def json_schema(
        self, *, target: str = "draft-2020-12", mode: Literal["input", "output"] = "input"
    ) -> dict[str, Any]: ...


class Dumps(Protocol):
    """Optional on a schema: turn a validated value into JSON data."""

    def dump(self, value: Any, /) -> Any: ...


class HasStandardSchema(Protocol[T_co]):
    """A class or an instance that carries its schema: Python's `~standard`."""

    @property
    def __standard_schema__(self) -> StandardSchema[T_co]: ...


class StandardTool(Protocol[In_co, Out_co]):
    """Any object of this shape is a tool. Consumers pass both arguments to `execute`."""

    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str | None: ...
    @property
    def description(self) -> str: ...
    @property
    def input_schema(self) -> StandardSchema[In_co] | None: ...
    @property
    def output_schema(self) -> StandardSchema[Any] | None: ...
    def execute(self, input: Any, context: Any, /) -> Awaitable[Out_co]: ...


class ToolValidationError(Exception):
    """Arguments or a result did not fit the tool's schema; `target` says which of the two."""

    def __init__(
        self, tool: str, target: Literal["input", "output"], issues: Iterable[Issue]
    ) -> None:
        self.tool = tool
        self.target = target
        self.issues = tuple(issues)
        super().__init__(f"{target} validation failed: {'; '.join(map(str, self.issues))}")
