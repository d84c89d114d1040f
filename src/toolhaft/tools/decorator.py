"""`tool`: make a `Tool` of a function, as a decorator or a plain call.

The overloads let both checkers infer a tool's input and output without naming a vendor's
class: with a vendor that is not installed, such an overload would take everything as Any.
Coroutine functions come first where the output is inferred, sync ones where `output=` fixes it.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from functools import partial
from typing import (
    TYPE_CHECKING,
    Any,
    Concatenate,
    ParamSpec,
    Protocol,
    TypeAlias,
    TypeVar,
    overload,
)

from toolhaft.definition.options import SignatureOptions, ToolOptions, require_known_options
from toolhaft.errors import DefinitionError, Fault
from toolhaft.spec import HasStandardSchema, StandardSchema
from toolhaft.tools.definition import Definition
from toolhaft.tools.tool import FreeTool, Tool

if TYPE_CHECKING:
    from typing import Never

    from typing_extensions import TypeForm, Unpack

__all__ = ["tool"]

ALREADY = "use its replace(...) for other options, its transform(...) for other parameters"

P = ParamSpec("P")
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
I = TypeVar("I")  # noqa: E741  the input's type, beside O for the output's
S = TypeVar("S")
O = TypeVar("O")  # noqa: E741  as above

Async: TypeAlias = Coroutine[Any, Any, T]
Arguments: TypeAlias = dict[str, Any]


class _Adapts(Protocol[T_co]):
    """What a pydantic `TypeAdapter` looks like."""

    def validate_json(self, data: Any, /) -> T_co: ...
    def dump_json(self, instance: Any, /) -> bytes: ...


class _Loads(Protocol):
    """What a marshmallow schema looks like: what its `load` makes, only its author knows."""

    @property
    def fields(self) -> Any: ...
    def load(self, data: Any, /) -> Any: ...
    def dump(self, obj: Any, /) -> Any: ...


class _Calls(Protocol):
    """What a voluptuous schema looks like."""

    @property
    def schema(self) -> Any: ...
    @property
    def extra(self) -> Any: ...
    def __call__(self, data: Any, /) -> Any: ...


# What says which object it makes, but for a class, which `TypeForm` takes.
SchemaObject: TypeAlias = StandardSchema[T] | HasStandardSchema[T] | _Adapts[T]
Loader: TypeAlias = _Loads | type[_Loads]
Untyped: TypeAlias = Mapping[str, Any] | _Calls
# An output of which no type is known: the handler's own annotation is the type.
Undeclared: TypeAlias = Untyped | Loader | None
Typed: TypeAlias = "SchemaObject[T] | TypeForm[T]"


class _NeverReturned:
    """Nothing returns this; only `Any` fits, so its overload catches untyped handlers."""

    __never_returned__: Never


class _Decorator(Protocol):
    @overload
    def __call__(self, fn: Callable[P, _NeverReturned], /) -> Tool[P, Any, Any, Arguments]: ...
    @overload
    def __call__(self, fn: Callable[P, Async[T]], /) -> Tool[P, Async[T], T, Arguments]: ...
    @overload
    def __call__(self, fn: Callable[P, T], /) -> Tool[P, T, T, Arguments]: ...


class _WithInputOutput(Protocol[I, O]):
    @overload
    def __call__(  # type: ignore[overload-overlap]  # a sync handler may return a coroutine type
        self, fn: Callable[Concatenate[I, P], O], /
    ) -> Tool[Concatenate[I, P], O, O, I]: ...
    @overload
    def __call__(
        self, fn: Callable[Concatenate[I, P], Async[O]], /
    ) -> Tool[Concatenate[I, P], Async[O], O, I]: ...
    @overload
    def __call__(
        self, fn: Callable[Concatenate[S, I, P], O], /
    ) -> Tool[Concatenate[S, I, P], O, O, I]: ...
    @overload
    def __call__(
        self, fn: Callable[Concatenate[S, I, P], Async[O]], /
    ) -> Tool[Concatenate[S, I, P], Async[O], O, I]: ...


class _WithInput(Protocol[I]):
    @overload
    def __call__(
        self, fn: Callable[Concatenate[I, P], Async[T]], /
    ) -> Tool[Concatenate[I, P], Async[T], T, I]: ...
    @overload
    def __call__(  # type: ignore[overload-overlap]  # as above; methods come last
        self, fn: Callable[Concatenate[I, P], T], /
    ) -> Tool[Concatenate[I, P], T, T, I]: ...
    @overload
    def __call__(
        self, fn: Callable[Concatenate[S, I, P], Async[T]], /
    ) -> Tool[Concatenate[S, I, P], Async[T], T, I]: ...
    @overload
    def __call__(
        self, fn: Callable[Concatenate[S, I, P], T], /
    ) -> Tool[Concatenate[S, I, P], T, T, I]: ...


class _WithOutput(Protocol[O]):
    @overload
    def __call__(self, fn: Callable[P, O], /) -> Tool[P, O, O, Arguments]: ...
    @overload
    def __call__(self, fn: Callable[P, Async[O]], /) -> Tool[P, Async[O], O, Arguments]: ...


# ------------------------------------------------------------- `tool(fn, ...)`, a plain call


@overload
def tool(
    fn: staticmethod[P, Async[T]], /, **options: Unpack[ToolOptions]
) -> FreeTool[P, Async[T], T, Arguments]: ...
@overload
def tool(  # type: ignore[overload-overlap]  # a sync handler may return a coroutine type
    fn: staticmethod[P, T], /, **options: Unpack[ToolOptions]
) -> FreeTool[P, T, T, Arguments]: ...
@overload
def tool(
    fn: Callable[P, _NeverReturned],
    /,
    *,
    output: Undeclared = None,
    **options: Unpack[SignatureOptions],
) -> Tool[P, Any, Any, Arguments]: ...
@overload
def tool(
    fn: Callable[P, Async[T]],
    /,
    *,
    output: Undeclared = None,
    **options: Unpack[SignatureOptions],
) -> Tool[P, Async[T], T, Arguments]: ...
@overload
def tool(  # type: ignore[overload-overlap]  # as above
    fn: Callable[P, T], /, *, output: Undeclared = None, **options: Unpack[SignatureOptions]
) -> Tool[P, T, T, Arguments]: ...
@overload
def tool(
    fn: Callable[[Arguments], Async[T]],
    /,
    *,
    input: Untyped,
    output: Undeclared = None,
    **options: Unpack[ToolOptions],
) -> Tool[[Arguments], Async[T], T, Arguments]: ...
@overload
def tool(
    fn: Callable[[Arguments], T],
    /,
    *,
    input: Untyped,
    output: Undeclared = None,
    **options: Unpack[ToolOptions],
) -> Tool[[Arguments], T, T, Arguments]: ...
@overload
def tool(
    fn: Callable[[Any], Async[T]],
    /,
    *,
    input: Loader,
    output: Undeclared = None,
    **options: Unpack[ToolOptions],
) -> Tool[[Any], Async[T], T, Any]: ...
@overload
def tool(  # type: ignore[overload-overlap]  # as above
    fn: Callable[[Any], T],
    /,
    *,
    input: Loader,
    output: Undeclared = None,
    **options: Unpack[ToolOptions],
) -> Tool[[Any], T, T, Any]: ...
@overload
def tool(
    fn: Callable[[I], Async[T]],
    /,
    *,
    input: TypeForm[I],
    output: Undeclared = None,
    **options: Unpack[ToolOptions],
) -> Tool[[I], Async[T], T, I]: ...
@overload
def tool(  # type: ignore[overload-overlap]  # as above
    fn: Callable[[I], T],
    /,
    *,
    input: TypeForm[I],
    output: Undeclared = None,
    **options: Unpack[ToolOptions],
) -> Tool[[I], T, T, I]: ...
@overload
def tool(
    fn: Callable[[I], Async[T]],
    /,
    *,
    input: Typed[I],
    output: Undeclared = None,
    **options: Unpack[ToolOptions],
) -> Tool[[I], Async[T], T, I]: ...
@overload
def tool(
    fn: Callable[[I], T],
    /,
    *,
    input: Typed[I],
    output: Undeclared = None,
    **options: Unpack[ToolOptions],
) -> Tool[[I], T, T, I]: ...
@overload
def tool(
    fn: Callable[P, Async[O]], /, *, input: Any, output: Typed[O], **options: Unpack[ToolOptions]
) -> Tool[P, Async[O], O, Any]: ...
@overload
def tool(
    fn: Callable[P, O], /, *, input: Any, output: Typed[O], **options: Unpack[ToolOptions]
) -> Tool[P, O, O, Any]: ...
@overload
def tool(
    fn: Callable[P, Async[O]], /, *, output: Typed[O], **options: Unpack[SignatureOptions]
) -> Tool[P, Async[O], O, Arguments]: ...
@overload
def tool(
    fn: Callable[P, O], /, *, output: Typed[O], **options: Unpack[SignatureOptions]
) -> Tool[P, O, O, Arguments]: ...


# ------------------------------------------------------------------- `@tool(...)`, a decorator


@overload
def tool(*, output: Undeclared = None, **options: Unpack[SignatureOptions]) -> _Decorator: ...  # type: ignore[overload-overlap]  # as above
@overload
def tool(  # type: ignore[overload-overlap]  # as above
    *, input: Untyped, output: Undeclared = None, **options: Unpack[ToolOptions]
) -> _WithInput[Arguments]: ...
@overload
def tool(  # type: ignore[overload-overlap]  # as above
    *, input: Loader, output: Undeclared = None, **options: Unpack[ToolOptions]
) -> _WithInput[Any]: ...
@overload
def tool(  # type: ignore[overload-overlap]  # as above
    *, input: TypeForm[I], output: Undeclared = None, **options: Unpack[ToolOptions]
) -> _WithInput[I]: ...
@overload
def tool(  # type: ignore[overload-overlap]  # as above
    *, input: SchemaObject[I], output: Undeclared = None, **options: Unpack[ToolOptions]
) -> _WithInput[I]: ...
@overload
def tool(
    *, input: Untyped, output: Typed[O], **options: Unpack[ToolOptions]
) -> _WithInputOutput[Arguments, O]: ...
@overload
def tool(
    *, input: Loader, output: Typed[O], **options: Unpack[ToolOptions]
) -> _WithInputOutput[Any, O]: ...
@overload
def tool(
    *, input: TypeForm[I], output: TypeForm[O], **options: Unpack[ToolOptions]
) -> _WithInputOutput[I, O]: ...
@overload
def tool(
    *, input: Typed[I], output: Typed[O], **options: Unpack[ToolOptions]
) -> _WithInputOutput[I, O]: ...
@overload
def tool(*, output: TypeForm[O], **options: Unpack[SignatureOptions]) -> _WithOutput[O]: ...
@overload
def tool(*, output: SchemaObject[O], **options: Unpack[SignatureOptions]) -> _WithOutput[O]: ...
def tool(fn: Any = None, /, **options: Any) -> Any:
    """Make a tool of a function: its signature is the schema, its docstring the description.

    With `input=` the function takes one object instead: a type of any validator, a schema
    object, or a JSON Schema. `parameters=` (a JSON Schema) takes the place of the schema that
    a signature would give. Types are resolved when the tool is first used or joins a `Toolset`.

    Raises:
        DefinitionError: lists everything that is wrong with name, options and annotations.

    >>> @tool
    ... def add(a: int, b: int = 1) -> int:
    ...     "Add two whole numbers."
    ...     return a + b
    >>> add(1, 2), add.call_sync({"a": 1}).unwrap()
    (3, 2)
    """
    require_known_options(options, "tool()")
    if fn is None:
        return lambda late: tool(late, **options)
    inner = fn.func if isinstance(fn, partial) else fn
    if isinstance(inner, Tool):
        raise DefinitionError([Fault(inner.name, "", "a tool already", ALREADY)])
    definition_options: Any = options
    kind = FreeTool if isinstance(fn, staticmethod) else Tool
    return kind(Definition(fn, definition_options))
