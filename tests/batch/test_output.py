"""A file of rows appears whole, and is taken up again where it was cut off."""

from __future__ import annotations

import errno
import gzip
import json
import os
import signal
import sys
from itertools import count
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from tests.share import step
from toolhaft.batch.journal import Changed, Journal, Taken, finished_run, folder_of, log_of
from toolhaft.batch.output import JournalOutput, StreamOutput
from toolhaft.batch.pieces import Position
from toolhaft.batch.receipt import receipt_path
from toolhaft.batch.record import Record
from toolhaft.batch.summary import Summary

PLAN = {"calls": [["calls.jsonl", 10, 1]], "tools": "abc"}


def opened(path: Path, *, resume: bool = False, **changed: Any) -> JournalOutput:
    return JournalOutput(Journal(path, {**PLAN, **changed}, resume=resume))


def add(output: JournalOutput, line: int) -> None:
    record, summary = Record(line, None, "ok", value="Zürich"), Summary()
    summary.add(record)
    output.append_row(record.text_row(), summary)
    output.commit(Position(0, 100 * line, line + 1))


def lines_of(path: Path) -> list[int]:
    return [json.loads(line)["line"] for line in path.read_text(encoding="utf-8").splitlines()]


def test_each_record_is_one_line_of_json(tmp_path: Path) -> None:
    output = opened(tmp_path / "out.jsonl")
    add(output, 1)
    output.finish()
    assert (tmp_path / "out.jsonl").read_text(encoding="utf-8") == (
        '{"line":1,"id":null,"tool":null,"kind":"ok","arguments":null,"coercions":[],'
        '"issues":[],"text":null,"value":"Zürich"}\n'
    )
    path = tmp_path / "out.jsonl"
    assert sorted(tmp_path.iterdir()) == [receipt_path(path), path]


@pytest.mark.requirement("batch-gzip")
def test_a_name_that_ends_in_gz_is_compressed_to_the_same_bytes_each_time(tmp_path: Path) -> None:
    for name in ("a.jsonl.gz", "b.jsonl.gz"):
        output = opened(tmp_path / name)
        add(output, 1)
        add(output, 2)
        output.finish()
    first, second = [(tmp_path / name).read_bytes() for name in ("a.jsonl.gz", "b.jsonl.gz")]
    assert first == second
    assert gzip.decompress(first).count(b"\n") == 2


