"""Typed final answers: asked for in each target's form, or by a call, and read like arguments."""

from __future__ import annotations

import asyncio
import dataclasses
from decimal import Decimal
from typing import Annotated, Any, Literal, NamedTuple, TypedDict

import annotated_types
import attrs
import marshmallow
import msgspec
import pydantic
import pytest
import voluptuous
from marshmallow.validate import Length

from tests.answer_samples import ANSWERING, called, said
from tests.toolset.test_wire import CLASHING
from toolhaft import DefinitionError, Err, Ok, Toolset, tool
from toolhaft.call.types import Coercion
from toolhaft.errors import ToolhaftError
from toolhaft.jsonio import jsontext
from toolhaft.lowering.loss import ExportError, Loss, LoweringUnsupported
from toolhaft.toolset.answers import Answer
from toolhaft.toolset.export import Export

# The targets whose form for answers cannot stand beside tools, or that have none.
BY_CALL = ("gemini", "gemini-openapi", "mistral", "cohere", "ollama", "text")
BY_TEXT = tuple(target for target in ANSWERING if target not in BY_CALL)
HAS_FORM = tuple(target for target in ANSWERING if target != "text")
REFUSED = "Please rewrite the input with valid arguments. Errors: "


class Invoice(pydantic.BaseModel):
    number: str
    total: Annotated[float, pydantic.Field(gt=0)]
    currency: str = "EUR"


@tool
def find(query: str) -> str:
    """Find an order."""
    return f"found {query}"


@tool(requires_approval=True)
def pay(amount: int) -> str:
    """Pay."""
    return f"paid {amount}"


TOOLS = Toolset([find, pay])
INVOICE = {"number": "A-1", "total": 12.5}


def export(target: str, tools: Toolset = TOOLS, output: Any = Invoice) -> Export:
    return tools.export(target, output=output)


def on_the_wire(wire: Export, target: str, data: Any) -> Any:
    """The verdict of a target's schema on data of the type's own schema."""
    assert wire._final is not None
    return wire._final.planned.lowered.lens.put(data)


def answered(target: str, data: Any, tools: Toolset = TOOLS, output: Any = Invoice) -> Answer:
    """The answer to a response that has the data, by the way that the target has for it."""
    wire = export(target, tools, output)
    data = on_the_wire(wire, target, data)
    assert wire._final is not None
    if wire._final.is_form:
        return wire.answer_sync(said(target, jsontext.write(data)))
    return wire.answer_sync(called(target, ("final_answer", data)))


# --------------------------------------------------------------------------------- right answers


@pytest.mark.requirement("output-typed")
@pytest.mark.parametrize("tools", [TOOLS, Toolset()], ids=["tools", "no tools"])
@pytest.mark.parametrize("target", ANSWERING)
def test_an_answer_is_an_object_of_the_type_at_every_target(target: str, tools: Toolset) -> None:
    answer = answered(target, INVOICE, tools)
    assert isinstance(answer.output, Ok)
    assert answer.output.value == Invoice(number="A-1", total=12.5)
    assert answer.output.json == {"number": "A-1", "total": 12.5, "currency": "EUR"}
    assert answer.output.text == '{"number":"A-1","total":12.5,"currency":"EUR"}'
    assert (answer.outcomes, answer.pending, answer.done) == ([], [], True)


@pytest.mark.parametrize("target", ANSWERING)
def test_an_answer_is_read_alike_with_a_loop(target: str) -> None:
    wire = export(target)
    assert wire._final is not None
    response = said(target, '{"number": "A-1", "total": "-1"}')
    if not wire._final.is_form:
        response = called(target, ("final_answer", {"number": "A-1", "total": "-1"}))
    sync, awaited = wire.answer_sync(response), asyncio.run(wire.answer(response))
    assert isinstance(sync.output, Err)
    assert isinstance(awaited.output, Err)
    assert sync.output.as_json() == awaited.output.as_json()
    assert sync.messages == awaited.messages


