"""The reason why a part of a schema applies is told where it is short."""

from __future__ import annotations

from typing import Any

import pytest

from toolhaft.schema.explain.reasons import reason_of

ENV: dict[str, Any] = {"properties": {"env": {"enum": ["a", "b", "c"]}}}


@pytest.mark.parametrize(
    ("condition", "given", "lacking"),
    [
        (ENV, 'env is "a", "b" or "c"', 'env is not "a", "b" or "c"'),
        ({"properties": {"env": {"enum": ["a", "b", "c", "d"]}}}, None, None),
        (
            {"properties": {"env": {"const": "a"}}, "required": ["env"]},
            'env is "a"',
            'env is not "a"',
        ),
        ({"required": ["x"]}, "x is given", "x is not given"),
        ({**ENV, "required": ["x"]}, 'x is given and env is "a", "b" or "c"', None),
        ({**ENV, "required": ["x", "y"]}, None, None),
        ({"properties": {"env": {"type": "string"}}}, None, None),
        ({}, None, None),
        (True, None, None),
    ],
)
def test_a_condition_is_told_by_what_it_asks_of_keys(
    condition: Any, given: str | None, lacking: str | None
) -> None:
    assert (reason_of(condition), reason_of(condition, holds=False)) == (given, lacking)
