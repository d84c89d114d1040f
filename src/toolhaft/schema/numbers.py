"""Convert numbers to the types that their schema declares: 5.0 and 5 are one number in JSON.

A float that is a whole number is an integer (JSON Schema 2020-12 core, 4.2.3). In the place of an
integer it becomes an int, as long as that is exact: from 2^53 on a float does not determine which
integer was meant (RFC 8259, 6), and an integer that no float represents is no float. A decimal
keeps the digits of the text if the schema is a Decimal's, and becomes the nearest float elsewhere.
If a Decimal is declared, a float becomes the decimal as it is written, and 1e20 an integer: an
author's converter may read the arguments, and must read the same from each way of writing them.
"""

from __future__ import annotations

from decimal import Decimal
from math import isfinite
from typing import Any

from toolhaft.schema.document.kinds import named_types
from toolhaft.schema.document.places import PlaceIndex, PlaceSchemas, replace_at
from toolhaft.schema.facts import Facts, facts_of
from toolhaft.schema.floats import HasFloat, floats_for_integers, is_integer_form
from toolhaft.schema.gate import EXACT
from toolhaft.schema.marks import marks_of
from toolhaft.spec import Issue, Path

__all__ = ["Numbers", "is_double"]

MOST = 1 << 1023  # a float holds no much larger integer
MOST_DIGITS = 4_300  # no longer integer is read from text
# How an emitted schema says that a value may be anything.
ANYTHING = {"null", "boolean", "number", "string", "array", "object"}


class Numbers:
    """The numbers that a schema asks for, place by place.

    `root` is in 2020-12 terms; `facts` are its facts, and `places` has its places. With `floats`, a
    number that is no integer is read as a float. No data is changed.
    """

    def __init__(
        self,
        root: Any,
        facts: Facts | None = None,
        *,
        floats: bool = False,
        places: PlaceIndex | None = None,
    ) -> None:
        facts = facts or facts_of(root)
        self.may_hold_floats: HasFloat = floats_for_integers(root, facts)
        self._places = places or PlaceIndex(root)
        self._floats = floats
        self._has_decimals = "decimal" in facts.marks
        self._has_numbers = any("number" in types for types in facts.types)

    def settle(self, data: Any) -> tuple[Any, list[Issue]]:
        """Return the data with each number as its schema declares it, and issues for the others.

        >>> numbers = Numbers({"properties": {"n": {"type": "integer"}}})
        >>> numbers.settle({"n": 5.0, "x": 5.0})
        ({'n': 5, 'x': 5.0}, [])
        >>> list(map(str, numbers.settle({"n": 1e300})[1]))
        ['n: expected integer, received number']
        """
        changes: dict[Path, Any] = {}
        issues: list[Issue] = []
        for path, value, place in self._places.walk(data, self._is_unsettled):
            settled = self._settled(path, value, place)
            if isinstance(settled, Issue):
                issues.append(settled)
            elif settled is not value:
                changes[path] = settled
        return replace_at(data, changes) if changes else data, issues

    def nearest_floats(self, data: Any) -> Any:
        """Return data with floats for Decimals whose place declares neither integer nor Decimal.

        >>> Numbers({"properties": {"n": {"type": "integer"}}}).nearest_floats(
        ...     {"n": Decimal("0.5"), "x": Decimal("0.5")}
        ... )
        {'n': Decimal('0.5'), 'x': 0.5}
        """
        overlong = self._places.walk(
            data, lambda value: type(value) is Decimal and isfinite(float(value))
        )
        changes = {path: float(value) for path, value, place in overlong if not _is_exact(place)}
        return replace_at(data, changes) if changes else data

    def decimals_as_texts(self, data: Any) -> Any:
        """Return data with texts for Decimals whose place declares no Decimal.

        >>> Numbers({"properties": {"t": {}}}).decimals_as_texts({"t": Decimal("2.50")})
        {'t': '2.50'}
        """
        decimals = self._places.walk(data, lambda value: type(value) is Decimal)
        changes = {path: str(value) for path, value, place in decimals if not _is_decimal(place)}
        return replace_at(data, changes) if changes else data

    def as_floats(self, data: Any) -> Any:
        """Return data with floats for integers whose place declares only numbers.

        >>> Numbers({"properties": {"x": {"type": "number"}}}).as_floats({"n": 5, "x": 5})
        {'n': 5, 'x': 5.0}
        """
        if not self._has_numbers:
            return data
        changes = {
            path: float(value)
            for path, value, place in self._places.walk(data, _is_integer)
            if abs(value) < MOST and _is_float(place)
        }
        return replace_at(data, changes) if changes else data

    def _is_unsettled(self, value: Any) -> bool:
        kind = type(value)
        if kind is int:
            return self._floats and not -EXACT <= value <= EXACT
        if kind is float:
            return self._has_decimals or value.is_integer()
        return kind is Decimal

    def _settled(self, path: Path, value: Any, place: PlaceSchemas) -> Any:
        """Return a number as it is declared, or the issue why it cannot be."""
        if _is_decimal(place):
            return _exact_number(value)
        if type(value) is int:
            if is_double(value) or not _may_be_float(place):
                return value
            return Issue("expected a number that a 64-bit float holds exactly", path, "value")
        nearest = float(value)
        if not isfinite(nearest):
            return Issue("number too large", path, "json")
        return _settled_float(path, nearest, place, is_exact=nearest == value)


def _settled_float(
    path: Path, value: float, place: PlaceSchemas, *, is_exact: bool
) -> float | Issue:
    if not value.is_integer() or not any(map(is_integer_form, _forms(place))):
        return value
    if abs(value) < EXACT and is_exact:
        return int(value)
    if "number" in _names(place):  # of another form
        return value
    return Issue("expected integer, received number", path, "type", "integer", "number")


def _forms(place: PlaceSchemas) -> list[frozenset[str]]:
    """List the JSON types that each schema for a place names: forms of a union further out."""
    return [schema.types for schema in place.schemas]


def _names(place: PlaceSchemas) -> frozenset[str]:
    return frozenset[str]().union(*_forms(place))


def _is_exact(place: PlaceSchemas) -> bool:
    """Return whether a place needs a number whose digits all count."""
    return is_integer_form(_names(place)) or _is_decimal(place)


def _is_decimal(place: PlaceSchemas) -> bool:
    return any("decimal" in marks_of(part) for part in place.parts)


def _is_float(place: PlaceSchemas) -> bool:
    """Return whether a place needs a float: an integer is one if anything is allowed."""
    return _may_be_float(place) and "integer" not in _names(place)


def _may_be_float(place: PlaceSchemas) -> bool:
    """Whether some form asks for a float: which of them is meant is not known here."""
    if any(ANYTHING.issubset(named_types(part)) for part in place.parts):
        return False
    return any("number" in form and "integer" not in form for form in _forms(place))


def is_double(value: int) -> bool:
    """Whether a 64-bit float holds an integer exactly.

    >>> is_double(1 << 60), is_double((1 << 60) + 1)
    (True, False)
    """
    return abs(value) < MOST and int(float(value)) == value


def _exact_number(value: float | Decimal) -> int | Decimal:
    """Return a number with its digits as written, as an integer if it has no fraction.

    >>> _exact_number(1e20), _exact_number(Decimal("2.50"))
    (100000000000000000000, Decimal('2.50'))
    """
    number = Decimal(repr(value)) if type(value) is float else Decimal(value)
    has_fraction = int(number.as_tuple().exponent) < 0
    return number if has_fraction or number.adjusted() >= MOST_DIGITS else int(number)


def _is_integer(value: Any) -> bool:
    return type(value) is int
