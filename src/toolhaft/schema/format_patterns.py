r"""The patterns of texts with a format: shapes that are the same for all libraries.

Temporal text follows RFC 3339, with the offset and the seconds optional and a space allowed for the
T: models write local times, and must not invent offsets. Durations follow its appendix A, also with
a sign and a fraction of seconds. UUIDs are hyphenated (RFC 9562). Days must be in the calendar,
because a branch of a union that a library would reject is not the intended one. Other checks of a
library are its own. Patterns follow ECMA-262.
"""

from __future__ import annotations

import re
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
__all__ += ["DATED", "PLURALS", "SPAN", "WORDS", "ZONED_CLOCK", "format_words", "is_no_such_date"]

# A time of the clock, a date-time without a zone and a number in text: no format describes these,
# so the pattern is a schema's only rule for them and has to be exact.
_DAY: Final = "0[1-9]|[12][0-9]"
_LONG: Final = f"(0[13578]|1[02])-({_DAY}|3[01])|(0[469]|11)-({_DAY}|30)"
_HOUR: Final = "([01][0-9]|2[0-3]):[0-5][0-9]"
_CLOCK: Final = rf"{_HOUR}(:[0-5][0-9](\.[0-9]+)?)?"
_ZONE: Final = f"([Zz]|[+-]{_HOUR})"
# The years 1 to 9999, as in Python, with the 29th of February in leap years.
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
_SECONDS: Final = r"[0-9]+(\.[0-9]+)?S"
_HOURS: Final = f"T([0-9]+H([0-9]+M)?({_SECONDS})?|[0-9]+M({_SECONDS})?|{_SECONDS})"
# RFC 3339, appendix A, without years, months and weeks: msgspec does not read them.
SPAN: Final = f"^[+-]?P([0-9]+D({_HOURS})?|{_HOURS})$"
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
# The words for a text with a format, by the name that a schema or an adapter uses.
FORMAT_WORDS: Final[Mapping[str, str]] = {
    "date": "an ISO date, such as 2026-01-31",
    "time": "a time, such as 09:00:00",
    "time with a zone": "a time with an offset, such as 09:00:00Z",
    "time without a zone": "a time without an offset, such as 09:00:00",
    "date-time": "an ISO date-time, such as 2026-01-31T09:00:00Z",
    "date-time with a zone": "a date-time with an offset, such as 2026-01-31T09:00:00Z",
    "date-time without a zone": "a date-time without an offset, such as 2026-01-31T09:00:00",
    "duration": "an ISO duration, such as PT1H30M",
    "uuid": "a UUID, such as 123e4567-e89b-12d3-a456-426614174000",
    "decimal": "a decimal number, such as 12.50",
    "base64": "base64 text, such as YQ==",
    "hex": "hex text, such as 6a",
    "email": "an email address, such as ann@example.com",
    "uri": "a URI, such as https://example.com/",
    "url": "a URL, such as https://example.com/",
    "ipv4": "an IPv4 address, such as 192.0.2.1",
    "ipv6": "an IPv6 address, such as 2001:db8::1",
    "ipv4network": "an IPv4 network without host bits, such as 192.0.2.0/24",
    "ipv6network": "an IPv6 network without host bits, such as 2001:db8::/32",
    "ipvanynetwork": "a network without host bits, such as 192.0.2.0/24",
    "ipvanyinterface": "an IP address with a prefix, such as 192.0.2.1/24",
    "ipv4interface": "an IPv4 address with a prefix, such as 192.0.2.1/24",
    "ipv6interface": "an IPv6 address with a prefix, such as 2001:db8::1/32",
    "hostname": "a host name, such as example.com",
}
# The words for a text that matches, in a message: no model reads one of these patterns.
WORDS: Final[Mapping[str, str]] = {
    **{pattern: FORMAT_WORDS[name] for name, pattern in PATTERNS.items()},
    ZONED_CLOCK: FORMAT_WORDS["time with a zone"],
    LOCAL_CLOCK: FORMAT_WORDS["time without a zone"],
    LOCAL: FORMAT_WORDS["date-time without a zone"],
    SPAN: FORMAT_WORDS["duration"],
    DECIMAL: 'a decimal number as text, such as "12.50"',
    BOOLEAN_KEY: "true or false",
    INTEGER_KEY: "integer",
    NUMBER_KEY: "number",
}
# The words for many texts that match, if the pattern may apply to the items of an array.
PLURALS: Final[Mapping[str, str]] = {
    PATTERNS["date"]: "ISO dates",
    PATTERNS["date-time"]: "ISO date-times",
    CLOCK: "times",
    SPAN: "ISO durations",
    PATTERNS["uuid"]: "UUIDs",
    DECIMAL: "decimal numbers",
}
_DAY_SHAPE: Final = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}(?=[Tt ]|$)")
DATED: Final = frozenset({PATTERNS["date"], PATTERNS["date-time"], LOCAL})


def format_words(name: str) -> str:
    """Describe text of a format.

    >>> format_words("date"), format_words("color")
    ('an ISO date, such as 2026-01-31', 'format color')
    """
    return FORMAT_WORDS.get(name, f"format {name}")


def is_no_such_date(pattern: str, text: str) -> bool:
    """Whether a text of a dated format only names a day that no calendar has.

    >>> is_no_such_date(PATTERNS["date"], "2026-02-30"), is_no_such_date(PATTERNS["date"], "soon")
    (True, False)
    """
    day = _DAY_SHAPE.match(text) if pattern in DATED else None
    return day is not None and re.fullmatch(_DATE, day[0]) is None
