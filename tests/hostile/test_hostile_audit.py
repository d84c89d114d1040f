"""The hostile items about audit logs: secrets, edits, a log that fails, and a loop."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from toolhaft import Err, LoopGuard, Ok, Toolset, tool
from toolhaft.observers import chain
from toolhaft.observers.audit import AuditLog
from toolhaft.observers.details import unredacted

SECRET = "sk-SECRET-LEAKME-42"


@tool
def login(user: str, password: str) -> str:
    """Log in."""
    return f"{user} is in"


@pytest.mark.requirement("hostile-audit")
@pytest.mark.parametrize("values", [None, lambda *_: "…"])
def test_an_audit_log_has_no_declared_secret(values: Any, tmp_path: Path) -> None:
    log = AuditLog(tmp_path / "log", values=values)
    tools = Toolset([login], observers=[log])
    assert isinstance(tools.call_sync("login", {"user": "ann", "password": SECRET}), Ok)
    assert isinstance(tools.call_sync("login", {"user": "ann", "pass": SECRET}), Err)
    log.close()
    assert SECRET not in (tmp_path / "log").read_text()


@pytest.mark.requirement("hostile-audit")
def test_an_edited_line_of_an_audit_log_is_named(tmp_path: Path) -> None:
    log = AuditLog(tmp_path / "log", values=unredacted)
    tools = Toolset([login], observers=[log])
    for user in ("ann", "bob", "cid"):
        tools.call_sync("login", {"user": user, "password": "-"})
    log.close()
    lines = (tmp_path / "log").read_bytes().replace(b"bob", b"eve").splitlines(keepends=True)
    with pytest.raises(chain.ChainError, match=r"^line 2: changed since it was written"):
        chain.verify_chain(lines)


@pytest.mark.requirement("hostile-audit")
def test_an_audit_log_that_cannot_be_written_is_never_silent(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    log = AuditLog(tmp_path / "log")
    log.close()
    tools = Toolset([login], observers=[log])
    assert isinstance(tools.call_sync("login", {"user": "ann", "password": SECRET}), Ok)
    assert "observer AuditLog failed" in caplog.text
    assert SECRET not in caplog.text


@pytest.mark.requirement("hostile-audit")
def test_three_calls_that_fail_alike_are_a_loop_and_the_log_says_so(tmp_path: Path) -> None:
    log = AuditLog(tmp_path / "log")
    tools, guard = Toolset([login], observers=[log]), LoopGuard()
    spelt: list[Any] = [
        '{"user": 1, "pass": 2}',
        {"pass": 2.0, "user": 1},
        "{'pass': 2, 'user': 1}",
    ]
    kinds = [one.kind for raw in spelt if not (one := tools.call_sync("login", raw, guard=guard))]
    log.close()
    assert kinds == ["invalid_input", "invalid_input", "loop"]
    lines = (tmp_path / "log").read_text().splitlines()
    assert [json.loads(line)["kind"] for line in lines] == kinds
