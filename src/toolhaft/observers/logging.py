"""Log every call with the standard library's `logging`."""

from __future__ import annotations

import logging

from toolhaft.observers import Finish
from toolhaft.observers.details import CallDetails, CallStarted, Redactor, require_functions

__all__ = ["Logging"]

LEVELS = {"info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}


class Logging:
    """Log one line for each call when it ends, with its details as the record's `tool_call`.

    Rejected calls are warnings, crashes are errors, all others are for information.

    Args:
        logger: The logger; `toolhaft.calls` by default.
        values: A function that redacts arguments and results; without it no value is recorded.

    Raises:
        ValueError: `logger` is not a logger, or `values` is not a function.

    >>> import sys
    >>> from toolhaft import Toolset, tool
    >>> @tool
    ... def double(n: int) -> int:
    ...     "Twice a number."
    ...     return 2 * n
    >>> logger = logging.getLogger("doubling")
    >>> logger.addHandler(logging.StreamHandler(sys.stdout))
    >>> tools = Toolset([double], observers=[Logging(logger)])
    >>> tools.call_sync("double", {"n": "x"}).kind
    tool double: invalid_input after ... ms (type)
    'invalid_input'
    """

    def __init__(
        self, logger: logging.Logger | None = None, *, values: Redactor | None = None
    ) -> None:
        if logger is not None and not hasattr(logger, "isEnabledFor"):
            raise ValueError("Logging: logger: not a logger; pass logging.getLogger(name)")
        require_functions("Logging", values=values)
        self._logger = logger or logging.getLogger("toolhaft.calls")
        self._values = values
        self.reads_values: bool = values is not None

    def started(self, _: CallStarted, /) -> Finish:
        """Handle the start of a call; see `Observer.started`.

        Args:
            call: The call before anything was done about it.
        """
        return self._log

    def _log(self, done: CallDetails) -> None:
        level = LEVELS[done.level]
        if not self._logger.isEnabledFor(level):
            return
        facts = done.as_json(self._values)
        codes = f" ({', '.join(facts['issues'])})" if facts["issues"] else ""
        message = "tool %s: %s after %.1f ms%s"
        words = done.tool, facts["kind"], done.duration_ns / 1_000_000, codes
        self._logger.log(level, message, *words, extra={"tool_call": facts})
