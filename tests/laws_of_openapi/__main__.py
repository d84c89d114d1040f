"""The laws at full size: `python -m tests.laws_of_openapi`."""

from __future__ import annotations

import argparse
import sys

from tests.laws_of_openapi.law import arrivals, attempts


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--calls", type=int, default=2_000)
    parser.add_argument("--attempts", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    wrong = arrivals(options.calls, options.seed)
    for line in wrong[:20]:
        say(line[:2_000])
    say(f"{options.calls} right calls: {len(wrong)} did not arrive as they were meant")
    counts = attempts(options.attempts, options.seed)
    for what, count in counts.most_common():
        say(f"{count} attempts: {what[:2_000]}")
    return bool(wrong or counts.keys() - {"refused", "arrived as data"})


def say(text: str) -> None:
    print(text, flush=True)  # noqa: T201 - the command's output


if __name__ == "__main__":
    sys.exit(main())
