"""`audit verify` confirms that a log is unchanged, or names the first line that is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import Run
from toolhaft import Toolset, tool
from toolhaft.observers.audit import AuditLog


@tool
def double(n: int) -> int:
    """Twice a number."""
    return 2 * n


def logged(path: Path, key: bytes | None = None) -> str:
    """Write a log of three calls, and return its last hash."""
    log = AuditLog(path, key=key)
    tools = Toolset([double], observers=[log])
    for n in range(3):
        tools.call_sync("double", {"n": n})
    log.close()
    return log.head.hash


@pytest.mark.requirement("cli-audit")
def test_a_whole_log_is_ok_and_its_head_is_printed(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    head = logged(path)
    assert run("audit", "verify", str(path)) == (0, f"ok: 3 lines, head {head}\n", "")
    ran = run("audit", "verify", str(path), "--head", head, "--format", "json")
    assert (ran.code, ran.json) == (0, {"ok": True, "lines": 3, "head": head})


@pytest.mark.requirement("cli-audit")
def test_the_first_broken_line_is_reported(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    logged(path)
    path.write_bytes(path.read_bytes().replace(b'"number":2', b'"number":7'))
    reason = "changed since it was written, or written with another key"
    assert run("audit", "verify", str(path)) == (1, f"broken: line 2: {reason}\n", "")
    ran = run("audit", "verify", str(path), "--format", "json")
    assert (ran.code, ran.json) == (1, {"ok": False, "line": 2, "reason": reason})


@pytest.mark.requirement("cli-audit")
def test_a_log_of_a_key_needs_it(run: Run, tmp_path: Path) -> None:
    path, key = tmp_path / "audit.jsonl", tmp_path / "key"
    key.write_bytes(b"secret")
    logged(path, b"secret")
    assert run("audit", "verify", str(path), "--key-file", str(key)).code == 0
    assert run("audit", "verify", str(path)).code == 1


@pytest.mark.requirement("cli-audit")
def test_an_unreadable_file_is_a_usage_error(run: Run, tmp_path: Path) -> None:
    path, key = tmp_path / "audit.jsonl", tmp_path / "key"
    ran = run("audit", "verify", str(path))
    assert ran == (2, "", f"error: {path}: cannot be read: No such file or directory\n")
    path.touch()
    key.touch()
    ran = run("audit", "verify", str(path), "--key-file", str(key))
    assert ran == (2, "", f"error: {key}: the key is empty\n")
    assert run("audit", "verify").code == 2
    ran = run("audit", "verify", str(path), "--head", "4f2a")
    words = "not a whole hash; pass its 64 hexadecimal digits"
    assert ran == (2, "", f"error: invalid value for '--head': {words}\n")
