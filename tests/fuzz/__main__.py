"""Fuzz one surface with atheris, in an environment that has it: `make fuzz` runs all of them.

python -m tests.fuzz SURFACE CORPUS [libFuzzer's options]
"""

from __future__ import annotations

import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

atheris: Any = import_module("atheris")

with atheris.instrument_imports(include=["toolhaft"]):
    from tests.fuzz.seeds import seeds
    from tests.fuzz.surfaces import SURFACES, Uninteresting


def main(surface: str, corpus: Path) -> None:
    """Write the seeds into the corpus, and run until libFuzzer's own options end it."""
    corpus.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(seeds(surface)):
        (corpus / f"seed-{number}").write_bytes(seed)
    attack = SURFACES[surface]

    def run(data: bytes) -> None:
        with suppress(Uninteresting):
            attack(data)

    atheris.Setup([sys.argv[0], str(corpus), *sys.argv[3:]], run)
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
