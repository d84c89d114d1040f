"""The export of a toolset for a target: names, problems, losses and strictness."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.providers.sample import tools
from tests.wire_samples import ALL, count, declared, size
from toolhaft import DefinitionError, Prepared, ToolCall, Toolset, from_json, tool
from toolhaft.call import feedback
from toolhaft.errors import ToolhaftError
from toolhaft.lowering import Strict, lower
from toolhaft.lowering.loss import ExportError, LoweringUnsupported, Problem

# These have no word for a default, for a title, or for a closed object.
LOSSY = ("gemini", "gemini-openapi", "ollama", "xai")


# ------------------------------------------------------------------------------- declarations


@pytest.mark.requirement("pain-27")
def test_names_are_mapped_for_the_target_and_back() -> None:
    long = "workspace." * 9 + "calendar.respond"
    made = from_json([declared(long), declared("geo.find")], call=lambda name, arguments: name)
    wire = made.export("openai")
    found = [one["name"] for one in wire.tools]
    assert found[0] == "geo_find"
    assert len(found[1]) <= 64
    calls = [ToolCall(f"c{place}", name, "{}") for place, name in enumerate(found)]
    assert [outcome.unwrap() for outcome in wire.call_all_sync(calls)] == ["geo.find", long]
    assert [one["name"] for one in made.export("mcp").tools] == ["geo.find", long]


@pytest.mark.requirement("pain-27")
def test_a_name_of_ours_that_the_target_does_not_know_is_unknown() -> None:
    wire = from_json([declared("geo.find")], call=lambda name, arguments: name).export("openai")
    outcome = wire.call_sync(ToolCall("c", "geo.find"))
    assert outcome.text == feedback.describe_unknown_tool("geo.find", ["geo_find"])
    assert "geo_find" in outcome.text


@ALL
def test_without_tools_there_is_nothing_to_add_to_a_request(target: str) -> None:
    wire = Toolset().export(target)
    empty = {"mcp": {"tools": [], "resultType": "complete", "ttlMs": 0, "cacheScope": "private"}}
    empty["mcp-2025-11-25"] = {"tools": []}
    assert (wire.tools, wire.request) == ([], empty.get(target, {}))


# The last is how the first would be told apart from the second.
KEYS = ("a b", "a_b", "a_b_c8687a08")
CLASHING = {"properties": {"a b": {"type": "integer"}, "a_b": {"type": "null"}, KEYS[2]: {}}}


def clashing() -> Toolset:
    """A tool with keys that become the same where spaces are refused, and one that is well."""
    schema = {"type": "object", **CLASHING}
    bad = tool(size, name="bad", description="Two keys.", input=schema, output=None)
    return Toolset([bad, *tools().select("add")])


CLASH = Problem(
    "",
    "gemini.properties",
    "two property keys become the same",
    "rename one of the properties",
    "bad",
)


@pytest.mark.requirement("export-problems")
@pytest.mark.requirement("pain-04")
def test_a_tool_that_a_target_cannot_take_is_left_out_and_named() -> None:
    wire = clashing().export("gemini")
    [listed] = wire.tools
    assert [one["name"] for one in listed["functionDeclarations"]] == ["add"]
    assert wire.problems == (CLASH,)
    outcome = wire.call_sync(ToolCall("c", "bad", {"a b": 1}))
    assert getattr(outcome, "kind", None) == "unknown_tool"


def test_a_tool_that_a_target_cannot_take_can_be_an_error() -> None:
    with pytest.raises(ExportError) as raised:
        clashing().export("gemini", on_problem="raise")
    assert raised.value.problems == (CLASH,)
    assert str(raised.value) == (
        "gemini: bad: two property keys become the same; rename one of the properties "
        "(gemini.properties)"
    )


def test_a_tool_that_a_target_cannot_take_can_go_out_as_it_was_written() -> None:
    toolset = clashing()
    wire = toolset.export("gemini", on_problem="keep")
    assert wire.problems == (CLASH,)
    [listed] = wire.tools
    assert (
        listed["functionDeclarations"][1]["parametersJsonSchema"]
        == toolset["bad"].input_schema.json_schema()
    )
    assert wire.call_sync(ToolCall("c", "bad", {"a b": 1})).unwrap() == 1


def test_what_is_kept_has_a_name_that_the_target_takes_and_ends_strictness() -> None:
    toolset = clashing() + from_json([{**declared("geo/find", **CLASHING)}])
    wire = toolset.export("gemini", strict="prefer", on_problem="keep")
    [listed] = wire.tools
    assert [one["name"] for one in listed["functionDeclarations"]] == ["add", "bad", "geo_find"]
    assert "toolConfig" not in wire.request["config"]
    assert "toolConfig" in toolset.export("gemini", strict="prefer").request["config"]


@ALL
def test_what_is_lost_is_named_with_its_tool(target: str) -> None:
    wire = tools().export(target)
    assert wire.problems == ()
    assert {loss.tool for loss in wire.losses} <= {one.name for one in tools()}
    assert bool(wire.losses) == (target in LOSSY)


@ALL
def test_exporting_leaves_no_way_into_the_tools(target: str) -> None:
    toolset = tools()
    wire = toolset.export(target)
    before = json.dumps(wire.request)
    spoil(wire.request)
    assert json.dumps(toolset.export(target).request) == before


def spoil(data: Any) -> None:
    for one in list(data.values()) if isinstance(data, dict) else data:
        if isinstance(one, dict | list):
            spoil(one)
    data.clear()


# ------------------------------------------------------------------------------- strictness


@tool
def search(q: str, n: int = 3) -> list[int | str]:
    """Search the shop."""
    return [q, n]


@pytest.mark.requirement("row-37")
@pytest.mark.requirement("pain-09")
def test_in_strict_mode_an_optional_parameter_is_null_on_the_wire_and_absent_in_the_call() -> None:
    wire = Toolset([search]).export("openai", strict="prefer")
    [declared] = wire.tools
    assert declared["strict"] is True
    parameters = declared["parameters"]
    assert set(parameters["required"]) == {"q", "n"}
    assert parameters["additionalProperties"] is False
    assert set(parameters["properties"]["n"]["type"]) == {"integer", "null"}
    assert "default" not in parameters["properties"]["n"]
    outcome = wire.call_sync(ToolCall("c", "search", '{"q": "x", "n": null}'))
    assert (outcome.unwrap(), outcome.coercions) == (["x", 3], ())


def test_strictness_is_said_where_each_target_says_it() -> None:
    def strict(target: str) -> Any:
        return Toolset([search]).export(target, strict="prefer").request

    assert strict("openai-chat")["tools"][0]["function"]["strict"] is True
    assert strict("anthropic")["tools"][0]["strict"] is True
    assert strict("bedrock")["toolConfig"]["tools"][0]["toolSpec"]["strict"] is True
    assert strict("mistral")["tools"][0]["function"]["strict"] is True
    assert strict("cohere")["strict_tools"] is True
    mode = {"functionCallingConfig": {"mode": "VALIDATED"}}
    assert strict("gemini")["config"]["toolConfig"] == mode
    assert strict("gemini-openapi")["config"]["toolConfig"] == mode


@pytest.mark.parametrize("strict", ["prefer", "require"])
def test_a_target_with_one_mode_says_that_it_ignores_the_wish(strict: Any) -> None:
    wire = Toolset([search]).export("xai", strict=strict)
    assert [(one.rule, one.severity) for one in wire.problems] == [("xai.strict", "warning")]
    assert len(wire.tools) == 1


@tool
def now() -> str:
    """Tell the time."""
    return "noon"


def test_where_strictness_is_required_what_cannot_be_strict_is_an_error() -> None:
    toolset = Toolset([search, now])
    with pytest.raises(LoweringUnsupported) as raised:
        toolset.export("cohere", strict="require")
    assert (raised.value.tool, raised.value.keyword) == ("now", "required parameter")
    preferred = toolset.export("cohere", strict="prefer")
    assert "strict_tools" not in preferred.request
    assert [loss.tool for loss in preferred.losses if loss.keyword == "strict"] == ["now", "search"]


def test_a_tools_own_word_on_strictness_counts_first() -> None:
    toolset = Toolset([search.replace(strict=False), count.replace(strict="prefer")])
    assert [one["strict"] for one in toolset.export("openai", strict="prefer").tools] == [
        True,
        False,
    ]
    assert [one["strict"] for one in toolset.export("openai").tools] == [True, False]


def test_a_tool_that_must_be_strict_where_others_are_not_is_refused_with_the_reason() -> None:
    toolset = Toolset([search.replace(strict=True), count])
    wire = toolset.export("cohere")
    assert [one["function"]["name"] for one in wire.tools] == ["count"]
    assert [(one.tool, one.rule) for one in wire.problems] == [("search", "cohere.strict scope")]
    both = toolset.export("cohere", strict="prefer")
    assert (len(both.tools), both.request["strict_tools"], both.problems) == (2, True, ())


def test_strict_tools_past_a_budget_do_not_go_out_with_the_others() -> None:
    must = [search.replace(name=f"search_{place:02}", strict=True) for place in range(21)]
    wire = Toolset(must).export("anthropic")
    assert [one["name"] for one in wire.tools] == [f"search_{place:02}" for place in range(20)]
    assert [one.tool for one in wire.problems] == ["search_20"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"strict": "x"}, "strict: invalid value; use one of False, True, 'prefer', "),
        ({"on_problem": "skip"}, "on_problem: invalid value; use one of 'drop', "),
    ],
)
def test_a_choice_that_there_is_not_is_refused(options: Any, words: str) -> None:
    with pytest.raises(ToolhaftError, match=f"^export: {words}"):
        Toolset([search]).export("openai", **options)


def test_a_strictness_that_there_is_not_is_refused_at_the_definition() -> None:
    with pytest.raises(DefinitionError, match=r"search\.strict: invalid value"):
        search.replace(strict="always")  # type: ignore[arg-type]


@pytest.mark.requirement("pain-85")
def test_a_default_that_a_target_has_no_word_for_is_said_in_words() -> None:
    wire = Toolset([search]).export("gemini")
    [declared] = wire.tools[0]["functionDeclarations"]
    assert declared["parametersJsonSchema"]["properties"]["n"] == {
        "type": "integer",
        "description": "(default 3)",
    }
    assert [(loss.tool, loss.pointer, loss.keyword, loss.kind) for loss in wire.losses] == [
        ("search", "/properties/n", "default", "hinted")
    ]


@pytest.mark.requirement("reprs-and-typos")
def test_true_means_that_strictness_is_required() -> None:
    toolset = Toolset([search])
    assert toolset.export("openai", strict=True).request == (
        toolset.export("openai", strict="require").request
    )
    modes: tuple[Strict, ...] = (True, "require")
    for strict in modes:
        with pytest.raises(LoweringUnsupported):
            Toolset([search, now]).export("cohere", strict=strict)
        assert lower({"type": "object"}, "openai", strict=strict).strict


@pytest.mark.requirement("reprs-and-typos")
def test_a_wire_shows_its_target_and_how_much_it_has() -> None:
    assert repr(Toolset([search]).export("openai")) == "Export('openai', 1 tool)"
    both = Toolset([search]).export("xai", strict="prefer")
    assert repr(both).endswith(", 1 problems)")


@pytest.mark.requirement("reprs-and-typos")
def test_a_prepared_call_shows_whether_it_was_made_and_no_value() -> None:
    waiting = tools()["add"].prepare({"a": 1, "b": 2})
    assert isinstance(waiting, Prepared)
    assert repr(waiting) == "Prepared(name='add', coercions=())"
    waiting.call_id = "c1"
    waiting.call_sync()
    assert repr(waiting) == "Prepared(name='add', coercions=(), call_id='c1', made)"
