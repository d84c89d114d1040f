"""Calls in columns of any Arrow type are judged as their values are, one by one."""

from __future__ import annotations

import datetime as dt
import decimal
import json
import math
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.batch.test_fast_gate import ARGUMENTS, TYPED, whole_record
from toolhaft import tool
from toolhaft.batch import gate
from toolhaft.batch.calls import FIELDS, NotACall, read_calls
from toolhaft.batch.catalogue import Catalogue
from toolhaft.batch.column_gate import ColumnGate
from toolhaft.batch.columns import gate_schema, rows_of_lines, write_parquet
from toolhaft.batch.job import Job
from toolhaft.batch.pieces import cut
from toolhaft.batch.record import Record
from toolhaft.batch.summary import Summary
from toolhaft.batch.work import Worker

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

ANYTHING = {"type": "object"}
NUMBERS = {
    "type": "object",
    "properties": {
        "n": {"type": "integer"},
        "x": {"type": "number", "maximum": 1e300},
        "s": {"type": ["string", "null"]},
        "l": {"type": "array", "items": {"type": "integer"}},
    },
}
TOOLS = [
    tool(lambda a: a, name="any", description="Take anything.", input=ANYTHING),
    tool(lambda a: a, name="numbers", description="Take numbers.", input=NUMBERS),
]
JOB = Job(Catalogue(TOOLS))
BY_ID = Job(Catalogue(TOOLS, {"a": TOOLS[0], "n": TOOLS[1]}))

WHEN = st.integers(0, 1 << 32).map(lambda seconds: dt.datetime.fromtimestamp(seconds, dt.UTC))
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
FLOATS = st.sampled_from([0.5, -0.0, 2.0, math.nan, math.inf, -math.inf, 1e-5]) | st.floats()
# Each Arrow type with values for it; `pa.array` takes null in place of any.
LEAVES: list[tuple[Any, st.SearchStrategy[Any]]] = [
    *[(getattr(pa, f"int{bits}")(), st.integers(-(1 << bits - 1), (1 << bits - 1) - 1))
      for bits in (8, 16, 32, 64)],
    *[(getattr(pa, f"uint{bits}")(), st.integers(0, (1 << bits) - 1)) for bits in (8, 16, 32, 64)],
    (pa.float16(), st.floats(width=16)),
    (pa.float32(), st.floats(width=32)),
    (pa.float64(), FLOATS),
    (pa.bool_(), st.booleans()),
    (pa.decimal128(5, 2), st.decimals(-9, 9, places=2)),
    (pa.decimal256(50, 0), st.integers(-(10**49), 10**49).map(decimal.Decimal)),
    (pa.date32(), WHEN.map(dt.datetime.date)),
    (pa.date64(), WHEN.map(dt.datetime.date)),
    (pa.time32("s"), st.integers(0, 86_399)),
    (pa.time64("ns"), st.integers(0, 86_399 * 10**9)),
    (pa.timestamp("us"), WHEN),
    (pa.timestamp("ns"), st.integers(0, 1 << 60)),
    (pa.timestamp("s", "UTC"), st.integers(-(1 << 60), 1 << 60)),
    (pa.timestamp("ms", "Europe/Zurich"), WHEN),
    (pa.duration("ms"), st.integers(0, 10**9)),
    (pa.month_day_nano_interval(), st.tuples(*[st.integers(0, 99)] * 3)),
    (pa.string(), TEXT), (pa.large_string(), TEXT), (pa.string_view(), TEXT),
    (pa.binary(), st.binary(max_size=4)), (pa.binary(2), st.binary(min_size=2, max_size=2)),
    (pa.null(), st.none()),
    *[(pa.dictionary(pa.int8(), kind), st.sampled_from(["a", "b", "any", '{"n": 1}']))
      for kind in (pa.string(), pa.large_string())],
    (pa.dictionary(pa.uint16(), pa.int64()), st.integers(0, 3)),
    (pa.large_binary(), st.binary(max_size=4)), (pa.binary_view(), st.binary(max_size=4)),
]  # fmt: skip
Typed = tuple[Any, st.SearchStrategy[Any]]


