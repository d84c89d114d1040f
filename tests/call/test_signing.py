"""Numbers of a sealed text are floats where a float keeps their digits."""

from __future__ import annotations

from decimal import Decimal

from toolhaft.call.signing import as_floats


def test_a_decimal_is_a_float_at_any_depth_where_nothing_is_lost() -> None:
    long = Decimal("0.12345678901234567890")
    data = {"a": [Decimal("0.5"), {"b": long}], "c": "1.5", "d": Decimal("1e999")}
    read = as_floats(data)
    assert read == {"a": [0.5, {"b": long}], "c": "1.5", "d": Decimal("1e999")}
    assert (type(read["a"][0]), type(read["a"][1]["b"])) == (float, Decimal)
