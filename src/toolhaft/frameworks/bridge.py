"""The code that all frameworks share on the way out: a tool as a framework sees and calls it.

No framework is imported here. A tool goes out through an export of its toolset, so a framework gets
the same declarations and calls as any target. It may have the schema of a provider, and calls are
lifted, authorised, observed and limited as everywhere.
"""

from __future__ import annotations

import warnings
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypedDict, TypeVar, overload

from toolhaft.call.callbacks import run_without_loop
from toolhaft.call.control_flow import passing
from toolhaft.call.outcome import Err, Ok
from toolhaft.call.parts import describe_part
from toolhaft.call.permission import run_or_decline
from toolhaft.call.prepared import Prepared
from toolhaft.call.preparing import needs_person
from toolhaft.call.types import AnyOrigin, ToolCall
from toolhaft.definition.call_info import Origin
from toolhaft.definition.keyword_options import show_options
from toolhaft.definition.names import nearest
from toolhaft.definition.options import UNSET
from toolhaft.definition.targets import Target
from toolhaft.errors import ToolhaftError
from toolhaft.frameworks.approval import find_shown
from toolhaft.lowering import Strict
from toolhaft.tools.internals import boundary_of, is_always_visible
from toolhaft.toolset.deferral import LocalSearch
from toolhaft.toolset.export import Export
from toolhaft.toolset.internals import (
    keep_apart,
    observe_later,
    search_mode,
    shown_to,
    with_search_tool,
)
from toolhaft.toolset.toolset import Toolset
from toolhaft.vendors.derived import Derived

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from toolhaft.content import Content
    from toolhaft.lowering.plan import PlannedTool
    from toolhaft.tools.tool import AnyTool
    from toolhaft.toolset.groups import SearchMode
    from toolhaft.toolset.members import Member

__all__ = [
    "Ask",
    "Bridge",
    "BridgeOptions",
    "approved_by_caller",
    "bridge_tools",
    "content_of",
    "show_bridge_options",
    "split_content",
    "warn_once",
    "write_content",
]

T = TypeVar("T")
M = TypeVar("M")

# Asks about a call that waits for a person. It may raise the framework's control flow, and returns
# the call to run, the result of `Bridge.approve`, a `Deny`, or None if the call keeps waiting; or
# an awaitable of these. True stands for `Bridge.approve` without an answer's `call`.
Ask: TypeAlias = "Callable[[Prepared[Any]], Any]"
APPROVED: Final[ContextVar[Bridge | None]] = ContextVar("toolhaft_approved", default=None)
NEUTRAL: Final = "draft-2020-12"


class BridgeOptions(TypedDict, total=False):
    """The options of every `to_<framework>`.

    `target` and `strict` are the options of `Toolset.export`: with them a tool has the schema that
    a provider takes, for frameworks that send schemas unchanged. `context` is the context of each
    call, instead of the framework's; None is one too. A toolset with `visible=` has the tools that
    it shows in that context; without it, a framework that lists tools anew for each run judges by
    the context of the run, and any other needs it here.
    """

    target: Target
    strict: Strict
    context: Any


show_bridge_options = show_options(BridgeOptions, target=NEUTRAL, strict=False, context=UNSET)


