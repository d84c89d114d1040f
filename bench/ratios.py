"""Print what a call costs, as a ratio to the floor of its library, measured in one process.

    python bench/ratios.py [--only PATTERN] [--quick] [--shapes] [--seed N] [--write | --guard]

Every guarantee is on. A row stands for a named workload, or for several drawn tools (generated.py):
then the ratio is the median over the shapes, and the worst shape stands beside it. `limits.json`
has what a ratio may be at most; `!` marks what is over, and what does not do what the row wants.
`--quick` takes few rounds and shapes, for a look. `--seed` draws other shapes, and `--shapes` shows
them with their ratios. `--write` puts the table into bench/README.md and bench/ratios.json, and
some rows (`--only`) into the latter alone; `--guard` fails where a ratio is more than 15 % above
the one written there.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Final

import table
from call_options import option_rows
from definitions import definition_rows
from drawn import drawn_rows
from named import named_rows
from rows import Measured, Row
from seldom import seldom_rows
from wrong_calls import wrong_rows

from toolhaft.jsonio.primitives import native

WRITTEN: Final = Path(__file__).parent / "ratios.json"
TOLERANCE: Final = 1.15
TRIES: Final = 3
SEED: Final = "1"
ROUNDS, SHAPES = 101, 9
QUICK_ROUNDS, QUICK_SHAPES = 5, 5


def rows(seed: str, shapes: int) -> Iterator[Row]:
    """Every row of the table."""
    yield from named_rows()
    yield from drawn_rows(seed, shapes)
    yield from seldom_rows(seed)
    yield from wrong_rows()
    yield from option_rows()
    yield from definition_rows(seed)


def main() -> int:
    """Measure and print; exit code 1 where a ratio is worse than the written one."""
    given = _arguments()
    if (given.guard or given.write) and not native:
        sys.exit("bench/ratios.json is of the primitives in C, and they are not in use")
    written = json.loads(WRITTEN.read_text()) if given.guard else {}
    measured: dict[str, Measured] = {}
    worse = []
    table.print_header()
    rounds = given.rounds or (QUICK_ROUNDS if given.quick else ROUNDS)
    for row in rows(given.seed, QUICK_SHAPES if given.quick else SHAPES):
        if _is_asked_for(row.key, given.only) and (not given.guard or row.key in written):
            found = measured[row.key] = _steadied(row, rounds, written.get(row.key))
            table.print_row(row.key, found, shapes=given.shapes)
            worse += [row.key] if _is_worse(found, written.get(row.key)) else []
    table.print_summary(measured)
    if given.write:
        _write(measured, table_too=not given.only)
    if worse:
        sys.stdout.write(f"more than 15 % above bench/ratios.json: {', '.join(worse)}\n")
    return int(bool(worse))


def _write(measured: dict[str, Measured], *, table_too: bool) -> None:
    """Write the ratios that were measured among the others, and the table if it is whole."""
    ratios = json.loads(WRITTEN.read_text()) | table.medians(measured)
    WRITTEN.write_text(json.dumps(ratios, indent=1) + "\n")
    if table_too:
        table.write(measured)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="what a call costs")
    parser.add_argument("--quick", action="store_true", help="few rounds and shapes, for a look")
    parser.add_argument("--rounds", type=int, help=f"{ROUNDS}, or {QUICK_ROUNDS} if quick")
    parser.add_argument("--only", default="", help="words or a pattern of rows' names")
    parser.add_argument("--seed", default=SEED, help="draw other shapes")
    parser.add_argument("--shapes", action="store_true", help="print each shape's ratio")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--write", action="store_true", help="write the table down")
    what.add_argument("--guard", action="store_true", help="compare with the written table")
    return parser.parse_args()


def _is_asked_for(key: str, words: str) -> bool:
    return words in key or fnmatch(key, words)


def _is_worse(found: Measured, written: float | None) -> bool:
    if written is None:
        return False
    return found.ratio is None or found.ratio.median > written * TOLERANCE


def _steadied(row: Row, rounds: int, written: float | None) -> Measured:
    """Measure; a row that seems worse twice more, for a busy machine is no regression."""
    found = [row.measure(rounds)]
    while len(found) < TRIES and _is_worse(found[-1], written):
        found.append(row.measure(rounds))
    return min(found, key=lambda one: one.ratio.median if one.ratio else float("inf"))


if __name__ == "__main__":
    raise SystemExit(main())
