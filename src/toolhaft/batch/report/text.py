"""A report in a few lines, for the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolhaft.definition import names

__all__ = ["to_text"]

MOST_LINES = 12


def to_text(report: Mapping[str, Any]) -> str:
    """Write the shares of each run, and of its models and rules."""
    return "\n".join(_lines(report))


def _lines(report: Mapping[str, Any]) -> Iterator[str]:
    for run in report["runs"]:
        yield _line(run["name"] or "all", run["all"])
        for plural in ("models", "rules"):
            groups = run[plural]
            if groups:
                yield f"  {plural}"
                yield from (f"    {_line(group['name'], group)}" for group in groups[:MOST_LINES])
            if len(groups) > MOST_LINES:
                yield f"    and {len(groups) - MOST_LINES} more"
    for change in report["changes"][:1]:
        interval = f"{change['low']:+.1%} to {change['high']:+.1%}"
        yield f"change  {change['gain']:+.1%} accepted ({interval})"


def _line(name: str, group: Mapping[str, Any]) -> str:
    right = group["right"]
    judged = f"  right {_share(right)}" if right else ""
    shown = names.escape_text(name, 48)
    return f"{shown:<48} {group['calls']:>9,}  accepted {_share(group['accepted'])}{judged}"


def _share(share: Mapping[str, Any]) -> str:
    return f"{share['share']:6.1%} ({share['low']:.1%} to {share['high']:.1%})"
