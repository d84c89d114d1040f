"""Find patterns that need a backtracking engine, and the ones that may take exponential time.

A pattern with a lookaround or a back reference has no engine that runs in linear time. This module
looks for constructs that make a backtracking engine try every way of cutting a text up (CWE-1333):
a repeated group that may consist of one repeated part alone, or of alternatives that match the same
character. Python's own parser reads the pattern; patterns that it cannot read are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, Final

from toolhaft.schema.document.walk import pointer, walk_schemas
from toolhaft.schema.engine import is_linear
from toolhaft.schema.facts import patterns_of_node
from toolhaft.schema.faults import SchemaFault
from toolhaft.schema.pattern_parts import inside, parsed

__all__ = ["UNAMBIGUOUS", "explodes", "exploding_faults", "going_back"]

MANY = 10
ALPHABET: Final = tuple(map(chr, range(256)))
UNAMBIGUOUS: Final = (
    "let each part of the group begin with a character that the others cannot match"
)


def going_back(patterns: Iterable[str]) -> frozenset[str]:
    """Return the patterns that need a backtracking engine.

    >>> going_back(["^(a+)+$", "^(?!a)"])
    frozenset({'^(?!a)'})
    """
    return frozenset(pattern for pattern in patterns if not is_linear(pattern))


def exploding_faults(schema: Any) -> list[SchemaFault]:
    r"""Find patterns that need an engine that goes back, and may need exponential time.

    >>> print(*exploding_faults({"items": {"pattern": r"^(a+)+\1$"}}))
    /items: pattern that can take exponential time; let each part of the group ...
    """
    return [
        SchemaFault(pointer(steps), "pattern that can take exponential time", UNAMBIGUOUS)
        for steps, node in walk_schemas(schema)
        if any(not is_linear(each) and explodes(each) for each in patterns_of_node(node))
    ]


@lru_cache(maxsize=1024)
def explodes(pattern: str) -> bool:
    """Whether a backtracking engine may need exponential time for a pattern.

    >>> explodes("^(a+)+$"), explodes("^(a+,)+$")
    (True, False)
    """
    return any(_ambiguous(body) for body in _repeated(parsed(pattern) or ()))


def _repeated(items: Any) -> Iterator[Any]:
    """The bodies of all repetitions without a small bound, at any depth."""
    for operator, argument in items:
        for inner in inside(operator, argument):
            if _is_repeat(operator) and argument[1] >= MANY:
                yield inner
            yield from _repeated(inner)


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
        if _may_vary((operator, argument)) and _begins_again((operator, argument), others):
            return True
    return False


def _may_vary(item: tuple[Any, Any]) -> bool:
    """Whether an item takes more or less, as `a?`, `a{1,2}` and the end of `a|aa`."""
    operator, argument = item
    if _is_repeat(operator):
        return bool(argument[0] < argument[1])
    return str(operator) == "BRANCH" and any(not branch for branch in argument[1])


def _begins_again(item: tuple[Any, Any], others: list[tuple[Any, Any]]) -> bool:
    """Whether what an item takes more could be the next body as well."""
    needed = [other for other in others if _needed(other)]
    if not needed:
        return _is_repeat(item[0]) and _needed(item) and bool(_single(item[1][2]))
    return len(needed) == 1 and bool(_characters(item) & _characters(needed[0]))


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
