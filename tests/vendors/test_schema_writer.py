"""Python's patterns and time formats, said in ECMA-262 or not at all."""

from __future__ import annotations

import datetime as dt
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolhaft.schema.engine import matcher
from toolhaft.vendors import schema_writer


@pytest.mark.parametrize(
    ("pattern", "written"),
    [
        (r"a", "^(?:a)"),
        (r"^a", "^a"),
        (r"^a|b", "^(?:^a|b)"),
        (r"\Aa\Z", "^a$"),
        (r"\(?a\)?", r"^(?:\(?a\)?)"),
        (r"(?:a)(?=b)(?!c)(?<=a)(?<!b)", "^(?:(?:a)(?=b)(?!c)(?<=a)(?<!b))"),
        (r"\\Z", r"^(?:\\Z)"),
        (r"(?P<n>a)", None),
        (r"(?i:a)", None),
        (r"(?>a)", None),
        (r"(?#note)a", None),
    ],
)
def test_a_pattern_is_written_with_its_meaning_or_not(pattern: str, written: str | None) -> None:
    assert schema_writer.regex_pattern(re.compile(pattern)) == written


@pytest.mark.parametrize("flag", [re.IGNORECASE, re.MULTILINE, re.DOTALL, re.VERBOSE])
def test_a_flag_that_changes_the_meaning_is_not_written(flag: re.RegexFlag) -> None:
    assert schema_writer.regex_pattern(re.compile("a", flag)) is None


def test_a_pattern_of_bytes_or_one_that_no_engine_runs_is_not_written() -> None:
    assert schema_writer.regex_pattern(re.compile(b"a")) is None
    assert schema_writer.regex_pattern(re.compile("(a)(?<=\\1)(?(1)b)")) is None
    assert schema_writer.regex_pattern(re.compile("((a{1,999}){1,999}){1,999}")) is None


words = st.text(alphabet="ab1|^$", max_size=5)


@given(pattern=st.from_regex(r"\^?[ab1]{1,3}(\|[ab1]{1,2})?(\$|\\Z)?", fullmatch=True), text=words)
def test_a_pattern_accepts_what_python_matches(pattern: str, text: str) -> None:
    regex = re.compile(pattern)
    written = schema_writer.regex_pattern(regex)
    assert written is not None
    assert matcher(written)(text) == (regex.match(text) is not None)


@given(when=st.datetimes())
@pytest.mark.parametrize("format", ["%Y-%m-%dT%H:%M:%S.%fZ", "%d.%m.%Y (%H:%M)", "%%%Y/%m"])
def test_a_pattern_of_a_time_format_accepts_its_output(format: str, when: dt.datetime) -> None:
    written = schema_writer.strptime_pattern(format)
    assert written is not None
    text = when.strftime(format)
    if when.year >= 1000:  # strftime pads no earlier year on every platform
        assert matcher(written)(text)


@pytest.mark.parametrize("format", ["%b", "%z", "%j", "%"])
def test_a_time_format_that_depends_on_more_is_not_written(format: str) -> None:
    assert schema_writer.strptime_pattern(format) is None
