"""Tools read from declarations in any provider's shape."""

from __future__ import annotations

import asyncio
import gzip
import json
from pathlib import Path
from typing import Any, Literal

import pytest

from tests.providers.sample import tools
from toolhaft import Context, DefinitionError, Err, Injected, Report, from_json
from toolhaft.call.progress import Progress, report_to
from toolhaft.definition.targets import TARGETS
from toolhaft.errors import Fault
from toolhaft.imports.imported import LeftOut
from toolhaft.lowering import lint

SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "title": "Search arguments",
    "properties": {"query": {"title": "Query", "type": "string"}, "n": {"type": "integer"}},
    "required": ["query"],
    "x-vendor": [1, {"deep": None}],
}
NO_ARGUMENTS = {"type": "object", "properties": {}}
CHAT = {"type": "function", "function": {"name": "s", "description": "d", "parameters": SCHEMA}}
RESPONSES = {"type": "function", "name": "s", "description": "d", "parameters": SCHEMA}
BARE = {"name": "s", "description": "d", "parameters": SCHEMA}
ANTHROPIC = {"name": "s", "description": "d", "input_schema": SCHEMA}
MCP = {"name": "s", "description": "d", "inputSchema": SCHEMA}
GEMINI = {"name": "s", "description": "d", "parametersJsonSchema": SCHEMA}
SHAPES = {
    "chat": CHAT,
    "responses": RESPONSES,
    "bare": BARE,
    "anthropic": ANTHROPIC,
    "mcp": MCP,
    "gemini": GEMINI,
    "gemini list": {"functionDeclarations": [GEMINI]},
}
EACH = pytest.mark.parametrize("declaration", SHAPES.values(), ids=list(SHAPES))


def echo(name: str, arguments: dict[str, Any]) -> Any:
    return [name, arguments]


@EACH
@pytest.mark.requirement("from-json-shapes")
def test_every_shape_gives_the_same_tool_with_the_schema_byte_for_byte(
    declaration: dict[str, Any],
) -> None:
    made = from_json([declaration], call=echo)
    [one] = made
    assert (one.name, one.description, one.title) == ("s", "d", None)
    assert json.dumps(one.input_schema.json_schema()) == json.dumps(SCHEMA)
    assert (one.output_schema, one.annotations, one.provider_options) == (None, None, None)
    assert made.left_out == ()
    assert made.call_sync("s", '{"query": "x", "n": "2"}').unwrap() == [
        "s",
        {"query": "x", "n": 2},
    ]


@EACH
@pytest.mark.parametrize("invisible_characters", ["reject", "strip"])
def test_a_tool_stays_as_it_was_declared_if_the_declaration_changes(
    declaration: dict[str, Any], invisible_characters: Literal["reject", "strip"]
) -> None:
    text = json.dumps(declaration)
    with_definitions = text.replace(
        '"title": "Search arguments"', '"$defs": {"n": {"type": "integer"}}'
    ).replace('{"type": "integer"}}, "required"', '{"$ref": "#/$defs/n"}}, "required"')
    for declared in map(json.loads, (text, with_definitions)):
        made = from_json([declared], call=echo, invisible_characters=invisible_characters)
        before = json.dumps([made.export("anthropic").tools, made.export("mcp").tools])
        _empty(declared)
        assert json.dumps([made.export("anthropic").tools, made.export("mcp").tools]) == before
        refused = made.call_sync("s", {"query": "a", "n": "b"})
        assert refused.text.endswith("n: expected integer, received string")


def _empty(data: Any) -> None:
    for inner in data.values() if isinstance(data, dict) else data:
        if isinstance(inner, dict | list):
            _empty(inner)
    data.clear()


def test_declarations_of_all_shapes_may_stand_in_one_list() -> None:
    named = [CHAT, *({**one, "name": f"s{place}"} for place, one in enumerate([BARE, MCP, GEMINI]))]
    assert [one.name for one in from_json(named)] == ["s", "s0", "s1", "s2"]


@pytest.mark.requirement("from-json-call")
def test_the_call_may_be_a_coroutine_function() -> None:
    async def echo_later(name: str, arguments: dict[str, Any]) -> Any:
        await asyncio.sleep(0)
        return [name, arguments]

    made = from_json([MCP], call=echo_later)
    assert asyncio.run(made.call("s", {"query": "x"})).unwrap() == ["s", {"query": "x"}]
    assert made.call_sync("s", {"query": "x"}).unwrap() == ["s", {"query": "x"}]


