"""`Export`: a toolset as one target takes it, and that target's calls run and answered.

`Toolset.export` makes it. Every step of a turn is a method of its own; `answer` takes them all.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from toolhaft import answers, providers
from toolhaft.answers import Answer, Decisions, Written
from toolhaft.call import feedback
from toolhaft.call.outcome import Err, Ok, ToolCall
from toolhaft.call.permission import Asking, Authorize, finished
from toolhaft.call.rules import Rules
from toolhaft.call.seal import Key
from toolhaft.call.ticket import Used
from toolhaft.errors import ToolhaftError
from toolhaft.lowering import Lowered, Strict
from toolhaft.lowering.dialects import has_strict
from toolhaft.lowering.lenses.arguments import Lens
from toolhaft.lowering.lifting import Lifted, Lifting
from toolhaft.lowering.loss import Loss, LoweringUnsupported, Problem
from toolhaft.lowering.plan import Declaration, Planned, plan
from toolhaft.providers.response import Part
from toolhaft.providers.streams import Stream

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from toolhaft.call.loop_guard import LoopGuard
    from toolhaft.tools import AnyTool
    from toolhaft.toolset import Toolset

__all__ = ["Export", "ExportError", "OnProblem"]

OnProblem: TypeAlias = Literal["drop", "raise", "keep"]

CANCELLED = "The call was cancelled before it finished. It may still have taken effect."


class ExportError(ToolhaftError):
    """Tools that a target cannot take were asked to be an error; `problems` lists them all."""

    def __init__(self, target: str, problems: Sequence[Problem]) -> None:
        self.problems: tuple[Problem, ...] = tuple(problems)
        lines = [f"{target}: {problem}" for problem in self.problems]
        super().__init__(lines[0] if len(lines) == 1 else "\n".join(["", *lines]))


class Export:
    """A toolset in one target's wire format.

    `tools` is the declarations, in name order; `request` the parameters that go with a request,
    the tools included. `losses` says what the target cannot carry, `problems` what it refuses:
    with `on_problem="drop"` such a tool is left out, with "keep" it goes out as its author wrote
    it. Calls and outcomes are matched by the wire's names and ids; arguments are lifted to the
    tool's own terms, and complaints are told in the wire's.

    Raises:
        LoweringUnsupported: With `strict="require"`, where a tool cannot be strict.
        ExportError: With `on_problem="raise"`, where the target refuses a tool.

    >>> from toolhaft import Toolset, tool
    >>> @tool
    ... def double(n: int) -> int:
    ...     "Twice a number."
    ...     return 2 * n
    >>> wire = Toolset([double]).export("anthropic")
    >>> call = {"type": "tool_use", "id": "toolu_1", "name": "double", "input": {"n": 4}}
    >>> answer = wire.answer_sync({"role": "assistant", "content": [call]})
    >>> answer.results
    [{'type': 'tool_result', 'tool_use_id': 'toolu_1', 'content': '8', 'is_error': False}]
    >>> [message["role"] for message in answer.messages], answer.done
    (['assistant', 'user'], False)
    """

    __slots__ = (
        "_lifting",
        "_originals",
        "_provider",
        "_strict",
        "_toolset",
        "_wires",
        "losses",
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
    ) -> None:
        _check_choices(strict, on_problem)
        self.target: str = target
        self._toolset = toolset
        self._provider = providers.for_target(target)
        planned = plan((_declaration(one, strict) for one in toolset), target)
        beside = (loss for one in toolset for loss in self._provider.losses(one))
        self.losses: tuple[Loss, ...] = (*planned.losses, *beside)
        self.problems: tuple[Problem, ...] = (*planned.problems, *_ignored(target, strict))
        grave = [one for one in planned.problems if one.severity == "error"]
        _refuse(target, grave, strict, on_problem)
        sent = list(planned.tools)
        if on_problem == "keep":
            left_out = {one.tool for one in grave} - {one.name for one in sent}
            sent += [_as_written(toolset[name], planned.wires[name]) for name in left_out if name]
            sent.sort(key=lambda one: one.name)
        self._strict = planned.strict and len(sent) == len(planned.tools)
        self._originals = {one.wire_name: one.name for one in sent}
        self._wires = {one.name: one.wire_name for one in sent}
        self._lifting = {
            one.wire_name: Lifting(one.lowered, *_own_terms(toolset[one.name]))
            for one in sent
            if not one.lowered.lens.identity
        }
        declared = [self._declared(toolset[one.name], one) for one in sent]
        self.tools: list[Any] = self._provider.listed(declared)

    @property
    def request(self) -> dict[str, Any]:
        """The parameters that go with a request, as in `create(model=..., **wire.request)`."""
        return self._provider.request(self.tools, strict=self._strict)

    def stream(self) -> Stream:
        """Begin to put together a streamed response, where its events are wanted one by one.

        Raises:
            ToolhaftError: The target has no streams.
        """
        return Stream(self._provider)

    async def collect(self, events: AsyncIterable[Any], /) -> Any:
        """Put a stream's events together to the response that it is, for `answer` and the rest.

        Raises:
            WireError: The stream stopped before the model's turn ended, is not in the target's
                shape, or says that the provider failed.
        """
        stream = self.stream()
        async for event in events:
            stream.feed(event)
        return stream.response()

    def collect_sync(self, events: Iterable[Any], /) -> Any:
        """Do as `collect` does, with a stream that is not asynchronous."""
        stream = self.stream()
        for event in events:
            stream.feed(event)
        return stream.response()

    def calls(self, response: Any, /) -> list[ToolCall]:
        """Read the calls of a response, under the target's names.

        Raises:
            WireError: The response is not in the target's shape, or two calls have one id.
        """
        return self._provider.calls(response)

    async def call(
        self,
        call: ToolCall,
        /,
        *,
        context: Any = None,
        guard: LoopGuard | None = None,
        **asking: Unpack[Asking],
    ) -> Ok[Any] | Err:
        """Run one call; an unknown name is an outcome too."""
        [outcome] = await self.call_all([call], context=context, guard=guard, **asking)
        return outcome

    def call_sync(
        self,
        call: ToolCall,
        /,
        *,
        context: Any = None,
        guard: LoopGuard | None = None,
        **asking: Unpack[Asking],
    ) -> Ok[Any] | Err:
        """Do as `call` does, without a loop."""
        [outcome] = self.call_all_sync([call], context=context, guard=guard, **asking)
        return outcome

    async def call_all(
        self,
        calls: Sequence[ToolCall],
        /,
        *,
        context: Any = None,
        guard: LoopGuard | None = None,
        **asking: Unpack[Asking],
    ) -> list[Ok[Any] | Err]:
        """Run calls side by side: one outcome for each, in their order, with its `call_id`.

        As `Toolset.call_all`; a guard is told the tools' own names and arguments.
        """
        reads = [self._read(call) for call in calls]
        if guard is not None:
            for one in reads:
                one.refuse(await guard.check(*one.asked))
        turn = self._turn(reads)
        return turn.told(await self._toolset.call_all(turn.own, context=context, **asking))

    def call_all_sync(
        self,
        calls: Sequence[ToolCall],
        /,
        *,
        context: Any = None,
        guard: LoopGuard | None = None,
        **asking: Unpack[Asking],
    ) -> list[Ok[Any] | Err]:
        """Run calls one after the other, without a loop."""
        reads = [self._read(call) for call in calls]
        if guard is not None:
            for one in reads:
                one.refuse(guard.check_sync(*one.asked))
        turn = self._turn(reads)
        return turn.told(self._toolset.call_all_sync(turn.own, context=context, **asking))

    def result(self, outcome: Ok[Any] | Err, /) -> dict[str, Any]:
        """Write the outcome of a call as the target takes it."""
        known = outcome.name in self._toolset
        name = self._wires.get(outcome.name, outcome.name)
        return self._provider.result(outcome, name, self._toolset[outcome.name] if known else None)

    async def answer(
        self,
        response: Any,
        /,
        *,
        context: Any = None,
        guard: LoopGuard | None = None,
        **asking: Unpack[Asking],
    ) -> Answer:
        """Run every call of a response: one result for each, in their order.

        Raises:
            WireError: The response is not in the target's shape; then nothing was run.
        """
        calls, turn = self._asked(response)
        outcomes = await self.call_all(calls, context=context, guard=guard, **asking)
        return self._answer(response, turn, outcomes)

    def answer_sync(
        self,
        response: Any,
        /,
        *,
        context: Any = None,
        guard: LoopGuard | None = None,
        **asking: Unpack[Asking],
    ) -> Answer:
        """Do as `answer` does, without a loop."""
        calls, turn = self._asked(response)
        outcomes = self.call_all_sync(calls, context=context, guard=guard, **asking)
        return self._answer(response, turn, outcomes)

    def unanswered(self, response: Any, /, *, because: str | None = None) -> Answer:
        """Answer every call of a response as cancelled, so that the conversation can go on.

        For a turn whose `answer` was cancelled from outside; nothing is run. `because` is what
        the model reads where nothing was begun either: each call is denied in these words.
        """
        calls, turn = self._asked(response)
        return self._answer(response, turn, [self._unrun(call, because) for call in calls])

    async def resume(
        self,
        text: str | bytes,
        decisions: Decisions,
        /,
        *,
        key: Key = None,
        context: Any = None,
        used: Used | None = None,
        authorize: Authorize | None = None,
    ) -> Answer:
        """Go on with what `Answer.to_json` wrote: `decisions` has True or a `Deny` by call id.

        What has run stays as it is; what is approved runs now, one call after the other, if the
        program still authorises it. A call without a decision goes on waiting. `used` and
        `authorize` are as in `Toolset.resume`; a call whose tool is another one now, or that was
        made or declined before, is `denied`.

        Raises:
            ToolDenied: The text was changed, is for another target, or the key does not fit.
            ToolhaftError: A decision is neither, or is about a call that does not wait.
        """
        found = answers.read(self.target, text, key)
        tools = self._toolset.asking(authorize=authorize)
        return await self._resume(found, decisions, tools, used, context, looped=True)

    def resume_sync(
        self,
        text: str | bytes,
        decisions: Decisions,
        /,
        *,
        key: Key = None,
        context: Any = None,
        used: Used | None = None,
        authorize: Authorize | None = None,
    ) -> Answer:
        """Do as `resume` does, without a loop."""
        found = answers.read(self.target, text, key)
        tools = self._toolset.asking(authorize=authorize)
        return finished(self._resume(found, decisions, tools, used, context, looped=False))

    async def _resume(
        self,
        found: Written,
        decisions: Decisions,
        tools: Toolset,
        used: Used | None,
        context: Any,
        *,
        looped: bool,
    ) -> Answer:
        waiting = {
            place: tools.restored(one.waiting, used, self.target)
            for place, one in enumerate(found.entries)
            if one.waiting is not None
        }
        answers.check(self.target, waiting.values(), decisions)
        outcomes, results = [one.outcome for one in found.entries], []
        for place, one in waiting.items():
            outcomes[place] = await answers.decided(one, decisions, context, looped=looped)
        known = [one for one in outcomes if one is not None]
        for entry, outcome in zip(found.entries, known, strict=True):
            results.append(self.result(outcome) if entry.outcome is None else entry.result)
        return Answer(self._provider, found.reply_to, found.turn, results, known)

    def _asked(self, response: Any) -> tuple[list[ToolCall], list[Any]]:
        """The calls of a response, and the model's turn: read before anything runs."""
        return self.calls(response), self._provider.turn(response)

    def _answer(self, response: Any, turn: list[Any], outcomes: list[Ok[Any] | Err]) -> Answer:
        results = [self.result(outcome) for outcome in outcomes]
        reply_to = Part(self.target, response).get("id")
        return Answer(self._provider, reply_to, turn, results, outcomes)

    def _read(self, call: ToolCall) -> _Read:
        """What is to be run for a call of the wire, or why nothing is."""
        name = self._originals.get(call.name)
        own = ToolCall(call.id, name or call.name, call.arguments, target=self.target)
        if name is None:
            text = feedback.unknown_tool(call.name, self._originals)
            return _Read(own, refused=Err("unknown_tool", text, Rules(call.name)))
        lifting = self._lifting.get(call.name)
        if lifting is None:
            return _Read(own)
        lifted = lifting.lifted(call.arguments)
        if isinstance(lifted, Err):
            return _Read(own, refused=lifted)
        own.arguments, own.coercions = lifted.arguments, lifted.coercions
        return _Read(own, lifting, lifted)

    def _turn(self, reads: list[_Read]) -> _Turn:
        for one in reads:
            if one.refused is not None:
                self._toolset.refused(one.call, one.refused)
        return _Turn(reads)

    def _unrun(self, call: ToolCall, because: str | None) -> Ok[Any] | Err:
        voice = Rules(self._originals.get(call.name, call.name))
        if because is not None:
            return _labelled(Err("denied", because, voice), call)
        return _labelled(Err("runtime_error", CANCELLED, voice, effect="unknown"), call)

    def _declared(self, tool: AnyTool, planned: Planned) -> dict[str, Any]:
        options = (tool.provider_options or {}).get(self.target, {})
        return _merged(self._provider.declare(tool, planned), options)


