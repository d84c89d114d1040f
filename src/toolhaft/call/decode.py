"""Decode raw arguments, as a client hands them over, to one plain JSON object.

All spellings of the same arguments give the same object: text, UTF-8 bytes, a dict, or nothing.
Text is read strictly; the only other forms that are read are an object that was encoded twice and
a Python literal of a dict, and both are recorded.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeAlias

from toolhaft.call.syntax_words import describe_syntax
from toolhaft.call.types import Coercion
from toolhaft.jsonio import jsondata, jsontext
from toolhaft.jsonio.literals import LiteralSyntaxError, read_literal
from toolhaft.schema.document.kinds import NAMES
from toolhaft.spec import Issue

__all__ = ["LIMITS", "DecodeLimits", "Undecodable", "decode", "to_builtin_text"]

Arguments: TypeAlias = dict[str, Any]
Coercions: TypeAlias = tuple[Coercion, ...]
Kind: TypeAlias = Literal["invalid_input", "truncated"]


class DecodeLimits(NamedTuple):
    """How large arguments may be: UTF-8 bytes of text, and levels of nesting."""

    max_bytes: int = jsontext.MAX_BYTES
    max_depth: int = jsontext.MAX_DEPTH

    @property
    def max_values(self) -> int:
        """How many values data may hold: the most that there can be in such a text."""
        return self.max_bytes // 2


class Undecodable(Exception):
    """Raw arguments are not a JSON object; `kind` is that of the `Err`."""

    def __init__(self, kind: Kind, issue: Issue) -> None:
        super().__init__(issue)
        self.kind: Kind = kind
        self.issues = (issue,)


LIMITS = DecodeLimits()
LITERAL: Coercions = (Coercion((), "python_literal"),)
DOUBLE: Coercions = (Coercion((), "double_encoded"),)


def decode(
    raw: object,
    *,
    literals: bool = True,
    limits: DecodeLimits = LIMITS,
    decimals: bool = False,
) -> tuple[Arguments, Coercions]:
    """Read raw arguments; without `literals`, neither Python literals nor text encoded twice.

    With `decimals`, a number with a fraction or an exponent is a Decimal with the digits written.

    Raises:
        Undecodable: `truncated` for text that merely stops, `invalid_input` for everything else.

    >>> decode('{"city": "Paris"}'), decode("null"), decode("{'days': 2}")
    (({'city': 'Paris'}, ()), ({}, ()), ({'days': 2}, (Coercion((), 'python_literal'),)))
    """
    max_bytes, max_depth = limits
    kind = type(raw)
    if kind is str or kind is bytes:
        text: Any = raw
        try:
            value = jsontext.read(text, max_bytes=max_bytes, max_depth=max_depth, decimals=decimals)
        except jsontext.JsonSyntaxError as fault:
            return _read_other_text(text, fault, literals, limits, decimals=decimals)
        if type(value) is dict:
            return value, ()
        return _read_other_json(value, limits, literals, decimals=decimals)
    if raw is None:
        return {}, ()
    if kind is not dict and issubclass(kind, str | bytes):
        return decode(to_builtin_text(raw), literals=literals, limits=limits, decimals=decimals)
    try:
        copy = jsondata.snapshot(
            raw, max_depth=max_depth, max_values=limits.max_values, decimals=decimals
        )
        return _require_object(copy), ()
    except jsondata.NotPlain as fault:
        issue = fault.issues[0]
    raise Undecodable("invalid_input", issue)


def to_builtin_text(raw: Any) -> str | bytes:
    """Convert a subclass of str or bytes to its base, without calling its own methods."""
    return str.__str__(raw) if isinstance(raw, str) else bytes.__getitem__(raw, slice(None))


def _read_other_json(
    value: Any, limits: DecodeLimits, twice: bool, *, decimals: bool
) -> tuple[Arguments, Coercions]:
    """Read JSON data that is no object: null, or an object that was encoded twice."""
    if value is None:
        return {}, ()
    is_text = type(value) is str and twice
    if is_text:
        return _read_double_encoded(value, limits, decimals=decimals), DOUBLE
    return _require_object(value), ()


def _read_other_text(
    text: str | bytes,
    fault: jsontext.JsonSyntaxError,
    literals: bool,
    limits: DecodeLimits,
    *,
    decimals: bool,
) -> tuple[Arguments, Coercions]:
    """Read text that is not JSON: white space, or a Python literal."""
    if len(text) > limits.max_bytes:
        raise _to_undecodable(fault)
    if not text.strip():
        return {}, ()
    if literals and not fault.truncated:
        try:
            literal = text if isinstance(text, str) else text.decode()
            value = read_literal(literal, max_depth=limits.max_depth, decimals=decimals)
            return _require_object(value), LITERAL
        except UnicodeDecodeError:
            pass  # `fault` has the reason
        except LiteralSyntaxError as other:
            # The model can act on the JSON fault; the literal's fault counts if it is cut off.
            raise _to_undecodable(other if other.truncated else fault, text) from None
    raise _to_undecodable(fault, text)


def _read_double_encoded(text: str, limits: DecodeLimits, *, decimals: bool) -> Arguments:
    """Read the object in a JSON string: text that was encoded twice, and no more than twice."""
    max_bytes, max_depth = limits
    try:
        value = jsontext.read(text, max_bytes=max_bytes, max_depth=max_depth, decimals=decimals)
        return _require_object(value)
    except jsontext.JsonSyntaxError as fault:
        is_object_text = text.lstrip().startswith("{")
        raise (_to_undecodable(fault) if is_object_text else _not_an_object(text)) from None


def _require_object(value: Any) -> Arguments:
    if type(value) is dict:
        return value
    raise _not_an_object(value)


def _not_an_object(value: Any) -> Undecodable:
    received = NAMES[type(value)]
    message = f"expected object, received {received}"
    return Undecodable("invalid_input", Issue(message, (), "type", "object", received))


def _to_undecodable(
    fault: jsontext.JsonSyntaxError | LiteralSyntaxError, text: str | bytes = ""
) -> Undecodable:
    if fault.truncated:
        return Undecodable("truncated", Issue(fault.message, (), "json"))
    message = describe_syntax(text if isinstance(text, str) else text.decode(errors="replace"))
    path = () if isinstance(fault, LiteralSyntaxError) else fault.path
    return Undecodable("invalid_input", Issue(message or fault.message, path, "json"))
