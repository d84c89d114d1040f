"""`Export`: a toolset as one target takes it, and that target's calls run and answered.

`Toolset.export` makes it. Every step of a turn is a method of its own; `answer` takes them all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic

from toolhaft.call.callbacks import run_without_loop
from toolhaft.call.callers import call_key, require_key
from toolhaft.call.once_token import Used
from toolhaft.call.outcome import Err, Ok
from toolhaft.call.permission import Permission, PermissionOptions
from toolhaft.call.signing import Key
from toolhaft.call.types import ToolCall, with_fields
from toolhaft.definition.keyword_options import show_options
from toolhaft.definition.options import UNSET
from toolhaft.definition.predicates import Authorize
from toolhaft.definition.typevars import Out_co
from toolhaft.errors import ToolhaftError
from toolhaft.providers.provider import CUT_OFF
from toolhaft.providers.recognise import explain_wire_errors
from toolhaft.providers.response import Part
from toolhaft.toolset.answers import Answer, Decisions, carry_out, check_decisions
from toolhaft.toolset.deferral import read_found
from toolhaft.toolset.internals import dispatch_of
from toolhaft.toolset.stored_answers import read_answer
from toolhaft.toolset.turn import PendingCall, Turn
from toolhaft.toolset.wire import Wire

if TYPE_CHECKING:
    from typing import Self

    from typing_extensions import Unpack

    from toolhaft.call.loop_guard import LoopGuard
    from toolhaft.call.prepared import Prepared

__all__ = ["Export"]


class Export(Wire, Generic[Out_co]):
    """A toolset in the format of one target, which also reads and runs the calls of its responses.

    `Toolset.export` makes it. The model sees the names and schemas of the target; your tools see
    their own names and arguments.

    Args:
        toolset: The tools.
        target: The target, such as `openai`.
        strict: See `Toolset.export`.
        on_problem: See `Toolset.export`.
        output: See `Toolset.export`.

    Attributes:
        tools: The declarations, in the order of their names.
        request: The parameters to pass with a request, including the tools.
        planned: The names, descriptions and schemas without any provider's format.
        losses: Parts of each tool that the target cannot express.
        problems: The tools that the target rejects. With `on_problem="drop"` they are left out,
            with "keep" they are sent as you wrote them.

    Raises:
        DefinitionError: The type of the answer cannot be used.
        LoweringUnsupported: A tool cannot be strict, with `strict="require"`.
        ExportError: The target rejects a tool, with `on_problem="raise"`, or the type of the
            answer.
        ToolhaftError: No model answers to the target, with `output=`.

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

    __slots__ = ()

    def for_messages(self, messages: Iterable[Any], /) -> Self:
        """Return the export for the next request of a conversation.

        On targets without a search of their own, it also declares the deferred tools that were
        found in the conversation. The tools that were sent before stay as they are.

        Args:
            messages: The conversation, in the target's format.

        Raises:
            ToolhaftError: It is not a list, or the messages are in another format.
        """
        _require_list(messages)
        if self._search is None or not self._provider.declares_found:
            return self
        found = read_found(self._provider, messages, self._names[self._search.tool.name])
        if found == self._found:
            return self
        return self._with_found(found)

    def check_context(self, context: Any = UNSET) -> None:
        """Check that a context has every value that the tools need.

        Args:
            context: The context of the conversation. Without it, no tool may need one; None is a
                context.

        Raises:
            ContextMissing: Names the tool and everything that the context lacks.
        """
        self._toolset.check_context(context)

    @show_options(PermissionOptions)
    async def call(
        self,
        call: ToolCall,
        /,
        *,
        context: Any = None,
        guard: LoopGuard | None = None,
        **asking: Unpack[PermissionOptions],
    ) -> Ok[Any] | Err:
        """Run one call.

        Args:
            call: The call, from `calls` or from a stream.
            context: The context of the call, passed to the handler and to `authorize`.
            guard: A `LoopGuard`, which sees the tool's own names and arguments.
            authorize: A further check, after the tool's and the toolset's.
            approve: A callback that decides calls which need approval.

        Returns:
            Its outcome. An unknown name is an outcome too.
        """
        [outcome] = await self.call_all([call], context=context, guard=guard, **asking)
        return outcome

    @show_options(PermissionOptions)
    def call_sync(
        self,
        call: ToolCall,
        /,
        *,
        context: Any = None,
        guard: LoopGuard | None = None,
        **asking: Unpack[PermissionOptions],
    ) -> Ok[Any] | Err:
        """Like `call`, but synchronous, with the same arguments."""
        [outcome] = self.call_all_sync([call], context=context, guard=guard, **asking)
        return outcome

    def prepare(self, call: ToolCall, /, *, context: Any = None) -> Prepared[Any] | Err:
        """Validate one call without running it, as `Tool.prepare` does.

        Args:
            call: The call, from `calls` or from a stream.
            context: The context of the call.

        Returns:
            The prepared call, or an `Err` with its issues.
        """
        pending = self._read(call, context)
        if pending.refused is not None:
            return pending.refused
        return self._toolset.prepare(pending.call, context)

    @show_options(PermissionOptions)
    async def call_all(
        self,
        calls: Sequence[ToolCall],
        /,
        *,
        context: Any = None,
        guard: LoopGuard | None = None,
        **asking: Unpack[PermissionOptions],
    ) -> list[Ok[Any] | Err]:
        """Run the calls of one turn concurrently, as `Toolset.call_all` does.

        Args:
            calls: The calls, from `calls` or from a stream.
            context: The context of the call, passed to the handler and to `authorize`.
            guard: A `LoopGuard`, which sees the tool's own names and arguments.
            authorize: A further check, after the tool's and the toolset's.
            approve: A callback that decides calls which need approval.

        Returns:
            One outcome for each call, in their order, with its `call_id`.
        """
        pending = [self._read(call, context) for call in calls]
        if guard is not None:
            for call in pending:
                call.refuse(await guard.check(*call.name_and_arguments))
        turn = self._start_turn(pending, context)
        return turn.merge_outcomes(
            await self._toolset.call_all(turn.calls, context=context, **asking)
        )

    @show_options(PermissionOptions)
    def call_all_sync(
        self,
        calls: Sequence[ToolCall],
        /,
        *,
        context: Any = None,
        guard: LoopGuard | None = None,
        **asking: Unpack[PermissionOptions],
    ) -> list[Ok[Any] | Err]:
        """Like `call_all`, but one call after the other, with the same arguments."""
        pending = [self._read(call, context) for call in calls]
        if guard is not None:
            for call in pending:
                call.refuse(guard.check_sync(*call.name_and_arguments))
        turn = self._start_turn(pending, context)
        return turn.merge_outcomes(
            self._toolset.call_all_sync(turn.calls, context=context, **asking)
        )

    @show_options(PermissionOptions)
    async def answer(
        self,
        response: Any,
        /,
        *,
        context: Any = None,
        guard: LoopGuard | None = None,
        key: str | None = None,
        **asking: Unpack[PermissionOptions],
    ) -> Answer[Out_co]:
        """Run every call of a response.

        Args:
            response: The response as the client returned it, as an object or a dict.
            context: The context of the call, passed to the handler and to `authorize`.
            guard: A `LoopGuard`, which sees the tool's own names and arguments.
            key: A text that only this response has, such as its id. If you answer the response
                again after a crash, each call then has the same `CallInfo.key`.
            authorize: A further check, after the tool's and the toolset's.
            approve: A callback that decides calls which need approval.

        Returns:
            An `Answer` with one result for each call.

        Raises:
            WireError: The response is not in the target's format; nothing was run.
            ToolhaftError: The key is not a text, or is empty.
        """
        calls, turn = self._read_response(response, key)
        finals = await self._judge_answer(response, calls, has_loop=True)
        own = self._without_final(calls)
        outcomes = await self.call_all(own, context=context, guard=guard, **asking)
        return self._make_answer(response, turn, calls, outcomes, finals)

    @show_options(PermissionOptions)
    def answer_sync(
        self,
        response: Any,
        /,
        *,
        context: Any = None,
        guard: LoopGuard | None = None,
        key: str | None = None,
        **asking: Unpack[PermissionOptions],
    ) -> Answer[Out_co]:
        """Like `answer`, but synchronous, with the same arguments."""
        calls, turn = self._read_response(response, key)
        finals = run_without_loop(self._judge_answer(response, calls, has_loop=False))
        own = self._without_final(calls)
        outcomes = self.call_all_sync(own, context=context, guard=guard, **asking)
        return self._make_answer(response, turn, calls, outcomes, finals)

    def unanswered(self, response: Any, /, *, because: str | None = None) -> Answer[Out_co]:
        """Answer every call of a response as cancelled, without running anything.

        Use it after `answer` was cancelled, so that the conversation can continue.

        Args:
            response: The response as the client returned it.
            because: Words for the model if no call had begun; each call is then denied with them.

        Returns:
            An `Answer` with one result for each call.
        """
        calls, turn = self._read_response(response)
        outcomes = [self._cancelled_outcome(call, because) for call in self._without_final(calls)]
        finals = [self._cancelled_outcome(call, because) for call in calls if self._is_final(call)]
        return self._make_answer(response, turn, calls, outcomes, finals)

    async def resume(
        self,
        text: str | bytes,
        decisions: Decisions,
        /,
        *,
        key: Key = None,
        context: Any = None,
        used: Used | None = None,
        authorize: Authorize[Any] | None = None,
    ) -> Answer[Out_co]:
        """Continue an answer that `Answer.to_json` stored.

        Calls that have run keep their results. Approved calls run now, one after the other, if
        `authorize` still permits them. A call without a decision continues to wait. A call is
        `denied` if its tool has changed or if it was decided before.

        Args:
            text: The text that `Answer.to_json` returned.
            decisions: True, a `Deny` or an `Edit` for each call id.
            key: The secret that was passed to `to_json`.
            context: The context of the calls.
            used: See `Toolset.resume`.
            authorize: A further check, after the tool's and the toolset's.

        Returns:
            An `Answer` with all results.

        Raises:
            ToolDenied: The text was changed, is for another target, or the key does not fit.
            ToolhaftError: A decision is neither True, a `Deny` nor an `Edit`, or is about a call
                that does not wait.
            ToolInputInvalid: The arguments of an `Edit` are invalid; nothing was run.
        """
        asked = decisions, key, context, used, authorize
        return await self._resume(text, *asked, has_loop=True)

    def resume_sync(
        self,
        text: str | bytes,
        decisions: Decisions,
        /,
        *,
        key: Key = None,
        context: Any = None,
        used: Used | None = None,
        authorize: Authorize[Any] | None = None,
    ) -> Answer[Out_co]:
        """Like `resume`, but synchronous, with the same arguments."""
        asked = decisions, key, context, used, authorize
        return run_without_loop(self._resume(text, *asked, has_loop=False))

    async def _resume(
        self,
        text: str | bytes,
        decisions: Decisions,
        key: Key,
        context: Any,
        used: Used | None,
        authorize: Authorize[Any] | None,
        *,
        has_loop: bool,
    ) -> Answer[Out_co]:
        stored = read_answer(self.target, text, key)
        dispatch, permission = dispatch_of(self._toolset), Permission.of(authorize)
        waiting = {
            place: dispatch.restore(entry.waiting, used, self.target, permission)
            for place, entry in enumerate(stored.entries)
            if entry.waiting is not None
        }
        check_decisions(self.target, waiting.values(), decisions)
        outcomes, results = [entry.outcome for entry in stored.entries], []
        for place, call in waiting.items():
            outcome = await carry_out(call, decisions, context, has_loop=has_loop)
            outcomes[place] = self._name_changed(outcome)
        known = [outcome for outcome in outcomes if outcome is not None]
        for entry, outcome in zip(stored.entries, known, strict=True):
            results.append(self.result(outcome) if entry.outcome is None else entry.result)
        finals = [outcome for outcome in known if self._final and outcome.name == self._final.name]
        return Answer(self._provider, stored.reply_to, stored.turn, results, known, finals)

    def _start_turn(self, pending: list[PendingCall], context: Any) -> Turn:
        """Report the refused calls to the observers, and collect the others to be run."""
        for call in pending:
            if call.refused is not None:
                dispatch_of(self._toolset).record_refusal(call.call, call.refused, context)
        return Turn(pending)

    def _read_response(
        self, response: Any, key: str | None = None
    ) -> tuple[list[ToolCall], list[Any]]:
        """All calls of a response, and the model's turn: read before anything runs."""
        require_key("answer", key)
        calls = [_with_key(call, key) for call in self._read_calls(response)]
        with explain_wire_errors(self.target, response):
            return calls, self._provider.turn(response)

    async def _judge_answer(
        self, response: Any, calls: list[ToolCall], *, has_loop: bool
    ) -> list[Ok[Any] | Err]:
        """Read the final answer of a response: the outcome of each call for it, or of its text."""
        final = self._final
        if final is None:
            return []
        with explain_wire_errors(self.target, response):
            text = None if calls else self._read_answer(Part(self.target, response))
        answers = [call for call in calls if self._is_final(call)]
        is_alone = len(answers) == len(calls)
        return await final.judge(answers, text, is_alone=is_alone, has_loop=has_loop)

    def _read_answer(self, response: Part) -> str | None:
        """Read the text of the answer, or return None if the model wrote none."""
        reason = self._provider.ending(response).reason
        if reason == "length":  # whole only by chance
            return CUT_OFF
        return self._provider.answer_text(response) if reason == "done" else None

    def _make_answer(
        self,
        response: Any,
        turn: list[Any],
        calls: Sequence[ToolCall],
        outcomes: Iterable[Ok[Any] | Err],
        finals: Sequence[Ok[Any] | Err],
    ) -> Answer[Out_co]:
        """Make an answer with the outcome of every call in the order of the response."""
        own, answers = iter(outcomes), iter(finals)
        ordered = [next(answers if self._is_final(call) else own) for call in calls]
        results = [
            self._result(outcome, is_text=call.is_text)
            for call, outcome in zip(calls, ordered, strict=True)
        ]
        with explain_wire_errors(self.target, response):
            part = Part(self.target, response)
            reply_to, foreign = part.get("id"), list(self._provider.unknown_calls(part))
        return Answer(self._provider, reply_to, turn, results, ordered, finals, foreign)


def _require_list(messages: Any) -> None:
    fix = "pass the list of the conversation's messages"
    if not isinstance(messages, Iterable) or isinstance(messages, str | bytes | Mapping):
        raise ToolhaftError(f"export: messages: not a list; {fix}")
    for index, message in enumerate(messages if isinstance(messages, Sequence) else []):
        if message is None or isinstance(message, str | bytes | int | float):
            raise ToolhaftError(f"export: messages[{index}]: not a message; {fix}")


def _with_key(call: ToolCall, key: str | None) -> ToolCall:
    """Derive the idempotency key of a call from that of its response."""
    if key is None:
        return call
    return with_fields(call, key=call_key("answer", key, call.id))
