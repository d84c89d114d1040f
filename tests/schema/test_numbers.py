"""5.0 and 5 are one number in JSON: the handler gets the declared type, or nothing."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import assume, given

from tests.schema.random_schemas import schemas, values
from toolhaft.schema.checker import Checker
from toolhaft.schema.limits import faults_of
from toolhaft.schema.marks import MARK
from toolhaft.schema.numbers import Numbers, is_double
from toolhaft.spec import Issue

INTEGER = {"type": "integer"}
NUMBER = {"type": "number"}
ANYTHING = {"type": ["null", "boolean", "number", "string", "array", "object"]}
DECIMAL = {**NUMBER, MARK: {"decimal": True}}
INEXACT = "expected a number that a 64-bit float holds exactly"
TOO_LARGE = "expected integer, received number"


def settled(schema: Any, value: Any, *, floats: bool = False) -> tuple[Any, list[Issue]]:
    numbers = Numbers({"properties": {"v": schema}}, floats=floats)
    data, issues = numbers.settle({"v": value})
    return data["v"], issues


@pytest.mark.requirement("coerce-whole-floats")
@pytest.mark.parametrize(
    ("schema", "value", "expected"),
    [
        (INTEGER, 5.0, 5),
        (INTEGER, -0.0, 0),
        ({"anyOf": [INTEGER, {"type": "null"}]}, 5.0, 5),
        ({"enum": [1, 2]}, 2.0, 2),
        ({"const": 7}, 7.0, 7),
        ({"items": INTEGER}, [1.0, 2, "a", 3.0], [1, 2, "a", 3]),
        ({"prefixItems": [NUMBER, INTEGER], "items": INTEGER}, [1.0, 1.0, 1.0], [1.0, 1, 1]),
        ({"additionalProperties": {"items": INTEGER}}, {"a": [1.0]}, {"a": [1]}),
        (INTEGER, float(2**53 - 1), 2**53 - 1),
        (INTEGER, Decimal("5.0"), 5),
        (NUMBER, Decimal("0.1"), 0.1),
        (NUMBER, Decimal("1e-400"), 0.0),
    ],
)
def test_a_number_becomes_what_its_schema_declares(schema: Any, value: Any, expected: Any) -> None:
    made, issues = settled(schema, value)
    assert (json.dumps(made), issues) == (json.dumps(expected), [])


@pytest.mark.requirement("coerce-whole-floats")
@pytest.mark.parametrize(
    ("schema", "value"),
    [
        (NUMBER, 5.0),
        (NUMBER, 5),
        ({"anyOf": [INTEGER, NUMBER]}, 5.0),
        ({"enum": [1, 2.5]}, 1.0),
        ({}, 5.0),
        (True, 5.0),
        (INTEGER, 5.5),
        (INTEGER, True),
        (INTEGER, 2**53 + 1),
        ({"type": "string"}, 5.0),
        ({"items": NUMBER}, [1.0, 2.0]),
    ],
)
def test_every_other_number_stays_as_it_came(schema: Any, value: Any) -> None:
    data = {"v": value, "w": [1.0, {"x": 2.0}]}
    made, issues = Numbers({"properties": {"v": schema}}).settle(data)
    assert (made is data, issues) == (True, [])


@pytest.mark.requirement("coerce-whole-floats")
@pytest.mark.parametrize("value", [float(2**53), -float(2**53), -1e300, Decimal(2**53)])
def test_a_float_that_does_not_say_which_integer_was_meant_is_refused(value: Any) -> None:
    made, issues = settled(INTEGER, value)
    assert (made, issues) == (value, [Issue(TOO_LARGE, ("v",), "type", "integer", "number")])


@pytest.mark.parametrize("value", [2**53 + 1, -(2**53) - 1, 10**400])
def test_an_integer_that_no_float_holds_is_refused_where_a_float_is_declared(value: int) -> None:
    floats: list[Any] = [NUMBER, {"anyOf": [NUMBER, {"type": "string"}]}]
    others: list[Any] = [INTEGER, {"anyOf": [INTEGER, NUMBER]}, {}, True, ANYTHING]
    for schema in floats:
        assert settled(schema, value, floats=True) == (value, [Issue(INEXACT, ("v",), "value")])
    for schema in others:
        assert settled(schema, value, floats=True) == (value, [])
    assert settled(NUMBER, value) == (value, [])


def test_an_integer_that_a_float_holds_is_taken_for_one() -> None:
    for value in (2**53, -(2**60), 10**22):
        assert settled(NUMBER, value, floats=True) == (value, [])
        assert is_double(value)
    assert not is_double(10**400)


def test_a_decimal_keeps_its_digits_where_a_decimal_is_declared() -> None:
    long = Decimal("0.1000000000000000055511151231257827021181583404541015625000001")
    assert settled(DECIMAL, long) == (long, [])
    assert settled(NUMBER, long) == (0.1, [])
    assert settled(NUMBER, Decimal("1e400"))[1] == [Issue("number too large", ("v",), "json")]


@pytest.mark.parametrize("value", [0.1, 5.0, -1e-20])
def test_a_float_for_a_decimal_is_what_its_text_would_be(value: float) -> None:
    assert repr(settled(DECIMAL, value)) == repr((Decimal(repr(value)), []))
    assert settled({"anyOf": [{"type": "string"}, DECIMAL]}, value)[0] == Decimal(repr(value))


def test_a_decimal_without_a_fraction_is_one_number_however_it_is_written() -> None:
    for value in (-1e20, Decimal("-1e20"), Decimal("-1.00e+20"), -(10**20)):
        assert repr(settled(DECIMAL, value)) == repr((-(10**20), []))
    for value in (Decimal("5.0"), Decimal("1e4300"), Decimal("-1e999999999")):
        assert repr(settled(DECIMAL, value)) == repr((value, []))


@pytest.mark.parametrize(
    ("schema", "value", "expected"),
    [
        (NUMBER, 5, 5.0),
        (NUMBER, 5.5, 5.5),
        (NUMBER, True, True),
        (INTEGER, 5, 5),
        ({"anyOf": [INTEGER, NUMBER]}, 5, 5),
        (ANYTHING, 5, 5),
        ({}, 5, 5),
        ({"items": NUMBER}, [1, 2], [1.0, 2.0]),
        (NUMBER, 10**400, 10**400),
    ],
)
def test_integers_are_floats_where_only_numbers_are_declared(
    schema: Any, value: Any, expected: Any
) -> None:
    made = Numbers({"properties": {"v": schema}}).as_floats({"v": value, "w": 1})
    assert json.dumps(made) == json.dumps({"v": expected, "w": 1})


@pytest.mark.requirement("coerce-whole-floats")
@pytest.mark.parametrize(
    ("sent", "settled", "issues"),
    [
        (5.0, 5, []),
        (0.5, 0.5, []),
        (1e300, 1e300, []),
        (5, 5, []),
        (2**53 + 1, 2**53 + 1, ["n: expected a number that a 64-bit float holds exactly"]),
    ],
)
def test_a_number_is_right_in_every_form_of_a_union(sent: Any, settled: Any, issues: Any) -> None:
    forms = [{"properties": {"n": INTEGER}}, {"properties": {"n": NUMBER}}]
    numbers = Numbers({"oneOf": forms}, floats=True)
    data, found = numbers.settle({"n": sent})
    assert (json.dumps(data), list(map(str, found))) == (json.dumps({"n": settled}), issues)
    assert numbers.may_hold_floats([{"n": 5.0}])


def test_the_data_is_not_changed() -> None:
    data: Any = {"v": [1.0, {"a": 1}]}
    made, _ = Numbers({"properties": {"v": {"items": INTEGER}}}).settle(data)
    assert json.dumps([made, data]) == '[{"v": [1, {"a": 1}]}, {"v": [1.0, {"a": 1}]}]'
    assert made["v"][1] is data["v"][1]


@given(schemas(), values())
def test_the_value_stays_equal_and_the_verdict_the_same(schema: Any, data: Any) -> None:
    assume(faults_of(schema) == [])  # an old engine may crash on others
    checker = Checker(schema)
    verdict = checker.is_valid(data)
    numbers = Numbers(checker.normalised, floats=True)
    made, _ = numbers.settle(data)
    assert made == data
    assert checker.is_valid(made) == verdict
    assert numbers.settle(made)[0] is made
