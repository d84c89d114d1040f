"""The official JSON Schema test suite, draft 2020-12 and draft 7, row by row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.schema.corpora import rows
from toolhaft.schema.checker import Checker
from toolhaft.schema.explain.explainer import explain
from toolhaft.schema.faults import SchemaFault, SchemaRefused
from toolhaft.schema.limits import faults_of
from toolhaft.schema.normalise import normalise

DRAFT_7 = "http://json-schema.org/draft-07/schema#"

# Features that are rejected by name, with the words of the error.
REFUSED = (
    "$ref points outside this schema",  # remote, or through an $id
    "malformed $anchor",
    "$dynamicAnchor is not supported",
    "$dynamicRef is not supported",
    "no schema at $ref",  # a place that no keyword makes a schema of
)
# Rows whose verdict differs, and why. `format` and `content*` are annotations since 2019-09, and
# this holds for every draft here.
DIFFERENT = {
    "optional/format/": "formats are not asserted",
    "optional/format-assertion.json": "formats are not asserted",
    "optional/content.json": "content keywords are not asserted",
}


def is_foreign(row: dict[str, Any]) -> bool:
    """Whether a row's schema is in a dialect that only a remote meta-schema describes."""
    schema = row["schema"]
    return isinstance(schema, dict) and str(schema.get("$schema")).startswith("http://localhost")


def suite() -> list[dict[str, Any]]:
    found = [row for row in rows("json_schema_test_suite.jsonl.gz") if not is_foreign(row)]
    for row in found:
        if row["draft"] == "draft7" and isinstance(row["schema"], dict):
            row["schema"] = {"$schema": DRAFT_7, **row["schema"]}
    return found


def name(row: dict[str, Any]) -> str:
    return f"{row['file']}: {row['description']}"


def is_different(row: dict[str, Any]) -> bool:
    return any(name(row).startswith(prefix) for prefix in DIFFERENT)


def faults(row: dict[str, Any]) -> list[SchemaFault]:
    """The faults that the normal form finds in a row's schema."""
    try:
        normalise(row["schema"])
    except SchemaRefused as refused:
        return list(refused.faults)
    return []


def read() -> Iterator[dict[str, Any]]:
    """The rows whose schema is read and whose verdict should be the suite's."""
    return (row for row in suite() if not faults(row) and not is_different(row))


@pytest.mark.requirement("schema-suite")
def test_a_schema_is_refused_by_name_or_agrees() -> None:
    refused = agreed = 0
    for row in suite():
        found = faults(row)
        if found:
            assert found[0].reason.startswith(REFUSED), name(row)
            assert found == faults_of(row["schema"])
            refused += 1
            continue
        checker = Checker(row["schema"])
        wrong = [
            t["description"] for t in row["tests"] if checker.is_valid(t["data"]) != t["valid"]
        ]
        assert wrong == [] or is_different(row), name(row)
        agreed += not wrong
    assert (agreed, refused) == (633, 96)


@pytest.mark.requirement("schema-dialects")
def test_a_dialect_of_its_own_is_refused_by_name() -> None:
    foreign = [row["schema"] for row in rows("json_schema_test_suite.jsonl.gz") if is_foreign(row)]
    refusals = [fault for schema in foreign for fault in faults_of(schema)]
    assert [fault.pointer for fault in refusals] == ["/$schema"] * 4
    assert all(
        fault.reason.startswith("$schema names an unknown draft: http://localhost:1234/")
        for fault in refusals
    )


@pytest.mark.requirement("schema-suite")
def test_there_are_findings_exactly_where_the_suite_says_invalid() -> None:
    wrong = [
        f"{name(row)}: {test['description']}"
        for row in read()
        for test in row["tests"]
        if (explain(row["schema"], test["data"]) == []) != test["valid"]
    ]
    assert wrong == []


def test_a_schema_that_is_read_has_no_faults() -> None:
    """But for `__proto__`, a name like a Python dunder, and for control characters in strings."""
    faulty = {name(row): faults_of(row["schema"]) for row in read()}
    reasons = {where: faults[0].reason for where, faults in faulty.items() if faults}
    dunder = "properties.json: properties whose names are Javascript object property names"
    assert reasons.pop(dunder) == "property named like a Python dunder"
    assert len(reasons) == 8
    assert all(reason.startswith("holds a control character") for reason in reasons.values())
