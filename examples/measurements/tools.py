"""Tools of a data team: measurements of stations, in msgspec's types and in attrs'."""

from __future__ import annotations

from datetime import date
from statistics import fmean
from typing import Annotated, Literal

import attrs
import msgspec
from msgspec import Meta

from toolhaft import Doc, ToolError, Toolset, tool

READINGS = {
    "oslo": {date(2026, 11, 20): -3.5, date(2026, 11, 21): -1.0, date(2026, 11, 22): 0.5},
    "rome": {date(2026, 11, 21): 14.0, date(2026, 11, 22): 15.5},
}
Station = Annotated[str, Meta(description="Name in small letters, e.g. oslo", max_length=40)]


class Span(msgspec.Struct, forbid_unknown_fields=True):
    """Some days."""

    first: Annotated[date, Meta(description="The first day")]
    last: Annotated[date, Meta(description="The last day, itself included")]

    def __post_init__(self) -> None:
        if self.last < self.first:
            raise ValueError("last is before first")


class Summary(msgspec.Struct):
    """What a station measured."""

    station: str
    days: int
    value: float


class Question(msgspec.Struct, forbid_unknown_fields=True):
    """Which measurements are summed up, and how."""

    station: Station
    span: Annotated[Span, Meta(description="Which days; last is not before first")]
    measure: Annotated[
        Literal["mean", "lowest", "highest"], Meta(description="What of the days")
    ] = "mean"


# toolhaft: ignore[TH701] no schema can compare two dates; the description of span says it
@tool(input=Question, annotations={"readOnlyHint": True})
def summarise(question: Question) -> Summary:
    """Sum up the temperatures of a station, in degrees Celsius."""
    days = question.span
    values = [
        value for day, value in _of(question.station).items() if days.first <= day <= days.last
    ]
    if not values:
        raise ToolError("nothing was measured on these days")
    chosen = {"mean": fmean(values), "lowest": min(values), "highest": max(values)}
    return Summary(question.station, len(values), chosen[question.measure])


@attrs.frozen
class Correction:
    """A value that replaces what a station sent."""

    day: Annotated[date, Doc("The day of the measurement")]
    value: Annotated[float, Meta(ge=-90, le=60), Doc("Degrees Celsius")]
    reason: Annotated[str, Meta(min_length=3, max_length=200), Doc("Why the value was wrong")]


@tool(requires_approval=True)
def correct(
    station: Station,
    corrections: Annotated[
        list[Correction], Meta(min_length=1, max_length=20), Doc("One for each day")
    ],
) -> int:
    """Replace measurements of a station; say how many were there before."""
    readings = _of(station)
    known = sum(one.day in readings for one in corrections)
    readings.update({one.day: one.value for one in corrections})
    return known


@tool(annotations={"readOnlyHint": True})
def stations() -> list[str]:
    """List the stations that there are measurements of."""
    return sorted(READINGS)


def _of(station: str) -> dict[date, float]:
    if station not in READINGS:
        raise ToolError(f"there is no station of this name; there are {', '.join(READINGS)}")
    return READINGS[station]


tools = Toolset([summarise, correct, stations])
