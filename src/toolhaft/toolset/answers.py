"""`Answer`: the outcomes of a response's calls, and how they are stored while some wait.

A call that has run is stored with its result, so that nothing runs twice; one that waits is stored
as `Prepared.to_json` writes it. Nothing of the context is in the text.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from typing import Any, Final, Generic, NamedTuple, TypeAlias, TypeVar, get_args

from toolhaft.call import feedback
from toolhaft.call.call_options import CallOptions
from toolhaft.call.edit import Edit
from toolhaft.call.internals import waiting_outcome, write_call
from toolhaft.call.outcome import Err, ErrKind, Ok
from toolhaft.call.permission import Deny, run_or_decline
from toolhaft.call.prepared import Prepared
from toolhaft.call.restoring import is_path, read_coercions
from toolhaft.call.signing import Key, VerificationFailed, as_floats, sign, verify
from toolhaft.call.types import Coercion
from toolhaft.definition.typevars import Out_co
from toolhaft.errors import Effect, ToolDenied, ToolhaftError
from toolhaft.jsonio import jsondata
from toolhaft.providers.provider import Provider
from toolhaft.spec import Code, Issue

__all__ = ["Answer", "Decisions", "StoredAnswer", "carry_out", "check_decisions", "read_answer"]

T = TypeVar("T")

KIND: Final = "answer"
# Bytes in a model's turn, such as a signature of its thoughts.
BYTES: Final = "toolhaft:bytes"
ISSUE: Final = ("message", "path", "code", "expected", "received", "vendor_code")

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


class StoredOk(Ok[Any]):
    """An outcome of an earlier request, with its JSON data as value and its text as it was."""

    __slots__ = ("stored_text",)

    stored_text: str

    @property
    def text(self) -> str:
        return self.stored_text


class StoredCall(NamedTuple):
    """One call of an answer: its outcome and result, or the prepared call that waits."""

    outcome: Ok[Any] | Err | None = None
    result: Any = None
    waiting: dict[str, Any] | None = None


class StoredAnswer(NamedTuple):
    """A stored answer: the id of the response, the model's turn, and the calls in order."""

    reply_to: Any
    turn: list[Any]
    entries: list[StoredCall]


def write_answer(target: str, answer: StoredAnswer, key: Key) -> str:
    """Write an answer as text.

    Raises:
        ToolhaftError: The model's turn holds something that has no JSON form.
    """
    data = {
        "target": target,
        "reply_to": answer.reply_to,
        "turn": [_to_json_data(target, message) for message in answer.turn],
        "calls": [_write_call(target, entry) for entry in answer.entries],
    }
    return sign(KIND, data, key)


def read_answer(target: str, text: str | bytes, key: Key) -> StoredAnswer:
    """Read a text of `write_answer`.

    Raises:
        ToolDenied: It is another text, the key is another one, or only one side has a key.
    """
    try:
        data = verify(KIND, text, key)
    except VerificationFailed as fault:
        raise ToolDenied(target, feedback.describe_not_resumed(str(fault))) from None
    if data.get("target") != target:
        raise ToolDenied(target, feedback.describe_not_resumed("the answer is for another target"))
    try:
        entries = [_read_call(entry) for entry in _require(list, data["calls"])]
        turn = [_from_json_data(message) for message in _require(list, as_floats(data["turn"]))]
        return StoredAnswer(data["reply_to"], turn, entries)
    except (KeyError, TypeError, ValueError):  # without a key, anyone can have written it
        reason = "the text does not hold a whole answer"
        raise ToolDenied(target, feedback.describe_not_resumed(reason)) from None


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


def _write_call(target: str, call: StoredCall) -> dict[str, Any]:
    if call.waiting is not None or call.outcome is None:
        return {"waiting": call.waiting}
    outcome = call.outcome
    data: dict[str, Any] = {
        "name": outcome.name,
        "call_id": outcome.call_id,
        "caller": outcome.caller,
        "text": outcome.text,
        "coercions": [[list(coercion.path), coercion.rule] for coercion in outcome.coercions],
        "result": _to_json_data(target, call.result),
    }
    if isinstance(outcome, Ok):
        arguments = jsondata.to_json_data(outcome.arguments)
        return {**data, "json": outcome.json, "arguments": arguments}
    issues = [
        {**{name: getattr(issue, name) for name in ISSUE}, "facts": dict(issue.facts)}
        for issue in outcome.issues
    ]
    names = ("kind", "effect", "error_id", "retryable")
    failed = {name: getattr(outcome, name) for name in names}
    return {**data, **failed, "issues": _to_json_data(target, issues)}


