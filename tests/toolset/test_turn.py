"""Tools of one text: custom tools where a target has them, one argument elsewhere."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from typing import Annotated, Any, Final

import pytest
from pydantic import Field

from tests.installed import sdk
from toolhaft import DefinitionError, Doc, Err, Regex, Toolset, tool
from toolhaft.agent_loop import Called, Finished, run_sync
from toolhaft.testing import ScriptedModel, assert_conforms

SUM = r"[0-9]+( [-+*/] [0-9]+)*"
WRONG: Final = "Please rewrite the input with valid arguments. Errors: "
RAN: list[str] = []


@tool(format=Regex(SUM))
def calculate(expression: Annotated[str, Doc("A sum.")]) -> str:
    """Calculate an expression."""
    RAN.append(expression)
    return f"= {expression}"


@tool(format="text", requires_approval=lambda given: "rm" in given["code"])
def run_code(code: str) -> str:
    """Run code."""
    return f"ran {code}"


@tool
def add(a: int, b: int) -> int:
    """Add."""
    return a + b


TOOLS = Toolset([calculate, run_code, add])
TEXTUAL = pytest.mark.parametrize("target", ["openai", "openai-chat"])


def responses(*calls: dict[str, Any]) -> dict[str, Any]:
    return {"output": [{"call_id": f"c{place}", **call} for place, call in enumerate(calls)]}


def chat(*calls: dict[str, Any]) -> dict[str, Any]:
    listed = [{"id": f"c{place}", **call} for place, call in enumerate(calls)]
    return {"choices": [{"message": {"role": "assistant", "tool_calls": listed}}]}


def texts(target: str, *calls: tuple[str, Any]) -> dict[str, Any]:
    """A response that calls custom tools."""
    written = [{"name": name, "input": text} for name, text in calls]
    if target == "openai":
        return responses(*({"type": "custom_tool_call", **call} for call in written))
    return chat(*({"type": "custom", "custom": call} for call in written))


@pytest.mark.requirement("text-tools")
def test_a_tool_of_a_text_is_declared_as_a_custom_tool() -> None:
    grammar = {"syntax": "regex", "definition": SUM}
    head = {"name": "calculate", "description": "Calculate an expression."}
    assert TOOLS.export("openai").tools[1:] == [
        {"type": "custom", **head, "format": {"type": "grammar", **grammar}},
        {"type": "custom", "name": "run_code", "description": "Run code.",
         "format": {"type": "text"}},
    ]  # fmt: skip
    [_, first, _] = TOOLS.export("openai-chat").tools
    form = {"type": "grammar", "grammar": grammar}
    assert first == {"type": "custom", "custom": {**head, "format": form}}
    limited = calculate.replace(allowed_callers={"programmatic"})
    [declared] = Toolset([limited]).export("openai").tools
    assert declared["allowed_callers"] == ["programmatic"]


@pytest.mark.requirement("text-tools")
@pytest.mark.parametrize("target", ["anthropic", "xai", "text", "mcp", "draft-2020-12"])
def test_elsewhere_it_has_one_argument_with_the_pattern(target: str) -> None:
    assert "custom" not in str(TOOLS.export(target).tools)
    schema = calculate.input_schema.json_schema()
    assert schema["properties"]["expression"] == {
        "type": "string",
        "description": "A sum.",
        "pattern": f"^(?:{SUM})$",
    }
    assert_conforms(calculate, targets=[target])


@pytest.mark.requirement("text-tools")
@TEXTUAL
def test_a_custom_call_is_read_checked_and_answered_in_its_own_item(target: str) -> None:
    called = texts(target, ("calculate", "1 + 2"), ("calculate", "1 +"), ("no_such", "x"))
    answer = TOOLS.export(target).answer_sync(called)
    assert [outcome.text for outcome in answer.outcomes] == [
        "= 1 + 2",
        f"{WRONG}expected string that matches ^(?:{SUM})$",
        "There is no tool named no_such. Available tools: add, calculate, run_code.",
    ]
    if target == "openai":
        kinds = {result["type"] for result in answer.results}
        assert kinds == {"custom_tool_call_output"}
    ids = [result.get("call_id") or result["tool_call_id"] for result in answer.results]
    assert (ids, answer.foreign) == (["c0", "c1", "c2"], ())


@pytest.mark.requirement("text-tools")
@TEXTUAL
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_a_conversation_calls_by_text_and_by_arguments(target: str, stream: bool) -> None:
    turn = [("calculate", "1 + 2"), ("add", {"a": 1, "b": 2}), ("calculate", "1 +")]
    model = ScriptedModel(turn, ("run_code", "print({"), "Done.", target=target)
    messages: list[Any] = []
    tools = TOOLS.export(target)
    asked: dict[str, Any] = {"model": "m", "messages": messages, "tools": tools, "stream": stream}
    events = list(run_sync(model, **asked))
    called = [(e.call.id, e.outcome.text[:12]) for e in events if isinstance(e, Called)]
    assert called == [
        ("call_1", "= 1 + 2"),
        ("call_2", "3"),
        ("call_3", "Please rewri"),
        ("call_4", "ran print({"),
    ]
    assert isinstance(events[-1], Finished)
    assert events[-1].reason == "done"
    assert not tools.read(model_dump(target, messages)).ending.detail


def model_dump(target: str, messages: list[Any]) -> Any:
    """The last turn as a response by itself."""
    last = messages[-1]
    return {"output": [last]} if target == "openai" else {"choices": [{"message": last}]}


@pytest.mark.requirement("text-tools")
def test_a_derived_tool_has_its_own_name_of_the_text_or_no_text() -> None:
    renamed = calculate.transform(rename={"expression": "total"})
    wire = Toolset([renamed]).prefix("my_").export("openai")
    [outcome] = wire.answer_sync(texts("openai", ("my_calculate", "1 + 2"))).outcomes
    assert (outcome.text, wire.tools[0]["type"]) == ("= 1 + 2", "custom")
    hidden = Toolset([calculate.transform(hide={"expression": "7"})]).export("openai")
    assert (hidden.tools[0]["type"], hidden.tools[0]["parameters"]["properties"]) == (
        "function",
        {},
    )


@pytest.mark.requirement("text-tools")
def test_the_items_are_of_the_sdks_own_types() -> None:
    types = sdk("openai.types.responses")
    pydantic = sdk("pydantic")
    item = {"type": "custom_tool_call", "call_id": "c1", "name": "calculate", "input": "1"}
    typed = types.ResponseCustomToolCall.model_validate(item)
    program = {"type": "program", "caller_id": "p1"}
    answer = TOOLS.export("openai").answer_sync({"output": [typed]})
    adapter = pydantic.TypeAdapter(types.ResponseCustomToolCallOutputParam)
    assert adapter.validate_python(answer.results[0]) == answer.results[0]
    by_program = {"output": [{**item, "caller": program}]}
    [denied] = TOOLS.export("openai").answer_sync(by_program).results
    assert (denied["caller"], denied["type"]) == (program, "custom_tool_call_output")
    declared = [one for one in TOOLS.export("openai").tools if one["type"] == "custom"]
    custom_tool = pydantic.TypeAdapter(types.CustomToolParam)
    assert [custom_tool.validate_python(one) for one in declared] == declared


@pytest.mark.requirement("text-tools")
@TEXTUAL
def test_a_call_by_arguments_is_read_and_one_by_a_text_of_another_tool_is_refused(
    target: str,
) -> None:
    RAN.clear()
    wire = TOOLS.export(target)
    [by_text] = wire.answer_sync(texts(target, ("add", '{"a": 1, "b": 2}'))).outcomes
    arguments = {"name": "calculate", "arguments": '{"expression": "1"}'}
    by_arguments = (
        responses({"type": "function_call", **arguments})
        if target == "openai"
        else chat({"type": "function", "function": arguments})
    )
    answer = wire.answer_sync(by_arguments)
    assert by_text.text == f"{WRONG}send JSON arguments and not a text"
    assert ([outcome.text for outcome in answer.outcomes], RAN) == (["= 1"], ["1"])
    if target == "openai":
        assert answer.results[0]["type"] == "function_call_output"


@pytest.mark.requirement("text-tools")
@pytest.mark.parametrize("forged", [None, 5, {"expression": "1"}, ["1"], True], ids=repr)
@TEXTUAL
def test_an_input_that_is_no_text_runs_nothing(target: str, forged: Any) -> None:
    RAN.clear()
    [outcome] = TOOLS.export(target).answer_sync(texts(target, ("calculate", forged))).outcomes
    assert isinstance(outcome, Err)
    assert (outcome.kind, RAN) == ("truncated" if forged is None else "invalid_input", [])


@pytest.mark.requirement("text-tools")
@pytest.mark.parametrize("caller", [{"type": "alien"}, 5, {"type": "program"}])
@pytest.mark.parametrize(
    ("allowed", "only"),
    [
        ({"direct"}, "directly, not from code"),
        ({"programmatic"}, "from code"),
        (
            {"direct", "programmatic"},
            "by the model or by its code, and the caller is neither",
        ),
    ],
)
def test_a_call_of_a_forged_caller_runs_nothing_and_says_who_may_call(
    caller: Any, allowed: Any, only: str
) -> None:
    RAN.clear()
    called = texts("openai", ("calculate", "1"))
    called["output"][0]["caller"] = caller
    wire = Toolset([calculate.replace(allowed_callers=allowed)]).export("openai")
    [outcome] = wire.answer_sync(called).outcomes
    assert (outcome.text, RAN) == (
        f"This call is not permitted and was not run: calculate can only be called {only}.",
        [],
    )


@pytest.mark.requirement("text-tools")
def test_a_text_that_the_limit_cut_off_does_not_run() -> None:
    RAN.clear()
    cut = texts("openai-chat", ("calculate", "1 + 2"))
    cut["choices"][0]["finish_reason"] = "length"
    [outcome] = TOOLS.export("openai-chat").answer_sync(cut).outcomes
    assert isinstance(outcome, Err)
    assert (outcome.kind, RAN) == ("truncated", [])


@pytest.mark.requirement("text-tools")
def test_an_approved_text_runs_in_another_process_and_is_answered_in_its_item() -> None:
    wire = TOOLS.export("openai")
    waiting = wire.answer_sync(texts("openai", ("run_code", "rm -r x")))
    [prepared] = waiting.pending
    assert dict(prepared.arguments) == {"code": "rm -r x"}
    later = TOOLS.export("openai").resume_sync(waiting.to_json(key="k"), {"c0": True}, key="k")
    assert later.results == [
        {"type": "custom_tool_call_output", "call_id": "c0", "output": "ran rm -r x"}
    ]


@pytest.mark.requirement("text-tools")
def test_calls_that_nobody_here_can_answer_are_named() -> None:
    shell = {"type": "shell_call", "call_id": "s1"}
    called = texts("openai", ("calculate", "1"))
    called["output"].append(shell)
    answer = TOOLS.export("openai").answer_sync(called)
    assert (answer.foreign, len(answer.results)) == (("shell_call",), 1)


def one(text: str) -> str:
    """Take one."""
    return text


def two(text: str, other: str) -> str:
    """Take two."""
    return text


def number(n: int) -> int:
    """Take a number."""
    return n


@pytest.mark.requirement("text-tools")
@pytest.mark.parametrize(
    ("handler", "options", "fault"),
    [
        (two, {"format": "text"}, "format: the arguments are not one text; give the function one"),
        (number, {"format": "text"}, "format: the arguments are not one text"),
        (one, {"format": Regex("(")}, "format: the expression does not compile"),
        (one, {"format": Regex("a)|(?:b")}, "format: the expression does not compile"),
        *[
            (one, {"format": Regex(text)}, "format: the expression has syntax that JSON Schema")
            for text in (r"(?i)a", r"(?P<n>a)", r"\Aa\z", "[[:alpha:]]+", "[a&&b]", r"\pL", "a++")
        ],
        (one, {"format": Regex("(?=a)a")}, "format: the expression has a lookaround or a back"),
        (one, {"format": Regex(r"(a)\1")}, "format: the expression has a lookaround or a back"),
        (one, {"format": "lark"}, 'format: invalid value; use "text" or Regex'),
        (one, {"format": Regex("")}, "format: invalid value"),
        (one, {"format": "text", "input": str}, "format: input= says what the arguments are"),
        (one, {"format": "text", "parameters": {"type": "object"}}, "format: parameters= says"),
    ],
)
def test_a_format_that_cannot_be_is_an_error_of_the_definition(
    handler: Callable[..., Any], options: dict[str, Any], fault: str
) -> None:
    with pytest.raises(DefinitionError, match=re.escape(fault)):
        Toolset([tool(handler, **options)])


@pytest.mark.parametrize("text", [r"(?<n>a)", r"\p{L}[*+]+", r"\\A(?:&&)", r"[\]*+][a]\[:"])
def test_what_json_schema_writes_is_a_format(text: str) -> None:
    assert Toolset([tool(one, format=Regex(text))])


def test_patterns_of_the_type_and_of_the_format_both_hold() -> None:
    @tool(format=Regex("[ab]+"))
    def take(text: Annotated[str, Field(pattern="^a", max_length=3)]) -> str:
        """Take a text."""
        return text

    wire = Toolset([take]).export("openai")
    verdicts = {
        text: bool(wire.answer_sync(texts("openai", ("take", text))).outcomes[0])
        for text in ("ab", "ba", "aaaa", "ac", "")
    }
    assert verdicts == {"ab": True, "ba": False, "aaaa": False, "ac": False, "": False}


@pytest.mark.parametrize("stream", [False, True])
def test_a_scripted_model_calls_a_custom_tool_of_a_group_by_a_text(stream: bool) -> None:
    tools = Toolset([Toolset([calculate], name="maths")])
    model = ScriptedModel(("maths.calculate", "3 + 4"), "Seven.")
    events = run_sync(model, model="m", messages=[], tools=tools, stream=stream)
    assert [bool(event.outcome) for event in events if isinstance(event, Called)] == [True]


def test_a_scripted_model_may_send_arguments_to_a_custom_tool_all_the_same() -> None:
    model = ScriptedModel(("calculate", {"expression": "1"}))
    request = TOOLS.export("openai").request
    response = asyncio.run(model(model="m", messages=[], **request))
    assert response.output[0].type == "function_call"
