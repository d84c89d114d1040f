"""The threat model names a requirement, and thereby a test, for every promise."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.requirements import REQUIREMENTS

PAGE = Path(__file__).parents[2] / "docs/concepts/threat-model.md"


@pytest.mark.requirement("threat-model")
def test_each_promise_of_the_threat_model_names_requirements() -> None:
    table = (
        PAGE.read_text(encoding="utf-8").partition("## What is promised")[2].partition("\n## ")[0]
    )
    rows = [row.strip("| ").rpartition(" | ") for row in table.splitlines() if row.startswith("| ")]
    promises = {promise: re.findall(r"`([a-z0-9-]+)`", names) for promise, _, names in rows[1:]}
    assert len(promises) > 10
    assert [promise for promise, names in promises.items() if not names] == []
    assert {name for names in promises.values() for name in names} - REQUIREMENTS.keys() == set()
