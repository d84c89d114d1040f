"""No number of a text is rounded on its way to an integer, and a Decimal keeps its digits."""

from __future__ import annotations

import json
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, Literal

import attrs
import msgspec
import pytest
from pydantic import BaseModel, Field

from toolhaft import Err, tool

# Texts that a 64-bit float rounds to 1, 0, 4503599627370498 and 9007199254740991.
ROUNDED = ["0.99999999999999999999", "1e-400", "4503599627370497.5", "9007199254740991.4"]


class Model(BaseModel):
    n: int


class BesideDecimal(BaseModel):
    n: int
    price: Decimal = Decimal(0)


class Literals(BaseModel):
    n: Literal[0, 1, 4503599627370498, 9007199254740991]


class Struct(msgspec.Struct):
    n: int


@attrs.define
class Attrs:
    n: int


@dataclass
class Plain:
    n: int


SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}}


def taking(declared: Any) -> Any:
    return tool(
        lambda data: repr(getattr(data, "n", data)),
        name="take",
        description="Take n.",
        input=declared,
    )


@pytest.mark.requirement("exact-integers")
@pytest.mark.parametrize("declared", [Model, BesideDecimal, Literals, Struct, Attrs, Plain, SCHEMA])
@pytest.mark.parametrize("number", ROUNDED)
@pytest.mark.parametrize("form", ['{"n": %s}', "{'n': %s}", '"{\\"n\\": %s}"', b'{"n": %s}'])
def test_a_fraction_of_a_text_is_no_integer(declared: Any, number: str, form: Any) -> None:
    raw = form % (number.encode() if isinstance(form, bytes) else number)
    outcome = taking(declared).call_sync(raw)
    assert isinstance(outcome, Err)
    assert [issue.path for issue in outcome.issues] == [("n",)]
    assert outcome.issues[0].message.startswith(("expected integer, received number", "expected o"))


@pytest.mark.requirement("exact-integers")
@pytest.mark.parametrize("number", ROUNDED)
def test_a_fraction_in_a_list_as_text_is_no_integer(number: str) -> None:
    class Listed(BaseModel):
        n: list[int]

    outcome = taking(Listed).call_sync({"n": f"[{number}]"})
    assert isinstance(outcome, Err)
    assert [str(issue) for issue in outcome.issues] == ["n.0: expected integer, received number"]


@pytest.mark.parametrize(
    ("number", "expected"), [("5.00000000000000000000", "5"), ("50000000000000000000e-19", "5")]
)
def test_a_whole_number_of_many_digits_is_an_integer(number: str, expected: str) -> None:
    assert taking(Model).call_sync(f'{{"n": {number}}}').unwrap() == expected


class Float(BaseModel):
    n: float = Field(lt=1)


FLOATS = {"type": "object", "properties": {"n": {"type": "number", "exclusiveMaximum": 1.0}}}


@pytest.mark.parametrize("declared", [Float, FLOATS])
def test_a_number_of_many_digits_is_the_nearest_float_and_held_to_its_bound(declared: Any) -> None:
    outcome = taking(declared).call_sync('{"n": 0.30000000000000000000001}')
    assert "0.3" in outcome.unwrap()
    outcome = taking(declared).call_sync('{"n": 0.99999999999999999999}')
    assert [str(issue) for issue in outcome.issues] == ["n: expected less than 1"]


class Share(BaseModel):
    n: Annotated[Decimal, Field(gt=0, lt=1)]


@pytest.mark.requirement("exact-integers")
@pytest.mark.parametrize("digits", ["0.99999999999999999999", "1E-400"])
@pytest.mark.parametrize("form", ['{"n": %s}', '{"n": "%s"}'])
def test_a_bound_of_a_decimal_is_held_digit_by_digit(digits: str, form: str) -> None:
    outcome = taking(Share).call_sync(form % digits)
    assert outcome.unwrap() == f"Decimal('{digits}')"
    assert not taking(Share).call_sync(form % "1.00000000000000000001")


@pytest.mark.requirement("coerce-whole-floats")
@pytest.mark.parametrize("spelling", ["1.0", "1", "true"])
def test_a_literal_of_numbers_and_booleans_is_read_alike_from_each_spelling(spelling: str) -> None:
    @tool
    def force(how: Literal[0, 1, True]) -> str:
        """Force it."""
        return repr(how)

    text = f'{{"how":{spelling}}}'
    texts = {force.call_sync(raw).text for raw in (text, text.encode(), json.loads(text))}
    assert texts == {"True" if spelling == "true" else "1"}


@pytest.mark.parametrize("number", [1e300, 2.0**53, 1.7976931348623157e308])
def test_every_number_that_is_no_integer_is_told_in_text_and_data_alike(number: float) -> None:
    @tool
    def add(n: int, others: list[int]) -> int:
        "Add numbers."
        return n + sum(others)

    arguments = {"n": number, "others": ["x"]}
    texts = {add.call_sync(raw).text for raw in (arguments, json.dumps(arguments))}
    (words,) = texts
    assert words.endswith(
        "others.0: expected integer, received string; n: expected integer, received number"
    )
