"""The words of an issue: what was expected, never what came."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from toolhaft.jsonio import jsontext
from toolhaft.schema.format_patterns import WORDS

__all__ = ["counted", "excluded", "matching", "one_of", "one_of_types"]

MAX_MEMBERS = 10
MAX_CHARS = 60


def one_of_types(names: Iterable[str]) -> str:
    """The names of JSON types as an alternative.

    >>> one_of_types(["integer", "null"])
    'integer or null'
    """
    return " or ".join(dict.fromkeys(names))


def one_of(members: Sequence[Any]) -> str:
    """What an enum wants, as JSON text; the first ten.

    >>> one_of(["C", "F"]), one_of([1])
    ('expected one of "C", "F"', 'expected 1')
    """
    shown = [_json(member) for member in members[:MAX_MEMBERS]]
    if len(members) > MAX_MEMBERS:
        shown.append("...")
    if not shown:
        return "expected no value"
    return f"expected {'one of ' if len(shown) > 1 else ''}{', '.join(shown)}"


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
    return f"expected {WORDS.get(pattern) or f'text that matches {_cut(pattern)}'}"


def _json(value: Any) -> str:
    return _cut(jsontext.write(value))


def _cut(text: str) -> str:
    return text if len(text) <= MAX_CHARS else f"{text[:MAX_CHARS]}..."
