"""Both routes read data as pydantic's strict JSON mode reads text, but for what is listed."""

from __future__ import annotations

import re
from datetime import datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import Any
from uuid import UUID

import pytest
from pydantic import TypeAdapter, ValidationError
from pydantic_core import SchemaValidator, core_schema, to_json

from tests.vendors.pydantic import samples
from tests.vendors.pydantic.samples import AMBIGUOUS, CONTAINERS, OBJECTS, SCALARS, UNIONS, VALUES
from toolhaft.vendors import pydantic
from toolhaft.vendors.adapter import Rejected
from toolhaft.vendors.patterns import CLOCK, DECIMAL, FORMATS
from toolhaft.vendors.pydantic.strict import strict_schema

EVERY = [*SCALARS, *CONTAINERS, *OBJECTS, *UNIONS, *AMBIGUOUS]
REFUSED = "refused"


def outcome(read: Any, *args: Any, **options: Any) -> Any:
    try:
        return read(*args, **options)
    except (ValidationError, Rejected):
        return REFUSED


def same(one: Any, other: Any) -> bool:
    equal = one == other or repr(one) == repr(other)
    return type(one) is type(other) and equal


def is_known(by_vendor: Any, ours: Any, value: Any) -> bool:
    """Ours is narrower, in one of the ways that strict.py names; each is what the schema says."""
    if type(by_vendor).__name__ == "ValidatorIterator":
        return ours in (value, REFUSED)
    if is_other_form(by_vendor, value):
        return ours in (value, REFUSED)
    return ours == REFUSED and (
        mixes_numbers(by_vendor, value)
        or (isinstance(by_vendor, (set, frozenset)) and len(by_vendor) < len(value))
        or (isinstance(by_vendor, samples.Checked) and len(by_vendor.s) < len(value["s"]))
        or (isinstance(by_vendor, samples.Pair) and isinstance(value, dict))
        or (isinstance(by_vendor, complex) and not isinstance(value, str))
    )


FORMS: dict[type, str] = {
    datetime: FORMATS["date-time"],
    time: CLOCK,
    timedelta: FORMATS["duration"],
    Decimal: DECIMAL,
    UUID: FORMATS["uuid"],
}


def is_other_form(made: Any, value: Any) -> bool:
    """Say whether text of another form than the schema names was read."""
    form = FORMS.get(type(made))
    return form is not None and isinstance(value, str) and not re.search(form, value)


def mixes_numbers(made: Any, value: Any) -> bool:
    """Say whether `true`, 1 and 1.0 were taken for each other."""
    if isinstance(made, (samples.First, samples.Second)):
        return mixes_numbers(made.k, value["k"])
    plain = made.value if isinstance(made, Enum) else made
    scalars = (bool, int, float)
    return (
        isinstance(value, scalars) and isinstance(plain, scalars) and type(plain) is not type(value)
    )


@pytest.mark.parametrize("tp", EVERY, ids=str)
def test_both_routes_read_as_the_strict_json_mode(tp: Any) -> None:
    vendor = TypeAdapter[Any](tp)
    adapter = pydantic.adapter(tp)
    by_json: Any = strict_schema(vendor.core_schema, None, "json").schema
    json_route = SchemaValidator(by_json, None, _use_prebuilt=False)
    for value in VALUES:
        wanted = outcome(vendor.validate_json, to_json(value), strict=True)
        got = outcome(adapter.construct, value)
        assert same(got, wanted) or is_known(wanted, got, value), value
        got = outcome(json_route.validate_json, to_json(value))
        assert same(got, wanted) or is_known(wanted, got, value), value


@pytest.mark.parametrize("tp", [*SCALARS, *CONTAINERS, *OBJECTS, *UNIONS], ids=str)
def test_most_types_take_the_python_route(tp: Any) -> None:
    assert pydantic.adapter(tp).route == "python"


@pytest.mark.parametrize("tp", AMBIGUOUS, ids=str)
def test_a_union_that_only_json_mode_can_tell_apart_takes_the_json_route(tp: Any) -> None:
    assert pydantic.adapter(tp).route == "json"


def test_the_vendor_itself_would_be_laxer_or_refuse_too_much() -> None:
    """Why the rewriting is there: if this fails, pydantic has a strict mode for decoded data."""
    vendor = TypeAdapter(samples.Color)
    assert vendor.validate_json('"a"', strict=True) is samples.Color.RED
    assert outcome(vendor.validate_python, "a", strict=True) == REFUSED
    assert TypeAdapter(int).validate_python("3") == 3


def test_a_literal_of_an_enum_member_takes_the_members_value() -> None:
    from typing import Literal

    adapter = pydantic.adapter(Literal[samples.Color.RED, "x", 1])
    taken = [outcome(adapter.construct, value) for value in ("a", "b", "x", 1, True)]
    assert taken == [samples.Color.RED, REFUSED, "x", 1, REFUSED]
    assert isinstance(taken[0], Enum)


@pytest.mark.parametrize("value", [10**400, float("inf"), float("nan")])
def test_what_no_float_can_hold_is_refused_on_both_routes(value: Any) -> None:
    vendor = TypeAdapter[Any](float)
    by_json: Any = strict_schema(vendor.core_schema, None, "json").schema
    json_route = SchemaValidator(by_json, None, _use_prebuilt=False)
    assert outcome(pydantic.adapter(float).construct, value) == REFUSED
    assert outcome(json_route.validate_json, to_json(value, inf_nan_mode="constants")) == REFUSED


def test_containers_that_say_nothing_of_their_content_are_strict_themselves() -> None:
    schema = core_schema.tuple_schema(
        [core_schema.list_schema(), core_schema.dict_schema(), core_schema.set_schema()]
    )
    made: Any = strict_schema(schema, None).schema
    read = SchemaValidator(made, None, _use_prebuilt=False).validate_python
    assert read([[1, "a"], {"k": None}, [1]]) == ([1, "a"], {"k": None}, {1})
    assert outcome(read, [(1,), {"k": None}, [1]]) == REFUSED


def test_a_fraction_is_read_from_a_number_and_from_text() -> None:
    adapter = pydantic.adapter(Fraction)
    assert [adapter.construct(value) for value in (1, 0.5, "1/2")] == [1, 0.5, 0.5]
