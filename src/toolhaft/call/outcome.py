"""The outcome of a call, `Ok` or `Err`, and the text that the model reads for each."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, Literal, NoReturn, Protocol, TypeAlias, TypeVar

from toolhaft import errors
from toolhaft.call import feedback
from toolhaft.call.outcome_record import OkFields, OutcomeRecord
from toolhaft.call.parts import ContentParts
from toolhaft.call.types import Coercion
from toolhaft.definition.typevars import Out_co
from toolhaft.jsonio import jsondata, jsontext
from toolhaft.jsonio.plaindata import is_text, plain_copy
from toolhaft.jsonio.primitives import compiled
from toolhaft.spec import Issue

if TYPE_CHECKING:
    from toolhaft.call.edit import Decision
    from toolhaft.call.prepared import Prepared
    from toolhaft.content import Content

__all__ = [
    "Err",
    "ErrKind",
    "KeptOk",
    "Ok",
    "Outcome",
    "RaisedError",
    "Rendered",
    "TextOptions",
    "finish",
]

T = TypeVar("T")

ErrKind: TypeAlias = Literal[
    "invalid_input",
    "truncated",
    "unknown_tool",
    "approval_required",
    "denied",
    "tool_error",
    "runtime_error",
    "timeout",
    "overloaded",
    "output_invalid",
    "loop",
]

# The model, or a framework on its behalf, may simply try again if nothing has run.
RETRYABLE = frozenset(
    {"invalid_input", "truncated", "unknown_tool", "overloaded", "runtime_error", "timeout"}
)


class RaisedError:
    """An exception that `execute` raises, and whether the handler may have acted."""

    __slots__ = ("effect", "error")

    def __init__(self, error: BaseException, effect: errors.Effect) -> None:
        self.error: BaseException = error
        self.effect: errors.Effect = effect


class TextOptions(Protocol):
    """The options for the model's texts: the tool's name, and how long a result may be."""

    @property
    def name(self) -> str: ...
    @property
    def max_result_chars(self) -> int | None: ...
    @property
    def may_repeat(self) -> bool: ...


_new_object = object.__new__


class Ok(OutcomeRecord, OkFields, Generic[Out_co]):
    """A call that ran, with a result that passed every check.

    The `repr` contains no values, because it ends up in logs.

    Attributes:
        coercions: The repairs that were made, as a tuple of `Coercion`.
        call_id: The provider's id of the call, if it came with one.
    """

    __match_args__ = ("value",)
    # Set only for the few calls that come with one.
    __slots__ = ("_caller",)

    def __init__(
        self,
        value: Out_co,
        json: Any,
        arguments: Any,
        options: TextOptions,
        coercions: tuple[Coercion, ...] = (),
    ) -> None:
        self._value = value
        self._shown = json
        self._arguments = arguments
        self._options = options
        self.coercions: tuple[Coercion, ...] = coercions
        self.call_id: str | None = None

    @staticmethod
    def of(
        value: Any, json: Any, arguments: Any, options: TextOptions, coercions: tuple[Coercion, ...]
    ) -> Ok[Any]:
        """Make an `Ok` without `__init__`, which takes half of the time in CPython.

        Args:
            value: See `Ok`.
            json: The result as JSON data.
            arguments: The arguments of the handler.
            options: The options of the tool.
            coercions: The repairs that were made.
        """
        ok: Ok[Any] = _new_object(Ok)
        ok._value = value
        ok._shown = json
        ok._arguments = arguments
        ok._options = options
        ok.coercions = coercions
        ok.call_id = None
        return ok

    @property
    def value(self) -> Out_co:
        """The validated output."""
        return self._value

    @property
    def caller(self) -> dict[str, Any] | None:
        """The maker of the call, as the provider wrote it; None without one."""
        caller: dict[str, Any] | None = getattr(self, "_caller", None)
        return caller

    @caller.setter
    def caller(self, caller: dict[str, Any] | None) -> None:
        self._caller = caller

    @property
    def decision(self) -> Decision | None:
        """The digest of what a person approved, and of what was asked if they changed it."""
        return None

    @property
    def edit(self) -> Decision | None:
        """The digests of what was asked and of what ran, if a person changed the arguments."""
        return _edit_of(self.decision)

    @property
    def json(self) -> Any:
        """The output as JSON data, not shortened."""
        return self._shown.json if type(self._shown) is ContentParts else self._shown

    @property
    def name(self) -> str:
        """The name of the tool."""
        return self._options.name

    @property
    def raw_arguments(self) -> Any:
        """The arguments as they are stored, for an outcome that replaces this one."""
        return self._arguments

    @property
    def arguments(self) -> Any:
        """A read-only JSON view of the handler's arguments.

        It contains the defaults if the call needed approval or was observed.
        """
        data = self._arguments
        if type(data) is str:
            return feedback.freeze(jsontext.read(data))
        try:
            return feedback.freeze(jsondata.snapshot(data))
        except jsondata.NotPlain:  # the caller has changed it since
            return feedback.freeze(data)

    @property
    def text(self) -> str:
        """The result as the model reads it, as text, cut to `max_result_chars` with a marker."""
        shown, limit = self._shown, self._options.max_result_chars
        if type(shown) is dict and limit is None:  # most results
            note = feedback.ignored_note(self.coercions, None) if self.coercions else ""
            return jsontext.write(shown) + note
        return feedback.format_result(shown, self.coercions, limit)

    @property
    def content(self) -> str | tuple[Content, ...]:
        """The text for the model, or a tuple of parts if the result is content."""
        shown = self._shown
        if type(shown) is not ContentParts:
            return self.text
        return feedback.cut_result_parts(shown, self.coercions, self._options.max_result_chars)

    def unwrap(self) -> Out_co:
        """Return the value; `Err.unwrap` raises instead."""
        return self._value

    def as_json(self) -> dict[str, Any]:
        """Return the outcome as JSON data, with the arguments and the result, not shortened.

        If a person changed the arguments and the model is to know, `note` tells it which ones.
        """
        note = "" if self.decision is None else self.decision.note
        return {
            "kind": "ok",
            "name": self.name,
            "call_id": self.call_id,
            "arguments": jsondata.to_json_data(self.arguments),
            "value": jsondata.to_json_data(self.json),
            "coercions": [coercion.as_json() for coercion in self.coercions],
            **({"note": note} if note else {}),
        }

    def __bool__(self) -> Literal[True]:
        return True

    def __repr__(self) -> str:
        return f"Ok(name={self.name!r}, coercions={self.coercions!r})"


def finish_plain(
    result: Any, arguments: Any, options: TextOptions, coercions: tuple[Coercion, ...]
) -> Ok[Any] | None:
    """Make the outcome of a result that is plain JSON data; None for one to be checked whole."""
    if type(result) is dict:
        shown: Any = plain_copy(result)
    else:
        shown = result if type(result) is str and is_text(result) else None
    return None if shown is None else Ok.of(result, shown, arguments, options, coercions)


finish: Callable[..., Ok[Any] | None] = finish_plain
if compiled is not None:
    compiled.set_outcome(Ok)
    finish = compiled.finish


class Rendered(Ok[Out_co]):
    """An `Ok` whose text for the model is `rendered`, as the author's `render=` made it."""

    __slots__ = ("_data",)

    def __init__(self, rendered: Any, value: Out_co, json: Any, *rest: Any) -> None:
        super().__init__(value, rendered, *rest)
        self._data = json.json if type(json) is ContentParts else json

    @property
    def json(self) -> Any:
        return self._data


