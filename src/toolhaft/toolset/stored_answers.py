"""Answers as text, while some of their calls wait for a person.

A call that has run is stored with its result, so that nothing runs twice; one that waits is stored
as `Prepared.to_json` writes it. Nothing of the context is in the text.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any, Final, NamedTuple, TypeVar, get_args

from toolhaft.call import feedback
from toolhaft.call.call_options import CallOptions
from toolhaft.call.outcome import Err, ErrKind, Ok
from toolhaft.call.restoring import is_path, read_coercions
from toolhaft.call.signing import Key, VerificationFailed, as_floats, sign, verify
from toolhaft.call.types import Coercion
from toolhaft.errors import Effect, ToolDenied, ToolhaftError
from toolhaft.jsonio import jsondata
from toolhaft.spec import Code, Issue

__all__ = ["StoredAnswer", "StoredCall", "read_answer", "write_answer"]

T = TypeVar("T")

KIND: Final = "answer"
# Bytes in a model's turn, such as a signature of its thoughts.
BYTES: Final = "toolhaft:bytes"
ISSUE: Final = ("message", "path", "code", "expected", "received", "vendor_code")


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
