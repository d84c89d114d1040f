"""Recorded calls are gated or run, each with a record, and a bad line never ends the rest."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from toolhaft import Err, Toolset, from_json, tool
from toolhaft.batch.calls import Call
from toolhaft.batch.catalogue import Catalogue
from toolhaft.batch.execution import call_rows
from toolhaft.batch.job import Job, NotJsonLines
from toolhaft.batch.lines import Line
from toolhaft.batch.pieces import Piece
from toolhaft.batch.record import Record
from toolhaft.call import feedback
from toolhaft.call.types import Coercion
from toolhaft.definition.markers import Context
from toolhaft.errors import ToolError

RAN: list[int] = []


@tool
def double(n: int) -> int:
    """Twice a number."""
    RAN.append(n)
    if n < 0:
        raise ToolError("only numbers from 0")
    return 2 * n


@pytest.fixture(autouse=True)
def _nothing_ran() -> None:
    RAN.clear()


def records(*texts: bytes, **options: Any) -> list[Record]:
    return run(Job(Catalogue(Toolset([double])), **options), *texts)


def run(job: Job, *texts: bytes) -> list[Record]:
    data = b"\n".join(texts)
    piece = Piece("calls.jsonl", 0, 0, 1, len(data), data=data)
    job.judge(job.read_piece(piece))
    return [row.record for row in call_rows(job, piece) if row.record is not None]


def test_a_dry_run_checks_and_repairs_and_runs_nothing() -> None:
    assert records(b'{"id": "a", "name": "double", "arguments": {"n": "4"}}') == [
        Record(
            1,
            Call("a", "double", {"n": "4"}),
            "accepted",
            {"n": 4},
            (Coercion(("n",), "number_text"),),
        )
    ]
    assert RAN == []


def test_a_run_returns_the_value_and_the_text_for_the_model() -> None:
    assert records(b'{"name": "double", "arguments": {"n": 4}}', runs=True) == [
        Record(1, Call(None, "double", {"n": 4}), "ok", text="8", value=8, spelling='{"n":4}')
    ]
    assert RAN == [4]


def test_a_tool_that_refuses_keeps_the_arguments_that_it_was_given() -> None:
    assert records(b'{"name": "double", "arguments": {"n": -1}}', runs=True) == [
        Record(
            1,
            Call(None, "double", {"n": -1}),
            "tool_error",
            text="only numbers from 0",
            spelling='{"n":-1}',
        )
    ]


def test_a_refused_call_has_its_issues_and_no_arguments() -> None:
    [record] = records(b'{"name": "double", "arguments": {"m": 1}}', runs=True)
    refusal = double.call_sync({"m": 1})
    assert isinstance(refusal, Err)
    assert record == Record(
        1,
        Call(None, "double", {"m": 1}),
        "invalid_input",
        issues=refusal.issues,
        text=refusal.text,
    )
    assert {(one.path, one.code) for one in record.issues} == {
        (("n",), "missing"),
        (("m",), "extra"),
    }
    assert RAN == []


@pytest.mark.requirement("batch-bad-line")
def test_a_bad_line_is_one_invalid_record_and_the_run_continues() -> None:
    good = b'{"name": "double", "arguments": {"n": 1}}'
    found = records(b"Hello", good, b"x" * 99, b"[1]", b"{}", good, max_line_bytes=98)
    assert [(one.line, one.kind) for one in found] == [
        (1, "invalid"),
        (2, "accepted"),
        (3, "invalid"),
        (4, "invalid"),
        (5, "invalid"),
        (6, "accepted"),
    ]
    assert [one.issues[0].message for one in found if one.issues] == [
        "not JSON: expected a value at column 1",
        "line longer than 98 bytes",
        "not a JSON object",
        "no tool name",
    ]


@pytest.mark.requirement("batch-not-json-lines")
@pytest.mark.parametrize("lines", [[b"Hello"], [b"[", b'{"name": "f"},', b"]"], [b"x"] * 30])
def test_a_file_without_an_object_among_its_first_lines_is_not_json_lines(
    lines: list[bytes],
) -> None:
    with pytest.raises(NotJsonLines):
        records(*lines)


def test_nothing_is_wrong_with_no_lines_or_with_long_ones_only() -> None:
    assert records() == []
    assert [one.kind for one in records(b"x" * 99, max_line_bytes=98)] == ["invalid"]


def test_a_good_line_after_many_bad_ones_is_reached_when_the_first_lines_had_one_too() -> None:
    good = b'{"name": "double", "arguments": {"n": 1}}'
    kinds = [one.kind for one in records(good, *[b"x"] * 50, good)]
    assert kinds == ["accepted", *["invalid"] * 50, "accepted"]


def test_lines_are_judged_by_no_more_than_the_first_call() -> None:
    seen = 0

    def lines() -> Iterator[Line]:
        nonlocal seen
        for number in range(1, 1000):
            seen = number
            yield Line(number, b'{"name": "double", "arguments": {"n": 1}}')

    job = Job(Catalogue([double]))
    job.judge(map(job.read_line, lines()))
    assert seen == 1


def test_an_unknown_tool_is_reported_with_the_nearest_name() -> None:
    [record] = records(b'{"name": "duble", "arguments": {}}')
    assert (record.kind, record.text) == (
        "unknown_tool",
        "There is no tool named duble. Did you mean double? Available tools: double.",
    )


def test_the_text_for_a_long_name_is_that_of_the_boundary() -> None:
    for name in ("double" * 99, "\u202e" * 300, "d" * 199 + "\U0001f468\u200d\U0001f469"):
        text = feedback.describe_unknown_tool(name, ["double"])
        assert Catalogue([double]).describe_unknown(name) == text


def test_a_context_reaches_the_handler() -> None:
    @tool
    def whoami(*, context: Context[Any]) -> str:
        """Return the user who calls."""
        return str(context["user"])

    job = Job(Catalogue([whoami]), runs=True, context={"user": "ann"})
    [record] = run(job, b'{"name": "whoami"}')
    assert record.value == "ann"


def test_declarations_with_one_name_are_distinguished_by_id() -> None:
    def declared(kind: str) -> Any:
        schema = {"type": "object", "properties": {"n": {"type": kind}}}
        [one] = from_json([{"name": "f", "description": "F.", "inputSchema": schema}])
        return one

    first, second = declared("integer"), declared("string")
    job = Job(Catalogue([first, second], {"v1": first, "v2": second}))
    rows = [
        b'{"name": "f", "arguments": {"n": "x"}, "tool_id": "v1"}',
        b'{"name": "f", "arguments": {"n": "x"}, "tool_id": "v2"}',
        b'{"name": "f", "arguments": {"n": "x"}, "tool_id": null}',
        b'{"name": "f", "arguments": {"n": "x"}, "tool_id": "v3"}',
        b'{"name": "f", "arguments": {"n": "x"}}',
    ]
    found = run(job, *rows)
    assert [one.kind for one in found] == [
        "invalid_input",
        "accepted",
        "unknown_tool",
        "unknown_tool",
        "invalid",
    ]
    assert found[4].issues[0].message == "2 tools have the name; the row must give the tool's id"
