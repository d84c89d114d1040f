"""Workers write the bytes of one process; no row is lost if one dies, fills up or is killed."""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.batch import kills
from tests.cli.running import MAIN, SRC, Ran, Run, spawned

TOOLS = """
import os
from typing import Annotated
from pydantic import AfterValidator, BaseModel
from toolhaft import tool

def die(n: int) -> int:
    if n == 13:
        os._exit(9)
    return n

class Number(BaseModel):
    n: Annotated[int, AfterValidator(die)]

@tool(input=Number)
def take(number: Number) -> int:
    "Take a number, but for one that nobody survives."
    return number.n
"""
PADDING = "x" * 50_000


def write_calls(folder: Path, numbers: list[Any]) -> None:
    (folder / "tools.py").write_text(TOOLS)
    rows = [{"id": n, "name": "take", "arguments": {"n": n}, "note": PADDING} for n in numbers]
    (folder / "calls.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))


def batch(folder: Path, *options: str) -> Ran:
    command = ("batch", "tools.py", "calls.jsonl", *options)
    return spawned(*command, cwd=folder)


@pytest.mark.requirement("batch-pool")
@pytest.mark.parametrize("name", ["out.jsonl", "out.jsonl.gz"])
def test_workers_write_the_same_bytes_as_one_process(tmp_path: Path, name: str) -> None:
    write_calls(tmp_path, [n if n % 7 else "x" for n in range(20, 220)])
    alone = batch(tmp_path, "-o", name, "--format", "json")
    expected = (tmp_path / name).read_bytes()
    (tmp_path / name).unlink()
    pooled = batch(tmp_path, "-o", name, "--format", "json", "--workers", "2")
    assert (tmp_path / name).read_bytes() == expected
    assert (pooled.code, pooled.err) == (0, "")
    counts = [
        {key: value for key, value in ran.json.items() if "second" not in key}
        for ran in (alone, pooled)
    ]
    assert counts[0] == counts[1]
    assert (
        sorted(path.name for path in tmp_path.iterdir())
        == sorted(["tools.py", "calls.jsonl", "__pycache__", name, f".{name}.receipt"])
        or not (tmp_path / "__pycache__").exists()
    )


def test_workers_name_a_missing_file_as_it_was_written(tmp_path: Path) -> None:
    write_calls(tmp_path, [1])
    (tmp_path / "tools.py").unlink()
    alone, pooled = (batch(tmp_path, "-o", "out.jsonl", "--workers", n) for n in ("1", "2"))
    assert pooled == alone
    assert "tools.py: no such file" in alone.err


@pytest.mark.requirement("batch-pool")
def test_a_line_that_no_worker_survives_is_one_row(tmp_path: Path) -> None:
    write_calls(tmp_path, [1, 2, 13, 4, 5])
    ran = batch(tmp_path, "--workers", "2", "-o", "-")
    assert [(row["line"], row["kind"]) for row in ran.rows] == [
        (1, "accepted"),
        (2, "accepted"),
        (3, "invalid"),
        (4, "accepted"),
        (5, "accepted"),
    ]
    assert ran.rows[2]["issues"][0]["message"] == "the process that read it died"
    assert ran.code == 1
    assert "not a call    1 (calls.jsonl:3 the process that read it died)\n" in ran.err


def test_unusable_tools_are_reported_once(tmp_path: Path) -> None:
    write_calls(tmp_path, [1])
    (tmp_path / "tools.py").write_text("import nowhere_at_all\n")
    ran = batch(tmp_path, "--workers", "2", "-o", "out.jsonl")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.count("nowhere_at_all") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["calls.jsonl", "tools.py"]


@pytest.mark.requirement("batch-nothing-overwritten")
def test_an_existing_output_is_reported_and_left_alone(
    run: Run, tools: str, tmp_path: Path
) -> None:
    calls, out = tmp_path / "calls.jsonl", tmp_path / "out.jsonl"
    calls.write_text('{"name": "add", "arguments": {"a": 1}}\n')
    out.write_text("mine")
    ran = run("batch", tools, str(calls), "-o", str(out))
    words = "already exists; name another file, or remove it"
    assert ran == (2, "", f"error: {out}: {words}\n")
    assert out.read_text() == "mine"
    ran = run("batch", tools, str(calls), "-o", str(out), "--resume")
    assert ran == (2, "", f"error: {out}: {words}\n")
    assert out.read_text() == "mine"


@pytest.mark.requirement("batch-nothing-overwritten")
def test_an_output_that_is_a_dangling_link_is_rejected(
    run: Run, tools: str, tmp_path: Path
) -> None:
    calls, out = tmp_path / "calls.jsonl", tmp_path / "out.jsonl"
    calls.write_text('{"name": "add", "arguments": {"a": 1}}\n')
    out.symlink_to(tmp_path / "elsewhere.jsonl")
    ran = run("batch", tools, str(calls), "-o", str(out))
    words = "is a link to a file that does not exist; name the file itself"
    assert ran == (2, "", f"error: {out}: {words}\n")
    assert not (tmp_path / "elsewhere.jsonl").exists()


def same_run(folder: Path, *options: str) -> tuple[int, dict[str, Any]]:
    ran = batch(folder, "-o", "out.jsonl", "--resume", "--format", "json", *options)
    return ran.code, {key: value for key, value in ran.json.items() if "second" not in key}


@pytest.mark.requirement("batch-resume-always")
@pytest.mark.parametrize("options", [(), ("--workers", "2"), ("--execute",)])
def test_resume_of_a_finished_run_ends_at_once_with_its_exit_code(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    write_calls(tmp_path, [1, "x", 3])
    options = ("--check", *options)
    first = same_run(tmp_path, *options)
    assert first[0] == 1
    before = (tmp_path / "out.jsonl").stat()
    assert same_run(tmp_path, *options) == first
    assert (tmp_path / "out.jsonl").stat().st_mtime_ns == before.st_mtime_ns


@pytest.mark.requirement("batch-resume-always")
def test_resume_of_a_finished_run_with_other_calls_is_rejected(tmp_path: Path) -> None:
    write_calls(tmp_path, [1])
    assert same_run(tmp_path)[0] == 0
    write_calls(tmp_path, [1, 2])
    ran = batch(tmp_path, "-o", "out.jsonl", "--resume")
    words = "calls changed since the run finished; name another file, or remove it"
    assert (ran.code, ran.err) == (2, f"error: out.jsonl: {words}\n")


@pytest.mark.requirement("batch-resume-always")
def test_resume_keeps_the_report_of_a_finished_run_and_writes_a_missing_one(tmp_path: Path) -> None:
    write_calls(tmp_path, [1])
    command = ("-o", "out.jsonl", "--resume", "--report", "report.json")
    assert batch(tmp_path, *command).code == 0
    report = (tmp_path / "report.json").read_bytes()
    assert batch(tmp_path, *command).code == 0
    (tmp_path / "report.json").unlink()
    assert batch(tmp_path, *command).code == 0
    assert (tmp_path / "report.json").read_bytes() == report


@pytest.mark.requirement("batch-resume-always")
def test_streams_cannot_be_resumed(tmp_path: Path) -> None:
    write_calls(tmp_path, [1])
    os.mkfifo(tmp_path / "pipe")
    words = (
        "--resume needs an output file, and calls from files: "
        "a stream cannot be read or written a second time"
    )
    for calls, *options in (
        ("-", "-o", "out.jsonl"),
        ("pipe", "-o", "out.jsonl"),
        ("calls.jsonl", "-o", "-"),
        ("calls.jsonl", "-o", "/dev/null"),
        ("calls.jsonl",),
    ):
        ran = spawned("batch", "tools.py", calls, *options, "--resume", cwd=tmp_path)
        assert ran == (2, "", f"error: {words}\n")


@pytest.mark.requirement("batch-resume-always")
def test_resume_that_begins_reads_what_it_was_given_first(tmp_path: Path) -> None:
    write_calls(tmp_path, [])
    (tmp_path / "calls.jsonl").write_text("neither\nnor\n")
    ran = batch(tmp_path, "-o", "out.jsonl", "--resume")
    assert (ran.code, "not JSON Lines" in ran.err) == (2, True)
    assert sorted(path.suffix for path in tmp_path.iterdir() if path.is_file()) == [".jsonl", ".py"]


@pytest.mark.requirement("batch-full-disk")
def test_a_full_disk_is_reported_and_the_run_resumes_later(tmp_path: Path) -> None:
    write_calls(tmp_path, list(range(20, 320)))

    def limit() -> None:  # a file cannot grow over this, as if the disk were full
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    # The files of coverage would not fit either.
    environment = {key: text for key, text in os.environ.items() if not key.startswith("COV")}
    done = subprocess.run(
        [sys.executable, "-P", "-c", MAIN, "batch", "tools.py", "calls.jsonl", "-o", "out.jsonl"],
        cwd=tmp_path,
        env={**environment, "PYTHONPATH": SRC, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        check=False,
        preexec_fn=limit,
    )
    assert done.returncode == 2
    assert done.stderr.decode() == "error: out.jsonl: cannot be written: File too large\n"
    assert not (tmp_path / "out.jsonl").exists()
    ran = batch(tmp_path, "-o", "out.jsonl", "--resume")
    assert ran.code == 0
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [row["id"] for row in rows] == list(range(20, 320))


@pytest.mark.requirement("batch-resume")
def test_input_that_changed_since_is_reported(tmp_path: Path) -> None:
    write_calls(tmp_path, list(range(20, 320)))
    killed = kills.Killed(tmp_path, [], random.Random(1))
    child = killed._start([])
    folder = tmp_path / ".out.jsonl.batch"
    journal = folder / "journal"
    while child.poll() is None and not (journal.exists() and journal.stat().st_size):
        pass
    child.send_signal(signal.SIGTERM)
    assert child.wait() in {143, 0, -signal.SIGTERM}
    with (tmp_path / "calls.jsonl").open("a") as file:
        file.write("\n")
    if folder.exists():
        ran = batch(tmp_path, "-o", "out.jsonl", "--resume")
        assert (ran.code, ran.err) == (
            2,
            "error: out.jsonl: calls changed since the journal was begun\n",
        )


@pytest.mark.requirement("batch-kills")
@pytest.mark.parametrize(
    ("kill", "rows"), [(kills.kill_gating, kills.ROWS), (kills.kill_executing, 800)]
)
def test_killed_runs_lose_and_double_nothing(tmp_path: Path, kill: Any, rows: int) -> None:
    assert kill(tmp_path, 1, 0, latest=0.005, rows=rows) == 1
