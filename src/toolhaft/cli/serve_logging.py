"""How `toolhaft serve` logs to standard error: as text, or as one JSON object a line."""

from __future__ import annotations

import logging
import sys
import time
from contextlib import suppress
from typing import Any, Final, TextIO

from toolhaft.jsonio import jsontext
from toolhaft.jsonio.jsondata import to_json_data
from toolhaft.serve.access import LOG, MEASURES, Access

__all__ = ["FORM", "LEVELS", "AccessLines", "JsonFormatter", "start_logging"]

LEVELS: Final = ("debug", "info", "warning", "error")
# Libraries that log each message at `info`.
TALKATIVE: Final = ("mcp", "httpx", "uvicorn")
FACTS: Final = ("access", "tool_call")
FORM: Final = "%(asctime)s %(levelname)-7s %(name)s: %(message)s"
TIME: Final = "%Y-%m-%d %H:%M:%S"


class JsonFormatter(logging.Formatter):
    """Write a record as one JSON object, with the facts that it has."""

    def format(self, record: logging.LogRecord) -> str:
        """Write a record.

        Args:
            record: The record.
        """
        written = {
            "time": self.formatTime(record, "%Y-%m-%dT%H:%M:%S") + f".{int(record.msecs):03}",
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_text:
            written["exception"] = record.exc_text
        elif record.exc_info:
            written["exception"] = self.formatException(record.exc_info)
        facts = {name: vars(record)[name] for name in FACTS if name in vars(record)}
        return jsontext.write(to_json_data({**written, **facts}))


class AccessLines:
    """Writes the line of each request, in the form that the handler here has for log records.

    A log record and its formatting cost a tenth of a call and more; a line costs a fiftieth.
    """

    def __init__(self, stream: TextIO, level: int, form: str) -> None:
        self._stream = stream
        self._level = level
        self._write = self._write_json if form == "json" else self._write_text
        self._second, self._time = 0, ""

    def __call__(self, access: Access) -> None:
        """Write a line.

        Args:
            access: The request.
        """
        level = access.level
        if level >= self._level:
            now = time.time()
            if int(now) != self._second:
                self._second = int(now)
                self._time = time.strftime(TIME, time.localtime(now))
            milliseconds = int(now * 1000) % 1000
            with suppress(OSError, ValueError):  # nobody reads the log
                self._stream.write(self._write(access, logging.getLevelName(level), milliseconds))

    def _write_text(self, access: Access, level: str, milliseconds: int) -> str:
        return f"{self._time},{milliseconds:03} {level:<7} {LOG.name}: {access.line}\n"

    def _write_json(self, access: Access, level: str, milliseconds: int) -> str:
        written: dict[str, Any] = {
            "time": f"{self._time.replace(' ', 'T')}.{milliseconds:03}",
            "level": level.lower(),
            "logger": LOG.name,
            "message": access.line,
            "access": access.facts,
        }
        return f"{jsontext.write(written)}\n"


def start_logging(level: str, form: str) -> None:
    """Log from a level on; a program that has set up logging itself keeps its handlers."""
    number = getattr(logging, level.upper())
    logging.getLogger("toolhaft").setLevel(number)
    if logging.root.handlers:
        return
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter() if form == "json" else logging.Formatter(FORM))
    logging.root.addHandler(handler)
    MEASURES.append(AccessLines(sys.stderr, number, form))
    LOG.disabled = True  # its lines are written without records
    logging.root.setLevel(number)
    for name in TALKATIVE:
        logging.getLogger(name).setLevel(max(number, logging.WARNING))