class Place(msgspec.Struct):
    town: str
    tags: list[str] = []


@dataclasses.dataclass
class Point:
    x: int
    y: int = 0


@attrs.define
class Size:
    width: int


class Named(TypedDict):
    name: str


class Pair(NamedTuple):
    left: int
    right: str


class Town(marshmallow.Schema):
    town = marshmallow.fields.String(required=True, validate=Length(max=5))


@pytest.mark.requirement("output-any-validator")
@pytest.mark.parametrize(
    ("output", "data", "value"),
    [
        (Place, {"town": "Oslo"}, Place("Oslo")),
        (Point, {"x": 1}, Point(1)),
        (Size, {"width": 2}, Size(2)),
        (Named, {"name": "Ann"}, {"name": "Ann"}),
        (Town, {"town": "Oslo"}, {"town": "Oslo"}),
        (voluptuous.Schema({voluptuous.Required("n"): int}), {"n": 1}, {"n": 1}),
        ({"type": "object", "properties": {"n": {"type": "integer"}}}, {"n": 1}, {"n": 1}),
        ({"type": "array", "items": {"type": "integer"}}, {"value": [1]}, [1]),
        (list[Point], {"value": [{"x": 1}]}, [Point(1)]),
        (dict[str, int], {"a": 1}, {"a": 1}),
        (Pair, {"value": [1, "a"]}, Pair(1, "a")),
        (Point | Size, {"value": {"width": 2}}, Size(2)),
        (Literal["yes", "no"], {"value": "yes"}, "yes"),
        (Annotated[int, annotated_types.Gt(0)], {"value": 3}, 3),
        (Invoice | None, {"value": None}, None),
        (pydantic.TypeAdapter(set[int]), {"value": [1, 2]}, {1, 2}),
    ],
    ids=str,
)
@pytest.mark.parametrize("target", ["openai", "anthropic", "gemini", "text"])
def test_any_type_that_a_tool_takes_is_an_answer_type(
    target: str, output: Any, data: Any, value: Any
) -> None:
    answer = answered(target, data, output=output)
    assert answer.output is not None
    assert answer.output.unwrap() == value


def test_a_value_without_a_json_form_has_the_json_that_it_was_made_from() -> None:
    class Money(pydantic.BaseModel):
        model_config = pydantic.ConfigDict(arbitrary_types_allowed=True)
        amount: Decimal
        note: str = ""

        @pydantic.model_validator(mode="after")
        def attach(self) -> Money:
            object.__setattr__(self, "note", object())
            return self

    answer = answered("openai-chat", {"amount": "1.10", "note": ""}, output=Money)
    assert isinstance(answer.output, Ok)
    assert answer.output.json == {"amount": "1.10", "note": ""}


def test_an_author_that_raises_is_no_fault_of_the_model() -> None:
    class Broken(pydantic.BaseModel):
        n: int

        @pydantic.model_validator(mode="after")
        def fail(self) -> Broken:
            raise KeyError("secret")

    answer = answered("openai", {"n": 1}, output=Broken)
    assert isinstance(answer.output, Err)
    assert (answer.output.kind, answer.done) == ("runtime_error", True)
    assert "secret" not in answer.output.text
    assert len(answer.messages) == 1


# --------------------------------------------------------------------------------- how it is asked


FORMS: dict[str, list[str]] = {
    "openai": ["text", "format"],
    "openai-chat": ["response_format", "json_schema"],
    "anthropic": ["output_config", "format"],
    "gemini": ["config"],
    "gemini-openapi": ["config"],
    "bedrock": ["outputConfig", "textFormat", "structure", "jsonSchema"],
    "mistral": ["response_format", "json_schema"],
    "cohere": ["response_format"],
    "ollama": [],
    "xai": ["response_format", "json_schema"],
}
KEYS = {
    "openai": {"type", "name", "schema", "strict"},
    "openai-chat": {"name", "schema", "strict"},
    "anthropic": {"type", "schema"},
    "gemini": {"responseMimeType", "responseJsonSchema"},
    "gemini-openapi": {"responseMimeType", "responseSchema"},
    "bedrock": {"name", "schema"},
    "mistral": {"name", "schema", "strict"},
    "cohere": {"type", "json_schema"},
    "ollama": {"format"},
    "xai": {"name", "schema", "strict"},
}


