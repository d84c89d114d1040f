"""The hiding law at full size: `python -m tests.laws_of_hiding`.

Options: [--tools N] for each vendor, [--vendor V], [--seed S], [--start N] for a slice, [--values
N] for each tool. For each broken law, the violation with the shortest source is printed, with the
options to make it again.
"""

from __future__ import annotations

import argparse
import logging
import sys

from tests.laws_of_hiding.law import run
from tests.laws_of_hiding.writing import VENDORS

__all__ = ["main"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tools", type=int, default=100)
    parser.add_argument("--values", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--vendor", choices=VENDORS)
    options = parser.parse_args()
    logging.disable()
    say(f"{'vendor':20} tools usable  calls accepted checks violations")
    broken = 0
    for vendor in [options.vendor] if options.vendor else VENDORS:
        tally = run(vendor, options.tools, options.values, options.seed, options.start)
        broken += tally.broken.total()
        say(
            f"{vendor:20} {tally.types:5} {tally.usable:6} {tally.values:6} {tally.accepted:8} "
            f"{tally.checks.total():6} {tally.broken.total():10}"
        )
        say(*(f"    {count} of {tally.checks[law]}: {law}" for law, count in tally.broken.items()))
        say(*map(str, tally.samples.values()))
    return int(broken > 0)


def say(*texts: str) -> None:
    print(*texts, sep="\n", flush=True)  # noqa: T201 - the command's output


if __name__ == "__main__":
    sys.exit(main())
