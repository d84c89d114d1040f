"""Log what the model must not read, tracebacks and invalid results, each under an id."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Final

from toolhaft.call.interrupts import raise_interrupt
from toolhaft.call.tracebacks import format_traceback
from toolhaft.definition import names
from toolhaft.spec import Issue

__all__ = [
    "class_mro",
    "class_name",
    "log_answer",
    "log_crash",
    "log_edit",
    "log_failure",
    "log_loop",
    "log_missing_context",
    "log_observer",
    "log_output",
    "log_part",
    "log_permission",
]

MOST_CHARS: Final = 4_000
MOST_ISSUES: Final = 20
traceback_of: Final = BaseException.__dict__["__traceback__"].__get__
# A metaclass may have attributes of its own, which raise.
class_name: Final = type.__dict__["__name__"].__get__
class_mro: Final = type.__dict__["__mro__"].__get__


def _log(message: str, *args: str, error: BaseException | None = None) -> str:
    """Write one line to the logger `toolhaft`, imported by the first failure only.

    Names and paths may have been written by a model or come with a result, and a message may quote
    them: they are escaped. A formatter writes `exc_text` where a record has one.
    """
    import logging

    error_id = os.urandom(6).hex()
    escaped = [names.escape_text(argument, MOST_CHARS) for argument in args]
    # The traceback is read by the base class: an exception's own attributes may raise.
    trace = None if error is None else (type(error), error, traceback_of(error))
    logger = logging.getLogger("toolhaft")
    if not logger.isEnabledFor(logging.ERROR):
        return error_id
    record = logger.makeRecord(
        logger.name, logging.ERROR, __file__, 0, message, (*escaped, error_id), trace, "_log"
    )
    try:
        record.exc_text = None if error is None else format_traceback(error)
        logger.handle(record)
    except BaseException as fault:  # noqa: BLE001  a handler or a filter of the program's runs here
        raise_interrupt(fault)
    return error_id


def log_crash(tool: str, error: BaseException) -> str:
    """Log a handler's exception with its traceback, and give the id."""
    return _log("tool %s failed (id %s)", tool, error=error)


def log_failure(tool: str, reason: str) -> str:
    """Log another program's account of a failure there, and return the id."""
    return _log("tool %s failed: %s (id %s)", tool, reason)


def log_loop(error: BaseException) -> None:
    """Log that something which a handler left on the loop of sync callers raised."""
    _log("what a handler left on the loop of sync callers failed (id %s)", error=error)


def log_missing_context(tool: str, names: Sequence[str]) -> str:
    """Log which values the caller's context lacks."""
    return _log("tool %s was called without %s in its context (id %s)", tool, ", ".join(names))


def log_edit(tool: str, issues: Sequence[Issue]) -> str:
    """Log why the arguments of a person's edit are invalid: places and messages, no values."""
    listed = "; ".join(f"{_place(issue)}: {issue.message}" for issue in issues[:MOST_ISSUES])
    return _log("tool %s: approve returned an invalid edit: %s (id %s)", tool, listed)


def log_part(part: str, error: BaseException) -> str:
    """Log that something beside the tools failed, and give the id."""
    return _log("%s failed (id %s)", part, error=error)


def log_observer(observer: str, error: BaseException) -> str:
    """Log that an observer raised; the calls go on."""
    return _log("observer %s failed, and is not logged again (id %s)", observer, error=error)


def log_output(tool: str, issues: Sequence[Issue]) -> str:
    """Log why a result does not fit its schema: places and messages, no values."""
    listed = "; ".join(f"{_place(issue)}: {issue.message}" for issue in issues[:MOST_ISSUES])
    return _log("tool %s returned an invalid result: %s (id %s)", tool, listed)


def log_answer(tool: str, answer: object) -> str:
    """Log that a permission callback answered neither yes nor no."""
    answered = class_name(type(answer))
    message = "tool %s: asking for permission answered a %s, which permits nothing; %s (id %s)"
    return _log(message, tool, answered, "answer True, False or Deny")


def log_permission(tool: str, error: BaseException) -> str:
    """Log the exception of a permission callback."""
    return _log("tool %s: asking for permission failed (id %s)", tool, error=error)


def _place(issue: Issue) -> str:
    """Write a path as a JSON Pointer, or in words if it has keys that no log must show."""
    pointer = "".join(f"/{str(s).replace('~', '~0').replace('/', '~1')}" for s in issue.path)
    place: str = issue.facts.get("place", pointer or "/")
    return place
