"""The laws of deferred tools at full size: `python -m tests.laws_of_search`.

Options: [--catalogues N] for the scope of searches, [--conversations N] for each target, [--start
N] for a slice.
"""

from __future__ import annotations

import argparse
import logging
import sys

from tests.laws_of_search.law import TARGETS, check_conversation, check_scope

__all__ = ["main"]


def main() -> None:
    """Check every law; the first violation is an error with its seed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--catalogues", type=int, default=10_000)
    parser.add_argument("--conversations", type=int, default=1_000)
    parser.add_argument("--start", type=int, default=0)
    options = parser.parse_args()
    logging.disable()
    for seed in range(options.start, options.start + options.catalogues):
        check_scope(seed)
    sys.stdout.write(f"{options.catalogues} catalogues: nothing found that a caller may not see\n")
    for wire in TARGETS:
        seeds = range(options.start, options.start + options.conversations)
        calls = sum(check_conversation(seed, wire) for seed in seeds)
        sys.stdout.write(f"{' '.join(wire):22} {len(seeds)} conversations, {calls} calls\n")


if __name__ == "__main__":
    main()
