"""An outcome as JSON data has all that a program may log or store of it."""

from __future__ import annotations

from toolhaft import Err, ToolError, Toolset, tool
from toolhaft.observers.limits import RateLimit


@tool
def add(a: int) -> int:
    """Add one."""
    if a < 0:
        raise ToolError("below zero", status=409)
    return a + 1


def test_a_success_has_its_arguments_its_value_and_its_repairs() -> None:
    assert add.call_sync({"a": "1"}).as_json() == {
        "kind": "ok",
        "name": "add",
        "call_id": None,
        "arguments": {"a": 1},
        "value": 2,
        "coercions": [{"path": ["a"], "rule": "number_text"}],
    }


def test_a_refusal_has_its_text_and_its_issues() -> None:
    assert add.call_sync({"a": "x"}).as_json() == {
        "kind": "invalid_input",
        "name": "add",
        "call_id": None,
        "text": "Please rewrite the input with valid arguments. "
        "Errors: a: expected integer, received string",
        "effect": "none",
        "retryable": True,
        "error_id": None,
        "issues": [
            {
                "code": "type",
                "expected": "integer",
                "message": "expected integer, received string",
                "path": ["a"],
                "received": "string",
            }
        ],
        "coercions": [],
    }


def test_a_status_and_a_time_to_wait_are_there_where_there_are_any() -> None:
    failed = add.call_sync({"a": -1})
    assert (failed.as_json()["status"], "retry_after" in failed.as_json()) == (409, False)
    tools = Toolset([add], limiters=[RateLimit(1, seconds=60)])
    tools.call_sync("add", {"a": 1})
    limited = tools.call_sync("add", {"a": 1})
    assert isinstance(limited, Err)
    assert limited.retry_after is not None
    assert limited.as_json()["retry_after"] == limited.retry_after
    assert "status" not in limited.as_json()
