"""Every hostile call has the answer that it should, in time, in bounds, and without a leak."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.forks import Ask, answering

HERE = Path(__file__).parent
DATA = HERE.parents[2] / "shared" / "data"
SURFACES = ("raw_args", "args", "output")
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


@pytest.fixture(scope="module")
def ask() -> Iterator[Ask]:
    with answering("tests.hostile.child") as ask:
        yield ask


@pytest.mark.no_cover
@pytest.mark.requirement("hostile-core")
@pytest.mark.parametrize(("item", "policy"), cases())
def test_a_hostile_item_is_answered_as_it_should(
    ask: Ask, item: dict[str, Any], policy: str
) -> None:
    text, code = ask(item, policy, str(DATA))
    assert code == 0
    said = json.loads(text)
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
