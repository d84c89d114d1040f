"""The shapes of formats: RFC 3339's and RFC 9562's, and models' variants."""

from __future__ import annotations

import datetime as dt
from random import Random
from uuid import UUID

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic_core import to_jsonable_python

from toolhaft.jsonio.jsondata import to_json_data
from toolhaft.schema import format_patterns
from toolhaft.schema.checker import Checker
from toolhaft.schema.engine import is_linear, matcher
from toolhaft.schema.format_patterns import PATTERNS, WORDS, format_words
from toolhaft.schema.formats import FORMATS
from toolhaft.schema.gate import gate_of

MIDNIGHTS = ("2026-03-01T24:00:00Z", "2026-03-01T25:00", "2026-03-32", "2026-03-01T10:60")


def fits(name: str, text: str) -> bool:
    return matcher(PATTERNS[name])(text)


@given(when=st.datetimes(timezones=st.none() | st.just(dt.UTC)))
def test_what_python_writes_as_a_format_is_of_its_shape(when: dt.datetime) -> None:
    assert fits("date", when.date().isoformat())
    assert fits("time", when.timetz().isoformat())
    assert fits("time", when.timetz().isoformat("minutes"))
    for separator in "T ":
        assert fits("date-time", when.isoformat(separator))
        assert fits("date-time", when.isoformat(separator, "minutes"))


@given(span=st.timedeltas())
def test_what_is_written_for_a_timedelta_is_a_duration(span: dt.timedelta) -> None:
    assert fits("duration", to_json_data(span))
    if abs(span.days) < 365:  # pydantic writes years, which are no number of days
        assert fits("duration", to_jsonable_python(span))


@given(st.uuids())
def test_a_uuid_has_its_hyphens(made: UUID) -> None:
    assert fits("uuid", str(made))
    assert fits("uuid", str(made).upper())
    for text in (made.hex, f"{{{made}}}", made.urn, f"{made}\n"):
        assert not fits("uuid", text)


@pytest.mark.parametrize(
    ("name", "text", "right"),
    [
        ("date-time", "2026-03-01T10:00:00Z", True),
        ("date-time", "2026-03-01t10:00:00.123456789z", True),
        ("date-time", "2026-03-01 10:00:00-05:30", True),
        ("date-time", "2026-03-01T10:00", True),
        ("date-time", "2026-03-01T10", False),
        ("date-time", "2026-03-01", False),
        ("date-time", "2026-03-01_10:00", False),
        ("date-time", "2026-03-01T10:00:00+0100", False),
        ("date-time", "2026-03-01T10:00:00 Z", False),
        ("date-time", "20260301T100000Z", False),
        ("date-time", "1767225600", False),
        ("date-time", "2026-03-01T10:00:00Z\n", False),
        ("time", "09:00", True),
        ("time", "09:00:00.5+02:00", True),
        ("time", "9:00", False),
        ("time", "T09:00", False),
        ("time", "24:00", False),
        ("date", "2026-03-01", True),
        ("date", "2026-3-1", False),
        ("date", "2026-04-31", False),
        ("date", "2026-13-01", False),
        ("date-time", "2026-02-30T10:00", False),
        ("date-time", "2026-03-01T24:00", False),
        ("date-time", "2026-03-01T10:00+24:00", False),
        ("date", "2026-03-\u0660\u0661", False),
        ("duration", "P1Y2M3W4DT5H6M7.5S", True),
        ("duration", "P1Y4D", True),
        ("duration", "P2W", True),
        ("duration", "PT6M", True),
        ("duration", "-P1D", True),
        ("duration", "+PT0.5S", True),
        ("duration", "P", False),
        ("duration", "PT", False),
        ("duration", "P1DT", False),
        ("duration", "P1.5D", False),
        ("duration", "PT6M5H", False),
        ("duration", "P1D1D", False),
        ("duration", "1D", False),
        ("duration", "P1D\n", False),
        ("duration", "PT1,5S", False),
    ],
)
def test_a_text_has_a_format_or_not(name: str, text: str, right: bool) -> None:
    assert fits(name, text) is right


