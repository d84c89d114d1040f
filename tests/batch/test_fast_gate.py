"""The fast path gives the bytes of the whole way, over all that was recorded and more."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import pydantic
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.share import step
from toolhaft import Err, from_json, tool
from toolhaft.batch.calls import FIELDS, Call, NotACall, read_calls
from toolhaft.batch.catalogue import Catalogue
from toolhaft.batch.fast_gate import FastGate
from toolhaft.batch.job import Job
from toolhaft.batch.lines import Line
from toolhaft.batch.record import Record
from toolhaft.batch.row_writers import LineRows
from toolhaft.batch.summary import Summary
from toolhaft.batch.typed_rows import plain_reader
from toolhaft.jsonio.primitives import native

DATA = Path(__file__).parents[3] / "shared" / "data"


class Point(pydantic.BaseModel):
    x: float
    y: int = 0


class Line3(msgspec.Struct):
    ends: list[int]
    name: str = "line"


@dataclass
class Box:
    wide: int
    tags: list[str]


@tool
def point(point: Point, factor: float = 1.0) -> str:
    """Take a point."""
    return f"{point} {factor}"


@tool(input=Line3)
def line(value: Line3) -> str:
    """Take a line."""
    return str(value)


@tool
def box(box: Box, note: str = "") -> str:
    """Take a box."""
    return f"{box} {note}"


@tool(extra="ignore")
def loose(n: int) -> int:
    """Take a number."""
    return n


TYPED = Job(Catalogue([point, line, box, loose]))


def whole_record(job: Job, number: int, call: Call | NotACall) -> Record:
    """Judge a call by the whole of the boundary, as for a person's approval."""
    record, tool = job.gate(number, call)
    if tool is None or isinstance(call, NotACall):
        return record
    raw, prepared = call.arguments, tool.prepare(call.arguments)
    if isinstance(prepared, Err):
        return Record.of(number, call, prepared)
    as_sent = isinstance(raw, str) and not prepared.coercions and _data(raw) == prepared.json
    text = raw.replace("\n", " ").replace("\r", " ") if as_sent else None
    return Record.of(number, call, text or (prepared.json, prepared.coercions))


def both_ways(job: Job, lines: list[bytes]) -> tuple[list[str], list[str], Summary, Summary]:
    """Return the rows of the fast path and of the whole one, and the counts of both."""
    numbered = [Line(n, text) for n, text in enumerate(lines, start=1)]
    fast, whole = Summary(), Summary()
    fast_rows = list(FastGate(job, LineRows()).rows(numbered, fast))
    records = [
        whole_record(job, number, call)
        for number, row in map(job.read_line, numbered)
        for _, call in read_calls(row, job.fields)
    ]
    for record in records:
        whole.add(record)
    return fast_rows, [record.text_row() for record in records], fast, whole


def assert_alike(job: Job, lines: list[bytes]) -> None:
    fast_rows, whole_rows, fast, whole = both_ways(job, lines)
    assert fast_rows == whole_rows
    assert fast.counts() == whole.counts()
    assert all(json.loads(row) for row in fast_rows)


def recorded(name: str, every: int) -> Iterator[bytes]:
    with gzip.open(DATA / name) as lines:
        yield from islice(lines, 0, None, every)


@pytest.mark.unmeasured
@pytest.mark.requirement("batch-fast-path")
@pytest.mark.skipif(not DATA.is_dir(), reason="the recorded calls are not here")
def test_recorded_calls_have_the_same_bytes_on_both_code_paths() -> None:
    every = 7 * step() if step() > 1 else 1
    lines = [
        text.strip()
        for name in ("calls_valid.jsonl.gz", "calls_failing.jsonl.gz")
        for text in recorded(name, every)
    ]
    wanted = {json.loads(text)["tool_id"] for text in lines}
    ids: dict[str, Any] = {}
    for row in map(json.loads, recorded("tools_for_calls.jsonl.gz", 1)):
        if row["id"] in wanted:
            [ids[row["id"]]] = from_json([row])
    assert_alike(Job(Catalogue(ids.values(), ids)), lines)


