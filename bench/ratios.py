"""Print what a call costs, as a ratio to the floor of its library, measured in one process.

    python bench/ratios.py [--rounds 101] [--only WORDS] [--write | --guard]

Every guarantee is on. Each workload runs on a tool whose `input=` is the library's type, which
takes the validated object whole as the floor's handler does; for annotated functions ("signature")
the floor is pydantic's. `--write` puts the table into bench/README.md and bench/ratios.json;
`--guard` fails where a ratio is more than 15 % above the one written there.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from definitions import definitions
from floors import FLOORS, Floor
from paired import Ratio, paired, paired_async
from signatures import SIGNATURES
from workloads import WORKLOADS, Workload

from toolhaft import tool
from toolhaft.tools import AnyTool

HERE: Final = Path(__file__).parent
README: Final = HERE / "README.md"
TABLE: Final = HERE / "ratios.json"
TOLERANCE: Final = 1.15
TRIES: Final = 3


class Row(NamedTuple):
    """One line of the table, to be measured."""

    form: str
    workload: str
    measure: Callable[[int], Ratio]

    @property
    def key(self) -> str:
        return f"{self.form}: {self.workload}"


def rows() -> Iterator[Row]:
    """Every workload of every library, of annotated functions, and what definitions cost."""
    for form, floor in FLOORS.items():
        for name, load in WORKLOADS.items():
            yield _row(form, name, load, floor, _by_object(floor, load))
    for name, load in WORKLOADS.items():
        if load.shape in SIGNATURES and load.plain:
            made = tool(SIGNATURES[load.shape])
            yield _row("signature", name, load, FLOORS["pydantic"], made)
    for what, floor_work, work, count in definitions():
        yield Row("definition", what, _measurement(paired, floor_work, work, count))


def _row(form: str, name: str, load: Workload, floor: Floor, made: AnyTool) -> Row:
    measure = paired_async if load.asynchronous else paired
    return Row(form, name, _measurement(measure, floor.work(load), _work(made, load), 300))


def _measurement(
    measure: Callable[..., Ratio], floor: Callable[[], Any], work: Callable[[], Any], count: int
) -> Callable[[int], Ratio]:
    return lambda rounds: measure(floor, work, rounds=rounds, count=count)


def _by_object(floor: Floor, load: Workload) -> AnyTool:
    """A tool that takes the validated object whole, as the floor's handler does."""
    handle: Any = floor.handle

    async def handler(value: Any) -> Any:
        return handle(value)

    run: Any = handler if load.asynchronous else handle
    output = floor.type_of("seen") if load.output else None
    return tool(run, name="run", description="Run.", input=floor.type_of(load.shape), output=output)


def _work(made: AnyTool, load: Workload) -> Callable[[], Any]:
    """One call of a workload on a tool, up to what the model reads where that is asked for."""
    call, call_async, raw = made.call_sync, made.call, load.raw
    if load.asynchronous:
        return lambda: call_async(raw)
    return (lambda: call(raw).text) if load.to_text else lambda: call(raw)


def main() -> int:
    """Measure and print; exit code 1 where a ratio is worse than the written one."""
    parser = argparse.ArgumentParser(description="what a call costs")
    parser.add_argument("--rounds", type=int, default=101)
    parser.add_argument("--only", default="", help="rows whose name holds these words")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--write", action="store_true", help="write the table down")
    what.add_argument("--guard", action="store_true", help="compare with the written table")
    given = parser.parse_args()
    written = json.loads(TABLE.read_text()) if given.guard else {}
    measured: dict[str, Ratio] = {}
    worse = []
    for row in rows():
        if given.only in row.key and (not given.guard or row.key in written):
            ratio = measured[row.key] = _steadied(row, given.rounds, written.get(row.key))
            sys.stdout.write(f"{_line(row.key, ratio)}\n")
            worse += [row.key] if _is_worse(ratio, written.get(row.key)) else []
    if given.write:
        TABLE.write_text(
            json.dumps({key: round(r.median, 2) for key, r in measured.items()}, indent=1) + "\n"
        )
        _write_table(measured)
    if worse:
        sys.stdout.write(f"more than 15 % above bench/ratios.json: {', '.join(worse)}\n")
    return int(bool(worse))


def _is_worse(ratio: Ratio, written: float | None) -> bool:
    return written is not None and ratio.median > written * TOLERANCE


def _steadied(row: Row, rounds: int, written: float | None) -> Ratio:
    """Measure; a row that seems worse twice more, for a busy machine is no regression."""
    found = [row.measure(rounds)]
    while len(found) < TRIES and _is_worse(found[-1], written):
        found.append(row.measure(rounds))
    return min(found)


def _line(key: str, ratio: Ratio) -> str:
    spread = f"{ratio.low:.2f} to {ratio.high:.2f}"
    return f"{key:44} {ratio.median:6.2f}   {spread:14} {ratio.floor_us:9.2f} us"


def _write_table(measured: dict[str, Ratio]) -> None:
    before, mark, rest = README.read_text().partition("<!-- table -->\n")
    _, end, after = rest.partition("<!-- end of table -->\n")
    lines = [
        f"Measured on {time.strftime('%Y-%m-%d')} by `python bench/ratios.py --write`,",
        f"CPython {platform.python_version()}.\n",
        "| tool | workload | ratio | middle half | floor, µs |",
        "|---|---|---:|---|---:|",
    ]
    for key, ratio in measured.items():
        form, _, workload = key.partition(": ")
        spread = f"{ratio.low:.2f} to {ratio.high:.2f}"
        lines.append(
            f"| {form} | {workload} | {ratio.median:.2f} | {spread} | {ratio.floor_us:.2f} |"
        )
    README.write_text(before + mark + "\n".join(lines) + "\n" + end + after)


if __name__ == "__main__":
    raise SystemExit(main())