@pytest.mark.requirement("output-provider-form")
@pytest.mark.parametrize("target", HAS_FORM)
def test_without_tools_the_type_is_sent_in_the_target_s_own_form(target: str) -> None:
    request = export(target, Toolset()).request
    for key in FORMS[target]:
        request = request[key]
    assert set(request) == KEYS[target]
    assert request.get("strict", True) is True


@pytest.mark.parametrize("target", BY_TEXT)
def test_tools_stand_beside_the_form_where_the_target_permits_it(target: str) -> None:
    plain, wire = TOOLS.export(target), export(target)
    assert wire.tools == plain.tools
    assert {**wire.request, FORMS[target][0]: None} == {**plain.request, FORMS[target][0]: None}


@pytest.mark.requirement("output-way-reported")
@pytest.mark.parametrize("target", ANSWERING)
def test_the_losses_say_how_the_answer_is_asked_for(target: str) -> None:
    parameters = {
        "openai": "text.format",
        "openai-chat": "response_format",
        "anthropic": "output_config.format",
        "gemini": "responseJsonSchema",
        "gemini-openapi": "responseSchema",
        "bedrock": "outputConfig.textFormat",
        "mistral": "response_format",
        "cohere": "response_format",
        "ollama": "format",
        "xai": "response_format",
    }
    by_call = "as a call of final_answer: the target takes no form for it beside tools"
    if target == "text":
        by_call = "as a call of final_answer: the target has no form for it"
    parameter = parameters.get(target)
    alone = by_call if parameter is None else f"as {parameter}"
    beside = by_call if target in BY_CALL else alone
    first = [export(target, tools).losses[0] for tools in (Toolset(), TOOLS)]
    assert first == [
        Loss("", "output", "encoded", alone, "final_answer"),
        Loss("", "output", "encoded", beside, "final_answer"),
    ]
    assert TOOLS.export(target).losses == tuple(
        loss for loss in export(target).losses if loss.tool != "final_answer"
    )


# More optional properties than Anthropic's strict schemas may have.
WIDE = {"type": "object", "properties": {f"p{n}": {"type": "string"} for n in range(25)}}


def test_a_type_that_the_form_cannot_have_is_asked_for_by_a_call() -> None:
    wire = export("anthropic", output=WIDE)
    assert [declared["name"] for declared in wire.tools] == ["final_answer", "find", "pay"]
    assert [declared.get("strict") for declared in wire.tools] == [None, None, None]
    assert "output_config" not in wire.request
    assert wire.losses[0].detail == (
        "as a call of final_answer: not strict: strict optional: 25 optional properties, at most 24"
    )
    answer = wire.answer_sync(called("anthropic", ("final_answer", {"p1": "a"})))
    assert answer.output is not None
    assert answer.output.unwrap() == {"p1": "a"}


@pytest.mark.requirement("output-budgets")
def test_the_form_has_its_part_of_the_budgets_before_the_tools() -> None:
    optional = {f"p{place}": {"type": "string"} for place in range(20)}
    schema = {"type": "object", "properties": optional}

    searching = Toolset(
        [tool(lambda arguments: "", name="search", description="Search.", input=schema)]
    )
    assert searching.export("anthropic", strict="prefer").tools[0]["strict"] is True
    wire = searching.export("anthropic", strict="prefer", output=schema)
    assert "output_config" in wire.request
    assert "strict" not in wire.tools[0]
    assert (
        Loss(
            "",
            "strict",
            "widened",
            "not strict: past 24 optional properties in strict tools",
            "search",
        )
        in wire.losses
    )
    with pytest.raises(LoweringUnsupported) as raised:
        searching.export("anthropic", strict="require", output=schema)
    assert str(raised.value) == (
        "anthropic: search: strict optional: past 24 optional properties in strict tools; ask for "
        "strict where it matters most, or send fewer tools"
    )


