"""A toolset on a wire: names, problems, the steps of a turn, and what holds for every target."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import Any, TypedDict

import pytest

from tests.providers.sample import tools
from toolhaft import (
    Coercion,
    Context,
    DefinitionError,
    Err,
    LoopGuard,
    ToolCall,
    Toolset,
    WireError,
    from_json,
    tool,
)
from toolhaft.call import feedback
from toolhaft.errors import ToolhaftError
from toolhaft.lowering import lower
from toolhaft.lowering.loss import ExportError, LoweringUnsupported, Problem
from toolhaft.providers import TARGETS

ALL = pytest.mark.parametrize("target", TARGETS)
DIALECTS = ("draft-07", "draft-2020-12", "openapi-3.0", "openapi-3.1")
CALLED = pytest.mark.parametrize("target", [one for one in TARGETS if one not in DIALECTS])
# These have no word for a default, for a title, or for a closed object.
LOSSY = ("gemini", "gemini-openapi", "ollama", "xai")
ADDED = {"a": 1, "b": 2}


def declared(name: str, **schema: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": {"type": "object", "properties": {}, **schema}}


def anthropic(*calls: tuple[str, str, Any]) -> dict[str, Any]:
    blocks = [{"type": "tool_use", "id": i, "name": n, "input": a} for i, n, a in calls]
    return {"role": "assistant", "content": blocks, "stop_reason": "tool_use"}


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
    assert outcome.text == feedback.unknown_tool("geo.find", ["geo_find"])
    assert "geo_find" in outcome.text


@ALL
def test_without_tools_there_is_nothing_to_add_to_a_request(target: str) -> None:
    wire = Toolset().export(target)
    empty = {"mcp": {"tools": [], "resultType": "complete", "ttlMs": 0, "cacheScope": "private"}}
    empty["mcp-2025-11-25"] = {"tools": []}
    assert (wire.tools, wire.request) == ([], empty.get(target, {}))


def size(arguments: dict[str, Any]) -> int:
    return len(arguments)


CLASHING = {"properties": {"a b": {"type": "integer"}, "a_b": {"type": "null"}}}


def clashing() -> Toolset:
    """A tool with two keys that become the same where spaces are refused, and one that is well."""
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


@tool
def count(words: dict[str, int]) -> int:
    """Add up counts of words."""
    return sum(words.values())


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
        ({"strict": True}, "strict: not a choice that there is; use one of False, 'prefer', "),
        ({"on_problem": "skip"}, "on_problem: not a choice that there is; use one of 'drop', "),
    ],
)
def test_a_choice_that_there_is_not_is_refused(options: Any, words: str) -> None:
    with pytest.raises(ToolhaftError, match=f"^export: {words}"):
        Toolset([search]).export("openai", **options)


def test_a_strictness_that_there_is_not_is_refused_at_the_definition() -> None:
    with pytest.raises(DefinitionError, match=r"search\.strict: not a choice that there is"):
        search.replace(strict="always")  # type: ignore[arg-type]


@pytest.mark.requirement("pain-85")
def test_a_default_that_a_target_has_no_word_for_is_said_in_words() -> None:
    wire = Toolset([search]).export("gemini")
    [declared] = wire.tools[0]["functionDeclarations"]
    assert declared["parametersJsonSchema"]["properties"]["n"] == {
        "type": "integer",
        "description": "(default: 3)",
    }
    assert [(loss.tool, loss.pointer, loss.keyword, loss.kind) for loss in wire.losses] == [
        ("search", "/properties/n", "default", "hinted")
    ]


# ------------------------------------------------------------------------------- the wire's terms


@pytest.mark.requirement("lowering-issues-in-wire-terms")
def test_the_model_reads_wire_paths_and_the_program_the_tools_own() -> None:
    wire = Toolset([count]).export("openai", strict="require")
    pairs = [{"key": "a", "value": 1}, {"key": "b", "value": "x"}]
    outcome = wire.call_sync(ToolCall("c", "count", {"words": pairs}))
    assert isinstance(outcome, Err)
    assert [(issue.path, issue.code) for issue in outcome.issues] == [(("words", "b"), "type")]
    assert outcome.text == (
        "Please rewrite the input with valid arguments. Errors: "
        "words.1.value: expected integer, received string"
    )


def test_the_same_key_twice_in_a_list_of_pairs_is_an_issue() -> None:
    wire = Toolset([count]).export("openai", strict="require")
    pairs = [{"key": "a", "value": 1}, {"key": "a", "value": 2}]
    outcome = wire.call_sync(ToolCall("c", "count", {"words": pairs}))
    assert isinstance(outcome, Err)
    assert (outcome.kind, [issue.code for issue in outcome.issues]) == ("invalid_input", ["json"])
    assert "key written twice" in outcome.text


def test_what_the_wire_needs_repaired_is_repaired_and_recorded_in_the_tools_terms() -> None:
    wire = Toolset([count]).export("openai", strict="require")
    outcome = wire.call_sync(
        ToolCall("c", "count", {"words": '[{"key": "a", "value": "4"}, {"key": "b", "value": 1}]'})
    )
    assert outcome.unwrap() == 5
    assert outcome.coercions == (
        Coercion(("words",), "json_text"),
        Coercion(("words", "a"), "number_text"),
    )


def test_what_the_wire_cannot_read_at_all_is_refused_as_anywhere() -> None:
    wire = Toolset([count]).export("openai", strict="require")
    cut = wire.call_sync(ToolCall("c1", "count", '{"words": [{"key": "a", "va'))
    broken = wire.call_sync(ToolCall("c2", "count", "{a:1}"))
    assert [(getattr(one, "kind", ""), one.call_id) for one in (cut, broken)] == [
        ("truncated", "c1"),
        ("invalid_input", "c2"),
    ]
    assert cut.text == feedback.TRUNCATED
    assert "not JSON" in broken.text


def test_a_missing_or_unknown_key_is_told_by_its_name_on_the_wire() -> None:
    schema = {
        "type": "object",
        "properties": {"filter[id]": {"type": "string"}, "sort": {"type": "string"}},
        "required": ["filter[id]"],
        "additionalProperties": False,
    }
    find = tool(
        lambda a: a["filter[id]"], name="find", description="Find.", input=schema, output=None
    )
    wire = Toolset([find]).export("anthropic")
    assert list(wire.tools[0]["input_schema"]["properties"]) == ["filter_id", "sort"]
    assert wire.call_sync(ToolCall("c", "find", {"filter_id": "x"})).unwrap() == "x"
    outcome = wire.call_sync(ToolCall("c", "find", {"filterId": "x"}))
    assert isinstance(outcome, Err)
    assert [issue.path for issue in outcome.issues] == [("filter[id]",), ("filterId",)]
    assert outcome.text == (
        "Please rewrite the input with valid arguments. Errors: "
        "filter_id: required; filterId: unknown (did you mean filter_id?)"
    )


@pytest.mark.requirement("row-36")
@pytest.mark.requirement("pain-05")
def test_a_union_at_the_root_becomes_a_sentence_and_is_still_enforced() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
        "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
    }
    find = tool(lambda a: 1, name="find", description="Find.", input=schema, output=None)
    wire = Toolset([find]).export("anthropic")
    [declared] = wire.tools
    assert "anyOf" not in declared["input_schema"]
    assert "a" in declared["input_schema"]["description"]
    assert [(loss.tool, loss.keyword) for loss in wire.losses] == [("find", "anyOf")]
    assert getattr(wire.call_sync(ToolCall("c", "find", {})), "kind", "") == "invalid_input"


@pytest.mark.requirement("row-39")
@pytest.mark.requirement("pain-33")
@ALL
def test_a_type_that_holds_itself_goes_out_and_twice_the_same(target: str) -> None:
    toolset = Toolset([plant])
    wire = toolset.export(target)
    assert wire.problems == ()
    assert json.dumps(toolset.export(target).request) == json.dumps(wire.request)
    if target in ("gemini-openapi", "ollama", "xai"):
        assert "encoded" in {loss.kind for loss in wire.losses}


@dataclass
class Node:
    value: int
    kids: list[Node]


@tool
def plant(node: Node) -> int:
    """Plant a tree."""
    return node.value + sum(plant(kid) for kid in node.kids)


def test_a_tree_grows_through_every_provider() -> None:
    tree = {"value": 1, "kids": [{"value": 2, "kids": []}, {"value": 3, "kids": []}]}
    for target in ("openai", "anthropic", "gemini-openapi", "ollama", "xai"):
        planned = lower(plant.input_schema.json_schema(), target, "prefer")
        wire = Toolset([plant]).export(target, strict="prefer")
        sent = planned.lens.put({"node": tree})
        assert wire.call_sync(ToolCall("c", "plant", sent)).unwrap() == 6, target


@pytest.mark.requirement("pain-36")
@ALL
def test_a_parameter_that_takes_anything_is_never_an_empty_schema(target: str) -> None:
    @tool
    def keep(values: list[Any], by_name: dict[str, Any]) -> int:
        """Keep values of any kind."""
        return len(values) + len(by_name)

    schema = keep.input_schema.json_schema()
    assert schema["properties"]["values"]["items"] == {
        "type": ["null", "boolean", "number", "string", "array", "object"]
    }
    text = json.dumps(Toolset([keep]).export(target).request)
    assert '"values": {"type": "array", "items": {}' not in text
    assert '"additionalProperties": {}' not in text


class Corner(TypedDict):
    x: int
    y: int


class Box(TypedDict):
    near: Corner
    far: Corner
    more: list[Corner]


@pytest.mark.requirement("pain-15")
@pytest.mark.parametrize("strict", [False, "prefer"])
@ALL
def test_a_nested_type_goes_out_without_references(target: str, strict: Any) -> None:
    @tool
    def turn(box: Box) -> Box:
        """Turn a box."""
        return box

    text = json.dumps(Toolset([turn]).export(target, strict=strict).request)
    assert "Turn a box." in text
    assert not [word for word in ("$ref", "$defs", "definitions", "components") if word in text]


@ALL
def test_a_tool_whose_arguments_are_a_map_has_its_schema_everywhere(target: str) -> None:
    schema = {"type": "object", "additionalProperties": {"type": "integer"}}
    tally = tool(size, name="tally", description="Tally.", input=schema, output=None)
    assert '"integer"' in json.dumps(Toolset([tally]).export(target).tools)


@pytest.mark.requirement("pain-64")
def test_a_schema_of_the_authors_own_goes_out_byte_for_byte() -> None:
    schema = {
        "properties": {"b": {"type": "string", "x-unit": "m"}, "a": {"type": "integer"}},
        "type": "object",
        "required": ["b"],
        "title": "Find",
    }
    find = tool(lambda a: 1, name="find", description="Find.", input=schema, output=None)
    for target in ("openai", "openai-chat", "anthropic", "bedrock", "mistral", "cohere", "mcp"):
        text = json.dumps(Toolset([find]).export(target).request)
        assert json.dumps(schema) in text, target


def test_examples_go_out_in_the_wires_terms_where_the_target_has_a_place() -> None:
    shown = count.replace(examples=[{"words": {"a": 1}}])
    [declared] = Toolset([shown]).export("anthropic", strict="require").tools
    assert declared["input_examples"] == [{"words": [{"key": "a", "value": 1}]}]
    [plain] = Toolset([shown]).export("anthropic").tools
    assert plain["input_examples"] == [{"words": {"a": 1}}]


WEATHER = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "degrees": {"type": "integer"},
        "days": {"type": "integer"},
    },
    "required": ["city", "degrees", "days"],
}


def test_what_a_dialect_loses_of_an_output_is_named() -> None:
    @tool
    def split(text: str) -> tuple[str, int]:
        """Split a text."""
        return text, 1

    wire = Toolset([split]).export("openapi-3.0")
    [declared] = wire.tools
    assert "prefixItems" not in declared["output"]
    assert [(loss.tool, loss.keyword, loss.kind) for loss in wire.losses] == [
        ("split", "prefixItems", "widened")
    ]
    assert wire.losses[0].detail.startswith("of the output: ")


@pytest.mark.parametrize("target", DIALECTS)
def test_a_dialect_of_schemas_has_declarations_and_no_calls(target: str) -> None:
    wire = tools().export(target)
    assert [one["name"] for one in wire.tools] == [
        "add",
        "calendar_respond",
        "crash",
        "find_order",
        "get_weather",
    ]
    assert [one.get("output") for one in wire.tools] == [
        {"type": "integer"},
        None,
        {"type": "string"},
        {"type": "string"},
        WEATHER,
    ]
    reason = f"^{target}: a dialect of schemas, which has no calls; export to the target of"
    with pytest.raises(ToolhaftError, match=reason):
        wire.answer_sync({"content": []})
    with pytest.raises(ToolhaftError, match=reason):
        wire.result(wire.call_sync(ToolCall("c", "add", ADDED)))


# ------------------------------------------------------------------------------- steps of a turn


@pytest.mark.requirement("pain-51")
@pytest.mark.parametrize("target", ["anthropic", "openai", "openai-chat"])
def test_each_call_gets_exactly_one_result_in_the_order_of_the_request(target: str) -> None:
    names = ["crash", "add", "nothing", "find_order", "add", "crash"]
    calls = [ToolCall(f"c{place}", name, ADDED) for place, name in enumerate(names)]
    wire = tools().export(target)
    results = [wire.result(outcome) for outcome in asyncio.run(wire.call_all(calls))]
    id_field = {"anthropic": "tool_use_id", "openai": "call_id", "openai-chat": "tool_call_id"}
    assert [result[id_field[target]] for result in results] == [call.id for call in calls]


@CALLED
def test_a_call_alone_is_run_as_among_others(target: str) -> None:
    wire = tools().export(target)
    good, unknown = ToolCall("c1", "add", ADDED), ToolCall("c2", "ad", ADDED)
    sync = [wire.call_sync(good), wire.call_sync(unknown)]
    awaited = [asyncio.run(wire.call(good)), asyncio.run(wire.call(unknown))]
    for first, second in (sync, awaited):
        assert (first.unwrap(), first.call_id) == (3, "c1")
        assert (getattr(second, "kind", ""), second.name, second.call_id) == (
            "unknown_tool",
            "ad",
            "c2",
        )


@pytest.mark.parametrize("target", ["anthropic", "openai", "openai-chat"])
def test_an_outcome_that_answers_no_call_makes_no_result(target: str) -> None:
    outcome = tools().call_sync("add", ADDED)
    with pytest.raises(ToolhaftError) as raised:
        tools().export(target).result(outcome)
    assert str(raised.value) == (
        f"{target}: the outcome has no call_id; run the call through the export"
    )


@pytest.mark.requirement("pain-72")
@pytest.mark.parametrize("raw", ['{"a": 1, "b": 2}', b'{"a": 1, "b": 2}', ADDED])
@CALLED
def test_text_bytes_and_objects_give_the_same_result(target: str, raw: Any) -> None:
    wire = tools().export(target)
    expected = wire.result(wire.call_sync(ToolCall("c", "add", ADDED)))
    assert wire.result(wire.call_sync(ToolCall("c", "add", raw))) == expected


@pytest.mark.parametrize("raw", [[1], 7, '"text"', [], {"a": {1}}])
def test_arguments_of_any_other_kind_are_the_models_mistake(raw: Any) -> None:
    outcome = tools().export("anthropic").call_sync(ToolCall("c", "add", raw))
    assert getattr(outcome, "kind", None) == "invalid_input"


def test_the_context_reaches_the_handler_by_every_way() -> None:
    @tool
    def whose(context: Context[dict[str, str]]) -> str:
        """Name the user."""
        return context["user"]

    wire = Toolset([whose]).export("anthropic")
    ann, call = {"user": "ann"}, ToolCall("c", "whose")
    received = anthropic(("c", "whose", {}))
    outcomes = [
        wire.call_sync(call, context=ann),
        asyncio.run(wire.call(call, context=ann)),
        *wire.call_all_sync([call], context=ann),
        *asyncio.run(wire.call_all([call], context=ann)),
        *wire.answer_sync(received, context=ann).outcomes,
        *asyncio.run(wire.answer(received, context=ann)).outcomes,
    ]
    assert [outcome.unwrap() for outcome in outcomes] == ["ann"] * 6


@pytest.mark.requirement("wire-errors")
def test_a_response_that_cannot_be_read_runs_nothing() -> None:
    ran: list[str] = []
    made = from_json([declared("act")], call=lambda name, arguments: ran.append(name))
    twice = anthropic(("c", "act", {}), ("c", "act", {}))
    wire = made.export("anthropic")
    with pytest.raises(
        WireError, match=r"^anthropic: content\[1\].id: the same id as content\[0\]"
    ):
        wire.answer_sync(twice)
    with pytest.raises(WireError):
        asyncio.run(wire.answer(twice))
    assert ran == []


@pytest.mark.requirement("answer-cancelled")
@pytest.mark.requirement("pain-51")
def test_after_a_cancellation_every_call_is_answered_as_cancelled() -> None:
    began = asyncio.Event()

    @tool
    async def wait() -> str:
        """Wait for ever."""
        began.set()
        await asyncio.Event().wait()
        return ""

    wire = Toolset([wait]).export("anthropic")
    received = anthropic(("c1", "wait", {}), ("c2", "nothing", {}))

    async def cancelled() -> bool:
        task = asyncio.create_task(wire.answer(received))
        await began.wait()
        task.cancel()
        [done] = await asyncio.gather(task, return_exceptions=True)
        return isinstance(done, asyncio.CancelledError)

    assert asyncio.run(cancelled())
    answer = wire.unanswered(received)
    text = "The call was cancelled before it finished. It may still have taken effect."
    results = [
        {"type": "tool_result", "tool_use_id": call_id, "content": text, "is_error": True}
        for call_id in ("c1", "c2")
    ]
    assert answer.messages == [
        {"role": "assistant", "content": received["content"]},
        {"role": "user", "content": results},
    ]
    assert answer.results == results
    assert [(one.name, getattr(one, "effect", "")) for one in answer.outcomes] == [
        ("wait", "unknown"),
        ("nothing", "unknown"),
    ]


def test_an_answer_shows_its_outcomes_and_no_value() -> None:
    answer = tools().export("anthropic").answer_sync(anthropic(("c", "add", ADDED)))
    assert repr(answer) == "Answer(outcomes=[Ok(name='add', coercions=())])"


@pytest.mark.requirement("loop-guard")
@pytest.mark.requirement("pain-13")
def test_a_guard_is_told_the_tools_own_names_and_counts_every_call_of_a_turn() -> None:
    seen: list[Any] = []

    def key(name: str, arguments: Any) -> Any:
        seen.append((name, arguments))
        return name, str(arguments)

    pairs = {"type": "object", "additionalProperties": {"type": "integer"}}
    find = declared("geo.find", properties={"pairs": pairs, "n": {"type": "integer"}})
    made = from_json([find], call=lambda name, arguments: arguments)
    wire = made.export("openai", strict="prefer")
    good = json.dumps({"pairs": [{"key": "a", "value": 1}], "n": None})
    bad = json.dumps({"pairs": [{"key": "a"}], "n": None})
    turn = [("geo_find", good), ("geo_find", bad), ("geo_fund", good)]
    calls = [
        ToolCall(f"c{place}", name, raw)
        for place, (name, raw) in enumerate(one for one in turn for _ in range(3))
    ]
    expected = ["ok", "ok", "loop", *["invalid_input"] * 2, "loop", *["unknown_tool"] * 2, "loop"]
    for outcomes in (
        asyncio.run(wire.call_all(calls, guard=LoopGuard(key=key))),
        wire.call_all_sync(calls, guard=LoopGuard(key=key)),
    ):
        assert [getattr(one, "kind", "ok") for one in outcomes] == expected
        assert [one.call_id for one in outcomes] == [f"c{place}" for place in range(9)]
        assert [wire.result(one)["call_id"] for one in outcomes] == [one.id for one in calls]
    assert [name for name, _ in seen[:9:3]] == ["geo.find", "geo.find", "geo_fund"]
    assert seen[0][1] == {"pairs": {"a": 1}}


@pytest.mark.requirement("loop-guard")
def test_one_guard_goes_with_the_whole_conversation() -> None:
    wire, guard = tools().export("anthropic"), LoopGuard()
    received = anthropic(("c", "add", ADDED))
    call = ToolCall("c", "add", ADDED)
    assert wire.answer_sync(received, guard=guard).results[0]["is_error"] is False
    assert wire.call_sync(call, guard=guard)
    refused = asyncio.run(wire.answer(received, guard=guard))
    assert [(one.name, getattr(one, "kind", "")) for one in refused.outcomes] == [("add", "loop")]
    assert refused.results[0]["is_error"] is True
    assert not asyncio.run(wire.call(call, guard=guard))
