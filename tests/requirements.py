"""Behaviours that the contract promises: id -> one sentence, with its source.

Each has at least one test marked `@pytest.mark.requirement(id)`, and each mark names an id of
this table; `test_requirements.py` checks both directions.
"""

from __future__ import annotations

REQUIREMENTS: dict[str, str] = {
    "import-standard-library-only": "Importing toolhaft, or a public name from it, loads no "
    "third-party module and no asyncio (house rules, imports).",
}
