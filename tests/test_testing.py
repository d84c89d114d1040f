"""The kit for people who test their tools."""

from __future__ import annotations

import asyncio
import json
import sys
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any

import pytest
from annotated_types import Ge, Le
from hypothesis import given, settings
from pydantic import BaseModel, BeforeValidator, Field, field_validator
from typing_extensions import TypedDict

from tests.share import share
from toolhaft import Err, ToolCall, ToolError, Toolset, tool
from toolhaft.agent_loop import Called, Event, Finished, ModelTurn, run, run_sync
from toolhaft.testing import (
    ScriptedModel,
    ScriptedTurn,
    arguments_for,
    assert_conforms,
    assert_plays,
    mutations_of,
    record,
)


@tool(examples=[{"days": 3}])
def forecast(days: Annotated[int, Ge(1), Le(14)], city: str = "Paris") -> list[str]:
    """Say what the weather will be."""
    if city == "Atlantis":
        raise ToolError("no forecast for a city below the sea")
    return [city] * days


@pytest.mark.requirement("testing-kit")
def test_a_tool_that_holds_passes() -> None:
    assert_conforms(forecast)


@pytest.mark.requirement("testing-kit")
def test_everything_that_does_not_hold_is_listed() -> None:
    class Even(BaseModel):
        n: int

        @field_validator("n")
        @classmethod
        def even(cls, n: int) -> int:
            if n % 2:
                raise ValueError("odd")
            return n

    @tool(input=Even, examples=[{"n": "2"}])
    def half(given: Even) -> int:
        """Half of a number."""
        return given.n // 2

    with pytest.raises(AssertionError) as raised:
        assert_conforms(half, targets=["openai"])
    lines = str(raised.value).splitlines()
    assert lines[0] == "half does not hold:"
    assert lines[1].startswith("example 0: Please rewrite the input")
    assert lines[2] == "input/n: refused (custom, odd)"


class EvenRows(BaseModel):
    rows: list[int]

    @field_validator("rows")
    @classmethod
    def even(cls, rows: list[int]) -> list[int]:
        if any(row % 2 for row in rows):
            raise ValueError("odd")
        return rows


@tool(input=EvenRows)
def halve(given: EvenRows) -> int:
    """Halve numbers."""
    return len(given.rows)


@pytest.mark.requirement("agreement-exceptions")
def test_an_author_marks_the_places_where_the_validator_says_more() -> None:
    assert_conforms(halve, targets=["openai"], exceptions={"input/rows": "even numbers only"})
    with pytest.raises(
        AssertionError, match="an exception, but nothing is refused there"
    ) as raised:
        assert_conforms(halve, targets=["openai"], exceptions={"input/row": "even numbers only"})
    assert str(raised.value).splitlines()[1:] == [
        "input/rows: refused (custom, odd)",
        "input/row: an exception, but nothing is refused there",
    ]


@pytest.mark.requirement("agreement-exceptions")
def test_digits_of_a_decimal_are_no_fault() -> None:
    @tool
    def pay(amount: Annotated[Decimal, Field(max_digits=5, decimal_places=2)]) -> int:
        """Pay an amount."""
        return 1

    assert_conforms(pay)


@pytest.mark.requirement("testing-kit")
@settings(max_examples=share(50))
@given(arguments_for(forecast))
def test_arguments_are_what_the_schema_accepts(arguments: dict[str, Any]) -> None:
    assert forecast.prepare(arguments)


@pytest.mark.requirement("testing-kit")
def test_mutations_are_what_the_schema_refuses() -> None:
    strict = forecast.replace(coerce="none")
    found = list(mutations_of(forecast, count=60))
    assert len(found) == 60
    assert {one.change for one in found} >= {"type", "missing", "extra"}
    assert not any(strict.prepare(one.arguments) for one in found)
    assert found == list(mutations_of(forecast, count=60))
    assert found != list(mutations_of(forecast, count=60, seed=1))


def doubled(value: Any) -> Any:
    return [value] if isinstance(value, int) else value


@pytest.mark.requirement("testing-kit")
@pytest.mark.parametrize(
    "annotations",
    [
        {"n": int, "text": str | None},
        {"rows": Annotated[list[int], BeforeValidator(doubled)]},
        {},
    ],
    ids=["optional only", "widened by a validator", "without arguments"],
)
def test_mutations_leave_out_what_is_no_mistake_for_the_tool(annotations: dict[str, Any]) -> None:
    define: Any = TypedDict
    made = define("Given", annotations, total=False)
    strict = tool(
        lambda given: 1, name="t", description="Do.", input=made, coerce="none", output=None
    )
    found = list(mutations_of(strict, count=60))
    assert len(found) > 30
    assert [one for one in found if strict.prepare(one.arguments)] == []