class _Read:
    """A call in the tool's own terms, with the way back; or an outcome that is certain already."""

    __slots__ = ("call", "lifted", "lifting", "refused")

    def __init__(
        self,
        call: ToolCall,
        lifting: Lifting | None = None,
        lifted: Lifted | None = None,
        refused: Err | None = None,
    ) -> None:
        self.call = call
        self.lifting = lifting
        self.lifted = lifted
        self.refused = refused

    @property
    def asked(self) -> tuple[str, Any]:
        """The name and the arguments of the call."""
        return self.call.name, self.call.arguments

    def refuse(self, refused: Err | None) -> None:
        """Do not run the call, where there is a reason not to."""
        if refused is not None:
            self.refused = refused

    def told(self, outcome: Ok[Any] | Err) -> Ok[Any] | Err:
        """The outcome of the call that was run, in the wire's terms."""
        if self.lifting is None or self.lifted is None:
            return outcome
        return self.lifting.told(outcome, self.lifted)


class _Turn:
    """The calls of one turn: those to run, and the outcomes in the order of the request."""

    def __init__(self, reads: Iterable[_Read]) -> None:
        self._reads = list(reads)
        self.own = [one.call for one in self._reads if one.refused is None]

    def told(self, outcomes: Iterable[Ok[Any] | Err]) -> list[Ok[Any] | Err]:
        """Put the outcomes of what was run between those of what was not."""
        ran = iter(outcomes)
        return [
            _labelled(one.told(next(ran)), one.call) if one.refused is None else one.refused
            for one in self._reads
        ]


