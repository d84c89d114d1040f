"""The page on engines is true for engines that install quickly; `make engines` runs all of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engines.page import run_block

SLICE = {"Polars": "polars", "DuckDB": "duckdb", "Hugging Face datasets": "datasets"}


@pytest.mark.unmeasured
@pytest.mark.requirement("batch-arrow")
@pytest.mark.parametrize("engine", SLICE)
def test_the_block_of_an_engine_runs(engine: str, tmp_path: Path) -> None:
    pytest.importorskip(SLICE[engine], reason=f"{engine} is not installed")
    assert run_block(engine, tmp_path) == ""
