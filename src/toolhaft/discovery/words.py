"""The words of a text, as the search compares them, and the stems of English words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

__all__ = ["read_words", "stem"]

# Longer texts are cut: the beginning of a query of a megabyte shows its subject.
_MOST_TEXT: Final = 20_000
_RUN: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-zß-öø-ÿ]+|[0-9]+|[^\W_A-Za-z0-9]+")
# From here on, Unicode has the scripts of East Asia, which are written without spaces.
_EAST_ASIA: Final = "\u2e80"
_SHORTEST: Final = 3
_ENDINGS: Final = ("ingly", "edly", "ing", "ed", "ly")
_VOWELS: Final = frozenset("aeiouy")
_DOUBLED: Final = frozenset("bdfgmnprt")


def read_words(text: str) -> list[str]:
    """Return the words of a text; names in camelCase and snake_case are split.

    >>> read_words("listOrders: the open_orders of an HTTPServer")
    ['list', 'orders', 'the', 'open', 'orders', 'of', 'an', 'http', 'server']
    """
    folded = unicodedata.normalize("NFKC", text[:_MOST_TEXT])
    return [word for run in _RUN.findall(folded) for word in _split(run.casefold())]


def _split(run: str) -> Iterator[str]:
    """Yield a run of letters as a word, or as pairs of letters if its script has no spaces."""
    if run[0] < _EAST_ASIA or len(run) == 1:
        yield run
    else:
        yield from (run[at : at + 2] for at in range(len(run) - 1))


def stem(word: str) -> str:
    """Return an English word without the ending of a plural or of a verb's form.

    >>> [stem(word) for word in ("cities", "orders", "planned", "listing", "create", "is")]
    ['city', 'order', 'plan', 'list', 'creat', 'is']
    """
    if len(word) <= _SHORTEST or not word.isascii():
        return word
    if word.endswith("ies") and len(word) > _SHORTEST + 1:
        word = f"{word[:-3]}y"
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    return _without_final_e(_without_ending(word))


def _without_ending(word: str) -> str:
    for ending in _ENDINGS:
        rest = word.removesuffix(ending)
        if rest != word and len(rest) >= _SHORTEST and not _VOWELS.isdisjoint(rest):
            doubled = rest[-1] == rest[-2] and rest[-1] in _DOUBLED
            return rest[:-1] if doubled else rest
    return word


def _without_final_e(word: str) -> str:
    return word.removesuffix("e") if len(word) > _SHORTEST else word
