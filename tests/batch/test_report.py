"""A report counts what happened, says how sure it is, and is one page that needs nothing else."""

from __future__ import annotations

import gzip
import json
from html.parser import HTMLParser
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cli.running import forked
from tests.share import step
from toolhaft.batch.report.expectations import is_right
from toolhaft.batch.report.intervals import Share, difference

DATA = Path(__file__).parents[3] / "shared" / "data"
TOOLS = """
from toolhaft import tool

@tool
def add(a: int, b: int = 1) -> int:
    "Add."
    return a + b
"""
EXPECTED = [{"a": [1], "b": [2, ""]}]
CALLS = [
    {"model": "m", "name": "add", "arguments": '{"a": 1}', "expected": EXPECTED},
    {"model": "m", "name": "add", "arguments": '{"a": "1"}', "expected": EXPECTED},
    {"model": "n", "name": "add", "arguments": '{"a": 3}', "expected": EXPECTED},
    {"model": "n", "name": "add", "arguments": '{"<b>": 3}', "expected": EXPECTED},
    {"model": "n", "name": "subtract", "arguments": "{}"},
    {"model": "n"},
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tools.py").write_text(TOOLS)
    (tmp_path / "calls.jsonl").write_text("".join(f"{json.dumps(call)}\n" for call in CALLS))
    return tmp_path


def report(folder: Path, name: str, *options: str) -> str:
    out = f"{name}.rows.jsonl"
    command = ("batch", "tools.py", "calls.jsonl", "-o", out, "--report", name, *options)
    ran = forked(*command, cwd=folder)
    assert ran.code == 1, ran.err  # a row holds no call
    return (folder / name).read_text(encoding="utf-8")


@pytest.mark.requirement("batch-report")
def test_a_report_counts_by_model_tool_and_rule(folder: Path) -> None:
    [run] = json.loads(report(folder, "out.json"))["runs"]
    assert run["all"]["verdicts"] == {
        "as sent": 2, "repaired": 1, "refused": 1, "unknown tool": 1, "no call": 1,
    }  # fmt: skip
    assert run["all"]["accepted"] == Share(3, 6).as_json()
    assert run["all"]["right"] == Share(2, 3).as_json()
    assert [(one["name"], one["calls"], one["accepted"]["count"]) for one in run["models"]] == [
        ("n", 4, 1),
        ("m", 2, 2),
    ]
    assert [(one["name"], one["calls"]) for one in run["tools"]] == [("add", 4)]
    assert [(one["name"], one["right"]["count"]) for one in run["rules"]] == [("number_text", 1)]
    assert run["codes"] == {"extra": 1, "missing": 1}
    assert [(one["tool"], one["path"], one["code"], one["count"]) for one in run["issues"]] == [
        ("add", "/<b>", "extra", 1),
        ("add", "/a", "missing", 1),
    ]
    assert "Please rewrite the input" in run["issues"][0]["texts"][0]


class Links(HTMLParser):
    """The files that a page loads, and every tag in it."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.loads: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.loads += [value or "" for name, value in attrs if name in {"src", "href", "data"}]


@pytest.mark.requirement("batch-report")
def test_a_page_loads_nothing_and_escapes_what_models_wrote(folder: Path) -> None:
    page = report(folder, "out.html")
    links = Links()
    links.feed(page)
    assert links.loads == []
    assert {"script", "link", "img", "b"}.isdisjoint(links.tags)
    assert "@import" not in page
    assert "url(" not in page
    assert "prefers-color-scheme: dark" in page
    assert "@media print" in page
    assert "&lt;b&gt;" in page


@pytest.mark.requirement("batch-report")
def test_two_runs_are_side_by_side(folder: Path) -> None:
    report(folder, "first.json")
    (folder / "tools.py").write_text(TOOLS.replace("@tool", '@tool(coerce="none")'))
    found = json.loads(report(folder, "second.json", "--against", "first.json.rows.jsonl"))
    assert [run["all"]["accepted"]["count"] for run in found["runs"]] == [3, 2]
    [whole, *_] = found["changes"]
    assert (whole["kind"], whole["gain"], whole["is_clear"]) == ("all", -0.1667, False)


def test_rows_that_belong_to_other_calls_are_reported(folder: Path) -> None:
    report(folder, "first.json")
    rows = (folder / "first.json.rows.jsonl").read_text().splitlines(keepends=True)
    (folder / "short.jsonl").write_text("".join(rows[1:]))
    options = ["-o", "out.jsonl", "--report", "out.json", "--against", "short.jsonl"]
    ran = forked("batch", "tools.py", "calls.jsonl", *options, cwd=folder)
    assert (ran.code, ran.err) == (
        2,
        "error: short.jsonl: has rows of other lines than the calls have\n",
    )


def test_a_file_that_is_no_output_of_a_batch_is_reported_before_anything_runs(folder: Path) -> None:
    (folder / "pets.json").write_text('{\n"openapi": "3.1.0"}\n')
    options = ["-o", "out.jsonl", "--report", "out.json", "--against", "pets.json"]
    ran = forked("batch", "tools.py", "calls.jsonl", *options, cwd=folder)
    wrong = "error: pets.json: has lines that are not rows of a batch\n"
    assert (ran.code, ran.err, (folder / "out.jsonl").exists()) == (2, wrong, False)


def test_calls_that_are_not_there_are_named_and_not_the_run(folder: Path) -> None:
    report(folder, "first.json")
    options = ["-o", "out.jsonl", "--report", "out.json", "--against", "first.json.rows.jsonl"]
    ran = forked("batch", "tools.py", "gone.jsonl", *options, cwd=folder)
    assert (ran.code, ran.err) == (2, "error: gone.jsonl: no such file\n")


@given(st.integers(0, 200), st.integers(0, 200))
def test_an_interval_holds_the_share_and_stays_in_bounds(count: int, more: int) -> None:
    share = Share(count, count + more)
    assert 0 <= share.low <= share.value <= share.high <= 1 or share.total == 0
    assert difference(share, share)[1] <= 0 <= difference(share, share)[2]


@pytest.mark.requirement("batch-expectations")
@pytest.mark.parametrize(
    ("arguments", "expected", "right"),
    [
        ({"a": "New York"}, [{"a": ["new_york"]}], True),
        ({"a": "New York"}, [{"a": ["York"]}], False),
        ({"a": 1}, [{"a": [1.0]}], True),
        ({"a": True}, [{"a": [1]}], False),
        ({"a": [1, 2]}, [{"a": [[1, 2]]}], True),
        ({"a": [2, 1]}, [{"a": [[1, 2]]}], False),
        ({}, [{"a": [1, ""]}], True),
        ({}, [{"a": [1]}], False),
        ({"b": 1}, [{"a": [1, ""]}], False),
        ({"a": {"b": "x"}}, [{"a": [{"b": ["X"], "c": [""]}]}], True),
        ({"a": []}, [{"a": []}], True),
        ({"a": 1}, [{"a": [2]}, {"a": [1]}], True),
        ({"a": 1}, [], False),
    ],
)
def test_arguments_are_compared_as_the_leaderboard_does(
    arguments: dict[str, Any], expected: list[dict[str, Any]], right: bool
) -> None:
    assert is_right(arguments, expected) is right


@pytest.mark.unmeasured
@pytest.mark.requirement("batch-expectations")
@pytest.mark.skipif(not DATA.is_dir(), reason="the recorded calls are not here")
def test_the_comparison_agrees_with_what_was_recorded() -> None:
    """One call of 23,753 has another verdict: its expectation was rounded to zero."""
    with gzip.open(DATA / "calls_valid.jsonl.gz") as lines:
        rows = [json.loads(line) for line in islice(lines, 0, None, 7 * step())]
    judged = [row for row in rows if row.get("matches_expected") is not None]
    verdicts = [is_right(json.loads(one["arguments_text"]), one["expected"]) for one in judged]
    wrong = sum(
        verdict is not row["matches_expected"]
        for verdict, row in zip(verdicts, judged, strict=True)
    )
    assert judged
    assert wrong <= 1
