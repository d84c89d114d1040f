"""How large a definition may be: the numbers alone, which a program reads before any schema."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["DefinitionLimits"]


class DefinitionLimits(NamedTuple):
    """Bounds of a definition; the defaults are far above the most that 4,300 real ones need.

    Lengths are in characters. `max_depth` and `max_nodes` count JSON values (those real ones have
    at most 21 levels and 1,541 values), `max_patterns` different ones (22; to try one may take
    10 ms), `max_expanded` schemas once every reference that does not recurse is written out, and
    `max_ambiguity` the forms of a recursive union that may apply to the same part of a value.

    >>> DefinitionLimits(max_properties=100)._replace(max_enum=50)[2:4]
    (100, 50)
    """

    max_depth: int = 100
    max_nodes: int = 20_000
    max_properties: int = 1_000
    max_enum: int = 5_000
    max_text: int = 1 << 20
    max_description: int = 16_384
    max_pattern: int = 4_096
    max_patterns: int = 64
    max_expanded: int = 100_000
    max_ambiguity: int = 1