@pytest.mark.requirement("from-json-call")
def test_without_a_call_arguments_are_checked_and_nothing_can_run() -> None:
    made = from_json([MCP])
    refused, passed = made.call_sync("s", {}), made.call_sync("s", {"query": "x"})
    assert (getattr(refused, "kind", ""), getattr(passed, "kind", "")) == (
        "invalid_input",
        "tool_error",
    )
    assert passed.text == "This tool cannot be run here: only its declaration is known."


def test_a_tool_without_a_description_has_none_of_ours() -> None:
    [one] = from_json([{"name": "s", "inputSchema": SCHEMA}], call=echo)
    assert one.description == ""


@pytest.mark.parametrize(
    "declaration",
    [
        {"type": "function", "name": "s"},
        {"type": "function", "name": "s", "parameters": None, "strict": None},
        {"type": "function", "function": {"name": "s"}},
    ],
)
def test_openai_tools_without_parameters_take_no_arguments(declaration: dict[str, Any]) -> None:
    [one] = from_json([declaration])
    assert one.input_schema.json_schema() == NO_ARGUMENTS


FULL_MCP = {
    "name": "calendar.find",
    "title": "Find",
    "description": "Find a day.",
    "inputSchema": SCHEMA,
    "outputSchema": {"type": "object", "properties": {"day": {"type": "string"}}},
    "annotations": {"title": "Find a day", "readOnlyHint": True, "openWorldHint": None},
}


@pytest.mark.requirement("from-json-mcp")
def test_all_that_a_tool_has_a_place_for_is_carried_from_mcp() -> None:
    made = from_json([FULL_MCP], call=lambda name, arguments: {"day": "Monday"})
    [one] = made
    assert (one.name, one.title) == ("calendar.find", "Find")
    assert one.annotations == {"title": "Find a day", "readOnlyHint": True}
    assert one.output_schema is not None
    assert one.output_schema.json_schema(mode="output") == FULL_MCP["outputSchema"]
    assert made.left_out == ()
    broken = from_json([FULL_MCP], call=lambda name, arguments: {"day": 7})
    assert (
        getattr(broken.call_sync("calendar.find", {"query": "x"}), "kind", "") == "output_invalid"
    )


@pytest.mark.parametrize("hints", [{}, {"readOnlyHint": False}])
def test_annotations_that_say_little_go_out_as_they_came_in(hints: dict[str, Any]) -> None:
    declared = {**MCP, "annotations": hints}
    assert from_json([declared]).export("mcp").tools == [declared]


@pytest.mark.requirement("pain-65")
@pytest.mark.requirement("from-json-left-out")
def test_what_a_tool_has_no_place_for_is_left_out_and_named() -> None:
    extra = {
        "_meta": {"ui": "x"},
        "icons": [{"src": "https://example.com/i.png"}],
        "execution": {"taskSupport": "optional"},
        "annotations": {"readOnlyHint": "yes", "priority": 1, "idempotentHint": True},
        "x-note": None,
    }
    made = from_json([{**MCP, **extra}, {**GEMINI, "name": "t", "behavior": "BLOCKING"}])
    assert made.left_out == (
        LeftOut("s", "annotations.readOnlyHint"),
        LeftOut("s", "annotations.priority"),
        LeftOut("s", "_meta"),
        LeftOut("s", "icons"),
        LeftOut("s", "execution"),
        LeftOut("t", "behavior"),
    )
    assert made["s"].annotations == {"idempotentHint": True}
    assert [one["name"] for one in made.export("mcp").tools] == ["s", "t"]


@pytest.mark.requirement("from-json-provider-options")
@pytest.mark.parametrize(
    ("target", "declaration", "options"),
    [
        ("openai", {**RESPONSES, "strict": False, "defer_loading": True}, {"defer_loading": True}),
        ("openai-chat", {**CHAT, "x_note": 1}, {"x_note": 1}),
        ("anthropic", {**ANTHROPIC, "cache_control": {"type": "ephemeral"}},
         {"cache_control": {"type": "ephemeral"}}),
    ],
)  # fmt: skip
def test_what_only_one_api_understands_stays_with_it(
    target: str, declaration: dict[str, Any], options: dict[str, Any]
) -> None:
    made = from_json([declaration])
    assert made["s"].provider_options == {target: options}
    [again] = made.export(target).tools
    assert again == declaration
    assert (made.left_out, made.export("mcp").tools) == ((), [MCP])


