"""The travel example shows every kind of outcome, and is worth learning from."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import forked

ROOT = Path(__file__).parents[2]
TRAVEL = ROOT / "examples" / "travel"
TOOLS, CALLS = "examples/travel/tools.py", "examples/travel/calls.jsonl"


@pytest.fixture(scope="module")
def rows() -> list[Any]:
    return forked("batch", TOOLS, CALLS, "--execute", "-o", "-", cwd=ROOT).rows


def rules(rows: list[Any]) -> Iterator[str]:
    for row in rows:
        yield from {one["rule"] for one in row["coercions"]}


@pytest.mark.requirement("example-travel")
def test_every_kind_of_outcome_occurs(rows: list[Any]) -> None:
    assert Counter(row["kind"] for row in rows) == {
        "ok": 23,
        "invalid_input": 13,
        "truncated": 1,
        "unknown_tool": 1,
        "tool_error": 2,
        "runtime_error": 1,
        "timeout": 1,
    }


@pytest.mark.requirement("example-travel")
def test_every_rule_that_is_on_by_default_repairs_something(rows: list[Any]) -> None:
    assert set(rules([row for row in rows if row["kind"] == "ok"])) == {
        "boolean_text",
        "double_encoded",
        "empty_absent",
        "enum_case",
        "json_text",
        "null_absent",
        "number_text",
        "python_literal",
    }


@pytest.mark.requirement("example-travel")
def test_no_secret_reaches_the_model(rows: list[Any]) -> None:
    texts = "\n".join(row["text"] or "" for row in rows)
    assert "sk-live" not in texts
    assert "4000000000000002" not in texts
    assert "do not repeat the call" in texts


@pytest.mark.requirement("example-travel")
def test_calls_come_in_the_shapes_of_four_clients() -> None:
    lines = (TRAVEL / "calls.jsonl").read_text(encoding="utf-8").splitlines()
    shapes = Counter(str(row.get("type", row.get("method"))) for row in map(json.loads, lines))
    assert shapes.keys() >= {"function_call", "function", "tool_use", "tools/call"}
    assert "messages" in json.loads(lines[-1])
    assert len(lines) == 42


def test_the_tools_come_from_five_vendors_or_none() -> None:
    shown = forked("show", TOOLS, "--format", "json", cwd=ROOT).json
    assert len(shown) == 8
    assert {one["vendor"] for one in shown} >= {"pydantic", "msgspec", "json-schema"}
    assert all(one["description"] for one in shown)


def test_the_demo_suggests_the_next_command() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert f"toolhaft batch {TOOLS} {CALLS} --execute --show" in makefile
    ran = forked("batch", TOOLS, CALLS, "--execute", "--show", cwd=ROOT)
    assert ran.code == 1  # one of the calls names an unknown tool
    assert "Try next:" in ran.err
    assert max(map(len, ran.out.splitlines())) == 100
