"""The StandardTool protocol: what a schema, a result and a tool look like, whoever made them.

This file needs the standard library only and stands alone: copy it into your project, and a
tool built here, there or by toolhaft is the same kind of object. It follows the TypeScript
packages standard-schema 1.1 (2026-06-11) and standard-tool 0.0.6 (2026-07-20).
"""

from __future__ import annotations

from collections.abc import Awaitable, Iterable
from typing import Any, Final, Generic, Literal, Protocol, TypeAlias, TypeVar

__all__ = ["Code", "Dumps", "Failure", "HasStandardSchema", "Issue", "Mode", "Path", "Result"]
__all__ += ["SchemaNotConvertible", "StandardSchema", "StandardTool", "Success"]
__all__ += ["ToolValidationError"]

T_co = TypeVar("T_co", covariant=True)
In_co = TypeVar("In_co", covariant=True)
Out_co = TypeVar("Out_co", covariant=True)

Code: TypeAlias = Literal[
    "type", "missing", "extra", "enum", "value", "format", "json", "union", "custom"
]
Mode: TypeAlias = Literal["input", "output"]
Path: TypeAlias = tuple[str | int, ...]
Result: TypeAlias = "Success[T_co] | Failure"


class SchemaNotConvertible(Exception):
    """A schema cannot be written as JSON Schema for the wanted target and mode."""


class _Plain:
    """Equal by content, and shown without any value that a model sent."""

    __slots__: tuple[str, ...] = ()

    def __eq__(self, other: object) -> bool:
        same = type(self) is type(other)
        return same and all(getattr(self, slot) == getattr(other, slot) for slot in self.__slots__)

    def __hash__(self) -> int:
        return hash(tuple(getattr(self, slot) for slot in self.__slots__))

    def __repr__(self) -> str:
        slots = {slot: getattr(self, slot) for slot in self.__slots__ if slot != "value"}
        shown = ", ".join(f"{slot}={given!r}" for slot, given in slots.items() if given is not None)
        return f"{type(self).__name__}({shown})"


class Issue(_Plain):
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

    def __str__(self) -> str:
        where = ".".join(map(str, self.path))
        return f"{where}: {self.message}" if where else self.message


class Success(_Plain, Generic[T_co]):
    """The value that a schema accepted, as the schema gives it back."""

    __slots__ = __match_args__ = ("value",)

    def __init__(self, value: T_co) -> None:
        self.value: Final = value

    def __bool__(self) -> Literal[True]:
        return True


class Failure(_Plain):
    """Why a schema refused a value."""

    __slots__ = __match_args__ = ("issues",)

    def __init__(self, issues: Iterable[Issue]) -> None:
        self.issues: Final = tuple(issues)

    def __bool__(self) -> Literal[False]:
        return False


class StandardSchema(Protocol[T_co]):
    """What a validator library implements: check a value, and say so as JSON Schema."""

    @property
    def version(self) -> int: ...
    @property
    def vendor(self) -> str: ...
    def validate(self, value: object, /) -> Result[T_co] | Awaitable[Result[T_co]]: ...
    def json_schema(
        self, *, target: str = "draft-2020-12", mode: Mode = "input"
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

    def __init__(self, tool: str, target: Mode, issues: Iterable[Issue]) -> None:
        self.tool = tool
        self.target: Mode = target
        self.issues = tuple(issues)
        super().__init__(f"{target} validation failed: {'; '.join(map(str, self.issues))}")
