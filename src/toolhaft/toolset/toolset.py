"""`Toolset`: tools under their names, checked together, called by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from toolhaft.call.permission import Approve, Authorize, Permission, PermissionOptions, Visible
from toolhaft.definition import names
from toolhaft.definition.keyword_options import show_options
from toolhaft.definition.options import UNSET
from toolhaft.errors import ContextMissing, ToolhaftError
from toolhaft.schema.bounds import DefinitionLimits
from toolhaft.tools.definition import LIMITS, make_limit
from toolhaft.tools.tool import AnyTool
from toolhaft.toolset.calls import ToolCalls

if TYPE_CHECKING:
    from pathlib import Path

    from mcp.server.lowlevel import Server
    from typing_extensions import Unpack

    from toolhaft.call.barrier import Barrier
    from toolhaft.call.limits import Limit
    from toolhaft.definition.targets import Target
    from toolhaft.lowering import Strict
    from toolhaft.observers import Limiter, Observer
    from toolhaft.observers.call_observers import CallObservers
    from toolhaft.serve.context import ContextOf
    from toolhaft.toolset.collect import NotCollected
    from toolhaft.toolset.export import Export
    from toolhaft.toolset.members import Member
    from toolhaft.toolset.wire import OnProblem

__all__ = ["Toolset"]

T = TypeVar("T")


class Toolset(ToolCalls):
    """Tools under names that differ, immutable; joining one resolves and checks it whole.

    Members are tools, annotated functions, and any object of the StandardTool shape. `observers`
    are told of every call that is made through the toolset, or through an export of it;
    `limiters` may refuse one before its arguments are looked at; `limit` is how many calls run at
    a time, over all loops and threads, while the others wait. Sets that are made from this one
    keep all three, and share the limit.

    `authorize` and `approve` are asked before every call, and stay with each member wherever it
    goes: taken out, selected, renamed by `prefix`, or joined to another set by `+`, which takes
    loose members in under its left side's. So does `visible`, which is asked with a tool and the
    context: a tool that it does not show is in no export and no hint, and to call it gives
    `unknown_tool`.

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

    __slots__ = (
        "_barriers",
        "_bounds",
        "_hides",
        "_limits",
        "_observers",
        "_tools",
        "not_collected",
        "permission",
    )

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
        visible: Visible | None = None,
    ) -> None:
        from toolhaft.toolset.members import check_members, check_options  # loads vendors

        callbacks = {"authorize": authorize, "approve": approve, "visible": visible}
        check_options({"observers": observers, "limiters": limiters}, callbacks, limit)
        self._limits = limits
        # Of a set that `of` made: the tools that could not be had, each with why.
        self.not_collected: tuple[NotCollected, ...] = ()
        hiding = () if visible is None else (visible,)
        self._observers = _make_observers(tuple(observers), tuple(limiters))
        self.permission: Permission = Permission.of(authorize, approve)._replace(
            visible=hiding,
            observed=self._observers is not None and self._observers.read_values,
        )
        self._tools = check_members(tools, limits, self.permission)
        self._set_bounds(() if limit is None else (make_limit(limit),))
        self._barriers: tuple[Barrier, ...] = _make_barriers(self._tools)

    def _set_bounds(self, bounds: tuple[Limit, ...]) -> None:
        """Set the limits of every tool, while the set is being made."""
        from toolhaft.toolset.dispatch import Dispatch  # not loaded for definitions alone

        self._bounds = bounds
        if bounds:
            self._tools = {name: tool.bounded(bounds) for name, tool in self._tools.items()}
        self._hides: bool = not all(tool.is_always_visible for tool in self)
        # Without observers, calls go straight to these tools.
        self._unobserved = self._tools if self._observers is None and not self._hides else {}
        self._dispatch = Dispatch(self._tools, self._observers)

    @classmethod
    def of(cls, owner: object, /) -> Toolset:
        """Collect an object's tools: those of its class, bound to it, and those that it holds.

        They are tools, formatted ones, and objects of the StandardTool shape. Of a class, those
        that need no object. `not_collected` says what was left out, and why.
        """
        from toolhaft.toolset.collect import collect_tools

        members, left_out = collect_tools(owner)
        toolset = cls(members)
        toolset.not_collected = tuple(left_out)
        return toolset

    @property
    def bounds(self) -> tuple[Limit, ...]:
        """The limits that all of its calls share."""
        return self._bounds

    @property
    def barriers(self) -> tuple[Barrier, ...]:
        """What keeps a tool with `parallel=False` alone in a host; none, if there is no such."""
        return self._barriers

    @property
    def observers(self) -> tuple[Observer, ...]:
        """Who is told of every call."""
        return () if self._observers is None else self._observers.observers

    @property
    def limiters(self) -> tuple[Limiter, ...]:
        """Who may refuse one."""
        return () if self._observers is None else self._observers.limiters

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
        return self._with([*self, *self._with_permission(other)])

    def __repr__(self) -> str:
        return f"Toolset({list(self._tools)!r})"

    def select(self, *patterns: str) -> Toolset:
        """Give the tools whose names fit one of the patterns, as in `select("get_*")`."""
        from fnmatch import fnmatchcase

        selected = (
            tool for tool in self if any(fnmatchcase(tool.name, pattern) for pattern in patterns)
        )
        return self._with(selected)

    def visible_to(self, context: Any) -> Toolset:
        """Give the tools that `visible=` shows in a context: for what lists them to a caller.

        >>> def restart(host: str) -> str:
        ...     "Restart a host."
        ...     return host
        >>> tools = Toolset([restart], visible=lambda tool, user: user == "admin")
        >>> len(tools.visible_to("ann")), len(tools.visible_to("admin"))
        (0, 1)
        >>> tools.call_sync("restart", {"host": "a"}, context="ann").text
        'There is no tool named restart.'
        """
        return self._with(tool for tool in self if tool.is_visible(context))

    @property
    def hides(self) -> bool:
        """Whether `visible=` has to be asked which of its tools are shown."""
        return self._hides

    def shown(self, context: Any = UNSET) -> Toolset:
        """Give the tools that are shown in a context, where `visible=` needs one to judge by.

        None is a context; the default is no context.

        Raises:
            ToolhaftError: There is no context, and a tool that `visible=` may hide.
        """
        if not self._hides:
            return self
        if context is UNSET:
            raise ToolhaftError(
                "Toolset: visible: no context to judge by; pass context= (None for a guest)"
            )
        return self.visible_to(context)

    def prefix(self, prefix: str) -> Toolset:
        """Give the same tools under longer names."""
        return self._with(tool.replace(name=prefix + tool.name) for tool in self)

    def coercing(self, coerce: Literal["safe", "lenient", "none"], /) -> Toolset:
        """Give the same tools under one policy of repair."""
        return self._with(tool.replace(coerce=coerce) for tool in self)

    @show_options(PermissionOptions)
    def asking(self, **asking: Unpack[PermissionOptions]) -> Toolset:
        """Give the same tools, each of which asks these as well before it runs."""
        permission = Permission.of(**asking)
        if permission.asks_nobody:
            return self
        toolset = self._with(tool.asking(permission) for tool in self)
        toolset.permission = self.permission.combine(permission)
        return toolset

    def barred(self) -> Toolset:
        """Give the same tools, of which one with `parallel=False` runs alone whoever calls it.

        For hosts that run calls side by side without `call_all`. Sets that are made from one
        another keep apart what they run.
        """
        if not self._barriers:
            return self
        return self._with(self, bounds=self._barriers)

    def verify(self, lock: Mapping[str, Any] | str | Path, /) -> Toolset:
        """Give the same tools if they are what a lock says: for tools that come from elsewhere.

        `lock` is the path of a file that `toolhaft lock` wrote, or its data.

        Raises:
            Mismatch: names each tool that was added, is gone, or is another one now.
            LockError: The lock cannot be used.
        """
        from toolhaft.review.lock import verify_tools

        verify_tools(self, lock)
        return self

    def check_context(self, context: Any = UNSET) -> None:
        """Look up every `Injected` name of every tool, as at the start of a program.

        Without `context`, check that no tool needs one. None is a context.

        Raises:
            ContextMissing: names the tool, and all that its context lacks.
        """
        for tool in self:
            missing = tool.missing(context)
            if missing:
                raise ContextMissing(tool.name, missing, is_given=context is not UNSET)

    def _with(
        self, tools: Iterable[Member], *others: Toolset, bounds: Iterable[Limit] = ()
    ) -> Toolset:
        """Make a set with the options of this one, and the observers and limits of all."""
        sets = (self, *others)
        toolset = Toolset(
            tools,
            observers=_distinct(each.observers for each in sets),
            limiters=_distinct(each.limiters for each in sets),
            limits=self._limits,
        )
        toolset._set_bounds((*_distinct(each.bounds for each in sets), *bounds))
        toolset._barriers = tuple(_distinct(each.barriers for each in sets)) or toolset._barriers
        toolset.permission = self.permission  # the tools have it already
        return toolset

    def _with_permission(self, members: Iterable[Member]) -> list[AnyTool]:
        """Wrap members, with this set's permission."""
        return [tool.asking(self.permission) for tool in Toolset(members, limits=self._limits)]

    def export(
        self,
        target: Target,
        /,
        *,
        strict: Strict = False,
        on_problem: OnProblem = "drop",
        context: Any = None,
    ) -> Export:
        """Write the tools as one provider or protocol takes them, and read its calls back.

        Of a set with `visible=` these are the tools that it shows in `context`. `strict` is
        "prefer" (what cannot be strict is sent plain, and said so) or "require".

        Raises:
            LoweringUnsupported: With `strict="require"`, where a tool cannot be strict.
            ExportError: With `on_problem="raise"`, where the target refuses a tool.
        """
        from toolhaft.toolset.export import Export

        shown = self.visible_to(context) if self._hides else self
        return Export(shown, target, strict=strict, on_problem=on_problem)

    def as_mcp_server(
        self, name: str = "tools", *, context: ContextOf | None = None
    ) -> Server[Any]:
        """Make an MCP server of the tools, for the transports of the official SDK.

        `context` makes the context of a call from the HTTP request; over other transports it is
        given None.

        >>> from mcp import Client
        >>> from asyncio import run
        >>> def add(a: int, b: int) -> int:
        ...     "Add two whole numbers."
        ...     return a + b
        >>> async def ask() -> object:
        ...     async with Client(Toolset([add]).as_mcp_server()) as client:
        ...         return (await client.call_tool("add", {"a": 1, "b": 2})).structured_content
        >>> run(ask())
        3
        """
        from toolhaft.serve import asgi

        return asgi(self, title=name, context=context).server


def _make_barriers(tools: Mapping[str, AnyTool]) -> tuple[Barrier, ...]:
    if all(tool.rules.parallel for tool in tools.values()):
        return ()
    from toolhaft.call.barrier import Barrier

    return (Barrier(),)


def _make_observers(
    observers: tuple[Observer, ...], limiters: tuple[Limiter, ...]
) -> CallObservers | None:
    if not observers and not limiters:
        return None
    from toolhaft.observers.call_observers import CallObservers

    return CallObservers(observers, limiters)


def _distinct(groups: Iterable[tuple[T, ...]]) -> list[T]:
    """Give each object once, by identity: two equal observers are two."""
    return list({id(item): item for group in groups for item in group}.values())
