"""A file of rows appears whole or not at all, and the same rows give the same bytes."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from toolhaft.batch.output import open_output, row_writer
from toolhaft.batch.record import Record


def test_each_record_is_one_line_of_json(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    with open_output(path) as stream:
        write = row_writer(stream)
        write(Record(1, None, "ok", value="Zürich"))
        write(Record(2, None, "invalid"))
    first, second = path.read_text(encoding="utf-8").splitlines()
    assert first == (
        '{"line":1,"id":null,"tool":null,"kind":"ok","arguments":null,"coercions":[],'
        '"issues":[],"text":null,"value":"Zürich"}'
    )
    assert second.startswith('{"line":2,')
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.requirement("batch-gzip")
def test_a_name_that_ends_in_gz_is_compressed_to_the_same_bytes_each_time(tmp_path: Path) -> None:
    for name in ("a.jsonl.gz", "b.jsonl.gz"):
        with open_output(tmp_path / name) as stream:
            row_writer(stream)(Record(1, None, "ok"))
    first, second = [(tmp_path / name).read_bytes() for name in ("a.jsonl.gz", "b.jsonl.gz")]
    assert first == second
    assert gzip.decompress(first).startswith(b'{"line":1,')


def test_what_was_there_stays_when_writing_fails(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    path.write_text("before")
    with pytest.raises(TypeError), open_output(path) as stream:
        stream.writelines([b"half", None])  # type: ignore[list-item]  # the failure
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_a_device_is_written_and_not_replaced(tmp_path: Path) -> None:
    link = tmp_path / "null"
    link.symlink_to(os.devnull)
    with open_output(link) as stream:
        stream.write(b"gone")
    assert link.is_symlink()
    assert not Path(os.devnull).is_file()
