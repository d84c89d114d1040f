"""Tracebacks as text for a log: an exception's own message stays on one line.

A message may quote a model's text: a line break in it would forge a line of the log, and other
control characters would write to the terminal of a person who reads it.
"""

from __future__ import annotations

from collections.abc import Generator
from traceback import TracebackException
from typing import Any

from toolhaft.definition import names

__all__ = ["format_traceback"]


class _OneLine(TracebackException):
    """A traceback whose exceptions have their messages and notes on one line each."""

    def format_exception_only(self, **options: Any) -> Generator[str, None, None]:
        """Yield the last line of an exception."""
        text = "".join(super().format_exception_only(**options)).rstrip("\n")
        yield names.escape_text(text, len(text) * LONGEST_ESCAPE) + "\n"


# `\U0001f600` is the longest that a character is written as.
LONGEST_ESCAPE = 10


def format_traceback(error: BaseException) -> str:
    r"""Write an exception with its traceback, control characters escaped.

    >>> print(format_traceback(ValueError("no such city: x\n2026-01-01 INFO paid\x1b[2J")), end="")
    ValueError: no such city: x\n2026-01-01 INFO paid\x1b[2J
    """
    whole = _OneLine(type(error), error, BaseException.__dict__["__traceback__"].__get__(error))
    queue: list[TracebackException] = [whole]
    while queue:
        part = queue.pop()
        part.__class__ = _OneLine  # those behind an exception are made as the base class
        inner = [part.__cause__, part.__context__, *(part.exceptions or ())]
        queue += [each for each in inner if each is not None]
    lines = "".join(whole.format()).split("\n")
    return "\n".join(names.escape_text(line, len(line) * LONGEST_ESCAPE) for line in lines)
