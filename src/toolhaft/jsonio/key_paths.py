"""Find where a key stands in JSON text, from the line and column that a reader reports."""

from __future__ import annotations

import re

__all__ = ["path_of_key"]

_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*+"|[{}\[\],]', re.DOTALL)


def path_of_key(data: bytes, line: int, column: int) -> tuple[bytes | int, ...]:
    r"""Return the path of the key whose colon is before a place; keys are as they were written.

    The text is JSON up to there. Lines and columns count from 1, columns in bytes.

    >>> path_of_key(b'{"m": [{}, {"a": 1, "a": 2}]}', 1, 25)
    (b'"m"', 1, b'"a"')
    """
    end = sum(len(before) + 1 for before in data.split(b"\n", line - 1)[: line - 1]) + column - 1
    steps: list[bytes | int] = []
    for found in _TOKEN.finditer(data, 0, end):
        token = found[0]
        if token in b"]}":
            steps.pop()
        elif token in b"[{":
            steps.append(0 if token == b"[" else b"")
        elif token != b",":
            _replace_key(steps, token)
        elif isinstance(last := steps[-1], int):
            steps[-1] = last + 1
    return tuple(steps)


def _replace_key(steps: list[bytes | int], text: bytes) -> None:
    """Take a text for the key; that of a value is replaced before it could count."""
    if isinstance(steps[-1], bytes):
        steps[-1] = text
