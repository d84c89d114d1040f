r"""Python literals that models write instead of JSON, read without evaluating anything.

The grammar is the part of Python's that has a meaning in JSON: dicts with text keys, lists,
tuples (which become lists), strings in single or double quotes, True, False, None, and numbers as
JSON writes them. Strings take the escapes that `repr` writes: `\\ \' \" \n \r \t \xNN \uNNNN
\UNNNNNNNN`. No comments, prefixes, joined or triple-quoted strings, sets, or brackets around a
single value.
"""

from __future__ import annotations

import re
from decimal import Decimal
from string import hexdigits
from typing import Any

from toolhaft.jsonio import jsontext

__all__ = ["LiteralSyntaxError", "read_literal"]

MAX_BYTES = 64 << 10
MAX_DEPTH = 32

_SPACE = re.compile(r"[ \t\n\r\f]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_CUT_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)?(?:\.[0-9]*)?(?:[eE][+-]?)?\Z")
_WORD = re.compile(r"[A-Za-z]*")
_PLAIN = re.compile(r"[^'\"\\\n\r\0]*")
_WORDS = {"True": True, "False": False, "None": None}
_NAMED = re.compile(r"[A-Za-z]{2,}")
_JSON_NAMES = {"True": "true", "False": "false", "None": "null"}
_ESCAPES = {"\\": "\\", "'": "'", '"': '"', "n": "\n", "r": "\r", "t": "\t"}
_CODES = {"x": 2, "u": 4, "U": 8}
_MAX_DIGITS = 4300  # as for integers in JSON text
_INFINITE = (float("inf"), float("-inf"))
_SCALARS = (int, float, Decimal, str)


class LiteralSyntaxError(ValueError):
    """Text that is not such a literal; `truncated` says that it is right but merely stops."""

    def __init__(self, message: str, truncated: bool = False) -> None:
        super().__init__(message)
        self.message = message
        self.truncated = truncated


def read_literal(
    text: str,
    *,
    bare: bool = False,
    max_bytes: int = MAX_BYTES,
    max_depth: int = MAX_DEPTH,
    decimals: bool = False,
) -> Any:
    """Read a Python dict, list or tuple as JSON data; raises `LiteralSyntaxError`.

    `bare` also takes a tuple without brackets, of two or more numbers or strings. With `decimals`,
    a number with a fraction or an exponent is a Decimal with the digits written.

    >>> read_literal("{'tags': ('a', 'b'), 'on': True}")
    {'tags': ['a', 'b'], 'on': True}
    >>> read_literal("1, 2", bare=True)
    [1, 2]
    """
    try:
        if len(text.encode()) > max_bytes:
            raise LiteralSyntaxError(f"literal longer than {max_bytes} bytes")
    except UnicodeEncodeError:
        raise LiteralSyntaxError("lone surrogate in a literal") from None
    if (as_json := _to_json(text)) is not None:
        try:
            value = jsontext.read(as_json, max_depth=max_depth, decimals=decimals)
        except jsontext.JsonSyntaxError:
            pass  # what is read next finds the fault, or what JSON writes otherwise
        else:
            return value
    reader = _Reader(text, max_depth, Decimal if decimals else float)
    value = reader.value(0)
    if bare and reader.take(","):
        value = reader.bare(value)
    elif not isinstance(value, dict | list):
        raise LiteralSyntaxError("expected a dict, list or tuple")
    if reader.peek():
        raise reader.fault("unexpected text after the end")
    return value


def _to_json(text: str) -> str | None:
    """Write a literal of texts in single quotes as JSON; None if it needs the whole reader.

    Its containers, numbers and constants are JSON's except for the names of three constants. Nearly
    all literals of models are like this, and JSON is read in a tenth of the time.
    """
    if not text.startswith(("{", "[")) or '"' in text or "\\" in text:
        return None
    pieces = text.split("'")
    for place in range(0, len(pieces), 2):  # the text between the strings
        if _NAMED.search(pieces[place]):
            pieces[place] = _NAMED.sub(_constant, pieces[place])
    return '"'.join(pieces)


def _constant(name: re.Match[str]) -> str:
    """Write the name of a constant as JSON does; no other name is one in JSON or in Python."""
    return _JSON_NAMES.get(name[0], "?")


