"""Invisible characters reach no wire, wherever they are in a definition."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Annotated, Any, Final

import pytest
from pydantic import Field, create_model

from tests.share import step
from toolhaft import (
    DefinitionError,
    Doc,
    Toolset,
    from_json,
    from_mcp,
    from_openapi,
    schema_of,
    tool,
)
from toolhaft.definition.targets import TARGETS
from toolhaft.imports.imported import Imported
from toolhaft.lowering import lower
from toolhaft.schema.faults import SchemaRefused
from toolhaft.tools.tool import AnyTool

pytestmark = pytest.mark.requirement("invisible-characters")

# Between letters, where no script and no emoji needs them.
PAYLOADS: Final = {
    "ANSI": "\x1b[8m",
    "NUL": "\0",
    "backspace": "\x08",
    "carriage return": "\r",
    "DEL": "\x7f",
    "C1": "\x9b31m",
    "next line": "\x85",
    "override": "\u202e",
    "isolate": "\u2066",
    "Arabic mark": "\u061c",
    "zero-width space": "\u200b",
    "stray joiner": "\u200d",
    "stray non-joiner": "\u200c",
    "word joiner": "\u2060",
    "byte order mark": "\ufeff",
    "tag block": "\U000e0041\U000e0042",
    "variation selector": "\ufe0f",
    "of the supplement": "\U000e0100",
    "line separator": "\u2028",
    "paragraph separator": "\u2029",
    "blank": "\u2800",
    "soft hyphen": "\xad",
    "filler": "\u3164",
    "invisible times": "\u2062",
    "annotation anchor": "\ufff9",
    "padding": " " * 300,
}
# Each payload is tried in this part of the places, and each place with many payloads.
PARTS: Final = max(1, step() // 2)
EACH: Final = pytest.mark.parametrize("payload", PAYLOADS.values(), ids=PAYLOADS)


def places(text: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield schemas of arguments that contain a text, each in another place that a model reads."""
    node: dict[str, Any] = {"type": "string"}
    for word in ("description", "title", "$comment", "default", "x-note", "contentMediaType"):
        yield word, wrap({**node, word: text})
    yield "examples", wrap({**node, "examples": ["a", text]})
    yield "x-nested", wrap({**node, "x-nested": {"a": [{"b": text}]}})
    yield "x-key", wrap({**node, f"x-{text}": 1})
    yield "enum", wrap({"enum": ["a", text]})
    yield "enum of objects", wrap({"enum": [{"a": [text]}]})
    yield "const", wrap({"const": text})
    yield "pattern", wrap({**node, "pattern": f"^{text}$"})
    yield "format", wrap({**node, "format": text})
    yield "property", wrap({"type": "object", "properties": {text: node}})
    yield "pattern of properties", wrap({"type": "object", "patternProperties": {text: node}})
    yield "required", wrap({"type": "object", "required": [text]})
    yield "dependentRequired", wrap({"type": "object", "dependentRequired": {"a": [text]}})
    yield "definition", {**wrap(node), "$defs": {text: node}}
    yield "in a definition", {**wrap(node), "$defs": {"a": {**node, "description": text}}}
    yield "root", {**wrap(node), "description": text}
    yield "root comment", {**wrap(node), "$comment": text}
    for word in ("not", "propertyNames", "contains", "if", "additionalProperties", "items"):
        yield f"in {word}", wrap({word: {"minLength": 1, "description": text}})
    for word in ("anyOf", "oneOf", "allOf", "prefixItems"):
        yield f"in {word}", wrap({word: [{"type": "object", "properties": {"a": {"title": text}}}]})


