"""`tool`: make a `Tool` of a function, as a decorator or a plain call.

The overloads let both checkers infer a tool's input and output without naming a vendor's
class: with a vendor that is not installed, such an overload would take everything as Any.
Coroutine functions come first where the output is inferred, sync ones where `output=` fixes it.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
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

from toolhaft.definition import Definition
from toolhaft.options import AllOptions, SignatureOptions, ToolOptions
from toolhaft.spec import HasStandardSchema, StandardSchema
from toolhaft.tools import FreeTool, Tool

if TYPE_CHECKING:
    from typing import Never

    from typing_extensions import TypeForm, Unpack

__all__ = ["tool"]

P = ParamSpec("P")
T = TypeVar("T")
I = TypeVar("I")  # noqa: E741  the input's type, beside O for the output's
S = TypeVar("S")
O = TypeVar("O")  # noqa: E741  as above

SchemaObject: TypeAlias = StandardSchema[T] | HasStandardSchema[T]
Async: TypeAlias = Coroutine[Any, Any, T]
Arguments: TypeAlias = dict[str, Any]


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
    fn: Callable[P, _NeverReturned], /, **options: Unpack[SignatureOptions]
) -> Tool[P, Any, Any, Arguments]: ...
@overload
def tool(
    fn: Callable[P, Async[T]], /, **options: Unpack[SignatureOptions]
) -> Tool[P, Async[T], T, Arguments]: ...
@overload
def tool(
    fn: Callable[P, T], /, **options: Unpack[SignatureOptions]
) -> Tool[P, T, T, Arguments]: ...
@overload
def tool(
    fn: Callable[[Arguments], Async[T]],
    /,
    *,
    input: Mapping[str, Any],
    **options: Unpack[ToolOptions],
) -> Tool[[Arguments], Async[T], T, Arguments]: ...
@overload
def tool(
    fn: Callable[[Arguments], T],
    /,
    *,
    input: Mapping[str, Any],
    **options: Unpack[ToolOptions],
) -> Tool[[Arguments], T, T, Arguments]: ...
@overload
def tool(
    fn: Callable[[I], Async[T]], /, *, input: TypeForm[I], **options: Unpack[ToolOptions]
) -> Tool[[I], Async[T], T, I]: ...
@overload
def tool(  # type: ignore[overload-overlap]  # as above
    fn: Callable[[I], T], /, *, input: TypeForm[I], **options: Unpack[ToolOptions]
) -> Tool[[I], T, T, I]: ...
@overload
def tool(
    fn: Callable[[I], Async[T]],
    /,
    *,
    input: SchemaObject[I] | TypeForm[I],
    **options: Unpack[ToolOptions],
) -> Tool[[I], Async[T], T, I]: ...
@overload
def tool(
    fn: Callable[[I], T],
    /,
    *,
    input: SchemaObject[I] | TypeForm[I],
    **options: Unpack[ToolOptions],
) -> Tool[[I], T, T, I]: ...
@overload
def tool(
    fn: Callable[..., Any], /, *, input: Any, output: Any, **options: Unpack[ToolOptions]
) -> Tool[..., Any, Any, Any]: ...
@overload
def tool(
    fn: Callable[P, T], /, *, output: Any, **options: Unpack[SignatureOptions]
) -> Tool[P, T, Any, Arguments]: ...
@overload
def tool(**options: Unpack[SignatureOptions]) -> _Decorator: ...
@overload
def tool(*, output: None, **options: Unpack[SignatureOptions]) -> _Decorator: ...
@overload
def tool(*, input: Mapping[str, Any], **options: Unpack[ToolOptions]) -> _WithInput[Arguments]: ...
@overload
def tool(
    *, input: TypeForm[I], output: TypeForm[O], **options: Unpack[ToolOptions]
) -> _WithInputOutput[I, O]: ...
@overload
def tool(
    *,
    input: SchemaObject[I] | TypeForm[I],
    output: SchemaObject[O] | TypeForm[O],
    **options: Unpack[ToolOptions],
) -> _WithInputOutput[I, O]: ...
@overload
def tool(*, input: TypeForm[I], **options: Unpack[ToolOptions]) -> _WithInput[I]: ...
@overload
def tool(*, input: SchemaObject[I], **options: Unpack[ToolOptions]) -> _WithInput[I]: ...
@overload
def tool(*, output: TypeForm[O], **options: Unpack[ToolOptions]) -> _WithOutput[O]: ...
@overload
def tool(*, output: SchemaObject[O], **options: Unpack[ToolOptions]) -> _WithOutput[O]: ...
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
    unknown = options.keys() - AllOptions.__annotations__.keys()
    if unknown:
        raise TypeError(f"tool() has no option {min(unknown)}")
    if fn is None:
        return lambda late: tool(late, **options)
    given: Any = options
    kind = FreeTool if isinstance(fn, staticmethod) else Tool
    return kind(Definition(fn, given))
