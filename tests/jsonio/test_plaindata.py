"""Plain data are seen and copied in one pass, and nothing else ever is."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.plain_samples import (
    ODD,
    Colour,
    Row,
    Text,
    Word,
    plain,
    scalars,
    scramble,
    shape,
)
from toolhaft.jsonio.jsondata import NotPlain, snapshot
from toolhaft.jsonio.plaindata import is_flat, is_plain, plain_copy

# By their places: hypothesis would ask for hashes.
odd = st.integers(0, len(ODD) - 1).map(lambda place: ODD[place])
keys: st.SearchStrategy[Any] = st.text() | st.sampled_from([Word("k"), "\udfff", 1, None])
mixed = st.dictionaries(
    keys,
    st.recursive(scalars | odd, lambda inner: st.lists(inner) | st.dictionaries(keys, inner)),
)


@given(mixed)
def test_the_quick_copy_is_the_same_copy_or_none(data: Any) -> None:
    made = plain_copy(data)
    try:
        whole = snapshot([data])[0]  # a list is never copied the quick way
    except NotPlain:
        assert made is None
        assert not is_flat(data)
    else:
        assert made is None or shape(made) == shape(whole)
        assert made is None or json.dumps(made) == json.dumps(whole)


@given(st.dictionaries(st.text(), plain))
def test_all_plain_data_are_copied_the_quick_way(data: Any) -> None:
    made = plain_copy(data)
    assert json.dumps(made) == json.dumps(data)
    before = json.dumps(data)
    scramble(made)
    assert json.dumps(data) == before


@pytest.mark.parametrize("value", ODD, ids=range(len(ODD)))
@pytest.mark.parametrize(
    "within",
    [
        lambda value: {"a": value},
        lambda value: {"a": [value]},
        lambda value: {"a": {"b": value}},
        lambda value: {"a": [[value]]},
        lambda value: {"a": [{"b": value}]},
        lambda value: {"a": [{"b": {"c": value}}]},
    ],
)
def test_what_is_not_plain_is_never_copied_the_quick_way(
    value: Any, within: Callable[[Any], dict[str, Any]]
) -> None:
    assert plain_copy(within(value)) is None


@pytest.mark.parametrize("key", [1, None, Word("k"), Colour.RED, "\ud800"])
def test_keys_that_are_not_plain_text_are_never_copied_the_quick_way(key: Any) -> None:
    assert plain_copy({key: 1}) is None
    assert plain_copy({"a": {key: 1}}) is None
    assert plain_copy({"a": [{key: 1}]}) is None


def test_the_quick_copy_keeps_within_depth_and_size() -> None:
    deep: Any = {"a": [{"b": [[]]}]}
    assert [plain_copy(deep, depth=depth) == deep for depth in range(7)] == [False] * 5 + [True] * 2
    assert plain_copy({"a": {"b": {}}}, depth=2) is None
    wide: Any = {"a": [{"b": 1}] * 10, "c": {"d": 1}}
    assert plain_copy(wide, room=100) == wide
    assert plain_copy(wide, room=20) is None
    assert plain_copy({"a": 1, "b": 2}, room=1) is None
    doubling: Any = {}
    for _ in range(30):
        doubling = {"a": doubling, "b": [doubling] * 1000}
    assert plain_copy(doubling) is None


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({}, True),
        ({"a": None, "b": True, "c": 1, "d": 1.5, "e": "x", "f": "\ud55c"}, True),
        ({"a": [1, {"b": [[]]}], "c": {"d": 1}}, True),
        ({"a": {"b": Row()}}, False),
        ({"a": [Text("x")]}, False),
        ({"a": [1, OrderedDict()]}, False),
        ({"a": ["\ud800"]}, False),
        ({"\udfff": 1}, False),
        ({"a": "x" * 5000}, True),
        ({"a": [float("nan")]}, False),
        ({"a": {"b": 10**4300}}, False),
        ({1: 2}, False),
        ([{"a": 1}], True),
        ((1, 2), False),
    ],
)
def test_data_are_plain_if_everything_in_them_is(data: Any, expected: bool) -> None:
    assert is_plain(data) is expected


@given(mixed)
def test_data_are_plain_where_they_are_copied_the_quick_way(data: Any) -> None:
    assert is_plain(data) is (plain_copy(data) is not None)
