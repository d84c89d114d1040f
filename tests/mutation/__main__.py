"""Tries a sample of mutants, and counts how many the tests kill: `make mutation`.

    python -m tests.mutation [--seconds N] [--again]

A run goes on where the last one ended, for N seconds at most. With `--again` it tries the survivors
once more, after a test was written or the maps have grown. In the end, the tests that killed are
run without a change: what one that fails there has killed is tried anew without it.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time
from collections.abc import Iterable
from typing import Any

from tests.mutation import tree, trial
from tests.mutation.choice import Chosen, Tests
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
    tree.environment()
    trial.prepare()
    tests = Tests()
    _try_all(mutants, tests, options)
    if excluded := _without_a_change(tests):
        for name in excluded:
            del tests.seconds[name]
        _try_all(mutants, tests, options, excluded)
    sys.stdout.writelines(f"{line}\n" for line in report(mutants, tree.read_results()))


def _try_all(
    mutants: list[dict[str, Any]],
    tests: Tests,
    options: argparse.Namespace,
    excluded: Iterable[str] = (),
) -> None:
    results = tree.read_results()
    end = time.monotonic() + options.seconds
    for mutant in mutants:
        known = results.get(mutant["number"], {"end": "", "killer": ""})
        again = options.again and known["end"] == "survived"
        if time.monotonic() > end:
            break
        if not known["end"] or again or known["killer"] in excluded:
            tree.append_result(_try(mutant, tests))


def _try(mutant: dict[str, Any], tests: Tests) -> dict[str, Any]:
    before = _seconds()
    chosen = tests.of(mutant["path"], mutant["line"])
    found = trial.run(mutant, chosen) if chosen.names else trial.Trial("survived", "")
    return {
        "number": mutant["number"],
        "end": found.end,
        "killer": found.killer,
        "tests": len(chosen.names),
        "seconds": round(_seconds() - before, 2),
    }


def _without_a_change(tests: Tests) -> list[str]:
    killers = {result["killer"] for result in tree.read_results().values()} & tests.seconds.keys()
    seconds = sum(tests.seconds[name] for name in killers)
    return trial.failing(Chosen(sorted(killers), seconds))


def _seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
