"""A call is compared with the one that was recorded, place by place."""

from __future__ import annotations

from typing import Any

import pytest

from toolhaft.call.recorded import differences


@pytest.mark.parametrize(
    ("then", "now", "told"),
    [
        ({"a": 1}, {"a": 1, "b": 2}, []),
        ({"a": {"b": [1, 2]}}, {"a": {"b": [1, 3]}}, ["a.b.1: 2 became 3"]),
        ({"a": {"b": 1}, "c": 1}, {"a": {}}, ["a.b: is no longer there", "c: is no longer there"]),
        ({"a": [1]}, {"a": [1, 2]}, ["a: [1] became [1,2]"]),
        ({"a": True}, {"a": 1}, ["a: true became 1"]),
        ("a", {"b": 1}, ['the call: "a" became {"b":1}']),
    ],
)
def test_each_recorded_place_that_differs_is_named(then: Any, now: Any, told: list[str]) -> None:
    assert list(differences(then, now)) == told