STRICT = {
    "type": "object",
    "properties": {"q": {"type": "string"}},
    "required": ["q"],
    "additionalProperties": False,
}


def test_a_declaration_that_is_strict_makes_a_tool_that_is_where_the_target_can() -> None:
    body = {"name": "s", "description": "S.", "parameters": STRICT, "strict": True}
    for target, declaration in (
        ("openai", {"type": "function", **body}),
        ("openai-chat", {"type": "function", "function": body}),
    ):
        made = from_json([declaration])
        assert (made["s"].strict, made["s"].provider_options) == ("prefer", None)
        assert made.export(target).tools == [declaration]
    plain = {"name": "s", "input_schema": STRICT, "description": "S.", "type": "custom"}
    assert from_json([plain])["s"].provider_options is None


@pytest.mark.requirement("from-json-faults")
def test_everything_wrong_with_every_declaration_is_in_one_error() -> None:
    with pytest.raises(DefinitionError) as raised:
        from_json([
            MCP,
            ["not", "a", "declaration"],
            {"name": "a", "description": "d"},
            {"inputSchema": SCHEMA},
            {**MCP, "name": "b", "inputSchema": {"type": "array"}},
            {**MCP, "name": "c", "inputSchema": "object"},
            {**MCP, "name": "d", "inputSchema": None},
            {**MCP, "name": "e", "outputSchema": True},
            {**MCP, "name": "f", "description": 7, "title": 8},
            {**MCP, "name": "g h"},
            {**MCP, "name": "S"},
            {"functionDeclarations": [{**GEMINI, "name": ""}]},
            {**MCP, "name": "i", "inputSchema": {"type": "object", "$ref": "https://example.com"}},
            {**MCP, "name": "j", "inputSchema": {"anyOf": [SCHEMA, {"type": "object"}]}},
        ])  # fmt: skip
    object_fix = 'write {"type": "object", ...}'
    assert [(fault.tool, fault.where) for fault in raised.value.faults[:9]] == [
        ("declarations[1]", ""),
        ("declarations[2]", ""),
        ("declarations[3]", "name"),
        ("declarations[4] b", "inputSchema"),
        ("declarations[5]", "inputSchema"),
        ("declarations[6]", "inputSchema"),
        ("declarations[7]", "outputSchema"),
        ("declarations[8] f", "title"),
        ("declarations[8] f", "description"),
    ]
    assert raised.value.faults[3] == Fault(
        "declarations[4] b", "inputSchema", "not a schema of an object", object_fix
    )
    assert [(fault.tool, fault.where) for fault in raised.value.faults[9:]] == [
        ("declarations[9] g h", "name"),
        ("declarations[10] S", "name"),
        ("declarations[11].functionDeclarations[0] (unnamed tool)", "name"),
        ("declarations[12] i", "inputSchema"),
        ("declarations[13] j", "inputSchema"),
    ]
    assert raised.value.faults[10].reason == "reads the same as that of declarations[0]"


REAL = Path(__file__).parents[3] / "shared" / "data" / "tools_mcp.jsonl.gz"
KEYS = ("name", "title", "description", "inputSchema", "outputSchema", "annotations")


@pytest.mark.unmeasured
@pytest.mark.requirement("from-json-round-trip")
@pytest.mark.skipif(not REAL.exists(), reason="the real tools are not part of the repository")
def test_real_mcp_tools_go_out_as_they_came_in() -> None:
    with gzip.open(REAL, "rt", encoding="utf-8") as lines:
        real = [json.loads(line) for line in lines]
    typed = [one for one in real if one["inputSchema"].get("type") == "object"]
    assert len(typed) >= len(real) - 1
    newest = [one for one in typed if not lint(one["inputSchema"], "mcp")]
    assert len(newest) == 437  # the others say that they are of draft-07
    for one in newest:
        declared = {key: one[key] for key in KEYS if one.get(key) not in (None, "")}
        made = from_json([one])
        assert made.export("mcp").tools == [declared]
        [again] = made
        assert json.dumps(again.input_schema.json_schema()) == json.dumps(one["inputSchema"])


