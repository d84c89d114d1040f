"""`Tool`: one definition, callable as the function it was and as the boundary it is."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from types import MappingProxyType
from typing import (
    TYPE_CHECKING,
    Any,
    Concatenate,
    Final,
    Generic,
    ParamSpec,
    Self,
    TypeAlias,
    TypeVar,
    overload,
)

from toolhaft.call.callbacks import run_without_loop
from toolhaft.call.permission import NOBODY, Permission, PermissionOptions
from toolhaft.definition.keyword_options import show_options
from toolhaft.definition.options import UNSET, AllOptions, require_known_options
from toolhaft.definition.signature import MISSING, UnnamedFault
from toolhaft.definition.typevars import In_co, Out_co, Params, Ret_co
from toolhaft.errors import DefinitionError
from toolhaft.tools.attributes import ToolAttributes
from toolhaft.tools.definition import LIMITS, Definition

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from toolhaft.call.boundary import Boundary
    from toolhaft.call.limits import Limit
    from toolhaft.call.loop_guard import LoopGuard
    from toolhaft.call.outcome import Err, Ok
    from toolhaft.call.prepared import Prepared
    from toolhaft.call.types import ToolCall
    from toolhaft.schema.bounds import DefinitionLimits
    from toolhaft.tools.formatted import FormattedTool

__all__ = ["AnyTool", "FreeTool", "Raw", "Tool"]

F = TypeVar("F")
Owner = TypeVar("Owner")
Rest = ParamSpec("Rest")
Ret = TypeVar("Ret")

set_field: Final = object.__setattr__
NO_CHANGE: Mapping[str, Any] = MappingProxyType({})
Raw: TypeAlias = str | bytes | Mapping[str, object] | None


class Tool(ToolAttributes[Out_co, In_co], Generic[Params, Ret_co, Out_co, In_co]):
    """A tool, made with `tool`. It is immutable.

    Calling it runs your function, without validation. `execute` and `call` validate. As an
    attribute of the class that defines it, a tool binds like a method.

    >>> from toolhaft import tool
    >>> @tool
    ... def add(a: int, b: int) -> int:
    ...     "Add two whole numbers."
    ...     return a + b
    >>> add(1, 2), add.call_sync('{"a": 1, "b": "2"}').value
    (3, 3)
    """

    # A method takes what is compiled from `_unbound` of the tool of its class.
    __slots__ = ("_boundary", "_template", "_unbound")

    if TYPE_CHECKING:
        __wrapped__: Callable[Params, Ret_co]

    def __init__(
        self,
        definition: Definition,
        bound_to: Any = MISSING,
        bounds: tuple[Limit, ...] = (),
        permission: Permission = NOBODY,
        boundary: Boundary | None = None,
    ) -> None:
        super().__init__(definition, bound_to, bounds, permission)
        self._boundary: Boundary | None = boundary
        self._template: AnyTool | None = None
        self._unbound: Boundary | None = None

    def _assemble(self, limits: DefinitionLimits) -> None:
        """Resolve types and force the vendors' schemas now.

        Raises:
            DefinitionError: lists everything that is wrong.
        """
        definition = self._definition
        definition.assemble_within(limits)
        if definition.handler.binds and self._object is MISSING:
            raise DefinitionError(definition.name_faults([UNBOUND]))

    def __call__(self, *args: Params.args, **kwargs: Params.kwargs) -> Ret_co:
        result: Ret_co = self._function(*args, **kwargs)
        return result

    # By the type of the first parameter: a checker does not see whether `@classmethod` or
    # `@staticmethod` stands below `@tool`.
    @overload
    def __get__(
        self: Callable[Concatenate[Owner, Rest], Ret], obj: object, owner: Owner, /
    ) -> Tool[Rest, Ret, Out_co, In_co]: ...
    @overload
    def __get__(self, obj: None, owner: type | None = ..., /) -> Self: ...
    @overload
    def __get__(
        self: Callable[Concatenate[Owner, Rest], Ret], obj: Owner, owner: type | None = ..., /
    ) -> Tool[Rest, Ret, Out_co, In_co]: ...
    @overload
    def __get__(self, obj: object, owner: type | None = ..., /) -> Self: ...
    def __get__(self, obj: object, owner: Any = None, /) -> Any:
        definition = self._definition
        if not definition.handler.binds or self._object is not MISSING:
            return self
        fn: Any = definition.fn
        if isinstance(fn, classmethod):
            obj = type(obj) if owner is None else owner
        elif obj is None:
            return self
        # Each access makes a tool, so that it shares what it can.
        tool: Any = object.__new__(_Unfinished)
        tool.__dict__ = self.__dict__.copy()
        tool._definition, tool._object = definition, obj  # noqa: SLF001  of this class
        tool._bounds, tool._permission = self._bounds, self._permission  # noqa: SLF001
        tool._boundary, tool._template, tool._unbound = None, self, None  # noqa: SLF001
        tool.__class__ = Tool
        return tool

    async def execute(self, input: Any = None, context: Any = None, /) -> Out_co:
        """Validate decoded arguments, run the handler, and return its validated result.

        Args:
            input: The arguments as a dict, or an object of the declared input type.
            context: The context of the call, passed to the handler and to `authorize`.

        Raises:
            ToolInputInvalid: The arguments are invalid.
            ToolOutputInvalid: The result is invalid.
            ToolRefused: The call was denied, timed out, or did not run for another reason.
            ContextMissing: The context lacks a value that the tool needs.
            Exception: Any exception of the handler passes through.
        """
        result: Out_co = await self._compile().execute(input, context)
        return result

    def execute_sync(self, input: Any = None, context: Any = None, /) -> Out_co:
        """Like `execute`, but synchronous, with the same arguments."""
        result: Out_co = self._compile().execute_sync(input, context)
        return result

    @show_options(PermissionOptions)
    def call(
        self,
        raw: Raw = None,
        /,
        *,
        context: Any = None,
        guard: LoopGuard | None = None,
        **asking: Unpack[PermissionOptions],
    ) -> Coroutine[Any, Any, Ok[Out_co] | Err]:
        """Run a call as a model sent it; never raises `Exception`.

        Args:
            raw: The arguments as raw text, bytes or a dict.
            context: The context of the call, passed to the handler and to `authorize`.
            guard: A `LoopGuard` for the conversation.
            authorize: A further check, after the tool's and the toolset's.
            approve: A callback that decides a call which needs approval, instead of the toolset's.

        Returns:
            `Ok` with the result, or `Err`.
        """
        if asking or guard is not None:
            return self._call_asking(raw, context, guard, asking)
        boundary = self._boundary or self._compile()
        outcome: Any = boundary.run(raw, context, boundary.to_outcome)
        return outcome  # type: ignore[no-any-return]

    async def _call_asking(
        self, raw: Raw, context: Any, guard: LoopGuard | None, asking: PermissionOptions
    ) -> Ok[Out_co] | Err:
        if guard is not None and (refused := await guard.check(self.name, raw)) is not None:
            return refused
        return await self._call_permitted(raw, context, Permission.of(**asking))

    async def _call_permitted(
        self, raw: Raw, context: Any, permission: Permission, call: ToolCall | None = None
    ) -> Ok[Out_co] | Err:
        """Run a call that further callbacks permit; without `call`, one that is made directly."""
        boundary = self._boundary_asking(permission, call)
        outcome: Any = await boundary.run(raw, context, boundary.to_outcome)
        return outcome  # type: ignore[no-any-return]

    @show_options(PermissionOptions)
    def call_sync(
        self,
        raw: Raw = None,
        /,
        *,
        context: Any = None,
        guard: LoopGuard | None = None,
        **asking: Unpack[PermissionOptions],
    ) -> Ok[Out_co] | Err:
        """Run a call without an event loop; see `call`.

        Args:
            raw: The arguments as raw text, bytes or a dict.
            context: The context of the call, passed to the handler and to `authorize`.
            guard: A `LoopGuard` for the conversation.
            authorize: A further check, after the tool's and the toolset's.
            approve: A callback that decides a call which needs approval, instead of the toolset's.

        >>> from toolhaft import tool
        >>> @tool
        ... def double(n: int) -> int:
        ...     "Twice a number."
        ...     return 2 * n
        >>> double.call_sync('{"n": "21"}').unwrap()
        42
        >>> double.call_sync('{"m": 21}').text
        'Please rewrite the input with valid arguments. Errors: n: required; m: unknown'
        """
        if asking or guard is not None:
            return self._call_sync_asking(raw, context, guard, asking)
        boundary = self._boundary
        if boundary is None:
            if self._template is not None:  # most objects of methods are for one call
                unbound = self._template._unbound or self._template._compile_unbound()  # noqa: SLF001
                return unbound.run_bound_sync(self._function, raw, context)  # type: ignore[return-value]
            boundary = self._compile()
        right_call = boundary.right_call
        if right_call is None:
            outcome: Any = boundary.run_whole_sync(raw, context, boundary.to_outcome)
        else:
            outcome = right_call(boundary, raw, context)
        return outcome  # type: ignore[no-any-return]

    def _call_sync_asking(
        self, raw: Raw, context: Any, guard: LoopGuard | None, asking: PermissionOptions
    ) -> Ok[Out_co] | Err:
        if guard is not None and (refused := guard.check_sync(self.name, raw)) is not None:
            return refused
        return self._call_permitted_sync(raw, context, Permission.of(**asking))

    def _call_permitted_sync(
        self, raw: Raw, context: Any, permission: Permission, call: ToolCall | None = None
    ) -> Ok[Out_co] | Err:
        """Like `_call_permitted`, without a loop."""
        boundary = self._boundary_asking(permission, call)
        outcome: Any = boundary.run_sync(raw, context, boundary.to_outcome)
        return outcome  # type: ignore[no-any-return]

    def _boundary_asking(self, permission: Permission, call: ToolCall | None) -> Boundary:
        boundary = self._boundary or self._compile()
        if permission is not NOBODY:
            self._require_unacting(permission)
            boundary = boundary.with_permission(permission)
        return boundary if call is None else boundary.for_call(call)

    def _require_unacting(self, permission: Permission) -> None:
        """Reject types that read the file system before `authorize` runs.

        Raises:
            DefinitionError: Names each such type.
        """
        checks = self._definition.assemble().acting if permission.authorize else ()
        if not checks:
            return
        from toolhaft.vendors.acting import acting_faults  # libraries are loaded at the first use

        if faults := acting_faults(self.name, checks, asks=True):
            raise DefinitionError(faults)

    def prepare(self, raw: Raw = None, /, *, context: Any = None) -> Prepared[Out_co] | Err:
        """Validate a call without running it.

        Args:
            raw: The arguments as raw text, bytes or a dict.
            context: The context for functions in `transform(hide=...)`; `Prepared.call` takes its
                own.

        Returns:
            The prepared call, or an `Err` with its issues.
        """
        return self._compile().prepare(raw, context=context)

    async def refusal(self, raw: Raw = None, /, *, context: Any = None) -> Err | None:
        """Check whether a call would run: validate it and ask every `authorize`, but no person.

        Args:
            raw: The arguments as raw text, bytes or a dict.
            context: The context of the call.

        Returns:
            The outcome of a call that would not run, or None.
        """
        return await self._compile().ask_program(raw, context, has_loop=True)

    def refusal_sync(self, raw: Raw = None, /, *, context: Any = None) -> Err | None:
        """Like `refusal`, but synchronous, with the same arguments."""
        return run_without_loop(self._compile().ask_program(raw, context, has_loop=False))

    @overload
    def formatted(
        self, fmt: Callable[[Out_co | Exception], Coroutine[Any, Any, F]], /
    ) -> FormattedTool[In_co, F]: ...
    @overload
    def formatted(self, fmt: Callable[[Out_co | Exception], F], /) -> FormattedTool[In_co, F]: ...
    @overload
    def formatted(self, fmt: None = None, /) -> FormattedTool[In_co, Any]: ...
    def formatted(self, fmt: Callable[[Any], Any] | None = None, /) -> FormattedTool[Any, Any]:
        """Return a tool that passes every result through a function, and returns JSON data.

        Args:
            fmt: A function of the output, or of the exception if the call failed. A crash is passed
                as an exception with the error id, never with its own text. By default the result is
                the output, or `{"error": text}`.

        >>> from toolhaft import tool
        >>> @tool
        ... def half(n: int) -> int:
        ...     "Half of a number."
        ...     return n // 2
        >>> half.formatted(lambda result: f"It is {result}.").execute_sync({"n": 4})
        'It is 2.'
        >>> half.formatted().execute_sync({})
        {'error': 'input validation failed: n: required'}
        """
        from toolhaft.call.formatted import format_output
        from toolhaft.tools.formatted import FormattedTool

        return FormattedTool(self, format_output if fmt is None else fmt)

    def with_format(self, format: Callable[[Any], Any], /) -> Self:
        """Return the same tool, whose calls return what a function makes of the result.

        Args:
            format: See `formatted`.
        """
        definition = self._definition.derive(format=format)
        return type(self)(definition, self._object, self._bounds, self._permission)

    @show_options(AllOptions, output=UNSET)
    def replace(self, **options: Unpack[AllOptions]) -> Self:
        """Return the same tool with other options, which are checked again.

        Both tools count together towards a `limit`, unless you pass another one.

        Args:
            name: See `tool`, like the other options.
            title: See `tool`.
            description: See `tool`.
            parameters: See `tool`.
            omit: See `tool`.
            annotations: See `tool`.
            provider_options: See `tool`.
            metadata: See `tool`.
            examples: See `tool`.
            errors: See `tool`.
            render: See `tool`.
            timeout: See `tool`.
            offload: See `tool`.
            isolation: See `tool`.
            parallel: See `tool`.
            limit: See `tool`.
            coerce: See `tool`.
            extra: See `tool`.
            feedback: See `tool`.
            max_result_chars: See `tool`.
            max_argument_bytes: See `tool`.
            max_argument_depth: See `tool`.
            requires_approval: See `tool`.
            authorize: See `tool`.
            strict: See `tool`.
            allowed_callers: See `tool`.
            defer: See `tool`.
            format: See `tool`.
            input: See `tool`.
            output: See `tool`.

        Raises:
            DefinitionError: Lists everything that is wrong with the options.
        """
        require_known_options(options, "replace()")
        changed = self._definition.derive(options)
        return type(self)(changed, self._object, self._bounds, self._permission)

    def transform(
        self,
        *,
        rename: Mapping[str, str] = NO_CHANGE,
        describe: Mapping[str, str] = NO_CHANGE,
        hide: Mapping[str, Any] = NO_CHANGE,
        defaults: Mapping[str, Any] = NO_CHANGE,
    ) -> Self:
        """Derive a tool for another audience; its handler stays the same.

        Name a parameter by its own name, and one inside an object by its path, as in
        `customer.address`, through lists and optional objects. People who approve a call see all
        arguments of the handler, the hidden ones included. Both tools count together towards a
        limit.

        Args:
            rename: New names, by parameter.
            describe: New descriptions, by parameter.
            hide: Values, by parameter. The model can neither see nor pass them. A function is
                called for each call, with the context if it takes one.
            defaults: New defaults, by parameter.

        Raises:
            DefinitionError: Lists every unknown name, collision, and value that does not fit.

        >>> from toolhaft import tool
        >>> @tool
        ... def search(q: str, tenant: str, limit: int) -> str:
        ...     "Search."
        ...     return f"{limit} of {q} for {tenant}"
        >>> ours = search.transform(rename={"q": "query"}, hide={"tenant": "ann"},
        ...                         defaults={"limit": 10})
        >>> ours.call_sync({"query": "tea"}).text
        '10 of tea for ann'
        >>> ours.call_sync({"query": "tea", "limit": 1, "tenant": "bob"}).text
        'Please rewrite the input with valid arguments. Errors: tenant: unknown'
        """
        changes = {"rename": rename, "describe": describe, "hide": hide, "defaults": defaults}
        transformed = self._definition.transform(**changes)
        return type(self)(transformed, self._object, self._bounds, self._permission)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tool):
            return NotImplemented
        return self._definition is other._definition and self._object is other._object

    def __hash__(self) -> int:
        return hash((id(self._definition), id(self._object)))

    def __repr__(self) -> str:
        return f"Tool({self.name!r})"

    def _compile(self) -> Boundary:
        """Compile the boundary at the first call."""
        if self._boundary is None:
            if self._template is None:
                self._assemble(LIMITS)
                self._boundary = self._compile_for(self._function)
            else:
                unbound = self._template._compile_unbound()  # noqa: SLF001  of this class
                self._boundary = unbound.with_function(self._function)
        return self._boundary

    def _compile_unbound(self) -> Boundary:
        """Compile once what the methods of all objects of a class share."""
        if self._unbound is None:
            self._definition.assemble_within(LIMITS)
            self._unbound = self._compile_for(self._function)
        return self._unbound

    def _compile_for(self, function: Callable[..., Any]) -> Boundary:
        from toolhaft.call.boundary import Boundary
        from toolhaft.call.formatted import FormattedBoundary
        from toolhaft.call.results import Results

        definition, assembly = self._definition, self._definition.assemble()
        described: AnyTool = object.__new__(Tool)  # which does not hold the boundary
        set_field(described, "_definition", definition)
        # In one order for all tools: two could wait for each other otherwise.
        bounds = sorted(self._bounds, key=id)
        boundary = (FormattedBoundary if definition.format else Boundary)(
            definition.rules,
            assembly.pipeline(definition.rules),
            function,
            assembly.binder,
            Results(assembly.output, content=assembly.content),
            asynchronous=definition.handler.asynchronous,
            limits=tuple(bounds if definition.limit is None else [definition.limit, *bounds]),
            describe=described.describe,
        )
        if definition.format is not None:
            setattr(boundary, "format", definition.format)  # noqa: B010  of that class
        boundary.use_permission(self._permission)
        return boundary  # whole, as other threads use it at once


UNBOUND = UnnamedFault(
    "",
    "a method needs its object",
    "take it from an instance, or use Toolset.of(obj); above @staticmethod, @tool needs none",
)


class _Unfinished(Tool[..., Any, Any, Any]):
    """A tool whose fields are being set, by plain assignments: they take a third of the time."""

    __slots__ = ()
    __setattr__ = object.__setattr__


class FreeTool(Tool[Params, Ret_co, Out_co, In_co]):
    """A tool made from a staticmethod: as an attribute it does not bind."""

    __slots__ = ()

    def __get__(  # type: ignore[override]  # whatever its first parameter is
        self, obj: object, owner: type | None = None, /
    ) -> Self:
        return self


AnyTool: TypeAlias = Tool[..., Any, Any, Any]
