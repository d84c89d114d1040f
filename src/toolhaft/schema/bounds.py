"""How large a definition may be: the numbers alone, which a program reads before any schema."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["DefinitionLimits"]


class DefinitionLimits(NamedTuple):
    """How large a definition may be; the defaults are far above what real tools need.

    Of 4,300 real tools, the largest has 21 levels, 1,541 values and 22 patterns.

    Args:
        max_depth: Levels of JSON values in a schema.
        max_nodes: JSON values in a schema.
        max_properties: Properties of an object.
        max_enum: Values of an enum.
        max_text: Characters of a text in a schema.
        max_description: Characters of a description.
        max_pattern: Characters of a pattern.
        max_patterns: Different patterns; checking one may take 10 ms.
        max_expanded: Schemas after every reference that does not recurse is written out.
        max_ambiguity: Branches of a recursive union that may apply to the same part of a value.

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