class DecidedOk(Rendered[Out_co]):
    """An `Ok` of a call that a person approved; the model may read that they changed it."""

    __slots__ = ("_decision",)

    def __init__(self, ok: Ok[Out_co], decision: Decision) -> None:
        shown, options = ok._shown, ok._options  # noqa: SLF001  of this class
        super().__init__(shown, ok.value, ok.json, ok.raw_arguments, options, ok.coercions)
        self._decision = decision

    @property
    def decision(self) -> Decision:
        return self._decision

    @property
    def text(self) -> str:
        return _with_note(super().text, self._decision)

    @property
    def content(self) -> str | tuple[Content, ...]:
        content, note = super().content, self._decision.note
        parts = (super().text,) if isinstance(content, str) else content
        return (*parts, note) if note else content


class KeptOk(Rendered[Out_co]):
    """An `Ok` whose whole result is kept elsewhere: the model reads its beginning."""

    __slots__ = ("_beginning", "_decision")

    def __init__(self, ok: Ok[Out_co], beginning: str) -> None:
        shown, options = ok._shown, ok._options  # noqa: SLF001  of this class
        super().__init__(shown, ok.value, ok.json, ok.raw_arguments, options, ok.coercions)
        self._beginning, self._decision = beginning, ok.decision

    @property
    def decision(self) -> Decision | None:
        return self._decision

    @property
    def text(self) -> str:
        decision = self._decision
        return self._beginning if decision is None else _with_note(self._beginning, decision)

    @property
    def content(self) -> str | tuple[Content, ...]:
        if type(self._shown) is not ContentParts:
            return self.text
        return (self.text, *(part for part in self._shown.items if not isinstance(part, str)))

    @staticmethod
    def shown_of(ok: Ok[Any]) -> Any:
        """Return the text, the JSON data or the content that a model reads of a result, uncut."""
        return ok._shown  # noqa: SLF001  of this class


