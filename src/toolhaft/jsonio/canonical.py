"""One text for equal JSON data, and its digest: RFC 8785, the JSON Canonicalization Scheme.

Keys are sorted by their UTF-16 code units, numbers are written as ECMAScript writes them, strings
with the shortest escapes. RFC 8785 has no integers beyond 2^53, because it reads all numbers as
doubles; tools have, so they are written in their own digits here, and stay apart, from doubles too.
"""

from __future__ import annotations

from decimal import Decimal
from json import encoder
from math import isfinite
from typing import Any, TypeAlias

from toolhaft.jsonio import jsontext
from toolhaft.jsonio.primitives import write_canonical

__all__ = ["canonical", "digest", "write_in_python"]

EXACT_IN_DOUBLES = 2**53
# The keys of an object, to those in their order, each with the text before its value.
Orders: TypeAlias = dict[tuple[str, ...], list[tuple[str, str]]]
# A string as JSON: only what must be escaped is (RFC 8785, 3.2.2.2).
write_text = encoder.encode_basestring
# Where the decimal point may stand before ECMAScript writes an exponent.
LEAST_PLAIN, MOST_PLAIN = -6, 21


def canonical(data: Any) -> bytes:
    r"""Write plain JSON data in its one form; `1` and `1.0` are the same.

    Raises:
        ValueError: The data are not JSON: a number that is not finite, a lone surrogate.

    >>> canonical({"b": 1.0, "a": [1e21, "\u20ac"]})
    b'{"a":[1e+21,"\xe2\x82\xac"],"b":1}'
    """
    text = write_canonical(data)
    return (write_in_python(data) if text is None else text).encode("utf-8")


def write_in_python(data: Any) -> str:
    """Write data that the primitives in C leave to Python, or all data without them."""
    return _write(data, {})


def digest(data: Any) -> str:
    """The SHA-256 of the canonical form, in hex.

    >>> digest({"a": 1, "b": 2}) == digest({"b": 2.0, "a": 1})
    True
    """
    from hashlib import sha256

    return sha256(canonical(data)).hexdigest()


def _write(data: Any, orders: Orders) -> str:
    kind = type(data)
    if kind is str:
        return write_text(data)
    if kind is int and -EXACT_IN_DOUBLES <= data <= EXACT_IN_DOUBLES:
        return repr(data)
    if isinstance(data, dict):
        keys = tuple(data)
        order = orders.get(keys) or _order(keys, orders)
        members = []  # no comprehension, which is a call within each call
        for key, start in order:
            item = data[key]
            members.append(
                start + (write_text(item) if type(item) is str else _write(item, orders))
            )
        return f"{{{','.join(members)}}}"
    if isinstance(data, list | tuple):
        items = []
        for item in data:
            items.append(_write(item, orders))  # noqa: PERF401  as above
        return f"[{','.join(items)}]"
    return _write_scalar(data)


def _write_scalar(data: Any) -> str:
    if isinstance(data, float | Decimal):
        return _number(data) if isinstance(data, float) else _decimal_number(data)
    if isinstance(data, int) and not -EXACT_IN_DOUBLES <= data <= EXACT_IN_DOUBLES:
        return _integer(data)
    return jsontext.write(data)


def _order(keys: tuple[str, ...], orders: Orders) -> list[tuple[str, str]]:
    """Sort the keys of an object, and write each: the next object has the same ones mostly."""
    ordered = sorted(keys, key=lambda key: key.encode("utf-16-be", "surrogatepass"))
    order = orders[keys] = [(key, f"{write_text(key)}:") for key in ordered]
    return order


def _number(value: float) -> str:
    """A double as ECMAScript writes it (ECMA-262, Number::toString)."""
    if value != value or value in (float("inf"), float("-inf")):  # noqa: PLR0124 - NaN alone differs
        raise ValueError("not a JSON number: not finite")
    if value.is_integer() and abs(value) < EXACT_IN_DOUBLES:
        return str(int(value))
    sign, digits, exponent = _decimal(value)
    point = exponent + len(digits)
    if len(digits) <= point <= MOST_PLAIN:
        text = digits + "0" * (point - len(digits))
    elif 0 < point <= MOST_PLAIN:
        text = f"{digits[:point]}.{digits[point:]}"
    elif LEAST_PLAIN < point <= 0:
        text = f"0.{'0' * -point}{digits}"
    else:
        fraction = f".{digits[1:]}" if len(digits) > 1 else ""
        text = f"{digits[0]}{fraction}e{'+' if point > 0 else '-'}{abs(point - 1)}"
    return sign + text


def _decimal_number(value: Decimal) -> str:
    """A decimal as the double with these digits, else in its own digits."""
    double = float(value)
    if isfinite(double) and Decimal(repr(double)) == value:
        return _number(double)
    sign, digits, exponent = value.as_tuple()
    text = "".join(map(str, digits)).lstrip("0")
    stripped = text.rstrip("0")
    return f"{'-' if sign else ''}{stripped}e{int(exponent) + len(text) - len(stripped)}"


def _integer(value: int) -> str:
    """An integer in its own digits; a point says that a double with these is another number."""
    text = str(value)
    if len(text) > MOST_PLAIN + 1 or float(value) == value:
        return text
    return f"{text}.0" if _number(float(value)) == text else text


def _decimal(value: float) -> tuple[str, str, int]:
    """Sign, shortest digits, and the power of ten of the last one."""
    mantissa, _, power = repr(abs(value)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    fraction = "" if fraction == "0" else fraction
    digits = (whole + fraction).lstrip("0")
    exponent = int(power or 0) - len(fraction)
    stripped = digits.rstrip("0")
    return "-" if value < 0 else "", stripped, exponent + len(digits) - len(stripped)