def test_an_answer_that_must_be_strict_and_cannot_is_refused() -> None:
    with pytest.raises(LoweringUnsupported) as raised:
        TOOLS.export("anthropic", strict="require", output=WIDE)
    assert str(raised.value).startswith("anthropic: final_answer: strict optional: 25 optional")


def test_a_tool_of_the_same_name_keeps_it() -> None:
    @tool
    def final_answer(n: int) -> str:
        """Say a number."""
        return str(n)

    wire = export("gemini", Toolset([final_answer]))
    assert set(wire.originals) == {"final_answer"}
    answer = wire.answer_sync(called("gemini", ("final_answer_", INVOICE)))
    assert isinstance(answer.output, Ok)
    ran = wire.answer_sync(called("gemini", ("final_answer", {"n": 1})))
    assert ([outcome.text for outcome in ran.outcomes], ran.output) == (["1"], None)


@pytest.mark.parametrize("target", ["mcp", "mcp-2025-11-25", "draft-07", "openapi-3.1"])
def test_where_no_model_answers_there_is_no_answer_type(target: str) -> None:
    with pytest.raises(ToolhaftError) as raised:
        export(target)
    assert str(raised.value) == (
        f"{target}: output: no model answers to this target; export to the target of a provider"
    )


@pytest.mark.parametrize(
    "output",
    [object(), 3, "Invoice", lambda value: value],
    ids=["object", "number", "text", "function"],
)
def test_what_is_no_type_is_told_when_it_is_exported(output: Any) -> None:
    with pytest.raises(DefinitionError) as raised:
        export("openai", output=output)
    assert str(raised.value).startswith("output: no validator owns a")


def test_a_type_that_the_target_rejects_is_told_when_it_is_exported() -> None:
    with pytest.raises(ExportError) as raised:
        export("gemini", output={"type": "object", **CLASHING})
    assert [problem.tool for problem in raised.value.problems] == ["final_answer"]


# --------------------------------------------------------------------------------- how it is read


@pytest.mark.requirement("output-one-json-value")
@pytest.mark.parametrize(
    "text",
    [
        '{"number": "A-1", "total": 12.5}',
        ' \n{"number": "A-1", "total": 12.5}\n',
        '```json\n{"number": "A-1", "total": 12.5}\n```',
        '```\n{"number": "A-1", "total": 12.5}\n```\n',
        '```{"number": "A-1", "total": 12.5}```',
        '```JSON\r\n{"number": "A-1", "total": 12.5}\r\n```',
    ],
    ids=repr,
)
@pytest.mark.parametrize("target", BY_TEXT)
def test_one_value_alone_or_in_a_fence_is_read(target: str, text: str) -> None:
    output = export(target).answer_sync(said(target, text)).output
    assert output is not None
    assert output.unwrap() == Invoice(number="A-1", total=12.5)
    assert output.coercions == ()


