"""The rule for patterns that can take for ever: ambiguous repetition inside of repetition.

What is looked for is what makes a backtracking engine try every way of cutting a text up
(CWE-1333): a repeated group that may consist of one repeated part alone, or of alternatives that
match the same character. Python's own parser reads the pattern; one that only another engine can
read is passed over.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from functools import lru_cache
from importlib import import_module
from typing import Any, Final

from toolhaft.review.checks.rule import Flag, rule
from toolhaft.review.checks.subject import Subject

__all__ = ["explodes"]

_PARSER: Final[Any] = import_module("re._parser")  # the module has no public name since 3.11
MANY = 10
ALPHABET: Final = tuple(map(chr, range(256)))


@rule("TH211", "error")
def exploding_pattern(subject: Subject) -> Iterator[Flag]:
    """A pattern can take exponential time.

    Why: several validators match with Python's engine, which tries every way to cut a text up.

    Bad:
        find = tool(run, name="find", description="Find.", input={"type": "object", "properties":
                    {"what": {"type": "string", "pattern": "^(a+)+$"}}})

    Good:
        find = tool(run, name="find", description="Find.", input={"type": "object", "properties":
                    {"what": {"type": "string", "pattern": "^([a-z]+ )*[a-z]+$"}}})
    """
    for node in subject.nodes:
        pattern = node.schema.get("pattern") if isinstance(node.schema, dict) else None
        if isinstance(pattern, str) and explodes(pattern):
            fix = "let each part of the group begin with a character that the others cannot match"
            yield Flag(node.pointer, "the pattern can take exponential time", fix)


@lru_cache(maxsize=1024)
def explodes(pattern: str) -> bool:
    """Whether a backtracking engine may need exponential time for a pattern.

    >>> explodes("^(a+)+$"), explodes("^(a+,)+$")
    (True, False)
    """
    try:
        with warnings.catch_warnings(action="ignore"):
            parsed = _PARSER.parse(pattern)
    except (re.error, OverflowError, RecursionError):
        return False
    return any(_ambiguous(body) for body in _repeated(parsed))


def _repeated(items: Any) -> Iterator[Any]:
    """The bodies of all repetitions without a small bound, at any depth."""
    for operator, argument in items:
        for inner in _inside(operator, argument):
            if _is_repeat(operator) and argument[1] >= MANY:
                yield inner
            yield from _repeated(inner)


def _inside(operator: Any, argument: Any) -> list[Any]:
    """The parts of an item that are patterns themselves."""
    name = str(operator)
    if name in {"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"}:
        return [argument[2]]
    if name == "SUBPATTERN":
        return [argument[3]]
    if name == "BRANCH":
        return list(argument[1])
    if name in {"ASSERT", "ASSERT_NOT"}:
        return [argument[1]]
    return [argument] if name == "ATOMIC_GROUP" else []


def _is_repeat(operator: Any) -> bool:
    return str(operator) in {"MAX_REPEAT", "MIN_REPEAT"}


def _ambiguous(body: Any) -> bool:
    """Whether a text of a repeated body can be cut into bodies in more than one way."""
    items = list(_flat(body))
    for place, (operator, argument) in enumerate(items):
        others = items[:place] + items[place + 1 :]
        if str(operator) == "BRANCH" and sum(not branch for branch in argument[1]) > 1:
            return True  # equal alternatives: the parser takes out what they begin with
        if str(operator) == "BRANCH" and not any(_needed(item) for item in others):
            if _share([_single(branch) for branch in argument[1]]):
                return True
            if any(_ambiguous(branch) for branch in argument[1]):
                return True
        if _is_repeat(operator) and argument[1] >= MANY:
            own = _single(argument[2]) or set(ALPHABET)
            if all(own & _characters(item) for item in others if _needed(item)):
                return True
    return False


def _flat(items: Any) -> Iterator[tuple[Any, Any]]:
    """The items of a sequence, groups opened."""
    for operator, argument in items:
        if str(operator) == "SUBPATTERN":
            yield from _flat(argument[3])
        else:
            yield operator, argument


def _needed(item: tuple[Any, Any]) -> bool:
    """Whether an item takes at least one character."""
    operator, argument = item
    if str(operator) in {"AT", "ASSERT", "ASSERT_NOT"}:
        return False
    return not (_is_repeat(operator) and argument[0] == 0)


def _share(sets: list[set[str]]) -> bool:
    return any(first & second for place, first in enumerate(sets) for second in sets[:place])


def _single(body: Any) -> set[str]:
    """The characters that a body of exactly one item can match; none for a longer body."""
    items = list(_flat(body))
    return _characters(items[0]) if len(items) == 1 else set()


def _characters(item: tuple[Any, Any]) -> set[str]:
    """The characters of Latin-1 that an item matches, or begins with."""
    operator, argument = item
    name = str(operator)
    if name == "BRANCH":
        return {
            character
            for branch in argument[1]
            for character in _characters(next(_flat(branch), _NOTHING))
        }
    if _is_repeat(operator):
        return _characters(next(_flat(argument[2]), _NOTHING))
    if name not in {"LITERAL", "NOT_LITERAL", "IN", "ANY"}:
        return set(ALPHABET)
    compiled = _compiled(name, argument)
    return {character for character in ALPHABET if compiled(character)}


_NOTHING: Final = ("FAILURE", None)


def _compiled(name: str, argument: Any) -> Any:
    """A test of one character for one item of a parsed pattern."""
    if name == "ANY":
        return lambda character: character != "\n"
    if name in {"LITERAL", "NOT_LITERAL"}:
        return lambda character: (ord(character) == argument) == (name == "LITERAL")
    negated = str(argument[0][0]) == "NEGATE"
    members = argument[1:] if negated else argument
    return lambda character: any(_matches(member, character) for member in members) != negated


_CATEGORIES: Final = {"DIGIT": r"\d", "SPACE": r"\s", "WORD": r"\w"}


def _matches(member: tuple[Any, Any], character: str) -> bool:
    operator, argument = member
    if str(operator) == "RANGE":
        return bool(argument[0] <= ord(character) <= argument[1])
    if str(operator) == "LITERAL":
        return bool(ord(character) == argument)
    kind = str(argument).removeprefix("CATEGORY_")
    negated = kind.startswith("NOT_")
    match = re.match(_CATEGORIES.get(kind.removeprefix("NOT_"), "(?!)"), character)
    return bool(match) != negated
