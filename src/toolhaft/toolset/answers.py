"""`Answer`: the outcomes of a response's calls, and the decisions about those that wait."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, Generic, TypeAlias

from toolhaft.call.edit import Edit
from toolhaft.call.internals import waiting_outcome, write_call
from toolhaft.call.outcome import Err, Ok
from toolhaft.call.permission import Deny, run_or_decline
from toolhaft.call.prepared import Prepared
from toolhaft.call.signing import Key
from toolhaft.definition.typevars import Out_co
from toolhaft.errors import ToolhaftError
from toolhaft.providers.provider import Provider
from toolhaft.toolset.stored_answers import StoredAnswer, StoredCall, write_answer

__all__ = ["Answer", "Decisions", "carry_out", "check_decisions"]

# The model's errors in its final answer, which it then has to correct.
WRONG: Final = frozenset({"invalid_input", "truncated"})

# Yes, no with or without words, or other arguments, by the id of the call. With a union of
# mappings, by `str` and by `str | None` as `call_id` is, checkers could not read a dict that is
# written in place.
Decision: TypeAlias = bool | Deny | Edit
Decisions: TypeAlias = Mapping[Any, Decision]


class Answer(Generic[Out_co]):
    """The outcomes of the calls in one response, and the messages to continue with.

    You get one from `Export.answer`. While calls wait for a person, `results` and `messages` raise,
    because a turn is answered as a whole. Store the answer with `to_json`, and continue with
    `Export.resume` when the calls are decided.

    Attributes:
        outcomes: One outcome for each call, in the order of the response.
        output: With `output=`, the model's final answer: `Ok` with the object, or `Err`. None while
            the model calls tools instead, and where it refused or failed to answer.
        foreign: The kinds of calls in the response that toolhaft cannot answer, such as
            "computer_call": your program has to answer them before it sends the turn back.
    """

    __slots__ = (
        "_answered",
        "_provider",
        "_reply_to",
        "_results",
        "_turn",
        "foreign",
        "outcomes",
        "output",
    )

    def __init__(
        self,
        provider: Provider,
        reply_to: Any,
        turn: list[Any],
        results: list[Any],
        outcomes: list[Ok[Any] | Err],
        finals: Sequence[Ok[Any] | Err] = (),
        foreign: Sequence[str] = (),
    ) -> None:
        self._provider = provider
        self._reply_to = reply_to
        self._turn = turn
        self._results = results
        # Of these, calls that were to be the final answer are no calls of the program's tools.
        self._answered = outcomes
        hidden = set(map(id, finals))
        self.outcomes: list[Ok[Any] | Err] = [each for each in outcomes if id(each) not in hidden]
        self.foreign: tuple[str, ...] = tuple(foreign)
        self.output: Ok[Out_co] | Err | None = finals[-1] if finals else None

    @property
    def pending(self) -> list[Prepared[Any]]:
        """The calls that wait for a person, each with its `call_id`."""
        return [prepared for prepared in map(_prepared_of, self.outcomes) if prepared is not None]

    @property
    def results(self) -> list[Any]:
        """One result for each call, in the order of the response and in the target's format.

        Raises:
            ToolhaftError: Calls wait for a person.
        """
        if self.pending:
            fix = "decide them with resume(answer.to_json(key=...), {call_id: True, ...}) first"
            count = len(self.pending)
            raise ToolhaftError(
                f"{self._provider.target}: calls wait for a person ({count}); {fix}"
            )
        return self._results

    @property
    def messages(self) -> list[Any]:
        """The model's turn as it was received, followed by the results: append them all.

        A wrong final answer is followed by its errors.

        Raises:
            ToolhaftError: Calls wait for a person.
        """
        results = self.results
        reply = self._provider.reply(self._reply_to, self._turn, results)
        return [*self._turn, *reply, *self._correction()]

    def _correction(self) -> list[Any]:
        """Write the errors of an answer that was text, and so has no result."""
        output = self.output
        if output is None or output.call_id is not None or not self._is_wrong(output):
            return []
        return self._provider.user_messages(output.text)

    @staticmethod
    def _is_wrong(output: Ok[Any] | Err | None) -> bool:
        """Check whether an answer goes back to the model, which can correct it."""
        return isinstance(output, Err) and output.kind in WRONG

    def to_json(self, *, key: Key = None) -> str:
        """Return the answer as text for `Export.resume`, in this process or another one.

        The context is not in the text.

        Args:
            key: A secret. Without one, anybody who can write the text can change it.

        Raises:
            ToolhaftError: The model's turn contains an object that has no JSON form.
        """
        entries = [
            StoredCall(outcome, result)
            if prepared is None
            else StoredCall(waiting=write_call(prepared))
            for prepared, outcome, result in zip(
                map(_prepared_of, self._answered), self._answered, self._results, strict=True
            )
        ]
        stored = StoredAnswer(self._reply_to, self._turn, entries)
        return write_answer(self._provider.target, stored, key)

    @property
    def done(self) -> bool:
        """Whether the model called no tool, so that there was nothing to answer.

        With `output=`, also whether the model need not correct its final answer.
        """
        return not self.outcomes and not self._is_wrong(self.output)

    def __repr__(self) -> str:
        output = "" if self.output is None else f", output={self.output!r}"
        return f"Answer(outcomes={self.outcomes!r}{output})"


def _prepared_of(outcome: Ok[Any] | Err) -> Prepared[Any] | None:
    return None if isinstance(outcome, Ok) else outcome.prepared


def check_decisions(
    target: str, waiting: Iterable[Prepared[Any] | Err], decisions: Decisions
) -> None:
    """Check every decision before the first one is carried out.

    Raises:
        ToolhaftError: One is no decision, or is about a call that does not wait.
        ToolInputInvalid: The arguments of an `Edit` are invalid.
    """
    known = {call.call_id: call for call in waiting}
    for call_id, decision in decisions.items():
        if call_id not in known:
            raise ToolhaftError(f"{target}: resume: a decision about a call that does not wait")
        if type(decision) not in (bool, Deny, Edit):
            fix = 'use True, Deny("...") or Edit({...})'
            raise ToolhaftError(f"{target}: resume: a decision is neither yes nor no; {fix}")
        call = known[call_id]
        if isinstance(decision, Edit) and isinstance(call, Prepared):
            _require_valid(decision.apply(call))


def _require_valid(edited: Prepared[Any] | Err) -> None:
    """Raise why an edit is invalid."""
    if isinstance(edited, Err):
        edited.unwrap()


async def carry_out(
    waiting: Prepared[Any] | Err, decisions: Decisions, context: Any, *, has_loop: bool
) -> Ok[Any] | Err:
    """Carry a decision out: run the call, or let nobody run it any more; without one it waits."""
    if isinstance(waiting, Err):
        return waiting
    decision = decisions.get(waiting.call_id)
    if decision is None:
        return waiting_outcome(waiting)
    return await run_or_decline(waiting, decision, context, has_loop=has_loop)