@pytest.mark.requirement("batch-nothing-overwritten")
def test_nothing_that_is_there_is_written_over(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    path.write_text("before")
    with pytest.raises(Taken, match="already exists"):
        opened(path)
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.requirement("batch-resume")
def test_an_interrupted_run_resumes_after_the_last_finished_piece(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    first = opened(path)
    add(first, 1)
    add(first, 2)
    first.journal.append(b'{"line":3,"id":')  # killed here
    first.journal._journal.write(b'{"to": [0, 3')
    first.park()
    with pytest.raises(Taken, match="--resume"):
        opened(path)
    second = opened(path, resume=True)
    assert second.position == Position(0, 200, 3)
    assert second.summary.rows == 2
    add(second, 3)
    second.finish()
    assert lines_of(path) == [1, 2, 3]
    assert sorted(tmp_path.iterdir()) == [receipt_path(path), path]


@pytest.mark.requirement("batch-resume")
def test_rows_that_the_journal_counts_and_the_disk_lost_are_done_again(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    first = opened(path)
    for line in (1, 2, 3):
        add(first, line)
    first.park()
    rows = folder_of(path) / "rows"
    rows.write_bytes(rows.read_bytes()[:-5])
    second = opened(path, resume=True)
    assert second.position == Position(0, 200, 3)
    add(second, 3)
    second.finish()
    assert lines_of(path) == [1, 2, 3]


@pytest.mark.requirement("batch-resume")
def test_an_output_that_was_published_early_resumes_too(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    first = opened(path)
    add(first, 1)
    first.publish()
    assert lines_of(path) == [1]
    second = opened(path, resume=True)
    add(second, 2)
    second.finish()
    assert lines_of(path) == [1, 2]


@pytest.mark.requirement("batch-nothing-overwritten")
def test_a_file_that_the_run_did_not_write_cannot_be_resumed(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    first = opened(path)
    add(first, 1)
    first.park()
    path.write_text("precious")
    with pytest.raises(Taken, match="has changed since this run wrote it"):
        opened(path, resume=True)
    assert path.read_text() == "precious"
    path.unlink()
    second = opened(path, resume=True)
    add(second, 2)
    second.finish()
    assert lines_of(path) == [1, 2]


@pytest.mark.requirement("batch-resume")
@pytest.mark.parametrize("name", ["out.jsonl", "out.parquet"])
def test_a_published_output_that_was_edited_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    first = opened(path)
    add(first, 1)
    first.publish()
    published = path.read_bytes()
    path.write_bytes(b"X" + published[1:])
    with pytest.raises(Taken, match="has changed since this run wrote it"):
        opened(path, resume=True)
    assert path.read_bytes() == b"X" + published[1:]
    path.write_bytes(published)
    second = opened(path, resume=True)
    assert second.position == Position(0, 100, 2)
    second.finish()


@pytest.mark.requirement("batch-resume")
def test_a_published_output_that_is_gone_is_refused_until_it_is_back(tmp_path: Path) -> None:
    path, elsewhere = tmp_path / "out.jsonl", tmp_path / "moved.jsonl"
    first = opened(path)
    add(first, 1)
    first.publish()
    path.rename(elsewhere)
    with pytest.raises(Changed, match="are missing; put the file that the run wrote back"):
        opened(path, resume=True)
    elsewhere.rename(path)
    second = opened(path, resume=True)
    add(second, 2)
    second.finish()
    assert lines_of(path) == [1, 2]


@pytest.mark.requirement("batch-resume")
def test_a_piece_that_was_done_again_counts_once(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    first = opened(path)
    add(first, 1)
    add(first, 2)
    first.park()
    rows = folder_of(path) / "rows"
    rows.write_bytes(rows.read_bytes()[:-5])  # as a power cut may leave it
    second = opened(path, resume=True)
    assert second.position == Position(0, 100, 2)
    add(second, 2)
    add(second, 3)
    second.park()
    third = opened(path, resume=True)
    assert (third.position, third.summary.rows) == (Position(0, 300, 4), 3)
    third.finish()
    assert lines_of(path) == [1, 2, 3]


@pytest.mark.requirement("batch-resume")
def test_rows_of_calls_that_ran_are_never_made_by_running_them_again(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    first = opened(path)
    log_of(path).touch()
    add(first, 1)
    first.park()
    rows = folder_of(path) / "rows"
    rows.write_bytes(rows.read_bytes()[:-5])
    with pytest.raises(Changed, match="to do every call again"):
        opened(path, resume=True)


@pytest.mark.requirement("batch-nothing-overwritten")
@pytest.mark.parametrize("name", ["out.jsonl", "out.parquet"])
def test_a_file_made_during_the_run_is_not_replaced_at_its_end(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    first = opened(path)
    add(first, 1)
    path.write_text("precious")
    with pytest.raises(Taken, match="made by another program meanwhile"):
        first.finish()
    first.park()
    assert path.read_text() == "precious"
    path.unlink()
    second = opened(path, resume=True)
    assert second.position == Position(0, 100, 2)
    second.finish()
    assert sorted(tmp_path.iterdir()) == [receipt_path(path), path]


def test_rows_that_cannot_be_put_in_place_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    path = tmp_path / "out.parquet"
    first = opened(path)
    add(first, 1)
    with monkeypatch.context() as full_disk:
        full_disk.setattr("toolhaft.batch.journal.write_parquet", fail)
        with pytest.raises(OSError, match="No space left"):
            first.finish()
        first.park()
    opened(path, resume=True).finish()
    assert sorted(tmp_path.iterdir()) == [receipt_path(path), path]


@pytest.mark.requirement("batch-resume")
def test_a_change_since_is_reported_and_nothing_is_touched(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    first = opened(path)
    add(first, 1)
    first.park()
    rows = (folder_of(path) / "rows").read_bytes()
    with pytest.raises(Changed) as caught:
        opened(path, resume=True, tools="other", calls=[])
    assert str(caught.value) == "calls and tools changed since the journal was begun"
    assert (folder_of(path) / "rows").read_bytes() == rows


def test_one_run_at_a_time_writes_an_output(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    first = opened(path)
    add(first, 1)
    with pytest.raises(Taken, match="by another run"):
        opened(path, resume=True)
    first.finish()


@pytest.mark.requirement("batch-resume-always")
def test_resume_begins_where_there_is_nothing(tmp_path: Path) -> None:
    opened(tmp_path / "out.jsonl", resume=True).park()
    assert list(tmp_path.iterdir()) == []
    path = tmp_path / "out.jsonl"
    first = opened(path, resume=True)
    add(first, 1)
    first.finish()
    assert lines_of(path) == [1]


@pytest.mark.requirement("batch-resume-always")
@pytest.mark.parametrize("journal", [None, b"", b'{"version": 2, "cal'])
def test_resume_begins_where_a_run_was_killed_before_its_first_line(
    tmp_path: Path, journal: bytes | None
) -> None:
    path = tmp_path / "out.jsonl"
    folder_of(path).mkdir()
    if journal is not None:
        (folder_of(path) / "journal").write_bytes(journal)
    run = opened(path, resume=True)
    add(run, 1)
    run.finish()
    assert lines_of(path) == [1]


@pytest.mark.requirement("batch-nothing-overwritten")
def test_a_file_beside_a_journal_without_a_line_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    folder_of(path).mkdir()
    (folder_of(path) / "journal").touch()
    path.write_text("precious")
    with pytest.raises(Taken, match="already exists"):
        opened(path, resume=True)
    assert path.read_text() == "precious"


@pytest.mark.requirement("batch-resume-always")
def test_the_receipt_of_a_finished_run_has_its_counts(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    assert finished_run(path, PLAN) is None
    first = opened(path)
    add(first, 1)
    add(first, 2)
    first.finish()
    summary = finished_run(path, PLAN)
    assert summary is not None
    assert summary.counts() == first.summary.counts()
    os.utime(path)  # as a copy of it may be
    assert finished_run(path, PLAN) is not None
    with pytest.raises(Changed, match="calls and tools changed since the run finished; name"):
        finished_run(path, {**PLAN, "tools": "other", "calls": []})
    path.write_bytes(path.read_bytes().swapcase())
    with pytest.raises(Taken, match="has changed since the run finished"):
        finished_run(path, PLAN)
    receipt_path(path).write_text("[")
    assert finished_run(path, PLAN) is None


@pytest.mark.requirement("batch-resume-always")
def test_a_receipt_goes_when_its_output_is_gone_and_another_run_begins(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    first = opened(path)
    add(first, 1)
    first.finish()
    path.unlink()
    assert finished_run(path, PLAN) is None
    second = opened(path, resume=True)
    assert not receipt_path(path).exists()
    add(second, 1)
    second.publish()
    assert finished_run(path, PLAN) is None


# The files in which each call of the system is a step.
STEPPED = ("journal.py", "receipt.py", "pathlib.py", "_local.py", "shutil.py")


def run_to_end(path: Path) -> None:
    """Do what `batch --resume` does: end at once, continue, or begin."""
    if finished_run(path, PLAN) is None:
        run = opened(path, resume=True)
        for line in range(run.position.line, 4):
            add(run, line)
        run.finish()


def die_at(path: Path, step: int) -> int:
    """Run in another process, which is killed at a step; return the signal, or 0."""
    if pid := os.fork():
        return os.WTERMSIG(os.waitpid(pid, 0)[1])
    left = step

    def count_down(frame: FrameType, event: str, _: Any) -> None:
        nonlocal left
        left -= event == "c_call" and frame.f_code.co_filename.endswith(STEPPED)
        if not left:
            os.kill(os.getpid(), signal.SIGKILL)

    try:
        sys.setprofile(count_down)
        run_to_end(path)
    finally:
        os._exit(0)


@pytest.mark.unmeasured
@pytest.mark.requirement("batch-resume-always")
def test_a_run_that_is_killed_at_any_step_resumes(tmp_path: Path) -> None:
    number, path = 0, tmp_path
    for number in count(1, step()):
        path = tmp_path / str(number) / "out.jsonl"
        path.parent.mkdir()
        if not die_at(path, number):
            break
        run_to_end(path)
        assert lines_of(path) == [1, 2, 3]
        assert sorted(path.parent.iterdir()) == [receipt_path(path), path]
    assert number > 100
    assert lines_of(path) == [1, 2, 3]


@pytest.mark.requirement("batch-resume-always")
@pytest.mark.parametrize("name", ["out.jsonl", "out.parquet"])
def test_an_output_that_was_made_and_not_filled_yet_is_replaced(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_: Path) -> None:
        raise KeyboardInterrupt

    path = tmp_path / name
    first = opened(path)
    add(first, 1)
    with monkeypatch.context() as killed:
        killed.setattr(Path, "replace", die)
        with pytest.raises(KeyboardInterrupt):
            first.finish()
    first.park()
    assert path.read_bytes() == b""
    opened(path, resume=True).finish()
    assert path.stat().st_size > 0
    assert sorted(tmp_path.iterdir()) == [receipt_path(path), path]


def test_a_stream_is_written_as_rows_come(tmp_path: Path) -> None:
    part = tmp_path / "part"
    part.write_bytes(b"two\n")
    with (tmp_path / "out").open("wb") as stream:
        output = StreamOutput(stream)
        output.append(b"one\n", Summary())
        output.append(part, Summary())
    assert (tmp_path / "out").read_bytes() == b"one\ntwo\n"
    assert not part.exists()
