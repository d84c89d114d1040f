"""Text and numbers: keywords that the target takes stay, the others go into the description."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolhaft.lowering.keywords import FAMILIES
from toolhaft.lowering.kinds import type_names
from toolhaft.lowering.nodes.context import LoweredNode, LoweringContext
from toolhaft.lowering.nodes.describe import hint

__all__ = ["carry", "lower_number", "lower_string"]


def carry(
    run: LoweringContext, body: Mapping[str, Any], at: str, keywords: frozenset[str]
) -> dict[str, Any]:
    """The keywords of one family: as they are, or in words."""
    wire = {}
    for keyword, value in body.items():
        if keyword not in keywords:
            continue
        if run.dialect.takes(keyword, value):
            wire[keyword] = value
        elif value is not False:
            hint(run, at, keyword, value)
    return wire


def lower_string(run: LoweringContext, body: Mapping[str, Any], at: str) -> LoweredNode:
    """A node of kind string."""
    return LoweredNode(carry(run, body, at, FAMILIES["string"]))


def lower_number(run: LoweringContext, body: Mapping[str, Any], at: str) -> LoweredNode:
    """A node of kind number or integer; open limits in the target's own way."""
    whole = type_names(body) == ["integer"]
    limits = dict(body)
    for way, towards in (("Minimum", 1), ("Maximum", -1)):
        _limit(run, limits, f"exclusive{way}", way.lower(), towards, whole)
    return LoweredNode(carry(run, limits, at, FAMILIES["number"]))


def _limit(
    run: LoweringContext,
    limits: dict[str, Any],
    open_word: str,
    word: str,
    towards: int,
    whole: bool,
) -> None:
    """An open limit: `exclusiveMinimum: 3` is `minimum: 4` for integers."""
    bound = limits.get(open_word)
    if bound is None or (_own_number(run) and run.dialect.takes(open_word, bound)):
        return
    closed = limits.get(word)
    stricter = closed is None or towards * bound >= towards * closed
    if not stricter:
        del limits[open_word]
    elif _own_number(run) is False:
        limits.update({word: bound, open_word: True})
    elif whole and bound == int(bound) and run.dialect.takes(word, bound):
        del limits[open_word]
        limits[word] = int(bound) + towards


def _own_number(run: LoweringContext) -> bool:
    """Whether an open limit is a number of its own, as since draft-06."""
    return bool(run.trait("exclusive limits") == "number")