def some_places(payload: str, turn: int = 0) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield a part of the places, another one each turn: `make thorough` tries all of them."""
    first = list(PAYLOADS.values()).index(payload) + turn
    found = list(places(f"be{payload}low"))
    yield from found[first % PARTS :: PARTS]


def wrap(node: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": {"rows": {"type": "array", "items": node}}}


def run(arguments: Any) -> Any:
    """Run."""
    return arguments


def strings(data: Any) -> Iterator[str]:
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict):
        for key, value in data.items():
            yield key
            yield from strings(value)
    elif isinstance(data, list | tuple):
        for item in data:
            yield from strings(item)


def leaks(tools: Any, payload: str) -> list[str]:
    """Name the targets to which a payload would be sent."""
    return [
        target
        for target in TARGETS
        for wire in [tools.export(target)]
        if any(payload in text for text in strings([wire.tools, wire.request]))
    ]


def outcome_of(make: Callable[[], Any], payload: str) -> Any:
    """Make tools: return that they were rejected by name, or the tools, which leak nothing."""
    try:
        made = make()
    except DefinitionError as error:
        told = str(error)
    else:
        assert leaks(made, payload) == []
        return made
    assert " holds " in told or " longer than " in told
    assert payload not in told
    return "rejected"


OWN: Final[dict[str, Callable[[dict[str, Any]], AnyTool]]] = {
    "input": lambda schema: tool(run, input=schema),
    "output": lambda schema: tool(run, input={"type": "object"}, output=schema),
    "schema_of": lambda schema: tool(run, input=schema_of(validate=dict, json_schema=schema)),
    "replace": lambda schema: tool(run, input={"type": "object"}).replace(input=schema),
}


@EACH
@pytest.mark.parametrize("make", OWN.values(), ids=OWN)
def test_a_tool_of_ones_own_is_rejected_by_name(
    make: Callable[[dict[str, Any]], AnyTool], payload: str
) -> None:
    for where, schema in places(f"be{payload}low"):
        made = outcome_of(lambda: Toolset([make(schema)]), payload)  # noqa: B023  called at once
        assert made == "rejected", where
        with pytest.raises(SchemaRefused):
            lower(schema, "openai")


@EACH
def test_invisible_text_of_a_signature_a_vendor_or_an_option_is_rejected_by_name(
    payload: str,
) -> None:
    text = f"be{payload}low"

    def documented(city: Annotated[str, Doc(text)]) -> str:
        """Find."""
        return city

    def by_default(city: str = text) -> str:
        """Find."""
        return city

    def shown(city: Annotated[str, Field(examples=[text])]) -> str:
        """Find."""
        return city

    def plain(city: str) -> str:
        """Find."""
        return city

    model = create_model("model", city=(str, Field(title=text)))
    derived: Any = tool(plain)
    makers: list[Callable[[], Any]] = [
        *(lambda f=f: Toolset([f]) for f in (documented, by_default, shown)),
        lambda: Toolset([tool(run, input=model)]),
        lambda: tool(plain, description=text),
        lambda: tool(plain, title=text),
        lambda: tool(plain, annotations={"title": text}),
        lambda: tool(plain, examples=[{"city": text}]),
        lambda: tool(plain, provider_options={"openai": {"x": {"y": [text]}}}),
        lambda: tool(plain, provider_options={"mcp": {f"x{text}": 1}}),
        lambda: derived.transform(describe={"city": text}),
        lambda: derived.transform(defaults={"city": text}),
        lambda: derived.transform(rename={"city": text}),
        lambda: tool(documented).input_schema,
        lambda: tool(documented).describe(),
    ]
    made = [outcome_of(make, payload) for make in makers]
    assert made == ["rejected"] * len(makers)


SHAPES: Final[dict[str, Callable[[dict[str, Any]], Any]]] = {
    "openai": lambda schema: {"type": "function", "parameters": schema},
    "openai-chat": lambda schema: {"type": "function", "function": {"parameters": schema}},
    "anthropic": lambda schema: {"input_schema": schema},
    "mcp": lambda schema: {"inputSchema": schema},
    "mcp results": lambda schema: {"inputSchema": {"type": "object"}, "outputSchema": schema},
    "gemini": lambda schema: {"parametersJsonSchema": schema},
    "bedrock": lambda schema: {"toolSpec": {"inputSchema": {"json": schema}}},
}
DECIDING: Final = {
    *("enum", "enum of objects", "const", "pattern", "format", "property", "required"),
    *("pattern of properties", "dependentRequired", "definition"),
}


def declare(shape: str, schema: dict[str, Any], **texts: Any) -> dict[str, Any]:
    declared = SHAPES[shape](schema)
    inner = declared.get("function") or declared.get("toolSpec") or declared
    inner.update({"name": "find", "description": "Find.", **texts})
    result: dict[str, Any] = declared
    return result


@EACH
@pytest.mark.parametrize("shape", SHAPES)
def test_a_declaration_is_rejected_or_loses_what_decides_nothing(shape: str, payload: str) -> None:
    for where, schema in some_places(payload, list(SHAPES).index(shape)):
        declared = declare(shape, schema)
        assert outcome_of(lambda: from_json([declared]), payload) == "rejected", where  # noqa: B023
        made = outcome_of(
            lambda: from_json([declared], invisible_characters="strip"),  # noqa: B023
            payload,
        )
        if where in DECIDING:
            assert made == "rejected", where
        else:
            [left_out] = made.left_out
            assert left_out.tool == "find"
            assert payload not in left_out.field


@EACH
@pytest.mark.parametrize("key", ["description", "title", "annotations", "x", "_meta", "examples"])
def test_texts_of_a_declaration_are_rejected_or_lose_it(key: str, payload: str) -> None:
    text = f"be{payload}low"
    shape = "anthropic" if key in ("x", "examples") else "mcp"
    value: Any = {"annotations": {"title": text}, "_meta": {"a": text}}.get(key, text)
    texts = {"input_examples": [{"a": 1}, {"a": text}]} if key == "examples" else {key: value}
    declared = declare(shape, {"type": "object"}, **texts)
    made = outcome_of(lambda: from_json([declared]), payload)
    assert (made == "rejected") is (key != "_meta")
    stripped = outcome_of(lambda: from_json([declared], invisible_characters="strip"), payload)
    assert len(stripped.left_out) == 1


class Listing:
    """A session of a server that lists one tool."""

    def __init__(self, declared: dict[str, Any]) -> None:
        types = pytest.importorskip("mcp.types")
        self.session = self
        self.tools = [types.Tool.model_validate(declared)]
        self.next_cursor = None
        self.send_request = None

    async def list_tools(self, **_: Any) -> Any:
        return self


@EACH
def test_a_tool_of_a_server_is_refused_by_name_or_loses_what_decides_nothing(payload: str) -> None:
    async def imported(schema: dict[str, Any], choice: Any) -> Imported:
        session = Listing(declare("mcp", schema))
        return await from_mcp(session, invisible_characters=choice)

    for where, schema in some_places(payload):
        made = asyncio.run(imported(schema, "reject"))
        assert ([*made], [fault.tool for fault in made.refusals]) == ([], ["find"]), where
        made = asyncio.run(imported(schema, "strip"))
        assert [fault.tool for fault in made.refusals] == ["find"] * (where in DECIDING), where
        assert [left_out.tool for left_out in made.left_out] == ["find"] * (where not in DECIDING)
        assert leaks(made, payload) == []


class Client:
    """Sends nothing."""

    def request(self, method: str, url: str, *, headers: Any = None, content: Any = None) -> Any:
        raise NotImplementedError(method, url, headers, content)


def described(text: str, side: str, node: dict[str, Any]) -> dict[str, Any]:
    """Return a document with one operation that contains a text, or a schema on one side."""
    content = {"content": {"application/json": {"schema": node}}}
    operation: dict[str, Any] = {
        "operationId": "find",
        "summary": text if side == "summary" else "Find",
        "description": text if side == "description" else "Find.",
        "responses": {"200": content if side == "response" else {}},
    }
    if side == "body":
        operation["requestBody"] = content
    if side == "parameter":
        operation["parameters"] = [
            {"name": "q", "in": "query", "description": text, "schema": {"type": "string"}}
        ]
    return {
        "openapi": "3.1.0",
        "servers": [{"url": "https://shop.test"}],
        "paths": {"/find": {"post": operation}},
    }


@EACH
def test_an_operation_is_refused_by_name_or_loses_what_decides_nothing(payload: str) -> None:
    text = f"be{payload}low"
    sides: list[tuple[str, str, dict[str, Any]]]
    sides = [(side, side, {}) for side in ("summary", "description", "parameter")]
    sides += [
        (where, side, node) for where, node in some_places(payload) for side in ("body", "response")
    ]
    for where, side, node in sides:
        document = described(text, side, node)
        outcome_of(lambda: from_openapi(document, client=Client()), payload)  # noqa: B023
        made = outcome_of(
            lambda: from_openapi(document, client=Client(), invisible_characters="strip"),  # noqa: B023
            payload,
        )
        assert (made == "rejected") is (where in DECIDING), (where, side)


def test_characters_that_a_script_or_an_emoji_needs_stay() -> None:
    texts = ("\u0646\u0627\u0645\u0647\u200c\u0627\u06cc", "\u2764\ufe0f\u200d\U0001f525", "a\n\tb")
    for text in texts:
        [made] = from_json([declare("mcp", wrap({"enum": [text], "description": text}))])
        assert made.input_schema.json_schema() == wrap({"enum": [text], "description": text})


def test_an_unknown_choice_is_named() -> None:
    odd: Any = "drop"
    with pytest.raises(DefinitionError) as raised:
        from_json([], invisible_characters=odd)
    assert str(raised.value) == (
        'from_json.invisible_characters: invalid value; use "reject" or "strip"'
    )
