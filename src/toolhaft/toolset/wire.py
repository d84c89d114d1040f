"""`Wire`: a toolset as one target takes it: declarations sent, calls read, results written."""

from __future__ import annotations

from collections.abc import AsyncIterable, Iterable, Iterator, Mapping
from contextlib import suppress
from copy import copy
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict, TypeVar

from toolhaft import providers
from toolhaft.call import feedback
from toolhaft.call.call_options import CallOptions
from toolhaft.call.callers import refuse_caller
from toolhaft.call.outcome import Err, Ok
from toolhaft.call.types import ToolCall, with_fields
from toolhaft.definition.names import NameIndex
from toolhaft.errors import WireError
from toolhaft.lowering import Strict
from toolhaft.lowering.loss import Loss, Problem
from toolhaft.lowering.plan import PlannedTool
from toolhaft.providers.deferred import SEARCH_ITEM, Entry
from toolhaft.providers.ending import Ending, Usage
from toolhaft.providers.recognise import explain_wire_errors, require_own_shape
from toolhaft.providers.response import FoundCall, Part
from toolhaft.providers.streams import Stream
from toolhaft.tools.internals import call_options_of, is_always_visible
from toolhaft.toolset.deferral import LocalSearch, findable, names_of, searches_itself
from toolhaft.toolset.internals import search_mode, with_search_tool
from toolhaft.toolset.lifting import lifting_of
from toolhaft.toolset.planning import (
    OnProblem,
    check_choices,
    ignored_strict,
    plan_with_answer,
    raise_problems,
    refused_tools,
    uncallable,
)
from toolhaft.toolset.turn import PendingCall, lift_call, take_text

if TYPE_CHECKING:
    from typing import Self

    from toolhaft.tools.tool import AnyTool
    from toolhaft.toolset.toolset import Toolset

__all__ = ["ExportOptions", "Reading", "Wire"]

T = TypeVar("T")


class ExportOptions(TypedDict, total=False):
    """The options of `Toolset.export` beside `output`, for type checkers."""

    strict: Strict
    on_problem: OnProblem
    context: Any
    messages: Iterable[Any]


DIRECT = frozenset({"direct"})
CANCELLED = (
    "The call was cancelled before it finished and may have taken effect: do not repeat the call."
)


class Reading(NamedTuple):
    """The text, the usage and the end of a response.

    Attributes:
        text: The text that the model wrote for its reader.
        usage: The tokens of the request; None if the response does not say.
        ending: Why the model stopped: a `reason` and, unless it is done, the provider's own name
            for it as `detail`.
    """

    text: str
    usage: Usage | None
    ending: Ending