@given(st.integers(0, 9999), st.integers(0, 13), st.integers(0, 32))
@example(2024, 2, 29)
@example(2023, 2, 29)
@example(1900, 2, 29)
@example(2000, 2, 29)
@example(0, 2, 29)
def test_a_date_is_a_day_of_the_calendar(year: int, month: int, day: int) -> None:
    text = f"{year:04}-{month:02}-{day:02}"
    try:
        is_day = dt.date.fromisoformat(text).isoformat() == text
    except ValueError:
        is_day = False
    assert fits("date", text) is is_day


@pytest.mark.parametrize(
    ("pattern", "right", "wrong"),
    [
        (format_patterns.CLOCK, ("09:00", "09:00:00Z"), ("24:00", "09:60")),
        (format_patterns.ZONED_CLOCK, ("09:00Z", "09:00:00+02:00"), ("09:00", "09:00+25:00")),
        (format_patterns.LOCAL_CLOCK, ("09:00", "23:59:59.9"), ("09:00Z",)),
        (format_patterns.LOCAL, ("2026-02-28T09:00", "2026-02-28 09:00:00.5"), MIDNIGHTS),
        (format_patterns.DECIMAL, ("1", "-.5", "+1.", "1e-9"), ("", ".", "1,5", "NaN", "1 ")),
        (format_patterns.INTEGER_KEY, ("0", "-7", "10"), ("", "01", "+1", "1.0", "-")),
        (format_patterns.NUMBER_KEY, ("0", "-7.50", "1e289", "2e-9"), ("1e290", "01", ".5", "inf")),
        (format_patterns.SPAN, ("P1D", "-PT1.5S", "P1DT2H"), ("P1W", "P1Y", "P", "PT")),
    ],
)
def test_what_no_format_says_is_said_exactly(
    pattern: str, right: tuple[str, ...], wrong: tuple[str, ...]
) -> None:
    matches = matcher(pattern)
    assert ([*map(matches, right)], [*map(matches, wrong)]) == (
        [True] * len(right),
        [False] * len(wrong),
    )


@pytest.mark.parametrize("name", PATTERNS)
def test_texts_that_are_drawn_for_a_format_are_of_its_shape(name: str) -> None:
    texts = {FORMATS[name].draw(Random(seed)) for seed in range(300)}
    assert [text for text in texts if not fits(name, text)] == []


def test_dates_and_times_are_drawn_as_models_write_them() -> None:
    moments = {FORMATS["date-time"].draw(Random(seed)) for seed in range(300)}
    clocks = {text[11:] for text in moments}
    assert {text[10] for text in moments} == {"T", " "}
    assert any(len(clock) == len("10:00") for clock in clocks)
    assert any(clock.endswith("Z") for clock in clocks)
    spans = {FORMATS["duration"].draw(Random(seed))[0] for seed in range(300)}
    assert spans == {"P", "+", "-"}


@pytest.mark.parametrize(("pattern", "words"), WORDS.items())
def test_a_fault_is_told_by_the_name_of_the_format(pattern: str, words: str) -> None:
    issues = Checker({"type": "string", "pattern": pattern}).issues("\n")
    assert [str(issue) for issue in issues] == [f"expected {words}"]


@pytest.mark.parametrize("name", PATTERNS)
def test_the_gate_holds_text_to_its_format(name: str) -> None:
    gate = Checker(gate_of({"type": "string", "format": name}))
    right = FORMATS[name].draw(Random(0))
    assert gate.is_valid(right)
    assert [issue.message for issue in gate.issues("x")] == [f"expected {format_words(name)}"]
    assert not gate.is_valid(f"{right}\n")


@pytest.mark.requirement("schema-backtracking")
@pytest.mark.parametrize("pattern", [*WORDS, format_patterns.CLOCK])
def test_no_pattern_of_ours_goes_back_in_a_text(pattern: str) -> None:
    assert is_linear(pattern)


@pytest.mark.parametrize(
    ("text", "is_span"),
    [
        ("P1D", True), ("P1DT2H", True), ("-PT1M", True), ("PT1H2.5S", True), ("+PT0S", True),
        ("P", False), ("PT", False), ("P1DT", False), ("P1W", False), ("PT1S2M", False),
    ],
)  # fmt: skip
def test_a_span_has_days_or_a_time_of_them(text: str, is_span: bool) -> None:
    assert matcher(format_patterns.SPAN)(text) is is_span
