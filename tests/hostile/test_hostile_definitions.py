"""Every hostile definition is refused with a reason and a fix, or found by `check`; none hangs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
DATA = ROOT.parent / "shared" / "data"
DEADLINE = 30
# What a rule finds in a definition that may stand.
FOUND_BY = {
    "def-param-poison": "TH109",
    "def-default-poison": "TH109",
    "def-shadow": "TH109",
    "def-redos-alt": "TH211",
    "def-bad-min-max": "TH210",
}


def cases() -> list[Any]:
    path = DATA / "hostile.jsonl"
    if not path.exists():
        reason = "the hostile inputs are not beside the repository"
        return [pytest.param({}, marks=pytest.mark.skip(reason=reason))]
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    # A pair of definitions is for a lock to tell apart.
    single = [row for row in rows if row["surface"] == "definition" and "seq" not in row["input"]]
    return [pytest.param(row, id=row["id"]) for row in single]


@pytest.mark.requirement("hostile-definitions")
@pytest.mark.parametrize("item", cases())
def test_a_hostile_definition_is_answered_as_it_should(item: dict[str, Any]) -> None:
    done = subprocess.run(
        [sys.executable, "-B", "-m", "tests.hostile.definitions_child"],
        input=json.dumps([item, str(DATA)]) + "\n",
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    said = json.loads(done.stdout.splitlines()[-1])
    assert said["opened"] == []
    if item["id"] in FOUND_BY:
        assert FOUND_BY[item["id"]] in said["codes"]
    elif item["expected"] == "accepted":
        assert (said["refused"], said["kinds"]) == ([], ["ok"] * len(said["kinds"]))
    else:
        assert said["refused"]
        assert all(reason and fix for reason, fix in said["refused"])