class Wrapped(pa.ExtensionType):  # type: ignore[misc, name-defined]  # no types in pyarrow
    """A type of someone else's, whose values are those of another."""

    def __init__(self, kind: Any) -> None:
        super().__init__(kind, "toolhaft.wrapped")

    def __arrow_ext_serialize__(self) -> bytes:
        return b""


# Types with values for what they are stored as.
STORED: list[Typed] = [
    *[(Wrapped(kind), values) for kind, values in LEAVES[:12]],
    (Wrapped(pa.string()), TEXT | st.sampled_from(["any", "{}"])),
    (pa.uuid(), st.binary(min_size=16, max_size=16)),
    (pa.bool8(), st.integers(0, 1)),
    (pa.opaque(pa.binary(), "kind", "vendor"), st.binary(max_size=4)),
]


def _listed(item: Typed, make: Callable[[Any], Any], size: int | None) -> Typed:
    kind, values = item
    return make(kind), st.lists(st.none() | values, min_size=size or 0, max_size=size or 3)


def _mapped(item: Typed) -> Typed:
    return pa.map_(pa.string(), item[0]), st.lists(st.tuples(TEXT, item[1]), max_size=2)


def _struct(fields: dict[str, Typed]) -> Typed:
    kind = pa.struct([(name, kind) for name, (kind, _) in fields.items()])
    return kind, st.fixed_dictionaries(
        {}, optional={k: st.none() | v for k, (_, v) in fields.items()}
    )


def _nested(inner: st.SearchStrategy[Typed]) -> st.SearchStrategy[Typed]:
    names = st.sampled_from(["n", "x", "s", "l", "other"])
    return st.one_of(
        inner.map(partial(_listed, make=pa.list_, size=None)),
        inner.map(partial(_listed, make=pa.large_list, size=None)),
        inner.map(partial(_listed, make=lambda kind: pa.list_(kind, 2), size=2)),
        inner.map(partial(_listed, make=pa.list_view, size=None)),
        inner.map(_mapped),
        st.dictionaries(names, inner, max_size=4).map(_struct),
    )


LEAF = st.sampled_from(LEAVES)
ANY_LEAF = LEAF | st.sampled_from(STORED)
STRUCT = st.dictionaries(
    st.sampled_from(["n", "x", "s", "l"]), st.recursive(LEAF, _nested, max_leaves=4), min_size=1
).map(_struct)


def _array(values: list[Any], kind: Any) -> Any:
    if isinstance(kind, pa.BaseExtensionType):
        return pa.ExtensionArray.from_storage(kind, pa.array(values, kind.storage_type))
    return pa.array(values, kind)


@st.composite
def columns(draw: st.DrawFn, kinds: st.SearchStrategy[Typed]) -> Any:
    """Draw a column: of chunks, some empty, each a slice of a longer one."""
    kind, values = draw(kinds)
    chunks = draw(st.lists(st.lists(st.none() | values, max_size=5), min_size=1, max_size=3))
    arrays = [
        _array(chunk, kind).slice(draw(st.integers(0, 2)), draw(st.integers(0, 5)))
        for chunk in chunks
    ]
    if draw(st.booleans()) and pa.types.is_primitive(kind):
        arrays = [array.dictionary_encode() for array in arrays]
    return pa.chunked_array(arrays, arrays[0].type)


def one_by_one(table: Any, job: Job = JOB) -> list[Record]:
    """Judge each row of a table alone, from the values that pyarrow has for it."""
    records = []
    for number in range(table.num_rows):
        row: dict[str, Any] | NotACall
        row = values = {}
        for name in table.column_names:
            try:
                values[name] = table.column(name)[number].as_py()
            except Exception:  # noqa: BLE001 - a value without a form in Python
                row = NotACall(f"{name}: a value that cannot be read as data")
                break
        records += [whole_record(job, number, call) for _, call in read_calls(row, FIELDS)]
    return records


