"""Texts of the formats that vendors emit, and similar texts that are invalid.

`format` is an annotation in JSON Schema 2020-12 (validation, 7.2.1): the rules of a format are in
`format_patterns` for formats that are the same for all libraries, and in the documents named there
for others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any, Final, NamedTuple, TypeAlias

__all__ = ["FORMATS", "Format", "format_of"]

Draw: TypeAlias = Callable[[Random], str]


class Format(NamedTuple):
    """A source of texts that have a format, and texts that do not."""

    draw: Draw
    wrong: tuple[str, ...]


def _date(random: Random) -> str:
    # Two thousand years would do; a day up to 28 is in every month.
    return f"{random.randint(1, 9999):04}-{random.randint(1, 12):02}-{random.randint(1, 28):02}"


def _clock(random: Random) -> str:
    """Draw a time of the clock; models leave the seconds out."""
    seconds = f":{random.randint(0, 59):02}"
    fraction = random.choice(("", ".5", ".250", ".123456"))
    end = random.choice(("", seconds, seconds + fraction))
    return f"{random.randint(0, 23):02}:{random.randint(0, 59):02}{end}"


def _time(random: Random) -> str:
    return _clock(random) + random.choice(("", "", "Z", "+00:00", "-05:30", "+14:00"))


def _date_time(random: Random) -> str:
    # An offset may lead out of the years that Python has.
    day = f"{random.randint(2, 9998):04}{_date(random)[4:]}"
    return day + random.choice("TT ") + _time(random)


def _duration(random: Random) -> str:
    whole = (f"P{random.randint(0, 99)}D", f"PT{random.randint(0, 99)}H", "P3W", "PT0S")
    mixed = (f"P1DT{random.randint(0, 23)}H", f"PT{random.randint(0, 59)}M30S", "P2DT3H4M5.5S")
    return random.choice(("", "", "-", "+")) + random.choice(whole + mixed)


def _uuid(random: Random) -> str:
    digits = f"{random.getrandbits(128):032x}"
    parts = (digits[:8], digits[8:12], "4" + digits[13:16], "a" + digits[17:20], digits[20:])
    text = "-".join(parts)
    return random.choice((text, text.upper()))


def _ipv4(random: Random) -> str:
    return ".".join(str(random.randint(0, 255)) for _ in range(4))


def _among(*texts: str) -> Draw:
    return lambda random: random.choice(texts)


# Digits that Python takes for digits, and no format does.
_ARABIC: Final = "\u0661\u0660"
_URI: Final = Format(
    _among("https://example.com/", "http://example.com/a?b=c", "https://example.com:8080/%C3%A9"),
    ("", "example.com", "/a/b", "https://", "https://exa mple.com/"),
)

FORMATS: Final[Mapping[str, Format]] = {
    "date-time": Format(
        _date_time,
        ("", "yesterday", "2026-03-01", "10:00:00Z", "2026-03-01T10", "2026-02-30T10:00:00Z",
         "2026-03-01T25:00:00Z", "2026-03-01T10:00:00+25:00", "2026-3-1T10:00:00Z", "1767225600",
         "2026-03-01T10:00:00Z\n", "2026-03-01  10:00", "2026-03-01_10:00:00", "20260301T100000Z",
         "2026-03-01T10:00:00+0100", "2026-03-01T10:00:00 Z", f"2026-03-{_ARABIC}T10:00:00Z"),
    ),
    "date": Format(
        _date,
        ("", "today", "2026-02-30", "2026-13-01", "2026-3-1", "20260301", "2026-03-01T00:00:00",
         "2026-03-01T00:00:00Z", "1767225600", "2026-03-01\n", " 2026-03-01", f"2026-03-{_ARABIC}"),
    ),
    "time": Format(
        _time,
        ("", "noon", "25:00:00Z", "10:60:00Z", "10", "9:00", "100000Z", "36000", "T10:00:00Z",
         "10:00:00Z\n", f"{_ARABIC}:00:00Z", "10:00:00+25:00", "10:00:00+0100", "10:00 Z"),
    ),
    "duration": Format(
        _duration,
        ("", "P", "PT", "1D", "P1", "90", "1:30", "P1D\n", "--P1D", "P-1D", "P1DT", "P1.5D",
         "PT1,5S", "PT5M6H"),
    ),
    "uuid": Format(
        _uuid,
        ("", "x", "123e4567e89b12d3a456426614174000", "{123e4567-e89b-12d3-a456-426614174000}",
         "urn:uuid:123e4567-e89b-12d3-a456-426614174000", "123e4567-e89b-12d3-a456-42661417400",
         "123e4567-e89b-12d3-a456-42661417400g", "123e4567-e89b-12d3-a456-426614174000\n"),
    ),
    "email": Format(
        _among("ann@example.com", "a.b+c@mail.example.org"),
        ("", "ann", "ann@", "@example.com", "ann@exam ple.com", "ann@@example.com"),
    ),
    "uri": _URI,
    "url": _URI,
    "ipv4": Format(_ipv4, ("", "1.2.3", "1.2.3.256", "1.2.3.4.5", "0x7f.0.0.1", "1.2.3.4\n")),
    "ipv6": Format(
        _among("::1", "2001:db8::8a2e:370:7334", "fe80::1"), ("", "1.2.3.4", ":::", "g::1")
    ),
    "hostname": Format(
        _among("example.com", "a-b.example"), ("", "-a.com", "a_b.com", "a..b", "a b")
    ),
    "decimal": Format(_among("0", "1.5", "-12.250", "1000000000000000.1"), ("", "NaN", "1,5", "x")),
    "byte": Format(_among("", "YQ==", "aGVsbG8="), ("a", "YQ", "%%%%")),
}  # fmt: skip


def format_of(node: Mapping[str, Any]) -> str:
    """Return the format that a node names, also as its `contentEncoding`; else an empty text.

    >>> format_of({"format": "date"}), format_of({"contentEncoding": "base64"}), format_of({})
    ('date', 'byte', '')
    """
    return "byte" if node.get("contentEncoding") == "base64" else str(node.get("format", ""))
