"""Runs with a typed answer, through every official client and its real wire, streamed and not."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.agents.test_loop import HELLO, Ran, goes_on, listed
from tests.servers.cases import GOOD, one
from tests.servers.clients import Vendor, vendors
from tests.servers.loopback import Loopback
from tests.servers.script import Turn
from tests.servers.tools import TOOLS
from toolhaft import Err, Ok, Toolset
from toolhaft.agents.events import Called, Finished, ModelTurn, Streamed
from toolhaft.agents.loop import run, run_sync
from toolhaft.errors import DefinitionError, ToolhaftError
from toolhaft.jsonio import jsontext
from toolhaft.testing import ScriptedModel

REFUSED = "Please rewrite the input with valid arguments. Errors: "


@dataclass
class Forecast:
    """A forecast."""

    city: str
    days: int
    hours: dict[str, int] = field(default_factory=dict)


FORECAST: dict[str, Any] = {"city": "Paris", "days": 1, "hours": {"sun": 5}}
RIGHT = Forecast("Paris", 1, {"sun": 5})
streamed = pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])


def answer(vendor: Vendor, tools: Toolset, call_id: str = "call_9", **changes: Any) -> Turn:
    """The answer of a model: text in the form of the target, or a call."""
    final = tools.export(vendor.target, output=Forecast)._final
    assert final is not None
    data = {**final.planned.lowered.lens.put(FORECAST), **changes}
    if final.is_form:
        return Turn(text=jsontext.write(data))
    return one(final.planned.wire_name, call_id, **data)


def answered(vendor: Vendor, *turns: Turn, tools: Toolset = TOOLS, **options: Any) -> Ran:
    """A run whose answer is a forecast; the server refuses nothing that it is sent."""
    messages = [vendor.said(HELLO)]
    given: dict[str, Any] = {"model": "m-test", "messages": messages, **vendor.options, **options}
    given["tools"] = tools.export(vendor.target, output=Forecast)

    async def ask(url: str) -> Any:
        async with vendor.asynchronous(url) as client:
            return await listed(run(client, **given))

    with Loopback(vendor.wire(), [*turns, Turn(text="Sunny.")]) as server:
        events = asyncio.run(ask(server.url))
    assert server.refusals == []
    return Ran(events, messages, server)


def shape(ran: Ran) -> list[type]:
    return [type(event) for event in ran.events if not isinstance(event, Streamed)]


@pytest.mark.requirement("output-run")
@vendors
@streamed
def test_a_run_ends_with_an_answer_of_the_type(vendor: Vendor, stream: bool) -> None:
    wrong, right = answer(vendor, TOOLS, "call_8", days="soon"), answer(vendor, TOOLS)
    ran = answered(vendor, GOOD, wrong, right, stream=stream)
    assert shape(ran) == [ModelTurn, Called, ModelTurn, ModelTurn, Finished]
    output = ran.finished.output
    assert isinstance(output, Ok)
    assert (ran.finished.reason, output.value) == ("done", RIGHT)
    assert output is ran.finished.answer.output
    assert (
        jsontext.write(ran.server.requests[-1].body).count(
            "Errors: days: expected integer, received string"
        )
        == 1
    )


@vendors
@streamed
def test_data_are_extracted_without_any_tool(vendor: Vendor, stream: bool) -> None:
    ran = answered(vendor, answer(vendor, Toolset()), tools=Toolset(), stream=stream)
    assert shape(ran) == [ModelTurn, Finished]
    assert ran.finished.output is not None
    assert ran.finished.output.unwrap() == RIGHT
    assert "tools" not in ran.server.requests[0].body


@vendors
@streamed
def test_a_program_without_a_loop_has_the_same_answer(vendor: Vendor, stream: bool) -> None:
    messages = [vendor.said(HELLO)]
    wire = TOOLS.export(vendor.target, output=Forecast)
    with Loopback(vendor.wire(), [GOOD, answer(vendor, TOOLS)]) as server:
        client = vendor.synchronous(server.url)
        options: Any = {**vendor.options, "stream": stream}
        *_, last = run_sync(client, model="m", messages=messages, tools=wire, **options)
        client.close()
    assert server.refusals == []
    assert isinstance(last, Finished)
    assert last.output is not None
    assert last.output.unwrap() == RIGHT


@pytest.mark.requirement("output-invalid")
@vendors
def test_wrong_answers_count_with_refused_calls(vendor: Vendor) -> None:
    wrong = [answer(vendor, TOOLS, f"call_{place}", days="soon") for place in range(2)]
    ran = answered(vendor, one("get_weather", days=3), *wrong, max_invalid=3)
    assert (ran.kinds, ran.finished.reason) == (["invalid_input"], "invalid")
    output = ran.finished.output
    assert isinstance(output, Err)
    assert output.text == f"{REFUSED}days: expected integer, received string"
    goes_on(vendor, ran)


@vendors
def test_a_right_call_starts_the_count_of_wrong_answers_anew(vendor: Vendor) -> None:
    wrong = [answer(vendor, TOOLS, f"call_{place}", days="soon") for place in range(2)]
    ran = answered(vendor, wrong[0], GOOD, wrong[1], answer(vendor, TOOLS), max_invalid=2)
    assert ran.finished.reason == "done"


@vendors
def test_a_budget_ends_a_run_with_its_last_wrong_answer(vendor: Vendor) -> None:
    ran = answered(vendor, answer(vendor, TOOLS, days="soon"), max_turns=1)
    assert ran.finished.reason == "max_turns"
    assert isinstance(ran.finished.output, Err)
    goes_on(vendor, ran)


@vendors
def test_an_answer_is_none_of_the_calls_that_may_be_made(vendor: Vendor) -> None:
    ran = answered(vendor, GOOD, answer(vendor, TOOLS), max_calls=1)
    assert (ran.finished.reason, len(ran.called)) == ("done", 1)


@vendors
def test_a_conversation_goes_on_after_its_answer(vendor: Vendor) -> None:
    goes_on(vendor, answered(vendor, GOOD, answer(vendor, TOOLS)))


@vendors
def test_a_run_that_is_left_before_its_answer_is_judged_can_go_on(vendor: Vendor) -> None:
    messages = [vendor.said(HELLO)]
    given: dict[str, Any] = {"model": "m", "messages": messages, **vendor.options}
    given["tools"] = TOOLS.export(vendor.target, output=Forecast)

    async def left(url: str) -> None:
        async with vendor.asynchronous(url) as client:
            events = run(client, **given)
            await anext(events)
            await events.aclose()

    with Loopback(vendor.wire(), [answer(vendor, TOOLS)]) as server:
        asyncio.run(left(server.url))
    goes_on(vendor, Ran([], messages, server))


# ------------------------------------------------------------------------- what the run is given


def scripted(*turns: Any, target: str = "openai", **options: Any) -> Finished:
    given: dict[str, Any] = {"tools": TOOLS, "output": Forecast, **options}
    client = ScriptedModel(*turns, target=target)
    *_, last = run_sync(client, model="m", messages=[], **given)
    assert isinstance(last, Finished)
    return last


SAID = '{"city": "Paris", "days": 1, "hours": null}'


def test_a_run_takes_the_type_itself() -> None:
    output = scripted("It is sunny.", SAID).output
    assert output is not None
    assert output.unwrap() == Forecast("Paris", 1)


def test_an_export_has_its_type_already() -> None:
    with pytest.raises(ToolhaftError) as raised:
        scripted(SAID, tools=TOOLS.export("openai", output=Forecast))
    assert str(raised.value) == "run: output: tools are an export; pass output= to export"


def test_a_type_that_cannot_be_used_is_told_before_the_model_is_asked() -> None:
    with pytest.raises(DefinitionError, match="output: no validator owns an object"):
        scripted(output=object())


def test_without_a_type_there_is_no_answer_but_text() -> None:
    finished = scripted("It is sunny.", output=None)
    assert (finished.reason, finished.text, finished.output) == ("done", "It is sunny.", None)


def test_an_answer_that_a_limit_cut_off_is_asked_for_again() -> None:
    message = {"type": "message", "content": [{"type": "output_text", "text": SAID}]}
    cut = {
        "status": "incomplete",
        "incomplete_details": {"reason": "max_output_tokens"},
        "output": [message],
    }
    whole = {"status": "completed", "output": [message]}
    responses = [cut, whole]

    async def client(**request: Any) -> Any:
        return responses.pop(0)

    wire = TOOLS.export("openai", output=Forecast)
    messages: list[Any] = []
    *_, last = run_sync(client, model="m", messages=messages, tools=wire)
    assert isinstance(last, Finished)
    assert last.output is not None
    assert (last.reason, last.output.unwrap()) == ("done", Forecast("Paris", 1))
    assert messages[1]["content"].startswith("The arguments were cut off before they were complete")


def test_a_refusal_is_no_answer() -> None:
    refusal = {"type": "refusal", "refusal": "I will not."}
    refused = {"status": "completed", "output": [{"type": "message", "content": [refusal]}]}

    async def client(**request: Any) -> Any:
        return refused

    wire = TOOLS.export("openai", output=Forecast)
    *_, last = run_sync(client, model="m", messages=[], tools=wire)
    assert isinstance(last, Finished)
    assert (last.reason, last.text, last.output) == ("refusal", "I will not.", None)
