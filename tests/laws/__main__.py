"""All laws at full size: `python -m tests.laws [--schemas N] [--target T] [--seed S]`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from random import Random

from tests.laws.laws import Tally, check
from tests.laws.schemas import LEAST, schema
from toolhaft.definition.targets import TARGETS
from toolhaft.lowering import Strict
from toolhaft.lowering.dialects import has_strict
from toolhaft.schema.limits import faults_of

__all__ = ["modes", "run"]


def modes() -> Iterator[tuple[str, Strict]]:
    """Every target, plain and strict if it has both."""
    for target in TARGETS:
        yield target, False
        if has_strict(target):
            yield target, "require"


def run(
    target: str, strict: Strict, schemas: int, values: int, seed: int, least: float = LEAST
) -> Tally:
    """The laws on that many random schemas."""
    tally = Tally()
    for number in range(schemas):
        made = schema(Random(f"{seed}:{number}"), least)
        if not faults_of(made):
            check(made, target, strict, Random(number), tally, values)
    return tally


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--schemas", type=int, default=3000)
    parser.add_argument("--values", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--least", type=float, default=LEAST)
    parser.add_argument("--target")
    parser.add_argument("--samples", action="store_true")
    options = parser.parse_args()
    broken = False
    for target, strict in modes():
        if options.target not in (None, target):
            continue
        tally = run(target, strict, options.schemas, options.values, options.seed, options.least)
        broken = broken or bool(tally.faults)
        say(line(target, strict, tally), flush=True)
        for law, sample in tally.samples.items():
            say(f"    {tally.faults.count(law)} x {law}")
            if options.samples:
                say(*(f"      {str(part)[:1500]}" for part in (sample[0], *sample[1:])), sep="\n")
    return int(broken)


def say(*lines: str, sep: str = "\n", flush: bool = True) -> None:
    print(*lines, sep=sep, flush=flush)  # noqa: T201 - the command's output


def line(target: str, strict: Strict, tally: Tally) -> str:
    """One line of figures."""
    share = 100 * tally.reached / max(tally.values, 1)
    mode = "strict" if strict else "plain"
    return (
        f"{target:15} {mode:7} schemas {tally.schemas} refused {tally.refused} values "
        f"{tally.values} reached {share:.2f}% wire {tally.wire_values} lifted {tally.lifted} "
        f"losses {dict(sorted(tally.losses.items()))} unsupported {dict(tally.unsupported)}"
    )


if __name__ == "__main__":
    sys.exit(main())