@pytest.mark.parametrize(
    ("text", "issue"),
    [
        ('Here you are: {"number": "A-1", "total": 1}', "send one JSON object and nothing around"),
        ('{"number": "A-1", "total": 1}\nI hope that this helps.', "send one JSON object and not"),
        ('{"number": "A", "total": 1}{"number": "B", "total": 1}', "send one JSON object for eac"),
        ('```json\n{"number": "A", "total": 1}\n```\nDone.', "send one JSON object and nothing a"),
        ("```\n{}\n```\n```\n{}\n```", "send one JSON object"),
        ('```json\n{"number": "A", "total": 1}', "send one JSON object and nothing around it"),
        ("I cannot say.", "send one JSON object and nothing around it"),
        ("", "send one JSON object and nothing around it"),
        ("```\n```", "send one JSON object and nothing around it"),
        ("null", "send one JSON object and nothing around it"),
        ("[]", "expected object, received array"),
        ("12", "expected object, received integer"),
    ],
    ids=repr,
)
@pytest.mark.parametrize("target", BY_TEXT)
def test_anything_around_the_value_is_a_wrong_answer(target: str, text: str, issue: str) -> None:
    answer = export(target).answer_sync(said(target, text))
    assert isinstance(answer.output, Err)
    assert answer.output.kind == "invalid_input"
    assert answer.output.text.startswith(REFUSED + issue)
    assert not answer.done


def test_an_answer_that_stops_is_never_completed() -> None:
    answer = export("openai").answer_sync(said("openai", '{"number": "A-1", "total": 1'))
    assert isinstance(answer.output, Err)
    assert (answer.output.kind, answer.done) == ("truncated", False)


@pytest.mark.requirement("output-wrong-answers")
@pytest.mark.parametrize("target", BY_TEXT)
def test_a_wrong_answer_goes_back_as_words_of_the_user(target: str) -> None:
    wire = export(target)
    data = on_the_wire(wire, target, INVOICE) | {"total": -1}
    answer = wire.answer_sync(said(target, jsontext.write(data)))
    words = f"{REFUSED}total: expected more than 0"
    rest = answer.messages[1:]
    content: Any = [{"text": words}] if target == "bedrock" else words
    assert rest == [{"role": "user", "content": content}]
    assert answer.results == []


@pytest.mark.parametrize("target", BY_CALL)
def test_a_wrong_call_is_answered_as_any_other(target: str) -> None:
    wire = export(target)
    data = on_the_wire(wire, target, INVOICE) | {"total": -1}
    answer = wire.answer_sync(called(target, ("final_answer", data)))
    assert isinstance(answer.output, Err)
    assert answer.output.text == f"{REFUSED}total: expected more than 0"
    assert (answer.outcomes, answer.done, len(answer.results)) == ([], False, 1)
    assert answer.output.text in jsontext.write(answer.messages)


@pytest.mark.parametrize("target", BY_CALL)
def test_a_right_call_is_not_sent_back_to_the_model(target: str) -> None:
    answer = answered(target, INVOICE)
    written = jsontext.write(answer.results)
    assert len(answer.results) == 1
    assert "The final answer was taken." in written
    assert "A-1" not in written


@pytest.mark.parametrize("target", BY_CALL)
def test_words_where_a_call_is_asked_for_are_a_wrong_answer(target: str) -> None:
    answer = export(target).answer_sync(said(target, "It is paid."))
    assert isinstance(answer.output, Err)
    assert answer.output.text == (
        f"{REFUSED}call final_answer with the answer, and write nothing around it"
    )
    assert answer.output.text in jsontext.write(answer.messages[1:])


@pytest.mark.parametrize("target", [target for target in BY_CALL if target != "text"])
def test_the_value_as_text_is_taken_where_a_call_is_asked_for(target: str) -> None:
    wire = export(target)
    text = jsontext.write(on_the_wire(wire, target, INVOICE))
    output = wire.answer_sync(said(target, f"```json\n{text}\n```")).output
    assert output is not None
    assert output.unwrap() == Invoice(number="A-1", total=12.5)


@pytest.mark.requirement("output-beside-calls")
@pytest.mark.parametrize("target", BY_CALL)
def test_an_answer_beside_other_calls_is_refused_and_they_run(target: str) -> None:
    wire = export(target)
    data = on_the_wire(wire, target, INVOICE)
    response = called(target, ("final_answer", data), ("find", {"query": "x"}))
    answer = wire.answer_sync(response)
    assert [outcome.text for outcome in answer.outcomes] == ["found x"]
    assert isinstance(answer.output, Err)
    assert answer.output.text == (
        f"{REFUSED}not taken beside other calls; give it alone, once you have their results"
    )
    assert [call.name for call in wire.calls(response)] == ["find"]
    assert (len(answer.results), answer.done) == (2, False)


