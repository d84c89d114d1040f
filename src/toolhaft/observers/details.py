"""The details of a call for observers: names, kinds, counts and times; values only on demand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Literal, TypeAlias, TypeVar

from toolhaft.call import feedback
from toolhaft.call.call_options import CallOptions
from toolhaft.call.decode import Undecodable, decode
from toolhaft.call.interrupts import raise_interrupt
from toolhaft.call.outcome import Err, ErrKind, Ok
from toolhaft.call.types import AnyOrigin
from toolhaft.definition.predicates import fault_of_callback
from toolhaft.errors import Effect
from toolhaft.jsonio import jsondata

__all__ = [
    "CallDetails", "CallStarted", "Redactor", "of_fields", "require_functions", "unredacted",
]  # fmt: skip

MOST_UNREAD_CHARS = 4_096
UNSHOWN = "[the redactor failed]"
BROKEN = frozenset({"runtime_error", "output_invalid"})
UNFAILED = frozenset({"ok", "approval_required"})


@dataclass(frozen=True, kw_only=True, eq=False)
class CallStarted:
    """A call before anything was done about it.

    Attributes:
        tool: The name of the tool in the toolset; for an unknown tool the name that the model
            wrote, escaped and cut.
        known: Whether the toolset has a tool of that name.
        description: The description of the tool.
        call_id: The provider's id of the call, escaped and cut.
        target: The target whose response held the call; None without an export.
        started_ns: The time of the call in nanoseconds since 1970.
        raw: The arguments as the model sent them.
        context: The context of the caller; for an approved call that of the person who decided it.
        approved: Whether the call waited for a person.
        origin: The kind of caller: "direct" is a model or your own program, "programmatic" is code
            that runs at the provider, and "unknown" a caller that may call nothing.
        caller_id: The provider's id of the code that made the call, escaped and cut.
        digest: The digest of the call that a person is asked about, or that runs after that.
        asked_digest: The digest of what the person was asked, if they changed the arguments.
    """

    tool: str
    known: bool
    description: str | None
    call_id: str | None
    target: str | None
    started_ns: int
    raw: Any = field(repr=False)
    context: Any = field(default=None, repr=False)
    approved: bool = False
    origin: AnyOrigin = "direct"
    caller_id: str | None = None
    digest: str | None = None
    asked_digest: str | None = None

    @property
    def arguments(self) -> Any:
        """The arguments as sent: a read-only view of JSON data, or the start of any other text."""
        try:
            return feedback.freeze(decode(self.raw, literals=False)[0])
        except Undecodable:
            return _decode_text(self.raw)

    @property
    def sent_size(self) -> int | None:
        """The number of characters or bytes of the arguments; None if they did not come as text."""
        return len(self.raw) if isinstance(self.raw, str | bytes) else None

    def refusal(self, kind: ErrKind, text: str, *, retry_after: float | None = None) -> Err:
        """Return the outcome with which a `Limiter` rejects the call.

        Args:
            kind: The kind of the `Err`, such as "overloaded".
            text: The text for the model.
            retry_after: In how many seconds the call can be made again, for HTTP clients.
        """
        err = Err(kind, text, CallOptions(self.tool))
        err.retry_after = retry_after
        return err


@dataclass(frozen=True, kw_only=True, eq=False)
class CallDetails(CallStarted):
    """A call that has ended, with its outcome.

    Attributes:
        tool: The name of the tool, as in `CallStarted`, like the fields that follow.
        known: Whether the toolset has a tool of that name.
        description: The description of the tool.
        call_id: The provider's id of the call.
        target: The target whose response held the call.
        started_ns: The time of the call in nanoseconds since 1970.
        raw: The arguments as the model sent them.
        context: The context of the caller.
        approved: Whether the call waited for a person.
        origin: The kind of caller, as in `CallStarted`.
        caller_id: The provider's id of the code that made the call.
        digest: The digest of the call that a person is asked about, or that runs after that.
        asked_digest: The digest of what the person was asked, if they changed the arguments.
        duration_ns: How long the call took, in nanoseconds.
        outcome: The outcome; None if the call was cancelled from outside.
    """

    duration_ns: int
    outcome: Ok[Any] | Err | None = field(repr=False)

    @property
    def kind(self) -> ErrKind | Literal["ok", "cancelled"]:
        """The kind of an `Err`, "ok", or "cancelled"."""
        if isinstance(self.outcome, Err):
            return self.outcome.kind
        return "cancelled" if self.outcome is None else "ok"

    @property
    def failed(self) -> bool:
        """Whether there is no result; a call that waits for approval has not failed."""
        return self.kind not in UNFAILED

    @property
    def effect(self) -> Effect:
        """Whether the handler may have acted: "none", "done" or "unknown"."""
        if isinstance(self.outcome, Err):
            return self.outcome.effect
        return "unknown" if self.outcome is None else "done"

    @property
    def error_id(self) -> str | None:
        """The id under which the log has the traceback, if there is one."""
        return self.outcome.error_id if isinstance(self.outcome, Err) else None

    @property
    def issue_codes(self) -> tuple[str, ...]:
        """The code of each issue of the arguments or of the result."""
        issues = self.outcome.issues if isinstance(self.outcome, Err) else ()
        return tuple([issue.code for issue in issues])

    @property
    def coercion_rules(self) -> tuple[str, ...]:
        """The rule of each repair that was made."""
        coercions = () if self.outcome is None else self.outcome.coercions
        return tuple([coercion.rule for coercion in coercions])

    @property
    def arguments(self) -> Any:
        """A read-only view of the handler's arguments, or of what the model sent."""
        return self.outcome.arguments if isinstance(self.outcome, Ok) else super().arguments

    @property
    def result(self) -> Any:
        """A read-only view of the result as JSON; None if there is none."""
        return feedback.freeze(self.outcome.json) if isinstance(self.outcome, Ok) else None

    @property
    def result_size(self) -> int:
        """The number of characters that the model reads; computed on access."""
        return 0 if self.outcome is None else len(self.outcome.text)

    @property
    def level(self) -> Literal["info", "warning", "error"]:
        """The log level: "error" for a crash, "warning" for a rejected call, else "info"."""
        kind = self.kind
        if kind in UNFAILED:
            return "info"
        return "error" if kind in BROKEN else "warning"

    def values(self, redact: Redactor) -> dict[str, Any]:
        """Return the arguments, and the result if there is one, after redaction.

        Args:
            redact: A function of the call and of a copy of the data, which returns the data to
                show.
        """
        shown = {"arguments": _redact(self, redact, self.arguments)}
        if isinstance(self.outcome, Ok):
            shown["result"] = _redact(self, redact, self.outcome.json)
        return shown

    def as_json(self, redact: Redactor | None = None) -> dict[str, Any]:
        """Return the call as one flat JSON object.

        Args:
            redact: A function that redacts the arguments and the result; without it they are left
                out.
        """
        outcome = self.outcome
        failed = isinstance(outcome, Err)
        record = {
            "time": _rfc3339(self.started_ns),
            "tool": self.tool,
            "call_id": self.call_id,
            "target": self.target,
            "origin": self.origin,
            "caller_id": self.caller_id,
            "digest": self.digest,
            "asked_digest": self.asked_digest,
            "kind": self.kind,
            "effect": self.effect,
            "error_id": self.error_id if failed else None,
            "duration_ns": self.duration_ns,
            "issues": list(self.issue_codes) if failed else [],
            "coercions": [] if outcome is None else [each.rule for each in outcome.coercions],
        }
        return record if redact is None else record | self.values(redact)


