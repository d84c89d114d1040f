"""The counts of many calls."""

from __future__ import annotations

from toolhaft.batch.calls import Call
from toolhaft.batch.record import Record
from toolhaft.batch.summary import Summary
from toolhaft.call.types import Coercion
from toolhaft.spec import Issue

CALL = Call(None, "f", {})


def summed(*records: Record) -> Summary:
    summary = Summary("calls.jsonl")
    for record in records:
        summary.add(record)
    return summary


def test_calls_are_counted_by_what_happened_by_rule_and_by_code() -> None:
    twice = (Coercion(("a",), "number_text"), Coercion(("b",), "number_text"))
    missing = (Issue("required", ("a",), "missing"), Issue("required", ("b",), "missing"))
    summary = summed(
        Record(1, CALL, "ok", {}),
        Record(2, CALL, "accepted", {}, coercions=twice),
        Record(3, CALL, "tool_error", {}, coercions=(Coercion((), "python_literal"),)),
        Record(4, CALL, "invalid_input", issues=missing, coercions=twice),
        Record(5, CALL, "truncated", issues=(Issue("not JSON", (), "json"),)),
        Record(6, CALL, "unknown_tool"),
        Record(7, None, "invalid", issues=(Issue("no tool name", (), "json"),)),
    )
    assert summary.placed is False
    assert Summary.of_counts(summary.counts()).as_json() == summary.as_json()
    assert summary.as_json() == {
        "rows": 7,
        "accepted": 3,
        "accepted_as_sent": 1,
        "repaired": 2,
        "repaired_by_rule": {"number_text": 1, "python_literal": 1},
        "refused": 2,
        "refused_by_code": {"json": 1, "missing": 1},
        "unknown_tool": 1,
        "invalid_rows": 1,
        "ran": {"ok": 1, "tool_error": 1},
        "first_lines": {
            "unknown_tool": [{"file": "calls.jsonl", "line": 6, "reason": None}],
            "invalid": [{"file": "calls.jsonl", "line": 7, "reason": "no tool name"}],
        },
    }


def test_the_first_lines_of_a_kind_are_named_file_by_file() -> None:
    whole = Summary()
    for file in ("a", "b"):
        part = Summary(file)
        for line in (1, 2, 3):
            part.add(Record.invalid(line, "bad"))
        whole.merge(part)
    assert whole.rows == 6
    assert [line[:2] for line in whole.named["invalid"]] == [
        ("a", 1),
        ("a", 2),
        ("a", 3),
        ("b", 1),
        ("b", 2),
    ]


def test_a_batch_is_clean_when_every_row_was_accepted_or_ran() -> None:
    assert summed(Record(1, CALL, "ok", {}), Record(2, CALL, "accepted", {})).clean
    assert not summed(Record(1, CALL, "ok", {}), Record(2, CALL, "tool_error", {})).clean
    assert summed().clean


def test_the_first_accepted_call_is_the_example() -> None:
    first = Record(2, CALL, "ok", {})
    assert summed(Record(1, None, "invalid"), first, Record(3, CALL, "ok", {})).example is first
    assert summed(Record(1, None, "invalid")).example is None
