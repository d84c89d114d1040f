"""StandardTool, to be copied: after standard-schema 1.1 and standard-tool 0.0.6 (2026-07-20)."""

# fmt: off
from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping
from contextlib import suppress
from types import SimpleNamespace
from typing import Any, Final, Generic, Literal, Protocol, TypeAlias, TypeVar, cast

__all__ = ["BuiltTool", "Code", "Dumps", "Failure", "HasStandardSchema", "Issue", "Mode", "Path"]
__all__ += ["SchemaNotConvertible", "StandardSchema", "StandardTool", "Success"]
__all__ += ["ToolValidationError", "standard_tool", "with_formatted_output"]
In_co = TypeVar("In_co", covariant=True)
Out_co = TypeVar("Out_co", covariant=True)
Code = Literal["type", "missing", "extra", "enum", "value", "format", "json", "union", "custom"]
Mode = Literal["input", "output"]
Path = tuple[str | int, ...]
JsonSchema = dict[str, Any]
MEMBERS = {"version", "vendor", "validate", "json_schema"}
Result: TypeAlias = "Success[Out_co] | Failure"
Schema: TypeAlias = "StandardSchema[Any] | HasStandardSchema[Any]"


class SchemaNotConvertible(Exception):
    """A schema cannot be written as JSON Schema for the wanted target and mode."""


class _Plain:
    __slots__: tuple[str, ...] = ()

    def _fields(self) -> dict[str, Any]:
        return {slot: getattr(self, slot) for slot in self.__slots__ if slot != "facts"}
    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self._fields() == other._fields()
    def __hash__(self) -> int: return hash(tuple(self._fields().values()))
    def __repr__(self) -> str:  # without values
        return f"{type(self).__name__}({', '.join(map(repr, getattr(self, 'issues', ())))})"


class Issue(_Plain):
    """One issue: its place and message, never the value; `code` is API, `facts` are certain."""

    __slots__ = ("code", "expected", "facts", "message", "path", "received", "vendor_code")

    def __init__(self, message: str, path: Iterable[str | int] = (), code: Code = "custom",
        expected: str | None = None, received: str | None = None, vendor_code: str | None = None,
        facts: Mapping[str, Any] | None = None) -> None:
        self.message: str = message
        self.path: Path = tuple(path)
        self.code: Code = code
        self.expected: str | None = expected
        self.received: str | None = received
        self.vendor_code: str | None = vendor_code
        self.facts: Mapping[str, Any] = facts or {}

    def __repr__(self) -> str: return f"Issue({self.code!r}, {str(self)!r})"
    def __str__(self) -> str:
        where: str = self.facts.get("place", ".".join(map(str, self.path)))
        return f"{where}: {self.message}" if where else self.message

    def as_json(self) -> dict[str, Any]:
        fields = {**self._fields(), "path": list(self.path), **self.facts}
        return {name: value for name, value in fields.items() if value is not None}


class Success(_Plain, Generic[Out_co]):
    """The value that a schema accepted, as the schema gives it back."""

    __slots__ = __match_args__ = ("value",)

    def __init__(self, value: Out_co) -> None: self.value: Final = value
    def __bool__(self) -> Literal[True]: return True


class Failure(_Plain):
    """Why a schema refused a value."""

    __slots__ = __match_args__ = ("issues",)

    def __init__(self, issues: Iterable[Issue]) -> None: self.issues: Final = tuple(issues)
    def __bool__(self) -> Literal[False]: return False


class StandardSchema(Protocol[Out_co]):
    """The interface of a validator library: check a value, and describe it as JSON Schema."""

    @property
    def version(self) -> int: ...
    @property
    def vendor(self) -> str: ...
    def validate(self, value: object, /) -> Result[Out_co] | Awaitable[Result[Out_co]]: ...
    def json_schema(self, *, target: str = "draft-2020-12", mode: Mode = "input") -> JsonSchema: ...


class Dumps(Protocol):
    """Optional on a schema: turn a validated value into JSON data."""

    def dump(self, value: Any, /) -> Any: ...


