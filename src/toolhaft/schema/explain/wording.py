"""The words of an issue: what was expected, never what came."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from toolhaft.definition.names import nearest
from toolhaft.jsonio import jsontext
from toolhaft.schema.format_patterns import WORDS

__all__ = [
    "MAX_FACTS",
    "any_of",
    "counted",
    "cut",
    "excluded",
    "is_shown_whole",
    "join_within",
    "matching",
    "nearest_of",
    "number",
    "one_of",
    "one_of_types",
    "quote",
]

# What a list may take of the hundred characters of an issue.
MAX_CHARS: Final = 60
MAX_MEMBERS: Final = 10
# More members than these are not given to programs either.
MAX_FACTS: Final = 100
# So short a text is near to everything.
SHORT: Final = 2


def one_of_types(names: Iterable[str]) -> str:
    """The names of JSON types as an alternative.

    >>> one_of_types(["integer", "null"])
    'integer or null'
    """
    return any_of(list(dict.fromkeys(names)))


def any_of(phrases: Sequence[str], more: int = 0) -> str:
    """Phrases as an alternative.

    >>> any_of(["an integer", "null"]), any_of(["1", "2", "3"], 4)
    ('an integer or null', '1, 2, 3 or 4 more')
    """
    phrases = [*phrases, f"{more} more"] if more > 0 else list(dict.fromkeys(phrases))
    if len(phrases) < 2:  # noqa: PLR2004 - an alternative has two sides
        return "".join(phrases)
    return f"{', '.join(phrases[:-1])} or {phrases[-1]}"


def join_within(phrases: Sequence[str], room: int = MAX_CHARS) -> str:
    """Phrases as an alternative, as many as the room takes and the number of the others.

    >>> join_within(["an integer", "an array of strings", "null"], 30)
    'an integer or 2 more'
    """
    kept = list(dict.fromkeys(phrases))
    total = len(kept)
    while len(kept) > 1 and len(any_of(kept, total - len(kept))) > room:
        kept.pop()
    return any_of(kept, total - len(kept))


def one_of(members: Sequence[Any]) -> str:
    """What an enum wants, as JSON text; the first that there is room for.

    >>> one_of(["C", "F"]), one_of([1])
    ('expected one of "C", "F"', 'expected 1')
    >>> one_of(range(40))
    'expected one of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, … (40 values)'
    """
    quoted, total = _fitting(members), len(members)
    if not quoted:
        return "expected no value"
    tail = f", … ({total} values)" if len(quoted) < total else ""
    return f"expected {'one of ' if total > 1 else ''}{', '.join(quoted)}{tail}"


def is_shown_whole(members: Sequence[Any]) -> bool:
    """Whether `one_of` has room for all members."""
    return len(_fitting(members)) == len(members)


def _fitting(members: Sequence[Any]) -> list[str]:
    quoted = list(map(quote, members[:MAX_MEMBERS]))
    while len(quoted) > 1 and len(", ".join(quoted)) > MAX_CHARS:
        quoted.pop()
    return quoted


def nearest_of(members: Sequence[Any], value: Any) -> str | None:
    """What a long enum wants of a text that is nearly a member; None where none is near.

    >>> nearest_of(["Zambia", "Zimbabwe"], "zambja")
    'did you mean Zambia? one of 2 values'
    """
    texts = (member for member in members if isinstance(member, str))
    if not isinstance(value, str) or len(value) <= SHORT:
        return None
    near = nearest(value, texts)
    return None if near is None else f"did you mean {cut(near)}? one of {len(members)} values"


def excluded(members: Sequence[Any]) -> str:
    """What `not` wants, where it forbids constants."""
    return one_of(members).replace("expected", "expected anything but", 1)


def counted(bound: str, count: float, noun: str) -> str:
    """A bound on how many there may be.

    >>> counted("at least", 1, "item"), counted("at most", 2.0, "key")
    ('expected at least 1 item', 'expected at most 2 keys')
    """
    plural = "" if count == 1 else "s"
    return f"expected {bound} {int(count)} {noun}{plural}"


def matching(pattern: str) -> str:
    """What a pattern wants; the shape of a format is called by its name."""
    return f"expected {WORDS.get(pattern) or f'text that matches {cut(pattern)}'}"


def number(limit: Any) -> str:
    """A bound as a model would write it.

    >>> number(0.0), number(0.5)
    ('0', '0.5')
    """
    return str(int(limit)) if int(limit) == limit else str(limit)


def quote(value: Any) -> str:
    """A constant as JSON text, cut where it is long."""
    return cut(jsontext.write(value))


def cut(text: str) -> str:
    """A text of the schema, as much of it as a message has room for."""
    return text if len(text) <= MAX_CHARS else f"{text[:MAX_CHARS]}..."
