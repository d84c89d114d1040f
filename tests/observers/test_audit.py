"""The audit log: a chain, whole under threads, continued in an old file, that shows tampering."""

from __future__ import annotations

import asyncio
import hashlib
import io
import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.observers.recording import double, fail, login
from toolhaft import ToolCall, Toolset, tool
from toolhaft.observers import chain
from toolhaft.observers.audit import AuditLog
from toolhaft.observers.details import unredacted

KEY = b"a key that is kept elsewhere"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "audit.jsonl"


def written(path: Path, calls: int = 3, **options: Any) -> chain.Link:
    """Write so many calls to a log, and return its head."""
    log = AuditLog(path, **options)
    tools = Toolset([double], observers=[log])
    for n in range(calls):
        tools.call_all_sync([ToolCall(f"c{n}", "double", {"n": n})])
    log.close()
    return log.head


def verified(path: Path, key: bytes | None = None, head: str | None = None) -> chain.Link:
    with path.open("rb") as lines:
        return chain.verify_chain(lines, key, head)


@pytest.mark.requirement("observers-audit")
def test_each_call_is_a_line_without_values_that_anybody_can_check(path: Path) -> None:
    log = AuditLog(path, fsync=True)
    tools = Toolset([login, fail], observers=[log])
    tools.call_sync("login", {"user": "ann", "password": "sk-1"})
    asyncio.run(tools.call("fail", {"how": "crash"}))
    tools.call_sync("logon", "{}")
    log.close()
    lines = path.read_bytes().splitlines()
    records = [json.loads(line) for line in lines]
    assert [(one["number"], one["tool"], one["kind"]) for one in records] == [
        (1, "login", "ok"),
        (2, "fail", "runtime_error"),
        (3, "logon", "unknown_tool"),
    ]
    assert b"sk-1" not in path.read_bytes()
    before = "0" * 64
    for line, record in zip(lines, records, strict=True):
        body = line[: line.rindex(b',"hash":')] + b"}"
        assert hashlib.sha256(body).hexdigest() == record["hash"]
        assert record["previous"] == before
        before = record["hash"]
    assert verified(path) == log.head == chain.Link(3, before)


@pytest.mark.requirement("observers-audit")
def test_values_are_written_when_a_redactor_is_given(path: Path) -> None:
    written(path, 1, values=unredacted)
    record = json.loads(path.read_text())
    assert (record["arguments"], record["result"]) == ({"n": 0}, 0)
    assert verified(path).number == 1


@pytest.mark.requirement("observers-audit")
def test_facts_are_of_the_arguments_with_their_defaults(path: Path) -> None:
    @tool
    def pay(amount: int, currency: str = "EUR") -> int:
        "Pay."
        return amount

    log = AuditLog(path, facts=lambda call: {"paid": call.values(unredacted)["arguments"]})
    Toolset([pay], observers=[log]).call_sync("pay", {"amount": 7})
    log.close()
    facts = {"paid": {"amount": 7, "currency": "EUR"}}
    assert json.loads(path.read_text())["facts"] == facts


@pytest.mark.requirement("observers-audit")
def test_a_file_is_continued_where_it_ended(path: Path) -> None:
    first = written(path)
    last = written(path)
    assert (first.number, last.number) == (3, 6)
    assert verified(path, head=first.hash) == last


@pytest.mark.requirement("observers-audit")
def test_a_last_line_longer_than_a_block_is_continued(path: Path) -> None:
    log = AuditLog(path, values=unredacted)
    tools = Toolset([login], observers=[log])
    tools.call_sync("login", {"user": "a", "password": "x"})
    tools.call_sync("login", {"user": "a" * 200_000, "password": "x"})
    log.close()
    assert written(path, 1).number == 3
    assert verified(path).number == 3


@pytest.mark.requirement("observers-audit")
def test_calls_of_many_threads_are_one_chain(path: Path) -> None:
    log = AuditLog(path)
    tools = Toolset([double], observers=[log])
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: tools.call_sync("double", {"n": n}), range(400)))
    log.close()
    assert verified(path) == log.head
    assert log.head.number == 400


@pytest.mark.requirement("observers-audit")
def test_a_key_makes_the_chain_one_that_nobody_else_can_write(path: Path) -> None:
    head = written(path, key=KEY)
    assert verified(path, KEY) == head
    changed = "line 1: changed since it was written, or written with another key"
    for other in (None, b"another"):
        with pytest.raises(chain.ChainError) as error:
            verified(path, other)
        assert str(error.value) == changed
    with pytest.raises(chain.ChainError, match=r"^last line: changed since"):
        AuditLog(path)
    with pytest.raises(ValueError, match="the key of an audit log is empty"):
        AuditLog(path, key=b"")
    not_bytes: Any = "secret"
    with pytest.raises(ValueError, match=r"^the key of an audit log is not bytes; pass key.encode"):
        AuditLog(path, key=not_bytes)


@pytest.mark.parametrize("option", ["values", "facts"])
def test_what_a_log_calls_is_a_function(path: Path, option: str) -> None:
    options: Any = {option: True}
    with pytest.raises(ValueError, match=f"^AuditLog: {option}: not callable; pass a function$"):
        AuditLog(path, **options)