class HasStandardSchema(Protocol[Out_co]):
    """A class or an instance that carries its schema: Python's `~standard`."""

    @property
    def __standard_schema__(self) -> StandardSchema[Out_co]: ...


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


class BuiltTool(StandardTool[Any, Any], Protocol):
    """The result of the builders: a tool whose `execute` may be called with less."""

    def execute(self, input: Any = None, context: Any = None, /) -> Coroutine[Any, Any, Any]: ...


class ToolValidationError(Exception):
    """Arguments or a result did not fit the tool's schema; `target` says which of the two."""

    def __init__(self, tool: str, target: Mode, issues: Iterable[Issue]) -> None:
        self.tool: str = tool
        self.target: Mode = target
        self.issues: tuple[Issue, ...] = tuple(issues)
        super().__init__(f"{target} validation failed: {'; '.join(map(str, self.issues))}")

    def __reduce__(self) -> Any:
        return type(self), (self.tool, self.target, self.issues), self.__dict__


async def _valid(tool: str, target: Mode, schema: StandardSchema[Any] | None, value: Any) -> Any:
    given = await value if isinstance(value, Awaitable) else value  # of a handler
    checked = Success(given) if schema is None else schema.validate(given)
    result = await checked if isinstance(checked, Awaitable) else checked
    if not result:  # asked by truth: the schema may come from another copy of this file
        raise ToolValidationError(tool, target, result.issues)
    return result.value


def calling(tool: str, execute: Callable[..., Any]) -> Callable[[Any, Any], Any]:
    """Return a handler as a function of the input and the context, however it takes them."""
    from inspect import signature  # here, because it costs more than all of this file
    free = {"context"}.difference(getattr(execute, "keywords", ()))  # not a partial's keywords
    for count, named in ((2, ()), (1, free), (0, free), (1, ()), (0, ())):
        with suppress(TypeError, ValueError):  # the latter if it has no signature
            signature(execute).bind(*range(count), **dict.fromkeys(named))
            return lambda *both: execute(*both[:count], **dict.fromkeys(named, both[1]))
    raise TypeError(f"{tool}: execute takes neither (input, context) nor fewer of them")


def standard_tool(*, name: str, description: str, execute: Callable[..., Any],
                  title: str | None = None, input_schema: Schema | None = None,
                  output_schema: Schema | None = None) -> BuiltTool:
    """Build a tool from a handler of nothing, of the input, or of the input and the context."""
    call = calling(name, execute)

    async def run(input: Any = None, context: Any = None, /) -> Any:
        given = await _valid(name, "input", tool.input_schema, input)
        return await _valid(name, "output", tool.output_schema, call(given, context))

    tool: Any = SimpleNamespace(name=name, title=title, description=description, execute=run)
    for side, given in (("input", input_schema), ("output", output_schema)):
        schema = getattr(given, "__standard_schema__", given)
        if schema is not None and (isinstance(schema, type) or not {*dir(schema)} >= MEMBERS):
            raise TypeError(f"{name}: {side}_schema: not a StandardSchema; pass standard_schema(x)")
        setattr(tool, f"{side}_schema", schema)
    return cast("BuiltTool", tool)


def with_formatted_output(tool: StandardTool[Any, Out_co],
        format: Callable[[Out_co | Exception], Any] | None = None) -> BuiltTool:
    """Derive a tool whose `execute` returns `format`'s result for the output or the exception."""
    neutral: Any = getattr(tool, "__unformatted__", tool)

    async def run(input: Any = None, context: Any = None, /) -> Any:
        try:  # a list, to be emptied: an exception and the frame that holds it keep each other
            held: list[Any] = [await neutral.execute(input, context)]
        except Exception as error:  # noqa: BLE001 - whatever the handler raises
            held = [{"error": str(error)} if format is None else error]
        result = held.pop() if format is None else format(held.pop())
        return await result if isinstance(result, Awaitable) else result

    fields = ("name", "title", "description", "input_schema", "output_schema")
    kept = {field: getattr(neutral, field, None) for field in fields}
    hidden = {"__unformatted__": neutral, "__format_output__": format}
    return cast("BuiltTool", SimpleNamespace(**kept, execute=run, **hidden))
