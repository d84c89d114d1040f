"""Every hostile call has the answer that it should, in time, in bounds, and without a leak."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
DATA = HERE.parents[2] / "shared" / "data"
SURFACES = ("raw_args", "args", "output")
# An answer within two seconds, after the child's own start.
DEADLINE = 20
MOST_TEXT = 4096


def items() -> list[dict[str, Any]]:
    path = DATA / "hostile.jsonl"
    if not path.exists():
        return []
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    return [row for row in rows if row["surface"] in SURFACES and row["tier"] == "core"]


def cases() -> list[Any]:
    found = []
    for item in items():
        policies = ("safe",) if item["surface"] == "output" else ("safe", "none")
        found += [pytest.param(item, one, id=f"{item['id']}-{one}") for one in policies]
    reason = "the hostile inputs are not beside the repository"
    return found or [pytest.param({}, "", marks=pytest.mark.skip(reason=reason))]


def wanted(item: dict[str, Any], policy: str) -> str:
    if policy == "safe":
        return str(item.get("expected_safe", item["expected"]))
    return str(item["expected"])


@pytest.mark.requirement("hostile-core")
@pytest.mark.parametrize(("item", "policy"), cases())
def test_a_hostile_item_is_answered_as_it_should(item: dict[str, Any], policy: str) -> None:
    done = subprocess.run(
        [sys.executable, str(HERE / "child.py")],
        input=json.dumps([item, policy, str(DATA)]) + "\n",
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    said = json.loads(done.stdout.splitlines()[-1])
    assert (said["leaks"], said["opened"]) == ([], [])
    assert said["longest"] <= MOST_TEXT
    if item["surface"] != "output":
        assert not said["logged"]
    expected = wanted(item, policy)
    if expected == "accepted":
        assert said["kind"] == "ok"
    elif expected == "rejected with issue":
        assert said["kind"] in ("invalid_input", "truncated")
        assert said["calls"] == 0
        assert said["issues"] > 0 or said["kind"] == "truncated"
    else:
        assert said["kind"] in ("runtime_error", "output_invalid", "timeout")
    if "secret_out" in item:
        assert item["secret_out"] not in said["seen"]
