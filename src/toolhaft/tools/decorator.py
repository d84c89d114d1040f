# mypy: disable-error-code="overload-overlap"
"""`tool`: make a `Tool` of a function, as a decorator or a plain call.

The overloads let both checkers infer a tool's input and output without naming a vendor's
class: with a vendor that is not installed, such an overload would take everything as Any.
Coroutine functions come first where the output is inferred, sync ones where `output=` fixes it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Coroutine, Mapping, Sequence
from functools import partial
from types import UnionType
from typing import (
    TYPE_CHECKING,
    Any,
    Concatenate,
    Generic,
    Literal,
    ParamSpec,
    Protocol,
    TypeAlias,
    TypeVar,
    overload,
)

from toolhaft.definition.call_info import Origin
from toolhaft.definition.keyword_options import show_options
from toolhaft.definition.options import UNSET, AllOptions, ToolOptions, require_known_options
from toolhaft.definition.predicates import Approval, Authorize
from toolhaft.definition.text_format import TextFormat
from toolhaft.errors import DefinitionError, Fault
from toolhaft.spec import HasStandardSchema, StandardSchema
from toolhaft.tools.definition import Definition
from toolhaft.tools.tool import FreeTool, Tool

if TYPE_CHECKING:
    from typing import Never, _SpecialForm  # pyright: ignore[reportPrivateUsage]

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
    """The interface of a pydantic `TypeAdapter`."""

    def validate_json(self, data: Any, /) -> T_co: ...
    def dump_json(self, instance: Any, /) -> bytes: ...


class _Loads(Protocol):
    """The interface of a marshmallow schema; only its author knows the type that `load` returns."""

    @property
    def fields(self) -> Any: ...
    def load(self, data: Any, /) -> Any: ...
    def dump(self, obj: Any, /) -> Any: ...


class _LoaderClass(Protocol):
    """The interface of the class of a marshmallow schema, by its metaclass."""

    def get_declared_fields(self, *args: Any, **kwargs: Any) -> Any: ...


class _Calls(Protocol):
    """The interface of a voluptuous schema."""

    @property
    def schema(self) -> Any: ...
    @property
    def extra(self) -> Any: ...
    def __call__(self, data: Any, /) -> Any: ...


# Objects whose annotations name the object they make, except types, which `TypeForm` takes: in an
# alias alone, or mypy rejects `A | B`.
SchemaObject: TypeAlias = StandardSchema[T] | HasStandardSchema[T] | _Adapts[T]
Loader: TypeAlias = _Loads | _LoaderClass
# Schemas whose handler receives a dict.
Untyped: TypeAlias = Mapping[str, Any] | _Calls
AnySchema: TypeAlias = Untyped | Loader | SchemaObject[Any]

MYPY = False  # mypy takes it for true, as it does TYPE_CHECKING


class _ClassOf(Protocol[O]):  # type: ignore[misc]  # invariant for pyright
    """A class, so that what a handler returns is held to it and does not widen the type.

    pyright knows the class by the list of its subclasses, mypy by what calling it makes.
    """

    def __call__(self, *args: Any, **kwargs: Any) -> O: ...

    if not MYPY:

        def __subclasses__(self) -> list[type[O]]: ...


class _TypedDictClass(Protocol):
    __total__: bool
    __required_keys__: frozenset[str]


Output: TypeAlias = "_ClassOf[O] | UnionType | _TypedDictClass | _SpecialForm"


class _NoFunction(Protocol):
    """Nothing is this: beside it, mypy looks at `output=` before it looks at the handler."""

    __no_function__: Never


class _NeverReturned:
    """Nothing returns this; only `Any` fits, so its overload catches untyped handlers."""

    __never_returned__: Never


class _NoSuchOption(Protocol[T_co]):
    """Nothing is such a thing of Never, yet to a checker that ranks overloads anything is near."""

    def __repr__(self) -> T_co: ...  # type: ignore[override] # pyright: ignore[reportIncompatibleMethodOverride]


class _Misfit(_NoSuchOption[T_co], Protocol[T_co]): ...


WRONG: TypeAlias = "_Misfit[Never]"
Function = TypeVar("Function", bound=WRONG)


class _Decorator:
    @overload
    def __call__(
        self, fn: staticmethod[P, Async[T]] | classmethod[Any, P, Async[T]], /
    ) -> FreeTool[P, Async[T], T, Arguments]: ...
    @overload
    def __call__(
        self, fn: staticmethod[P, T] | classmethod[Any, P, T], /
    ) -> FreeTool[P, T, T, Arguments]: ...
    @overload
    def __call__(self, fn: Callable[P, _NeverReturned], /) -> Tool[P, Any, Any, Arguments]: ...
    @overload
    def __call__(self, fn: Callable[P, Async[T]], /) -> Tool[P, Async[T], T, Arguments]: ...
    @overload
    def __call__(self, fn: Callable[P, T], /) -> Tool[P, T, T, Arguments]: ...
    def __call__(self, fn: Any, /) -> Any: ...


class _WithInputOutput(Generic[I, O]):
    @overload
    def __call__(
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
    def __call__(self, fn: Any, /) -> Any: ...


class _WithInput(Generic[I]):  # methods come last
    @overload
    def __call__(
        self, fn: Callable[Concatenate[I, P], Async[T]], /
    ) -> Tool[Concatenate[I, P], Async[T], T, I]: ...
    @overload
    def __call__(
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
    def __call__(self, fn: Any, /) -> Any: ...


# Of overloads that give one generic class, pyright 1.1.414 does not come to an end with
# `functools.partial(tool, ...)`: each has a class of its own.
class _WithType(_WithInput[I]): ...


class _WithSchemaObject(_WithInput[I]): ...


class _WithLoader(_WithInput[Any]): ...


class _WithOutput(Generic[O]):
    @overload
    def __call__(self, fn: Callable[P, O], /) -> Tool[P, O, O, Arguments]: ...
    @overload
    def __call__(self, fn: Callable[P, Async[O]], /) -> Tool[P, Async[O], O, Arguments]: ...
    def __call__(self, fn: Any, /) -> Any: ...


# ------------------------------------------------------------- `tool(fn, ...)`, a plain call


@overload
def tool(
    fn: staticmethod[P, Async[T]] | classmethod[Any, P, Async[T]],
    /,
    **options: Unpack[AllOptions],
) -> FreeTool[P, Async[T], T, Arguments]: ...
@overload
def tool(
    fn: staticmethod[P, T] | classmethod[Any, P, T], /, **options: Unpack[AllOptions]
) -> FreeTool[P, T, T, Arguments]: ...
@overload
def tool(
    fn: Callable[P, _NeverReturned],
    /,
    *,
    output: AnySchema | None = None,
    **options: Unpack[ToolOptions[Mapping[str, Any]]],
) -> Tool[P, Any, Any, Arguments]: ...
@overload
def tool(
    fn: Callable[P, Async[T]],
    /,
    *,
    output: AnySchema | None = None,
    **options: Unpack[ToolOptions[Mapping[str, Any]]],
) -> Tool[P, Async[T], T, Arguments]: ...
@overload
def tool(
    fn: Callable[P, T],
    /,
    *,
    output: AnySchema | None = None,
    **options: Unpack[ToolOptions[Mapping[str, Any]]],
) -> Tool[P, T, T, Arguments]: ...
@overload
def tool(  # pyright: ignore[reportOverlappingOverload]  # by what nothing is
    fn: Callable[Concatenate[I, P], O] | _NoFunction,
    /,
    *,
    input: TypeForm[I],
    output: Output[O],
    **options: Unpack[ToolOptions[I]],
) -> Tool[Concatenate[I, P], O, O, I]: ...
@overload
def tool(
    fn: Callable[Concatenate[I, P], Async[O]] | _NoFunction,
    /,
    *,
    input: TypeForm[I],
    output: Output[O],
    **options: Unpack[ToolOptions[I]],
) -> Tool[Concatenate[I, P], Async[O], O, I]: ...
@overload
def tool(  # pyright: ignore[reportOverlappingOverload]  # by what nothing is
    fn: Callable[P, O] | _NoFunction,
    /,
    *,
    input: AnySchema | None = None,
    output: Output[O],
    **options: Unpack[ToolOptions[Any]],
) -> Tool[P, O, O, Arguments]: ...
@overload
def tool(
    fn: Callable[P, Async[O]] | _NoFunction,
    /,
    *,
    input: AnySchema | None = None,
    output: Output[O],
    **options: Unpack[ToolOptions[Any]],
) -> Tool[P, Async[O], O, Arguments]: ...


@overload
def tool(
    fn: Callable[[Arguments], Async[T]],
    /,
    *,
    input: Untyped,
    output: AnySchema | None = None,
    **options: Unpack[ToolOptions[Any]],
) -> Tool[[Arguments], Async[T], T, Arguments]: ...
@overload
def tool(
    fn: Callable[[Arguments], T],
    /,
    *,
    input: Untyped,
    output: AnySchema | None = None,
    **options: Unpack[ToolOptions[Any]],
) -> Tool[[Arguments], T, T, Arguments]: ...
@overload
def tool(
    fn: Callable[[Any], Async[T]],
    /,
    *,
    input: Loader,
    output: AnySchema | None = None,
    **options: Unpack[ToolOptions[Any]],
) -> Tool[[Any], Async[T], T, Any]: ...
@overload
def tool(
    fn: Callable[[Any], T],
    /,
    *,
    input: Loader,
    output: AnySchema | None = None,
    **options: Unpack[ToolOptions[Any]],
) -> Tool[[Any], T, T, Any]: ...
@overload
def tool(
    fn: Callable[[I], Async[T]],
    /,
    *,
    input: SchemaObject[I],
    output: AnySchema | None = None,
    **options: Unpack[ToolOptions[I]],
) -> Tool[[I], Async[T], T, I]: ...
@overload
def tool(
    fn: Callable[[I], T],
    /,
    *,
    input: SchemaObject[I],
    output: AnySchema | None = None,
    **options: Unpack[ToolOptions[I]],
) -> Tool[[I], T, T, I]: ...
@overload
def tool(
    fn: Callable[[I], Async[T]],
    /,
    *,
    input: TypeForm[I],
    output: AnySchema | None = None,
    **options: Unpack[ToolOptions[I]],
) -> Tool[[I], Async[T], T, I]: ...
@overload
def tool(
    fn: Callable[[I], T],
    /,
    *,
    input: TypeForm[I],
    output: AnySchema | None = None,
    **options: Unpack[ToolOptions[I]],
) -> Tool[[I], T, T, I]: ...


# ------------------------------------------------------------------- `@tool(...)`, a decorator
#
# The first of them names each option, so that a checker tells a wrong one by its name and does not
# write out all overloads. It takes no function: a call that fits none above fails here at least.


@overload
def tool(
    fn: Function = ...,  # pyright: ignore[reportInvalidTypeVarUse]  # nothing is one
    /,
    *,
    input: Untyped | WRONG | None = ...,
    output: AnySchema | WRONG | None = ...,
    name: str | WRONG | None = ...,
    title: str | WRONG | None = ...,
    description: str | WRONG | None = ...,
    parameters: Mapping[str, Any] | WRONG | None = ...,
    omit: Sequence[str] | WRONG | None = ...,
    annotations: Mapping[str, Any] | WRONG | None = ...,
    provider_options: Mapping[str, Mapping[str, Any]] | WRONG | None = ...,
    metadata: Mapping[str, Any] | WRONG | None = ...,
    examples: Sequence[Mapping[str, Any]] | WRONG | None = ...,
    errors: Mapping[type[Exception], str] | WRONG | None = ...,
    render: Callable[[Any], Any] | WRONG | None = ...,
    timeout: float | WRONG | None = ...,
    offload: bool | WRONG | None = ...,
    isolation: Literal["none", "process"] | WRONG | None = ...,
    parallel: bool | WRONG | None = ...,
    limit: int | WRONG | None = ...,
    coerce: Literal["safe", "lenient", "none"] | WRONG | None = ...,
    extra: Literal["forbid", "ignore"] | WRONG | None = ...,
    feedback: Literal["ordinals", "keys"] | WRONG | None = ...,
    max_result_chars: int | WRONG | None = ...,
    max_argument_bytes: int | WRONG | None = ...,
    max_argument_depth: int | WRONG | None = ...,
    requires_approval: Approval[Mapping[str, Any]] | WRONG | None = ...,
    authorize: Authorize[Mapping[str, Any]] | WRONG | None = ...,
    strict: bool | Literal["prefer", "require"] | WRONG | None = ...,
    allowed_callers: Collection[Origin] | WRONG | None = ...,
    defer: bool | WRONG | None = ...,
    format: TextFormat | WRONG | None = ...,
    **unknown: _NoSuchOption[Never],
) -> _Decorator: ...
@overload
def tool(
    *, input: Loader, output: AnySchema | None = None, **options: Unpack[ToolOptions[Any]]
) -> _WithLoader: ...
@overload
def tool(
    *, input: SchemaObject[I], output: AnySchema | None = None, **options: Unpack[ToolOptions[I]]
) -> _WithSchemaObject[I]: ...
@overload
def tool(
    *, input: TypeForm[I], output: AnySchema | None = None, **options: Unpack[ToolOptions[I]]
) -> _WithType[I]: ...
@overload
def tool(
    *, input: TypeForm[I], output: TypeForm[O], **options: Unpack[ToolOptions[I]]
) -> _WithInputOutput[I, O]: ...
@overload
def tool(
    *, input: AnySchema | None = None, output: TypeForm[O], **options: Unpack[ToolOptions[Any]]
) -> _WithOutput[O]: ...
@show_options(AllOptions, output=UNSET)
def tool(fn: Any = None, /, **options: Any) -> Any:
    """Make a tool from a function, as a decorator or with a plain call.

    The signature becomes the schema, and the docstring the description. With `input=` the function
    takes one object instead. Types are resolved when the tool is first used or joins a `Toolset`.
    An option that is None counts as not given, but for `output`.

    Args:
        fn: The function; a coroutine function, method or callable object works as well.
        name: The name that models call; by default that of the function.
        title: A name for people.
        description: The text that models read; by default the docstring.
        parameters: A JSON Schema of the arguments, instead of that of the signature.
        omit: Parameters with a default to leave out of the schema.
        annotations: MCP's hints: `title`, `readOnlyHint`, `destructiveHint`, `idempotentHint`,
            `openWorldHint`.
        provider_options: For each target a dict that is merged into its declaration.
        metadata: Your own notes, which are never sent.
        examples: Example arguments.
        errors: For exception classes the words that the model reads if the handler raises them.
        render: A function of the validated output that returns what the model reads: text, or
            content such as an `Image`.
        timeout: Seconds after which a call ends with "timeout".
        offload: Whether a sync handler runs in a thread under `call`; True by default.
        isolation: "process" runs each call in a separate process.
        parallel: False keeps other calls from running while this tool runs.
        limit: How many calls of the tool run at the same time.
        coerce: Which repairs of arguments are made: "safe" (the default), "lenient" or "none".
        extra: "forbid" or "ignore" undeclared keys, whatever the type says.
        feedback: How the text of a validation error names an entry of an open map: by its ordinal
            ("ordinals", the default), or by its key ("keys").
        max_result_chars: The length to which the text of a result is cut.
        max_argument_bytes: The largest text of a call; 1 MiB by default.
        max_argument_depth: The deepest data of a call; 32 levels by default.
        requires_approval: Whether a person must approve calls: True, or a predicate that is called
            as `authorize` is.
        authorize: A predicate of the values that the function receives, the context and the tool's
            name, as many as it requires. It permits a call only by returning True.
        strict: A provider's strict mode for this tool: True or "require", or "prefer".
        allowed_callers: Who may call the tool: "direct" (a model, or your own program),
            "programmatic" (code that runs at the provider), or both, as by default.
        defer: Whether models are shown the tool only once a search has found it.
        format: For a function of one text: "text", or a `Regex` that the whole text matches.
            Providers with such tools let the model write the text as it is, without JSON.
        input: The type of the one argument: a type or schema of any supported validator, or a JSON
            Schema.
        output: The type of the result; None for results without a schema.

    Raises:
        DefinitionError: Lists everything that is wrong with the name, the options and the
            annotations.

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
        raise DefinitionError([Fault(inner.name, "", "already a tool", ALREADY)])
    definition_options: Any = options
    kind = FreeTool if isinstance(fn, staticmethod) else Tool
    return kind(Definition(fn, definition_options))
