"""`Export`: a toolset as one target takes it, and that target's calls run and answered.

`Toolset.export` makes it. Every step of a turn is a method of its own; `answer` takes them all.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from toolhaft.call.callbacks import run_without_loop
from toolhaft.call.once_token import Used
from toolhaft.call.outcome import Err, Ok
from toolhaft.call.permission import Authorize, PermissionOptions
from toolhaft.call.signing import Key
from toolhaft.call.types import ToolCall
from toolhaft.definition.options import UNSET
from toolhaft.providers.recognise import explain_wire_errors
from toolhaft.providers.response import Part
from toolhaft.toolset import answers
from toolhaft.toolset.answers import Answer, Decisions
from toolhaft.toolset.turn import PendingCall, Turn
from toolhaft.toolset.wire import Wire

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from toolhaft.call.loop_guard import LoopGuard
    from toolhaft.call.prepared import Prepared

__all__ = ["Export"]


class Export(Wire):
    """A toolset in one target's wire format.

    `tools` is the declarations, in name order; `request` the parameters that go with a request,
    the tools included; `planned` the names, descriptions and schemas in no provider's shape.
    `losses` says what the target cannot carry, `problems` what it refuses: with
    `on_problem="drop"` such a tool is left out, with "keep" it goes out as its author wrote it.
    Calls and outcomes are matched by the wire's names and ids; arguments are lifted to the tool's
    own terms, and complaints are told in the wire's.

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

    __slots__ = ()

    def check_context(self, context: Any = UNSET) -> None:
        """Do as `Toolset.check_context` does, before a conversation begins.

        Raises:
            ContextMissing: names the tool, and all that its context lacks.
        """
        self._toolset.check_context(context)

    async def call(
        self,
        call: ToolCall,
        /,
        *,
        context: Any = None,
        guard: LoopGuard | None = None,
        **asking: Unpack[PermissionOptions],
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
        **asking: Unpack[PermissionOptions],
    ) -> Ok[Any] | Err:
        """Do as `call` does, without a loop."""
        [outcome] = self.call_all_sync([call], context=context, guard=guard, **asking)
        return outcome

    def prepare(self, call: ToolCall, /, *, context: Any = None) -> Prepared[Any] | Err:
        """Check one call as `call` does, and run nothing; see `Tool.prepare`."""
        pending = self._read(call)
        if pending.refused is not None:
            return pending.refused
        return self._toolset.prepare(pending.call, context)

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

        As `Toolset.call_all`; a guard is told the tools' own names and arguments.
        """
        pending = [self._read(call) for call in calls]
        if guard is not None:
            for call in pending:
                call.refuse(await guard.check(*call.name_and_arguments))
        turn = self._start_turn(pending, context)
        return turn.merge_outcomes(
            await self._toolset.call_all(turn.calls, context=context, **asking)
        )

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
        pending = [self._read(call) for call in calls]
        if guard is not None:
            for call in pending:
                call.refuse(guard.check_sync(*call.name_and_arguments))
        turn = self._start_turn(pending, context)
        return turn.merge_outcomes(
            self._toolset.call_all_sync(turn.calls, context=context, **asking)
        )

    async def answer(
        self,
        response: Any,
        /,
        *,
        context: Any = None,
        guard: LoopGuard | None = None,
        **asking: Unpack[PermissionOptions],
    ) -> Answer:
        """Run every call of a response: one result for each, in their order.

        Raises:
            WireError: The response is not in the target's shape; then nothing was run.
        """
        calls, turn = self._read_response(response)
        outcomes = await self.call_all(calls, context=context, guard=guard, **asking)
        return self._make_answer(response, turn, outcomes)

    def answer_sync(
        self,
        response: Any,
        /,
        *,
        context: Any = None,
        guard: LoopGuard | None = None,
        **asking: Unpack[PermissionOptions],
    ) -> Answer:
        """Do as `answer` does, without a loop."""
        calls, turn = self._read_response(response)
        outcomes = self.call_all_sync(calls, context=context, guard=guard, **asking)
        return self._make_answer(response, turn, outcomes)

    def unanswered(self, response: Any, /, *, because: str | None = None) -> Answer:
        """Answer every call of a response as cancelled, so that the conversation can go on.

        For a turn whose `answer` was cancelled from outside; nothing is run. `because` is what
        the model reads where nothing was begun either: each call is denied in these words.
        """
        calls, turn = self._read_response(response)
        return self._make_answer(
            response, turn, [self._cancelled_outcome(call, because) for call in calls]
        )

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
        authorize: Authorize | None = None,
    ) -> Answer:
        """Do as `resume` does, without a loop."""
        asked = decisions, key, context, used, authorize
        return run_without_loop(self._resume(text, *asked, has_loop=False))

    async def _resume(
        self,
        text: str | bytes,
        decisions: Decisions,
        key: Key,
        context: Any,
        used: Used | None,
        authorize: Authorize | None,
        *,
        has_loop: bool,
    ) -> Answer:
        stored = answers.read_answer(self.target, text, key)
        tools = self._toolset.asking(authorize=authorize)
        waiting = {
            place: tools.restored(entry.waiting, used, self.target)
            for place, entry in enumerate(stored.entries)
            if entry.waiting is not None
        }
        answers.check_decisions(self.target, waiting.values(), decisions)
        outcomes, results = [entry.outcome for entry in stored.entries], []
        for place, call in waiting.items():
            outcomes[place] = await answers.carry_out(call, decisions, context, has_loop=has_loop)
        known = [outcome for outcome in outcomes if outcome is not None]
        for entry, outcome in zip(stored.entries, known, strict=True):
            results.append(self.result(outcome) if entry.outcome is None else entry.result)
        return Answer(self._provider, stored.reply_to, stored.turn, results, known)

    def _start_turn(self, pending: list[PendingCall], context: Any) -> Turn:
        """Report the refused calls to the observers, and collect the others to be run."""
        for call in pending:
            if call.refused is not None:
                self._toolset.refused(call.call, call.refused, context)
        return Turn(pending)

    def _read_response(self, response: Any) -> tuple[list[ToolCall], list[Any]]:
        """The calls of a response, and the model's turn: read before anything runs."""
        calls = self.calls(response)
        with explain_wire_errors(self.target, response):
            return calls, self._provider.turn(response)

    def _make_answer(self, response: Any, turn: list[Any], outcomes: list[Ok[Any] | Err]) -> Answer:
        results = [self.result(outcome) for outcome in outcomes]
        with explain_wire_errors(self.target, response):
            reply_to = Part(self.target, response).get("id")
        return Answer(self._provider, reply_to, turn, results, outcomes)
