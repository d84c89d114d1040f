"""Run the blocks of docs/engines.md.

`python -m tests.engines` runs all; `python -m tests.engines Polars DuckDB` those.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.engines.page import blocks, run_block


def main() -> int:
    broken = 0
    for engine in sys.argv[1:] or blocks()[1]:
        started = time.monotonic()
        with TemporaryDirectory() as folder:
            fault = run_block(engine, Path(folder))
        broken += bool(fault)
        print(f"{engine}: {fault or 'ok'} ({time.monotonic() - started:.1f} s)", flush=True)  # noqa: T201
    return broken


if __name__ == "__main__":
    sys.exit(main())