class _Reader:
    """A recursive descent over the text; its depth is bounded before each descent."""

    def __init__(self, text: str, max_depth: int, fraction: type[float | Decimal]) -> None:
        self.text = text
        self.at = 0
        self.max_depth = max_depth
        self.fraction = fraction

    def fault(self, words: str, *, cut: bool = False) -> LiteralSyntaxError:
        """Describe a fault here; at the end of the text it is only that the text stops."""
        line = self.text.count("\n", 0, self.at) + 1
        column = self.at - self.text.rfind("\n", 0, self.at)
        message = f"not a Python literal: {words} at line {line} column {column}"
        return LiteralSyntaxError(message, cut or self.at >= len(self.text))

    def match(self, pattern: re.Pattern[str]) -> str:
        matched = pattern.match(self.text, self.at)
        if not matched:
            return ""
        self.at = matched.end()
        return matched.group()

    def peek(self) -> str:
        """Pass over white space, and give the next character or nothing."""
        self.match(_SPACE)
        return self.text[self.at : self.at + 1]

    def take(self, character: str) -> bool:
        """Pass over one character if it comes next."""
        if self.peek() != character:
            return False
        self.at += 1
        return True

    def value(self, depth: int) -> Any:
        first = self.peek()
        if first in ("'", '"'):
            return self.string()
        if first in ("{", "[", "("):
            if depth >= self.max_depth:
                raise LiteralSyntaxError(f"nested deeper than {self.max_depth} levels")
            self.at += 1
            if first == "{":
                return self.members(depth + 1)
            return self.items("]" if first == "[" else ")", depth + 1)
        return self.number() if first == "-" or first.isdecimal() else self.word()

    def members(self, depth: int) -> dict[str, Any]:
        pairs: dict[str, Any] = {}
        more = True
        while not self.take("}"):
            if not more:
                raise self.fault("expected a comma or }")
            if self.peek() not in ("'", '"'):
                raise self.fault("expected a key in quotes")
            key = self.string()
            if key in pairs:
                raise LiteralSyntaxError("key written twice")
            if not self.take(":"):
                raise self.fault("expected a colon")
            pairs[key] = self.value(depth)
            more = self.take(",")
        return pairs

    def items(self, closing: str, depth: int) -> list[Any]:
        values: list[Any] = []
        more = True
        while not self.take(closing):
            if not more:
                raise self.fault(f"expected a comma or {closing}")
            values.append(self.value(depth))
            more = self.take(",")
        if closing == ")" and len(values) == 1 and not more:
            raise LiteralSyntaxError("not a Python literal: brackets around a single value")
        return values

    def bare(self, first: Any) -> list[Any]:
        """Read on after the first comma of a tuple without brackets."""
        items = [first]
        while self.peek():
            items.append(self.value(0))
            if not self.take(","):
                break
        if len(items) == 1 or any(type(item) not in _SCALARS for item in items):
            raise LiteralSyntaxError("a bare tuple holds two or more numbers or strings")
        return items

    def word(self) -> Any:
        start = self.at
        word = self.match(_WORD)
        if word in _WORDS:
            return _WORDS[word]
        cut = self.at >= len(self.text) and any(literal.startswith(word) for literal in _WORDS)
        self.at = start
        raise self.fault("expected a value", cut=cut)

    def number(self) -> float | Decimal:
        if _CUT_NUMBER.match(self.text, self.at) and not _NUMBER.fullmatch(self.text, self.at):
            raise self.fault("expected a number", cut=True)
        text = self.match(_NUMBER)
        if not text:
            raise self.fault("expected a number")
        if text.lstrip("-").isdecimal():
            if len(text) > _MAX_DIGITS:
                raise LiteralSyntaxError("number too large")
            return int(text)
        try:
            value = self.fraction(text)
        except ArithmeticError:  # an exponent that no Decimal has
            value = _INFINITE[0]
        if value in _INFINITE:
            raise LiteralSyntaxError("number too large")
        return value

    def string(self) -> str:
        quote = self.text[self.at]
        self.at += 1
        parts: list[str] = []
        while True:
            parts.append(self.match(_PLAIN))
            char = self.text[self.at : self.at + 1]
            if not char or char in "\n\r\0":
                raise self.fault("expected the end of a string")
            self.at += 1
            if char == quote:
                return "".join(parts)
            parts.append(self.escape() if char == "\\" else char)

    def escape(self) -> str:
        letter = self.text[self.at : self.at + 1]
        if letter in _ESCAPES:
            self.at += 1
            return _ESCAPES[letter]
        size = _CODES.get(letter)
        if size is None:
            raise self.fault("unknown escape in a string")
        digits = self.text[self.at + 1 : self.at + 1 + size]
        valid = len(digits) - len(digits.lstrip(hexdigits))
        self.at += 1 + valid
        if valid < size:
            raise self.fault("expected hexadecimal digits")
        try:
            char = chr(int(digits, 16))
            char.encode()
        except (ValueError, OverflowError):
            raise LiteralSyntaxError("not a character, or a lone surrogate, in a literal") from None
        return char
