"""A traceback in a log forges no line of it."""

from __future__ import annotations

import json
import logging
from io import StringIO
from traceback import format_exception

import pytest

from toolhaft import tool
from toolhaft.call.tracebacks import format_traceback

FORGED = "x\n2026-01-01 INFO tool pay: ok\r\x1b[2J\u202e\x85"
ESCAPED = "x\\n2026-01-01 INFO tool pay: ok\\r\\x1b[2J\\u202e\\x85"


class JsonFormatter(logging.Formatter):
    """Writes a record as JSON, as many programs do."""

    def format(self, record: logging.LogRecord) -> str:
        text = super().format(record)
        return json.dumps({"text": text, "trace": record.exc_text}, ensure_ascii=False)


@tool
def pay(city: str) -> str:
    "Pay."
    error = ValueError(f"no such city: {city}")
    error.add_note(city)
    known: dict[str, str] = {}
    try:
        return known[city]
    except KeyError as cause:
        raise ExceptionGroup("both", [error, RuntimeError(city)]) from cause


@pytest.mark.requirement("log-forging")
@pytest.mark.parametrize("formatter", [logging.Formatter("%(message)s"), JsonFormatter()])
def test_a_traceback_is_logged_with_control_characters_escaped(
    formatter: logging.Formatter,
) -> None:
    stream, logger = StringIO(), logging.getLogger("toolhaft")
    handler = logging.StreamHandler(stream)
    handler.setFormatter(formatter)
    logger.addHandler(handler)
    try:
        outcome = pay.call_sync({"city": FORGED})
    finally:
        logger.removeHandler(handler)
    written = stream.getvalue()
    assert not outcome
    if isinstance(formatter, JsonFormatter):
        [line] = written.splitlines()
        written = json.loads(line)["text"]
    assert not any(line.startswith("2026-01-01") for line in written.splitlines())
    assert set(written) & {"\r", "\x1b", "\u202e", "\x85"} == set()
    # In the message and the note of the first, in the second, and in the cause as its repr.
    assert written.count(ESCAPED) == 4
    assert "raise ExceptionGroup" in written


def test_an_ordinary_traceback_is_as_python_writes_it() -> None:
    with pytest.raises(ValueError, match="über") as caught:
        int("über 3 %")
    assert format_traceback(caught.value) == "".join(format_exception(caught.value))
