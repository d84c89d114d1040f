"""Text with a form: formats, Python's regular expressions and time formats as JSON Schema patterns.

Patterns are those of ECMA-262, and mean the same to every engine that reads them here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from toolhaft.schema.checker import matcher
from toolhaft.schema.explain import Finding
from toolhaft.schema.faults import SchemaRefused
from toolhaft.schema.walk import replaced, subschemas
from toolhaft.spec import Issue

__all__ = ["CLOCK", "DECIMAL", "FORMATS", "LOCAL", "asserted", "formatted", "of_regex"]
__all__ += ["INTEGER_KEY", "LOCAL_CLOCK", "NUMBER_KEY", "SPAN", "ZONED_CLOCK", "of_strptime"]

_DATE: Final = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_TIME: Final = r"[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?"
_ZONE: Final = "([Zz]|[+-][0-9]{2}:[0-9]{2})"
# A time of the clock, a date-time without a zone and a number in text: no format says these, so
# that the pattern is all that a schema says of them, and has to be exact.
_DAY: Final = "0[1-9]|[12][0-9]"
_MONTH_AND_DAY: Final = f"((0[13578]|1[02])-({_DAY}|3[01])|(0[469]|11)-({_DAY}|30)|02-({_DAY}))"
_HOUR: Final = "([01][0-9]|2[0-3]):[0-5][0-9]"
_CLOCK: Final = rf"{_HOUR}:[0-5][0-9](\.[0-9]+)?"
CLOCK: Final = f"^{_CLOCK}([Zz]|[+-]{_HOUR})?$"
ZONED_CLOCK: Final = f"^{_CLOCK}([Zz]|[+-]{_HOUR})$"
LOCAL_CLOCK: Final = f"^{_CLOCK}$"
LOCAL: Final = f"^[0-9]{{4}}-{_MONTH_AND_DAY}[Tt]{_CLOCK}$"
# Keys of a JSON object that are read as numbers, finite ones.
INTEGER_KEY: Final = "^-?(0|[1-9][0-9]*)$"
NUMBER_KEY: Final = r"^-?(0|[1-9][0-9]{0,16})(\.[0-9]+)?([eE][+-]?(1?[0-9]{1,2}|2[0-8][0-9]))?$"
DECIMAL: Final = r"^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$"
# RFC 3339, appendix A, without years, months and weeks: msgspec does not read them.
SPAN: Final = r"^[+-]?P(?=[0-9T])([0-9]+D)?(T(?=[0-9])([0-9]+H)?([0-9]+M)?([0-9]+(\.[0-9]+)?S)?)?$"
_SECONDS: Final = r"[0-9]+(\.[0-9]+)?S"
_HOURS: Final = f"T([0-9]+H([0-9]+M)?({_SECONDS})?|[0-9]+M({_SECONDS})?|{_SECONDS})"
_WEEKS: Final = "[0-9]+W([0-9]+D)?|[0-9]+D"
_MONTHS: Final = "[0-9]+M([0-9]+W)?([0-9]+D)?"
_DAYS: Final = f"([0-9]+Y({_MONTHS})?|[0-9]+Y({_WEEKS})|{_MONTHS}|{_WEEKS})"
# The shapes of RFC 3339 and RFC 9562; what libraries read beyond them (20240101, a date-time
# without a zone, a UUID in braces) is no such format. As in Python, a time may lack its zone, and
# a duration may be negative.
FORMATS: Final[Mapping[str, str]] = {
    "date": f"^{_DATE}$",
    "time": CLOCK,
    "date-time": f"^{_DATE}[Tt]{_TIME}{_ZONE}$",
    "duration": f"^[+-]?P({_DAYS}({_HOURS})?|{_HOURS})$",
    "uuid": "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$",
}
_DIRECTIVES: Final[Mapping[str, str]] = {
    "%": "%", "Y": r"[1-9]\d{3}", "m": r"(0[1-9]|1[0-2])", "d": r"(0[1-9]|[12]\d|3[01])",
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
    ('^(0[1-9]|[12]\\d|3[01])\\.(0[1-9]|1[0-2])\\.[1-9]\\d{3}$', None)
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
    '^[0-9]{4}-[0-9]{2}-[0-9]{2}$'
    """
    if not isinstance(schema, dict):
        return schema
    made = replaced(schema, {steps: asserted(node) for steps, node in subschemas(schema)})
    shape = FORMATS.get(made.get("format", ""))
    return made if shape is None or "pattern" in made else {**made, "pattern": shape}


def formatted(finding: Finding) -> Issue:
    """Name the format, where it is our pattern for it that refused the text."""
    issue, node = finding.issue, finding.node
    if issue.code != "format" or not isinstance(node, Mapping) or "format" not in node:
        return issue
    return Issue(f"expected format {node['format']}", issue.path, "format")
