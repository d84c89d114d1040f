"""The rules of the coercion table: the values that text can spell, and the ones it cannot."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolhaft.call.repair_rules import Reading, lenient_rules, safe_rules


def read(value: Any, *names: str, constants: list[Any] | None = None) -> list[Reading]:
    groups = safe_rules(value, frozenset(names), constants or [])
    return [reading for group in groups for reading in group]


def guessed(value: Any, *names: str) -> list[list[Reading]]:
    return [list(group) for group in lenient_rules(value, frozenset(names))]


@pytest.mark.requirement("coerce-numbers")
@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("42", 42),
        ("-7", -7),
        ("0", 0),
        ("-0", 0),
        ("42.0", 42),
        ("1234567890123456789", 1234567890123456789),
        ("1234567890123456789.00", 1234567890123456789),
        ("1" * 4300, int("1" * 4300)),
    ],
)
def test_exact_whole_numbers_are_integers(text: str, number: int) -> None:
    (found,) = read(text, "integer")
    assert found == (number, "number_text")
    assert type(found[0]) is int


@pytest.mark.requirement("coerce-numbers")
@pytest.mark.parametrize(
    "text",
    ["", " 5", "5 ", "+5", "05", "5.5", "4e1", "1e3", ".5", "5.", "4_2", "0x2a", "NaN", "Infinity",
     "five", "1,000", "\u0665", "\uff15", "5\n", "--5", "1" * 4301, "true", "null"],
)  # fmt: skip
def test_nothing_else_is_an_integer(text: str) -> None:
    assert read(text, "integer") == []


@pytest.mark.requirement("coerce-numbers")
@pytest.mark.parametrize(
    ("text", "number"),
    [("42", 42), ("5.0", 5.0), ("0.1", 0.1), ("4e1", 40.0), ("-1.5E-3", -0.0015), ("1e22", 1e22)],
)
def test_exact_text_of_a_number_is_that_number(text: str, number: float) -> None:
    (found,) = read(text, "number")
    assert found == (number, "number_text")
    assert type(found[0]) is type(number)


@pytest.mark.requirement("coerce-numbers")
@pytest.mark.parametrize(
    "text",
    ["1e400", "1e-400", "1e-99999999999999999999", "9007199254740993.0", "0.12345678901234567890",
     "NaN", "1_0", " 1", "01.5", "1" * 4301],
)  # fmt: skip
def test_a_number_is_never_rounded(text: str) -> None:
    assert read(text, "number") == []


@given(st.decimals(allow_nan=False, allow_infinity=False), st.sampled_from(["integer", "number"]))
def test_a_number_that_is_read_has_the_value_of_its_text(decimal: Decimal, name: str) -> None:
    for text in (str(decimal), f"{decimal:f}"):
        for number, _ in read(text, name):
            assert Decimal(repr(number)) == Decimal(text)


@pytest.mark.requirement("coerce-booleans")
def test_true_and_false_in_any_case_are_booleans() -> None:
    for text in ("true", "True", "TRUE", "tRuE"):
        assert read(text, "boolean") == [(True, "boolean_text")]
    assert read("False", "boolean") == [(False, "boolean_text")]
    for text in ("yes", "no", "0", "1", "", "on", " true", "\uff54rue", "t"):
        assert read(text, "boolean") == []


@pytest.mark.requirement("coerce-containers")
@pytest.mark.parametrize(
    ("text", "reading"),
    [
        ('["a", "b"]', (["a", "b"], "json_text")),
        (' {"a": [1]} ', ({"a": [1]}, "json_text")),
        ("['a', 'b']", (["a", "b"], "python_literal")),
        ("('a', 'b')", (["a", "b"], "python_literal")),
        ("{'a': True}", ({"a": True}, "python_literal")),
        ("1, 2, 3", ([1, 2, 3], "python_literal")),
        ("'a', 'b'", (["a", "b"], "python_literal")),
    ],
)
def test_text_of_an_array_or_object_is_read(text: str, reading: Reading) -> None:
    assert read(text, "array", "object") == [reading]


@pytest.mark.requirement("coerce-containers")
@pytest.mark.parametrize(
    "text",
    ["", "a", "a, b", "1", "'a'", "true", '["a"', "['a'", '{"a":1,"a":2}', "[1e400]", "[" * 40,
     '["a"] ["b"]', "[a]", "{1, 2}", "True, False"],
)  # fmt: skip
def test_other_text_is_no_container_and_is_never_completed(text: str) -> None:
    assert read(text, "array", "object") == []


def test_a_tuple_without_brackets_is_no_object() -> None:
    assert read("1, 2", "object") == []


def test_containers_are_read_to_the_depth_that_is_left() -> None:
    for text in ("[[1]]", "[['a']]"):
        [deep], [shallow] = (safe_rules(text, frozenset({"array"}), (), depth) for depth in (2, 1))
        assert (len(deep), shallow) == (1, [])


@pytest.mark.requirement("coerce-enums")
def test_the_only_member_that_differs_by_case_is_meant() -> None:
    units = ["Celsius", "Fahrenheit", None, 5]
    assert read("CELSIUS", constants=units) == [("Celsius", "enum_case")]
    assert read("celsius", constants=[*units, "Celsius"]) == [("Celsius", "enum_case")]
    assert read("celsius", constants=[*units, "CELSIUS"]) == []
    assert read("C", constants=units) == []
    assert read("none", constants=units) == []
    assert read("5", constants=units) == []


def test_text_is_read_only_as_what_is_wanted() -> None:
    for text in ("5", "true", "[1]", "null"):
        assert read(text, "string", "null") == []
    assert read(5, "string", "boolean") == []


@pytest.mark.requirement("coerce-lenient")
@pytest.mark.parametrize(
    ("value", "groups"),
    [
        ("a", [[], [(["a"], "scalar_to_list")]]),
        ("a, b c", [[(["a", "b c"], "comma_list")], [(["a, b c"], "scalar_to_list")]]),
        ("a,,b", [[], [(["a,,b"], "scalar_to_list")]]),
        ("f(a, b)", [[], [(["f(a, b)"], "scalar_to_list")]]),
        (5, [[([5], "scalar_to_list")]]),
        (False, [[([False], "scalar_to_list")]]),
        ("", []),
        (None, []),
    ],
)
def test_a_scalar_is_read_as_a_list_only_loosely(value: Any, groups: Any) -> None:
    assert guessed(value, "array") == groups
    assert guessed(value, "string") == []


@pytest.mark.requirement("coerce-lenient")
def test_none_is_read_as_null_only_loosely() -> None:
    assert guessed("None", "integer", "null") == [[(None, "none_text")]]
    assert guessed("None", "integer") == []
    assert guessed("none", "null") == []


@given(st.recursive(st.integers() | st.text(), st.lists, max_leaves=8).filter(lambda v: v != []))
def test_json_text_and_python_text_of_a_list_are_the_list(value: Any) -> None:
    if isinstance(value, list):
        for text in (json.dumps(value), repr(value)):
            assert [found for found, _ in read(text, "array")] == [value]
