"""Write the JSON Schema of libraries that have none themselves, and list its losses.

`WrittenSchema` is the schema of one validator with the checks that it lacks. The adapter is
automatic if nothing is lost; otherwise data are still checked by the rest of the schema.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, cast

from toolhaft.jsonio.jsondata import NotPlain, snapshot
from toolhaft.schema.engine import matcher
from toolhaft.schema.faults import SchemaRefused
from toolhaft.spec import Issue, Mode, Path
from toolhaft.vendors.adapter import Adapter, NoVendor, Rejected
from toolhaft.vendors.input_schema import InputSchema

__all__ = [
    "AuditedAdapter",
    "WrittenSchema",
    "constants",
    "default_keyword",
    "enum_schema",
    "exclusion_schema",
    "nullable_schema",
    "portable_pattern",
    "regex_pattern",
    "strptime_pattern",
]

_FIX = "pass parameters= (a JSON Schema) beside it"
_KINDS = {str: "string", int: "integer", bool: "boolean", float: "number"}


_DIRECTIVES: Final[Mapping[str, str]] = {
    "%": "%", "Y": r"[1-9]\d{3}", "m": r"(0[1-9]|1[0-2])", "d": r"(0[1-9]|[12]\d|3[01])",
    "H": r"([01]\d|2[0-3])", "M": r"[0-5]\d", "S": r"[0-5]\d", "f": r"\d{1,6}",
}  # fmt: skip
_SAME_FLAGS: Final = re.UNICODE | re.ASCII
_SAME_GROUPS: Final = r"\(\?(?![:=!]|<[=!])"


class WrittenSchema(NamedTuple):
    """A schema, and the checks of the validator that it lacks."""

    schema: dict[str, Any]
    losses: Sequence[str] = ()


class AuditedAdapter(Adapter[Any]):
    """One validator behind the schema that we wrote for it.

    A subclass sets `vendor`, writes the schema with what is lost (`audit`), lets the library read
    data that fits it (`construct`), and turns its errors into issues (`explain_rejection`). The
    schema is checked even where the audit finds that it does not express all.
    """

    audit: Callable[[Mode], WrittenSchema]
    explain_rejection: Callable[[Any, Any], list[Issue]]

    def input_or_none(self) -> InputSchema:
        return cast("InputSchema", super().input_or_none())  # there is a partial schema at least

    def emit_partly(self) -> dict[str, Any]:
        return self.audit("input").schema

    def emit(self, mode: Mode) -> dict[str, Any]:
        audit = self.audit(mode)
        if audit.losses:
            lost = "; ".join(audit.losses)
            raise NoVendor(f"{self.vendor}: no JSON Schema can be written for {lost}", _FIX)
        return audit.schema

    def unexpressed_checks(self) -> list[tuple[Path, str]]:
        return [((), loss) for loss in self.audit("input").losses]

    def explain(self, error: Exception, data: Any) -> list[Issue]:
        return error.issues if isinstance(error, Rejected) else self.explain_rejection(error, data)


def constants(values: Any) -> list[Any] | None:
    """Return the JSON scalars of a container, in an order that no hash seed changes.

    >>> constants({"b", "a"}), constants(["b", None]), constants([object()])
    (['a', 'b'], ['b', None], None)
    """
    try:
        scalars: list[Any] = snapshot(list(values))
    except (TypeError, NotPlain):
        return None
    if any(isinstance(scalar, list | dict) for scalar in scalars):
        return None
    if isinstance(values, set | frozenset):
        scalars.sort(key=lambda scalar: (type(scalar).__name__, str(scalar)))
    return scalars


def enum_schema(values: list[Any]) -> dict[str, Any]:
    """Return the schema of a list of constants, with their type if they share one.

    >>> enum_schema(["a", "b"]), enum_schema([1])
    ({'type': 'string', 'enum': ['a', 'b']}, {'type': 'integer', 'const': 1})
    """
    kinds = {type(value) for value in values}
    kind = _KINDS.get(kinds.pop()) if len(kinds) == 1 else None
    members = {"const": values[0]} if len(values) == 1 else {"enum": values}
    return {"type": kind, **members} if kind else members


def exclusion_schema(values: list[Any]) -> dict[str, Any]:
    """Return the schema of all but these constants; to Python `True` is among `[1]`.

    >>> exclusion_schema(["a", 1])
    {'not': {'enum': ['a', 1, True]}}
    """
    numbers = [value for value in values if isinstance(value, int | float) and value in (0, 1)]
    twins = [bool(value) if type(value) is not bool else int(value) for value in numbers]
    return {"not": {"enum": [*values, *twins]}}


def nullable_schema(node: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a value that may be null too."""
    return {"anyOf": [node, {"type": "null"}]}


def default_keyword(value: Any) -> dict[str, Any]:
    """Return a default as JSON, if it has such a form."""
    try:
        return {"default": snapshot(value)}
    except NotPlain:
        return {}


def regex_pattern(regex: re.Pattern[Any]) -> str | None:
    r"""Return the pattern of the texts that `regex.match` accepts; None if ECMA-262 has none.

    >>> regex_pattern(re.compile(r"[a-z]+\Z")), regex_pattern(re.compile("(?i)a"))
    ('^(?:[a-z]+$)', None)
    """
    text = regex.pattern
    if not isinstance(text, str) or regex.flags & ~_SAME_FLAGS:
        return None
    text = re.sub(r"\\(.)", _translate_anchor, text, flags=re.DOTALL)
    return portable_pattern(text if text.startswith("^") and "|" not in text else f"^(?:{text})")


def portable_pattern(pattern: str) -> str | None:
    """Return a pattern that is searched for, or None if ECMA-262 cannot express it."""
    pattern = re.sub(r"\\(.)", _translate_anchor, pattern, flags=re.DOTALL)
    if re.search(_SAME_GROUPS, re.sub(r"\\.", "", pattern, flags=re.DOTALL)):
        return None
    try:
        matcher(pattern)
    except SchemaRefused:
        return None
    return pattern


def _translate_anchor(escape: re.Match[str]) -> str:
    return {"A": "^", "Z": "$"}.get(escape[1], escape[0])


def strptime_pattern(format: str) -> str | None:
    r"""Return the pattern of a time format, or None if it depends on a locale or a zone.

    >>> strptime_pattern("%d.%m.%Y"), strptime_pattern("%b")
    ('^(0[1-9]|[12]\\d|3[01])\\.(0[1-9]|1[0-2])\\.[1-9]\\d{3}$', None)
    """
    pattern = ""
    for literal, directive in re.findall(r"([^%]+)|%(.?)", format, flags=re.DOTALL):
        if not literal and directive not in _DIRECTIVES:
            return None
        pattern += re.sub(r"([\\^$.|?*+()\[\]{}/])", r"\\\1", literal) or _DIRECTIVES[directive]
    return f"^{pattern}$"
