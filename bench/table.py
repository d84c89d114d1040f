"""The table of ratios: printed row by row, and written into bench/README.md."""

from __future__ import annotations

import json
import platform
import sys
import time
from collections.abc import Mapping
from fnmatch import fnmatch
from pathlib import Path
from typing import Final

from rows import Measured

from toolhaft.jsonio.primitives import native

__all__ = ["medians", "print_header", "print_row", "print_summary", "write"]

HERE: Final = Path(__file__).parent
README: Final = HERE / "README.md"
PRIMITIVES: Final = "native" if native else "pure"
# The first pattern that fits a row's name has the most that its ratio may be; null: no limit.
LIMITS: Final[dict[str, float | None]] = json.loads((HERE / "limits.json").read_text())[PRIMITIVES]
HEAD: Final = (
    "| tool | workload | ratio | at most | middle half | worst shape | no text | floor, µs |"
)


def limit_of(key: str) -> float | None:
    """The most that a row's ratio may be."""
    return next((most for pattern, most in LIMITS.items() if fnmatch(key, pattern)), None)


def is_over(key: str, found: Measured) -> bool:
    """Whether a row is above its limit, or does not do what it is there to measure."""
    limit = limit_of(key)
    if found.failures or found.ratio is None:
        return True
    return limit is not None and found.ratio.median > limit


def print_header() -> None:
    """Print what the columns are."""
    names = f"{'':52}{'ratio':>7}{'at most':>9}   {'middle half':16}{'worst':>7}{'no text':>9}"
    sys.stdout.write(f"{names}{'floor, us':>11}\n")


def print_row(key: str, found: Measured, *, shapes: bool) -> None:
    """Print a row, what went wrong in it, and its shapes if they are wanted."""
    limit = limit_of(key)
    most = "-" if limit is None else f"{limit:g}"
    over = "!" if is_over(key, found) else " "
    if found.ratio is not None:
        median, low, high, floor_us, worst, textless = found.ratio
        spread = f"{low:.2f} to {high:.2f}"
        line = f"{median:7.2f}{most:>9} {over} {spread:16}{_cell(worst):>7}{_cell(textless):>9}"
        sys.stdout.write(f"{key:52}{line}{floor_us:11.2f}\n")
    else:
        sys.stdout.write(f"{key:52}{'-':>7}{most:>9} {over}\n")
    for line in (*found.failures, *(found.shapes if shapes else ())):
        sys.stdout.write(f"    {line}\n")
    sys.stdout.flush()


def print_summary(measured: Mapping[str, Measured]) -> None:
    """Print how many rows are over, and how many drawn tools did not do what they should."""
    over = sum(is_over(key, found) for key, found in measured.items())
    failed = sum(len(found.failures) for found in measured.values())
    sys.stdout.write(f"{len(measured)} rows, {over} over; {failed} drawn tools failed\n")


def _cell(figure: float | None) -> str:
    return "" if figure is None else f"{figure:.2f}"


def medians(measured: Mapping[str, Measured]) -> dict[str, float]:
    """Return the figures that `--guard` compares."""
    return {key: round(one.ratio.median, 2) for key, one in measured.items() if one.ratio}


def write(measured: Mapping[str, Measured]) -> None:
    """Write the table into bench/README.md."""
    before, mark, rest = README.read_text().partition("<!-- table -->\n")
    _, end, after = rest.partition("<!-- end of table -->\n")
    lines = [
        f"Measured on {time.strftime('%Y-%m-%d')} by `python bench/ratios.py --write`,",
        f"CPython {platform.python_version()}, {PRIMITIVES}; what is over its limit is in bold.\n",
        HEAD,
        "|---|---|---:|---:|---|---:|---:|---:|",
        *(_line(key, found) for key, found in measured.items()),
    ]
    README.write_text(before + mark + "\n".join(lines) + "\n" + end + after)


def _line(key: str, found: Measured) -> str:
    form, _, workload = key.partition(": ")
    limit = limit_of(key)
    most = "" if limit is None else f"{limit:g}"
    if found.ratio is None:
        return f"| {form} | {workload} | **does not run** | {most} | | | | |"
    median, low, high, floor_us, worst, textless = found.ratio
    ratio = f"**{median:.2f}**" if is_over(key, found) else f"{median:.2f}"
    spread = f"{low:.2f} to {high:.2f}"
    return (
        f"| {form} | {workload} | {ratio} | {most} | {spread} "
        f"| {_cell(worst)} | {_cell(textless)} | {floor_us:.2f} |"
    )