def _read_call(data: Any) -> StoredCall:
    if "waiting" in data:
        waiting = dict(data["waiting"])
        _read_call_id(waiting)
        return StoredCall(waiting=waiting)
    data = as_floats(data)
    outcome = _read_failure(data) if "kind" in data else _read_success(data)
    outcome.call_id, outcome.caller = _read_call_id(data), data.get("caller")
    return StoredCall(outcome, _from_json_data(data["result"]))


def _read_failure(data: Mapping[str, Any]) -> Err:
    kind, effect = data["kind"], data["effect"]
    if kind not in get_args(ErrKind) or effect not in get_args(Effect):
        raise ValueError("no kind or effect of a call")
    issues = tuple([_read_issue(issue) for issue in data["issues"]])
    text, options, coercions = _read_common(data)
    # The hints of its tool, as far as the outcome tells them.
    options = options._replace(annotations={"idempotentHint": _require(bool, data["retryable"])})
    return Err(kind, text, options, issues, coercions, effect, _text_or_none(data["error_id"]))


def _read_success(data: Mapping[str, Any]) -> StoredOk:
    text, options, coercions = _read_common(data)
    json, arguments = data["json"], _require(dict, data["arguments"])
    outcome = StoredOk(json, json, arguments, options, coercions)
    outcome.stored_text = text
    return outcome


def _read_common(data: Mapping[str, Any]) -> tuple[str, CallOptions, tuple[Coercion, ...]]:
    """Read what every outcome has: its text, options and coercions."""
    coercions = read_coercions(data["coercions"])
    if coercions is None:
        raise ValueError("no coercions")
    return _require(str, data["text"]), CallOptions(_require(str, data["name"])), coercions


def _read_call_id(data: Mapping[str, Any]) -> str:
    return _require(str, data["call_id"])


def _read_issue(data: Mapping[str, Any]) -> Issue:
    message, path, code, *rest = (data[name] for name in ISSUE)
    expected, received, vendor_code = map(_text_or_none, rest)
    if code not in get_args(Code) or not is_path(_require(list, path)):
        raise ValueError("no code or path of an issue")
    facts = _require(dict, data.get("facts", {}))
    return Issue(_require(str, message), path, code, expected, received, vendor_code, facts)


def _text_or_none(value: Any) -> str | None:
    return None if value is None else _require(str, value)


def _require(kind: type[T], value: Any) -> T:
    """Return a value of the required type, or raise."""
    if not isinstance(value, kind):
        raise TypeError(f"not a {kind.__name__}")
    return value


def _to_json_data(target: str, value: Any) -> Any:
    """Convert an SDK's objects to the JSON data that they were made from; bytes are marked."""
    if isinstance(value, Enum):
        return value.value
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, bytes):
        return {BYTES: b64encode(value).decode("ascii")}
    if isinstance(value, Mapping):
        return {str(key): _to_json_data(target, item) for key, item in value.items()}
    if isinstance(value, Sequence):
        return [_to_json_data(target, item) for item in value]
    dump: Callable[..., Any] | None = getattr(value, "model_dump", None)
    if dump is None:
        kind = type(value).__name__
        raise ToolhaftError(
            f"{target}: to_json: the model's turn holds a {kind}, which is not JSON"
        )
    # An SDK warns of what its types do not know, which goes back as it came.
    return _to_json_data(target, dump(exclude_unset=True, by_alias=True, warnings=False))


def _from_json_data(value: Any) -> Any:
    if isinstance(value, dict):
        if value.keys() == {BYTES}:
            return b64decode(value[BYTES])
        return {key: _from_json_data(item) for key, item in value.items()}
    return [_from_json_data(item) for item in value] if isinstance(value, list) else value
