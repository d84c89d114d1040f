"""Real tools, real schemas and hostile definitions: no crash, no false alarm, no hang."""

from __future__ import annotations

import json
import tracemalloc
from typing import Any

import pytest

from tests.schema.corpora import hostile_value, rows
from tests.share import step
from toolhaft.schema.checker import Checker
from toolhaft.schema.faults import SchemaFault
from toolhaft.schema.limits import faults_of
from toolhaft.schema.normalise import normalise

# Items whose fault lies in the schema; the other core items are about a tool's name, its
# description, its place in a toolset or a later change.
IN_THE_SCHEMA = {
    "def-bad-addl-str",
    "def-bad-mult0",
    "def-bad-props-list",
    "def-bad-str-schema",
    "def-deep-not",
    "def-dynref",
    "def-enum-100k",
    "def-laughs-allof",
    "def-laughs-props",
    "def-laughs-union-rec",
    "def-prop-dunder-class",
    "def-prop-dunder-globals",
    "def-prop-dunder-init",
    "def-ref-file",
    "def-ref-loop",
    "def-ref-unused",
    "def-regex-deep",
}
CONTROLS = {"def-prop-args", "def-prop-ctx", "def-prop-name"}


@pytest.mark.unmeasured
def test_no_real_tool_has_a_fault_and_each_compiles() -> None:
    tools = rows("tools_mcp.jsonl.gz") + rows("tools_for_calls.jsonl.gz")
    assert len(tools) == 551 + 3_253
    schemas = [
        row.get(side) for row in tools[:: step()] for side in ("inputSchema", "outputSchema")
    ]
    for schema in filter(None, schemas):
        assert faults_of(schema) == []
        Checker(schema).is_valid({})


@pytest.mark.unmeasured
def test_real_schemas_compile_but_for_four() -> None:
    faulty: dict[str, str] = {}
    for row in rows("schemas_jsonschemabench.jsonl.gz"):
        before = json.dumps(row["schema"])
        faults = faults_of(row["schema"])
        if faults:
            faulty[row["path"]] = faults[0].reason
        else:
            Checker(row["schema"]).is_valid({})
            assert normalise(normalise(row["schema"])) == normalise(row["schema"])
        assert json.dumps(row["schema"]) == before
    assert {path.rpartition("/")[2]: reason.split(":")[0] for path, reason in faulty.items()} == {
        "o64727.json": "holds a zero-width character (U+200B ZERO WIDTH SPACE)",
        "o13934.json": "more than 100000 nodes when its references are written out",
        "o37789.json": "recursive branches that nothing distinguishes",
        "o65975.json": "no schema at $ref #/paypal/payment/listPaymentArgs",
    }


@pytest.mark.unmeasured
def test_calls_of_real_models_have_findings_exactly_where_they_are_invalid() -> None:
    checkers = {row["id"]: Checker(row["inputSchema"]) for row in rows("tools_for_calls.jsonl.gz")}
    compared = 0
    for row in (rows("calls_failing.jsonl.gz") + rows("calls_valid.jsonl.gz")[::10])[:: step()]:
        try:
            arguments = json.loads(row["arguments_text"])
        except ValueError:
            continue
        if row["tool_id"] in checkers:
            checker = checkers[row["tool_id"]]
            explained = checker.explainer.node_issues(arguments) == []
            assert explained == checker.is_valid(arguments)
            compared += 1
    assert compared > 4_000 // step()


@pytest.mark.requirement("schema-hostile")
def test_hostile_schemas_are_refused_with_a_pointer_and_the_controls_accepted() -> None:
    value = hostile_value()
    seen: dict[str, list[SchemaFault]] = {}
    for item in rows("hostile.jsonl"):
        if item["surface"] == "definition" and item["id"] in IN_THE_SCHEMA | CONTROLS:
            seen[item["id"]] = faults_of(value(item["input"])["inputSchema"])
    assert {name for name, faults in seen.items() if faults} == IN_THE_SCHEMA
    assert {name for name, faults in seen.items() if not faults} == CONTROLS


def test_a_hostile_schema_costs_little_memory() -> None:
    schema: dict[str, Any] = {}
    for _ in range(20_000):
        schema = {"not": schema}
    tracemalloc.start()
    try:
        assert faults_of(schema)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()
