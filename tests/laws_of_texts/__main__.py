"""The law of tools of one text at full size: `python -m tests.laws_of_texts`.

Options: [--expressions N] to draw beside those written by hand, [--start N].
"""

from __future__ import annotations

import argparse
import sys

from tests.laws_of_texts.law import BY_HAND, check_by_hand, check_drawn

__all__ = ["main"]


def main() -> None:
    """Check every expression; the first other verdict is an error with the text."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--expressions", type=int, default=1_000)
    parser.add_argument("--start", type=int, default=0)
    options = parser.parse_args()
    known = sum(map(check_by_hand, BY_HAND))
    seeds = range(options.start, options.start + options.expressions)
    drawn = sum(map(check_drawn, seeds))
    sys.stdout.write(
        f"{len(BY_HAND)} expressions written by hand, {known} texts; {len(seeds)} drawn, "
        f"{drawn} texts: the same verdicts on every target\n"
    )


if __name__ == "__main__":
    main()
