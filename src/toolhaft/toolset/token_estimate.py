"""About how many tokens the declarations of a toolset take at a target, without its tokenizer.

The weights were fitted on 2026-11-28 to OpenAI's encoding o200k_base, on half of 2,110 recorded
tools as compact JSON. `bench/tokens.py` states the error on the other half.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from toolhaft.jsonio import jsontext
from toolhaft.toolset.internals import entries_of
from toolhaft.toolset.wire import Wire

__all__ = ["TokenEstimate", "estimate_tokens", "estimate_wire"]

_WORD: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_NUMBER: Final = re.compile(r"[0-9]+")
_MARKS: Final = re.compile(r"[!-/:-@\[-`{-~]+")
_FOREIGN: Final = re.compile(r"[^\x00-\x7f]")
# Beyond these lengths, a word and a run of marks are more than one token.
_LONG_WORD: Final = 7
_LONG_MARKS: Final = 3
_DIGITS: Final = 3


def estimate_tokens(text: str) -> int:
    """Estimate the tokens of a text.

    >>> estimate_tokens('{"name":"get_weather","description":"Current weather for a city."}')
    14
    """
    words, marks = _WORD.findall(text), _MARKS.findall(text)
    count = 1.0 * len(words)
    count += 0.06 * sum(len(word) - _LONG_WORD for word in words if len(word) > _LONG_WORD)
    count += 1.35 * sum(-(-len(digits) // _DIGITS) for digits in _NUMBER.findall(text))
    count += 0.84 * len(marks)
    count += 0.43 * sum(len(run) - _LONG_MARKS for run in marks if len(run) > _LONG_MARKS)
    count += 0.70 * len(_FOREIGN.findall(text))
    return round(count)


@dataclass(frozen=True, slots=True)
class TokenEstimate:
    """About how many tokens the declarations of tools take.

    Attributes:
        tools: The tokens of each tool that is sent with every request.
        deferred: The tokens of each tool that is sent once a search has found it.
        groups: The tokens of the name and the description of each group that a target has.
    """

    tools: Mapping[str, int]
    deferred: Mapping[str, int]
    groups: Mapping[str, int]

    @property
    def total(self) -> int:
        """The tokens of every request, before a search."""
        return sum(self.tools.values()) + sum(self.groups.values())

    @property
    def total_deferred(self) -> int:
        """The tokens that requests save as long as nothing is found."""
        return sum(self.deferred.values())


def estimate_wire(wire: Wire) -> TokenEstimate:
    """Estimate the tokens of the declarations of an export."""
    tools: dict[str, int] = {}
    deferred: dict[str, int] = {}
    entries, defers = entries_of(wire)
    for entry in entries:
        count = estimate_tokens(jsontext.write(entry.declaration))
        (deferred if entry.tool.defer and defers else tools)[entry.tool.name] = count
    groups = {
        each["name"]: estimate_tokens(f"{each['name']}: {each['description']}")
        for each in wire.tools
        if isinstance(each, dict) and each.get("type") == "namespace"
    }
    return TokenEstimate(*map(MappingProxyType, (tools, deferred, groups)))