def _declaration(tool: AnyTool, strict: Strict) -> Declaration:
    """What the plan needs to know; a tool's own word on strictness counts before the export's."""
    wish = tool.strict
    own: Strict = strict if wish is None else "require" if wish is True else wish
    return Declaration(tool.name, tool.description, tool.input_schema.json_schema(), own)


def _own_terms(tool: AnyTool) -> tuple[dict[str, Any], Rules]:
    return tool.input_schema.json_schema(), tool.rules


def _as_written(tool: AnyTool, wire_name: str) -> Planned:
    lowered = Lowered(tool.input_schema.json_schema(), Lens(), ())
    return Planned(tool.name, wire_name, tool.description, lowered)


def _check_choices(strict: object, on_problem: object) -> None:
    for name, given, choices in (
        ("strict", strict, (False, "prefer", "require")),
        ("on_problem", on_problem, ("drop", "raise", "keep")),
    ):
        if given not in choices:
            listed = ", ".join(map(repr, choices))
            raise ToolhaftError(f"export: {name}: not a choice that there is; use one of {listed}")


def _ignored(target: str, strict: Strict) -> Iterator[Problem]:
    """Say that a target with one mode pays no attention to a wish."""
    if strict and not has_strict(target):
        reason = "there is one mode only; strict is ignored"
        yield Problem("", f"{target}.strict", reason, "leave strict out", severity="warning")


def _refuse(target: str, problems: list[Problem], strict: Strict, on_problem: OnProblem) -> None:
    if problems and strict == "require":
        first = problems[0]
        keyword = first.rule.partition(".")[2]
        words = first.pointer, keyword, first.reason, first.fix
        raise LoweringUnsupported(target, *words, first.tool)
    if problems and on_problem == "raise":
        raise ExportError(target, problems)


def _merged(declared: dict[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """Add an author's options to a declaration, objects into objects."""
    merged = dict(declared)
    for key, value in options.items():
        inner = merged.get(key)
        if isinstance(inner, dict) and isinstance(value, Mapping):
            merged[key] = _merged(inner, value)
        else:
            merged[key] = value
    return merged


def _labelled(outcome: Ok[Any] | Err, call: ToolCall) -> Ok[Any] | Err:
    outcome.call_id = call.id
    return outcome