def plain(record: Record) -> tuple[Any, ...]:
    call = record.call
    return (
        record.line, None if call is None or call.id is None else str(call.id),
        call and call.name, record.kind, record.arguments_text,
        [(found["path"], found["rule"]) for found in record.written_coercions],
        [tuple(found.values()) for found in record.written_issues], record.text,
    )  # fmt: skip


def gated(table: Any, job: Job = JOB) -> list[tuple[Any, ...]]:
    batches = ColumnGate(job, gate_schema(), escapes=False).rows(table.to_batches(), 0, Summary())
    return [
        (
            row["row"], row["id"], row["tool"], row["kind"], row["arguments"],
            [(found["path"], found["rule"]) for found in row["coercions"]],
            [tuple(v for v in found.values() if v is not None) for found in row["issues"]],
            row["text"],
        )
        for batch in batches
        for row in batch.to_pylist()
    ]  # fmt: skip


@pytest.mark.requirement("batch-columns")
@given(columns(st.one_of(STRUCT, ANY_LEAF, LEAF.map(_mapped))), st.sampled_from(["any", "numbers"]))
def test_arguments_of_any_type_are_judged_as_their_values_are(arguments: Any, name: str) -> None:
    table = pa.table({"name": [name] * len(arguments), "arguments": arguments})
    assert gated(table) == [plain(record) for record in one_by_one(table)]


@pytest.mark.requirement("batch-columns")
@given(columns(ANY_LEAF), columns(ANY_LEAF), columns(ANY_LEAF))
def test_ids_and_names_of_any_type_are_read_as_their_values_are(
    ids: Any, names: Any, tool_ids: Any
) -> None:
    rows = min(len(ids), len(names), len(tool_ids))
    columns = {"id": ids[:rows], "name": names[:rows], "arguments": ["{}"] * rows}
    for table in (pa.table(columns), pa.table({**columns, "tool_id": tool_ids[:rows]})):
        for job in (JOB, BY_ID):
            assert gated(table, job) == [plain(record) for record in one_by_one(table, job)]


CALL = st.fixed_dictionaries(
    {
        "id": st.none() | TEXT,
        "name": st.sampled_from(["any", "numbers", "numbers", "nope", "", None]),
        "tool_id": st.sampled_from(["a", "n", "x", None]),
        "arguments": st.none()
        | st.sampled_from(['{"n": 1}', '{"n":\n1}', '{"n": "1"}', '{"n": []}', "{}", "{'n': 2}"]),
    }
)
CALL_SCHEMA = pa.schema([(name, pa.string()) for name in ("id", "name", "tool_id", "arguments")])


@pytest.mark.requirement("batch-columns")
@given(st.lists(st.lists(CALL, max_size=4), min_size=1, max_size=4), st.booleans())
def test_rows_keep_their_places_whatever_becomes_of_those_around(
    chunks: list[list[dict[str, Any]]], by_id: bool
) -> None:
    columns = CALL_SCHEMA.names if by_id else ["id", "name", "arguments"]
    parts = [pa.Table.from_pylist(chunk, CALL_SCHEMA).select(columns) for chunk in chunks]
    table = pa.concat_tables(parts)
    job = BY_ID if by_id else JOB
    assert gated(table, job) == [plain(record) for record in one_by_one(table, job)]


