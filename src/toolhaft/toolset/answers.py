"""`Answer`: what came of a response's calls, and how one that waits for a person is written down.

What has run is written down with its result, so that nothing runs twice; what waits is written
as `Prepared.to_json` writes it. Nothing of the context is in the text.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from typing import Any, Final, NamedTuple, TypeAlias, TypeVar, get_args

from toolhaft.call import feedback
from toolhaft.call.call_options import CallOptions
from toolhaft.call.outcome import Err, ErrKind, Ok
from toolhaft.call.permission import Deny
from toolhaft.call.prepared import Prepared
from toolhaft.call.restoring import is_path, read_coercions
from toolhaft.call.signing import Key, VerificationFailed, as_floats, sign, verify
from toolhaft.call.types import Coercion
from toolhaft.errors import Effect, ToolDenied, ToolhaftError
from toolhaft.jsonio import jsondata
from toolhaft.providers.provider import Provider
from toolhaft.spec import Code, Issue

__all__ = ["Answer", "Decisions", "Written", "check", "decided", "read"]

T = TypeVar("T")

KIND: Final = "answer"
# Bytes in a model's turn, such as a signature of its thoughts.
BYTES: Final = "toolhaft:bytes"
ISSUE: Final = ("message", "path", "code", "expected", "received", "vendor_code")

# Yes, or no with or without words, by the id of the call. With a union of mappings, by `str` and
# by `str | None` as `call_id` is, checkers could not read a dict that is written in place.
Decision: TypeAlias = bool | Deny
Decisions: TypeAlias = Mapping[Any, Decision]


class Answer:
    """What came of the calls of one response, and the messages that go on from there.

    `results` is one for each call, in the request's order, as the target takes it; `outcomes`
    the same for the program. `pending` is the calls that wait for a person: while there are any,
    `results` and `messages` raise, for a turn is answered whole. Write the answer down with
    `to_json`, and go on with `Export.resume` when they are decided.
    """

    __slots__ = ("_provider", "_reply_to", "_results", "_turn", "outcomes")

    def __init__(
        self,
        provider: Provider,
        reply_to: Any,
        turn: list[Any],
        results: list[Any],
        outcomes: list[Ok[Any] | Err],
    ) -> None:
        self._provider = provider
        self._reply_to = reply_to
        self._turn = turn
        self._results = results
        self.outcomes: list[Ok[Any] | Err] = outcomes

    @property
    def pending(self) -> list[Prepared[Any]]:
        """The calls that wait for a person, each with its `call_id`."""
        return [one for one in map(_waiting, self.outcomes) if one is not None]

    @property
    def results(self) -> list[Any]:
        """One for each call, in the request's order, as the target takes it.

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
        """The model's turn as it was received, then the results: append them all.

        Raises:
            ToolhaftError: Calls wait for a person.
        """
        results = self.results
        return [*self._turn, *self._provider.reply(self._reply_to, self._turn, results)]

    def to_json(self, *, key: Key = None) -> str:
        """Write the answer down for `Export.resume`, in this process or another; no context.

        As with `Prepared.to_json`, only a `key` keeps others from changing it.

        Raises:
            ToolhaftError: The model's turn holds something that has no JSON form.
        """
        entries = [
            Entry(outcome, result) if one is None else Entry(waiting=one.written())
            for one, outcome, result in zip(
                map(_waiting, self.outcomes), self.outcomes, self._results, strict=True
            )
        ]
        whole = Written(self._reply_to, self._turn, entries)
        return written(self._provider.target, whole, key)

    @property
    def done(self) -> bool:
        """Whether there was nothing to answer: the model called no tool."""
        return not self.outcomes

    def __repr__(self) -> str:
        return f"Answer(outcomes={self.outcomes!r})"


def _waiting(outcome: Ok[Any] | Err) -> Prepared[Any] | None:
    return None if isinstance(outcome, Ok) else outcome.prepared


class Recalled(Ok[Any]):
    """An outcome of an earlier request: its value is the JSON data, its text what was read then."""

    __slots__ = ("said",)

    said: str

    @property
    def text(self) -> str:
        return self.said


class Entry(NamedTuple):
    """One call of an answer: the outcome that it came to, with its result, or what waits."""

    outcome: Ok[Any] | Err | None = None
    result: Any = None
    waiting: dict[str, Any] | None = None


class Written(NamedTuple):
    """What was in the text: the id of the response, the model's turn, and the calls in order."""

    reply_to: Any
    turn: list[Any]
    entries: list[Entry]


def written(target: str, answer: Written, key: Key) -> str:
    """Write an answer.

    Raises:
        ToolhaftError: The model's turn holds something that has no JSON form.
    """
    data = {
        "target": target,
        "reply_to": answer.reply_to,
        "turn": [_plain(target, message) for message in answer.turn],
        "calls": [_entry(target, one) for one in answer.entries],
    }
    return sign(KIND, data, key)


