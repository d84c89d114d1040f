"""In each host that is resumed: what a person was shown is what runs, and nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from tests.frameworks.driver import INSTALLED
from tests.frameworks.test_shown import make_transfer
from tests.frameworks.tools import make_tools
from toolhaft import Err, Toolset

pytestmark = [
    pytest.mark.filterwarnings("ignore"),  # the hosts' own
    pytest.mark.requirement("frameworks-approval"),
]
BOB = '{"to": "bob"}'
# Gives what was shown; is told whether the answer brings it back.
Resume = Callable[[Any, bool], Any]


async def pydantic_ai(transfer: Any, brings_back: bool) -> Any:
    from pydantic_ai import DeferredToolResults

    from tests.frameworks.drivers import drive_pydantic_ai as host

    model = host.Model("transfer", BOB)
    result = await host.agent(transfer, model).run("go")
    requests: Any = result.output
    answers = DeferredToolResults(approvals={"call-1": True})
    if brings_back:
        answers.metadata = requests.metadata
    history = result.all_messages()
    await host.agent(transfer, model).run(message_history=history, deferred_tool_results=answers)
    return requests.metadata["call-1"]["arguments"]


async def google_adk(transfer: Any, brings_back: bool) -> Any:
    from google.genai import types

    from tests.frameworks.drivers import drive_google_adk as host

    session = host.Run(transfer, "transfer", {"to": "bob"})
    calls = [call for event in await session.begin() for call in event.get_function_calls()]
    [asked] = [call for call in calls if call.name == host.CONFIRMATION]
    payload = asked.args["toolConfirmation"]["payload"]
    answer: Any = {"confirmed": True} | ({"payload": payload} if brings_back else {})
    response = types.FunctionResponse(id=asked.id, name=host.CONFIRMATION, response=answer)
    await session.send(types.Part(function_response=response))
    return payload["arguments"]


async def llamaindex(transfer: Any, brings_back: bool) -> Any:
    from llama_index.core.workflow import HumanResponseEvent, InputRequiredEvent

    from tests.frameworks.drivers import drive_llamaindex as host

    handler, _ = host.start(transfer, "transfer", {"to": "bob"})
    shown: list[Any] = []
    async for event in handler.stream_events():
        if isinstance(event, InputRequiredEvent):
            shown.append(event.arguments)
            answer: Any = {"response": True, "digest": event.digest}
            answer |= {"call": event.call} if brings_back else {}
            handler.ctx.send_event(HumanResponseEvent(**answer))
    await handler
    [arguments] = shown
    return arguments


async def strands(transfer: Any, brings_back: bool) -> Any:
    from tests.frameworks.drivers import drive_strands as host

    agent = host.agent(transfer, host.Model("transfer", BOB))
    result = await agent.invoke_async("go")
    [asked] = result.interrupts
    answer = asked.reason["call"] if brings_back else True
    response = {"interruptId": asked.id, "response": answer}
    await agent.invoke_async([{"interruptResponse": response}])
    return asked.reason["arguments"]


HOSTS: dict[str, Resume] = {
    each.__name__: each for each in (pydantic_ai, google_adk, llamaindex, strands)
}


@pytest.mark.parametrize("host", [host for host in HOSTS if host in INSTALLED])
@pytest.mark.parametrize("brings_back", [True, False])
def test_what_a_factory_filled_runs_as_it_was_shown_or_not_at_all(
    host: str, brings_back: bool
) -> None:
    transfer, ran = make_transfer()
    shown = asyncio.run(asyncio.wait_for(HOSTS[host](Toolset([transfer]), brings_back), 20))
    assert shown.keys() == {"to", "account", "amount"}
    assert ran == ([shown] if brings_back else [])


def agno_directly(transfer: Any) -> str:
    from agno.tools.function import FunctionCall

    from toolhaft.frameworks.agno import to_agno

    call = FunctionCall(function=to_agno(transfer, sync=True), arguments={"amount": 2})
    return str(call.execute().result)


def agent_framework_directly(transfer: Any) -> str:
    from agent_framework import FunctionInvocationContext

    from toolhaft.frameworks.agent_framework import to_agent_framework

    function: Any = to_agent_framework(transfer)
    arguments = {"amount": 2}
    context = FunctionInvocationContext(function=function, arguments=arguments, kwargs={})
    [result] = asyncio.run(function.invoke(arguments=arguments, context=context))
    return str(result.text)


DIRECTLY = {"agno": agno_directly, "agent_framework": agent_framework_directly}


@pytest.mark.parametrize("host", [host for host in DIRECTLY if host in INSTALLED])
def test_a_call_past_the_hosts_own_confirmation_says_that_it_waits(host: str) -> None:
    pay = make_tools()["pay"]
    waiting = pay.call_sync('{"amount": 2}')
    assert isinstance(waiting, Err)
    assert (waiting.kind, DIRECTLY[host](pay)) == ("approval_required", waiting.text)
