"""Every hostile definition is refused with a reason and a fix, or found by `check`; none hangs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.forks import Ask, answering

DATA = Path(__file__).parents[3] / "shared" / "data"
# The rules that find something in a valid definition.
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


@pytest.fixture(scope="module")
def ask() -> Iterator[Ask]:
    with answering("tests.hostile.definitions_child") as ask:
        yield ask


@pytest.mark.unmeasured
@pytest.mark.requirement("hostile-definitions")
@pytest.mark.parametrize("item", cases())
def test_a_hostile_definition_is_answered_as_it_should(ask: Ask, item: dict[str, Any]) -> None:
    text, code = ask(item, str(DATA))
    assert code == 0
    said = json.loads(text)
    assert said["opened"] == []
    if item["id"] in FOUND_BY:
        assert FOUND_BY[item["id"]] in said["codes"]
    elif item["expected"] == "accepted":
        assert (said["refused"], said["kinds"]) == ([], ["ok"] * len(said["kinds"]))
    else:
        assert said["refused"]
        assert all(reason and fix for reason, fix in said["refused"])
