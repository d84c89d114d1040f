"""A model's mistakes in arguments that are not JSON: the common ones, each with its fix."""

from __future__ import annotations

import re
from typing import Final

from toolhaft.jsonio import jsontext

__all__ = ["describe_syntax"]

# Beyond this much, the words and the place of the reader must do.
MOST_CHARS: Final = 100_000
AROUND: Final = "send one JSON object and nothing around it"
SEVERAL: Final = "send one JSON object for each call, not several in one"
_STRING: Final = r'"(?:[^"\\]|\\.)*+"'
# A string without line breaks, or one up to its first.
_LINE: Final = re.compile(r'"(?:[^"\\\n\r\t]|\\.)*+(?:"|([\n\r\t]))')
_NOT_A_NUMBER: Final = re.compile(r"(?<=[:,\[\s])-?(NaN|Infinity)(?=[\s,\]}])")
_BREAKS: Final = {"\n": "\\n for a line break", "\r": "\\n for a line break", "\t": "\\t for a tab"}


def describe_syntax(text: str) -> str | None:
    """Describe how to fix text that is not JSON, or return None if only its reader knows.

    >>> describe_syntax('Here you are: {"n": 1}'), describe_syntax('{"n": NaN}')
    ('send one JSON object and nothing around it', 'NaN is not JSON: use null or a number')
    """
    text = text.strip()
    if len(text) > MOST_CHARS or "\ufeff" in text[:1]:
        return None
    if not text.startswith(("{", "[", '"')):
        return AROUND if re.search(r"[({]", text) or text[:1].isalpha() else None
    outside = re.sub(_STRING, '""', text)
    if match := _NOT_A_NUMBER.search(outside):
        return f"{match[1]} is not JSON: use null or a number"
    breaks = (line[1] for line in _LINE.finditer(text) if line[1])
    if (first := next(breaks, None)) is not None:
        return f"write {_BREAKS[first]}"
    return _describe_rest(text)


def _describe_rest(text: str) -> str | None:
    """Describe the text after one whole object."""
    end = _end_of_object(text)
    if end is None or end == len(text):
        return None
    try:
        jsontext.read(text[:end])
    except jsontext.JsonSyntaxError:
        return None
    return SEVERAL if text[end:].lstrip(" \n\r\t,;").startswith("{") else AROUND


def _end_of_object(text: str) -> int | None:
    """Find where the brackets that a text begins with are closed."""
    depth = 0
    for token in re.finditer(rf"{_STRING}|[{{}}\[\]]", text):
        depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(token[0], 0)
        if depth == 0:
            return token.end()
    return None
