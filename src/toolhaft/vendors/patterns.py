"""Python's regular expressions and time formats as JSON Schema patterns (ECMA-262)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from toolhaft.schema.checker import matcher
from toolhaft.schema.faults import SchemaRefused
from toolhaft.schema.walk import replaced, subschemas

__all__ = ["FORMATS", "asserted", "of_regex", "of_strptime"]

DATE: Final = r"\d{4}-\d{2}-\d{2}"
TIME: Final = r"\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?([Zz]|[+-]\d{2}:\d{2})?"
# The shapes of RFC 3339, with a zone that may be missing as in the other vendors; what Python
# reads beyond them (20240101, 2024-W01-1, a UUID in braces) is no such format.
FORMATS: Final[Mapping[str, str]] = {
    "date": f"^{DATE}$",
    "time": f"^{TIME}$",
    "date-time": f"^{DATE}[Tt ]{TIME}$",
    "uuid": r"^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$",
}
_DIRECTIVES: Final[Mapping[str, str]] = {
    "%": "%", "Y": r"\d{4}", "m": r"(0[1-9]|1[0-2])", "d": r"(0[1-9]|[12]\d|3[01])",
    "H": r"([01]\d|2[0-3])", "M": r"[0-5]\d", "S": r"[0-5]\d", "f": r"\d{1,6}",
}  # fmt: skip
_SAME_FLAGS: Final = re.UNICODE | re.ASCII
_SAME_GROUPS: Final = r"\(\?(?![:=!]|<[=!])"


def of_regex(regex: re.Pattern[Any]) -> str | None:
    r"""Give the pattern of what `regex.match` accepts; None where ECMA-262 cannot say it.

    >>> of_regex(re.compile(r"[a-z]+\Z")), of_regex(re.compile("(?i)a"))
    ('^(?:[a-z]+$)', None)
    """
    text = regex.pattern
    if not isinstance(text, str) or regex.flags & ~_SAME_FLAGS:
        return None
    text = re.sub(r"\\(.)", _ends, text, flags=re.DOTALL)
    if re.search(_SAME_GROUPS, re.sub(r"\\.", "", text, flags=re.DOTALL)):
        return None
    whole = text if text.startswith("^") and "|" not in text else f"^(?:{text})"
    try:
        matcher(whole)
    except SchemaRefused:
        return None
    return whole


def _ends(escape: re.Match[str]) -> str:
    return {"A": "^", "Z": "$"}.get(escape[1], escape[0])


def of_strptime(format: str) -> str | None:
    r"""Give the pattern of a time format; None where it depends on a locale or a zone.

    >>> of_strptime("%d.%m.%Y"), of_strptime("%b")
    ('^(0[1-9]|[12]\\d|3[01])\\.(0[1-9]|1[0-2])\\.\\d{4}$', None)
    """
    written = ""
    for literal, directive in re.findall(r"([^%]+)|%(.?)", format, flags=re.DOTALL):
        if not literal and directive not in _DIRECTIVES:
            return None
        written += re.sub(r"([\\^$.|?*+()\[\]{}/])", r"\\\1", literal) or _DIRECTIVES[directive]
    return f"^{written}$"


def asserted(schema: Any) -> Any:
    r"""Give a copy of an emitted schema in which formats are checked, as far as shapes can.

    >>> asserted({"type": "string", "format": "date"})["pattern"]
    '^\\d{4}-\\d{2}-\\d{2}$'
    """
    if not isinstance(schema, dict):
        return schema
    made = replaced(schema, {steps: asserted(node) for steps, node in subschemas(schema)})
    shape = FORMATS.get(made.get("format", ""))
    return made if shape is None or "pattern" in made else {**made, "pattern": shape}