@pytest.mark.requirement("testing-kit")
def test_recorded_calls_come_out_as_they_did_or_are_named(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    calls = [
        ToolCall("1", "forecast", '{"days": "2"}'),
        ToolCall("2", "forecast", {"days": 99}),
        ToolCall("3", "forecast", b'{"days": 1, "city": "Atlantis"}'),
        ToolCall("4", "forcast", {}),
    ]
    outcomes = record(Toolset([forecast]), calls, path)
    assert [bool(one) for one in outcomes] == [True, False, False, False]
    first, second, *_ = [json.loads(line) for line in path.read_text().splitlines()]
    assert first == {
        "name": "forecast",
        "arguments": '{"days": "2"}',
        "kind": "ok",
        "json": ["Paris", "Paris"],
        "repairs": [[["days"], "number_text"]],
    }
    assert second["issues"] == [[["days"], "value"]]
    assert_plays(Toolset([forecast]), path)

    changed = forecast.replace(coerce="none")
    with pytest.raises(AssertionError) as raised:
        assert_plays(Toolset([changed]), path)
    assert "line 1 (forecast): " in str(raised.value)
    assert "line 2" not in str(raised.value)


def test_a_line_that_is_no_recorded_call_is_named(tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    path.write_text('{"name": "forecast"}\n')
    with pytest.raises(ValueError, match=r"calls\.jsonl:1: not a recorded call"):
        assert_plays(Toolset([forecast]), path)


# ------------------------------------------------------------------------------- a scripted model


def conversation(client: ScriptedModel) -> list[Event]:
    async def held() -> list[Event]:
        events = run(client, model="m", messages=[], tools=Toolset([forecast]))
        return [event async for event in events]

    return asyncio.run(held())


TARGETS = pytest.mark.parametrize("target", ["openai", "openai-chat", "anthropic", "gemini"])


@TARGETS
@pytest.mark.requirement("loop-scripted")
def test_a_scripted_model_calls_in_words_that_the_target_would_use(target: str) -> None:
    calls = [("forecast", {"days": "2"}), ("forecast", {"days": 0})]
    client = ScriptedModel(calls, ("forecast", {"days": 1}), "Fine.", target=target)
    events = conversation(client)
    called = [one for one in events if isinstance(one, Called)]
    assert [(one.call.id, one.outcome.text) for one in called] == [
        ("call_1", '["Paris","Paris"]'),
        (
            "call_2",
            "Please rewrite the input with valid arguments. Errors: days: expected at least 1",
        ),
        ("call_3", '["Paris"]'),
    ]
    assert isinstance(events[-1], Finished)
    assert events[-1].reason == "done"
    assert len(client.requests) == 3
    assert all("forecast" in str(one) for one in client.requests)


@pytest.mark.requirement("loop-scripted")
def test_a_scripted_model_may_write_arguments_as_text() -> None:
    events = conversation(ScriptedModel(("forecast", '{"days": 1'), "Sorry."))
    [called] = [one for one in events if isinstance(one, Called)]
    assert isinstance(called.outcome, Err)
    assert called.outcome.kind == "truncated"


@pytest.mark.requirement("loop-scripted")
@pytest.mark.parametrize("stream", [False, True])
def test_text_that_is_no_object_cannot_be_said_by_geminis_sdk(stream: bool) -> None:
    pytest.importorskip("google.genai", reason="google-genai is not installed")
    said = ("forecast", '{"days": 1')
    words = "arguments for Gemini that are no JSON object; pass a dict, or sdk=False"
    with pytest.raises(ValueError, match=words):
        asyncio.run(ScriptedModel(said, target="gemini")(messages=[], stream=stream))
    [called] = [
        one
        for one in conversation(ScriptedModel(said, "Sorry.", target="gemini", sdk=False))
        if isinstance(one, Called)
    ]
    assert getattr(called.outcome, "kind", "ok") == "truncated"


@TARGETS
@pytest.mark.requirement("loop-scripted")
@pytest.mark.parametrize("stream", [False, True])
def test_a_scripted_model_answers_with_dictionaries_where_the_sdk_is_not_installed(
    target: str, stream: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("openai.types.responses", "openai.types.chat", "anthropic.types"):
        monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setitem(sys.modules, "google.genai.types", None)
    client = ScriptedModel(("forecast", {"days": 1}), "Fine.", target=target)
    asked: dict[str, Any] = {"model": "m", "messages": [], "tools": Toolset([forecast])}
    events = list(run_sync(client, **asked, stream=stream))
    turns = [event.response for event in events if isinstance(event, ModelTurn)]
    assert [type(response) for response in turns] == [dict, dict]


@pytest.mark.requirement("loop-scripted")
def test_a_request_beyond_the_script_fails_the_test() -> None:
    with pytest.raises(
        AssertionError, match="the script has 1 turns, but the loop sent another request"
    ):
        conversation(ScriptedModel(("forecast", {"days": 1})))


@pytest.mark.requirement("loop-scripted")
@pytest.mark.parametrize(
    "turn",
    [5, None, ("forecast",), [("forecast", {}), "b"], ScriptedTurn(calls=("forecast", {}))],  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
    ids=repr,
)
def test_a_turn_of_another_kind_is_refused_at_once(turn: Any) -> None:
    with pytest.raises(ValueError, match="turn 2: of another kind; pass a text, a call"):
        ScriptedModel("Hello.", turn)
