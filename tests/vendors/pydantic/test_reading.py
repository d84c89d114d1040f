"""Data are read as pydantic's strict JSON mode reads text, but for what the schema says."""

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
from pydantic_core import core_schema, to_json

from tests.vendors.pydantic import samples
from tests.vendors.pydantic.samples import AMBIGUOUS, CONTAINERS, OBJECTS, SCALARS, UNIONS, VALUES
from toolhaft.schema.format_patterns import CLOCK, DECIMAL, PATTERNS
from toolhaft.vendors.adapter import Rejected
from toolhaft.vendors.pydantic import adapter as pydantic

EVERY = [*SCALARS, *CONTAINERS, *OBJECTS, *UNIONS, *AMBIGUOUS]
REFUSED = "refused"


# Before 2.13 the schema of a fraction says text alone, and its reader raises for a list.
READS_NUMBERS = hasattr(core_schema, "fraction_schema")


def outcome(read: Any, *args: Any, **options: Any) -> Any:
    try:
        return read(*args, **options)
    except (ValidationError, Rejected):
        return REFUSED
    except TypeError:
        if READS_NUMBERS:
            raise
        return REFUSED


def same(one: Any, other: Any) -> bool:
    equal = one == other or repr(one) == repr(other)
    return type(one) is type(other) and equal


def is_known(by_vendor: Any, ours: Any, value: Any) -> bool:
    """Ours is narrower, in one of the ways that the adapter names; each is what the schema says."""
    if type(by_vendor).__name__ == "ValidatorIterator":
        return ours in (value, REFUSED)
    if is_other_form(by_vendor, value):
        return ours in (value, REFUSED)
    if isinstance(by_vendor, samples.Flat) and type(ours) is dict:
        return bool(ours == value)  # the branch that declares every key is meant
    return ours == REFUSED and (
        mixes_numbers(by_vendor, value)
        or (isinstance(by_vendor, (set, frozenset)) and len(by_vendor) < len(value))
        or (isinstance(by_vendor, samples.Checked) and len(by_vendor.s) < len(value["s"]))
        or (isinstance(by_vendor, samples.Pair) and isinstance(value, dict))
        or (isinstance(by_vendor, complex) and not isinstance(value, str))
        or (isinstance(by_vendor, Fraction) and by_vendor == 10**30)  # a number that no float holds
        or (isinstance(by_vendor, Fraction) and not READS_NUMBERS and not isinstance(value, str))
        # Undeclared keys, without which another branch is meant.
        or (isinstance(by_vendor, samples.Flat) and not set(value) <= set(vars(by_vendor)))
        or (isinstance(by_vendor, samples.Aliased) and "b" in value)  # which is another name of bb
    )


FORMS: dict[type, str] = {
    datetime: PATTERNS["date-time"],
    time: CLOCK,
    timedelta: PATTERNS["duration"],
    Decimal: DECIMAL,
    UUID: PATTERNS["uuid"],
}


def is_other_form(made: Any, value: Any) -> bool:
    """Return whether text of another form than the schema names was read."""
    form = FORMS.get(type(made))
    return form is not None and isinstance(value, str) and not re.search(form, value)


def mixes_numbers(made: Any, value: Any) -> bool:
    """Return whether `true`, 1 and 1.0 were confused with each other."""
    if isinstance(made, (samples.First, samples.Second)):
        return mixes_numbers(made.k, value["k"])
    plain = made.value if isinstance(made, Enum) else made
    scalars = (bool, int, float)
    return (
        isinstance(value, scalars) and isinstance(plain, scalars) and type(plain) is not type(value)
    )


@pytest.mark.unmeasured
@pytest.mark.parametrize("tp", EVERY, ids=str)
def test_data_are_read_as_the_strict_json_mode_reads_their_text(tp: Any) -> None:
    vendor = TypeAdapter[Any](tp)
    adapter = pydantic.adapter(tp)
    for value in VALUES:
        admitted = adapter.input.admit(value)
        data = value if admitted.issues else admitted.data  # 5.0 is 5, undeclared keys are gone
        wanted = outcome(vendor.validate_json, to_json(data), strict=True)
        got = outcome(read, adapter, value)
        assert same(got, wanted) or is_known(wanted, got, value), value


def read(adapter: pydantic.PydanticAdapter, value: Any) -> Any:
    return adapter.read(value)[0]


def test_the_vendor_itself_would_be_laxer_or_refuse_too_much() -> None:
    """Why the gate is there: if this fails, pydantic has a strict mode for decoded data."""
    vendor = TypeAdapter(samples.Color)
    assert vendor.validate_json('"a"', strict=True) is samples.Color.RED
    assert outcome(vendor.validate_python, "a", strict=True) == REFUSED
    assert TypeAdapter(int).validate_python("3") == 3


@pytest.mark.parametrize("value", [10**400, float("inf"), float("nan")])
def test_numbers_beyond_floats_are_rejected(value: Any) -> None:
    assert not pydantic.adapter(float).validate(value)


def test_a_fraction_is_read_from_text_and_from_the_other_types_of_its_schema() -> None:
    adapter = pydantic.adapter(Fraction)
    assert read(adapter, "1/2") == 0.5
    if READS_NUMBERS:
        assert [read(adapter, value) for value in (1, 0.5)] == [1, 0.5]
    else:
        assert [outcome(read, adapter, value) for value in (1, 0.5)] == [REFUSED, REFUSED]
