"""The primitives and their twins at full size: `python -m tests.native [--values N] [--seed S]`."""

from __future__ import annotations

import argparse
import sys
from collections import Counter

from tests.native.agreement import compare
from toolhaft.jsonio.primitives import native

SLICE = 100_000


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--values", type=int, default=10_000_000)
    parser.add_argument("--seed", default="1")
    options = parser.parse_args()
    if not native:
        sys.exit("the primitives in C are not there: run make setup where there is a compiler")
    counts: Counter[str] = Counter()
    for start in range(0, options.values, SLICE):
        count = min(SLICE, options.values - start)
        differences = compare(count, f"{options.seed}/{start}", counts)
        sys.stdout.writelines(f"{difference}\n" for difference in differences)
        if differences:
            return 1
        sys.stdout.write(f"{', '.join(f'{count:,} {what}' for what, count in counts.items())}\n")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
