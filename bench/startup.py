"""Print what starting costs: imports, `toolhaft --help`, and 1,000 tools before their first use.

    python bench/startup.py [--rounds 15]

Whole processes are compared in pairs, by their CPU time: imports with `import json`, the help of
the command line with that of an empty click group that has the same commands.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any, Final

from toolhaft import Toolset, tool

TOOLS: Final = 1_000
GROUP: Final = """
import click
group = click.Group(help="Tools.")
for name in "show call export check manifest lock diff docs batch serve".split():
    group.command(name, help="Do it.")(lambda: None)
group(["--help"])
"""
PAIRS: Final = {
    "import toolhaft, to import json": (["-c", "import json"], ["-c", "import toolhaft"]),
    "from toolhaft import tool, Toolset, to import json": (
        ["-c", "import json"],
        ["-c", "from toolhaft import tool, Toolset"],
    ),
    "toolhaft --help, to an empty click group": (["-c", GROUP], ["-m", "toolhaft", "--help"]),
}


def _seconds(arguments: list[str]) -> float:
    """The CPU time of one Python process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, *arguments]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)  # noqa: S603  our own text
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def _functions() -> Iterator[Callable[..., Any]]:
    """Yield functions that share no code, like the functions of a program."""
    for number in range(TOOLS):
        source = (
            f"def tool_{number}(city: str, days: int = {number}) -> str:\n"
            f"    'Weather of kind {number}.'\n    return city"
        )
        names: dict[str, Any] = {}
        exec(compile(source, "<bench>", "exec", dont_inherit=True), names)  # noqa: S102  our own text
        yield names[f"tool_{number}"]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="what starting costs")
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    for what, (floor, work) in PAIRS.items():
        ratio = median(_seconds(work) / _seconds(floor) for _ in range(rounds))
        sys.stdout.write(f"{what:54} {ratio:8.2f}\n")
    functions = list(_functions())
    tool(functions[0])
    tracemalloc.start()
    made = [tool(one) for one in functions]
    held = tracemalloc.get_traced_memory()[0] / TOOLS / 1024
    tracemalloc.stop()
    start = time.process_time()
    made = [tool(one) for one in functions]
    defined = time.process_time()
    Toolset(made)
    joined = time.process_time()
    sys.stdout.write(f"{'a tool before its first use, KiB':54} {held:8.2f}\n")
    sys.stdout.write(f"{'defining a tool, µs':54} {(defined - start) / TOOLS * 1e6:8.1f}\n")
    sys.stdout.write(f"{'joining a tool, µs':54} {(joined - defined) / TOOLS * 1e6:8.1f}\n")


if __name__ == "__main__":
    main()
