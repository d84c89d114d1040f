"""Fail when fewer branches than the required percentage were taken.

coverage's own `fail_under` mixes lines and branches; this reads `coverage json` on stdin and
looks at the branches alone.
"""

from __future__ import annotations

import json
import sys
import tomllib
from pathlib import Path

settings = tomllib.loads(Path("pyproject.toml").read_text())
required: float = settings["tool"]["coverage"]["report"]["fail_under"]
totals = json.load(sys.stdin)["totals"]
taken = 100 * totals["covered_branches"] / max(totals["num_branches"], 1)
if taken < required:
    sys.exit(f"only {taken:.2f} % of the branches were taken; {required} % are required")
