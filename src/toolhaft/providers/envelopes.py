"""Find the calls in a model's text: JSON objects with a name and arguments, prose around them.

An envelope is `{"name": ..., "arguments": {...}}`, alone, in a list, inside other JSON, in a code
fence, or between tags; `arguments` are read under the same rules as all arguments. If no text is
around it, the name alone is enough. An object without a name is prose, and so is an object quoted
in a string.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from toolhaft.errors import WireError
from toolhaft.jsonio import jsontext
from toolhaft.jsonio.literals import LiteralSyntaxError, read_literal
from toolhaft.jsonio.plaindata import MAX_DEPTH

__all__ = ["Envelope", "envelopes"]

ARGUMENTS: Final = ("arguments", "parameters")
MOST_CHARS: Final = 1 << 20
# Characters examined in all, over brackets that cannot be read and their content: one answer of the
# greatest length four times, in about a second.
MOST_WORK: Final = 4 * MOST_CHARS
# A bracket, or a whole string; the end of the text ends one too.
_JSON: Final = re.compile(r'[{}\[\]]|"(?:[^"\\]|\\.)*(?:"|\Z)', re.DOTALL)
_PYTHON: Final = re.compile(_JSON.pattern + r"|'(?:[^'\\]|\\.)*(?:'|\Z)", re.DOTALL)
_IN_PYTHON: Final = re.compile(r"\[?\s*\{\s*'")
# Where an envelope, or other JSON that may hold one, can begin.
_BEGIN: Final = re.compile(r"""\[\s*\{|\{\s*["']""")
_NAME: Final = re.compile(r"""\{\s*["']name["']\s*:\s*["']([^"'\\]{1,200})["']""")
_BODY: Final = re.compile(r"""["'](?:arguments|parameters)["']\s*:\s*""")
_NAMELESS: Final = re.compile(r"""\{\s*["'](?:arguments|parameters)["']""")

UNREAD: Final = object()


class Envelope(NamedTuple):
    """A call in a text: where it begins, whom it calls, and the arguments as they came."""

    start: int
    name: str
    arguments: Any


def envelopes(text: str) -> Iterator[Envelope]:
    """Find the calls of a text in its order; one that cannot be read keeps its raw arguments.

    Raises:
        WireError: The text is too long, or has more open brackets than can be looked through.

    >>> [call.name for call in envelopes('I look: {"name": "find", "arguments": {"n": 1}} {}')]
    ['find']
    """
    if len(text) > MOST_CHARS:
        raise WireError("text", "text", f"longer than {MOST_CHARS} characters")
    at = work = 0
    while (match := _BEGIN.search(text, at)) is not None:
        start = match.start()
        end, closed = _find_end(text, start)
        work += end - start
        if work > MOST_WORK:
            raise WireError("text", f"character {start}", "too many brackets that are not closed")
        piece = text[start:end]
        data = _read(piece)
        if data is not UNREAD:
            yield from (Envelope(start, *call_fields) for call_fields in _find_in(data, alone=True))
            at = end
            continue
        call = _unread_call(piece, start, closed=closed)
        if call is not None:
            yield call
        # An object that is not an envelope is prose and may contain one; arguments without a name
        # may not.
        at = end if call is not None or _NAMELESS.match(piece) else start + 1


def _find_end(text: str, start: int) -> tuple[int, bool]:
    """Return the end of the brackets that open at a place, and whether they are closed."""
    depth, brackets = 0, _PYTHON if _IN_PYTHON.match(text, start) else _JSON
    for match in brackets.finditer(text, start):
        if match[0] in ("{", "["):
            depth += 1
        elif match[0] in ("}", "]"):
            depth -= 1
            if depth == 0:
                return match.end(), True
    return len(text), False


def _find_in(data: Any, *, alone: bool = False) -> Iterator[tuple[str, Any]]:
    """Find the calls in JSON data, at any depth, but not in the arguments of another."""
    if isinstance(data, list):
        for item in data:
            yield from _find_in(item, alone=alone)
    elif isinstance(data, dict):
        arguments_key = next((key for key in ARGUMENTS if key in data), None)
        is_name_alone = alone and len(data) == 1
        if isinstance(data.get("name"), str) and (arguments_key is not None or is_name_alone):
            yield data["name"], None if arguments_key is None else data[arguments_key]
        else:
            for item in data.values():
                yield from _find_in(item)


def _unread_call(text: str, start: int, *, closed: bool) -> Envelope | None:
    """Read the name of an envelope that is neither JSON nor a Python literal.

    Its arguments are the raw text. If they alone could be read, the error is in the text around
    them, so the arguments are the whole text: an envelope that cannot be read never runs.
    """
    name_match, body_match = _NAME.match(text), _BODY.search(text)
    if not (name_match and body_match):
        return None
    raw = text[body_match.end() : -1 if closed else None].strip()
    bracketed = raw[: _find_end(raw, 0)[0]] if raw[:1] in ("{", "[") else raw
    is_readable = not bracketed or _read(bracketed) is not UNREAD
    return Envelope(start, name_match[1], text if is_readable else bracketed)


def _read(text: str) -> Any:
    """JSON, or a Python literal, or neither; the arguments alone are held to their own depth."""
    try:
        return jsontext.read(text, max_depth=2 * MAX_DEPTH)
    except jsontext.JsonSyntaxError:
        pass
    try:
        return read_literal(text)
    except LiteralSyntaxError:
        return UNREAD
