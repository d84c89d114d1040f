"""Find the calls in a model's text: JSON objects with a name and arguments, prose around them.

An envelope is `{"name": ..., "arguments": {...}}`, alone, in a list, in a code fence, or between
tags; what models write for `arguments` is read under the rules that hold for all arguments. An
object without a name is prose.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from toolhaft import jsontext
from toolhaft.call.literal import LiteralFault, read_literal

__all__ = ["Envelope", "envelopes"]

ARGUMENTS: Final = ("arguments", "parameters")
MOST_CHARS: Final = 1 << 20
# The smallest step over text in a JSON or Python string, quotes included; or to its end.
_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*(?:"|\Z)', re.DOTALL)
_BRACKET: Final = re.compile(r'[{}\[\]"]')
_NAME: Final = re.compile(r"""\{\s*["']name["']\s*:\s*["']([^"'\\]{1,200})["']""")
_BODY: Final = re.compile(r"""["'](?:arguments|parameters)["']\s*:\s*""")


class Envelope(NamedTuple):
    """A call in a text: where it begins, whom it calls, and the arguments as they came."""

    start: int
    name: str
    arguments: Any


def envelopes(text: str) -> Iterator[Envelope]:
    """Find the calls of a text in its order; one that cannot be read keeps its raw arguments.

    >>> [call.name for call in envelopes('I look: {"name": "find", "arguments": {"n": 1}} {}')]
    ['find']
    """
    at = 0
    while (start := _next(text, at)) >= 0:
        end = _end(text, start)
        found = list(_calls(text[start:end], start))
        yield from found
        # What is no envelope is prose, and may hold one.
        at = end if found else start + 1


def _next(text: str, at: int) -> int:
    """The next place where an envelope or a list of them can begin."""
    found = re.compile(r"""\[\s*\{|\{\s*["']""").search(text[:MOST_CHARS], at)
    return found.start() if found else -1


def _end(text: str, start: int) -> int:
    """The end of the brackets that open at a place; the end of the text if they stay open."""
    depth, at = 0, start
    while (found := _BRACKET.search(text, at)) is not None:
        at = found.end()
        if found[0] == '"':
            string = _STRING.match(text, found.start())
            at = string.end() if string else at
        else:
            depth += 1 if found[0] in "{[" else -1
            if depth == 0:
                return at
    return len(text)


def _calls(text: str, start: int) -> Iterator[Envelope]:
    """The calls of one piece of text that is all brackets."""
    data = _read(text)
    if data is None:
        named, body = _NAME.match(text), _BODY.search(text)
        if named and body:
            yield Envelope(start, named[1], _raw(text[body.end() :]))
        return
    for one in data if isinstance(data, list) else [data]:
        if isinstance(one, dict) and isinstance(one.get("name"), str):
            arguments = next((one[key] for key in ARGUMENTS if key in one), None)
            if arguments is not None or len(one) == 1:
                yield Envelope(start, one["name"], arguments)


def _read(text: str) -> Any:
    """JSON, or a Python literal; None for neither."""
    try:
        return jsontext.read(text)
    except jsontext.JsonFault:
        pass
    try:
        return read_literal(text)
    except LiteralFault:
        return None


def _raw(text: str) -> str:
    """The arguments of an envelope that cannot be read, without the envelope's own bracket."""
    end = _end(text, 0) if text[:1] in ("{", "[") else len(text)
    return text[:end]