def _data(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


ARGUMENTS = st.one_of(
    st.sampled_from(
        [
            '{"point": {"x": 1.5}}',
            '{"point":{"x":1,"y":2.0},"factor":3}',
            '{"point": {"x": "1.5", "y": 2}}',
            '{"point": {"x": 1e400}}',
            '{"point": {"x": 1,\n"y": 2}}',
            '{"p\\u006fint": {"x": 1}}',
            '{"ends": [1, 2], "name": "\\u202e"}',
            '{"ends": [1.0], "name": "Z\u00fcrich \u200b"}',
            '{"ends": [12345678901234567890]}',
            '{"ends": [1], "ends": [2]}',
            '{"box": {"wide": 1, "tags": ["a"]}}',
            '{"box": {"wide": true, "tags": []}, "note": "\\ud800"}',
            '{"box": {"wide": 1, "tags": [], "more": 1}}',
            '{"n": 1}',
            '{"n": 1, "m": 2}',
            '{"n": 4503599627370497.5}',
            "{'n': 1}",
            '{"n": ',
            "",
            "null",
            "[1]",
            " {} ",
        ]
    ),
    st.text(max_size=20),
)
ROW = st.fixed_dictionaries(
    {"name": st.sampled_from(["point", "line", "box", "loose", "lo", "\u202e"])},
    optional={
        "arguments": st.one_of(ARGUMENTS, ARGUMENTS.map(_data), st.none(), st.integers()),
        "id": st.one_of(st.none(), st.text(max_size=5), st.integers(), st.floats(), st.booleans()),
        "tool_id": st.one_of(st.none(), st.text(max_size=3)),
        "type": st.sampled_from(["function", "call"]),
        "more": st.recursive(
            st.one_of(st.none(), st.text(max_size=5), st.integers(), st.booleans()),
            lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=3), inner),
            max_leaves=5,
        ),
    },
)


@pytest.mark.requirement("batch-fast-path")
@given(st.lists(ROW, max_size=8), st.booleans())
def test_rows_of_every_kind_have_the_same_bytes_on_both_code_paths(
    rows: list[dict[str, Any]], is_ascii: bool
) -> None:
    lines = [
        json.dumps(row, ensure_ascii=is_ascii).encode("utf-8", "surrogatepass") for row in rows
    ]
    assert_alike(TYPED, [*lines, *lines])


# Values that msgspec accepts and strict JSON rejects, or the reverse, in a field of the row.
ODD_ROWS = [
    b'{"id":"a","name":"loose","arguments":"{\\"n\\": 1}","x":%s}' % value
    for value in (
        b'"a"', b'"\\ud800"', b'"\xff"', b'"\xc3"', b"1e999", b"NaN", b"-0", b"1.0", b"01", b"nul",
        b'{"a":1,"a":2}', b'{"a":"\\""}', b'"\\\\"', b'"\\\\\\""', b"[" * 70 + b"]" * 70,
        b'"a","x":"b"', b'"a","id":"b"', b'"a" ', b'"a"}{', b'"\x01"', b"[1,]", b"1" * 5000,
    )
]  # fmt: skip


@pytest.mark.requirement("batch-fast-path")
@pytest.mark.parametrize("odd", ODD_ROWS)
@pytest.mark.parametrize("sample", [ODD_ROWS[0], ODD_ROWS[6], ODD_ROWS[7], ODD_ROWS[11]])
def test_a_typed_row_lets_nothing_pass_that_strict_reading_refuses(
    sample: bytes, odd: bytes
) -> None:
    assert_alike(TYPED, [sample, odd, sample, odd])


def test_a_layout_is_read_by_type_and_vouches_only_for_its_own() -> None:
    sample = {"id": "a", "name": "f", "arguments": "{}"}
    read = plain_reader(sample, FIELDS)
    assert read is not None
    call = read(b'{"id":null,"name":"g","arguments":"{\\"a\\":1}"}')
    # By a type the layout says what is text.
    assert call == (None if native else (None, "g", '{"a":1}', None, False))
    call = read(b'{"id":"b","name":"g","arguments":"{\\"a\\":1}"}')
    assert call is not None
    assert call == ("b", "g", '{"a":1}', None, False)
    assert read(b'{"id":"b","name":"g","arguments":"{}","more":1}') is None
    assert read(b'{"id":"b","id":"b","name":"g","arguments":"{}"}') is None
    assert plain_reader({"type": "function", "name": "f"}, FIELDS) is None
    assert plain_reader({"name": 5}, FIELDS) is None


