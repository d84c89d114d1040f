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
from toolhaft.providers.response import Part
from toolhaft.toolset import answers
from toolhaft.toolset.answers import Answer, Decisions, Written
from toolhaft.toolset.turn import PendingCall, Turn
from toolhaft.toolset.wire import Wire

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from toolhaft.call.loop_guard import LoopGuard
    from toolhaft.toolset.toolset import Toolset

__all__ = ["Export"]


class Export(Wire):
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

    __slots__ = ()

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
        reads = [self._read(call) for call in calls]
        if guard is not None:
            for one in reads:
                one.refuse(await guard.check(*one.asked))
        turn = self._begun(reads)
        return turn.told(await self._toolset.call_all(turn.own, context=context, **asking))

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
        reads = [self._read(call) for call in calls]
        if guard is not None:
            for one in reads:
                one.refuse(guard.check_sync(*one.asked))
        turn = self._begun(reads)
        return turn.told(self._toolset.call_all_sync(turn.own, context=context, **asking))

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
        **asking: Unpack[PermissionOptions],
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
        return run_without_loop(self._resume(found, decisions, tools, used, context, looped=False))

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

    def _begun(self, reads: list[PendingCall]) -> Turn:
        """Tell whoever watches what is refused already; the rest is to be run."""
        for one in reads:
            if one.refused is not None:
                self._toolset.refused(one.call, one.refused)
        return Turn(reads)

    def _asked(self, response: Any) -> tuple[list[ToolCall], list[Any]]:
        """The calls of a response, and the model's turn: read before anything runs."""
        return self.calls(response), self._provider.turn(response)

    def _answer(self, response: Any, turn: list[Any], outcomes: list[Ok[Any] | Err]) -> Answer:
        results = [self.result(outcome) for outcome in outcomes]
        reply_to = Part(self.target, response).get("id")
        return Answer(self._provider, reply_to, turn, results, outcomes)
