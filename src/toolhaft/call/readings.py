"""What a refused value may have been meant to be: the rules of the coercion table, one by one.

Each rule is exact: it reads what is there in another notation, and never rounds, completes or
chooses. Which reading is right is not decided here but by the schema.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

from toolhaft import jsontext
from toolhaft.call.literal import LiteralFault, read_literal
from toolhaft.jsondata import MAX_DEPTH

__all__ = ["Reading", "exactly", "loosely"]

# A value, and the rule that reads it.
Reading: TypeAlias = tuple[Any, str]

_INTEGER = re.compile(r"(-?(?:0|[1-9][0-9]{0,4299}))(?:\.0+)?")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_BOOLEANS = {"true": True, "false": False}
_WORD = re.compile(r"[^][{}()\"']+")


def exactly(
    text: str, names: frozenset[str], constants: Sequence[Any] = (), depth: int = MAX_DEPTH
) -> Iterator[Reading]:
    """Read text as the JSON types and constants that are asked for, where it spells one of them.

    `depth` is how deep a container may be.

    >>> list(exactly("5.0", frozenset({"integer"}))), list(exactly("c", frozenset(), ["C"]))
    ([(5, 'number_text')], [('C', 'enum_case')])
    """
    if "number" in names or "integer" in names:
        yield from _number(text, fractions="number" in names)
    if "boolean" in names and text.isascii() and text.lower() in _BOOLEANS:
        yield _BOOLEANS[text.lower()], "boolean_text"
    if "array" in names or "object" in names:
        yield from _container(text, depth, bare="array" in names)
    yield from _member(text, constants)


def loosely(value: Any, names: frozenset[str]) -> list[Iterator[Reading]]:
    """Read a scalar as a list or as null, group by group: a later one only if no earlier one fits.

    >>> [list(group) for group in loosely("a, b", frozenset({"array"}))]
    [[(['a', 'b'], 'comma_list')], [(['a, b'], 'scalar_to_list')]]
    """
    groups: list[Iterator[Reading]] = []
    if "null" in names and value == "None":
        groups.append(iter([(None, "none_text")]))
    if "array" in names and type(value) in (str, int, float, bool):
        if type(value) is str:
            groups.append(_words(value))
        groups.append(iter([([value], "scalar_to_list")]))
    return groups


def _words(text: str) -> Iterator[Reading]:
    """Read bare words between commas."""
    words = [word.strip() for word in text.split(",")]
    if len(words) > 1 and all(_WORD.fullmatch(word) for word in words):
        yield words, "comma_list"


def _number(text: str, *, fractions: bool) -> Iterator[Reading]:
    if fractions and _NUMBER.fullmatch(text):
        try:
            yield jsontext.read(text), "number_text"
        except jsontext.JsonFault:
            return
    elif not fractions and (whole := _INTEGER.fullmatch(text)):
        yield int(whole[1]), "number_text"


def _container(text: str, depth: int, *, bare: bool) -> Iterator[Reading]:
    """Read JSON text, or else a Python literal, of an array or object."""
    try:
        value = jsontext.read(text, max_depth=depth)
    except jsontext.JsonFault as fault:
        if fault.truncated:
            return
    else:
        if isinstance(value, dict | list):
            yield value, "json_text"
        return
    try:
        yield read_literal(text, bare=bare, max_depth=depth), "python_literal"
    except LiteralFault:
        return


def _member(text: str, constants: Sequence[Any]) -> Iterator[Reading]:
    """Find the only member that is the same text but for case."""
    folded = text.casefold()
    same = {member for member in constants if type(member) is str and member.casefold() == folded}
    if len(same) == 1:
        yield same.pop(), "enum_case"
