"""The words of an issue: the expected value, never the received one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from toolhaft.definition.names import nearest_few
from toolhaft.jsonio import jsontext
from toolhaft.schema.format_patterns import WORDS

__all__ = [
    "MAX_FACTS",
    "MAX_LIST",
    "SUCH_AS",
    "any_of",
    "counted",
    "cut",
    "excluded",
    "is_shown_whole",
    "join_within",
    "list_members",
    "matching",
    "nearest_of",
    "number",
    "one_of",
    "one_of_types",
    "quote",
]

# The most characters of one constant or pattern, and of a list.
MAX_CHARS: Final = 60
MAX_LIST: Final = 300
MAX_MEMBERS: Final = 15
FEW_MEMBERS: Final = 5
# More members than these are not given to programs either.
MAX_FACTS: Final = 100
# Separates a kind of text from an example of it.
SUCH_AS: Final = ", such as "


def one_of_types(names: Iterable[str]) -> str:
    """The names of JSON types as an alternative.

    >>> one_of_types(["integer", "null"])
    'integer or null'
    """
    return any_of(list(dict.fromkeys(names)))


def any_of(phrases: Sequence[str], more: int = 0) -> str:
    """Phrases as an alternative.

    An example belongs to its own phrase, so that a comma stands behind it.

    >>> any_of(["integer", "null"]), any_of(["1", "2", "3"], 4)
    ('integer or null', '1, 2, 3 or 4 more')
    >>> any_of(["an ISO date, such as 2026-01-31", "integer"])
    'an ISO date such as 2026-01-31, or integer'
    """
    phrases = [*phrases, f"{more} more"] if more > 0 else list(dict.fromkeys(phrases))
    if len(phrases) < 2:  # noqa: PLR2004 - an alternative has two sides
        return "".join(phrases)
    *first, last = [phrase.replace(SUCH_AS, SUCH_AS.lstrip(",")) for phrase in phrases]
    comma = "," if any(map(str.__ne__, phrases, (*first, last))) else ""
    return f"{', '.join(first)}{comma} or {last}"


def join_within(phrases: Sequence[str], room: int = MAX_LIST) -> str:
    """Phrases as an alternative, as many as the room takes and the number of the others.

    >>> join_within(["integer", "array of strings", "null"], 25)
    'integer or 2 more'
    """
    kept = list(dict.fromkeys(phrases))
    total = len(kept)
    while len(kept) > 1 and len(any_of(kept, total - len(kept))) > room:
        kept.pop()
    return any_of(kept, total - len(kept))


def one_of(members: Sequence[Any]) -> str:
    """Describe an enum as JSON text: all of a small one, or the first five and the count.

    >>> one_of(["C", "F"]), one_of([1])
    ('expected one of "C", "F"', 'expected 1')
    >>> one_of(range(40))
    'expected one of 40 values, such as 0, 1, 2, 3, 4'
    """
    quoted = list_members(members)
    if not quoted:
        return "expected no value"
    total = len(members)
    few = "" if total == 1 else "one of " if len(quoted) == total else f"one of {total} values, "
    return f"expected {few}{'such as ' if len(quoted) < total else ''}{', '.join(quoted)}"


def is_shown_whole(members: Sequence[Any]) -> bool:
    """Whether `one_of` has room for all members."""
    return len(list_members(members)) == len(members)


def list_members(members: Sequence[Any]) -> list[str]:
    """Return all members as JSON text where they fit, else the first five."""
    if len(members) <= MAX_MEMBERS:
        quoted = list(map(quote, members))
        if len(", ".join(quoted)) <= MAX_LIST:
            return quoted
    return list(map(quote, members[:FEW_MEMBERS]))


def nearest_of(members: Sequence[Any], value: Any) -> str | None:
    """Describe a long enum for a text: the nearest five members, and the number of members.

    >>> nearest_of(["Zambia", "Peru", "Zimbabwe", "Chad", "Gambia", "Togo"], "zambja")
    'expected one of 6 values, such as "Zambia", "Gambia", "Zimbabwe", "Chad", "Peru"'
    """
    if not isinstance(value, str):
        return None
    near = nearest_few(value, [member for member in members if isinstance(member, str)])
    listed = ", ".join(map(quote, near[:FEW_MEMBERS]))
    return f"expected one of {len(members)} values, such as {listed}" if near else None


def excluded(members: Sequence[Any]) -> str:
    """Describe the value of `not`, if it forbids constants."""
    return one_of(members).replace("expected", "expected anything but", 1)


def counted(bound: str, count: float, noun: str) -> str:
    """A bound on how many there may be.

    >>> counted("at least", 1, "item"), counted("at most", 2.0, "key")
    ('expected at least 1 item', 'expected at most 2 keys')
    """
    plural = "" if count == 1 else "s"
    return f"expected {bound} {int(count)} {noun}{plural}"


def matching(pattern: str) -> str:
    """Describe a pattern; the pattern of a format by the format's name."""
    return f"expected {WORDS.get(pattern) or f'string that matches {cut(pattern)}'}"


def number(limit: Any) -> str:
    """A bound as a model would write it.

    >>> number(0.0), number(0.5)
    ('0', '0.5')
    """
    return str(int(limit)) if int(limit) == limit else str(limit)


def quote(value: Any) -> str:
    """Write a constant as JSON text, cut if it is long."""
    return cut(jsontext.write(value))


def cut(text: str, room: int = MAX_CHARS) -> str:
    """A text of the schema, as much of it as a message has room for."""
    return text if len(text) <= room else f"{text[:room]}..."
