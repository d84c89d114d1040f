"""Log every call with structlog: `pip install 'toolhaft[structlog]'`."""

from __future__ import annotations

from typing import Any

from toolhaft.observers import Finish
from toolhaft.observers.details import CallDetails, CallStarted, Redactor
from toolhaft.packages import naming_extra

__all__ = ["Structlog"]


class Structlog:
    """Log one event `tool call` for each call when it ends, with its details as keys.

    Rejected calls are warnings, crashes are errors, all others are for information. structlog's
    context variables are part of each event.

    Args:
        logger: The logger; `structlog.get_logger("toolhaft.calls")` by default.
        values: A function that redacts arguments and results; without it no value is recorded.
    """

    def __init__(self, logger: Any = None, *, values: Redactor | None = None) -> None:
        if logger is None:
            with naming_extra("toolhaft.observers.structlog", "structlog", "toolhaft[structlog]"):
                import structlog

            logger = structlog.get_logger("toolhaft.calls")
        self._logger = logger
        self._values = values
        self.reads_values: bool = values is not None

    def started(self, _: CallStarted, /) -> Finish:
        """Handle the start of a call; see `Observer.started`.

        Args:
            call: The call before anything was done about it.
        """
        return self._log

    def _log(self, done: CallDetails) -> None:
        facts = done.as_json(self._values)
        del facts["time"]  # an event has its own
        getattr(self._logger, done.level)("tool call", **facts)
