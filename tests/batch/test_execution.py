"""Calls that run: in their order, several at a time, and none twice that may not."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest

from toolhaft import tool
from toolhaft.batch.catalogue import Catalogue
from toolhaft.batch.execution import CallLog, CallRow, call_rows
from toolhaft.batch.job import Job
from toolhaft.batch.pieces import Piece

RAN: list[int] = []


@tool
def once(n: int) -> int:
    """Note a number."""
    RAN.append(n)
    return n


@tool(annotations={"idempotentHint": True})
def again(n: int) -> int:
    """Note a number, as often as one likes."""
    RAN.append(n)
    return n


JOB = Job(Catalogue([once, again]), runs=True)


@pytest.fixture(autouse=True)
def _nothing_ran() -> None:
    RAN.clear()


def piece_of(*calls: dict[str, Any]) -> Piece:
    data = b"".join(json.dumps(call).encode() + b"\n" for call in calls)
    return Piece("calls.jsonl", 0, 0, 1, len(data), data=data, lines=len(calls))


def call(name: str, n: Any) -> dict[str, Any]:
    return {"name": name, "arguments": {"n": n}}


def kinds(found: list[CallRow]) -> list[tuple[str, Any]]:
    return [(row["kind"], row["value"]) for row in (json.loads(one.row) for one in found)]


@pytest.mark.requirement("batch-execute-once")
def test_a_call_that_ended_is_not_run_again(tmp_path: Path) -> None:
    piece = piece_of(call("once", 1), call("once", "x"), call("nope", 2))
    log = CallLog(tmp_path / "calls")
    first = list(call_rows(JOB, piece, log))
    log.close()
    log = CallLog(tmp_path / "calls")
    second = list(call_rows(JOB, piece, log))
    log.close()
    assert [one.row for one in first] == [one.row for one in second]
    assert [one.summary.counts() for one in first] == [one.summary.counts() for one in second]
    assert kinds(first) == [("ok", 1), ("invalid_input", None), ("unknown_tool", None)]
    assert RAN == [1]


@pytest.mark.requirement("batch-execute-once")
def test_a_call_that_began_and_did_not_end_runs_again_only_if_it_may(tmp_path: Path) -> None:
    piece = piece_of(call("once", 1), call("again", 2))
    log = CallLog(tmp_path / "calls")
    for line in (1, 2):
        log.begin(f"0:{line}:None")
    log._write({"call": "half"})
    log.close()
    with (tmp_path / "calls").open("ab") as file:
        file.write(b'{"call": "0:')  # killed here
    log = CallLog(tmp_path / "calls")
    rows = [json.loads(one.row) for one in call_rows(JOB, piece, log)]
    log.close()
    assert RAN == [2]
    assert (rows[0]["kind"], rows[0]["effect"], rows[0]["arguments"]) == (
        "runtime_error",
        "unknown",
        {"n": 1},
    )
    assert "may have taken effect" in rows[0]["text"]
    assert (rows[1]["kind"], rows[1]["value"]) == ("ok", 2)
    log = CallLog(tmp_path / "calls")
    assert [json.loads(one.row) for one in call_rows(JOB, piece, log)] == rows
    log.close()
    assert RAN == [2]


@pytest.mark.requirement("batch-concurrency")
def test_calls_run_at_the_same_time_and_keep_their_order() -> None:
    together = threading.Barrier(3, timeout=30)

    @tool
    def meet(n: int) -> int:
        """Wait for two others."""
        together.wait()
        return n

    job = Job(Catalogue([meet]), runs=True)
    found = list(call_rows(job, piece_of(*(call("meet", n) for n in range(6))), concurrency=3))
    assert kinds(found) == [("ok", n) for n in range(6)]


@pytest.mark.requirement("batch-concurrency")
def test_a_tool_keeps_its_own_limit() -> None:
    running = threading.Semaphore(1)

    @tool(limit=1)
    def alone(n: int) -> bool:
        """Return whether no other call runs it."""
        free = running.acquire(blocking=False)
        if free:
            running.release()
        return free

    job = Job(Catalogue([alone]), runs=True)
    found = list(call_rows(job, piece_of(*(call("alone", n) for n in range(8))), concurrency=4))
    assert kinds(found) == [("ok", True)] * 8


def test_the_calls_of_a_piece_that_is_done_are_forgotten(tmp_path: Path) -> None:
    log = CallLog(tmp_path / "calls")
    list(call_rows(JOB, piece_of(call("once", 1)), log))
    log.clear()
    log.close()
    assert (tmp_path / "calls").read_bytes() == b""
