"""Long texts are cut where they may be cut, with a marker."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolhaft.call.shorten import share_room, shorten
from toolhaft.jsonio import jsontext

ROWS = [{"id": n, "title": "x" * 20} for n in range(50)]
WHOLE = len(jsontext.write(ROWS))


def parts(text: str) -> tuple[Any, str]:
    """The data before the last line, and that line."""
    data, _, marker = text.rpartition("\n")
    return json.loads(data), marker


@pytest.mark.requirement("pain-19")
def test_a_list_keeps_whole_elements_and_says_how_many_are_left_out() -> None:
    text = shorten(ROWS, 200)
    assert len(text) <= 200
    assert parts(text) == ([*ROWS[:4], "… 46 more"], f"… ({WHOLE} characters in all)")


def test_what_fits_is_not_touched() -> None:
    assert shorten(ROWS, WHOLE) == shorten(ROWS, None) == jsontext.write(ROWS)
    assert shorten("a" * 100, 100) == "a" * 100


def test_an_object_keeps_its_short_members_whole() -> None:
    data, _ = parts(shorten({"total": 50, "rows": ROWS, "next": "p2"}, 200))
    assert data == {"total": 50, "rows": [*ROWS[:3], "… 47 more"], "next": "p2"}


def test_a_map_of_many_keys_keeps_the_first_ones() -> None:
    data, _ = parts(shorten({f"key{n}": n for n in range(1000)}, 120))
    assert data == {**{f"key{n}": n for n in range(8)}, "…": "992 more"}


def test_of_one_element_that_is_too_long_a_part_is_kept() -> None:
    data, _ = parts(shorten([{"text": "word " * 100, "id": 1}, 2], 120))
    assert data == [
        {"text": "word word word word word word word word … (500 characters)", "id": 1},
        "… 1 more",
    ]


def test_an_empty_list_that_has_no_room_is_left_out_with_the_rest() -> None:
    long: dict[str, Any] = {"": None, "0000\x1f": [[], *[None] * 6], "0" * 24 + "\x1f\x07": None}
    assert len(shorten(long, 100)) <= 100


def test_escaped_text_is_cut_to_the_room_that_it_takes() -> None:
    text = shorten(['"\n' * 200], 100)
    data, _ = parts(text)
    assert data[0].endswith("… (400 characters)")
    assert len(text) <= 100


def test_what_has_no_shorter_form_is_cut_as_text() -> None:
    assert shorten(10**200, 100) == "1" + "0" * 74 + "… (201 characters in all)"
    assert shorten({"k" * 300: 1}, 100).startswith('{"…":"1 more"}\n')


def test_text_is_cut_at_the_end_of_a_line_or_of_a_word() -> None:
    assert shorten("line one\n" * 20, 100) == "line one\n" * 8 + "… (180 characters in all)"
    assert shorten("wörter " * 20, 100) == "wörter " * 10 + "… (140 characters in all)"
    assert shorten("x" * 140, 100) == "x" * 75 + "… (140 characters in all)"
    assert shorten("x" * 140, 10) == "… (140 cha"


def test_room_goes_first_to_what_is_small() -> None:
    assert share_room([], 10) == []
    assert share_room([1, 2, 3], 10) == [1, 2, 3]
    assert share_room([100, 2, 100], 12) == [5, 2, 5]
    assert share_room([5, 5], -3) == [0, 0]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=300),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=40,
)


@given(JSON, st.integers(100, 400))
def test_nothing_is_longer_than_it_may_be_and_data_is_data_or_says_so(
    data: Any, limit: int
) -> None:
    text, whole = shorten(data, limit), jsontext.write(data)
    assert len(text) <= limit
    if isinstance(data, str):
        return
    marker = f"… ({len(whole)} characters in all)"
    assert text == whole or text.endswith(marker)
    if isinstance(data, dict | list) and text != whole:
        json.loads(text.removesuffix(marker))