@pytest.mark.parametrize("is_struct", [False, True])
def test_a_part_ends_where_no_row_can_tell(is_struct: bool) -> None:
    rows: list[dict[str, Any]] = [
        {"name": "numbers", "arguments": {"n": n, "s": "x"}}
        for n in [1, *[2.5] * is_struct, *range(99)]
    ]
    rows[50]["name"] = "nope"
    if not is_struct:
        rows = [{**row, "arguments": json.dumps(row["arguments"])} for row in rows]
    repeats = 4200 // len(rows)
    some = pa.Table.from_pylist(rows)
    whole = [row[1:] for row in gated(pa.concat_tables([some] * repeats).combine_chunks())]
    assert whole == [row[1:] for row in gated(some)] * repeats


@pytest.mark.requirement("batch-columns")
def test_columns_of_calls_that_all_pass_keep_their_memory() -> None:
    columns = {"name": ["any", "any"], "arguments": ['{"n": 1}', '{"n": 2}'], "id": ["a", "b"]}
    table = pa.table(columns)
    rows = gate(table, TOOLS)
    for name in columns:
        [sent], [kept] = table[name].chunks, rows["tool" if name == "name" else name].chunks
        assert kept.buffers()[2].address == sent.buffers()[2].address


@pytest.mark.requirement("batch-columns")
@pytest.mark.parametrize("column", ["id", "name", "arguments", "tool_id"])
def test_bytes_that_are_not_utf_8_spoil_their_row_only(column: str) -> None:
    columns: dict[str, Any] = {
        "id": ["a", "b"], "name": ["any", "any"], "arguments": ["{}", "{}"],
        "tool_id": pa.array([None, None], pa.string()),
    }  # fmt: skip
    spoiled = pa.array([b"\xff", None if column == "tool_id" else columns[column][1].encode()])
    columns[column] = pa.Array.from_buffers(pa.string(), 2, spoiled.buffers())
    rows = gate(pa.table(columns), TOOLS).to_pylist()
    assert [(row["kind"], row["id"]) for row in rows] == [("invalid", None), ("accepted", "b")]
    assert [found["message"] for found in rows[0]["issues"]] == ["not UTF-8"]


ROW = st.fixed_dictionaries(
    {
        "id": st.none() | TEXT,
        "name": st.sampled_from(["point", "line", "box", "loose", "lo", "\u202e", None]),
        "arguments": st.none() | ARGUMENTS.filter(str.isprintable) | TEXT,
    }
)


def file_rows(worker: Worker, path: Path, target: Path) -> tuple[list[Any], Summary]:
    """Gate a file, piece by piece; return its rows as a file has them, and their counts."""
    summary, packed = Summary(), b""
    for piece in cut(str(path), at_once=100):
        done = worker.rows(piece)
        packed += done.rows or b""
        summary.merge(done.summary)
    if target.suffix != ".parquet":
        return list(rows_of_lines(packed.decode().splitlines(keepends=True))), summary
    (target.parent / "rows").write_bytes(packed)
    write_parquet(target.parent / "rows", target)
    rows = parquet.read_table(target).to_pylist()
    for row in rows:
        row["issues"] = [
            {k: v for k, v in found.items() if v is not None} for found in row["issues"]
        ]
    return [tuple(row.values()) for row in rows], summary


@pytest.mark.requirement("batch-columns")
@given(st.lists(ROW, min_size=1, max_size=8))
def test_parquet_gives_and_takes_the_rows_that_lines_do(
    tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, Any]]
) -> None:
    folder = tmp_path_factory.mktemp("rows")
    lines, columns = folder / "calls.jsonl", folder / "calls.parquet"
    lines.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    schema = pa.schema([("id", pa.string()), ("name", pa.string()), ("arguments", pa.string())])
    parquet.write_table(pa.Table.from_pylist(rows, schema), columns, row_group_size=3)
    expected, counted = file_rows(Worker(TYPED), lines, folder / "out.jsonl")
    for calls in (lines, columns):
        for name in ("out.jsonl", "out.parquet"):
            found, counts = file_rows(Worker(TYPED, name), calls, folder / name)
            assert found == expected
            assert {**counts.counts(), "named": {}} == {**counted.counts(), "named": {}}