class Bridge:
    """One tool as a framework sees and calls it.

    Exceptions of `kinds`, which steer the framework, pass through from a handler. `search` is who
    searches for deferred tools; None for a tool that is converted by itself. `is_search` is whether
    the tool is our own search for them.
    """

    def __init__(
        self,
        export: Export,
        planned: PlannedTool,
        tool: AnyTool,
        kinds: tuple[Any, ...],
        context: Any = UNSET,
        search: SearchMode | None = None,
        *,
        is_search: bool = False,
    ) -> None:
        self.search, self.is_search = search, is_search
        self._export = export
        self._context = context
        self._planned = planned
        self._kinds = kinds
        self.tool: AnyTool = tool
        self.name: str = planned.wire_name
        self.description: str = planned.description
        self.strict: bool = planned.strict

    @property
    def schema(self) -> dict[str, Any]:
        """A fresh copy of the schema of the arguments: the tool's own, where no target is named.

        Its draft may be another than the neutral target's.
        """
        is_own = self._export.target == NEUTRAL and self._planned.lowered.lens.identity
        return self.tool.input_schema.json_schema() if is_own else self._planned.schema

    @property
    def may_wait(self) -> bool:
        """Return whether the framework may have to ask a person, because no `approve=` does."""
        boundary = boundary_of(self.tool)
        return bool(boundary.options.requires_approval) and boundary.permission.approve is None

    @property
    def is_deferred(self) -> bool:
        """Whether a search finds the tool: one of a toolset, which has others for the search."""
        return self.tool.defer and self.search is not None

    @property
    def may_hide(self) -> bool:
        """Whether `is_shown` has to be called."""
        return not is_always_visible(self.tool)

    def is_shown(self, context: Any) -> bool:
        """Return whether a run in this context of the framework may see the tool."""
        return self.tool.is_visible(self._context_of(context))

    def _context_of(self, context: Any) -> Any:
        """Return the context of a call: the option `context` instead of the framework's."""
        return context if self._context is UNSET else self._context

    async def waits(self, raw: Any, context: Any = None) -> bool:
        """Return whether the framework has to ask a person about this call; nothing runs."""
        return await self.waiting(raw, context) is not None

    async def waiting(
        self, raw: Any, context: Any = None, call_id: str | None = None, *, has_loop: bool = True
    ) -> Prepared[Any] | None:
        """Prepare a call that the framework has to ask a person about; None for any other."""
        prepared = self._prepare(raw, context, call_id) if self.may_wait else None
        if prepared is None:
            return None
        context = self._context_of(context)
        boundary = boundary_of(self.tool).handler_boundary
        is_waiting = await needs_person(boundary, prepared, context, has_loop=has_loop)
        return prepared if is_waiting else None

    def _prepare(self, raw: Any, context: Any, call_id: str | None) -> Prepared[Any] | None:
        """Prepare a call; None for one that is refused when it is made."""
        # The framework asks a person, whatever the caller.
        origin: Origin = min(self.tool.allowed_callers or ("direct",))
        call = ToolCall(call_id, self.name, raw, origin=origin)
        prepared = self._export.prepare(call, context=self._context_of(context))
        return prepared or None

    def approve(self, prepared: Prepared[Any], shown: Any = None) -> Prepared[Any] | Err:
        """Approve a call that was prepared again: only the call that was shown runs, else a denial.

        `shown` is the answer's copy of the `call` in `describe_call`.
        """
        return find_shown(self.tool, prepared, shown)

    def _ask_of_caller(self, ask: Ask | None) -> Ask | None:
        """Approve by itself, once, a call that a person was asked about on the way in."""
        if APPROVED.get() is not self:
            return ask
        APPROVED.set(None)  # not for what the handler calls
        return self.approve

    async def call(
        self,
        raw: Any,
        context: Any = None,
        ask: Ask | None = None,
        call_id: str | None = None,
        origin: AnyOrigin = "direct",
    ) -> Ok[Any] | Err:
        """Run one call of a model, raw text or data, to its outcome."""
        context, ask = self._context_of(context), self._ask_of_caller(ask)
        with passing(self._kinds):
            call = ToolCall(call_id, self.name, raw, origin=origin)
            outcome = await self._export.call(call, context=context)
            return await self._carry_out(outcome, context, ask, has_loop=True)

    async def call_edited(
        self, asked: Any, raw: Any, context: Any = None, call_id: str | None = None
    ) -> Ok[Any] | Err:
        """Run a call that was approved with other arguments than a person was asked about.

        Both have the names that the model knows. Invalid arguments go the way of every call.
        """
        calls = [self._prepare(each, context, call_id) for each in (asked, raw) if self.may_wait]
        waiting, written = calls or (None, None)
        if waiting is None or written is None:
            return await self.call(raw, context, self.approve, call_id)
        edited = waiting.edited(_keep_hidden(self.tool, written.json, waiting.json))
        approved = self.approve(edited) if edited else edited
        if isinstance(approved, Err):
            return approved
        observe_later(self._export, approved)
        with passing(self._kinds):
            context = self._context_of(context)
            return await run_or_decline(approved, True, context, has_loop=True)

    def call_sync(
        self, raw: Any, context: Any = None, ask: Ask | None = None, call_id: str | None = None
    ) -> Ok[Any] | Err:
        """Synchronous version of `call`, without an event loop."""
        context, ask = self._context_of(context), self._ask_of_caller(ask)
        with passing(self._kinds):
            call = ToolCall(call_id, self.name, raw)
            outcome = self._export.call_sync(call, context=context)
            return run_without_loop(self._carry_out(outcome, context, ask, has_loop=False))

    async def _carry_out(
        self, outcome: Ok[Any] | Err, context: Any, ask: Ask | None, *, has_loop: bool
    ) -> Ok[Any] | Err:
        """Ask about a call that waits for a person, and do as was decided."""
        prepared = outcome.prepared if isinstance(outcome, Err) else None
        if prepared is None or ask is None:
            return outcome
        answer = ask(prepared)
        if isinstance(answer, Awaitable):
            answer = await answer
        match self.approve(prepared) if answer is True else answer:
            case None:
                return outcome
            case Err() as refusal:
                return refusal
            case Prepared() as approved:
                return await run_or_decline(approved, True, context, has_loop=has_loop)
            case _:
                return await run_or_decline(prepared, answer, context, has_loop=has_loop)