@pytest.mark.requirement("from-json-round-trip")
@pytest.mark.parametrize("target", TARGETS)
def test_an_export_is_read_and_written_again_as_the_same_bytes(target: str) -> None:
    # MCP's `_meta`, which one of the tools has among its options, is among what is left out.
    ours = tools().select("[!g]*") if target == "mcp" else tools()
    first = json.dumps(ours.export(target).tools)
    again = from_json(json.loads(first))
    assert json.dumps(again.export(target).tools) == first
    assert again.left_out == ()


@pytest.mark.requirement("standard-tools")
def test_a_call_that_takes_a_third_argument_is_given_the_context() -> None:
    seen: list[Any] = []

    def call(name: str, arguments: dict[str, Any], context: Any) -> str:
        seen.append((name, arguments, context))
        return "done"

    async def call_later(name: str, arguments: dict[str, Any], context: Any) -> str:
        return call(name, arguments, context)

    request = object()
    for each in (call, call_later):
        made = from_json([{"name": "s", "description": "S.", "inputSchema": STRICT}], call=each)
        assert made.call_sync("s", {"q": "a"}, context=request).text == "done"
    assert seen == [("s", {"q": "a"}, request)] * 2


BEDROCK = {"toolSpec": {"name": "s", "description": "d", "inputSchema": {"json": SCHEMA}}}
GEMINI_OPENAPI = {
    "functionDeclarations": [
        {
            "name": "s",
            "description": "d",
            "parameters": {"type": "object", "properties": {"query": {"type": "string"}}},
        }
    ]
}


@pytest.mark.requirement("from-json-call")
@pytest.mark.parametrize("later", [False, True])
@pytest.mark.parametrize(
    "declaration", [*SHAPES.values(), BEDROCK, GEMINI_OPENAPI], ids=[*SHAPES, "bedrock", "openapi"]
)
def test_a_call_marks_what_it_needs_as_a_handler_does(
    declaration: dict[str, Any], later: bool
) -> None:
    def call(
        name: str,
        arguments: dict[str, Any],
        *,
        request: Context[dict[str, Any]],
        user: Injected[str],
        report: Report,
    ) -> Any:
        """Run a tool by its name."""
        report(1, 1, name)
        return [name, arguments, request["locale"], user]

    async def call_later(
        name: str,
        arguments: dict[str, Any],
        request: Context[dict[str, Any]],
        user: Injected[str],
        report: Report,
    ) -> Any:
        """Run a tool by its name."""
        return call(name, arguments, request=request, user=user, report=report)

    made = from_json([declaration], call=call_later if later else call)
    heard: list[Progress] = []
    with report_to(heard.append):
        outcome = made.call_sync(
            "s", {"query": "x"}, context={"locale": "fr", "user": "Ann", "secret": 1}
        )
    assert outcome.unwrap() == ["s", {"query": "x"}, "fr", "Ann"]
    assert heard == [Progress("s", 1, 1, "s")]
    assert (made["s"].injects, made["s"].description) == (("user",), "d")
    lacking = made.call_sync("s", {"query": "x"}, context={"locale": "fr"})
    assert isinstance(lacking, Err)
    assert (lacking.kind, lacking.effect) == ("runtime_error", "none")


def test_a_docstring_of_the_call_is_no_description() -> None:
    def call(name: str, arguments: dict[str, Any], request: Context[Any]) -> Any:
        """Run a tool by its name."""
        return name

    [one] = from_json([{"name": "s", "inputSchema": SCHEMA}], call=call)
    assert one.description == ""


@pytest.mark.requirement("standard-tools")
def test_the_objects_of_an_sdk_are_declarations() -> None:
    types = pytest.importorskip("mcp.types", reason="the mcp SDK is not installed")
    declared = types.Tool.model_validate({"name": "s", "description": "S.", "inputSchema": STRICT})
    [made] = from_json([declared])
    assert (made.name, made.input_schema.json_schema()) == ("s", STRICT)