@pytest.mark.parametrize("target", BY_TEXT)
def test_text_beside_calls_is_no_answer(target: str) -> None:
    answer = export(target).answer_sync(called(target, ("find", {"query": "x"})))
    assert (answer.output, answer.done) == (None, False)
    assert [outcome.text for outcome in answer.outcomes] == ["found x"]


def test_a_call_that_is_the_answer_is_no_partial_call_of_a_stream() -> None:
    stream = export("gemini").stream()
    stream.feed(called("gemini", ("final_answer", INVOICE), ("find", {"query": "x"})))
    assert [call.name for call in stream.partial] == ["find"]


def test_two_answers_are_none() -> None:
    wire = export("gemini")
    response = called("gemini", ("final_answer", INVOICE), ("final_answer", INVOICE))
    answer = wire.answer_sync(response)
    assert isinstance(answer.output, Err)
    assert (answer.outcomes, len(answer.results)) == ([], 2)


def test_repairs_are_recorded_under_the_type_s_own_names() -> None:
    class Tagged(pydantic.BaseModel):
        tags: dict[str, int]

    text = '{"tags": [{"key": "a", "value": "1"}]}'
    output = export("openai", output=Tagged).answer_sync(said("openai", text)).output
    assert output is not None
    assert output.unwrap() == Tagged(tags={"a": 1})
    assert output.coercions == (Coercion(("tags", "a"), "number_text"),)


def test_without_an_answer_type_there_is_no_output() -> None:
    answer = TOOLS.export("openai").answer_sync(said("openai", "It is paid."))
    assert (answer.output, answer.done) == (None, True)


def test_a_turn_that_the_provider_paused_is_no_answer() -> None:
    response = {**said("anthropic", "I search."), "stop_reason": "pause_turn"}
    assert export("anthropic").answer_sync(response).output is None


def test_words_before_the_provider_s_own_work_are_no_part_of_the_answer() -> None:
    search = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}}
    found = {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []}
    response = said("anthropic", "I search.")
    last = {"type": "text", "text": '{"number": "A-1", "total": 12.5}'}
    response["content"] += [search, found, {"type": "thinking", "thinking": "Hm."}, last]
    output = export("anthropic").answer_sync(response).output
    assert output is not None
    assert output.unwrap() == Invoice(number="A-1", total=12.5)


def test_comments_on_the_way_are_no_part_of_the_answer() -> None:
    response = said("openai", '{"number": "A-1", "total": 12.5}')
    comment = {**said("openai", "I look it up.")["output"][0], "phase": "commentary"}
    output = export("openai").answer_sync({"output": [comment, *response["output"]]}).output
    assert output is not None
    assert output.unwrap() == Invoice(number="A-1", total=12.5)


# --------------------------------------------------------------------------------- a person decides


def test_an_answer_beside_a_call_that_waits_is_stored_with_it() -> None:
    wire = export("gemini")
    response = called("gemini", ("final_answer", INVOICE), ("pay", {"amount": 3}))
    waiting = wire.answer_sync(response)
    assert [prepared.name for prepared in waiting.pending] == ["pay"]
    resumed = wire.resume_sync(waiting.to_json(key="k"), {"c1": True}, key="k")
    assert [outcome.text for outcome in resumed.outcomes] == ["paid 3"]
    assert isinstance(resumed.output, Err)
    assert len(resumed.results) == 2


def test_a_cancelled_turn_answers_the_final_call_too() -> None:
    wire = export("gemini")
    response = called("gemini", ("final_answer", INVOICE), ("find", {"query": "x"}))
    answer = wire.unanswered(response)
    assert [outcome.name for outcome in answer.outcomes] == ["find"]
    assert len(answer.results) == 2
