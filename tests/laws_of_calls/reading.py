"""Compare JSON with a Python value: whether the value is the JSON's, by its kind."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, Final
from uuid import UUID

__all__ = ["is_key", "is_read", "parsed_key"]

DURATION: Final = re.compile(
    r"(?P<sign>[+-])?P(?:(?P<weeks>[\d.]+)W)?(?:(?P<days>[\d.]+)D)?"
    r"(?:T(?:(?P<hours>[\d.]+)H)?(?:(?P<minutes>[\d.]+)M)?(?:(?P<seconds>[\d.]+)S)?)?"
)

NUMBERS: Final[dict[str, type]] = {"int": int, "float": float}


def is_read(kind: str, made: Any, shown: Any) -> bool:
    """Whether a value of a plain kind is what the JSON beside it says."""
    read = READERS.get(kind)
    try:
        return read is not None and read(made, shown)
    except (TypeError, ValueError, ArithmeticError, AttributeError):
        return False


def is_key(kind: str, made: Any, shown: str) -> bool:
    """Whether a key of a map is what its text says."""
    if kind in NUMBERS:
        return type(made) is NUMBERS[kind] and bool(made == NUMBERS[kind](shown))
    return is_read(kind, made, shown)


def parsed_key(text: str) -> Any:
    """Return the value of a key in a map of some type; the text itself if it is text alone."""
    for parse in (Decimal, _duration, datetime.fromisoformat, UUID):
        with suppress(ValueError, ArithmeticError):
            return parse(text.upper())
    return text


def _exactly(cls: type) -> Callable[[Any, Any], bool]:
    return lambda made, shown: type(made) is cls and bool(made == shown) and not _is_bool(shown)


def _is_bool(shown: Any) -> bool:
    return type(shown) is bool


def _parsed(cls: type, parse: Callable[[str], Any]) -> Callable[[Any, Any], bool]:
    return lambda made, shown: type(made) is cls and bool(made == parse(shown.upper()))


def _member(made: Any, shown: Any) -> bool:
    return bool(made.value == shown) and not _is_bool(shown)


def _duration(text: str) -> timedelta:
    match = DURATION.fullmatch(text)
    if match is None:
        raise ValueError(text)
    parts = match.groupdict()
    sign = -1 if parts.pop("sign") == "-" else 1
    return sign * timedelta(**{key: float(at) for key, at in parts.items() if at is not None})


READERS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "int": _exactly(int),
    "float": _exactly(float),
    "str": _exactly(str),
    "bool": lambda made, shown: made is shown,
    "none": lambda made, shown: made is None and shown is None,
    "date": _parsed(date, date.fromisoformat),
    "datetime": _parsed(datetime, datetime.fromisoformat),
    "time": _parsed(time, time.fromisoformat),
    "timedelta": _parsed(timedelta, _duration),
    "uuid": _parsed(UUID, lambda text: UUID(text.lower())),
    "decimal": lambda made, shown: type(made) is Decimal and made == Decimal(str(shown)),
    "color": _member,
    "size": _member,
    "tone": _member,
    "mood": _member,
    "literal": _exactly(str),
    "literal_int": _exactly(int),
}