GEMINIS: Any = {
    "type": "OBJECT",
    "properties": {
        "q": {"type": "STRING", "nullable": True, "maxLength": "9"},
        "kind": {"type": "STRING", "enum": ["a", "b"], "nullable": True, "format": "enum"},
        "items": {"type": "ARRAY", "items": {"type": "INTEGER"}, "minItems": "1"},
        "either": {"anyOf": [{"type": "NUMBER"}, {"type": "BOOLEAN"}], "nullable": True},
        "nullable": {"type": "STRING", "nullable": False},
    },
    "required": ["items"],
    "propertyOrdering": ["items", "q"],
}
JSON_SCHEMA = {
    "type": "object",
    "properties": {
        "q": {"type": ["string", "null"], "maxLength": 9},
        "kind": {"type": ["string", "null"], "enum": ["a", "b", None], "format": "enum"},
        "items": {"type": "array", "items": {"type": "integer"}, "minItems": 1},
        "either": {"anyOf": [{"type": "number"}, {"type": "boolean"}, {"type": "null"}]},
        "nullable": {"type": "string"},
    },
    "required": ["items"],
    "propertyOrdering": ["items", "q"],
}


@pytest.mark.requirement("from-json-shapes")
@pytest.mark.parametrize(
    "declaration",
    [
        {"name": "s", "description": "d", "parameters": GEMINIS},
        {"functionDeclarations": [{"name": "s", "description": "d", "parameters": GEMINIS}]},
        {"function_declarations": [{"name": "s", "description": "d", "parameters": GEMINIS}]},
    ],
)
def test_geminis_own_language_is_read_as_json_schema(declaration: dict[str, Any]) -> None:
    [one] = from_json([declaration])
    assert one.input_schema.json_schema() == JSON_SCHEMA
    assert one.call_sync({"items": [1], "q": None}).text == (
        "This tool cannot be run here: only its declaration is known."
    )
    assert one.call_sync({"items": []}).text.endswith("items: expected at least 1 item")


def test_the_keys_of_google_genai_in_dicts_are_read() -> None:
    declared = {"name": "s", "description": "d", "parameters_json_schema": SCHEMA}
    for declaration in (declared, {"function_declarations": [declared]}):
        [one] = from_json([declaration])
        assert one.input_schema.json_schema() == SCHEMA


SDK_OBJECTS = {
    "mistral": "mistralai.client.models:Tool",
    "ollama": "ollama:Tool",
    "cohere": "cohere:ToolV2",
}


@pytest.mark.requirement("from-json-shapes")
@pytest.mark.parametrize("path", SDK_OBJECTS.values(), ids=list(SDK_OBJECTS))
def test_the_tools_of_each_sdk_are_declarations(path: str) -> None:
    name, _, kind = path.partition(":")
    module = pytest.importorskip(name, reason="the SDK is not installed")
    schema = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}
    body = {"name": "s", "description": "d", "parameters": schema}
    declared = getattr(module, kind).model_validate({"type": "function", "function": body})
    [one] = from_json([declared])
    assert (one.name, one.input_schema.json_schema()) == ("s", schema)


@pytest.mark.requirement("from-json-shapes")
def test_the_tools_of_googles_sdk_are_declarations() -> None:
    types: Any = pytest.importorskip("google.genai.types", reason="the SDK is not installed")
    function = types.FunctionDeclaration(
        name="s", description="d", parameters=types.Schema.model_validate(GEMINIS)
    )
    for declared in (function, types.Tool(function_declarations=[function])):
        [one] = from_json([declared])
        assert one.input_schema.json_schema()["properties"]["items"] == {
            "type": "array",
            "items": {"type": "integer"},
            "minItems": 1,
        }


@pytest.mark.parametrize("wrong", [{"tools": []}, "ping", b"[]", 5, None])
def test_what_is_no_list_of_declarations_is_one_fault(wrong: Any) -> None:
    with pytest.raises(DefinitionError) as raised:
        from_json(wrong)
    [fault] = raised.value.faults
    assert (fault.tool, fault.reason) == ("declarations", "not a list of declarations")


def test_what_is_no_declaration_is_one_fault_by_its_place() -> None:
    wrong: Any = [5, None, "ping", ["ping"]]
    with pytest.raises(DefinitionError) as raised:
        from_json(wrong)
    assert raised.value.faults == tuple(
        Fault(f"declarations[{place}]", "", "not an object", "pass a tool declaration as a dict")
        for place in range(4)
    )


