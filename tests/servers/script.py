"""The answers of a scripted model, in neutral terms: a list of turns, each of calls or of words."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

__all__ = ["Call", "Refused", "Turn", "only", "pieces"]


class Call(NamedTuple):
    """One call as the model writes it."""

    id: str
    name: str
    arguments: dict[str, Any]

    @property
    def text(self) -> str:
        return json.dumps(self.arguments)


class Turn(NamedTuple):
    """One response of the model.

    `cut` ends a stream of it in the middle; `paused` is a provider that works on by itself. `used`
    has the tokens of the request: input, output, and of these cached and reasoning ones.
    """

    calls: tuple[Call, ...] = ()
    text: str = ""
    cut: bool = False
    paused: bool = False
    used: tuple[int, int, int, int] = (1, 1, 0, 0)


class Refused(Exception):
    """The request is one that the real server answers with 400, in about these words."""


def only(where: str, data: Mapping[str, Any], keys: str) -> None:
    """Refuse fields that the API does not have."""
    for key in data.keys() - set(keys.split()):
        raise Refused(f"{where}.{key}: Extra inputs are not permitted")


def pieces(text: str) -> list[str]:
    """Text as a stream brings it: in three uneven pieces, split within words."""
    third = max(1, len(text) // 3)
    return [one for one in (text[:third], text[third : third + 1], text[third + 1 :]) if one]
