"""Strings and numbers: keywords that the target takes stay, the others become hints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolhaft.lowering.keywords import FAMILIES
from toolhaft.lowering.nodes.context import LoweredNode, LoweringContext
from toolhaft.lowering.nodes.describe import hint
from toolhaft.schema.document.kinds import names_of

__all__ = ["carry_keywords", "lower_number", "lower_string"]


def carry_keywords(
    context: LoweringContext, body: Mapping[str, Any], at: str, keywords: frozenset[str]
) -> dict[str, Any]:
    """Carry the keywords of one family: as they are, or as hints."""
    wire = {}
    for keyword, value in body.items():
        if keyword not in keywords:
            continue
        if context.dialect.takes(keyword, value):
            wire[keyword] = value
        elif value is not False:
            hint(context, at, keyword, value)
    return wire


def lower_string(context: LoweringContext, body: Mapping[str, Any], at: str) -> LoweredNode:
    """Lower a node of kind string."""
    return LoweredNode(carry_keywords(context, body, at, FAMILIES["string"]))


def lower_number(context: LoweringContext, body: Mapping[str, Any], at: str) -> LoweredNode:
    """Lower a node of kind number or integer; exclusive limits take the target's form."""
    whole = names_of(body) == ("integer",)
    limits = dict(body)
    for suffix, direction in (("Minimum", 1), ("Maximum", -1)):
        _convert_exclusive_limit(
            context, limits, f"exclusive{suffix}", suffix.lower(), direction, whole
        )
    return LoweredNode(carry_keywords(context, limits, at, FAMILIES["number"]))


def _convert_exclusive_limit(
    context: LoweringContext,
    limits: dict[str, Any],
    exclusive_keyword: str,
    inclusive_keyword: str,
    direction: int,
    whole: bool,
) -> None:
    """Convert an exclusive limit: `exclusiveMinimum: 3` is `minimum: 4` for integers."""
    bound = limits.get(exclusive_keyword)
    if bound is None or (
        _is_own_number(context) and context.dialect.takes(exclusive_keyword, bound)
    ):
        return
    inclusive = limits.get(inclusive_keyword)
    stricter = inclusive is None or direction * bound >= direction * inclusive
    if not stricter:
        del limits[exclusive_keyword]
    elif _is_own_number(context) is False:
        limits.update({inclusive_keyword: bound, exclusive_keyword: True})
    elif whole and bound == int(bound) and context.dialect.takes(inclusive_keyword, bound):
        del limits[exclusive_keyword]
        limits[inclusive_keyword] = int(bound) + direction


def _is_own_number(context: LoweringContext) -> bool:
    """Return whether an exclusive limit is a number by itself, as since draft-06."""
    return bool(context.trait("exclusive limits") == "number")