def test_the_text_of_faults_can_be_printed_whatever_a_declaration_holds() -> None:
    with pytest.raises(DefinitionError) as raised:
        from_json(
            [
                {"name": "a\ud800", "description": "A.", "inputSchema": {"type": "object"}},
                {"name": "b", "description": "B\ud800.", "inputSchema": {"type": "object"}},
                {"name": "c", "inputSchema": {"type": "object", "properties": {"\ud800": {}}}},
            ]
        )
    assert str(raised.value) == (
        "3 faults\n"
        r"declarations[0] a\ud800.name: holds U+D800; use 1 to 128 letters, digits, _ . / : and -"
        "\ndeclarations[1] b.description: holds a surrogate character (U+D800); remove it"
        "\ndeclarations[2] c.inputSchema: not plain JSON (properties: lone surrogate in a key); "
        "use JSON data only"
    )


def test_an_annotation_that_is_none_is_left_out_and_named() -> None:
    made = from_json([{**MCP, "annotations": {"title": "Find" * 100, "readOnlyHint": True}}])
    assert made.left_out == (LeftOut("s", "annotations.title"),)
    assert made["s"].annotations == {"readOnlyHint": True}


@pytest.mark.requirement("invisible-characters")
def test_a_declaration_loses_what_nobody_sees_where_that_is_chosen() -> None:
    schema = {
        "type": "object",
        "properties": {
            "q": {"type": "string", "description": "A\u200b word.", "default": "\u2028"}
        },
    }
    title = {"title": "Find\u202e", "readOnlyHint": True}
    declared = {**MCP, "inputSchema": schema, "annotations": title, "description": "Find\x1b[8m."}
    made = from_json([declared], invisible_characters="strip")
    assert made["s"].input_schema.json_schema()["properties"] == {
        "q": {"type": "string", "description": "A word."}
    }
    assert (made["s"].description, made["s"].annotations) == (
        "Find[8m.",
        {"title": "Find", "readOnlyHint": True},
    )
    assert [left_out.field for left_out in made.left_out] == [
        "description (a control character (U+001B))",
        "inputSchema/properties/q/description (a zero-width character (U+200B ZERO WIDTH SPACE))",
        "inputSchema/properties/q/default (a separator character (U+2028 LINE SEPARATOR))",
        "annotations/title (a bidirectional character (U+202E RIGHT-TO-LEFT OVERRIDE))",
    ]


@pytest.mark.requirement("invisible-characters")
def test_an_enum_member_that_nobody_sees_whole_is_never_another_one() -> None:
    schema = {"type": "object", "properties": {"q": {"enum": ["a", "b\u200b"]}}}
    choices: tuple[Literal["reject", "strip"], ...] = ("reject", "strip")
    for choice in choices:
        with pytest.raises(DefinitionError) as raised:
            from_json([{**MCP, "inputSchema": schema}], invisible_characters=choice)
        assert str(raised.value) == (
            "declarations[0] s.inputSchema: JSON Schema: /properties/q/enum/1: holds a zero-width "
            "character (U+200B ZERO WIDTH SPACE); remove it; correct the schema"
        )


def test_what_a_declaration_says_of_results_and_examples_is_the_tools_own() -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    anthropic = {"name": "a", "description": "A.", "input_schema": schema}
    openai = {"type": "function", "name": "b", "description": "B.", "parameters": schema}
    made = from_json([
        {**anthropic, "input_examples": [{"n": 1}]},
        {**openai, "output_schema": {"type": "integer"}},
    ])  # fmt: skip
    assert (made["a"].examples, made["a"].provider_options) == ([{"n": 1}], None)
    assert made.export("anthropic").tools[0]["input_examples"] == [{"n": 1}]
    output: Any = made["b"].output_schema
    assert output.json_schema(mode="output") == {"type": "integer"}
    with pytest.raises(DefinitionError) as raised:
        from_json([{**anthropic, "input_examples": 3}])
    assert [str(fault) for fault in raised.value.faults] == [
        "declarations[0] a.input_examples: not a list of arguments; pass a list of dicts"
    ]
