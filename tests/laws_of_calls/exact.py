"""Numbers and formats by CONTRACT.md, at one field each: the resulting value, or its rejection."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, Final, Protocol
from uuid import UUID

from tests.laws_of_calls.places import Place, attribute, changed, places
from tests.laws_of_calls.prelude import Size
from tests.laws_of_calls.seen import is_of
from tests.laws_of_calls.shapes import SCALARS
from tests.laws_of_calls.spec import FieldSpec, TypeSpec
from toolhaft.spec import Path

__all__ = ["NUMBERS", "REFUSED", "Expectation", "Expected", "cases", "literals", "widened"]


class Expectation(Protocol):
    """The required result for a value at one place."""

    @property
    def is_refusal(self) -> bool: ...
    def is_met(self, made: Any) -> bool: ...


class _Refused:
    is_refusal = True

    def __repr__(self) -> str:
        return "a refusal"

    def is_met(self, made: Any) -> bool:
        return False


REFUSED: Final = _Refused()
LOCAL: Final = datetime.fromisoformat("2026-03-01T10:00:00")
IDENTITY: Final = "123e4567-e89b-42d3-a456-426614174000"
NUMBERS: Final = "numbers are exact or refused"
FORMATS: Final = "formats are the contract's"
LOOSE: Final = "nothing is read loosely"
CASES: Final[dict[str, tuple[tuple[str, Any, Any], ...]]] = {
    "int": (
        (NUMBERS, float(2**53), REFUSED),
        (NUMBERS, 1e20, REFUSED),
        (NUMBERS, 2**53 + 1, 2**53 + 1),
        (NUMBERS, 5.0, 5),
        (NUMBERS, 5.5, REFUSED),
        (LOOSE, True, REFUSED),
        (LOOSE, "5", REFUSED),
        (LOOSE, "1_000", REFUSED),
        (LOOSE, "\u0661", REFUSED),
    ),
    "float": (
        (NUMBERS, 2**53 + 1, REFUSED),
        (NUMBERS, 2**53 + 2, float(2**53 + 2)),
        (NUMBERS, 5, 5.0),
        (LOOSE, True, REFUSED),
        (LOOSE, "1.5", REFUSED),
        (LOOSE, "inf", REFUSED),
    ),
    "bool": tuple((LOOSE, each, REFUSED) for each in (1, 0, "true", "yes", "on", "1")),
    "str": tuple((LOOSE, each, REFUSED) for each in (5, True, None, ["a"])),
    "color": tuple((LOOSE, each, REFUSED) for each in ("RED", "Color.RED", ["red"], 0)),
    "mood": tuple((LOOSE, each, REFUSED) for each in ("quiet", "CALM", 1)),
    "size": (
        (NUMBERS, 1.0, Size.SMALL),
        (LOOSE, True, REFUSED),
        (LOOSE, "1", REFUSED),
        (LOOSE, "SMALL", REFUSED),
    ),
    "literal_int": ((NUMBERS, 2.0, 2), (LOOSE, True, REFUSED), (LOOSE, "1", REFUSED)),
    "datetime": (
        (FORMATS, "2026-03-01T10:00:00", LOCAL),
        (FORMATS, "2026-03-01 10:00:00", LOCAL),
        (FORMATS, "2026-03-01T10:00", LOCAL),
        (FORMATS, "2026-03-01T10:00Z", datetime.fromisoformat("2026-03-01T10:00:00Z")),
        (FORMATS, "2026-03-01 10:00:00.5+05:30",
         datetime.fromisoformat("2026-03-01T10:00:00.500000+05:30")),
        (FORMATS, "2026-03-01", REFUSED),
        (FORMATS, "20260301T100000Z", REFUSED),
        (FORMATS, "2026-03-01T10:00:00+0530", REFUSED),
        (FORMATS, "2026-03-01_10:00:00", REFUSED),
        (FORMATS, "1767225600", REFUSED),
        (FORMATS, 1767225600, REFUSED),
    ),
    "date": (
        (FORMATS, "2026-03-01", date(2026, 3, 1)),
        (FORMATS, "2026-03-01T00:00:00", REFUSED),
        (FORMATS, "2026-02-30", REFUSED),
        (FORMATS, "1767225600", REFUSED),
        (FORMATS, 1767225600, REFUSED),
    ),
    "time": (
        (FORMATS, "10:00:00", time(10)),
        (FORMATS, "10:30", time(10, 30)),
        (FORMATS, "10:30Z", time.fromisoformat("10:30:00Z")),
        (FORMATS, "10:30:00.250-05:00", time.fromisoformat("10:30:00.250000-05:00")),
        (FORMATS, "T10:30:00", REFUSED),
        (FORMATS, "103000", REFUSED),
        (FORMATS, 36000, REFUSED),
    ),
    "timedelta": (
        (FORMATS, "PT90S", timedelta(seconds=90)),
        (FORMATS, "-P1D", timedelta(days=-1)),
        (FORMATS, "PT0.5S", timedelta(seconds=0.5)),
        (FORMATS, "P1DT2H", timedelta(hours=26)),
        (FORMATS, "00:10:00", REFUSED),
        (FORMATS, "1 day", REFUSED),
        (FORMATS, 90, REFUSED),
    ),
    "uuid": (
        (FORMATS, IDENTITY, UUID(IDENTITY)),
        (FORMATS, IDENTITY.upper(), UUID(IDENTITY)),
        (FORMATS, IDENTITY.replace("-", ""), REFUSED),
        (FORMATS, f"urn:uuid:{IDENTITY}", REFUSED),
        (FORMATS, f"{{{IDENTITY}}}", REFUSED),
    ),
    "decimal": (
        (NUMBERS, "1.100", Decimal("1.100")),
        (NUMBERS, 5, Decimal(5)),
        (NUMBERS, 0.1, Decimal("0.1")),
        (NUMBERS, "NaN", REFUSED),
        (LOOSE, "1_0", REFUSED),
        (LOOSE, True, REFUSED),
    ),
}  # fmt: skip
# Annotations of those kinds that nothing else bounds.
PLAIN: Final = {SCALARS[kind] for kind in CASES}


LONG: Final = Decimal("12345678901234567890.1234567890")
LITERALS: Final[dict[str, tuple[Decimal, Any]]] = {
    "float": (Decimal("0.1000000000000000055511151231257827"), 0.1),
    "decimal": (LONG, LONG),
}
WIDENED: Final[dict[str, Any]] = {"int": "#5", "str": 5, "date": "today", "list": "a|b"}


class Expected:
    """The value that a field of one object must hold."""

    is_refusal = False

    def __init__(self, spec: TypeSpec, sent: Any, path: Path, field: FieldSpec, value: Any) -> None:
        self.spec = spec
        self.sent = sent
        self.path = path
        self.field = field
        self.value = value

    def is_met(self, made: Any) -> bool:
        found = next(each for each in places(self.spec, made, self.sent) if each.path == self.path)
        given = attribute(found.model, found.made, self.field)
        return type(given) is type(self.value) and bool(given == self.value)

    def __repr__(self) -> str:
        return f"{self.value!r} in {self.field.name} at {self.path}"


def cases(spec: TypeSpec, made: Any, sent: Any) -> Iterator[tuple[str, Any, Expectation]]:
    """Yield every case for the fields of a plain kind that were sent, in the whole arguments."""
    for place in places(spec, made, sent):
        for field in place.model.fields:
            if field.key in place.sent and _is_plain(place, field):
                yield from _cases(spec, sent, place, field)


def widened(spec: TypeSpec, made: Any, sent: Any) -> Iterator[tuple[Any, Path]]:
    """Yield arguments that only an author's function reads, each with the place of the change."""
    for place in places(spec, made, sent):
        for field in place.model.fields:
            if field.key in place.sent and field.is_opened and field.shape.kind in WIDENED:
                path = (*place.path, field.key)
                yield changed(sent, path, WIDENED[field.shape.kind]), path


def literals(spec: TypeSpec, made: Any, sent: Any) -> Iterator[tuple[Any, Path, Expected]]:
    """Yield arguments with a number of many digits, which needs a text, and its place."""
    for place in places(spec, made, sent):
        for field in place.model.fields:
            kind = field.shape.kind
            if field.key in place.sent and kind in LITERALS and _is_plain(place, field):
                digits, expected = LITERALS[kind]
                path = (*place.path, field.key)
                whole = changed(sent, path, digits)
                yield whole, path, Expected(spec, whole, place.path, field, expected)


def _cases(
    spec: TypeSpec, sent: Any, place: Place, field: FieldSpec
) -> Iterator[tuple[str, Any, Expectation]]:
    for law, new, expected in CASES[field.shape.kind]:
        whole = changed(sent, (*place.path, field.key), new)
        if expected is REFUSED:
            yield law, whole, REFUSED
        else:
            yield law, whole, Expected(spec, whole, place.path, field, expected)


def _is_plain(place: Place, field: FieldSpec) -> bool:
    """Whether nothing but the kind decides: no constraint, no function, no other branch."""
    return (
        place.is_certain
        and is_of(place.model, place.made)
        and field.shape.text in PLAIN
        and not field.functions
        and not (place.model.moves)
    )
