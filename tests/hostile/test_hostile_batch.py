"""A hostile file of calls spoils its own rows only, and nothing of it is run but whole calls."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import Ran, spawned
from tests.hostile.child import materialise

pytestmark = pytest.mark.unmeasured

DATA = Path(__file__).parents[3] / "shared" / "data"
TOOL = """
from toolhaft import tool

@tool
def transfer(account: str, amount: int, memo: str = "") -> int:
    "Move money."
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
}
MOST_ROW = 4096


def cases() -> list[Any]:
    path = DATA / "hostile.jsonl"
    if not path.exists():
        reason = "the hostile inputs are not beside the repository"
        return [pytest.param({}, marks=pytest.mark.skip(reason=reason))]
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    return [pytest.param(row, id=row["id"]) for row in rows if row["id"] in KINDS]


def ran(folder: Path, calls: str | bytes, out: str = "out.jsonl") -> Ran:
    (folder / "tools.py").write_text(TOOL)
    (folder / "calls.jsonl").write_bytes(calls.encode() if isinstance(calls, str) else calls)
    fields = ("--name-field", "tool", "--arguments-field", "args")
    return spawned("batch", "tools.py", "calls.jsonl", "--execute", "-o", out, *fields, cwd=folder)


@pytest.mark.requirement("hostile-batch")
@pytest.mark.parametrize("item", cases())
def test_a_hostile_file_spoils_its_own_rows_only(item: dict[str, Any], tmp_path: Path) -> None:
    done = ran(tmp_path, materialise(item, DATA))
    assert done.code == ("invalid" in KINDS[item["id"]])
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
    assert done.err.startswith(f"toolhaft: {out}: ")
    assert done.err.count("\n") == 1
    assert (tmp_path / "calls.jsonl").read_text() == CALL