def _with_note(text: str, decision: Decision) -> str:
    return f"{text}\n\n{decision.note}" if decision.note else text


def _edit_of(decision: Decision | None) -> Decision | None:
    return None if decision is None or decision.asked is None else decision


class Err(OutcomeRecord):
    """A call that was rejected or that failed.

    Attributes:
        kind: The kind of failure: "invalid_input", "truncated", "unknown_tool",
            "approval_required", "denied", "tool_error", "runtime_error", "timeout", "overloaded",
            "output_invalid" or "loop".
        issues: Every problem with the arguments or the result, as a tuple of `Issue`.
        coercions: The repairs that were made, as a tuple of `Coercion`.
        effect: Whether the handler may have acted: "none", "done" or "unknown".
        error_id: The id under which the log has the traceback, if there is one.
        prepared: The call that waits for a person, if the kind is "approval_required".
        call_id: The provider's id of the call, if it came with one.
        caller: The maker of the call, as the provider wrote it; None without one.
        decision: The digest of what a person approved or declined, and of what was asked if they
            changed it; None if nobody was asked.
        retry_after: In how many seconds the call can be made again, if a limiter rejected it.
        status: The status that `ToolError(status=)` has over HTTP.
    """

    __match_args__ = ("kind", "issues")
    __slots__ = (
        "_options",
        "_text",
        "call_id",
        "caller",
        "coercions",
        "decision",
        "effect",
        "error_id",
        "issues",
        "kind",
        "prepared",
        "retry_after",
        "status",
    )

    def __init__(
        self,
        kind: ErrKind,
        text: str | feedback.FormatIssues,
        options: TextOptions,
        issues: tuple[Issue, ...] = (),
        coercions: tuple[Coercion, ...] = (),
        effect: errors.Effect = "none",
        error_id: str | None = None,
        prepared: Prepared[Any] | None = None,
    ) -> None:
        self.kind: ErrKind = kind
        self._text = text
        self._options = options
        self.issues: tuple[Issue, ...] = issues
        self.coercions: tuple[Coercion, ...] = coercions
        self.effect: errors.Effect = effect
        self.error_id: str | None = error_id
        self.prepared: Prepared[Any] | None = prepared
        self.call_id: str | None = None
        self.caller: dict[str, Any] | None = None
        self.decision: Decision | None = None
        self.retry_after: float | None = None
        self.status: int | None = None

    @property
    def name(self) -> str:
        """The name of the tool."""
        return self._options.name

    @property
    def retryable(self) -> bool:
        """Whether calling again is safe and may help.

        The call was not denied, and either nothing ran or the tool is marked `readOnlyHint` or
        `idempotentHint`.
        """
        return self.kind in RETRYABLE and (self.effect == "none" or self._options.may_repeat)

    @property
    def text(self) -> str:
        """A short instruction for the model."""
        text = self._text
        if not isinstance(text, str):
            text = self._text = text(self.issues)
        limit = self._options.max_result_chars
        text = text if limit is None else feedback.cut_text(text, limit)
        decision = None if self.effect == "none" else self.decision  # else nothing ran
        return text if decision is None else _with_note(text, decision)

    @property
    def edit(self) -> Decision | None:
        """The digests of what was asked and of what ran, if a person changed the arguments."""
        return _edit_of(self.decision)

    @property
    def content(self) -> str:
        """The text to show the model."""
        return self.text

    def unwrap(self) -> NoReturn:
        """Raise the exception that `Tool.execute` raises for this kind of failure.

        Raises:
            ToolInputInvalid, ToolOutputInvalid, ToolRefused, ToolError, CallFailed: Depending on
                the kind.
        """
        raise self.to_exception()

    def to_exception(self) -> Exception:
        """Return the exception that `unwrap` raises; it never contains the text of a crash."""
        return _to_exception(self)

    def as_json(self) -> dict[str, Any]:
        """Return the outcome as JSON data, with the text for the model.

        A call that waits for a person is not part of it; use `prepared.to_json(key=...)` for that.
        """
        extras = {"retry_after": self.retry_after, "status": self.status}
        return {
            "kind": self.kind,
            "name": self.name,
            "call_id": self.call_id,
            "text": self.text,
            "effect": self.effect,
            "retryable": self.retryable,
            "error_id": self.error_id,
            "issues": [issue.as_json() for issue in self.issues],
            "coercions": [coercion.as_json() for coercion in self.coercions],
            **{name: value for name, value in extras.items() if value is not None},
        }

    def _portable_slots(self) -> dict[str, Any]:
        """Leave out the call that waits here, and write the text, which may need the tool."""
        text = self._text if isinstance(self._text, str) else self._text(self.issues)
        return super()._portable_slots() | {"_text": text, "prepared": None}

    def __bool__(self) -> Literal[False]:
        return False

    def __repr__(self) -> str:
        return f"Err({self.kind!r}, name={self.name!r}, issues={self.issues!r})"