def read(target: str, text: str | bytes, key: Key) -> Written:
    """Read what `written` wrote.

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
        entries = [_read_entry(one) for one in _a(list, data["calls"])]
        turn = [_revived(one) for one in _a(list, as_floats(data["turn"]))]
        return Written(data["reply_to"], turn, entries)
    except (KeyError, TypeError, ValueError):  # without a key, anyone can have written it
        reason = "the text does not hold a whole answer"
        raise ToolDenied(target, feedback.describe_not_resumed(reason)) from None


def check(target: str, waiting: Iterable[Prepared[Any] | Err], decisions: Decisions) -> None:
    """Look at every decision before the first one is carried out.

    Raises:
        ToolhaftError: One is neither True nor a `Deny`, or is about a call that does not wait.
    """
    known = {one.call_id for one in waiting}
    for call_id, decision in decisions.items():
        if call_id not in known:
            raise ToolhaftError(f"{target}: resume: a decision about a call that does not wait")
        if type(decision) not in (bool, Deny):
            fix = 'use True or Deny("...")'
            raise ToolhaftError(f"{target}: resume: a decision is neither yes nor no; {fix}")


async def decided(
    waiting: Prepared[Any] | Err, decisions: Decisions, context: Any, *, looped: bool
) -> Ok[Any] | Err:
    """Carry a decision out: run the call, or let nobody run it any more; without one it waits."""
    if isinstance(waiting, Err):
        return waiting
    decision = decisions.get(waiting.call_id)
    if decision is None:
        return waiting.waiting()
    if decision is True:
        if looped:
            return await waiting.call(context=context)
        return waiting.call_sync(context=context)
    reason = decision.reason if isinstance(decision, Deny) else ""
    return await waiting.decline(reason) if looped else waiting.decline_sync(reason)


def _entry(target: str, one: Entry) -> dict[str, Any]:
    if one.waiting is not None or one.outcome is None:
        return {"waiting": one.waiting}
    outcome = one.outcome
    data: dict[str, Any] = {
        "name": outcome.name,
        "call_id": outcome.call_id,
        "text": outcome.text,
        "coercions": [[list(each.path), each.rule] for each in outcome.coercions],
        "result": _plain(target, one.result),
    }
    if isinstance(outcome, Ok):
        arguments = jsondata.to_json_data(outcome.arguments)
        return {**data, "json": outcome.json, "arguments": arguments}
    issues = [{name: getattr(each, name) for name in ISSUE} for each in outcome.issues]
    failed = {"kind": outcome.kind, "effect": outcome.effect, "error_id": outcome.error_id}
    return {**data, **failed, "issues": _plain(target, issues)}


def _read_entry(data: Any) -> Entry:
    if "waiting" in data:
        waiting = dict(data["waiting"])
        _call_id(waiting)
        return Entry(waiting=waiting)
    data = as_floats(data)
    outcome = _failure(data) if "kind" in data else _success(data)
    outcome.call_id = _call_id(data)
    return Entry(outcome, _revived(data["result"]))


def _failure(data: Mapping[str, Any]) -> Err:
    kind, effect = data["kind"], data["effect"]
    if kind not in get_args(ErrKind) or effect not in get_args(Effect):
        raise ValueError("no kind or effect of a call")
    issues = tuple([_issue(one) for one in data["issues"]])
    said, voice, coercions = _told(data)
    return Err(kind, said, voice, issues, coercions, effect, _text(data["error_id"]))


def _success(data: Mapping[str, Any]) -> Recalled:
    said, voice, coercions = _told(data)
    json, arguments = data["json"], _a(dict, data["arguments"])
    outcome = Recalled(json, json, arguments, voice, coercions)
    outcome.said = said
    return outcome


def _told(data: Mapping[str, Any]) -> tuple[str, CallOptions, tuple[Coercion, ...]]:
    """What every outcome has: its words, who says them, and what was repaired."""
    coercions = read_coercions(data["coercions"])
    if coercions is None:
        raise ValueError("no coercions")
    return _a(str, data["text"]), CallOptions(_a(str, data["name"])), coercions


def _call_id(data: Mapping[str, Any]) -> str:
    return _a(str, data["call_id"])


def _issue(data: Mapping[str, Any]) -> Issue:
    message, path, code, *rest = (data[name] for name in ISSUE)
    if code not in get_args(Code) or not is_path(_a(list, path)):
        raise ValueError("no code or path of an issue")
    return Issue(_a(str, message), path, code, *map(_text, rest))


def _text(value: Any) -> str | None:
    return None if value is None else _a(str, value)


def _a(kind: type[T], value: Any) -> T:
    """Give a value that is of the kind that it should be."""
    if not isinstance(value, kind):
        raise TypeError(f"not a {kind.__name__}")
    return value


def _plain(target: str, value: Any) -> Any:
    """Write what SDKs make of JSON as JSON: their objects as they were sent, bytes marked."""
    if isinstance(value, Enum):
        return value.value
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, bytes):
        return {BYTES: b64encode(value).decode("ascii")}
    if isinstance(value, Mapping):
        return {str(key): _plain(target, each) for key, each in value.items()}
    if isinstance(value, Sequence):
        return [_plain(target, each) for each in value]
    dump: Callable[..., Any] | None = getattr(value, "model_dump", None)
    if dump is None:
        kind = type(value).__name__
        raise ToolhaftError(f"{target}: to_json: the model's turn holds a {kind}, which is no JSON")
    return _plain(target, dump(exclude_unset=True, by_alias=True))


def _revived(value: Any) -> Any:
    if isinstance(value, dict):
        if value.keys() == {BYTES}:
            return b64decode(value[BYTES])
        return {key: _revived(each) for key, each in value.items()}
    return [_revived(each) for each in value] if isinstance(value, list) else value
