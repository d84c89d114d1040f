"""The rules of the coercion table: readings of a refused value as another type.

Each rule is exact: it reads the value in another notation, and never rounds, completes or chooses.
The schema decides which reading is right.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from math import isfinite
from typing import Any, TypeAlias

from toolhaft.call.types import Rule
from toolhaft.jsonio import jsontext
from toolhaft.jsonio.literals import LiteralSyntaxError, read_literal
from toolhaft.jsonio.plaindata import MAX_DEPTH

__all__ = [
    "Reading",
    "ReadingRules",
    "is_plain_word",
    "lenient_rules",
    "safe_rules",
]

# A value, and the rule that reads it.
Reading: TypeAlias = tuple[Any, Rule]
# Readings group by group: a later group counts only if no reading of an earlier one is accepted.
ReadingRules: TypeAlias = Callable[..., Sequence[Sequence[Reading]]]


_INTEGER = re.compile(r"(-?(?:0|[1-9][0-9]{0,4299}))(?:\.0+)?")
_NUMBER = re.compile(r"(-?(?:0|[1-9][0-9]{0,4299}))(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_BOOLEANS = {"true": True, "false": False}
# First characters of a container or a quoted item.
_OPENINGS = frozenset("[{('\" \t\r\n")
# First characters of any of them.
_STARTS = frozenset({*_OPENINGS, *"-0123456789"})
_WORD = re.compile(r"[^][{}()\"']+")


def is_plain_word(text: str) -> bool:
    """Whether text is no other notation of a number, a boolean or a container: most wrong text is.

    >>> is_plain_word("soon"), is_plain_word("7"), is_plain_word("FALSE"), is_plain_word("a, b")
    (True, False, False, False)
    """
    return text[:1] not in _STARTS and "," not in text and text.lower() not in _BOOLEANS


def safe_rules(
    value: Any,
    names: frozenset[str],
    constants: Sequence[Any] = (),
    depth: int = MAX_DEPTH,
    *,
    decimals: bool = False,
) -> Sequence[Sequence[Reading]]:
    """Read text as one of the JSON types or constants, where it spells exactly that.

    A container has at most `depth` levels; with `decimals`, its numbers keep the digits written.

    >>> safe_rules("5.0", frozenset({"integer"}))
    [[(5, 'number_text')]]
    """
    if not isinstance(value, str):
        return ()
    readings: list[Reading] = []
    if "number" in names or "integer" in names:
        readings += _read_number(value, fractions="number" in names)
    if "boolean" in names and value.lower() in _BOOLEANS and value.isascii():
        readings.append((_BOOLEANS[value.lower()], "boolean_text"))
    if "array" in names or "object" in names:
        readings += _read_container(value, depth, bare="array" in names, decimals=decimals)
    if constants:
        readings += _read_member(value, constants)
    return [readings]


def lenient_rules(
    value: Any, names: frozenset[str], *_: Any, **__: Any
) -> Sequence[Sequence[Reading]]:
    """Read a scalar as null or as a list.

    >>> lenient_rules("a, b", frozenset({"array"}))
    [[(['a', 'b'], 'comma_list')], [(['a, b'], 'scalar_to_list')]]
    """
    groups: list[Sequence[Reading]] = []
    if "null" in names and value == "None":
        groups.append([(None, "none_text")])
    if "array" in names and value not in (None, ""):
        if isinstance(value, str):
            groups.append(_read_comma_list(value))
        groups.append([([value], "scalar_to_list")])
    return groups


def _read_comma_list(text: str) -> Sequence[Reading]:
    """Read bare words between commas."""
    words = [word.strip() for word in text.split(",")]
    are_bare = len(words) > 1 and all(_WORD.fullmatch(word) for word in words)
    return [(words, "comma_list")] if are_bare else []


def _read_number(text: str, *, fractions: bool) -> Sequence[Reading]:
    """Read a number as JSON writes it; for an integer without an exponent."""
    if not fractions:
        whole = _INTEGER.fullmatch(text)
        return [(int(whole[1]), "number_text")] if whole else []
    number = _NUMBER.fullmatch(text)
    if number is None:
        return []
    if number[1] == text:
        return [(int(text), "number_text")]
    value = float(text)
    return [(value, "number_text")] if isfinite(value) and _is_exact(text, value) else []


def _is_exact(text: str, value: float) -> bool:
    """Whether a float keeps every digit of the text, by its shortest form."""
    if text == repr(value):
        return True
    from decimal import Decimal

    try:
        return Decimal(text) == Decimal(repr(value))
    except ArithmeticError:  # an exponent that no number can have
        return False


def _read_container(text: str, depth: int, *, bare: bool, decimals: bool) -> Sequence[Reading]:
    """Read JSON text, or else a Python literal, of an array or object."""
    if text[:1] not in _OPENINGS and "," not in text:
        return []
    if not decimals and jsontext.may_round(text):
        readings = _read_container(text, depth, bare=bare, decimals=True)
        return [(jsontext.to_floats(value), rule) for value, rule in readings]
    if "'" not in text or '"' in text:  # else there is text in it that JSON writes otherwise
        try:
            value = jsontext.read(text, max_depth=depth, decimals=decimals)
        except jsontext.JsonSyntaxError as fault:
            if fault.truncated:
                return []
        else:
            return [(value, "json_text")] if isinstance(value, dict | list) else []
    try:
        value = read_literal(text, bare=bare, max_depth=depth, decimals=decimals)
    except LiteralSyntaxError:
        return []
    return [(value, "python_literal")]


def _read_member(text: str, constants: Sequence[Any]) -> Sequence[Reading]:
    """Find the only member that is the same text but for case."""
    folded = text.casefold()
    members = {
        member for member in constants if type(member) is str and member.casefold() == folded
    }
    return [(members.pop(), "enum_case")] if len(members) == 1 else []
