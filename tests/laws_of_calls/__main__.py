"""The laws of calls at full size: `python -m tests.laws_of_calls`.

Options: [--types N] for each vendor, [--vendor V], [--seed S], [--start N] for a slice, [--values
N] for each type, [--brief] for the figures alone. For each broken law, the violation with the
shortest source is printed, with the options to make it again.
"""

from __future__ import annotations

import argparse
import logging
import sys

from tests.laws_of_calls.draw import VENDORS
from tests.laws_of_calls.runner import run
from tests.laws_of_calls.tally import Tally

__all__ = ["main"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--types", type=int, default=2000)
    parser.add_argument("--values", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--vendor", choices=VENDORS)
    parser.add_argument("--brief", action="store_true")
    options = parser.parse_args()
    logging.disable()  # what handlers and callbacks raise is in the outcome
    say(f"{'vendor':20} types usable transforming values accepted checks violations")
    broken = 0
    for vendor in [options.vendor] if options.vendor else VENDORS:
        tally = run(vendor, options.types, options.values, options.seed, options.start)
        broken += tally.broken.total()
        say(*lines(tally))
        if not options.brief:
            say(*map(str, tally.samples.values()))
    return int(broken > 0)


def lines(tally: Tally) -> list[str]:
    """Return the figures of a vendor: one line, and one for each law and kind of error."""
    first = (
        f"{tally.vendor:20} {tally.types:5} {tally.usable:6} {tally.transforming:12} "
        f"{tally.values:6} {tally.accepted:8} {tally.checks.total():6} {tally.broken.total():10}"
    )
    laws = [
        f"    {count:6} of {tally.checks[law]:7} in {len(tally.types_broken[law]):4} types: {law}; "
        f"first in type {min(tally.types_broken[law])}"
        for law, count in tally.broken.most_common()
    ]
    refusals = [
        f"    {count:6} refused by the contract: {why}" for why, count in tally.refusals.items()
    ]
    return [first, *laws, *refusals]


def say(*texts: str) -> None:
    print(*texts, sep="\n", flush=True)  # noqa: T201 - the command's output


if __name__ == "__main__":
    sys.exit(main())