def _keep_hidden(tool: AnyTool, arguments: Any, made: Any) -> Any:
    """Return other arguments for the handler with the hidden values that were `made` before."""
    adapter = boundary_of(tool).pipeline.adapter
    if not isinstance(adapter, Derived):
        return arguments
    return adapter.complete(adapter.show(arguments), made)


@contextmanager
def approved_by_caller(bridge: Bridge | None) -> Generator[None]:
    """Approve the calls of a bridge within the block: a person was asked about them."""
    token = APPROVED.set(bridge)
    try:
        yield
    finally:
        APPROVED.reset(token)


@overload
def bridge_tools(
    tools: Toolset,
    build: Callable[[Bridge], T],
    kinds: tuple[Any, ...] = (),
    *,
    lists_by_run: bool = False,
    searches: bool = False,
    **options: Unpack[BridgeOptions],
) -> list[T]: ...
@overload
def bridge_tools(
    tools: Member,
    build: Callable[[Bridge], T],
    kinds: tuple[Any, ...] = (),
    *,
    lists_by_run: bool = False,
    searches: bool = False,
    **options: Unpack[BridgeOptions],
) -> T: ...
def bridge_tools(
    tools: Toolset | Member,
    build: Callable[[Bridge], Any],
    kinds: tuple[Any, ...] = (),
    *,
    lists_by_run: bool = False,
    searches: bool = False,
    **options: Unpack[BridgeOptions],
) -> Any:
    """Build a framework's tool of one of ours, or for a toolset a list of them.

    If the framework `lists_by_run`, the built tool checks `Bridge.is_shown` in each of its runs. If
    it `searches`, a toolset with deferred tools has our own search tool, whose results it reads.

    Raises:
            TypeError: It is a list, or an option is unknown.
        DefinitionError: It is not a tool, or its definition is invalid.
        ExportError, LoweringUnsupported: The target cannot take it.
        ToolhaftError: There is no context to judge `visible=` by, or the only tool is hidden in it.
    """
    _require_options(tools, options)
    toolset = tools if isinstance(tools, Toolset) else Toolset([tools])
    target, strict = options.get("target", NEUTRAL), options.get("strict", False)
    context = options.get("context", UNSET)
    if context is not UNSET or not lists_by_run:
        toolset = shown_to(toolset, context)
    barred = keep_apart(toolset)
    mode = search_mode(tools) if isinstance(tools, Toolset) else None
    search = LocalSearch.of(barred) if searches and mode in ("auto", "local") else None
    if search is not None:
        barred = with_search_tool(barred, search.tool)
    export = Export(barred, target, strict=strict, on_problem="raise")
    if search is not None:
        search.names = {planned.name: planned.wire_name for planned in export.planned}

    def bridge(planned: PlannedTool) -> Bridge:
        tool = barred[planned.name]
        is_search = search is not None and tool.name == search.tool.name
        return Bridge(export, planned, tool, kinds, context, mode, is_search=is_search)

    built = [build(bridge(planned)) for planned in export.planned]
    if isinstance(tools, Toolset):
        return built
    if not built:
        raise ToolhaftError("the tool is hidden in this context; convert a Toolset for none")
    return built[0]


def _require_options(tools: Any, options: Any) -> None:
    if isinstance(tools, list | tuple):
        raise TypeError("several tools are one Toolset: give Toolset(tools)")
    for name in sorted(options.keys() - BridgeOptions.__annotations__.keys()):
        near = nearest(name, BridgeOptions.__annotations__)
        hint = f"; did you mean {near}?" if near else ""
        raise TypeError(f"there is no option {name}{hint}")
    if "strict" in options and "target" not in options:
        raise TypeError("strict is of a provider's schema: give target too, such as 'openai'")


def content_of(outcome: Ok[Any] | Err) -> tuple[Content, ...]:
    """Return the content for the model as parts: the text alone, if there is nothing else."""
    content = outcome.content
    return (content,) if isinstance(content, str) else content


def write_content(outcome: Ok[Any] | Err, write_part: Callable[[Content], Any]) -> Any:
    """Return the content for the model: text, or parts as a framework writes them."""
    content = outcome.content
    return content if isinstance(content, str) else [write_part(part) for part in content]


def split_content(
    outcome: Ok[Any] | Err, carried: type[M] | tuple[type[M], ...]
) -> tuple[str, list[M]]:
    """Split content into text, with descriptions of unsupported parts, and the supported parts."""
    parts = content_of(outcome)
    texts = [describe_part(part) for part in parts if not isinstance(part, carried)]
    return "\n".join(texts), [part for part in parts if isinstance(part, carried)]


@cache
def warn_once(loss: str) -> None:
    """Warn, the first time, that a framework loses a guarantee."""
    warnings.warn(loss, stacklevel=3)