class Wire:
    """The declarations that one target gets of a toolset, and the calls that come back.

    Nothing runs here; `Export` adds that.
    """

    __slots__ = (
        "_aliases",
        "_entries",
        "_final",
        "_found",
        "_known",
        "_liftings",
        "_names",
        "_originals",
        "_provider",
        "_search",
        "_strict",
        "_toolset",
        "losses",
        "planned",
        "problems",
        "target",
        "tools",
    )

    def __init__(
        self,
        toolset: Toolset,
        target: str,
        /,
        *,
        strict: Strict = False,
        on_problem: OnProblem = "drop",
        output: Any = None,
        in_session: bool = False,
    ) -> None:
        check_choices(strict, on_problem)
        strict = "require" if strict is True else strict
        self.target: str = target
        provider = providers.for_target(target)
        self._provider = provider.in_session() if in_session else provider
        self._search: LocalSearch | None = None
        deferred = findable(toolset, runs_programs=self._provider.runs_programs)
        if self._provider.defers and deferred:
            self._search = self._start_search(toolset, deferred)
        if self._search is not None:
            toolset = with_search_tool(toolset, self._search.tool)
        self._toolset = toolset
        planned, self._final = plan_with_answer(toolset, target, strict, output)
        provider_losses = (loss for tool in toolset for loss in self._provider.losses(tool))
        self.losses: tuple[Loss, ...] = (
            *self._answer_losses(),
            *planned.losses,
            *provider_losses,
        )
        warnings = [*ignored_strict(target, strict), *uncallable(self._provider, toolset)]
        self.problems: tuple[Problem, ...] = (*planned.problems, *warnings)
        errors = [problem for problem in planned.problems if problem.severity == "error"]
        raise_problems(target, errors, strict, on_problem)
        kept = refused_tools(toolset, planned, errors) if on_problem == "keep" else []
        sent = sorted([*planned.tools, *kept], key=lambda tool_plan: tool_plan.name)
        self.planned: tuple[PlannedTool, ...] = tuple(sent)
        self._strict = planned.strict and not kept
        self._entries = [self._make_entry(tool_plan) for tool_plan in sent]
        self._found: list[str] = []
        self.tools: list[Any] = self._arrange()
        sent = [tool_plan for tool_plan in sent if tool_plan.name in toolset]
        self._originals = {
            self._provider.call_name(entry): entry.tool.name
            for entry in self._entries
            if entry.tool.name in toolset
        }
        # All names at the target, once a model made one up; None where some tools may be hidden.
        self._known: NameIndex | None = None
        self._aliases = self._other_names()
        self._names = {tool_plan.name: tool_plan.wire_name for tool_plan in sent}
        if self._search is not None:
            self._search.names = self._names
        self._liftings = {
            tool_plan.name: lifting_of(toolset[tool_plan.name], tool_plan.lowered)
            for tool_plan in sent
        }

    def _start_search(self, toolset: Toolset, deferred: list[AnyTool]) -> LocalSearch | None:
        """Choose who searches for deferred tools: our own tool, or with None the provider.

        Raises:
            ToolhaftError: The toolset asks for the provider's search, and it has none.
        """
        native = searches_itself(self._provider, search_mode(toolset))
        self._provider = self._provider.with_search(native=native)
        return None if native else LocalSearch(toolset, deferred)

    def _arrange(self) -> list[Any]:
        """Return the list of tools that a request has."""
        entries, provider = self._entries, self._provider
        if provider.defers and any(entry.tool.defer or entry.tool.group for entry in entries):
            return provider.wrap_declarations(provider.arrange(entries, self._found))
        return provider.wrap_declarations([entry.declaration for entry in entries])

    def _with_found(self, found: list[str]) -> Self:
        """Return the same wire with the tools declared that a search has found."""
        wire = copy(self)
        wire._found = found  # noqa: SLF001  of this class
        wire.tools = wire._arrange()  # noqa: SLF001  of this class
        return wire

    def _make_entry(self, planned: PlannedTool) -> Entry:
        tool, search = self._tool_of(planned), self._search
        is_search = search is not None and tool.name == search.tool.name
        return Entry(tool, planned, self._declare(tool, planned), is_search)

    def _other_names(self) -> dict[str, str]:
        """Return further names by which a model may call tools in groups and deferred ones.

        They are the names on other targets. The exact name of another tool comes first, and a name
        that two tools have stands for none.
        """
        tools: dict[str, set[str]] = {}
        for tool, planned, *_ in self._entries:
            if tool.group or tool.defer:
                for other in (planned.wire_name, tool.name, tool.name.replace(".", "_")):
                    tools.setdefault(other, set()).add(tool.name)
        return {
            other: next(iter(names))
            for other, names in tools.items()
            if len(names) == 1 and other not in self._originals
        }

    def __repr__(self) -> str:
        refused = f", {len(self.problems)} problems" if self.problems else ""
        lost = f", {len(self.losses)} losses" if self.losses else ""
        count = f"{len(self._names)} tool{'' if len(self._names) == 1 else 's'}"
        return f"{type(self).__name__}({self.target!r}, {count}{lost}{refused})"

    @property
    def originals(self) -> Mapping[str, str]:
        """The name of each tool in your toolset, by its name at the target."""
        return self._originals

    @property
    def request(self) -> dict[str, Any]:
        """The parameters to pass with a request, as in `create(model=..., **wire.request)`."""
        final = self._final
        if final is None:
            return self._provider.request(self.tools, strict=self._strict)
        if final.is_form:
            request = self._provider.request(self.tools, strict=self._strict)
            return _merge(request, self._provider.answer_request(final.planned))
        name = final.planned.wire_name
        return self._provider.request(self.tools, strict=self._strict, final=name)

    def stream(self) -> Stream:
        """Return a `Stream` that joins the events of a streamed response, one at a time.

        Raises:
            ToolhaftError: The target has no streams.
        """
        provider = self._provider
        return Stream(provider.target, provider.fold(), self._find_own_calls)

    async def collect(self, events: AsyncIterable[Any], /) -> Any:
        """Join all events of a stream to the response, for `answer` and the other methods.

        Args:
            events: The client's stream.

        Raises:
            WireError: The stream stopped before the model's turn ended, has another format, or
                reports an error of the provider.
        """
        stream = self.stream()
        async for event in self._require_stream(events, "__aiter__"):
            stream.feed(event)
        return stream.response()

    def collect_sync(self, events: Iterable[Any], /) -> Any:
        """Like `collect`, for a synchronous stream, with the same arguments."""
        stream = self.stream()
        for event in self._require_stream(events, "__iter__"):
            stream.feed(event)
        return stream.response()

    def _require_stream(self, events: T, method: str) -> T:
        """Return events that can be iterated over.

        Raises:
            WireError: They are not a stream, or a stream of the other kind.
        """
        if hasattr(type(events), method):
            return events
        reason = "not a stream; pass the client's stream"
        raise WireError(self.target, "events", reason)

    def calls(self, response: Any, /) -> list[ToolCall]:
        """Return the calls of a response, under the target's names.

        A call that is the final answer is left out: `answer` reads it.

        Args:
            response: The response as the client returned it, as an object or a dict.

        Raises:
            WireError: The response is not in the target's format, or two calls have the same id.
        """
        return self._without_final(self._read_calls(response))

    def _read_calls(self, response: Any) -> list[ToolCall]:
        """Read the calls of a response, with the calls that are the final answer."""
        with explain_wire_errors(self.target, response):
            calls = self._provider.calls(response)
            if not calls:
                require_own_shape(self.target, response)
        return calls

    def _without_final(self, calls: list[ToolCall]) -> list[ToolCall]:
        return [call for call in calls if not self._is_final(call)]

    def _find_own_calls(self, response: Part) -> Iterator[FoundCall]:
        found = self._provider.find_calls(response)
        return (call for call in found if not self._is_final(call))

    def _is_final(self, call: ToolCall | FoundCall) -> bool:
        return self._final is not None and self._final.is_call(call.name)

    def read(self, response: Any, /) -> Reading:
        """Return what a response says besides its calls: text, usage, and why the model stopped.

        Args:
            response: The response as the client returned it, as an object or a dict.

        Raises:
            WireError: The response is not in the target's format.
        """
        with explain_wire_errors(self.target, response):
            part, provider = Part(self.target, response), self._provider
            return Reading(provider.text(part), self._usage(part), provider.ending(part))

    def _usage(self, response: Part) -> Usage | None:
        """Return the usage of a response; a count of another shape does not fail the turn."""
        with suppress(WireError):
            usage = self._provider.usage(response)
            return None if usage == Usage() else usage
        return None

    def result(self, outcome: Ok[Any] | Err, /) -> dict[str, Any]:
        """Return the outcome of a call in the target's format.

        Args:
            outcome: The outcome of the call.
        """
        known = outcome.name in self._toolset
        return self._result(
            outcome, is_text=known and self._takes_text(self._toolset[outcome.name])
        )

    def _result(self, outcome: Ok[Any] | Err, *, is_text: bool) -> dict[str, Any]:
        """Write the outcome of a call that was made by a text alone, or by arguments."""
        known, name = outcome.name in self._toolset, self._names.get(outcome.name, outcome.name)
        if self._final is not None and outcome.name == self._final.name:
            result = self._final.result(self._provider, outcome)
        elif self._is_search(outcome):
            found = [self._entry_of(each) for each in names_of(outcome)]
            result = self._provider.found_result(outcome, name, [each for each in found if each])
        else:
            tool = self._toolset[outcome.name] if known else None
            result = self._provider.result(outcome, name, tool)
        return self._provider.text_result(result) if is_text else result

    def _is_search(self, outcome: Ok[Any] | Err) -> bool:
        """Whether an outcome is of our own search tool, and not of a call that made up its name."""
        is_unknown = isinstance(outcome, Err) and outcome.kind == "unknown_tool"
        search = self._search
        return search is not None and outcome.name == search.tool.name and not is_unknown

    def _entry_of(self, wire_name: str) -> Entry | None:
        """Return the tool with a name on the wire."""
        named = (entry for entry in self._entries if entry.planned.wire_name == wire_name)
        return next(named, None)

    def _read(self, call: ToolCall, context: Any) -> PendingCall:
        """Lift a call of the wire to its tool, or refuse it."""
        name = self._originals.get(call.name) or self._aliases.get(call.name)
        fields = {"name": name or call.name, "arguments": call.arguments}
        tool_call = with_fields(call, **fields, target=self.target, coercions=())
        if name is None:
            text = feedback.describe_unknown_tool(call.name, self._names_visible(context))
            return PendingCall(tool_call, refused=Err("unknown_tool", text, CallOptions(call.name)))
        tool = self._toolset[name]
        refused = self._refuse_caller(tool, call)
        if refused is not None:  # before its arguments are read
            return PendingCall(tool_call, refused=refused)
        if call.is_text:
            return take_text(tool_call, tool)
        return lift_call(tool_call, self._liftings[name])

    def _names_visible(self, context: Any) -> Iterable[str] | NameIndex:
        """Return the names on the wire that a caller in a context knows."""
        if self._known is not None:
            return self._known
        named = self._originals.items()
        known = [(name, self._toolset[own]) for name, own in named if name != SEARCH_ITEM]
        if all(is_always_visible(tool) for _, tool in known):
            self._known = NameIndex(name for name, _ in known)
            return self._known
        return [name for name, tool in known if tool.is_visible(context)]

    def _takes_text(self, tool: AnyTool) -> bool:
        """Whether the target calls a tool by its text alone."""
        return self._provider.has_text_calls and tool.text_format is not None

    def _name_changed(self, outcome: Ok[Any] | Err) -> Ok[Any] | Err:
        """Name the arguments that a person changed as the model knows them."""
        lifting = self._liftings.get(outcome.name)
        return outcome if lifting is None else lifting.name_changed(outcome)

    def _refuse_caller(self, tool: AnyTool, call: ToolCall) -> Err | None:
        """Deny a call whose caller may not make it; code only calls tools that are declared so."""
        options = call_options_of(tool)
        if tool.allowed_callers is None:  # which providers take for direct calls alone
            options = options._replace(allowed_callers=DIRECT)
        return refuse_caller(options, call.origin)

    def _cancelled_outcome(self, call: ToolCall, because: str | None) -> Err:
        """Make the outcome of a cancelled call: denied for a reason, or perhaps begun."""
        known = self._originals.get(call.name) or self._aliases.get(call.name)
        options = CallOptions(known or call.name)
        if because is not None:
            outcome = Err("denied", because, options)
        else:
            outcome = Err("runtime_error", CANCELLED, options, effect="unknown")
        outcome.call_id, outcome.caller = call.id, call.caller
        return outcome

    def _answer_losses(self) -> tuple[Loss, ...]:
        """Return the losses of the typed answer: how the target is asked, and its form."""
        final = self._final
        if final is None:
            return ()
        way = final.loss(self._provider.answer_parameter)
        return (way, *final.form_losses)

    def _tool_of(self, planned: PlannedTool) -> AnyTool:
        final = self._final
        if final is not None and planned.name == final.name:
            return final.tool
        return self._toolset[planned.name]

    def _declare(self, tool: AnyTool, planned: PlannedTool) -> dict[str, Any]:
        options = (tool.provider_options or {}).get(self.target, {})
        return _merge(self._provider.declare(tool, planned), options)


def _merge(declared: dict[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """Add an author's options to a declaration, objects into objects."""
    merged = dict(declared)
    for key, value in options.items():
        inner = merged.get(key)
        if isinstance(inner, dict) and isinstance(value, Mapping):
            merged[key] = _merge(inner, value)
        else:
            merged[key] = value
    return merged
