"""`toolhaft batch` takes recorded calls through the boundary, one row for each line."""

from __future__ import annotations

import gzip
import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import MAIN, SRC, Run, forked, spawned

CALLS: list[Any] = [
    {"id": "a", "name": "add", "arguments": {"a": 1}},
    {"id": "b", "name": "add", "arguments": '{"a": "2", "unit": "KM"}'},
    {"id": "c", "name": "add", "arguments": {"x": 1}},
    "not a call",
    {"id": "d", "name": "adds", "arguments": {}},
    {"id": "e", "name": "fail", "arguments": {"how": "no"}},
    {"id": "f", "name": "add", "arguments": '{"a": 1'},
]
KINDS = ["ok", "ok", "invalid_input", "invalid", "unknown_tool", "tool_error", "truncated"]


@pytest.fixture
def calls(tmp_path: Path) -> str:
    path = tmp_path / "calls.jsonl"
    path.write_text("".join(f"{json.dumps(call)}\n" for call in CALLS))
    return str(path)


def rows_of(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.requirement("cli-batch")
def test_each_line_becomes_a_row_and_the_summary_comes_last(
    run: Run, tools: str, calls: str, tmp_path: Path
) -> None:
    out = tmp_path / "out.jsonl"
    ran = run("batch", tools, calls, "--execute", "-o", str(out))
    assert (ran.code, ran.out) == (1, "")
    rows = rows_of(out)
    assert [row["kind"] for row in rows] == KINDS
    assert [row["line"] for row in rows] == [1, 2, 3, 4, 5, 6, 7]
    assert [row["id"] for row in rows] == ["a", "b", "c", None, "d", "e", "f"]
    assert rows[1] == {
        "line": 2,
        "id": "b",
        "tool": "add",
        "kind": "ok",
        "arguments": {"a": 2, "unit": "km"},
        "coercions": [
            {"path": "/a", "rule": "number_text"},
            {"path": "/unit", "rule": "enum_case"},
        ],
        "issues": [],
        "text": '{"sum":3,"unit":"km"}',
        "value": {"sum": 3, "unit": "km"},
    }
    words = [line.split(maxsplit=1) for line in ran.err.splitlines() if "tool  " not in line]
    lines = dict(pair for pair in words if len(pair) > 1)
    unbroken = "".join(ran.err.split())  # a long path goes over the end of a line
    assert lines["calls"].startswith("7 in ")
    assert lines["accepted"] == "3, of them 2 as sent"
    assert lines["repaired"] == "1 (enum_case 1, number_text 1)"
    assert lines["refused"] == "2 (extra 1, json 1, missing 1)"
    assert unbroken.count(f"{calls}:") == 2
    assert f"unknowntool1({calls}:5)" in unbroken
    assert f"{calls}:4notaJSONobject)" in unbroken
    assert lines["ran"] == "3 (ok 2, tool_error 1)"


@pytest.mark.requirement("cli-batch")
def test_the_summary_as_json_is_the_only_thing_on_standard_output(
    run: Run, tools: str, calls: str
) -> None:
    ran = run("batch", tools, calls, "--execute", "--format", "json")
    assert (ran.code, ran.err) == (1, "")
    summary = ran.json
    assert summary.pop("seconds") >= 0
    assert summary.pop("calls_per_second") > 0
    assert summary == {
        "rows": 7,
        "accepted": 3,
        "accepted_as_sent": 2,
        "repaired": 1,
        "repaired_by_rule": {"enum_case": 1, "number_text": 1},
        "refused": 2,
        "refused_by_code": {"extra": 1, "json": 1, "missing": 1},
        "unknown_tool": 1,
        "invalid_rows": 1,
        "ran": {"ok": 2, "tool_error": 1},
        "first_lines": {
            "unknown_tool": [{"file": calls, "line": 5, "reason": None}],
            "invalid": [{"file": calls, "line": 4, "reason": "not a JSON object"}],
        },
    }


def test_rows_go_to_standard_output_for_a_dash_and_the_summary_beside(
    run: Run, tools: str, calls: str
) -> None:
    ran = run("batch", tools, calls, "--execute", "-o", "-", "--format", "json")
    assert [row["kind"] for row in ran.rows] == KINDS
    assert json.loads(ran.err)["rows"] == 7


@pytest.mark.requirement("cli-batch-gates")
@pytest.mark.parametrize("options", [[], ["--dry-run"]])
def test_nothing_runs_unless_requested(
    run: Run, tools: str, calls: str, options: list[str]
) -> None:
    ran = run("batch", tools, calls, *options, "-o", "-")
    kinds = [row["kind"] for row in ran.rows]
    assert kinds == [{"ok": "accepted", "tool_error": "accepted"}.get(k, k) for k in KINDS]
    assert {(row["text"], row["value"]) for row in ran.rows if row["kind"] == "accepted"} == {
        (None, None)
    }
    assert "\nran " not in ran.err


@pytest.mark.requirement("cli-batch")
def test_the_same_calls_have_the_same_bytes(
    run: Run, tools: str, calls: str, tmp_path: Path
) -> None:
    for name in ("one.jsonl.gz", "two.jsonl.gz"):
        run("batch", tools, calls, "-o", str(tmp_path / name))
    first, second = [(tmp_path / name).read_bytes() for name in ("one.jsonl.gz", "two.jsonl.gz")]
    assert first == second
    assert gzip.decompress(first).count(b"\n") == 7


@pytest.mark.requirement("cli-batch-exit-codes")
def test_rejected_calls_are_findings_only_on_request(
    run: Run, tools: str, calls: str, tmp_path: Path
) -> None:
    refused = tmp_path / "refused.jsonl"
    of_tools = [call for call in CALLS if call != "not a call" and call["name"] != "adds"]
    refused.write_text("".join(f"{json.dumps(call)}\n" for call in of_tools))
    assert run("batch", tools, str(refused)).code == 0
    assert run("batch", tools, str(refused), "--check").code == 1
    fine = tmp_path / "fine.jsonl"
    fine.write_text(json.dumps(CALLS[0]))
    assert run("batch", tools, str(fine), "--check").code == 0


@pytest.mark.requirement("batch-unreadable")
@pytest.mark.parametrize("options", [[], ["--execute"]])
def test_a_row_whose_tool_there_is_not_is_named_and_makes_the_exit_code_1(
    run: Run, tools: str, tmp_path: Path, options: list[str]
) -> None:
    path = tmp_path / "calls.jsonl"
    path.write_text("".join(f"{json.dumps(call)}\n" for call in (CALLS[0], CALLS[4], CALLS[0])))
    ran = run("batch", tools, str(path), "--format", "json", *options)
    assert (ran.code, ran.json["accepted"], ran.json["unknown_tool"]) == (1, 2, 1)
    assert ran.json["first_lines"]["unknown_tool"] == [
        {"file": str(path), "line": 2, "reason": None}
    ]


@pytest.mark.parametrize("name", ["out.csv", "out.csv.gz", "out.json"])
def test_an_output_of_another_kind_is_reported_with_the_valid_ones(
    run: Run, tools: str, calls: str, tmp_path: Path, name: str
) -> None:
    ran = run("batch", tools, calls, "-o", str(tmp_path / name))
    words = "rows are written as .jsonl, .jsonl.gz, .jsonl.zst or .parquet; name such a file"
    assert ran == (2, "", f"error: {tmp_path / name}: {words}\n")
    assert not (tmp_path / name).exists()


BAD_LINES = [
    (b"Hello", "not JSON: expected a value at column 1"),
    (b'{"name": "add\xff"}', "not UTF-8 at byte 14"),
    (b"[]", "not a JSON object"),
    (b'{"arguments": {}}', "no tool name"),
    (b'{"name": "add", "arguments": "' + b"x" * 100 + b'"}', "line longer than 100 bytes"),
]


@pytest.mark.requirement("batch-unreadable")
@pytest.mark.parametrize(("bad", "reason"), BAD_LINES)
@pytest.mark.parametrize("options", [[], ["--execute"]])
def test_a_row_that_cannot_be_read_is_named_and_makes_the_exit_code_1(
    run: Run, tools: str, tmp_path: Path, bad: bytes, reason: str, options: list[str]
) -> None:
    good = json.dumps(CALLS[0]).encode() + b"\n"
    first, second = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    first.write_bytes(good)
    second.write_bytes(good + bad + b"\n" + good)
    more = ("--format", "json", "--max-line-bytes", "100", *options)
    ran = run("batch", tools, str(first), str(second), *more)
    assert (ran.code, ran.json["accepted"], ran.json["invalid_rows"]) == (1, 3, 1)
    assert ran.json["first_lines"]["invalid"] == [
        {"file": str(second), "line": 2, "reason": reason}
    ]


@pytest.mark.requirement("batch-gzip")
def test_compressed_calls_and_standard_input_are_read(
    tools: str, calls: str, tmp_path: Path
) -> None:
    packed = tmp_path / "calls.jsonl.gz"
    packed.write_bytes(gzip.compress(Path(calls).read_bytes()))
    for target, piped in ((str(packed), b""), ("-", packed.read_bytes())):
        ran = spawned("batch", tools, target, "--execute", "-o", "-", cwd=tmp_path, input=piped)
        assert [row["kind"] for row in ran.rows] == KINDS


@pytest.mark.requirement("batch-fields")
def test_field_names_are_settable(run: Run, tools: str, tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    path.write_text('{"fn": "add", "args": "{\\"a\\": 1}", "key": 9, "name": "fail"}')
    fields = ["--name-field", "fn", "--arguments-field", "args", "--id-field", "key"]
    [row] = run("batch", tools, str(path), *fields, "--execute", "-o", "-").rows
    assert (row["id"], row["tool"], row["kind"]) == (9, "add", "ok")


@pytest.mark.requirement("batch-fields")
def test_a_declaration_is_chosen_by_the_id_in_a_row(run: Run, tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    declared = tmp_path / "tools.jsonl"
    declared.write_text(
        "".join(
            json.dumps({"id": key, "name": "f", "description": "F.", "inputSchema": body}) + "\n"
            for key, body in (("v1", schema), ("v2", {"type": "object"}))
        )
    )
    path = tmp_path / "calls.jsonl"
    path.write_text(
        '{"which": "v1", "called_name": "f", "arguments_text": "{\\"n\\": \\"x\\"}"}\n'
        '{"which": "v2", "called_name": "f", "arguments_text": "{\\"n\\": \\"x\\"}"}\n'
        '{"which": null, "called_name": "f", "arguments_text": "{}"}\n'
    )
    ran = run("batch", str(declared), str(path), "--tool-id-field", "which", "-o", "-")
    assert [row["kind"] for row in ran.rows] == ["invalid_input", "accepted", "unknown_tool"]


@pytest.mark.requirement("batch-unknown-field")
def test_an_unknown_field_is_reported_with_the_fields_of_the_rows(
    run: Run, tools: str, calls: str, tmp_path: Path
) -> None:
    out = tmp_path / "out.jsonl"
    ran = run("batch", tools, calls, "--name-field", "nmae", "-o", str(out))
    words = "none of its first rows has the field nmae; they have arguments, id, name"
    assert ran == (2, "", f"error: {calls}: {words}\n")
    assert not out.exists()


@pytest.mark.requirement("batch-own-tool-id")
def test_a_tool_id_of_the_rows_own_does_not_hide_the_name(
    run: Run, tools: str, tmp_path: Path
) -> None:
    path = tmp_path / "calls.jsonl"
    rows = [{"tool_id": key, "name": "add", "arguments": {"a": 1}} for key in ("t-1", None, "add")]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    assert [row["kind"] for row in run("batch", tools, str(path), "-o", "-").rows] == [
        "accepted"
    ] * 3


SLOW = """
import os, signal
from toolhaft import tool

@tool
def count(n: int) -> int:
    'Count up to that number.'
    if n == 3:
        os.kill(os.getpid(), signal.SIGINT)
    return n
"""


@pytest.mark.usefixtures("interruptible")
@pytest.mark.requirement("batch-interrupted")
@pytest.mark.parametrize("name", ["out.jsonl", "out.jsonl.gz"])
def test_an_interrupted_batch_keeps_what_it_has(tmp_path: Path, name: str) -> None:
    (tmp_path / "tools.py").write_text(SLOW)
    calls = [json.dumps({"name": "count", "arguments": {"n": n}}) for n in range(99)]
    (tmp_path / "calls.jsonl").write_text("\n".join(calls))
    options = ["--execute", "-o", name, "--format", "json"]
    ran = spawned("batch", "tools.py", "calls.jsonl", *options, cwd=tmp_path)
    assert (ran.code, ran.err) == (130, '{"error":"interrupted","fix":null}\n')
    content = (tmp_path / name).read_bytes()
    content = gzip.decompress(content) if name.endswith(".gz") else content
    rows = [json.loads(line) for line in content.splitlines()]
    assert [row["line"] for row in rows] == list(range(1, len(rows) + 1))
    assert 3 <= len(rows) < 99
    assert ran.json["rows"] == len(rows)
    # The files for resuming stay beside it.
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        ["tools.py", "calls.jsonl", name, f".{name}.batch"]
    )


RAISING = """
import asyncio
from typing import Annotated
from pydantic import AfterValidator, BaseModel
from toolhaft import tool

def fail(error: str) -> str:
    if error:
        raise {"K": KeyboardInterrupt, "S": SystemExit, "C": asyncio.CancelledError}[error]
    return error

class Model(BaseModel):
    error: Annotated[str, AfterValidator(fail)]

@tool(input=Model)
def validate(model: Model) -> str:
    "Fail where it is validated."
    return model.error

@tool
def work(error: str) -> str:
    "Fail where it runs."
    return fail(error)
"""


@pytest.mark.requirement("batch-interrupted")
@pytest.mark.parametrize(
    ("name", "options", "kind"),
    [
        ("validate", [], "accepted"),
        ("validate", ["--workers", "2"], "accepted"),
        ("validate", ["--execute"], "ok"),
        ("work", ["--execute"], "ok"),
        ("work", ["--execute", "--concurrency", "2"], "ok"),
    ],
)
def test_an_interrupt_that_the_tools_own_code_raises_is_a_crash_of_its_call(
    run: Run, tmp_path: Path, name: str, options: list[str], kind: str
) -> None:
    (tmp_path / "tools.py").write_text(RAISING)
    rows = [{"name": name, "arguments": {"error": error}} for error in ("", "K", "S", "C", "")]
    calls = tmp_path / "calls.jsonl"
    calls.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    ran = run("batch", str(tmp_path / "tools.py"), str(calls), *options, "-o", "-")
    assert [row["kind"] for row in ran.rows] == [kind, *["runtime_error"] * 3, kind]
    assert ran.code == 0


@pytest.mark.usefixtures("interruptible")
def test_a_batch_that_waits_for_calls_ends_at_once(tools: str, tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-P", "-c", MAIN, "batch", tools, "-", "-o", "-"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": SRC},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as child:
        assert child.stdin
        assert child.stdout
        # The rows of a pipe come as they are read: more than a buffer's worth of them.
        child.stdin.write(f"{json.dumps(CALLS[0])}\n".encode() * 200)
        child.stdin.flush()
        assert json.loads(child.stdout.readline())["line"] == 1
        child.send_signal(signal.SIGINT)
        _, err = child.communicate(timeout=60)
        assert child.returncode == 130
        assert err.decode().endswith("error: interrupted\n")


@pytest.mark.requirement("batch-long-line")
def test_the_longest_line_is_settable(run: Run, tools: str, tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    long = {"name": "add", "arguments": {"a": 1, "b": 10**200}}
    path.write_text(f"{json.dumps(CALLS[0])}\n{json.dumps(long)}\n{json.dumps(CALLS[0])}\n")
    ran = run("batch", tools, str(path), "--execute", "--max-line-bytes", "100", "-o", "-")
    assert [row["kind"] for row in ran.rows] == ["ok", "invalid", "ok"]
    assert ran.rows[1]["issues"][0]["message"] == "line longer than 100 bytes"


@pytest.mark.requirement("batch-not-json-lines")
@pytest.mark.parametrize(
    "content",
    [b"Dear diary,\nnothing happened.\n", b"\x89PNG\r\n\x1a\n\x00\x00", b'[{"name": "f"}]'],
)
def test_a_file_that_is_not_json_lines_is_one_line_and_exit_code_2(
    run: Run, tools: str, tmp_path: Path, content: bytes
) -> None:
    path, out = tmp_path / "calls.jsonl", tmp_path / "out.jsonl"
    path.write_bytes(content)
    ran = run("batch", tools, str(path), "-o", str(out))
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"error: {path}: not JSON Lines: none of its first lines is")
    assert ran.err.count("\n") == 1
    assert not out.exists()


@pytest.mark.requirement("cli-unusable-calls")
def test_calls_that_cannot_be_read_are_one_line_and_exit_code_2(
    run: Run, tools: str, calls: str, tmp_path: Path
) -> None:
    missing = str(tmp_path / "nowhere.jsonl")
    assert run("batch", tools, missing) == (2, "", f"error: {missing}: no such file\n")
    ran = run("batch", tools, str(tmp_path))
    assert (ran.code, ran.err) == (2, f"error: {tmp_path}: cannot be read: Is a directory\n")
    damaged = tmp_path / "damaged.jsonl.gz"
    damaged.write_bytes(gzip.compress(os.urandom(10) + Path(calls).read_bytes() * 9)[:-20])
    ran = run("batch", tools, str(damaged))
    assert (ran.code, ran.err.count("\n")) == (2, 1)


def test_rows_are_never_written_over_the_calls_or_to_nowhere(
    run: Run, tools: str, calls: str, tmp_path: Path
) -> None:
    before = Path(calls).read_bytes()
    words = "is also the file of calls; name another --output"
    assert run("batch", tools, calls, "-o", calls) == (2, "", f"error: {calls}: {words}\n")
    assert Path(calls).read_bytes() == before
    for option in ("-o", "--log"):
        nowhere = str(tmp_path / "no" / "where")
        ran = run("batch", tools, calls, option, nowhere)
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.startswith(f"error: {nowhere}: cannot be written: ")


def test_no_calls_are_no_error(run: Run, tools: str, tmp_path: Path) -> None:
    path = tmp_path / "empty.jsonl"
    path.write_text("")
    ran = run("batch", tools, str(path), "--format", "json", "--show")
    assert (ran.code, ran.json["rows"]) == (0, 0)


@pytest.mark.requirement("cli-show-calls")
def test_a_table_shows_what_happened_and_what_the_model_reads(
    run: Run, tools: str, calls: str
) -> None:
    ran = run("batch", tools, calls, "--show", "--execute")
    assert ran.code == 1
    assert max(map(len, ran.out.splitlines())) <= 100
    for words in (
        "ok, repaired",
        "a: number_text",
        "unit: enum_case",
        "invalid input",
        "a: missing",
        "x: extra",
        "unknown tool",
        "There is no tool",
        "not today",
        "cut off",
        "(not a call)",
        "not a JSON object",
    ):
        assert words in ran.out
    assert "Try next:" in ran.err
    assert f"toolhaft call {tools} add --json '{{\"a\":1}}'" in ran.err


def test_a_dry_run_reports_that_nothing_ran(run: Run, tools: str, calls: str) -> None:
    assert "(not run)" in run("batch", tools, calls, "--show").out


def test_a_models_text_cannot_steer_the_terminal(run: Run, tools: str, tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    sent = {"name": "add\x1b[2J", "arguments": '{"a": "\x1b]0;title\x07[bold]"}'}
    path.write_text(f"{json.dumps(sent)}\n{json.dumps({**sent, 'name': 'add'})}\n")
    ran = run("batch", tools, str(path), "--show")
    assert "\x1b" not in ran.out
    assert "\x07" not in ran.out
    assert "[bold]" in ran.out


@pytest.mark.requirement("cli-log")
def test_tracebacks_of_failed_tools_go_to_the_log_and_nowhere_else(
    tools: str, tmp_path: Path
) -> None:
    (tmp_path / "calls.jsonl").write_text('{"name": "fail", "arguments": {"how": "crash"}}')
    ran = forked("batch", tools, "calls.jsonl", "--execute", "-o", "-", cwd=tmp_path)
    assert "sk-live-1" not in ran.out + ran.err
    options = ["--execute", "-o", "-", "--log", "log.txt"]
    ran = forked("batch", tools, "calls.jsonl", *options, cwd=tmp_path)
    assert "sk-live-1" not in ran.out + ran.err
    log = (tmp_path / "log.txt").read_text()
    assert "RuntimeError: the key is sk-live-1" in log
    assert log.split("(id ")[1].split(")")[0] in ran.rows[0]["text"]


@pytest.mark.requirement("cli-context")
def test_a_batch_that_lacks_context_does_not_start(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "who.py"
    path.write_text(
        "from toolhaft import Injected, tool\n"
        "@tool\n"
        "def whoami(*, user: Injected[str]) -> str:\n"
        "    'Say who asks.'\n"
        "    return user\n"
    )
    calls = tmp_path / "calls.jsonl"
    calls.write_text('{"name": "whoami"}')
    command = ["batch", str(path), str(calls)]
    assert run(*command, "--execute").code == 2
    ran = run(*command, "--execute", "--context", '{"user": "ann"}', "-o", "-")
    assert ran.rows[0]["value"] == "ann"
    assert run(*command).code == 0


def test_progress_shows_on_a_terminal_only(tools: str, tmp_path: Path) -> None:
    (tmp_path / "calls.jsonl").write_text(f"{json.dumps(CALLS[0])}\n" * 200)
    assert "%" not in forked("batch", tools, "calls.jsonl", cwd=tmp_path).err
    assert "100%" in on_terminal("batch", tools, "calls.jsonl", cwd=tmp_path)


def on_terminal(*args: str, cwd: Path) -> str:
    """Return a command's output on a terminal as its standard error."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-P", "-c", MAIN, *args]
    child = subprocess.Popen(
        command,
        cwd=cwd,
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        env={**os.environ, "PYTHONPATH": SRC},
    )
    os.close(theirs)
    parts: list[bytes] = []
    while part := _read(ours):
        parts.append(part)
    assert child.wait(60) == 0
    os.close(ours)
    return b"".join(parts).decode()


def _read(descriptor: int) -> bytes:
    """Read what there is; Linux reports the end of a terminal as an error."""
    try:
        return os.read(descriptor, 4096)
    except OSError:
        return b""
