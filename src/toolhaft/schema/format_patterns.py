r"""What text must look like to have a format: shapes that are held alike for all libraries.

Temporal text is that of RFC 3339, with the offset and the seconds optional and a space allowed for
the T: models write local times, and must not invent offsets. Durations are those of its appendix A,
also with a sign and a fraction of seconds. UUIDs are hyphenated (RFC 9562). Days are those of the
calendar: a branch of a union that a library would refuse is not the one that is meant. What else a
library refuses it refuses by itself. Patterns are those of ECMA-262.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = [
    "BOOLEAN_KEY",
    "CLOCK",
    "DECIMAL",
    "INTEGER_KEY",
    "LOCAL",
    "LOCAL_CLOCK",
    "NUMBER_KEY",
    "PATTERNS",
]
__all__ += ["SPAN", "WORDS", "ZONED_CLOCK"]

# A time of the clock, a date-time without a zone and a number in text: no format says these, so
# that the pattern is all that a schema says of them, and has to be exact.
_DAY: Final = "0[1-9]|[12][0-9]"
_LONG: Final = f"(0[13578]|1[02])-({_DAY}|3[01])|(0[469]|11)-({_DAY}|30)"
_HOUR: Final = "([01][0-9]|2[0-3]):[0-5][0-9]"
_CLOCK: Final = rf"{_HOUR}(:[0-5][0-9](\.[0-9]+)?)?"
_ZONE: Final = f"([Zz]|[+-]{_HOUR})"
# The years 1 to 9999, which are those of Python, with the 29th of February where there is one.
_YEAR: Final = "([1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])"
_FOURTH: Final = "(0[48]|[2468][048]|[13579][26])"
_LEAP_DAY: Final = f"([0-9]{{2}}{_FOURTH}|{_FOURTH}00)-02-29"
_DATE: Final = f"({_YEAR}-({_LONG}|02-(0[1-9]|1[0-9]|2[0-8]))|{_LEAP_DAY})"
CLOCK: Final = f"^{_CLOCK}{_ZONE}?$"
ZONED_CLOCK: Final = f"^{_CLOCK}{_ZONE}$"
LOCAL_CLOCK: Final = f"^{_CLOCK}$"
LOCAL: Final = f"^[0-9]{{4}}-({_LONG}|02-({_DAY}))[Tt ]{_CLOCK}$"
# Keys of a JSON object that are read as booleans, and as numbers, finite ones.
BOOLEAN_KEY: Final = "^(true|false)$"
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

# By the name that a schema gives under `format`.
PATTERNS: Final[Mapping[str, str]] = {
    "date": f"^{_DATE}$",
    "time": CLOCK,
    "date-time": f"^{_DATE}[Tt ]{_CLOCK}{_ZONE}?$",
    "duration": f"^[+-]?P({_DAYS}({_HOURS})?|{_HOURS})$",
    "uuid": "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$",
}
# What a text that matches is called in a message: no model reads one of these patterns.
WORDS: Final[Mapping[str, str]] = {
    **{pattern: f"format {name}" for name, pattern in PATTERNS.items()},
    CLOCK: "format time",
    ZONED_CLOCK: "format time with a zone",
    LOCAL_CLOCK: "format time without a zone",
    LOCAL: "format date-time without a zone",
    SPAN: "format duration",
    DECIMAL: "a decimal number",
    BOOLEAN_KEY: "true or false",
    INTEGER_KEY: "an integer",
    NUMBER_KEY: "a number",
}
