"""Outcomes go anywhere that data go: copied, pickled to another process, written as JSON."""

from __future__ import annotations

import copy
import json
import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from toolhaft import Coercion, Err, Image, Issue, Ok, Prepared, Toolset, tool

pytestmark = pytest.mark.requirement("outcomes-portable")


class _Gate:
    """A program's own object, which no other process needs."""

    def __reduce__(self) -> Any:
        raise TypeError("not for another process")

    def may(self, arguments: Any, context: Any) -> bool:
        return bool(arguments) or context is None


@tool(authorize=_Gate().may, max_result_chars=100, errors={KeyError: "no such order"})
def order(n: int, note: str = "x") -> list[str]:
    """Return an order."""
    if n < 0:
        raise KeyError(n)
    return [note] * n


@tool(requires_approval=True)
def transfer(amount: int) -> int:
    """Move money."""
    return amount


@tool
def picture() -> Image:
    """Draw."""
    return Image(b"not really", "image/png")


@tool(render=lambda value: f"{value} EUR")
def price(n: int) -> int:
    """Price."""
    return n


OUTCOMES: dict[str, Ok[Any] | Err] = {
    "ok": order.call_sync('{"n": "3"}'),
    "cut": order.call_sync({"n": 200}),
    "content": picture.call_sync(),
    "rendered": price.call_sync({"n": 3}),
    "invalid_input": order.call_sync({"m": 1}),
    "truncated": order.call_sync('{"n": 1'),
    "tool_error": order.call_sync({"n": -1}),
    "unknown_tool": Toolset([order]).call_sync("ordr"),
    "approval_required": transfer.call_sync({"amount": 3}),
}


@pytest.mark.parametrize("kind", OUTCOMES)
def test_an_outcome_that_was_copied_or_pickled_says_the_same(kind: str) -> None:
    outcome = OUTCOMES[kind]
    for twin in (
        copy.copy(outcome),
        copy.deepcopy(outcome),
        *(pickle.loads(pickle.dumps(outcome, n)) for n in range(2, pickle.HIGHEST_PROTOCOL + 1)),
    ):
        assert type(twin) is type(outcome)
        assert (twin.text, twin.content, repr(twin)) == (
            outcome.text,
            outcome.content,
            repr(outcome),
        )
        assert twin.as_json() == outcome.as_json()
        if isinstance(twin, Ok):
            assert isinstance(outcome, Ok)
            assert (twin.value, twin.json) == (outcome.value, outcome.json)
            assert twin.arguments == outcome.arguments


@pytest.mark.parametrize("kind", OUTCOMES)
def test_an_outcome_as_json_is_json(kind: str) -> None:
    written = OUTCOMES[kind].as_json()
    assert json.loads(json.dumps(written)) == written


def test_what_ran_is_written_with_its_arguments_and_its_result() -> None:
    assert OUTCOMES["ok"].as_json() == {
        "kind": "ok",
        "name": "order",
        "call_id": None,
        "arguments": {"n": 3},
        "value": ["x", "x", "x"],
        "coercions": [{"path": ["n"], "rule": "number_text"}],
    }
    assert len(OUTCOMES["cut"].as_json()["value"]) == 200


def test_what_was_refused_is_written_with_its_issues_and_its_text() -> None:
    refused = OUTCOMES["invalid_input"]
    assert isinstance(refused, Err)
    written = refused.as_json()
    assert written.pop("issues") == [issue.as_json() for issue in refused.issues]
    assert written == {
        "kind": "invalid_input",
        "name": "order",
        "call_id": None,
        "text": refused.text,
        "effect": "none",
        "retryable": True,
        "error_id": None,
        "coercions": [],
    }


def test_an_issue_and_a_coercion_are_written_with_the_fields_that_they_have() -> None:
    issue = Issue("expected integer", ("a", 0), "type", expected="integer")
    assert issue.as_json() == {
        "message": "expected integer",
        "path": ["a", 0],
        "code": "type",
        "expected": "integer",
    }
    repaired = Coercion(("a", 0), "number_text")
    assert repaired.as_json() == {"path": ["a", 0], "rule": "number_text"}
    for record in (issue, repaired):
        assert pickle.loads(pickle.dumps(record)) == record
        assert copy.copy(record) == copy.deepcopy(record) == record


def test_a_deep_copy_shares_no_value_and_keeps_the_call_that_waits() -> None:
    ok, waiting = OUTCOMES["ok"], OUTCOMES["approval_required"]
    assert isinstance(ok, Ok)
    assert copy.deepcopy(ok).value is not ok.value
    assert copy.copy(ok).value is ok.value
    assert isinstance(waiting, Err)
    for twin in (copy.copy(waiting), copy.deepcopy(waiting)):
        assert twin.prepared is waiting.prepared


def test_a_call_that_waits_is_made_once_however_it_is_copied_and_is_never_pickled() -> None:
    prepared = transfer.prepare({"amount": 3})
    assert isinstance(prepared, Prepared)
    copied = copy.deepcopy(prepared)
    assert (copied.call_sync().text, prepared.call_sync().kind) == ("3", "denied")  # type: ignore[union-attr]
    with pytest.raises(TypeError, match=r"carry a prepared call by to_json\(key=...\)"):
        pickle.dumps(prepared)
    pickled = pickle.loads(pickle.dumps(OUTCOMES["approval_required"]))
    assert (pickled.kind, pickled.prepared) == ("approval_required", None)


WORKER = """
from toolhaft import tool

@tool
def double(n: int) -> int:
    "Twice a number."
    return 2 * n

def execute(data):
    return double.execute_sync(data)
"""


@pytest.mark.unmeasured
def test_outcomes_and_errors_come_from_a_pool_of_processes_as_themselves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pool_worker.py").write_text(WORKER, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    from importlib import import_module

    from toolhaft import ToolInputInvalid

    worker = import_module("pool_worker")
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert pool.submit(worker.double.call_sync, {"n": "2"}).result().text.startswith("4")
        assert pool.submit(worker.double, 4).result() == 8
        error = pool.submit(worker.execute, {"m": 1}).exception()
    assert isinstance(error, ToolInputInvalid)
    with pytest.raises(ToolInputInvalid) as here:
        worker.execute({"m": 1})
    assert (error.tool, error.target, error.issues) == ("double", "input", here.value.issues)
    assert str(error) == str(here.value)
