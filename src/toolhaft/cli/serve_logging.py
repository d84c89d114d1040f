"""How `toolhaft serve` logs to standard error: as text, or as one JSON object a line."""

from __future__ import annotations

import logging
import sys
from typing import Final

from toolhaft.jsonio import jsontext
from toolhaft.jsonio.jsondata import to_json_data

__all__ = ["LEVELS", "start_logging"]

LEVELS: Final = ("debug", "info", "warning", "error")
# Libraries that log each message at `info`.
TALKATIVE: Final = ("mcp", "httpx", "uvicorn")
FACTS: Final = ("access", "tool_call")


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


def start_logging(level: str, form: str) -> None:
    """Log from a level on; a program that has set up logging itself keeps its handlers."""
    number = getattr(logging, level.upper())
    logging.getLogger("toolhaft").setLevel(number)
    if logging.root.handlers:
        return
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        JsonFormatter()
        if form == "json"
        else logging.Formatter("%(asctime)s %(levelname)-7s %(name)s: %(message)s")
    )
    logging.root.addHandler(handler)
    logging.root.setLevel(number)
    for name in TALKATIVE:
        logging.getLogger(name).setLevel(max(number, logging.WARNING))
