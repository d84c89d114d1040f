"""A record is one row of plain JSON data, with the same keys whatever happened."""

from __future__ import annotations

from toolhaft.batch.calls import Call
from toolhaft.batch.record import Record
from toolhaft.call.types import Coercion
from toolhaft.spec import Issue


def test_a_record_is_a_row_with_pointers_for_paths() -> None:
    record = Record(
        3,
        Call("c", "f", {}),
        "invalid_input",
        coercions=(Coercion(("a",), "number_text"),),
        issues=(
            Issue("expected integer, received string", ("b", 0), "type", "integer", "string"),
            Issue("required", ("c/d",), "missing"),
        ),
        text="Please ...",
    )
    assert record.row() == {
        "line": 3,
        "id": "c",
        "tool": "f",
        "kind": "invalid_input",
        "arguments": None,
        "coercions": [{"path": "/a", "rule": "number_text"}],
        "issues": [
            {
                "path": "/b/0",
                "code": "type",
                "message": "expected integer, received string",
                "expected": "integer",
                "received": "string",
            },
            {"path": "/c~1d", "code": "missing", "message": "required"},
        ],
        "text": "Please ...",
        "value": None,
    }


def test_a_line_without_a_call_has_the_same_keys() -> None:
    row = Record(1, None, "invalid").row()
    assert list(row) == list(Record(1, Call(None, "f", None), "ok").row())
    assert (row["id"], row["tool"]) == (None, None)


def test_a_call_with_valid_arguments_counts_as_accepted_whatever_its_outcome() -> None:
    assert Record(1, None, "tool_error", {}).admitted
    assert not Record(1, None, "invalid_input").admitted
