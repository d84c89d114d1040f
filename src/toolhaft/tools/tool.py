"""`Tool`: one definition, callable as the function it was and as the boundary it is."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from types import MappingProxyType
from typing import (
    TYPE_CHECKING,
    Any,
    Concatenate,
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
from toolhaft.spec import StandardTool
from toolhaft.tools.attributes import ToolAttributes
from toolhaft.tools.definition import LIMITS, Definition

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from toolhaft.call.boundary import Boundary
    from toolhaft.call.limits import Limit
    from toolhaft.call.loop_guard import LoopGuard
    from toolhaft.call.once_token import Used
    from toolhaft.call.outcome import Err, Ok
    from toolhaft.call.prepared import Prepared
    from toolhaft.schema.bounds import DefinitionLimits

__all__ = ["AnyTool", "FreeTool", "Raw", "Tool"]

F = TypeVar("F")
Rest = ParamSpec("Rest")

NO_CHANGE: Mapping[str, Any] = MappingProxyType({})
Raw: TypeAlias = str | bytes | Mapping[str, object] | None


class Tool(ToolAttributes[Out_co, In_co], Generic[Params, Ret_co, Out_co, In_co]):
    """A tool: immutable, made by `tool`, and still the function that it was made from.

    Calling it runs the function, typed and unvalidated; `execute` and `call` go through the
    boundary. As an attribute of the class that defines it, a tool binds like a method.
    """

    __slots__ = ("_boundary",)

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

    def assemble(self, limits: DefinitionLimits) -> None:
        """Resolve types and force the vendors' schemas now.

        Raises:
            DefinitionError: lists everything that is wrong.
        """
        definition = self._definition
        definition.assemble_within(limits)
        if self.needs_object:
            raise DefinitionError(definition.name_faults([UNBOUND]))

    def __call__(self, *args: Params.args, **kwargs: Params.kwargs) -> Ret_co:
        result: Ret_co = self._function(*args, **kwargs)
        return result

    @overload
    def __get__(self, obj: None, owner: type | None = ..., /) -> Self: ...
    @overload
    def __get__(
        self: Tool[Concatenate[Any, Rest], Ret_co, Out_co, In_co],
        obj: object,
        owner: type | None = ...,
        /,
    ) -> Tool[Rest, Ret_co, Out_co, In_co]: ...
    def __get__(self, obj: object, owner: type | None = None, /) -> Any:
        definition = self._definition
        if not definition.handler.binds or self._object is not MISSING:
            return self
        fn: Any = definition.fn
        if isinstance(fn, classmethod):
            obj = type(obj) if owner is None else owner
        elif obj is None:
            return self
        return Tool[Any, Any, Any, Any](definition, obj, self._bounds, self._permission)

    async def execute(self, input: Any = None, context: Any = None, /) -> Out_co:
        """Check decoded arguments, run the handler, and give its checked result.

        Raises:
            ToolInputInvalid, ToolOutputInvalid, ToolRefused, ContextMissing: see there.
            Exception: whatever the handler raised, as it was.
        """
        result: Out_co = await self._compile().execute(input, context)
        return result

    def execute_sync(self, input: Any = None, context: Any = None, /) -> Out_co:
        """Do as `execute` does, without a loop."""
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
        """Take what a model sent, raw text or data, to an outcome; never raises `Exception`.

        `guard` is asked first. `authorize` is asked after those of the tool and the toolset,
        `approve` in place of them.
        """
        if asking or guard is not None:
            return self._call_asking(raw, context, guard, **asking)
        boundary = self._boundary or self._compile()
        outcome: Any = boundary.run(raw, context, boundary.to_outcome)
        return outcome  # type: ignore[no-any-return]

    async def _call_asking(
        self,
        raw: Raw,
        context: Any,
        guard: LoopGuard | None,
        **asking: Unpack[PermissionOptions],
    ) -> Ok[Out_co] | Err:
        if guard is not None and (refused := await guard.check(self.name, raw)) is not None:
            return refused
        boundary = self._boundary_asking(**asking)
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
        """Do as `call` does, without a loop.

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
            return self._call_sync_asking(raw, context, guard, **asking)
        boundary = self._boundary or self._compile()
        right_call = boundary.right_call
        if right_call is None:
            outcome: Any = boundary.run_whole_sync(raw, context, boundary.to_outcome)
        else:
            outcome = right_call(boundary, raw, context)
        return outcome  # type: ignore[no-any-return]

    def _call_sync_asking(
        self,
        raw: Raw,
        context: Any,
        guard: LoopGuard | None,
        **asking: Unpack[PermissionOptions],
    ) -> Ok[Out_co] | Err:
        if guard is not None and (refused := guard.check_sync(self.name, raw)) is not None:
            return refused
        boundary = self._boundary_asking(**asking)
        outcome: Any = boundary.run_sync(raw, context, boundary.to_outcome)
        return outcome  # type: ignore[no-any-return]

    def _boundary_asking(self, **asking: Unpack[PermissionOptions]) -> Boundary:
        permission = Permission.of(**asking)
        boundary = self._compile()
        return boundary if permission.asks_nobody else boundary.with_permission(permission)

    def prepare(self, raw: Raw = None, /, *, context: Any = None) -> Prepared[Out_co] | Err:
        """Check what a model sent as `call` does, and run nothing.

        `context` is for what `transform` hides and makes of it; `Prepared.call` is given its own.
        """
        return self._compile().prepare(raw, context=context)

    async def refusal(self, raw: Raw = None, /, *, context: Any = None) -> Err | None:
        """Check a call and ask every `authorize` as `call` does; run nothing, and ask no person."""
        return await self._compile().ask_program(raw, context, has_loop=True)

    def refusal_sync(self, raw: Raw = None, /, *, context: Any = None) -> Err | None:
        """Do as `refusal` does, without a loop."""
        return run_without_loop(self._compile().ask_program(raw, context, has_loop=False))

    def restored(self, data: dict[str, Any], used: Used | None) -> Prepared[Out_co] | Err:
        """Restore a prepared call from the data of `Prepared.written`, or deny it."""
        from toolhaft.call.restoring import restore

        return restore(self._compile(), data, used)

    @overload
    def formatted(
        self, fmt: Callable[[Out_co | Exception], Coroutine[Any, Any, F]], /
    ) -> StandardTool[In_co, F]: ...
    @overload
    def formatted(self, fmt: Callable[[Out_co | Exception], F], /) -> StandardTool[In_co, F]: ...
    @overload
    def formatted(self, fmt: None = None, /) -> StandardTool[In_co, Any]: ...
    def formatted(self, fmt: Callable[[Any], Any] | None = None, /) -> StandardTool[Any, Any]:
        """Give a tool whose `execute` returns what `fmt` makes of the output or the exception.

        Without `fmt` it is the output, or `{"error": text}`. A crash comes as an exception with the
        id of the log, never with its own text.
        """
        from toolhaft.call.formatted import format_output
        from toolhaft.tools.formatted import FormattedTool

        return FormattedTool(self, format_output if fmt is None else fmt)

    def with_format(self, format: Callable[[Any], Any], /) -> Self:
        """Give the same tool, whose calls give what a function makes: for toolsets."""
        definition = self._definition.derive(format=format)
        return type(self)(definition, self._object, self._bounds, self._permission)

    @show_options(AllOptions, output=UNSET)
    def replace(self, **options: Unpack[AllOptions]) -> Self:
        """Give the same tool with other options, checked again.

        Both count together towards a limit, unless another is given.
        """
        require_known_options(options, "replace()")
        changed = self._definition.derive(options)
        return type(self)(changed, self._object, self._bounds, self._permission)

    def bounded(self, bounds: tuple[Limit, ...]) -> Self:
        """Give the same tool, its runs bounded by further limits: for toolsets."""
        more = tuple(limit for limit in bounds if limit not in self._bounds)
        if not more:
            return self
        return type(self)(self._definition, self._object, self._bounds + more, self._permission)

    def asking(self, permission: Permission) -> Self:
        """Give the same tool, which asks these too before each of its calls."""
        if permission.asks_nobody:
            return self
        combined = self._permission.combine(permission)
        boundary = self._boundary and self._boundary.with_permission(permission)
        return type(self)(self._definition, self._object, self._bounds, combined, boundary)

    def transform(
        self,
        *,
        rename: Mapping[str, str] = NO_CHANGE,
        describe: Mapping[str, str] = NO_CHANGE,
        hide: Mapping[str, Any] = NO_CHANGE,
        defaults: Mapping[str, Any] = NO_CHANGE,
    ) -> Self:
        """Derive a tool for another audience, once its types mean something; its handler stays.

        All four go by the parameters' names as they are; one inside an object goes by its path, as
        in `customer.address`, through lists and optional ones. What is hidden gets its value here,
        or from a function that is asked for each call and may take the context, and the model can
        neither see nor supply it. The program keeps the handler's own terms: whoever authorises or
        approves a call sees all that the handler is given, and both tools count together
        towards a limit.

        Raises:
            DefinitionError: lists every unknown name, collision, and value that does not fit.

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

    @property
    def boundary(self) -> Boundary:
        """The compiled boundary of the tool: for code that runs handlers elsewhere."""
        return self._compile()

    def _compile(self) -> Boundary:
        """Compile the boundary at the first call."""
        if self._boundary is None:
            from toolhaft.call.boundary import Boundary
            from toolhaft.call.formatted import FormattedBoundary
            from toolhaft.call.results import Results

            self.assemble(LIMITS)
            definition, assembly = self._definition, self._definition.assemble()
            # In one order for all tools: two could wait for each other otherwise.
            bounds = sorted(self._bounds, key=id)
            boundary = (FormattedBoundary if definition.format else Boundary)(
                definition.rules,
                assembly.pipeline(definition.rules),
                self._function,
                assembly.binder,
                Results(assembly.output, content=assembly.content),
                asynchronous=definition.handler.asynchronous,
                limits=tuple(bounds if definition.limit is None else [definition.limit, *bounds]),
                describe=self.describe,
            )
            if definition.format is not None:
                setattr(boundary, "format", definition.format)  # noqa: B010  of that class
            boundary.use_permission(self._permission)
            self._boundary = boundary  # last, as other threads use it at once
        return self._boundary


UNBOUND = UnnamedFault(
    "",
    "a method needs its object",
    "take it from an instance, or use Toolset.of(obj); above @staticmethod, @tool needs none",
)


class FreeTool(Tool[Params, Ret_co, Out_co, In_co]):
    """A tool made from a staticmethod: as an attribute it does not bind."""

    __slots__ = ()

    def __get__(self, obj: object, owner: type | None = None, /) -> Self:
        return self


AnyTool: TypeAlias = Tool[..., Any, Any, Any]
