"""The agreement audit of every vendor at full size: `python -m tests.vendors.agreement`.

Options: [--values N] for each shape, [--seed S], [--vendor V], [--samples].
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter

from tests.vendors.shaped import LACKS, NAMES, VENDORS, shape
from toolhaft.review.agreement import Agreement
from toolhaft.testing import agreement

__all__ = ["audits", "counted"]


def audits(vendor: str, values: int, seed: int) -> list[Agreement]:
    """One audit for each shape that a vendor has."""
    names = [name for name in NAMES if (vendor, name) not in LACKS]
    return [agreement(shape(vendor, name), values=values, seed=seed) for name in names]


def counted(found: list[Agreement]) -> Counter[str]:
    """How often each kind of disagreement was seen."""
    counts: Counter[str] = Counter()
    for audit in found:
        for one in audit.disagreements:
            counts[one.kind] += one.times
    return counts


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--values", type=int, default=250)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--vendor", choices=VENDORS)
    parser.add_argument("--samples", action="store_true")
    options = parser.parse_args()
    say(f"{'vendor':18} shapes values changes refused accepted crashed widened loose formats")
    broken = False
    for vendor in [options.vendor] if options.vendor else VENDORS:
        found = audits(vendor, options.values, options.seed)
        broken |= not all(found)
        say(line(vendor, found))
        if options.samples:
            for audit in found:
                for one in audit.disagreements:
                    say(f"    {one}, {one.times} times: {str(one.value)[:300]}")
    return int(broken)


def line(vendor: str, found: list[Agreement]) -> str:
    """One line of figures."""
    counts = counted(found)
    loose = sorted({place for audit in found for place in audit.loose})
    return (
        f"{vendor:18} {len(found):6} {sum(one.values for one in found):6} "
        f"{sum(one.mutations for one in found):7} {counts['refused']:7} {counts['accepted']:8} "
        f"{counts['crashed']:7} {sum(len(one.widened) for one in found):7} {' '.join(loose)}"
    )


def say(text: str) -> None:
    print(text, flush=True)  # noqa: T201 - the command's output


if __name__ == "__main__":
    sys.exit(main())
