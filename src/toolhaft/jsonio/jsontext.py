"""JSON text to data and back: a strict reader on jiter, and a compact writer on pydantic-core.

The reader refuses what RFC 8259 leaves open or forbids and what other readers let through: keys
written twice, NaN and infinities, numbers that overflow, lone surrogates, a byte order mark, bytes
that are not UTF-8, deep nesting and long text. It never repairs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise, starmap
from typing import Any

from toolhaft.jsonio.key_paths import path_of_key
from toolhaft.jsonio.primitives import write_plain
from toolhaft.spec import Path

__all__ = [
    "MAX_BYTES",
    "MAX_DEPTH",
    "JsonSyntaxError",
    "may_round",
    "read",
    "read_partial",
    "read_scanned",
    "read_unbounded",
    "to_floats",
    "write",
    "write_exact",
]

MAX_BYTES = 1 << 20
MAX_DEPTH = 32

# A text's outline: in it one substring each stands for an exponent that is not small, for a long
# number and for an opening bracket. A float overflows at 10^309 (IEEE 754, binary64): with three
# digits in the exponent, or with more than 200 before it.
_OUTLINE = bytes.maketrans(b"123456789+E{", b"0000000000e[")
_EXPONENT = "0e000"
_LONG_NUMBER = "0" * 32
_OVERFLOW_DIGITS = 200
_OPENING = "["

# A float can be a whole number although the text is not: with 17 digits, or if nothing is left of
# it (IEEE 754, binary64). From 2^53 on it does not determine which integer was meant (RFC 8259, 6).
_EXACT = 1 << 53
_ROUNDED_DIGITS = 16
_ROUNDED = r"[eE]-\d{3}"
_DIGITS = "0123456789"

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_LAST_NUMBER = r"[-+.\dEe]+\Z"
_INFINITE = (float("inf"), float("-inf"))

# jiter's words (0.19) to ours. A message that is not here is not passed on: it may quote the text.
_REASONS = {
    "EOF while parsing a string": "not JSON: the text ends inside a string",
    "EOF while parsing a value": "not JSON: the text ends where a value is expected",
    "EOF while parsing an object": "not JSON: the text ends inside an object",
    "EOF while parsing a list": "not JSON: the text ends inside an array",
    "control character (\\u0000-\\u001F) found while parsing a string": (
        "not JSON: unescaped control character in a string"
    ),
    "expected `,` or `]`": "not JSON: expected a comma or ]",
    "expected `,` or `}`": "not JSON: expected a comma or }",
    "expected `:`": "not JSON: expected a colon",
    "expected ident": "not JSON: expected true, false or null",
    "expected value": "not JSON: expected a value",
    "invalid escape": "not JSON: invalid escape in a string",
    "invalid unicode code point": "not UTF-8",
    "invalid number": "not JSON: invalid number",
    "key must be a string": "not JSON: expected a key in double quotes",
    "lone leading surrogate in hex escape": "lone surrogate in a string",
    "number out of range": "number too large",
    "trailing characters": "not JSON: unexpected text after the end",
    "trailing comma": "not JSON: trailing comma",
    "unexpected end of hex escape": "lone surrogate in a string",
}
_JITER_MESSAGE = r"(?s:(.*)) (at line \d+ column \d+)"


class JsonSyntaxError(ValueError):
    """Text that is not strict JSON; `truncated` says that it is right but merely stops.

    The message says what and where (line, and column in bytes), and never quotes the text. `path`
    is that of a key that was written twice, else empty.
    """

    def __init__(self, message: str, truncated: bool = False, path: Path = ()) -> None:
        super().__init__(message)
        self.message = message
        self.truncated = truncated
        self.path = path


def read(
    text: str | bytes,
    *,
    max_bytes: int = MAX_BYTES,
    max_depth: int = MAX_DEPTH,
    decimals: bool = False,
) -> Any:
    """Read strict JSON text; raises `JsonSyntaxError`.

    Integers are exact and have at most 4,300 digits; `max_bytes` counts UTF-8; a `max_depth`
    over 200 is 200, jiter's own limit. With `decimals`, other numbers are Decimals.

    >>> read('{"city": "Paris", "days": 12345678901234567890}')
    {'city': 'Paris', 'days': 12345678901234567890}
    >>> read('{"city": "Par')
    Traceback (most recent call last):
        ...
    toolhaft.jsonio.jsontext.JsonSyntaxError: not JSON: the text ends inside a string at ...
    """
    try:
        data = text.encode() if isinstance(text, str) else text
    except UnicodeEncodeError:
        raise JsonSyntaxError("lone surrogate in the text") from None
    if len(data) > max_bytes:
        raise JsonSyntaxError(f"text longer than {max_bytes} bytes")
    try:
        if decimals:
            value = _from_json(
                data, allow_inf_nan=False, catch_duplicate_keys=True, float_mode="decimal"
            )
        else:
            value = _from_json(data, allow_inf_nan=False, catch_duplicate_keys=True)
    except ValueError as error:
        raise _syntax_fault(str(error), data, max_depth) from None
    # These tests err only towards the exact walk, and a text can be too short for most of them.
    if len(data) <= 2 * max_depth and len(data) < _OVERFLOW_DIGITS:
        plain = text if isinstance(text, str) else data.decode()  # in is faster on str
        if "e" not in plain and "E" not in plain:
            return value
    outline = data.translate(_OUTLINE).decode()  # in and count are faster on str
    if len(data) > 2 * max_depth and outline.count(_OPENING) > max_depth:
        _require_depth(value, max_depth)
    if _EXPONENT in outline or (len(data) > _OVERFLOW_DIGITS and _LONG_NUMBER in outline):
        _require_finite(value)
    return value


def may_round(text: str | bytes) -> bool:
    """Whether the float of some number in a text may be a whole number that was not written.

    >>> may_round('{"n": 5.25}'), may_round('{"n": 4503599627370497.5}'), may_round("[1e-400]")
    (False, True, True)
    """
    if isinstance(text, bytes):
        text = text.decode("latin-1")
    if "." in text and any(starmap(_has_many_digits, pairwise(text.split(".")))):
        return True
    return ("e-" in text or "E-" in text) and re.search(_ROUNDED, text) is not None


def _has_many_digits(before: str, after: str) -> bool:
    """Whether a number has as many digits around its point as no float has."""
    whole = len(before) - len(before.rstrip(_DIGITS))
    return whole + len(after) - len(after.lstrip(_DIGITS)) >= _ROUNDED_DIGITS


def to_floats(value: Any) -> Any:
    """Return data with floats for Decimals, except fractions that would be whole, or infinite.

    >>> to_floats(read("[0.25, 4503599627370497.5]", decimals=True))
    [0.25, Decimal('4503599627370497.5')]
    """
    if type(value) is dict:
        return {key: to_floats(item) for key, item in value.items()}
    if type(value) is list:
        return list(map(to_floats, value))
    if type(value).__name__ != "Decimal":
        return value
    nearest = float(value)
    is_another = nearest.is_integer() and abs(nearest) < _EXACT and nearest != value
    return value if is_another or nearest in _INFINITE else nearest


def read_unbounded(text: str) -> Any:
    """Read strict JSON text whose depth and numbers are bounded by what looks at them next.

    Raises:
        ValueError: It is no strict JSON; `read` says why.

    >>> read_unbounded('{"days": 3}')
    {'days': 3}
    """
    return _from_json(text.encode(), allow_inf_nan=False, catch_duplicate_keys=True)


def read_scanned(text: str) -> Any:
    """Read text that a shape's `fits_text` has accepted, in which no key is written twice.

    To look for such keys again would take as long as all the rest.

    >>> read_scanned('{"days": 3}')
    {'days': 3}
    """
    return _from_json(text.encode(), allow_inf_nan=False)


def read_partial(text: str, *, max_bytes: int = MAX_BYTES) -> Any:
    """Read what is closed of a JSON text that may stop anywhere; raises `JsonSyntaxError`.

    For showing only: a string or number at which the text stops is left out, and of a key that
    is written twice the last counts.

    >>> read_partial('{"city": "Paris", "days": [1, 23')
    {'city': 'Paris', 'days': [1]}
    """
    data = re.sub(_LAST_NUMBER, "", text).encode(errors="replace")
    if len(data) > max_bytes:
        raise JsonSyntaxError(f"text longer than {max_bytes} bytes")
    try:
        return _from_json(data, partial_mode=True)
    except ValueError as error:
        raise _syntax_fault(str(error), data, MAX_DEPTH) from None


def write(data: Any) -> str:
    """Write plain JSON data as compact text: no spaces, keys in order, non-ASCII as it is.

    >>> write({"city": "Zürich", "days": [1, 2.0, None]})
    '{"city":"Zürich","days":[1,2.0,null]}'
    """
    text = write_plain(data)
    return _to_json(data).decode() if text is None else text


def write_exact(data: Any) -> str:
    """Write data that may hold Decimals, each as a number in its own digits.

    >>> from decimal import Decimal
    >>> write_exact({"price": Decimal("12.50"), "days": 3})
    '{"price":12.50,"days":3}'
    """
    if (text := write_plain(data)) is not None:
        return text
    if type(data) is dict:
        members = (f"{write(key)}:{write_exact(item)}" for key, item in data.items())
        return f"{{{','.join(members)}}}"
    if type(data) is list:
        return f"[{','.join(map(write_exact, data))}]"
    return str(data) if type(data).__name__ == "Decimal" else write(data)


def _require_depth(value: Any, max_depth: int) -> None:
    """Refuse depth, level by level: exact, for the texts with many brackets."""
    for depth, _ in enumerate(_levels([value])):
        if depth > max_depth:
            raise _too_deep(max_depth)


def _require_finite(value: Any) -> None:
    """Refuse infinities: exact, for the texts that may hold some."""
    for level in _levels([value]):
        for item in level:
            for child in _parts(item):
                if type(child) is float and child in _INFINITE:
                    raise JsonSyntaxError("number too large")


def _levels(outermost: list[Any]) -> Iterator[list[Any]]:
    """Yield the nested containers, level by level."""
    level: list[Any] = [outermost]
    while level:
        yield level
        level = [
            child
            for item in level
            for child in (item.values() if type(item) is dict else item)
            if type(child) is dict or type(child) is list
        ]


def _parts(item: Any) -> Iterable[Any]:
    return item.values() if type(item) is dict else item


def _too_deep(max_depth: int) -> JsonSyntaxError:
    return JsonSyntaxError(f"nested deeper than {max_depth} levels")


def _syntax_fault(message: str, data: bytes, max_depth: int) -> JsonSyntaxError:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        # A text may be cut inside a character; any other byte that is not UTF-8 is a fault.
        if error.reason != "unexpected end of data":
            return JsonSyntaxError(f"not UTF-8 at byte {error.start + 1}")
    match = re.fullmatch(_JITER_MESSAGE, message)
    words, where = match.groups() if match else (message, "")
    if words.startswith("recursion limit"):
        return _too_deep(max_depth)
    if words.startswith("Detected duplicate key"):
        return JsonSyntaxError(f"key written twice {where}".rstrip(), path=_path_at(data, where))
    if data.startswith(_BYTE_ORDER_MARK):
        reason = "not JSON: starts with a byte order mark"
    else:
        reason = _REASONS.get(words, "not JSON")
    return JsonSyntaxError(f"{reason} {where}".rstrip(), words.startswith("EOF "))


def _path_at(data: bytes, where: str) -> Path:
    """Return the path of the key that ends at a place, as far as jiter names the place."""
    place = re.findall(r"\d+", where)
    steps = path_of_key(data, *map(int, place)) if place else ()
    return tuple([step if isinstance(step, int) else _from_json(step) for step in steps])


def _load_reader(data: bytes, **options: Any) -> Any:
    """Stand in for jiter until the first text comes: importing it costs more than `toolhaft`."""
    global _from_json  # noqa: PLW0603 - a cached look-up would cost every text 40 ns
    from jiter import from_json

    _from_json = from_json
    return from_json(data, **options)


def _load_writer(data: Any) -> bytes:
    """Stand in for pydantic-core's serialiser until the first text is written."""
    global _to_json  # noqa: PLW0603 - as above
    from pydantic_core import to_json

    _to_json = to_json
    return to_json(data)


_from_json: Callable[..., Any] = _load_reader
_to_json: Callable[[Any], bytes] = _load_writer
