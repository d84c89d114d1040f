"""Turn what went wrong in a call into its outcome, and tell the log."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any, TypeAlias

from toolhaft.call import feedback, report, workers
from toolhaft.call.call_options import CallOptions
from toolhaft.call.control_flow import raise_control_flow
from toolhaft.call.interrupts import raise_interrupt
from toolhaft.call.invalid import (
    ForeignFailure,
    ForeignInputInvalid,
    ForeignOutputInvalid,
    ForeignTimeout,
    ForeignUnsent,
)
from toolhaft.call.outcome import Err, ErrKind, RaisedError
from toolhaft.call.process import InvalidAnswer
from toolhaft.call.results import InvalidResult
from toolhaft.errors import OWN_STATUSES, ContextMissing, Effect, ToolError
from toolhaft.spec import Issue

__all__ = ["Failures", "OnError", "run_step_in_loop"]

# Turns an exception into a result; the effect is whether the handler may have acted.
OnError: TypeAlias = Callable[[BaseException, Effect], Err | RaisedError]


ShowIssues: TypeAlias = Callable[[InvalidResult], tuple[Issue, ...]]


class Failures:
    """Makes the outcomes of one tool's calls that failed.

    `show_issues` gives the issues of an invalid result as anybody may read them.
    """

    def __init__(self, options: CallOptions, show_issues: ShowIssues) -> None:
        self.options = options
        self.show_issues = show_issues

    def to_outcome(self, raised: BaseException, effect: Effect) -> Err:
        """Turn an exception into an outcome; `KeyboardInterrupt` and a host's control flow pass.

        The kind is read from its type, as a class may override `__class__`.
        """
        try:
            raise_interrupt(raised)
            raise_control_flow(raised)
            error: Any = raised
        finally:
            del raised  # a Ctrl-C knows this frame, and would be held by it
        if issubclass(type(error), ForeignOutputInvalid):
            return self._to_invalid_result(error.issues)
        if issubclass(type(error), ForeignInputInvalid):
            text = feedback.describe_invalid(error.issues)
            return self._err("invalid_input", text, "none", None, error.issues)
        if issubclass(type(error), ForeignTimeout):
            text = feedback.describe_timeout(None, begun=True, may_repeat=self.options.may_repeat)
            return self._err("timeout", text, effect)
        if issubclass(type(error), ForeignUnsent):
            effect = "none"
        if issubclass(type(error), ContextMissing) and effect == "none":
            error_id = report.log_missing_context(self.options.name, error.names)
        elif effect == "unknown" and (message := self._author_message(error)) is not None:
            err = self._err("tool_error", feedback.describe_author_error(message), effect)
            err.status = _status_of(error)
            return err
        elif issubclass(type(error), ForeignFailure):
            error_id = report.log_failure(self.options.name, str(error))
        else:
            error_id = report.log_crash(self.options.name, error)
        text = feedback.describe_crash(error_id, effect, may_repeat=self.options.may_repeat)
        return self._err("runtime_error", text, effect, error_id)

    def to_result_error(self, error: Any, result: Any, on_error: OnError) -> Err | RaisedError:
        """Turn a failed check of a result, or a handler that gave none, into an outcome.

        Only the type of the result is read: a proxy may raise on any access to its attributes.
        """
        if issubclass(type(result), workers.RunEnded):
            return self._to_early_end(result, on_error)
        if not issubclass(type(error), InvalidResult):
            return on_error(error, "done")
        return self._to_invalid_result(self.show_issues(error))

    def _to_invalid_result(self, issues: tuple[Issue, ...]) -> Err:
        error_id = report.log_output(self.options.name, issues)
        return self._err(
            "output_invalid", feedback.describe_invalid_output(error_id), "done", error_id, issues
        )

    def _to_early_end(self, result: workers.RunEnded, on_error: OnError) -> Err | RaisedError:
        if isinstance(result, workers.Crashed):
            return on_error(result.error, "unknown")
        if isinstance(result, InvalidAnswer):
            return self._to_invalid_result(result.issues)
        if isinstance(result, workers.TimedOut):
            effect: Effect = "unknown" if result.begun else "none"
            text = feedback.describe_timeout(
                self.options.timeout or 0.0,
                begun=result.begun,
                may_repeat=self.options.may_repeat,
            )
            return self._err("timeout", text, effect)
        return self._err("overloaded", feedback.describe_overload(), "none")

    def _author_message(self, error: Any) -> str | None:
        """Return the author's text for an exception, or None if there is none."""
        if issubclass(type(error), ToolError):
            return _message_of(error)
        for kind in report.class_mro(type(error)):
            for known, message in self.options.errors.items():
                if known is kind:
                    return message
        return None

    def _err(
        self,
        kind: ErrKind,
        text: str,
        effect: Effect,
        error_id: str | None = None,
        issues: tuple[Issue, ...] = (),
    ) -> Err:
        return Err(kind, text, self.options, issues, effect=effect, error_id=error_id)


def _message_of(error: ToolError) -> str | None:
    """Return the text of a `ToolError`; None if its `__str__` fails, which makes it a crash."""
    try:
        message = str.__str__(str(error))
    except BaseException as fault:  # noqa: BLE001  the author's __str__ runs here
        raise_interrupt(fault)
        return None
    return message if message.strip() else feedback.NO_REASON


def _status_of(error: Any) -> int | None:
    """Return the status of a `ToolError`; an attribute of a subclass may be anything."""
    status = vars(error).get("status") if issubclass(type(error), ToolError) else None
    return status if type(status) is int and status in OWN_STATUSES else None


def run_step_in_loop(step: Coroutine[Any, Any, Any], on_error: OnError, effect: Effect) -> Any:
    """Run a step of a call for a caller without a loop.

    Nobody outside can cancel it: a handler did, this one or another on the same loop.
    """
    import asyncio

    try:
        return workers.run_in_loop(step)
    except asyncio.CancelledError as error:
        return on_error(error, effect)
