"""Every kind of input gives the same rows: plain, packed, in pieces, in groups, by a pattern."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import Run

CALLS: list[dict[str, Any]] = [
    {"id": f"c{n}", "name": "add", "arguments": json.dumps({"a": n})} for n in range(5)
]


def text_of(calls: list[dict[str, Any]]) -> bytes:
    return b"".join(json.dumps(call).encode() + b"\n" for call in calls)


def to_parquet(calls: list[dict[str, Any]], path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pa.Table.from_pylist(calls), path, row_group_size=2)


def to_zstd(calls: list[dict[str, Any]], path: Path) -> None:
    zstandard = pytest.importorskip("zstandard")
    path.write_bytes(zstandard.ZstdCompressor().compress(text_of(calls)))


@pytest.mark.requirement("batch-inputs")
@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("c.jsonl", lambda calls, path: path.write_bytes(text_of(calls))),
        ("c.jsonl.gz", lambda calls, path: path.write_bytes(gzip.compress(text_of(calls)))),
        ("c.jsonl.zst", to_zstd),
        ("c.parquet", to_parquet),
    ],
)
def test_calls_are_read_from_any_packing(
    run: Run,
    tools: str,
    tmp_path: Path,
    name: str,
    write: Callable[[list[dict[str, Any]], Path], object],
) -> None:
    write(CALLS, tmp_path / name)
    rows = run("batch", tools, str(tmp_path / name), "-o", "-").rows
    assert [(row["line"], row["id"], row["kind"]) for row in rows] == [
        (n + 1, f"c{n}", "accepted") for n in range(5)
    ]


def gzipped(text: bytes) -> bytes:
    return gzip.compress(text)


def zstandard_compressed(text: bytes) -> bytes:
    zstandard = pytest.importorskip("zstandard")
    packed: bytes = zstandard.ZstdCompressor(write_checksum=True).compress(text)
    return packed


@pytest.mark.requirement("batch-inputs")
@pytest.mark.parametrize("pack", [gzipped, zstandard_compressed])
def test_packed_texts_in_a_row_are_one_text(
    run: Run, tools: str, tmp_path: Path, pack: Callable[[bytes], bytes]
) -> None:
    path = tmp_path / "calls"
    path.write_bytes(b"".join(pack(text_of([call])) for call in CALLS))
    rows = run("batch", tools, str(path), "-o", "-").rows
    assert [row["id"] for row in rows] == ["c0", "c1", "c2", "c3", "c4"]


@pytest.mark.requirement("batch-inputs")
@pytest.mark.parametrize("left", [2, 20])
@pytest.mark.parametrize("pack", [gzipped, zstandard_compressed])
def test_a_packed_file_that_was_cut_off_is_not_taken_for_a_whole_one(
    run: Run, tools: str, tmp_path: Path, pack: Callable[[bytes], bytes], left: int
) -> None:
    path, out = tmp_path / "calls", tmp_path / "out.jsonl"
    path.write_bytes(pack(text_of(CALLS[:2])) + pack(text_of(CALLS[2:]))[:left])
    ran = run("batch", tools, str(path), "-o", str(out))
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert ran.err.startswith(f"error: {path}: cannot be read: Compressed file ended before")
    assert not out.exists()


def damaged_gzip(path: Path) -> None:
    packed = bytearray(gzip.compress(text_of(CALLS)))
    packed[-8] ^= 1  # of the checksum: RFC 1952, 2.3
    path.write_bytes(packed)


def damaged_zstd(path: Path) -> None:
    packed = bytearray(zstandard_compressed(text_of(CALLS)))
    packed[-1] ^= 1
    path.write_bytes(packed)


def damaged_parquet(path: Path) -> None:
    to_parquet(CALLS, path)
    data = bytearray(path.read_bytes())
    data[4:40] = bytes(36)  # the header of the first page
    path.write_bytes(data)


def cut_parquet(path: Path) -> None:
    to_parquet(CALLS, path)
    path.write_bytes(path.read_bytes()[:-9])


@pytest.mark.requirement("batch-inputs")
@pytest.mark.parametrize("damage", [damaged_gzip, damaged_zstd, damaged_parquet, cut_parquet])
def test_a_damaged_file_is_a_one_line_error_and_the_run_resumes_once_it_is_fixed(
    run: Run, tools: str, tmp_path: Path, damage: Callable[[Path], None]
) -> None:
    first, second, third = paths = [tmp_path / name for name in "abc"]
    out = tmp_path / "out.jsonl"
    first.write_bytes(text_of(CALLS[:1]))
    damage(second)
    third.write_bytes(text_of(CALLS[2:]))
    command = ("batch", tools, *map(str, paths), "-o", str(out))
    ran = run(*command)
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert ran.err.startswith(f"error: {second}: cannot be read: ")
    assert not out.exists()
    second.write_bytes(text_of(CALLS[1:2]))
    assert run(*command, "--resume").code == 0
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [row["id"] for row in rows] == ["c0", "c1", "c2", "c3", "c4"]


@pytest.mark.requirement("batch-inputs")
def test_a_missing_file_is_reported_before_any_work(run: Run, tools: str, tmp_path: Path) -> None:
    path, out = tmp_path / "calls.jsonl", tmp_path / "out.jsonl"
    path.write_bytes(text_of(CALLS))
    ran = run("batch", tools, str(path), f"{tmp_path}/b.jsonl", "-o", str(out))
    assert ran == (2, "", f"error: {tmp_path}/b.jsonl: no such file\n")
    assert sorted(tmp_path.iterdir()) == [path, Path(tools)]


@pytest.mark.requirement("batch-inputs")
def test_a_row_of_parquet_that_is_not_utf_8_is_one_invalid_row(
    run: Run, tools: str, tmp_path: Path
) -> None:
    pa = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "calls.parquet"
    texts = pa.array([b'{"a":1}', b"\xff", b'{"a":3}'], pa.binary()).view(pa.string())
    parquet.write_table(pa.table({"name": ["add"] * 3, "arguments": texts}), path)
    ran = run("batch", tools, str(path), "-o", "-")
    assert [(row["line"], row["kind"]) for row in ran.rows] == [
        (1, "accepted"),
        (2, "invalid"),
        (3, "accepted"),
    ]
    assert ran.rows[1]["issues"][0]["message"] == "not UTF-8"
    assert ran.code == 1


@pytest.mark.requirement("batch-columns")
def test_parquet_without_the_columns_of_calls_is_one_error_and_not_a_row_each(
    run: Run, tools: str, tmp_path: Path
) -> None:
    path = tmp_path / "calls.parquet"
    to_parquet([{"name": "add", "args": "{}"}], path)
    ran = run("batch", tools, str(path), "-o", str(tmp_path / "out.parquet"))
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == (
        f"error: {path}: no column arguments; the columns are name, args: "
        "name and arguments are needed, or messages\n"
    )
    to_parquet([{"call": "add", "args": '{"a":1}'}], path)
    fields = ("--name-field", "call", "--arguments-field", "args")
    ran = run("batch", tools, str(path), "-o", "-", *fields)
    assert [row["kind"] for row in ran.rows] == ["accepted"]


@pytest.mark.requirement("batch-columns")
def test_arguments_in_a_column_of_objects_are_judged_with_their_nulls(
    run: Run, tools: str, tmp_path: Path
) -> None:
    path = tmp_path / "calls.parquet"
    calls = [{"name": "add", "arguments": {"a": n}} for n in (1, None)]
    to_parquet(calls, path)
    rows = run("batch", tools, str(path), "-o", "-").rows
    assert [row["arguments"] for row in rows] == [{"a": 1}, None]


@pytest.mark.requirement("batch-inputs")
def test_patterns_expand_to_their_files_in_alphabetical_order(
    run: Run, tools: str, tmp_path: Path
) -> None:
    for name, calls in (("b.jsonl", CALLS[2:]), ("a.jsonl", CALLS[:2])):
        (tmp_path / name).write_bytes(text_of(calls))
    rows = run("batch", tools, str(tmp_path / "*.jsonl"), "-o", "-").rows
    assert [row["id"] for row in rows] == ["c0", "c1", "c2", "c3", "c4"]
    ran = run("batch", tools, str(tmp_path / "*.json"))
    assert (ran.code, ran.err) == (2, f"error: {tmp_path}/*.json: no such file\n")


@pytest.mark.requirement("batch-messages")
def test_each_call_of_a_conversation_is_a_row_with_its_place(
    run: Run, tools: str, tmp_path: Path
) -> None:
    def call(key: str, **arguments: Any) -> dict[str, Any]:
        function = {"name": "add", "arguments": json.dumps(arguments)}
        return {"id": key, "type": "function", "function": function}

    conversation = [
        {"role": "user", "content": "Add."},
        {"role": "assistant", "tool_calls": [call("x", a=1), call("y", a="one"), "none"]},
        {"role": "tool", "content": "1"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "z", "name": "nope"}]},
    ]
    path = tmp_path / "calls.jsonl"
    path.write_bytes(text_of([{"messages": conversation}, {"messages": []}, CALLS[0]]))
    rows = run("batch", tools, str(path), "-o", "-").rows
    assert [
        (row["line"], row.get("message"), row.get("index"), row["id"], row["kind"]) for row in rows
    ] == [
        (1, 1, 0, "x", "accepted"),
        (1, 1, 1, "y", "invalid_input"),
        (1, 1, 2, None, "invalid"),
        (1, 3, 0, "z", "unknown_tool"),
        (3, None, None, "c0", "accepted"),
    ]


@pytest.mark.requirement("batch-parquet")
def test_rows_can_be_written_as_parquet(run: Run, tools: str, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    path, out = tmp_path / "calls.jsonl", tmp_path / "out.parquet"
    path.write_bytes(text_of([*CALLS[:1], {"name": "add", "arguments": {"a": "2"}}]) + b"no\n")
    assert run("batch", tools, str(path), "-o", str(out)).code == 1
    columns = ["line", "id", "kind", "arguments", "coercions"]
    rows = parquet.read_table(out, columns=columns).to_pylist()
    assert [tuple(row.values()) for row in rows] == [
        (1, "c0", "accepted", '{"a": 0}', []),
        (2, None, "accepted", '{"a":2}', [{"path": "/a", "rule": "number_text"}]),
        (3, None, "invalid", None, []),
    ]


@pytest.mark.requirement("batch-parquet")
def test_parquet_has_the_same_texts_as_the_lines(run: Run, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    declared = {"name": "take", "description": "Take it.", "input_schema": {"type": "object"}}
    (tmp_path / "tools.json").write_text(json.dumps([declared]))
    texts = ['{"n": 1.50, "m": 1e2}', f'{{"n":{10**400}}}', r'{"n":"\u00e9é\u202e"}', "{'n': 2.0}"]
    calls = [{"id": 10**30, "name": "take", "arguments": text} for text in texts]
    (tmp_path / "calls.jsonl").write_bytes(text_of(calls))
    command = ("batch", str(tmp_path / "tools.json"), str(tmp_path / "calls.jsonl"), "-o")
    assert run(*command, str(tmp_path / "out.jsonl")).code == 0
    assert run(*command, str(tmp_path / "out.parquet")).code == 0
    lines = (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()
    spellings = [line.split('"arguments":')[1].split(',"coercions"')[0] for line in lines]
    rows = parquet.read_table(tmp_path / "out.parquet").to_pylist()
    assert [row["arguments"] for row in rows] == spellings
    assert spellings[:2] == texts[:2]
    assert {row["id"] for row in rows} == {str(10**30)}
