"""One function for each keyword that looks at a value as a whole: a test and its words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from toolhaft.schema.document.kinds import Kind, hashable, kind_of
from toolhaft.schema.engine import is_linear, matcher
from toolhaft.schema.explain.kind_checks import to_walk
from toolhaft.schema.explain.node import Check, Fits, KindCheck
from toolhaft.schema.explain.phrases import array_words
from toolhaft.schema.explain.refusals import refusal, wrong_constant
from toolhaft.schema.explain.slow_patterns import match_text
from toolhaft.schema.explain.wording import counted, matching, number
from toolhaft.schema.format_patterns import DATED, WORDS, is_no_such_date
from toolhaft.spec import Code, Path

if TYPE_CHECKING:
    from fractions import Fraction

    from toolhaft.schema.explain.node import Node, Walk

__all__ = ["bound", "const", "enum", "multiple_of", "pattern", "size", "unique_items"]

Builder: TypeAlias = "Callable[[Node, Any, Kind], KindCheck]"
Compare: TypeAlias = Callable[[Any, Any], bool]

NO_SUCH_DATE = "not a real date (the calendar has no such day)"


def _assertion(
    node: Node, fits: Fits, message: str, code: Code = "value", **facts: Any
) -> KindCheck:
    return KindCheck(fits, refusal(node.schema, message, code, **facts))


def enum(node: Node, members: Sequence[Any], kind: Kind) -> KindCheck:
    """Check for one of the members; no other check of a wrong value is reported."""
    alike = float if kind is Decimal else kind
    same = [member for member in members if kind_of(member) is alike]
    if kind in (dict, list, Decimal):
        shapes = frozenset(map(hashable, same))
        fits: Fits = lambda value: hashable(value) in shapes  # noqa: E731
    else:  # of one type, so that equal in Python is equal in JSON
        fits = frozenset(same).__contains__
    return KindCheck(fits, wrong_constant(members, node.schema), is_final=True)


def const(node: Node, member: Any, kind: Kind) -> KindCheck:
    """The one member."""
    return enum(node, [member], kind)


def bound(keyword: str, holds: Compare, words: str) -> Builder:
    """A bound on a number; `holds(limit, value)`."""

    def build(node: Node, limit: float, kind: Kind) -> KindCheck:
        exact = Decimal(repr(limit)) if kind is Decimal else limit
        message = f"expected {words} {number(limit)}"
        facts: dict[str, Any] = {keyword: limit}
        return _assertion(node, partial(holds, exact), message, **facts)

    return build


def size(keyword: str, holds: Compare, words: str, noun: str) -> Builder:
    """A bound on the length of text, or on how many parts there are; `holds(limit, length)`."""

    def build(node: Node, limit: float, _: Kind) -> KindCheck:
        is_tuple = noun == "item" and "prefixItems" in node.schema
        message = array_words(node.root, node.schema) if is_tuple else counted(words, limit, noun)
        fits: Fits = lambda value: holds(limit, len(value))  # noqa: E731
        facts: dict[str, Any] = {keyword: limit}
        return _assertion(node, fits, message, **facts)

    return build


def multiple_of(node: Node, divisor: float, _: Kind) -> KindCheck:
    """Exact, also for decimal fractions: 0.3 is a multiple of 0.1."""
    unit = _exact(divisor)
    message = f"expected a multiple of {number(divisor)}"
    return _assertion(node, lambda value: not _exact(value) % unit, message, multipleOf=divisor)


def _exact(number: float | Decimal) -> int | Fraction:
    """The number as written: the decimal fraction that a float stands for."""
    if isinstance(number, int):
        return number
    from fractions import Fraction

    return Fraction(str(number))


def pattern(node: Node, expression: str, _: Kind) -> KindCheck:
    """Text that a regular expression (ECMA-262) matches."""
    facts = {} if expression in WORDS else {"pattern": expression}  # ours are no one's business
    refuse = refusal(node.schema, matching(expression), "format", **facts)
    if not is_linear(expression):
        return to_walk(_counted(node, expression, refuse))
    if expression not in DATED:
        return KindCheck(matcher(expression), refuse)

    def check(run: Walk, value: Any, path: Path, required: bool) -> None:
        if is_no_such_date(expression, value):
            run.report(node.schema, required, NO_SUCH_DATE, path, "format")
        else:
            refuse(run, value, path, required)

    return KindCheck(matcher(expression), check)


def _counted(node: Node, expression: str, refuse: Check) -> Check:
    """Match a pattern that goes back in a text as often as the walk allows."""
    matches = match_text(node, expression)

    def check(run: Walk, value: Any, path: Path, required: bool) -> None:
        if not matches(run, value, path, required):
            refuse(run, value, path, required)

    return check


def unique_items(node: Node, wanted: bool, _: Kind) -> KindCheck | None:
    """Items that are not equal; comparing takes linear time."""
    if not wanted:
        return None

    def fits(value: Sequence[Any]) -> bool:
        return len(set(map(hashable, value))) == len(value)

    return _assertion(node, fits, "expected no duplicate items")
