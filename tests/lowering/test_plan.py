"""A whole request: names, limits and budgets."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from toolhaft.lowering import Strict
from toolhaft.lowering.loss import ExportError, Problem
from toolhaft.lowering.plan import Declaration, Plan, plan

CLOSED: dict[str, Any] = {
    "type": "object",
    "properties": {"q": {"type": "string"}, "n": {"type": "integer"}},
    "required": ["q"],
    "additionalProperties": False,
}


def _tools(
    count: int, strict: Strict = "prefer", schema: dict[str, Any] | None = None
) -> list[Declaration]:
    return [Declaration(f"t{i:03}", "A tool.", schema or CLOSED, strict) for i in range(count)]


def _strict(planned: Plan) -> list[str]:
    return [tool.name for tool in planned.tools if tool.lowered.strict]


@pytest.mark.requirement("pain-26")
def test_tools_past_a_budget_of_strict_tools_are_sent_plain_and_listed() -> None:
    planned = plan(_tools(23), "anthropic")
    assert _strict(planned) == [f"t{i:03}" for i in range(20)]
    assert [(loss.tool, str(loss._replace(tool=""))) for loss in planned.losses] == [
        (name, "/ strict: widened; not strict: past 20 tools in strict tools")
        for name in ("t020", "t021", "t022")
    ]
    assert planned.strict is False


@pytest.mark.requirement("pain-26")
def test_the_costliest_tools_give_up_strictness_first_unless_it_is_required() -> None:
    many = {
        **CLOSED,
        "properties": {f"p{i}": {"type": "string"} for i in range(23)},
        "required": [],
    }
    dear = Declaration("dear", "A tool.", many, "prefer")
    assert "dear" not in _strict(plan([dear, *_tools(3)], "anthropic"))
    planned = plan([dear._replace(strict="require"), *_tools(3)], "anthropic")
    assert _strict(planned) == ["dear", "t000"]


def test_required_tools_past_a_budget_are_a_problem() -> None:
    planned = plan(_tools(21, "require"), "anthropic")
    assert [(p.tool, p.rule) for p in planned.problems] == [("t020", "anthropic.strict tools")]
    assert planned.problems[0].reason == "past 20 tools in strict tools"


def test_strictness_that_is_the_requests_holds_for_all_or_none() -> None:
    assert plan(_tools(3), "cohere").strict
    none_required: dict[str, Any] = {"type": "object", "properties": {}}
    mixed = plan([*_tools(2), Declaration("a", "A tool.", none_required, "prefer")], "cohere")
    assert _strict(mixed) == []
    wide = {**CLOSED, "properties": {f"p{i}": {"type": "string"} for i in range(90)}}
    wide["required"] = ["p0"]
    assert _strict(plan(_tools(3, schema=wide), "cohere")) == []


@pytest.mark.requirement("pain-38")
def test_counts_and_lengths_are_problems_and_nothing_is_cut() -> None:
    long = Declaration("long", "x" * 1100, CLOSED)
    planned = plan([long, *_tools(128, False)], "openai")
    assert [(p.tool, p.rule, p.reason, p.fix, p.severity) for p in planned.problems] == [
        (
            *("", "openai.tools", "129 tools in one request, at most 128"),
            *("select at most 128 tools for one request", "error"),
        ),
        (
            *("long", "openai.description length", "description of 1100 characters, at most 1024"),
            *("shorten it", "warning"),
        ),
    ]
    assert planned.tools[0].description == "x" * 1100


@pytest.mark.requirement("pain-04")
def test_the_others_work_beside_one_bad_tool() -> None:
    clash = {"type": "object", "properties": {"a[b]": {}, "a_b": {}, "a_b_26974bc5": {}}}
    outside = {"type": "object", "properties": {"a": {"$ref": "file:///x"}}}
    bad = [Declaration("clash", "A tool.", clash), Declaration("outside", "A tool.", outside)]
    planned = plan([*bad, *_tools(1)], "anthropic")
    assert [tool.name for tool in planned.tools] == ["t000"]
    assert [(p.tool, p.pointer, p.rule) for p in planned.problems] == [
        ("clash", "", "anthropic.properties"),
        ("outside", "/properties/a", "anthropic.schema"),
    ]


@pytest.mark.requirement("pain-27")
def test_names_are_mapped_for_the_target_and_back() -> None:
    long = "calendar.respond" + "x" * 60
    planned = plan([Declaration(long, "A tool.", CLOSED)], "openai")
    (tool,) = planned.tools
    assert len(tool.wire_name) <= 64
    assert planned.names == {tool.wire_name: long}


@pytest.mark.requirement("pain-16")
def test_the_order_of_the_tools_does_not_matter() -> None:
    tools = _tools(23)
    first = plan(tools, "anthropic")
    for seed in range(3):
        random.Random(seed).shuffle(tools)
        again = plan(tools, "anthropic")
        assert [(t.name, t.lowered.schema) for t in again.tools] == [
            (t.name, t.lowered.schema) for t in first.tools
        ]
        assert again.losses == first.losses
    assert plan([], "openai").strict is False


@pytest.mark.requirement("pain-04")
@pytest.mark.parametrize("levels", [90, 240, 2_000])
def test_a_schema_without_bounds_is_a_problem_of_its_tool_alone(levels: int) -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "array", "items": schema}
    deep = {"type": "object", "properties": {"a": schema}}
    planned = plan([Declaration("deep", "Deep.", deep), *_tools(1)], "openai")
    assert [tool.name for tool in planned.tools][-1] == "t000"
    assert {problem.tool for problem in planned.problems} == ({"deep"} if levels > 90 else set())


def test_a_plan_is_not_changed_through_its_schema() -> None:
    schema = json.loads(json.dumps(CLOSED))
    before = plan([Declaration("find", "Find.", schema)], "openai").tools[0].schema
    schema["properties"].clear()
    assert plan([Declaration("find", "Find.", CLOSED)], "openai").tools[0].schema == before


def test_an_error_has_a_line_for_each_problem() -> None:
    many = Problem("/a", "openai.tools", "too many", "select fewer")
    long = Problem("", "openai.name length", "too long", "shorten it", tool="t")
    assert str(ExportError("openai", [many])) == "openai: /a: too many; select fewer (openai.tools)"
    assert str(ExportError("openai", [many, long])) == (
        "\nopenai: /a: too many; select fewer (openai.tools)"
        "\nopenai: t: too long; shorten it (openai.name length)"
    )
