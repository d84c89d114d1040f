"""Times that models write without seconds are completed for msgspec, and nothing else is."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from itertools import count
from typing import Annotated, Any

import msgspec
import pytest

from toolhaft import tool
from toolhaft.schema.checker import Checker
from toolhaft.schema.format_patterns import CLOCK, LOCAL, LOCAL_CLOCK, PATTERNS, ZONED_CLOCK
from toolhaft.spec import Failure, Success
from toolhaft.vendors import adapt
from toolhaft.vendors.msgspec.clocks import Clocks

Meta = msgspec.Meta


@pytest.mark.parametrize(
    ("pattern", "text", "completed"),
    [
        (CLOCK, "09:00", "09:00:00"),
        (CLOCK, "09:00Z", "09:00:00Z"),
        (ZONED_CLOCK, "09:00-05:30", "09:00:00-05:30"),
        (LOCAL_CLOCK, "23:59", "23:59:00"),
        (LOCAL, "2026-03-01T09:00", "2026-03-01T09:00:00"),
        (LOCAL, "2026-03-01 09:00", "2026-03-01 09:00:00"),
        (PATTERNS["date-time"], "2026-03-01t09:00z", "2026-03-01t09:00:00z"),
        (PATTERNS["date-time"], "2026-03-01T09:00+01:00", "2026-03-01T09:00:00+01:00"),
    ],
)
def test_a_time_gets_the_seconds_that_it_lacks(pattern: str, text: str, completed: str) -> None:
    clocks = Clocks({"properties": {"at": {"pattern": pattern}}})
    assert clocks.complete({"at": text}) == {"at": completed}


@pytest.mark.parametrize("text", ["09:00:00", "09:00:00.5Z", "2026-03-01T09:00:00", "9:00", ""])
def test_every_other_text_stays_as_it_is(text: str) -> None:
    data = {"at": text}
    assert Clocks({"properties": {"at": {"pattern": CLOCK}}}).complete(data) is data


def test_keys_of_maps_get_the_seconds_that_they_lack() -> None:
    class Day(msgspec.Struct):
        at: list[dict[time, int | dict[str, time]]]
        days: dict[datetime, int] = {}

    data = {"at": [{"09:00": 1, "10:00:30": {"09:00": "09:00"}}], "days": {"2026-03-01T09:00Z": 2}}
    before = repr(data)
    assert adapt(Day).validate(data) == Success(
        Day(
            [{time(9): 1, time(10, 0, 30): {"09:00": time(9)}}],
            {datetime(2026, 3, 1, 9, tzinfo=UTC): 2},
        )
    )
    assert repr(data) == before


def test_only_places_that_are_times_are_looked_at_and_no_data_are_changed() -> None:
    at = {"pattern": CLOCK}
    schema = {
        "properties": {
            "at": at,
            "name": {"type": "string"},
            "many": {"items": at},
            "by_name": {"additionalProperties": {"anyOf": [at, {"type": "null"}]}},
            "again": {"$ref": "#/$defs/at"},
        },
        "$defs": {"at": at},
    }
    data = {
        "at": "09:00",
        "name": "09:00",
        "many": ["09:00", "10:00:00"],
        "by_name": {"a": "11:00", "b": None},
        "again": "12:00",
        "more": "13:00",
    }
    before = repr(data)
    assert Clocks(schema).complete(data) == {
        "at": "09:00:00",
        "name": "09:00",
        "many": ["09:00:00", "10:00:00"],
        "by_name": {"a": "11:00:00", "b": None},
        "again": "12:00:00",
        "more": "13:00",
    }
    assert repr(data) == before


class Meeting(msgspec.Struct):
    at: datetime
    begins: time | None = None
    zoned: Annotated[datetime, Meta(tz=True)] | None = None
    local: Annotated[datetime, Meta(tz=False)] | None = None
    title: str = ""
    days: dict[date, time] = {}
    moments: list[datetime | int] = []


TEN = datetime.fromisoformat("2026-03-01T10:00")


def test_a_struct_takes_times_as_models_write_them() -> None:
    data = {
        "at": "2026-03-01 10:00",
        "begins": "09:00",
        "zoned": "2026-03-01T10:00Z",
        "local": "2026-03-01T10:00",
        "title": "09:00",
        "days": {"2026-03-01": "09:30"},
        "moments": ["2026-03-01T10:00", 5],
    }
    result = adapt(Meeting).validate(data)
    assert isinstance(result, Success)
    assert result.value == Meeting(
        at=TEN,
        begins=time(9),
        zoned=TEN.replace(tzinfo=UTC),
        local=TEN,
        title="09:00",
        days={date(2026, 3, 1): time(9, 30)},
        moments=[TEN, 5],
    )


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ({"at": "2026-03-01"}, "at: expected an ISO date-time, such as 2026-01-31T09:00:00Z"),
        ({"at": "2026-02-30T10:00"}, "at: not a real date (the calendar has no such day)"),
        ({"at": "2026-03-01T25:00"}, "at: expected an ISO date-time, such as 2026-01-31T09:00:00Z"),
        (
            {"at": "2026-03-01T10:00", "zoned": "2026-03-01T10:00"},
            "zoned: expected a date-time with an offset, such as 2026-01-31T09:00:00Z",
        ),
        (
            {"at": "2026-03-01T10:00", "local": "2026-03-01T10:00Z"},
            "local: expected a date-time without an offset, such as 2026-01-31T09:00:00",
        ),
    ],
)
def test_an_invalid_time_is_reported_by_its_format(data: Any, told: str) -> None:
    result = adapt(Meeting).validate(data)
    assert isinstance(result, Failure)
    assert [str(issue) for issue in result.issues] == [told]


def test_the_admitted_text_is_the_text_that_was_sent() -> None:
    data = {"at": "2026-03-01 10:00"}
    assert adapt(Meeting).read(data)[1] == data
    assert Checker(adapt(Meeting).json_schema()).is_valid(data)


def test_a_factory_runs_once_where_a_time_is_completed() -> None:
    runs = count(1)

    class Stamp(msgspec.Struct):
        number: int = msgspec.field(default_factory=lambda: next(runs))

    class Stamped(msgspec.Struct):
        stamp: Stamp
        at: time

    def read_stamp(stamped: Stamped) -> list[Any]:
        """Read the stamp."""
        return [stamped.stamp.number, stamped.at.isoformat()]

    made = tool(read_stamp, input=Stamped)
    short = {"stamp": {}, "at": "09:00"}
    results = [made.call_sync(short).unwrap() for _ in range(2)]
    assert results == [[1, "09:00:00"], [2, "09:00:00"]]
