"""Log every call with structlog: `pip install 'toolhaft[structlog]'`."""

from __future__ import annotations

from typing import Any

from toolhaft.observers import Finish
from toolhaft.observers.details import CallDetails, CallStarted, Redactor

__all__ = ["Structlog"]


class Structlog:
    """One event `tool call` for each call, when it ends, with its facts as keys.

    What was refused is a warning, what broke an error, everything else for information. No value
    is logged unless `values`, a redactor, is given. What is bound to structlog's context
    variables goes with each event.
    """

    def __init__(self, logger: Any = None, *, values: Redactor | None = None) -> None:
        if logger is None:
            import structlog

            logger = structlog.get_logger("toolhaft.calls")
        self._logger = logger
        self._values = values
        self.reads_values: bool = values is not None

    def started(self, _: CallStarted, /) -> Finish:
        return self._log

    def _log(self, done: CallDetails) -> None:
        facts = done.as_json(self._values)
        del facts["time"]  # an event has its own
        getattr(self._logger, done.level)("tool call", **facts)
