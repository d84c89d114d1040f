"""An independent verdict on arguments: the `jsonschema` package, with the contract's formats."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date
from typing import Any, Final

from jsonschema import (  # type: ignore[import-untyped]
    Draft202012Validator,
    FormatChecker,
    ValidationError,
)
from jsonschema.validators import extend  # type: ignore[import-untyped]

from toolhaft.schema.document.walk import nodes_of
from toolhaft.spec import Path

__all__ = ["FORMATS", "Oracle", "is_near"]

DATE: Final = r"[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
TIME: Final = r"([01][0-9]|2[0-3]):[0-5][0-9](:([0-5][0-9]|60)(\.[0-9]+)?)?"
OFFSET: Final = r"([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9])?"
COUNT: Final = "[0-9]+"
CLOCK: Final = rf"T(?=[0-9])({COUNT}H)?({COUNT}M)?([0-9]+(\.[0-9]+)?S)?"
DAYS: Final = f"({COUNT}W)?({COUNT}Y)?({COUNT}M)?({COUNT}D)?"
HEX: Final = "[0-9A-Fa-f]"
# CONTRACT.md, "Coercion", formats: RFC 3339 with the offset and the seconds optional and a space
# for the T; durations (its appendix A) also with a sign and a
# fraction of seconds, which is what every library reads; UUIDs hyphenated.
FORMATS: Final = {
    "date": re.compile(DATE),
    "time": re.compile(TIME + OFFSET),
    "date-time": re.compile(f"{DATE}[Tt ]{TIME}{OFFSET}"),
    "duration": re.compile(rf"[+-]?P(?=[0-9T]){DAYS}({CLOCK})?"),
    "uuid": re.compile(rf"{HEX}{{8}}-({HEX}{{4}}-){{3}}{HEX}{{12}}"),
}


class Oracle:
    """The verdict of a schema; formats are checked if `formats` is set."""

    def __init__(self, schema: Any) -> None:
        self.schema = schema
        self.validator = _Validator(schema, format_checker=_checker())

    def accepts(self, data: Any) -> bool:
        verdict: bool = self.validator.is_valid(data)
        return verdict

    def places(self, key: str, value: Any) -> list[Path]:
        """Return the places of all errors in a field's value, by the schema of that field alone.

        In a union, another branch may take any value for the key.
        """
        field = next(
            node["properties"][key]
            for node in nodes_of(self.schema)
            if isinstance(node, dict) and key in node.get("properties", ())
        )
        validator = self.validator.evolve(schema={"$defs": self.schema.get("$defs", {}), **field})
        return [tuple(error.absolute_path) for error in validator.iter_errors(value)]

    def unexcused(self, data: Any, opened: Iterable[Path]) -> list[str]:
        """Return the errors in the data, except at or below the places that a vendor widened."""
        places = list(opened)
        errors = self.validator.iter_errors(data)
        return [_text(error) for error in errors if not _is_excused(error, places)]


def is_near(one: Path, other: Path) -> bool:
    """Whether one place is the other, or holds it."""
    shorter = min(len(one), len(other))
    return one[:shorter] == other[:shorter]


def _is_excused(error: ValidationError, places: list[Path]) -> bool:
    path = tuple(error.absolute_path)
    if any(path[: len(place)] == place for place in places):
        return True
    if error.validator in ("anyOf", "oneOf") and error.context:
        branches: dict[Any, list[ValidationError]] = {}
        for each in error.context:
            branches.setdefault(each.schema_path[0], []).append(each)
        return any(all(_is_excused(x, places) for x in branch) for branch in branches.values())
    below = (place[: len(path)] == path for place in places)
    return error.validator == "oneOf" and any(below)


def _text(error: ValidationError) -> str:
    return f"{list(error.absolute_path)}: {error.message[:200]}"


def _pattern(_: Any, pattern: str, instance: Any, __: Any) -> Iterator[ValidationError]:
    """Read a pattern as ECMA-262 does: `$` is the very end, `\\d` an ASCII digit."""
    if isinstance(instance, str) and not re.search(pattern.replace("$", r"\Z"), instance, re.ASCII):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


_Validator: Final[Any] = extend(Draft202012Validator, {"pattern": _pattern})


def _checker() -> FormatChecker:
    checker = FormatChecker(())
    for name, pattern in FORMATS.items():
        checker.checks(name)(_check(pattern))
    return checker


def _check(pattern: re.Pattern[str]) -> Any:
    def has_format(data: object) -> bool:
        if not isinstance(data, str):
            return True
        return pattern.fullmatch(data) is not None and _is_on_the_calendar(data)

    return has_format


def _is_on_the_calendar(text: str) -> bool:
    """Whether the date that a text begins with, if it does, is one."""
    day = re.match(DATE, text)
    try:
        date.fromisoformat(day[0] if day else "2000-01-01")
    except ValueError:
        return False
    return True