def edited(lines: list[bytes]) -> list[bytes]:
    return [lines[0], lines[1].replace(b'"ok"', b'"no"'), *lines[2:]]


def resealed(lines: list[bytes]) -> list[bytes]:
    """Line 2 changed by somebody who knows how its own hash is made."""
    body = edited(lines)[1].rpartition(b',"hash":')[0] + b"}"
    made = body[:-1] + b',"hash":"%b"}\n' % hashlib.sha256(body).hexdigest().encode()
    return [lines[0], made, *lines[2:]]


@pytest.mark.requirement("observers-audit")
@pytest.mark.parametrize(
    ("tamper", "line", "reason"),
    [
        (edited, 2, "changed since it was written, or written with another key"),
        (resealed, 3, "does not follow the line before"),
        (lambda lines: lines[:1] + lines[2:], 2, "numbered 3: a line is missing, or out of order"),
        (lambda lines: lines[1:], 1, "numbered 2: a line is missing, or out of order"),
        (lambda lines: [lines[1], lines[0], lines[2]], 1, "numbered 2: a line is missing, or"),
        (lambda lines: [*lines[:2], lines[1], lines[2]], 3, "numbered 2: a line is missing, or"),
        (lambda lines: [lines[0], b"\n", *lines[1:]], 2, "not a record of a chain"),
        (lambda lines: [lines[0], b"{}\n"], 2, "not a record of a chain"),
        (lambda lines: [*lines[:2], lines[2][:-20]], 3, "cut off before its end"),
        (lambda lines: lines[:2], 3, "missing: the chain ends before the hash that was noted"),
    ],
)
def test_the_first_broken_line_is_named(path: Path, tamper: Any, line: int, reason: str) -> None:
    head = written(path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(tamper(lines)))
    with pytest.raises(chain.ChainError) as error:
        verified(path, head=head.hash)
    assert error.value.line == line
    assert error.value.reason.startswith(reason)


@pytest.mark.requirement("observers-audit")
def test_no_byte_can_be_changed_or_removed_unseen(path: Path) -> None:
    written(path)
    whole = path.read_bytes()
    for at in range(len(whole)):
        for other in (bytes([whole[at] ^ 1]), b""):
            lines = io.BytesIO(whole[:at] + other + whole[at + 1 :])
            with pytest.raises(chain.ChainError):
                chain.verify_chain(lines)


@pytest.mark.requirement("observers-audit")
@pytest.mark.parametrize("rest", [b'{"number":1', b"notes of mine\n"])
def test_a_file_with_a_broken_last_line_is_not_continued(path: Path, rest: bytes) -> None:
    written(path, 1)
    before = path.read_bytes() + rest
    path.write_bytes(before)
    with pytest.raises(chain.ChainError, match=r"^last line: "):
        AuditLog(path)
    assert path.read_bytes() == before


def test_an_empty_file_is_an_empty_chain(path: Path) -> None:
    assert written(path, 0) == verified(path) == chain.START


@pytest.mark.requirement("observers-audit")
def test_a_file_has_one_writer(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = AuditLog(path)
    with pytest.raises(BlockingIOError, match="has a writer already; name another file") as taken:
        AuditLog(path)
    assert taken.value.filename == str(path)
    log.close()
    AuditLog(path).close()
    monkeypatch.setitem(sys.modules, "fcntl", None)
    AuditLog(path).close()


class Full:
    """A file on a disk that takes ten bytes more."""

    def __init__(self, file: Any) -> None:
        self.file = file

    def write(self, line: bytes) -> int:
        return int(self.file.write(line[:10]))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.file, name)


@pytest.mark.requirement("observers-audit")
def test_a_line_that_does_not_fit_is_removed_and_the_call_continues(
    path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = AuditLog(path)
    tools = Toolset([double], observers=[log])
    tools.call_sync("double", {"n": 1})
    with monkeypatch.context() as patch:
        patch.setattr(log, "_file", Full(log._file))
        assert tools.call_sync("double", {"n": 2}).unwrap() == 4
    tools.call_sync("double", {"n": 3})
    log.close()
    assert "observer AuditLog failed" in caplog.text
    assert verified(path).number == 2


@pytest.mark.requirement("observers-audit")
def test_a_forked_process_writes_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = AuditLog(path)
    tools = Toolset([double], observers=[log])
    process = os.getpid()
    with monkeypatch.context() as patch:
        patch.setattr(os, "getpid", lambda: process + 1)
        assert tools.call_sync("double", {"n": 2}).unwrap() == 4
    log.close()
    assert path.read_bytes() == b""


@pytest.mark.requirement("observers-know-who")
def test_the_programs_facts_of_a_call_are_in_its_line(tmp_path: Path) -> None:
    path = tmp_path / "audit.jsonl"
    log = AuditLog(path, facts=lambda call: {"user": call.context["user"]})
    tools = Toolset([double], observers=[log])
    tools.call_sync("double", {"n": 1}, context={"user": "ann"})
    tools.call_sync("double", {"n": 1})
    log.close()
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [line["facts"] for line in lines] == [{"user": "ann"}, "[the facts failed]"]
