"""A hostile file of calls breaks its own rows only, and only whole calls of it run."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import MAIN, Ran, forked
from tests.hostile.child import materialise

pytestmark = pytest.mark.unmeasured

DATA = Path(__file__).parents[3] / "shared" / "data"
TOOL = """
import os, signal
from pathlib import Path
from toolhaft import tool

@tool
def transfer(account: str, amount: int, memo: str = "") -> int:
    "Move money."
    if memo == "end":
        os.kill(os.getpid(), signal.SIGTERM)
    with Path("ran.log").open("a") as log:
        log.write(f"{amount}\\n")
    return amount
"""
KINDS = {
    "batch-crlf": ["ok", "ok"],
    "batch-nonl": ["ok", "ok"],
    "batch-cut": ["ok", "invalid"],
    "batch-blank": ["ok"],
    "batch-u2028": ["ok", "ok"],
    "batch-bigline": ["invalid", "ok"],
    "batch-unknown-tool": ["unknown_tool", "ok"],
    "batch-idtype": ["invalid_input", "ok"],
    "batch-dup-id-key": ["invalid", "ok"],
}
# Items that are not texts of calls, and the test of each.
ELSEWHERE = {
    "batch-pickle": "test_a_pickle_is_told_and_never_loaded",
    "batch-same-out": "test_results_that_cannot_be_written_are_an_error_and_the_calls_stay",
    "batch-sigterm": "test_a_batch_that_is_ended_goes_on_behind_what_ran",
    "batch-diskfull": "test_a_disk_that_fills_up_loses_and_doubles_no_call",
}
MOST_ROW = 4096


def cases() -> list[Any]:
    path = DATA / "hostile.jsonl"
    if not path.exists():
        reason = "the hostile inputs are not beside the repository"
        return [pytest.param({}, marks=pytest.mark.skip(reason=reason))]
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    return [pytest.param(row, id=row["id"]) for row in rows if row["surface"] == "batch"]


def ran(folder: Path, calls: str | bytes, out: str = "out.jsonl") -> Ran:
    (folder / "calls.jsonl").write_bytes(calls.encode() if isinstance(calls, str) else calls)
    return batch(folder, "calls.jsonl", "--execute", "-o", out)


def batch(folder: Path, *options: str, code: str = MAIN) -> Ran:
    (folder / "tools.py").write_text(TOOL)
    fields = ("--name-field", "tool", "--arguments-field", "args")
    return forked("batch", "tools.py", *options, *fields, cwd=folder, code=code)


def rows_of(folder: Path) -> list[Any]:
    return [json.loads(line) for line in (folder / "out.jsonl").read_bytes().splitlines()]


@pytest.mark.requirement("hostile-batch")
@pytest.mark.parametrize("item", cases())
def test_a_hostile_file_spoils_its_own_rows_only(item: dict[str, Any], tmp_path: Path) -> None:
    if item["id"] in ELSEWHERE:
        assert ELSEWHERE[item["id"]] in globals()
        return
    # Without a single row that can be read it would be no file of calls.
    more = CALL if item["id"] == "batch-dup-id-key" else ""
    done = ran(tmp_path, materialise(item, DATA) + more)
    assert done.code == (not {"invalid", "unknown_tool"}.isdisjoint(KINDS[item["id"]]))
    lines = (tmp_path / "out.jsonl").read_bytes().split(b"\n")[:-1]
    assert [json.loads(line)["kind"] for line in lines] == KINDS[item["id"]]
    assert max(map(len, lines)) < MOST_ROW


CALL = '{"id": "r1", "tool": "transfer", "args": {"account": "AB1234", "amount": 1}}\n'


@pytest.mark.requirement("hostile-batch")
@pytest.mark.parametrize("out", ["calls.jsonl", "./calls.jsonl", "link", "/dev/full"])
def test_results_that_cannot_be_written_are_an_error_and_the_calls_stay(
    out: str, tmp_path: Path
) -> None:
    (tmp_path / "link").symlink_to("calls.jsonl")
    done = ran(tmp_path, CALL, out)
    assert done.code == 2
    assert done.err.startswith(f"error: {out}: ")
    assert done.err.count("\n") == 1
    assert (tmp_path / "calls.jsonl").read_text() == CALL


@pytest.mark.requirement("hostile-batch")
def test_a_pickle_is_told_and_never_loaded(tmp_path: Path) -> None:
    loud = b"cos\nsystem\n(S'touch loaded'\ntR."
    done = ran(tmp_path, loud)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert done.err.startswith("error: calls.jsonl: not JSON Lines: ")
    assert not (tmp_path / "loaded").exists()


def numbered(count: int, ends_at: int = 0) -> str:
    """Calls with amounts from 1; one of them ends the run."""
    return "".join(
        json.dumps(
            {
                "id": n,
                "tool": "transfer",
                "args": {"account": "AB1234", "amount": n, "memo": "end" * (n == ends_at)},
            }
        )
        + "\n"
        for n in range(1, count + 1)
    )


def amounts(folder: Path) -> list[int]:
    return [int(line) for line in (folder / "ran.log").read_text().split()]


@pytest.mark.requirement("hostile-batch")
def test_a_batch_that_is_ended_goes_on_behind_what_ran(tmp_path: Path) -> None:
    done = ran(tmp_path, numbered(9, ends_at=4))
    assert (done.code, amounts(tmp_path)) == (143, [1, 2, 3])
    assert [row["id"] for row in rows_of(tmp_path)] == [1, 2, 3]
    again = batch(tmp_path, "calls.jsonl", "--execute", "-o", "out.jsonl", "--resume")
    assert (again.code, amounts(tmp_path)) == (0, [1, 2, 3, 5, 6, 7, 8, 9])
    assert [(row["id"], row.get("effect", row["kind"])) for row in rows_of(tmp_path)] == [
        (n, "unknown" if n == 4 else "ok") for n in range(1, 10)
    ]


LIMITED = """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.{limit}, ({most}, {most}))
"""


@pytest.mark.requirement("hostile-batch")
def test_a_disk_that_fills_up_loses_and_doubles_no_call(tmp_path: Path) -> None:
    (tmp_path / "calls.jsonl").write_text(numbered(200))
    command = ("calls.jsonl", "--execute", "-o", "out.jsonl")
    full = LIMITED.format(limit="RLIMIT_FSIZE", most=8_000) + MAIN
    done = batch(tmp_path, *command, code=full)
    assert (done.code, done.err) == (
        2,
        "error: out.jsonl: cannot be written: File too large\n",
    )
    assert not (tmp_path / "out.jsonl").exists()
    assert batch(tmp_path, *command, "--resume").code == 0
    rows = rows_of(tmp_path)
    assert [row["id"] for row in rows] == list(range(1, 201))
    unknown = [row["id"] for row in rows if row.get("effect") == "unknown"]
    assert len(unknown) <= 1
    assert sorted({*amounts(tmp_path), *unknown}) == list(range(1, 201))
    assert len(amounts(tmp_path)) == len(set(amounts(tmp_path)))


HUGE = 100 << 20
MEMBER = 16 << 20
TOO_LONG = "line longer than 4194304 bytes"
NEVER_ENDS = f"{TOO_LONG}; it does not end within 1 GiB, and nothing behind it was read"
LITTLE_MEMORY = LIMITED.format(limit="RLIMIT_DATA", most=192 << 20) + MAIN


def write_long_line(path: Path) -> None:
    with path.open("wb") as file:
        file.write(CALL.encode() + b'{"id": "')
        file.truncate(HUGE)
        file.seek(HUGE)
        file.write(b"\n" + CALL.encode())


def write_long_line_packed(path: Path) -> None:
    line = CALL.encode()
    path.write_bytes(gzip.compress(line + bytes(HUGE) + b"\n" + line, 1))


def write_bomb(path: Path) -> None:
    """More than 1 GiB without an end of line, in a file of about 5 MB."""
    member = gzip.compress(bytes(MEMBER), 1)
    path.write_bytes(gzip.compress(CALL.encode()) + member * 65 + gzip.compress(b"\n"))


@pytest.mark.requirement("batch-unreadable")
@pytest.mark.parametrize(
    ("write", "kinds", "reason"),
    [
        (
            write_long_line,
            ["accepted", "invalid", "accepted"],
            TOO_LONG,
        ),
        (
            write_long_line_packed,
            ["accepted", "invalid", "accepted"],
            TOO_LONG,
        ),
        (write_bomb, ["accepted", "invalid"], NEVER_ENDS),
        (lambda path: path.symlink_to("/dev/zero"), ["invalid"], NEVER_ENDS),
    ],
)
def test_what_is_too_large_is_one_row_in_little_memory(
    write: Callable[[Path], object], kinds: list[str], reason: str, tmp_path: Path
) -> None:
    write(tmp_path / "huge")
    (tmp_path / "calls.jsonl").write_text(CALL)
    command = ("huge", "calls.jsonl", "-o", "out.jsonl", "--format", "json")
    done = batch(tmp_path, *command, code=LITTLE_MEMORY)
    assert [row["kind"] for row in rows_of(tmp_path)] == [*kinds, "accepted"]
    assert done.code == 1
    line = len(kinds) if kinds[-1] == "invalid" else 2
    assert done.json["first_lines"]["invalid"] == [{"file": "huge", "line": line, "reason": reason}]