class Part(msgspec.Struct, rename="camel"):
    max_size: Annotated[int, msgspec.Meta(ge=0)]
    kind: Literal["k", "c"] = "k"
    level: Literal[3, 5] = 3


class Even(msgspec.Struct, tag="even"):
    n: int

    def __post_init__(self) -> None:
        if self.n % 2:
            raise ValueError("odd")


class Other(msgspec.Struct, tag="other"):
    n: int | float | None


class Whole(msgspec.Struct):
    parts: list[Part]
    one: Even | Other
    pair: tuple[int, float] = (0, 0.0)
    named: dict[str, float] = {}
    several: set[int] = set()


@tool(input=Whole)
def whole(value: Whole) -> str:
    """Take a whole."""
    return str(value)


ODD_NUMBERS = [
    "1", "-0", "1.0", "2.5", "1e2", "1e400", "1e-400", "4503599627370497.5", "9007199254740993",
    "12345678901234567890123", "null", "true", '"1"', '"k"', "[]",
]  # fmt: skip
NUMBER = st.sampled_from([*["0", "2", "4"] * 15, *ODD_NUMBERS])
FRACTION = st.sampled_from([*["0.5", "2.5", "0.1"] * 15, *ODD_NUMBERS])
WHOLE = st.builds(
    '{{"parts":[{{"{}":{},"kind":{},"level":{}}}],"one":{{"type":"{}","n":{}}}{}}}'.format,
    st.sampled_from([*["maxSize"] * 9, "max_size"]),
    NUMBER,
    st.sampled_from([*['"k"', '"c"'] * 4, '"d"', "3"]),
    st.sampled_from([*["3", "5"] * 4, "3.0", "4"]),
    st.sampled_from([*["even", "other"] * 4, "none"]),
    NUMBER,
    st.one_of(
        st.just(""),
        st.builds(',"pair":[{},{}]'.format, NUMBER, FRACTION),
        st.builds(
            ',"named":{{"a":{},"{}":{}}}'.format, FRACTION, st.sampled_from("abcd"), FRACTION
        ),
        st.builds(',"several":[{},{}]'.format, NUMBER, NUMBER),
        st.builds(',"more":{}'.format, NUMBER),
    ),
)


@pytest.mark.requirement("batch-fast-path")
@settings(max_examples=300)
@given(WHOLE)
def test_msgspec_takes_no_text_at_once_that_it_refuses_as_data(text: str) -> None:
    line = json.dumps({"name": "whole", "arguments": text}).encode()
    assert_alike(Job(Catalogue([whole])), [line, line])


def test_the_memory_of_names_and_ids_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolhaft.batch.fast_gate.MOST_TARGETS", 3)
    gate = FastGate(TYPED, LineRows())
    names = ["box", "a", "b", "c", "d", "x" * 1000]
    lines = [json.dumps({"name": name, "arguments": "{}"}).encode() for name in names * 2]
    rows = list(gate.rows([Line(n, text) for n, text in enumerate(lines, 1)], Summary()))
    assert [json.loads(row)["tool"] for row in rows] == names * 2
    assert len(gate._targets) <= 3
    assert all(len(name) < 1000 for name, *_ in gate._targets)
    assert_alike(TYPED, lines)


@pytest.mark.requirement("batch-fast-path")
def test_most_valid_calls_take_the_fast_path() -> None:
    lines = [
        b'{"name":"point","arguments":"{\\"point\\": {\\"x\\": 1.5}}"}',
        b'{"name":"line","arguments":{"ends":[1,2]}}',
        b'{"name":"box","arguments":"{\\"box\\": {\\"wide\\": 1, \\"tags\\": []}}"}',
    ]
    gate = FastGate(TYPED, LineRows())
    numbered = [Line(n, text) for n, text in enumerate(lines, 1)]
    first = list(gate.rows(numbered, Summary()))
    gate.job = None  # type: ignore[assignment]  # once a layout and a tool are known, it is not asked
    assert list(gate.rows(numbered, Summary())) == first
    assert [json.loads(row)["kind"] for row in first] == ["accepted"] * 3
