"""Rewards for training loops, in the shapes that trainers call."""

from __future__ import annotations

import json
from typing import Any

import pytest

from toolhaft import tool
from toolhaft.batch import reward, rewards
from toolhaft.batch.rewarding import Reward


@tool
def double(n: int, unit: str = "") -> int:
    """Twice a number."""
    return 2 * n


def message(*calls: tuple[str, str]) -> dict[str, Any]:
    functions = [{"name": name, "arguments": arguments} for name, arguments in calls]
    return {
        "role": "assistant",
        "tool_calls": [{"id": "c", "type": "function", "function": one} for one in functions],
    }


@pytest.mark.requirement("batch-reward")
@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ('{"n": 4}', Reward(1.0, "valid")),
        ({"n": 4}, Reward(1.0, "valid")),
        ("{'n': '4'}", Reward(0.5, "repaired", repairs=2)),
        (
            '{"n": "four", "m": 1}',
            Reward(
                0.0,
                "refused",
                issues=2,
                reason="Please rewrite the input with valid arguments. Errors: n: expected "
                "integer, received string; m: unknown (allowed: n, unit)",
            ),
        ),
        (
            "no call",
            Reward(
                0.0,
                "refused",
                issues=1,
                reason="Please rewrite the input with valid arguments. Errors: "
                "send one JSON object and nothing around it",
            ),
        ),
    ],
)
def test_a_call_is_valid_repaired_or_refused(call: Any, expected: Reward) -> None:
    assert reward(call, double) == expected


@pytest.mark.requirement("batch-reward")
def test_completions_are_judged_by_all_their_calls() -> None:
    good, mended = ("double", '{"n": 1}'), ("double", '{"n": "1"}')
    completions = [
        [message(good, mended)],
        message(good),
        json.dumps({"name": "double", "arguments": {"n": 1}}),
        [message(("nope", "{}"))],
        "Hello.",
        [{"role": "assistant", "content": "Hello."}],
    ]
    assert rewards(completions, [double]) == [
        Reward(0.75, "repaired", repairs=1),
        Reward(1.0, "valid"),
        Reward(1.0, "valid"),
        Reward(
            0.0,
            "refused",
            issues=1,
            reason="There is no tool named nope. Available tools: double.",
        ),
        None,
        None,
    ]


@pytest.mark.requirement("batch-reward")
@pytest.mark.parametrize(
    "text",
    [
        '{"name": "double", "arguments": ' + '{"n":' * 100_000,
        '{"name": "double", "arguments": {"n": ' + "[" * 70 + "]" * 70 + "}}",
        '{"name": "double", "arguments": {"n": 1, "n": 2}}',
        '{"name": "double", "arguments": {"n": NaN}}',
        '{"name": "double", "arguments": {"n": 1' + "0" * 5000 + "}}",
    ],
)
def test_a_completion_that_is_no_strict_json_has_no_call(text: str) -> None:
    assert rewards([text], [double]) == [None]


def test_a_value_that_is_no_tool_is_reported() -> None:
    with pytest.raises(TypeError, match="not a tool; rewards"):
        reward("{}", "tools.py")  # type: ignore[arg-type]


def test_one_completion_is_not_taken_for_a_list_of_characters() -> None:
    with pytest.raises(TypeError, match="rewards: one text; pass a list of completions"):
        rewards('{"name": "double", "arguments": {"n": 4}}', [double])
