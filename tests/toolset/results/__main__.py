"""Results at full size: `sizes` reads 50 MB in slices, `kills` kills a process that keeps results.

python -m tests.toolset.results sizes
python -m tests.toolset.results kills --kills 200
"""

from __future__ import annotations

import argparse
import random
import sys
import tracemalloc
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.toolset.results.kills import kill_keepers
from toolhaft import Store
from toolhaft.toolset.results.reading import write_slice

SIZE = 50_000_000
SLICE = 500


def sizes() -> None:
    """Keep 50 MB of text and of rows, read them in slices, and print the memory above the data."""
    row = {"id": 123_456, "name": "a row of some length", "price": 12.5}
    for name, data in (
        ("text", "a line of the log, which has some words\n" * (SIZE // 40)),
        ("one line", "x" * SIZE),
        ("rows", [{**row, "id": at} for at in range(SIZE // 56)]),
    ):
        with TemporaryDirectory() as folder:
            for place, store in (("memory", Store()), ("folder", Store(folder + "/results"))):
                tracemalloc.start()
                handle, kept = store.keep(data, "log", None)
                count, read = kept.facts.total, 0
                for offset in range(0, count, SLICE):
                    found: Any = store.find(handle, None) if offset % 5_000 == 0 else kept
                    read += sum(map(len, islice(found.read(offset), SLICE)))
                write_slice(kept, handle, count // 2, 10_000, 16_000)
                peak = tracemalloc.get_traced_memory()[1] / 2**20
                tracemalloc.stop()
                complete = "complete" if read == kept.facts.characters else "NOT COMPLETE"
                sys.stdout.write(
                    f"{name} in {place}: {read / 1e6:.1f} MB in slices of {SLICE}, {complete}; "
                    f"at most {peak:.1f} MiB above\n"
                )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["sizes", "kills"])
    parser.add_argument("--kills", type=int, default=200)
    options = parser.parse_args()
    if options.what == "sizes":
        sizes()
        return
    with TemporaryDirectory() as folder:
        lost, kept = kill_keepers(Path(folder) / "results", options.kills, random.Random(4))
    sys.stdout.write(f"{options.kills} kills: {kept} results acknowledged, {lost} lost\n")
    sys.exit(bool(lost))


if __name__ == "__main__":
    main()
