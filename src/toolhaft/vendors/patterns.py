"""Python's regular expressions and time formats as JSON Schema patterns.

Patterns follow ECMA-262, and mean the same to every engine that reads them here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from toolhaft.schema.engine import matcher
from toolhaft.schema.faults import SchemaRefused

__all__ = ["portable_pattern", "regex_pattern", "strptime_pattern"]

_DIRECTIVES: Final[Mapping[str, str]] = {
    "%": "%", "Y": r"[1-9]\d{3}", "m": r"(0[1-9]|1[0-2])", "d": r"(0[1-9]|[12]\d|3[01])",
    "H": r"([01]\d|2[0-3])", "M": r"[0-5]\d", "S": r"[0-5]\d", "f": r"\d{1,6}",
}  # fmt: skip
_SAME_FLAGS: Final = re.UNICODE | re.ASCII
_SAME_GROUPS: Final = r"\(\?(?![:=!]|<[=!])"


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
