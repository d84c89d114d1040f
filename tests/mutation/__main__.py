"""Tries a sample of mutants, and says how many the tests kill: `make mutation`.

    python -m tests.mutation [--seconds N] [--again]

A run goes on where the last one ended, for N seconds at most. With `--again` it tries the survivors
once more, after a test was written or the maps have grown. A test that kills for the first time is
run without the change, too: one that fails there is set aside, and kills nothing.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time
from typing import Any

from tests.mutation import tree, trial
from tests.mutation.choice import Tests
from tests.mutation.report import report

__all__ = ["main"]


def main() -> None:
    """Try mutants until all are tried, or the time is over."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--again", action="store_true")
    options = parser.parse_args()
    with tree.MUTANTS.open(encoding="utf-8") as lines:
        mutants = [json.loads(line) for line in lines]
    results = tree.read_results()
    tree.environment()
    trial.prepare()
    trials = Trials(Tests())
    end = time.monotonic() + options.seconds
    for mutant in mutants:
        known = results.get(mutant["number"])
        if time.monotonic() > end:
            break
        if known is None or (options.again and known["end"] == "survived"):
            tree.append_result(trials.of(mutant))
    sys.stdout.writelines(f"{line}\n" for line in report(mutants, tree.read_results()))


class Trials:
    """Tries one mutant after another, and remembers which tests pass without a change."""

    def __init__(self, tests: Tests) -> None:
        self.tests = tests
        self.passing: set[str] = set()

    def of(self, mutant: dict[str, Any]) -> dict[str, Any]:
        """Return what became of a mutant."""
        before = _seconds()
        while True:
            chosen = self.tests.of(mutant["path"], mutant["line"])
            found = trial.run(mutant, chosen) if chosen.names else trial.Trial("survived", "")
            # Nothing is collected, and no test fails, where a module cannot be imported.
            killer = found.killer or next(iter(chosen.names), "")
            if found.end != "killed" or self._passes(killer):
                break
            del self.tests.seconds[killer]
        return {
            "number": mutant["number"],
            "end": found.end,
            "killer": found.killer,
            "tests": len(chosen.names),
            "seconds": round(_seconds() - before, 2),
        }

    def _passes(self, name: str) -> bool:
        if name not in self.passing and trial.control(name):
            self.passing.add(name)
        return name in self.passing


def _seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
