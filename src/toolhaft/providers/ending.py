"""The end of a response: why the model stopped, and its usage."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal, NamedTuple, TypeAlias

from toolhaft.providers.response import Part

__all__ = ["Ending", "StopReason", "Usage", "count_of", "sum_usage"]

# `paused`: the provider wants its turn back and goes on with it.
StopReason: TypeAlias = Literal["done", "paused", "length", "refusal", "failed"]


class Ending(NamedTuple):
    """Why a model stopped, and the provider's own name for it where the reason is not `done`."""

    reason: StopReason
    detail: str | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """The tokens of one or several requests; None for what the provider does not report.

    Attributes:
        input: All tokens that were sent, including cached ones.
        output: All tokens that the model generated, including its reasoning.
        cached: The tokens of the input that were read from a cache.
        reasoning: The tokens of the output that are reasoning.

    >>> usage = Usage(input=120, output=30, cached=100)
    >>> usage.total, usage + Usage(input=200, output=5)
    (150, Usage(input=320, output=35, cached=100, reasoning=None))
    """

    input: int | None = None
    output: int | None = None
    cached: int | None = None
    reasoning: int | None = None

    @property
    def total(self) -> int:
        """All tokens that were sent and generated."""
        return (self.input or 0) + (self.output or 0)

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            **{
                field.name: _sum(getattr(self, field.name), getattr(other, field.name))
                for field in fields(self)
            }
        )


def sum_usage(first: Usage | None, second: Usage | None) -> Usage | None:
    """Add the usage of two requests; None where neither reports any."""
    if first is None or second is None:
        return second if first is None else first
    return first + second


def count_of(part: Part | None, *keys: str) -> int | None:
    """Return the sum of counts in a part of a response; None if it has none of them."""
    counts = [] if part is None else [part.get(key) for key in keys]
    # Cohere's SDK has floats.
    known = [int(count) for count in counts if type(count) in (int, float)]
    return sum(known) if known else None


def _sum(first: int | None, second: int | None) -> int | None:
    return second if first is None else first + (second or 0)
