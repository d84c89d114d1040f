"""Conversions of Python's own types to JSON data: the table of `jsondata.to_json_data`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final

from toolhaft.spec import Issue, Path

__all__ = ["NotConvertible", "conversion", "name_of", "table"]

_MAX_TYPE_NAME = 40
_NAME: Final = type.__dict__["__name__"].__get__


class NotConvertible(Exception):
    """A value has no JSON form; each container around it adds its step to the path."""

    def __init__(self, message: str, received: str | None = None, path: Path = ()) -> None:
        super().__init__(message)
        self.message = message
        self.received = received
        self.steps: list[str | int] = [*reversed(path)]

    def issue(self) -> Issue:
        """Return the issue, with the whole path."""
        return Issue(self.message, reversed(self.steps), "json", received=self.received)


def name_of(kind: type) -> str:
    """Name a type in an issue; an author may give it a name of any length."""
    name: str = _NAME(kind)  # not what its own metaclass says
    return name[:_MAX_TYPE_NAME]


@cache
def table() -> Mapping[type, Callable[[Any], Any]]:
    """Return the conversion of each type; its result is copied in turn. Made on first use."""
    from datetime import date, datetime, time, timedelta
    from decimal import Decimal
    from enum import Enum
    from pathlib import PurePath
    from uuid import UUID

    return {
        tuple: list,
        Enum: lambda member: member.value,
        datetime: lambda at: _with_zone(datetime.isoformat(at)),
        date: date.isoformat,
        time: lambda at: _with_zone(time.isoformat(at)),
        timedelta: _duration,
        Decimal: _decimal,
        UUID: str,
        PurePath: str,
        bytes: _utf8,
    }


def conversion(kind: type) -> Callable[[Any], Any] | None:
    """The table's entry for a type or for what it inherits from; dataclasses by their fields."""
    conversions = table()
    inherited = next((conversions[base] for base in kind.__mro__ if base in conversions), None)
    if inherited is None and hasattr(kind, "__dataclass_fields__"):
        return _fields
    return inherited


def _with_zone(text: str) -> str:
    return text.removesuffix("+00:00") + "Z" if text.endswith("+00:00") else text


def _duration(value: Any) -> str:
    """Write a timedelta as ISO 8601 does (4.4.3.2), with days as the largest unit."""
    microseconds = (value.days * 86_400 + value.seconds) * 1_000_000 + value.microseconds
    seconds, fraction = divmod(abs(microseconds), 1_000_000)
    days, seconds = divmod(seconds, 86_400)
    hours, seconds = divmod(seconds, 3_600)
    minutes, seconds = divmod(seconds, 60)
    seconds_text = f"{seconds}.{fraction:06}" if fraction else str(seconds)
    parts = (
        (hours, f"{hours}H"),
        (minutes, f"{minutes}M"),
        (seconds or fraction, f"{seconds_text}S"),
    )
    time = "".join(text for amount, text in parts if amount)
    if not days and not time:
        return "PT0S"
    sign = "-" if microseconds < 0 else ""
    return f"{sign}P{f'{days}D' if days else ''}{'T' if time else ''}{time}"


def _decimal(value: Any) -> str:
    if not value.is_finite():
        raise NotConvertible("not a finite number")
    return str(value)


def _utf8(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise NotConvertible("bytes that are not UTF-8", "bytes") from None


def _fields(value: Any) -> dict[str, Any]:
    from dataclasses import fields

    try:
        return {field.name: getattr(value, field.name) for field in fields(value)}
    except AttributeError:
        raise NotConvertible("a field has no value", name_of(type(value))) from None
