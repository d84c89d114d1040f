"""A small soak: the assertions of bench/soak.py on a thousand calls instead of 100,000."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.unmeasured

SOAK = Path(__file__).parents[2] / "bench" / "soak.py"


@pytest.mark.requirement("soak-batches")
@pytest.mark.requirement("pain-50")
@pytest.mark.parametrize("seed", ["1", "2"])
def test_no_call_is_lost_or_doubled_and_nothing_is_left(seed: str) -> None:
    command = [sys.executable, str(SOAK), "--calls", "1000", "--seed", seed]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("1000 calls in ")
    assert "lost or doubled: 0" in done.stdout
