"""Lines come one at a time, bounded, from plain and compressed files alike."""

from __future__ import annotations

import gzip
import io
import tracemalloc
from collections.abc import Iterator
from typing import BinaryIO

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from toolhaft.batch.calls import TooLong
from toolhaft.batch.compression import decompressed
from toolhaft.batch.lines import MAX_LINE_BYTES, Line, cut_text, read_of, split_lines


def read_lines(stream: BinaryIO, limit: int = MAX_LINE_BYTES) -> Iterator[Line]:
    """Read the lines of a stream as a batch does: in pieces, and these line by line."""
    for text in cut_text(read_of(stream), limit, at_once=1 << 16):
        yield from split_lines(text, limit)


def lines_of(text: bytes, limit: int = 100) -> list[tuple[int, bytes | str]]:
    """The lines, with the reason for one that is too long."""
    return [
        (number, line.reason if isinstance(line, TooLong) else line)
        for number, line in read_lines(io.BytesIO(text), limit)
    ]


def test_each_line_has_its_number_and_blank_lines_count_but_do_not_show() -> None:
    found = lines_of(b"one\n\n  \r\ntwo\r\nthree")
    assert found == [(1, b"one"), (4, b"two"), (5, b"three")]


@pytest.mark.requirement("batch-long-line")
def test_a_line_that_is_too_long_is_skipped_and_reading_continues() -> None:
    found = lines_of(b"one\n" + b"x" * 500_000 + b"\ntwo\n", limit=10)
    assert found == [(1, b"one"), (2, "line longer than 10 bytes"), (3, b"two")]


def test_a_line_of_exactly_the_limit_is_read_and_one_more_byte_is_not() -> None:
    assert lines_of(b"12345\n", limit=5) == [(1, b"12345")]
    assert lines_of(b"123456\n", limit=5) == [(1, "line longer than 5 bytes")]
    assert lines_of(b"123456", limit=5) == [(1, "line longer than 5 bytes")]


@pytest.mark.requirement("batch-long-line")
def test_a_long_line_is_never_held_whole() -> None:
    stream = io.BytesIO(b"x" * (32 << 20))
    tracemalloc.start()
    try:
        assert [type(line.text) for line in read_lines(stream, 1 << 10)] == [TooLong]
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 1 << 20


def test_a_byte_order_mark_before_the_first_line_is_no_part_of_it() -> None:
    assert lines_of(b"\xef\xbb\xbf{}\n\xef\xbb\xbf{}") == [
        (1, b"{}"),
        (2, b"\xef\xbb\xbf{}"),
    ]


@pytest.mark.requirement("batch-gzip")
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_compressed_text_is_recognised_by_its_first_bytes(pack: type[bytes]) -> None:
    with decompressed(io.BufferedReader(io.BytesIO(pack(b"a\nb\n")))) as stream:
        assert stream.read() == b"a\nb\n"


def test_an_empty_file_has_no_lines() -> None:
    with decompressed(io.BufferedReader(io.BytesIO(b""))) as stream:
        assert list(read_lines(stream)) == []


@given(st.lists(st.binary(max_size=30)), st.integers(1, 20))
def test_lines_are_the_texts_between_the_line_feeds(parts: list[bytes], limit: int) -> None:
    texts = b"\n".join(parts).split(b"\n")
    assume(not texts[0].startswith(b"\xef\xbb\xbf"))
    expected = [
        (number, text.strip() if len(text) <= limit else f"line longer than {limit} bytes")
        for number, text in enumerate(texts, start=1)
        if text.strip() or len(text) > limit
    ]
    assert lines_of(b"\n".join(texts), limit) == expected
