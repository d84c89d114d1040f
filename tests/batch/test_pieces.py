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
from toolhaft.batch.lines import Text, cut_text, split_lines
from toolhaft.batch.pieces import Piece, Position, cut

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
