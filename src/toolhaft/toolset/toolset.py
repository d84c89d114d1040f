"""`Toolset`: tools under their names, checked together, called by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from toolhaft.call.permission import Approve, Authorize, Permission, PermissionOptions
from toolhaft.definition import names
from toolhaft.definition.options import fault_of_limit
from toolhaft.errors import ContextMissing, DefinitionError, Fault
from toolhaft.schema.bounds import DefinitionLimits
from toolhaft.tools.definition import LIMITS
from toolhaft.tools.tool import AnyTool, Raw, Tool

if TYPE_CHECKING:
    from pathlib import Path

    from typing_extensions import Unpack

    from toolhaft.call.limits import Limit
    from toolhaft.call.loop_guard import LoopGuard
    from toolhaft.call.once_token import Used
    from toolhaft.call.outcome import Err, Ok
    from toolhaft.call.prepared import Prepared
    from toolhaft.call.signing import Key
    from toolhaft.call.types import ToolCall
    from toolhaft.lowering import Strict
    from toolhaft.observers import Limiter, Observer
    from toolhaft.observers.call_observers import CallObservers
    from toolhaft.toolset.dispatch import Asked
    from toolhaft.toolset.export import Export
    from toolhaft.toolset.members import Member
    from toolhaft.toolset.wire import OnProblem

__all__ = ["Toolset"]

T = TypeVar("T")


class Toolset:
    """Tools under names that differ, immutable; joining one resolves and checks it whole.

    Members are tools, annotated functions, and any object of the StandardTool shape. `observers`
    are told of every call that is made through the toolset, or through an export of it;
    `limiters` may refuse one before its arguments are looked at; `limit` is how many calls run at
    a time, over all loops and threads, while the others wait. Sets that are made from this one
    keep all three, and share the limit.

    `authorize` and `approve` are asked before every call, and stay with each member wherever it
    goes: taken out, selected, renamed by `prefix`, or joined to another set by `+`, which takes
    loose members in under its left side's.

    Raises:
        DefinitionError: lists everything that is wrong with every tool.

    >>> def add(a: int, b: int) -> int:
    ...     "Add two whole numbers."
    ...     return a + b
    >>> tools = Toolset([add])
    >>> tools.call_sync("add", '{"a": 1, "b": 2}').text
    '3'
    >>> tools.call_sync("ad", "{}").text
    'There is no tool named ad. Did you mean add? Available tools: add.'
    """

    __slots__ = ("_bounds", "_dispatch", "_limits", "_tools", "_unwatched", "_watch", "permission")

    def __init__(
        self,
        tools: Iterable[Member] = (),
        /,
        *,
        observers: Iterable[Observer] = (),
        limiters: Iterable[Limiter] = (),
        limit: int | None = None,
        limits: DefinitionLimits = LIMITS,
        authorize: Authorize | None = None,
        approve: Approve | None = None,
    ) -> None:
        from toolhaft.toolset.members import check_members  # which loads vendors

        self._limits = limits
        self.permission: Permission = Permission.of(authorize, approve)
        self._bounds = _bounds(limit)
        self._tools = check_members(tools, limits, self.permission)
        self._watch = _watch(tuple(observers), tuple(limiters))
        self._bound(self._bounds)

    def _bound(self, bounds: tuple[Limit, ...]) -> None:
        """Bound the runs of every tool, while the set is being made."""
        from toolhaft.toolset.dispatch import (
            Dispatch,  # a program that defines tools starts without
        )

        self._bounds = bounds
        if bounds:
            self._tools = {name: one.bounded(bounds) for name, one in self._tools.items()}
        # Where nobody watches, a call finds its tool here and nothing else is asked.
        self._unwatched = self._tools if self._watch is None else {}
        self._dispatch = Dispatch(self._tools, self._watch)

    @classmethod
    def of(cls, owner: object, /) -> Toolset:
        """Collect the tools that an object's class defines, bound to the object."""
        found: dict[str, AnyTool] = {}
        for kind in reversed(type(owner).__mro__):
            for name, value in vars(kind).items():
                if isinstance(value, Tool):
                    found[name] = getattr(owner, name)
                else:
                    found.pop(name, None)
        return cls(found.values())

    @property
    def bounds(self) -> tuple[Limit, ...]:
        """The limits that all of its calls share."""
        return self._bounds

    @property
    def observers(self) -> tuple[Observer, ...]:
        """Who is told of every call."""
        return () if self._watch is None else self._watch.observers

    @property
    def limiters(self) -> tuple[Limiter, ...]:
        """Who may refuse one."""
        return () if self._watch is None else self._watch.limiters

    def __iter__(self) -> Iterator[AnyTool]:
        return iter(self._tools.values())

    def __getitem__(self, name: str, /) -> AnyTool:
        try:
            return self._tools[name]
        except KeyError:
            near = names.nearest(str(name), self._tools)
            hint = f"; did you mean {near}?" if near else ""
            raise KeyError(f"no tool named {name}{hint}") from None

    def __contains__(self, name: object, /) -> bool:
        return name in self._tools

    def __len__(self) -> int:
        return len(self._tools)

    def __add__(self, other: Iterable[Member], /) -> Toolset:
        if isinstance(other, Toolset):
            return self._with([*self, *other], other)
        return self._with([*self, *self._permitted(other)])

    def __repr__(self) -> str:
        return f"Toolset({list(self._tools)!r})"

    def select(self, *patterns: str) -> Toolset:
        """Give the tools whose names fit one of the patterns, as in `select("get_*")`."""
        from fnmatch import fnmatchcase

        fits = (t for t in self if any(fnmatchcase(t.name, one) for one in patterns))
        return self._with(fits)

    def prefix(self, prefix: str) -> Toolset:
        """Give the same tools under longer names."""
        return self._with(t.replace(name=prefix + t.name) for t in self)

    def asking(self, **asking: Unpack[PermissionOptions]) -> Toolset:
        """Give the same tools, each of which asks these as well before it runs."""
        permission = Permission.of(**asking)
        if permission.asks_nobody:
            return self
        made = self._with(one.asking(permission) for one in self)
        made.permission = self.permission.combine(permission)
        return made

    def verify(self, lock: Mapping[str, Any] | str | Path, /) -> Toolset:
        """Give the same tools if they are what a lock says: for tools that come from elsewhere.

        `lock` is the path of a file that `toolhaft lock` wrote, or its data.

        Raises:
            Mismatch: names each tool that was added, is gone, or is another one now.
            LockError: The lock cannot be used.
        """
        from toolhaft.review.lock import verified

        verified(self, lock)
        return self

    def check_context(self, context: Any) -> None:
        """Look up every `Injected` name of every tool, as at the start of a program.

        Raises:
            ContextMissing: names the tool, and all that its context lacks.
        """
        for one in self:
            missing = one.missing(context)
            if missing:
                raise ContextMissing(one.name, missing)

    async def call(
        self,
        name: str,
        raw: Raw = None,
        /,
        *,
        context: Any = None,
        guard: LoopGuard | None = None,
        **asking: Unpack[PermissionOptions],
    ) -> Ok[Any] | Err:
        """Call a tool by name; an unknown name is an outcome too."""
        if asking:
            joined = self.asking(**asking)
            return await joined.call(name, raw, context=context, guard=guard)
        if guard is not None and (refused := await guard.check(name, raw)) is not None:
            return self.refused(_call(name, raw), refused)
        found = self._unwatched.get(name)
        if found is None:
            return await self._dispatch.run(_call(name, raw), None, context)
        return await found.call(raw, context=context)

    def call_sync(
        self,
        name: str,
        raw: Raw = None,
        /,
        *,
        context: Any = None,
        guard: LoopGuard | None = None,
        **asking: Unpack[PermissionOptions],
    ) -> Ok[Any] | Err:
        """Do as `call` does, without a loop."""
        if asking:
            joined = self.asking(**asking)
            return joined.call_sync(name, raw, context=context, guard=guard)
        if guard is not None and (refused := guard.check_sync(name, raw)) is not None:
            return self.refused(_call(name, raw), refused)
        found = self._unwatched.get(name)
        if found is None:
            return self._dispatch.run_sync(_call(name, raw), None, context)
        return found.call_sync(raw, context=context)

    async def call_all(
        self,
        calls: Sequence[ToolCall],
        /,
        *,
        context: Any = None,
        guard: LoopGuard | None = None,
        **asking: Unpack[PermissionOptions],
    ) -> list[Ok[Any] | Err]:
        """Run calls side by side: one outcome for each, in their order, with its `call_id`.

        A tool with `parallel=False` runs alone: after all calls before it, before all after it.
        A guard looks at every call before the first one runs.
        """
        if asking:
            joined = self.asking(**asking)
            return await joined.call_all(calls, context=context, guard=guard)
        asked: list[Asked] = [(one, None) for one in calls]
        if guard is not None:
            asked = [(one, await guard.check(one.name, one.arguments)) for one in calls]
        return await self._dispatch.run_all(asked, context)

    def call_all_sync(
        self,
        calls: Sequence[ToolCall],
        /,
        *,
        context: Any = None,
        guard: LoopGuard | None = None,
        **asking: Unpack[PermissionOptions],
    ) -> list[Ok[Any] | Err]:
        """Run calls one after the other, without a loop."""
        if asking:
            joined = self.asking(**asking)
            return joined.call_all_sync(calls, context=context, guard=guard)
        asked: list[Asked] = [(one, None) for one in calls]
        if guard is not None:
            asked = [(one, guard.check_sync(one.name, one.arguments)) for one in calls]
        return self._dispatch.run_all_sync(asked, context)

    def refused(self, call: ToolCall, err: Err, /) -> Err:
        """Give a call an outcome that was certain before it could reach a tool: for exports."""
        return self._dispatch.refused(call, err)

    def _with(self, tools: Iterable[Member], *others: Toolset) -> Toolset:
        """Make a set with what was settled for this one, and whoever watches the others."""
        sets = (self, *others)
        made = Toolset(
            tools,
            observers=_each(one.observers for one in sets),
            limiters=_each(one.limiters for one in sets),
            limits=self._limits,
        )
        made._bound(tuple(_each(one.bounds for one in sets)))
        made.permission = self.permission  # the tools ask already whom they have to
        return made

    def _permitted(self, members: Iterable[Member]) -> list[AnyTool]:
        """Take members in as this set took its own."""
        return [one.asking(self.permission) for one in Toolset(members, limits=self._limits)]

    def resume(
        self,
        text: str | bytes,
        /,
        *,
        key: Key = None,
        used: Used | None = None,
        authorize: Authorize | None = None,
    ) -> Prepared[Any] | Err:
        """Give a call back that `Prepared.to_json` wrote, here or in another process.

        Text that was changed, another key, a key on one side only, a tool that is another one now,
        and a call that was made already are `denied`. To run it, call what comes back: it asks the
        tool's and the toolset's `authorize`, and this one, as what was passed to a call does not
        travel with it.

        A process knows only what it ran itself. Where several may resume the same text, pass
        `used`: it is called with the call's nonce just before the handler, marks it in a store
        that all of them share, in one step, and gives False the first time (with Redis,
        `lambda nonce: not store.set(nonce, 1, nx=True)`). Whatever else it gives is a denial.
        """
        from toolhaft.call.call_options import CallOptions
        from toolhaft.call.prepared import KIND
        from toolhaft.call.restoring import to_refusal
        from toolhaft.call.signing import VerificationFailed, verify

        try:
            data = verify(KIND, text, key)
        except VerificationFailed as fault:
            return self.refused(_call("", None), to_refusal(CallOptions(""), str(fault)))
        return self.asking(authorize=authorize).restored(data, used)

    def restored(
        self, data: dict[str, Any], used: Used | None = None, target: str | None = None
    ) -> Prepared[Any] | Err:
        """Do the same for what was inside the text."""
        return self._dispatch.restored(data, used, target)

    def export(
        self, target: str, /, *, strict: Strict = False, on_problem: OnProblem = "drop"
    ) -> Export:
        """Write the tools as one provider or protocol takes them, and read its calls back.

        `strict` is "prefer" (what cannot be strict is sent plain, and said so) or "require".

        Raises:
            LoweringUnsupported: With `strict="require"`, where a tool cannot be strict.
            ExportError: With `on_problem="raise"`, where the target refuses a tool.
        """
        from toolhaft.toolset.export import Export

        return Export(self, target, strict=strict, on_problem=on_problem)


def _call(name: str, raw: Raw) -> ToolCall:
    from toolhaft.call.types import ToolCall

    return ToolCall(None, name, raw)


def _bounds(limit: int | None) -> tuple[Limit, ...]:
    flaw = fault_of_limit(limit)
    if flaw is not None:
        raise DefinitionError([Fault("Toolset", "limit", *flaw)])
    if limit is None:
        return ()
    from toolhaft.call.limits import Limit

    return (Limit(limit),)


def _watch(observers: tuple[Observer, ...], limiters: tuple[Limiter, ...]) -> CallObservers | None:
    if not observers and not limiters:
        return None
    from toolhaft.observers.call_observers import CallObservers

    return CallObservers(observers, limiters)


def _each(several: Iterable[tuple[T, ...]]) -> list[T]:
    """Give everything once; two observers may be equal and still be two."""
    return list({id(one): one for some in several for one in some}.values())
