"""Says how many mutants the tests kill, folder by folder, and which survive for which reason."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from tests.mutation.tree import FOLDERS

__all__ = ["interval", "report"]

# For each survivor that stays: its path, its change, and why no test is to notice it.
REASONS: Final = Path(__file__).with_name("survivors.toml")
HEADER: Final = (
    "| folder | mutants | killed | of these by a timeout | killed, % | 95 % interval |",
    "|---|---|---|---|---|---|",
)
DEVIATIONS: Final = 1.96


def report(mutants: list[dict[str, Any]], results: dict[int, dict[str, Any]]) -> Iterator[str]:
    """Yield the lines of the table, and each survivor with its reason."""
    ends = {
        mutant["number"]: results[mutant["number"]]["end"]
        for mutant in mutants
        if mutant["number"] in results
    }
    yield from HEADER
    for folder in FOLDERS:
        yield _row(
            folder,
            [
                ends[one["number"]]
                for one in mutants
                if one["number"] in ends and one["path"].startswith(f"toolhaft/{folder}/")
            ],
        )
    yield _row("all", list(ends.values()))
    seconds = sum(result["seconds"] for result in results.values())
    yield f"{seconds / max(1, len(results)):.1f} s of processor time for a mutant"
    reasons = _reasons()
    for mutant in mutants:
        if ends.get(mutant["number"]) == "survived":
            change = "\n".join(mutant["change"])
            reason = reasons.get((mutant["path"], change), "no reason yet")
            yield f"\n{mutant['number']} {mutant['path']}:{mutant['line']}: {reason}\n{change}"


def interval(killed: int, tried: int) -> tuple[float, float]:
    """Return Wilson's interval of a share."""
    share, square = killed / tried, DEVIATIONS**2
    middle = share + square / (2 * tried)
    half = DEVIATIONS * math.sqrt(share * (1 - share) / tried + square / (4 * tried**2))
    return (middle - half) / (1 + square / tried), (middle + half) / (1 + square / tried)


def _row(name: str, ends: list[str]) -> str:
    tried, survived, late = len(ends), ends.count("survived"), ends.count("timeout")
    if not tried:
        return f"| {name} | 0 | | | | |"
    killed = tried - survived
    low, high = interval(killed, tried)
    share = f"{killed / tried:.1%} | {low:.1%} to {high:.1%}".replace("%", "")
    return f"| {name} | {tried} | {killed} | {late} | {share} |"


def _reasons() -> dict[tuple[str, str], str]:
    survivors = tomllib.loads(REASONS.read_text(encoding="utf-8")).get("survivor", [])
    return {(one["path"], one["change"].strip("\n")): one["reason"] for one in survivors}
