"""Calls of real models against the tools that they were meant for: a part of the full run.

`bench/repair_report.py` prints the figures of the whole.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import forked
from tests.share import step
from toolhaft import from_json
from toolhaft.batch.catalogue import Catalogue
from toolhaft.batch.execution import call_rows
from toolhaft.batch.job import Job
from toolhaft.batch.pieces import Piece
from toolhaft.batch.record import Record

DATA = Path(__file__).parents[3] / "shared" / "data"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the recorded calls are not here")
EVERY = 7 * step()


def some(name: str) -> Iterator[bytes]:
    with gzip.open(DATA / name) as lines:
        yield from islice(lines, 0, None, EVERY)


def declared(*names: str) -> list[bytes]:
    """Return the declarations that some calls were meant for."""
    wanted = {json.loads(line)["tool_id"] for name in names for line in some(name)}
    with gzip.open(DATA / "tools_for_calls.jsonl.gz") as lines:
        return [line for line in lines if json.loads(line)["id"] in wanted]


@pytest.fixture(scope="module")
def job() -> Job:
    ids: dict[str, Any] = {}
    for row in map(json.loads, declared(*CALLS)):
        [ids[row["id"]]] = from_json([row])
    return Job(Catalogue(ids.values(), ids))


CALLS = ("calls_valid.jsonl.gz", "calls_failing.jsonl.gz")


def records(job: Job, name: str) -> list[Record]:
    data = b"".join(some(name))
    piece = Piece(name, 0, 0, 1, len(data), data=data)
    return [row.record for row in call_rows(job, piece) if row.record is not None]


@pytest.mark.unmeasured
@pytest.mark.requirement("batch-recorded-calls")
def test_valid_calls_pass_unchanged(job: Job) -> None:
    found = records(job, "calls_valid.jsonl.gz")
    assert Counter((one.kind, one.coercions) for one in found) == {("accepted", ()): len(found)}
    sent = [json.loads(line)["arguments_text"] for line in some("calls_valid.jsonl.gz")]
    assert [one.row()["arguments"] for one in found] == [json.loads(text) for text in sent]


@pytest.mark.unmeasured
@pytest.mark.requirement("batch-recorded-calls")
def test_four_of_ten_wrong_calls_are_repaired_by_exact_rules(job: Job) -> None:
    found = [one for one in records(job, "calls_failing.jsonl.gz") if one.kind != "unknown_tool"]
    accepted = [one for one in found if one.admitted]
    assert len(accepted) / len(found) > 0.38
    assert {one.kind for one in found} <= {"accepted", "invalid_input", "truncated"}


@pytest.mark.unmeasured
@pytest.mark.requirement("batch-recorded-calls")
def test_the_command_line_takes_the_recorded_rows_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "calls.jsonl").write_bytes(b"".join(some(CALLS[1])))
    (tmp_path / "tools.jsonl").write_bytes(b"".join(declared(CALLS[1])))
    ran = forked("batch", "tools.jsonl", "calls.jsonl", "--format", "json", cwd=tmp_path)
    summary = ran.json
    assert (ran.code, ran.err, summary["invalid_rows"]) == (1, "", 0)
    assert summary["unknown_tool"] > 0
    assert summary["accepted"] + summary["refused"] + summary["unknown_tool"] == summary["rows"]
