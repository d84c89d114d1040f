"""Inputs are cut into pieces of whole lines, and nothing is between two pieces."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolhaft.batch.calls import TooLong
from toolhaft.batch.compression import Unreadable
from toolhaft.batch.lines import Text, cut_text, split_lines
from toolhaft.batch.parquet import ParquetReader
from toolhaft.batch.pieces import Piece, Position, cut
from toolhaft.batch.record import Record
from toolhaft.batch.summary import Summary
from toolhaft.batch.work import Done, take_apart

CALLS = b"".join(
    json.dumps({"id": f"c{n}", "name": "add", "arguments": {"a": n}}).encode() + b"\n"
    for n in range(5)
)


def texts(text: Text, limit: int) -> Iterator[tuple[int, bytes | str]]:
    """The lines of a text, with the reason for one that is too long."""
    for number, line in split_lines(text, limit):
        yield number, line.reason if isinstance(line, TooLong) else line


def reader(text: bytes, at_once: int) -> Callable[[int], bytes]:
    """Read at most so many bytes at a time, as a pipe gives them."""
    position = 0

    def read(size: int) -> bytes:
        nonlocal position
        part = text[position : position + min(size, at_once)]
        position += len(part)
        return part

    return read


@pytest.mark.requirement("batch-pieces")
@given(
    st.lists(st.sampled_from([b"", b"a", b"bb\r", b"\xff\x00", b"c" * 9, b"d" * 30])),
    st.integers(1, 12),
    st.integers(1, 40),
    st.booleans(),
)
def test_the_lines_of_all_pieces_are_the_lines_of_the_whole(
    lines: list[bytes], limit: int, at_once: int, has_end: bool
) -> None:
    text = b"\n".join(lines) + (b"\n" if has_end else b"")
    cuts = list(cut_text(reader(text, at_once), limit, at_once=at_once))
    assert [one.start for one in cuts] == [sum(c.size for c in cuts[:n]) for n in range(len(cuts))]
    assert sum(one.size for one in cuts) == len(text)
    whole = Text(0, 1, len(text), text)
    assert [line for one in cuts for line in texts(one, limit)] == list(texts(whole, limit))


@pytest.mark.requirement("batch-pieces")
def test_an_input_resumes_after_any_piece(tmp_path: Path) -> None:
    for name, pack in (("a", bytes), ("a.gz", gzip.compress)):
        path = tmp_path / name
        path.write_bytes(pack(CALLS))
        all_pieces = list(cut(str(path), limit=100, at_once=1))
        assert len(all_pieces) > 2
        for done, piece in enumerate(all_pieces, start=1):
            assert list(cut(str(path), after=piece.end, limit=100, at_once=1)) == all_pieces[done:]


def test_the_halves_of_a_piece_are_the_piece(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(CALLS)
    [piece] = cut(str(path))
    first, second = piece.halves()
    assert first.end == Position(0, second.start, second.line)
    assert [*first.read_lines(1000), *second.read_lines(1000)] == list(piece.read_lines(1000))
    single = Piece("a", 0, 0, 1, 4, data=b"abc\n", lines=1)
    assert single.halves() == []


@pytest.mark.requirement("batch-pool")
def test_rows_that_kill_workers_are_found_by_halves() -> None:
    def try_alone(piece: Piece) -> Done | None:
        rows = range(piece.start, piece.start + piece.size)
        return None if 3 in rows else Done(piece, Summary(), bytes(rows))

    piece = Piece("calls.parquet", 0, 2, 3, 5, is_rows=True, lines=5)
    done = take_apart(piece, try_alone, "out.jsonl")
    dead = Record.invalid(4, "the process that read it died").text_row().encode()
    assert done.rows == bytes([2]) + dead + bytes([4, 5, 6])
    assert done.summary.kinds == {"invalid": 1}


@pytest.mark.requirement("batch-columns")
def test_ranges_of_rows_are_read_wherever_groups_and_batches_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr("toolhaft.batch.parquet.ROWS_AT_ONCE", 3)
    monkeypatch.setattr("toolhaft.batch.parquet.ROWS_A_PIECE", 4)
    path = str(tmp_path / "calls.parquet")
    parquet.write_table(pa.table({"n": range(30), "more": range(30)}), path, row_group_size=11)
    pieces = list(cut(path))
    assert [piece.start for piece in pieces] == [0, 7, 11, 18, 22, 26]
    reader = ParquetReader({"n"})
    read = [row for piece in pieces for row in piece.read_rows(reader)]
    assert read == [(n + 1, {"n": n}) for n in range(30)]
    for piece in (pieces[5], pieces[2], pieces[2], pieces[4]):
        first = next(piece.read_rows(reader))
        assert first == (piece.line, {"n": piece.start})
    assert list(cut(path, after=pieces[3].end)) == pieces[4:]
    with pytest.raises(Unreadable, match="does not have as many rows as its footer says"):
        list(pieces[-1]._replace(size=5).read_rows(reader))