Outcome: TypeAlias = Ok[T] | Err
Result = TypeVar("Result")


def with_decision(result: Result, decision: Decision | None) -> Result:
    """Add to an outcome what a person decided; an exception that is raised stays as it is."""
    if decision is None or isinstance(result, RaisedError):
        return result
    if isinstance(result, Err):
        result.decision = decision
        return result
    if isinstance(result, DecidedOk | KeptOk):
        result._decision = decision  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  its own
        return result
    decided: Any = DecidedOk(result, decision) if isinstance(result, Ok) else result
    return decided  # type: ignore[no-any-return]


def _to_exception(err: Err) -> Exception:
    invalid = INVALID.get(err.kind)
    if invalid is not None:
        error = invalid(err.name, err.issues)
        listed = feedback.list_issues(err.issues)
        error.args = (f"{error.target} validation failed: {listed}",)  # it may be shown to a model
        return error
    if err.kind == "tool_error":
        return errors.ToolError(err.text, status=err.status)
    if err.kind in REFUSALS:
        return REFUSALS[err.kind](err.name, err.text, err.effect)
    return errors.CallFailed(err.name, err.kind, err.text, err.error_id)


INVALID: dict[str, type[errors.ToolInputInvalid | errors.ToolOutputInvalid]] = {
    "invalid_input": errors.ToolInputInvalid,
    "truncated": errors.ToolInputInvalid,
    "output_invalid": errors.ToolOutputInvalid,
}
REFUSALS: dict[str, type[errors.ToolRefused]] = {
    "denied": errors.ToolDenied,
    "approval_required": errors.ToolDenied,
    "timeout": errors.ToolTimeout,
    "overloaded": errors.ToolOverloaded,
    "loop": errors.ToolLoop,
}
