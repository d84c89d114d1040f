"""A short script that knows nothing of toolhaft counts the same over real tools."""

from __future__ import annotations

from collections import Counter
from functools import cache
from typing import Any

import pytest

from tests.review.checks import count_in_ten_lines as independent
from tests.schema.corpora import rows
from toolhaft import DefinitionError, from_json
from toolhaft.review import checks
from toolhaft.review.checks.subject import Subject


@cache
def material() -> tuple[list[dict[str, Any]], Counter[str]]:
    """The schemas of the tools that can be defined, and how often each rule fires on them."""
    schemas: list[dict[str, Any]] = []
    subjects: list[Subject] = []
    for row in rows("tools_mcp.jsonl.gz"):
        try:
            subjects += [Subject(one, "tools", runs=False) for one in from_json([row])]
        except DefinitionError:
            continue
        schemas.append(row["inputSchema"])
    assert len(schemas) == 550  # one says {} of a parameter, which is no definition
    return schemas, Counter(one.code for one in checks.check(subjects))


@pytest.mark.unmeasured
def test_undescribed_parameters_are_counted_alike() -> None:
    schemas, fired = material()
    assert fired["TH102"] == sum(map(independent.undescribed, schemas)) > 0


@pytest.mark.unmeasured
def test_defaults_that_violate_their_schema_are_counted_alike() -> None:
    schemas, fired = material()
    assert fired["TH202"] == sum(map(independent.bad_defaults, schemas)) > 0


def test_deep_tools_are_counted_alike() -> None:
    schemas, fired = material()
    assert fired["TH201"] == sum(map(independent.is_deep, schemas)) > 0
