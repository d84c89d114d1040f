"""`Toolset`: tools under their names, checked together, called by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar, overload

from toolhaft.call.permission import Approve, Permission, PermissionOptions, Visible
from toolhaft.definition import names
from toolhaft.definition.call_info import ORIGINS, Origin
from toolhaft.definition.keyword_options import show_options
from toolhaft.definition.options import UNSET
from toolhaft.definition.predicates import Authorize
from toolhaft.discovery.index import ToolIndex
from toolhaft.errors import ContextMissing
from toolhaft.schema.bounds import DefinitionLimits
from toolhaft.tools.definition import LIMITS, make_limit
from toolhaft.tools.internals import (
    add_limits,
    add_permission,
    add_prefix,
    call_options_of,
    is_always_visible,
)
from toolhaft.tools.tool import AnyTool
from toolhaft.toolset.calls import ToolCalls

if TYPE_CHECKING:
    from pathlib import Path

    from mcp.server.lowlevel import Server
    from typing_extensions import TypeForm, Unpack

    from toolhaft.call.barrier import Barrier
    from toolhaft.call.limits import Limit
    from toolhaft.definition.targets import Target
    from toolhaft.lowering import Strict
    from toolhaft.observers import Limiter, Observer
    from toolhaft.observers.call_observers import CallObservers
    from toolhaft.serve.context import ContextOf
    from toolhaft.tools.definition import Group
    from toolhaft.toolset.export import Export
    from toolhaft.toolset.groups import SearchMode
    from toolhaft.toolset.members import Member, NotCollected
    from toolhaft.toolset.planning import OnProblem
    from toolhaft.toolset.programs import Dispatcher
    from toolhaft.toolset.results.store import Store
    from toolhaft.toolset.token_estimate import TokenEstimate
    from toolhaft.toolset.wire import ExportOptions

__all__ = ["Toolset"]

T = TypeVar("T")


class Toolset(ToolCalls):
    """Tools that are checked together and called by name. It is immutable.

    `authorize`, `approve` and `visible` stay with each tool in every toolset that is made from this
    one by `select`, `prefix` or `+`, and when you take a tool out. Observers, limiters and the
    limit stay with the toolsets that are made from it.

    Args:
        tools: Tools, annotated functions, objects of the `StandardTool` shape, and toolsets.
        observers: Objects that are notified of each call; see `toolhaft.observers`.
        limiters: Objects that can reject a call before its arguments are read.
        limit: How many calls run at the same time, over all event loops and threads; others wait.
        limits: How large definitions may be.
        authorize: A predicate of the values that a tool's function receives, the context and the
            tool's name, as many as it requires. It permits a call only by returning True.
        approve: A callback that decides calls which need approval.
        visible: A predicate of a tool and the context. A tool that is not visible is in no export
            and no hint, and calling it gives "unknown_tool".
        results: A `Store` of results that are too long for a model. It adds a tool `read_result`,
            by which the model reads on.
        name: The name of a group: inside another toolset, the tools are `name.tool`.
        description: What the tools of the group are for.
        defer: Whether all tools are deferred, but for those with `tool(defer=False)`.
        search: Who finds deferred tools: the provider's own search ("native"), that of `search`
            ("local"), or the provider's where it has one ("auto").

    Attributes:
        not_collected: The members that `Toolset.of` left out, with reasons.
        group: The name and the description of the group, if you gave it a name.

    Raises:
        DefinitionError: Lists everything that is wrong with every tool.

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
        "_index",
        "_limits",
        "_observers",
        "_permission",
        "_results",
        "_search",
        "_tools",
        "group",
        "not_collected",
    )

    def __init__(
        self,
        tools: Iterable[Member | Toolset] = (),
        /,
        *,
        observers: Iterable[Observer] = (),
        limiters: Iterable[Limiter] = (),
        limit: int | None = None,
        limits: DefinitionLimits = LIMITS,
        authorize: Authorize[Any] | None = None,
        approve: Approve | None = None,
        visible: Visible | None = None,
        results: Store | None = None,
        name: str | None = None,
        description: str = "",
        defer: bool = False,
        search: SearchMode = "auto",
    ) -> None:
        from toolhaft.toolset.groups import check_group, join_groups, search_of, store_of
        from toolhaft.toolset.members import check_members, check_options  # loads vendors

        callbacks = {"authorize": authorize, "approve": approve, "visible": visible}
        lists = {"observers": observers, "limiters": limiters}
        check_options(lists, callbacks, limit, limits, results)
        self.group: Group | None = check_group(name, description, defer, search)
        self._limits = limits
        # Of a set that `of` made: the tools that could not be had, each with why.
        self.not_collected: tuple[NotCollected, ...] = ()
        hiding = () if visible is None else (visible,)
        members, groups = join_groups(tools, Toolset)
        self._search: SearchMode = search_of((search, *(each._search for each in groups)))  # noqa: SLF001  of this class
        self._observers = _make_observers(
            tuple(_distinct([tuple(observers), *(each.observers for each in groups)])),
            tuple(_distinct([tuple(limiters), *(each.limiters for each in groups)])),
        )
        self._permission: Permission = Permission.of(authorize, approve)._replace(
            visible=hiding,
            observed=self._observers is not None and self._observers.read_values,
        )
        of_groups = (each._results for each in groups)  # noqa: SLF001  of this class
        self._results: Store | None = store_of(of_groups) if results is None else results
        if self._results is not None:
            from toolhaft.toolset.results.reading import without_readers

            members = without_readers(members)
        self._tools = check_members(members, limits, self._permission, defer=defer)
        if self._results is not None:
            self._add_reader(self._results)
        self._index = ToolIndex(self._tools)
        self._set_bounds(() if limit is None else (make_limit(limit),))
        barriers = tuple(_distinct(each._barriers for each in groups))  # noqa: SLF001
        self._barriers: tuple[Barrier, ...] = barriers or _make_barriers(self._tools)

    def _add_reader(self, results: Store) -> None:
        """Add the tool by which models read results of a store, while the set is being made."""
        from toolhaft.toolset.members import check_members
        from toolhaft.toolset.results.reading import make_reader

        def sees(name: str, context: Any) -> bool:
            return self._dispatch.find_visible(name, context) is not None

        observed = Permission(observed=self._permission.observed)
        reader = make_reader(results, sees)
        self._tools = check_members([*self, reader], self._limits, observed)

    def _set_bounds(self, bounds: tuple[Limit, ...]) -> None:
        """Set the limits of every tool, while the set is being made."""
        from toolhaft.toolset.dispatch import Dispatch  # not loaded for definitions alone

        self._bounds = bounds
        if bounds:
            self._tools = {name: add_limits(tool, bounds) for name, tool in self._tools.items()}
        self._hides: bool = not all(is_always_visible(tool) for tool in self)
        # Without observers, calls go straight to these tools.
        is_watched = self._hides or not (self._observers is None and self._results is None)
        self._unobserved = {} if is_watched else self._tools
        if self._results is None:
            self._dispatch = Dispatch(self._tools, self._observers)
            return
        from toolhaft.toolset.results.keeping import KeepingDispatch

        self._dispatch = KeepingDispatch(self._tools, self._observers, self._results)

    @classmethod
    def of(cls, owner: object, /) -> Toolset:
        """Collect the tools of an object: methods of its class, and tools in its attributes.

        Of a class, only tools that need no object are collected. `not_collected` lists the others.

        Args:
            owner: The object, or a class.
        """
        from toolhaft.toolset.members import collect_tools

        members, left_out = collect_tools(owner)
        toolset = cls(members)
        toolset.not_collected = tuple(left_out)
        return toolset

    @property
    def observers(self) -> tuple[Observer, ...]:
        """The objects that are notified of every call."""
        return () if self._observers is None else self._observers.observers

    @property
    def limiters(self) -> tuple[Limiter, ...]:
        """The objects that can reject a call."""
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
        """Return the tools whose names match one of the patterns, as in `select("get_*")`.

        Args:
            patterns: Patterns as in `fnmatch`.
        """
        from fnmatch import fnmatchcase

        selected = (
            tool for tool in self if any(fnmatchcase(tool.name, pattern) for pattern in patterns)
        )
        return self._with(selected)

    def visible_to(self, context: Any) -> Toolset:
        """Return the tools that `visible=` shows in a context.

        Args:
            context: The context of the caller.

        >>> def restart(host: str) -> str:
        ...     "Restart a host."
        ...     return host
        >>> tools = Toolset([restart], visible=lambda tool, user: user == "admin")
        >>> len(tools.visible_to("ann")), len(tools.visible_to("admin"))
        (0, 1)
        >>> tools.call_sync("restart", {"host": "a"}, context="ann").text
        'There is no tool named restart.'
        """
        shown = self._with(tool for tool in self if tool.is_visible(context))
        shown._index = self._index  # noqa: SLF001  of this class; its words are read once
        return shown

    def search(
        self, query: str, /, *, limit: int = 5, context: Any = None, caller: Origin = "direct"
    ) -> list[AnyTool]:
        """Return the tools that fit a query best, the best first.

        The search compares words: those of names, titles and descriptions, of tools and of their
        parameters. It needs no network and no model.

        Args:
            query: What the tool should do, in any words.
            limit: How many tools are returned at most.
            context: The context by which `visible=` shows tools.
            caller: The kind of caller; tools that `allowed_callers` does not let it are left
                out.

        Raises:
            ToolhaftError: `query` is not text, `limit` is not a whole number, or `caller` is
                unknown.

        >>> def list_orders(customer: str) -> list[str]:
        ...     "Return the orders of a customer."
        ...     return []
        >>> def send_invoice(order: str) -> None:
        ...     "Send the invoice of an order by email."
        >>> tools = Toolset([list_orders, send_invoice])
        >>> [tool.name for tool in tools.search("mail a bill")]
        ['send_invoice']
        """
        from toolhaft.discovery.index import check_search

        check_search(query, limit, caller)
        among = [
            name
            for name, tool in self._tools.items()
            if caller in (tool.allowed_callers or ORIGINS) and tool.is_visible(context)
        ]
        return [self._tools[name] for name in self._index.search(query, among, limit)]

    def prefix(self, prefix: str) -> Toolset:
        """Return the same tools under longer names.

        Args:
            prefix: The text to put before each name.
        """
        return self._with(add_prefix(tool, prefix) for tool in self)

    @show_options(PermissionOptions)
    def asking(self, **asking: Unpack[PermissionOptions]) -> Toolset:
        """Return the same tools with further callbacks.

        Args:
            authorize: A further check before each call.
            approve: A callback that decides calls which need approval.
        """
        permission = Permission.of(**asking)
        if permission.asks_nobody:
            return self
        toolset = self._with(add_permission(tool, permission) for tool in self)
        toolset._permission = self._permission.combine(permission)  # noqa: SLF001  of this class
        return toolset

    def verify(self, lock: Mapping[str, Any] | str | Path, /) -> Toolset:
        """Check the tools against a lock, for tools that come from elsewhere.

        Args:
            lock: The path of a file that `toolhaft lock` wrote, or its data.

        Returns:
            The toolset itself.

        Raises:
            Mismatch: Names each tool that was added, removed or changed.
            LockError: The lock cannot be used.
        """
        from toolhaft.review.lock import verify_tools

        verify_tools(self, lock)
        return self

    def check_context(self, context: Any = UNSET) -> None:
        """Check that a context has every value that the tools need, when your program starts.

        Args:
            context: The context of the calls. Without it, no tool may need one; None is a context.

        Raises:
            ContextMissing: Names the tool and everything that the context lacks.
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
        from toolhaft.toolset.groups import search_of, store_of

        toolset = Toolset(
            tools,
            results=store_of(each._results for each in sets),  # noqa: SLF001  of this class
            observers=_distinct(each.observers for each in sets),
            limiters=_distinct(each.limiters for each in sets),
            limits=self._limits,
            search=search_of(each._search for each in sets),  # noqa: SLF001  of this class
        )
        toolset.group = self.group
        shared = _distinct(each._bounds for each in sets)  # noqa: SLF001  of this class
        toolset._set_bounds((*shared, *bounds))
        barriers = _distinct(each._barriers for each in sets)  # noqa: SLF001  of this class
        toolset._barriers = tuple(barriers) or toolset._barriers
        toolset._permission = self._permission  # the tools have it already
        return toolset

    def _with_permission(self, members: Iterable[Member]) -> list[AnyTool]:
        """Wrap members, with this set's permission."""
        return [
            add_permission(tool, self._permission) for tool in Toolset(members, limits=self._limits)
        ]

    # Two only, and short: mypy shows each of them beside a wrong option.
    @overload
    def export(
        self, target: str, /, *, output: TypeForm[T], **options: Unpack[ExportOptions]
    ) -> Export[T]: ...
    @overload
    def export(
        self, target: Target, /, *, output: Any = None, **options: Unpack[ExportOptions]
    ) -> Export: ...
    def export(
        self,
        target: Target,
        /,
        *,
        strict: Strict = False,
        on_problem: OnProblem = "drop",
        output: Any = None,
        context: Any = None,
        messages: Iterable[Any] = (),
    ) -> Export:
        """Write the tools in the format of a provider or protocol, and read its calls back.

        Args:
            target: The target, such as "openai" or "anthropic".
            strict: "prefer" writes a tool without strict rules if it cannot follow them, and
                reports that; "require" (or True) raises.
            on_problem: Whether a tool that the target rejects is left out ("drop"), sent as you
                wrote it ("keep"), or an error ("raise").
            output: The type of the model's final answer: any that `tool(input=)` takes. It is read
                by `Export.answer`, and `Answer.output` has it. `losses` reports how the target is
                asked for it.
            context: The context by which `visible=` shows tools.
            messages: The conversation so far, in which deferred tools may have been found; see
                `Export.for_messages`.

        Raises:
            DefinitionError: The type of the answer cannot be used.
            LoweringUnsupported: A tool cannot be strict, with `strict="require"`.
            ExportError: The target rejects a tool, with `on_problem="raise"`.
        """
        from toolhaft.toolset.export import Export

        shown = self.visible_to(context) if self._hides else self
        wire = Export(shown, target, strict=strict, on_problem=on_problem, output=output)
        return wire.for_messages(messages)

    def estimate_tokens(self, target: Target, /, *, context: Any = None) -> TokenEstimate:
        """Estimate how many tokens the declarations of the tools take with every request.

        The estimate needs no tokenizer. Of recorded tools, half are within 2 % of OpenAI's, and 95
        of 100 within 7 %. Additions of providers to declarations are not counted.

        Args:
            target: The target, such as "openai" or "anthropic".
            context: The context by which `visible=` shows tools.

        >>> def add(a: int, b: int) -> int:
        ...     "Add two whole numbers."
        ...     return a + b
        >>> estimate = Toolset([add]).estimate_tokens("anthropic")
        >>> estimate.total == estimate.tools["add"], estimate.total_deferred
        (True, 0)
        """
        from toolhaft.toolset.token_estimate import estimate_wire

        return estimate_wire(self.export(target, context=context))

    def as_mcp_server(
        self, name: str = "tools", *, context: ContextOf | None = None
    ) -> Server[Any]:
        """Return an MCP server of the tools, for the transports of the official SDK.

        Args:
            name: The name of the server.
            context: A function of the HTTP request that returns the context of a call; over other
                transports it gets None.

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

        return asgi(self, name=name, context=context).server

    def dispatcher(
        self,
        *,
        context: Any = None,
        max_calls: int | None = None,
        max_seconds: float | None = None,
        approve: Approve | None = None,
    ) -> Dispatcher:
        """Return a function by which one program, such as code that a model wrote, calls the tools.

        It is `async (name, arguments)`, returns the outcome as JSON data (`Ok.as_json`), and never
        raises `Exception`. Each call is `programmatic`: `allowed_callers` and `visible` decide
        whether the program may make it, and it is validated, authorized and observed like others.
        The program runs wherever you run it; toolhaft has no sandbox.

        Args:
            context: The context of the calls, which the program cannot change.
            max_calls: How many calls the program may make; others are denied.
            max_seconds: How long the program may make calls, from now on. A call that still runs
                then times out.
            approve: A callback that decides a call which needs approval, instead of the toolset's.
                If there is none, such a call is denied.

        Raises:
            ToolhaftError: `max_calls` or `max_seconds` allows nothing.

        >>> from asyncio import run
        >>> def double(n: int) -> int:
        ...     "Twice a number."
        ...     return 2 * n
        >>> dispatch = Toolset([double]).dispatcher(max_calls=1)
        >>> run(dispatch("double", {"n": 4}))["value"]
        8
        >>> run(dispatch("double", {"n": 5}))["text"]
        'This call was not run: the program has reached its limit of calls (1).'
        """
        from toolhaft.toolset.dispatch import Dispatch
        from toolhaft.toolset.internals import keep_apart
        from toolhaft.toolset.programs import Dispatcher

        apart = keep_apart(self)
        # The program gets whole results, which need not be kept.
        dispatch = Dispatch(apart._tools, apart._observers)  # noqa: SLF001  of this class
        return Dispatcher(dispatch, context, max_calls, max_seconds, approve)

    def stubs(self, *, sync: bool = False, context: Any = None) -> str:
        """Write a Python module with a typed function for each tool that a program may call.

        The module needs the standard library only, and `mypy --strict` accepts it. Its `connect`
        takes the function that carries calls, such as one that `dispatcher` returns.

        Args:
            sync: Whether the functions are synchronous.
            context: The context by which `visible=` shows tools.

        >>> from typing import Literal
        >>> def price(fruit: Literal["apple", "pear"], kilos: float = 1) -> float:
        ...     "Return the price of fruit."
        ...     return 2.5 * kilos
        >>> print(Toolset([price]).stubs().partition("async def price")[2])
        (fruit: Literal["apple", "pear"], kilos: float = OMIT) -> float:
            \"\"\"Return the price of fruit.
        <BLANKLINE>
            Args:
                kilos: Defaults to 1.
            \"\"\"
            result: float = await _call("price", {"fruit": fruit, "kilos": kilos})
            return result
        <BLANKLINE>
        """
        from toolhaft.review.stubs.module import write_stubs

        return write_stubs(self.visible_to(context) if self._hides else self, sync=sync)


def _make_barriers(tools: Mapping[str, AnyTool]) -> tuple[Barrier, ...]:
    if all(call_options_of(tool).parallel for tool in tools.values()):
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
    """Return each object once, by identity: two equal observers are two."""
    return list({id(item): item for group in groups for item in group}.values())
