"""The rules of the coercion table: readings of a refused value as another type.

Each rule is exact: it reads the value in another notation, and never rounds, completes or chooses.
The schema decides which reading is right.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

from toolhaft.jsonio import jsontext
from toolhaft.jsonio.literals import LiteralSyntaxError, read_literal
from toolhaft.jsonio.plaindata import MAX_DEPTH

__all__ = [
    "Reading",
    "ReadingRules",
    "WantedTypes",
    "has_no_reading",
    "lenient_rules",
    "safe_rules",
]

# A value, and the rule that reads it.
Reading: TypeAlias = tuple[Any, str]
# Readings group by group: a later group counts only if no reading of an earlier one is accepted.
ReadingRules: TypeAlias = "Callable[[Any, WantedTypes], Iterator[Iterable[Reading]]]"


class WantedTypes(NamedTuple):
    """The types that a schema asks for: JSON types, constants, and how deep a container may be.

    With `decimals`, numbers in a container keep the digits that are written.
    """

    names: frozenset[str]
    constants: Sequence[Any] = ()
    depth: int = MAX_DEPTH
    decimals: bool = False


_INTEGER = re.compile(r"(-?(?:0|[1-9][0-9]{0,4299}))(?:\.0+)?")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_BOOLEANS = {"true": True, "false": False}
# First characters of a container or a quoted item (or of empty text), and of a number.
_OPENINGS = frozenset({"", *"[{('\" \t\r\n"})
_NUMERIC = "-0123456789"
_WORD = re.compile(r"[^][{}()\"']+")


def has_no_reading(text: str) -> bool:
    """Whether no rule could read a text as another type: true of most wrong texts.

    >>> has_no_reading("soon"), has_no_reading("7"), has_no_reading("FALSE"), has_no_reading("")
    (True, False, False, False)
    """
    first = text[:1]
    if "," in text or text.lower() in _BOOLEANS:
        return False
    if first in _NUMERIC and first:
        return _NUMBER.fullmatch(text) is None
    return first not in _OPENINGS


def safe_rules(value: Any, wanted: WantedTypes) -> Iterator[Iterable[Reading]]:
    """Read text as a wanted type, where it spells exactly that.

    >>> [list(group) for group in safe_rules("5.0", WantedTypes(frozenset({"integer"})))]
    [[(5, 'number_text')]]
    """
    if isinstance(value, str):
        yield _read_as_wanted(value, wanted)


def lenient_rules(value: Any, wanted: WantedTypes) -> Iterator[Iterable[Reading]]:
    """Read a scalar as null or as a list.

    >>> [list(group) for group in lenient_rules("a, b", WantedTypes(frozenset({"array"})))]
    [[(['a', 'b'], 'comma_list')], [(['a, b'], 'scalar_to_list')]]
    """
    if "null" in wanted.names and value == "None":
        yield [(None, "none_text")]
    if "array" in wanted.names and value not in (None, ""):
        if isinstance(value, str):
            yield _read_comma_list(value)
        yield [([value], "scalar_to_list")]


def _read_as_wanted(text: str, wanted: WantedTypes) -> Iterator[Reading]:
    names, constants, depth, decimals = wanted
    if "number" in names or "integer" in names:
        yield from _read_number(text, fractions="number" in names)
    if "boolean" in names and text.isascii() and text.lower() in _BOOLEANS:
        yield _BOOLEANS[text.lower()], "boolean_text"
    if "array" in names or "object" in names:
        yield from _read_container(text, depth, bare="array" in names, decimals=decimals)
    yield from _read_member(text, constants)


def _read_comma_list(text: str) -> Iterator[Reading]:
    """Read bare words between commas."""
    words = [word.strip() for word in text.split(",")]
    if len(words) > 1 and all(_WORD.fullmatch(word) for word in words):
        yield words, "comma_list"


def _read_number(text: str, *, fractions: bool) -> Iterator[Reading]:
    """Read a number as JSON writes it; for an integer without an exponent."""
    if not fractions:
        whole = _INTEGER.fullmatch(text)
        if whole:
            yield int(whole[1]), "number_text"
    elif _NUMBER.fullmatch(text):
        try:
            value = jsontext.read(text)
        except jsontext.JsonSyntaxError:  # it overflows
            return
        if type(value) is int or _is_exact(text, value):
            yield value, "number_text"


def _is_exact(text: str, value: float) -> bool:
    """Whether a float keeps every digit of the text, by its shortest form."""
    from decimal import Decimal

    try:
        return Decimal(text) == Decimal(repr(value))
    except ArithmeticError:  # an exponent that no number can have
        return False


def _read_container(text: str, depth: int, *, bare: bool, decimals: bool) -> Iterator[Reading]:
    """Read JSON text, or else a Python literal, of an array or object."""
    try:
        value = jsontext.read(text, max_depth=depth, decimals=decimals)
    except jsontext.JsonSyntaxError as fault:
        if fault.truncated:
            return
    else:
        if isinstance(value, dict | list):
            yield value, "json_text"
        return
    try:
        value = read_literal(text, bare=bare, max_depth=depth, decimals=decimals)
    except LiteralSyntaxError:
        return
    yield value, "python_literal"


def _read_member(text: str, constants: Sequence[Any]) -> Iterator[Reading]:
    """Find the only member that is the same text but for case."""
    folded = text.casefold()
    members = {
        member for member in constants if type(member) is str and member.casefold() == folded
    }
    if len(members) == 1:
        yield members.pop(), "enum_case"
