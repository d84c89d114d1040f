r"""Text that a regular expression accepts: the part of ECMA-262 that schemas use.

It reads alternatives, groups, classes, escapes, `\p{...}` of letters and digits, and quantifiers. A
lookaround is skipped, so a text may not satisfy it; the caller checks. A back reference or unknown
syntax raises `Unreadable`.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Final, NoReturn, TypeAlias

__all__ = ["Unreadable", "texts_for"]

Draw: TypeAlias = Callable[[Random], str]

DIGITS: Final = "0123456789"
LOWER: Final = "abcdefghijklmnopqrstuvwxyz"
LETTERS: Final = LOWER + LOWER.upper()
WORD: Final = LETTERS + DIGITS + "_"
SPACES: Final = " \t\n"
PRINTABLE: Final = "".join(map(chr, range(0x20, 0x7F)))
ANYTHING: Final = PRINTABLE + "é日😀"
CLASSES: Final = {"d": DIGITS, "w": WORD, "s": SPACES}
CONTROLS: Final = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "v": "\v", "0": "\0"}
PROPERTIES: Final = {
    "L": LETTERS + "éß日",
    "Letter": LETTERS + "éß日",
    "Ll": LOWER + "éß",
    "Lu": LOWER.upper() + "É",
    "N": DIGITS,
    "Nd": DIGITS,
}
# How often an open quantifier repeats beyond its least.
FURTHER: Final = 4


class Unreadable(ValueError):
    """A pattern that no text can be made for."""


def texts_for(pattern: str) -> Draw:
    """Return a source of texts for a pattern.

    Raises:
            Unreadable: The pattern has syntax that is not supported here.

    >>> texts_for("^[A-C]{2}-[0-9]+$")(Random(1))
    'BA-7763'
    """
    parser = _PatternParser(pattern)
    draw = parser.alternatives()
    if parser.has_more():
        parser.fail()
    return draw


class _PatternParser:
    """One pass over a pattern."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.at = 0

    def has_more(self) -> bool:
        return self.at < len(self.pattern)

    def fail(self) -> NoReturn:
        raise Unreadable(f"at character {self.at + 1}")

    def next(self) -> str:
        if not self.has_more():
            self.fail()
        self.at += 1
        return self.pattern[self.at - 1]

    def take(self, text: str) -> bool:
        """Go past a text where it stands next."""
        is_next = self.pattern.startswith(text, self.at)
        self.at += len(text) if is_next else 0
        return is_next

    def until(self, mark: str) -> str:
        end = self.pattern.find(mark, self.at)
        if end < 0:
            self.fail()
        text, self.at = self.pattern[self.at : end], end + 1
        return text

    def alternatives(self) -> Draw:
        branches = [self.sequence()]
        while self.take("|"):
            branches.append(self.sequence())
        return lambda random: random.choice(branches)(random)

    def sequence(self) -> Draw:
        parts: list[Draw] = []
        while self.has_more() and self.pattern[self.at] not in "|)":
            parts.append(self.repeated(self.atom()))
        return lambda random: "".join(part(random) for part in parts)

    def repeated(self, part: Draw) -> Draw:
        if self.take("*"):
            least, most = 0, FURTHER
        elif self.take("+"):
            least, most = 1, FURTHER
        elif self.take("?"):
            least, most = 0, 1
        elif self.take("{"):
            low, comma, high = self.until("}").partition(",")
            least = self.number(low)
            most = self.number(high) if high else least + (FURTHER if comma else 0)
        else:
            return part
        self.take("?")  # lazy or not, the same texts
        return lambda random: "".join(part(random) for _ in range(random.randint(least, most)))

    def number(self, text: str) -> int:
        if not text.isdecimal():
            self.fail()
        return int(text)

    def atom(self) -> Draw:
        char = self.next()
        if char == "(":
            return self.group()
        if char in "^$":
            return lambda _: ""
        if char == "[":
            return _one_of(self.characters_in_class())
        if char == ".":
            return _one_of(ANYTHING)
        if char == "\\":
            return self.escape()
        if char in "*+?{":
            self.fail()
        return lambda _: char

    def group(self) -> Draw:
        is_lookaround = any(map(self.take, ("?=", "?!", "?<=", "?<!")))
        if not is_lookaround and not self.take("?:") and self.take("?"):
            self.take("P")
            if not self.take("<"):
                self.fail()
            self.until(">")
        inner = self.alternatives()
        if self.next() != ")":
            self.fail()
        return (lambda _: "") if is_lookaround else inner

    def escape(self) -> Draw:
        if self.take("b") or self.take("B"):
            return lambda _: ""
        return _one_of(self.escaped())

    def escaped(self) -> str:
        """Return the characters of an escape."""
        char = self.next()
        if char in CLASSES:
            return CLASSES[char]
        if char in "DWS":
            return _others(CLASSES[char.lower()])
        if char in "pP":
            return self.property(negated=char == "P")
        if char in "ux":
            digits = self.until("}") if self.take("{") else self.cut(4 if char == "u" else 2)
            return chr(int(digits, 16))
        if char in DIGITS[1:] or char == "k":
            self.fail()
        return CONTROLS.get(char, char)

    def cut(self, size: int) -> str:
        return "".join(self.next() for _ in range(size))

    def property(self, *, negated: bool) -> str:
        if not self.take("{"):
            self.fail()
        prop = PROPERTIES.get(self.until("}").removeprefix("General_Category="))
        if prop is None:
            self.fail()
        return _others(prop) if negated else prop

    def characters_in_class(self) -> str:
        """Return the characters of a class in brackets."""
        negated = self.take("^")
        characters = ""
        while not self.take("]"):
            first = self.member()
            if len(first) == 1 and self.take("-"):
                if self.take("]"):
                    characters += first + "-"
                    break
                last = self.member()
                characters += "".join(map(chr, range(ord(first), ord(last) + 1)))
            else:
                characters += first
        return _others(characters) if negated else characters

    def member(self) -> str:
        char = self.next()
        return self.escaped() if char == "\\" else char


def _others(chars: str) -> str:
    return "".join(char for char in ANYTHING if char not in chars)


def _one_of(chars: str) -> Draw:
    if not chars:
        raise Unreadable("a class without characters")
    return lambda random: random.choice(chars)
