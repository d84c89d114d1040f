"""Equal data have one form, which is that of RFC 8785."""

from __future__ import annotations

from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from toolhaft.jsonio.canonical import canonical, digest

NUMBERS = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**53) + 1, 2**53 - 1)
DATA: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@pytest.mark.requirement("canonical-json")
@given(DATA)
def test_another_library_writes_the_same(data: Any) -> None:
    assert canonical(data) == rfc8785.dumps(data)


@pytest.mark.requirement("canonical-json")
@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (1e21, "1e+21"),
        (1e20, "100000000000000000000"),
        (123456789012345680000.0, "123456789012345680000"),
        (1e-6, "0.000001"),
        (1e-7, "1e-7"),
        (1.5e-7, "1.5e-7"),
        (5e-324, "5e-324"),
        (333333333.33333329, "333333333.3333333"),
        (-1.25, "-1.25"),
        (2**53 + 1, "9007199254740993"),
        (2.0**68, "295147905179352830000"),
        (2**68, "295147905179352825856"),
        (295147905179352830000, "295147905179352830000.0"),
        (-295147905179352830000, "-295147905179352830000.0"),
        (10**20, "100000000000000000000"),
        (10**400, f"1{'0' * 400}"),
        (True, "true"),
    ],
)
def test_numbers_are_written_as_ecmascript_does(value: Any, text: str) -> None:
    assert canonical(value) == text.encode()


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "\ud800"])
def test_what_is_no_json_has_no_form(value: Any) -> None:
    with pytest.raises(ValueError):
        canonical(value)


def test_order_and_spelling_of_numbers_do_not_change_a_digest_and_a_character_does() -> None:
    assert digest({"a": 1, "b": [2.0]}) == digest({"b": [2], "a": 1.0})
    assert digest({"a": "x"}) != digest({"a": "x "})
