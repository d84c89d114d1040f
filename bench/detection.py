"""Measure in microseconds how long finding a type's library takes: at first, and again.

    python bench/detection.py

The goal is under 5 µs. The first answer for a class walks its fields, if it is a dataclass or a
TypedDict; the first for an annotation walks everything inside. Both are remembered.
"""

from __future__ import annotations

import dataclasses
from timeit import repeat
from typing import Annotated, Any, NamedTuple

import attrs
import msgspec
from pydantic import BaseModel, TypeAdapter
from typing_extensions import TypedDict

from toolhaft import vendors

ROUNDS, COUNT = 7, 2_000


class Model(BaseModel):
    """A pydantic model."""

    n: int


class Struct(msgspec.Struct):
    """A msgspec Struct."""

    n: int


@dataclasses.dataclass
class Plain:
    """A dataclass."""

    n: int


class Keys(TypedDict):
    """A TypedDict."""

    n: int


class Pair(NamedTuple):
    """A NamedTuple."""

    n: int


@attrs.define
class Attrs:
    """An attrs class."""

    n: int


KINDS: dict[str, Any] = {
    "pydantic model": Model,
    "TypeAdapter": TypeAdapter(int),
    "msgspec Struct": Struct,
    "attrs class": Attrs,
    "dataclass": Plain,
    "TypedDict": Keys,
    "NamedTuple": Pair,
    "builtin": int,
    "list of a builtin": list[int],
    "optional model": Model | None,
    "annotated": Annotated[int, "note"],
    "map of lists of unions": dict[str, list[Plain | Keys]],
    "schema object": vendors.adapt(int),
}


def cost(work: Any, tp: Any) -> float:
    """The least that one call took, over some rounds, in microseconds."""
    return min(repeat(lambda: work(tp), number=COUNT, repeat=ROUNDS)) / COUNT * 1e6


def main() -> None:
    """Print a line for each kind."""
    print(f"{'':24}{'first':>8}{'again':>8}")
    for name, tp in KINDS.items():
        first, again = cost(vendors.find_owner_uncached, tp), cost(vendors.find_owner, tp)
        print(f"{name:24}{first:8.2f}{again:8.2f}")


if __name__ == "__main__":
    main()