Call = TypeVar("Call", bound=CallStarted)


def of_fields(kind: type[Call], fields: dict[str, Any]) -> Call:
    """Make a call of all its fields at once: to set each of a frozen object takes far longer."""
    call = object.__new__(kind)
    object.__setattr__(call, "__dict__", fields)
    return call


Redactor: TypeAlias = Callable[[CallDetails, Any], Any]


def unredacted(call: CallDetails, data: Any) -> Any:  # noqa: ARG001  a redactor's signature
    """Show every value as it is: the redactor of those who want everything."""
    return data


def require_functions(observer: str, **options: object) -> None:
    """Refuse an option of an observer that is neither a function nor left out.

    Raises:
        ValueError: names the option.
    """
    for name, option in options.items():
        if option is not None and (fault := fault_of_callback(option)):
            raise ValueError(f"{observer}: {name}: {'; '.join(fault)}")


def _redact(call: CallDetails, redact: Redactor, data: Any) -> Any:
    try:
        return jsondata.to_json_data(redact(call, jsondata.to_json_data(data)))
    except BaseException as error:  # noqa: BLE001  the program's own function: better nothing than too much
        raise_interrupt(error)
        return UNSHOWN


def _decode_text(raw: object) -> str | None:
    """Text that every back end can write: it may be anything but JSON, lone surrogates too."""
    if isinstance(raw, str):
        raw = raw.encode(errors="backslashreplace")
    if not isinstance(raw, bytes):
        return None
    return feedback.cut_text(raw.decode(errors="replace"), MOST_UNREAD_CHARS)


def _rfc3339(ns: int) -> str:
    seconds, rest = divmod(ns, 1_000_000_000)
    return f"{_second(seconds)}.{rest // 1_000:06}Z"


@lru_cache(maxsize=8)
def _second(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None).isoformat()
