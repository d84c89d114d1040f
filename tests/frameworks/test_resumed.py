"""In each framework that is resumed, exactly the call that a person was shown runs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from tests.frameworks.driver import INSTALLED, Call, driver_of
from tests.frameworks.test_approval import describe, make_transfer
from tests.frameworks.tools import make_tools
from toolhaft import Err, Toolset, tool
from toolhaft.call.feedback import describe_not_resumed
from toolhaft.frameworks.approval import UNSHOWN
from toolhaft.frameworks.bridge import bridge_tools
from toolhaft.jsonio import jsontext

pytestmark = [
    pytest.mark.filterwarnings("ignore"),  # the hosts' own
    pytest.mark.requirement("frameworks-approval"),
]
BOB = '{"to": "bob"}'
# Is resumed with the second tools, which are the first ones or have changed since; returns the call
# that was shown. The last argument makes the answer's `call` of it; None if the answer has none.
Bring = Callable[[Any], Any] | None
Resume = Callable[[Any, Any, Bring], Any]


async def pydantic_ai(transfer: Any, later: Any, bring: Bring) -> Any:
    from pydantic_ai import DeferredToolResults, ModelMessagesTypeAdapter

    from tests.frameworks.drivers import drive_pydantic_ai as host

    model = host.Model(Call("transfer", BOB))
    result = await host.agent(transfer, model).run("go")
    requests: Any = result.output
    answers = DeferredToolResults(approvals={"call-1": True})
    history = result.all_messages()
    if bring:  # a program that keeps no metadata of responses
        answers.metadata = {"call-1": {"call": bring(requests.metadata["call-1"]["call"])}}
        history[-1].metadata = None
    stored = ModelMessagesTypeAdapter.dump_json(history)
    history = ModelMessagesTypeAdapter.validate_json(stored)
    await host.agent(later, model).run(message_history=history, deferred_tool_results=answers)
    return requests.metadata["call-1"]["arguments"]


async def google_adk(transfer: Any, later: Any, bring: Bring) -> Any:
    from google.genai import types

    from tests.frameworks.drivers import drive_google_adk as host
    from toolhaft.frameworks.google_adk import to_google_adk

    session = host.Run(transfer, ("transfer", {"to": "bob"}))
    calls = [call for event in await session.begin() for call in event.get_function_calls()]
    [asked] = [call for call in calls if call.name == host.CONFIRMATION]
    payload = asked.args["toolConfirmation"]["payload"]
    answer: Any = {"confirmed": True}
    answer |= {"payload": {"call": bring(payload["call"])}} if bring else {}
    response = types.FunctionResponse(id=asked.id, name=host.CONFIRMATION, response=answer)
    session.runner.agent.tools = to_google_adk(later)
    await session.send(types.Part(function_response=response))
    return payload["arguments"]


async def llamaindex(transfer: Any, _later: Any, bring: Bring) -> Any:
    from llama_index.core.workflow import HumanResponseEvent, InputRequiredEvent

    from tests.frameworks.drivers import drive_llamaindex as host

    handler, _ = host.start(transfer, ("transfer", {"to": "bob"}))
    shown: list[Any] = []
    async for event in handler.stream_events():
        if isinstance(event, InputRequiredEvent):
            shown.append(event.arguments)
            answer: Any = {"response": True, "digest": event.digest}
            answer |= {"call": bring(event.call)} if bring else {}
            handler.ctx.send_event(HumanResponseEvent(**answer))
    await handler
    [arguments] = shown
    return arguments


async def strands(transfer: Any, _later: Any, bring: Bring) -> Any:
    from tests.frameworks.drivers import drive_strands as host

    agent = host.agent(transfer, host.Model(Call("transfer", BOB)))
    result = await agent.invoke_async("go")
    [asked] = result.interrupts
    answer = bring(asked.reason["call"]) if bring else True
    response = {"interruptId": asked.id, "response": answer}
    await agent.invoke_async([{"interruptResponse": response}])
    return asked.reason["arguments"]


HOSTS: dict[str, Resume] = {
    each.__name__: each for each in (pydantic_ai, google_adk, llamaindex, strands)
}


# These frameworks keep the call that was shown.
KEEPING = ("pydantic_ai", "google_adk")


def resume(host: str, tools: Any, later: Any, bring: Bring) -> Any:
    run = HOSTS[host](Toolset([tools]), Toolset([later]), bring)
    return asyncio.run(asyncio.wait_for(run, 20))


def unchanged(call: Any) -> Any:
    return call


@pytest.mark.parametrize("host", [host for host in HOSTS if host in INSTALLED])
@pytest.mark.parametrize("bring", [unchanged, None])
def test_a_factorys_value_runs_as_it_was_shown_or_not_at_all(host: str, bring: Bring) -> None:
    transfer, ran = make_transfer()
    shown = resume(host, transfer, transfer, bring)
    assert shown.keys() == {"to", "account", "amount"}
    assert ran == ([shown] if bring or host in KEEPING else [])


@pytest.mark.parametrize("host", [host for host in HOSTS if host in INSTALLED])
def test_the_call_that_a_yes_brings_back_is_the_one_that_it_answers(host: str) -> None:
    transfer, ran = make_transfer()
    other = describe(bridge_tools(transfer, lambda bridge: bridge), '{"to": "eve"}')["call"]
    shown = resume(host, transfer, transfer, lambda _: other)
    assert ran == ([shown] if host == "google_adk" else [])  # its session has kept the call


@pytest.mark.parametrize("host", [host for host in KEEPING if host in INSTALLED])
@pytest.mark.parametrize("bring", [unchanged, None])
def test_a_default_that_changed_since_it_was_shown_does_not_run(host: str, bring: Bring) -> None:
    ran: list[Any] = []

    def make(default: int) -> Any:
        @tool(requires_approval=True)
        def transfer(to: str, amount: int = default) -> str:
            """Transfer."""
            ran.append((to, amount))
            return "done"

        return transfer

    assert resume(host, make(1), make(1000), bring) == {"to": "bob", "amount": 1}
    assert ran == []
    resume(host, make(1), make(1), bring)
    assert ran == [("bob", 1)]


@pytest.mark.parametrize(
    "host", [host for host in ("openai_agents", "agno", "agent_framework") if host in INSTALLED]
)
def test_a_host_that_shows_what_the_model_wrote_runs_nothing_that_a_factory_filled(
    host: str,
) -> None:
    transfer, ran = make_transfer()
    driver = driver_of(host)
    seen = asyncio.run(driver.decide(Toolset([transfer]), "transfer", BOB, True))
    assert seen is not None
    assert (seen.text, ran) == (describe_not_resumed(UNSHOWN), [])


@pytest.mark.skipif("fastmcp" not in INSTALLED, reason="FastMCP is not installed")
@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_a_client_of_fastmcp_approves_exactly_the_call_that_runs(mode: Any) -> None:
    from fastmcp import Client

    from tests.frameworks.drivers.drive_fastmcp import serve

    asked: list[str] = []

    async def approve(message: str, response_type: Any, *_rest: Any) -> Any:
        asked.append(message)
        return response_type(value=True)

    async def call() -> None:
        server = serve(Toolset([transfer]))
        async with Client(server, elicitation_handler=approve, mode=mode) as client:
            await client.call_tool("transfer", {"to": "bob"})

    transfer, ran = make_transfer()
    asyncio.run(call())
    [shown] = ran
    assert asked == [f"Run transfer with {jsontext.write(shown)}?"]


EDITING = [host for host in ("google_adk", "llamaindex", "strands") if host in INSTALLED]


@pytest.mark.requirement("approval-edit")
@pytest.mark.parametrize("host", EDITING)
def test_an_answer_that_brings_back_an_edit_runs_it(host: str) -> None:
    for written, expected in (
        ({"to": "eve", "account": 7, "amount": 1}, [{"to": "eve", "account": 7, "amount": 1}]),
        ({"to": "eve", "account": "much"}, []),
        ({"amount": 1}, []),
    ):
        transfer, ran = make_transfer()
        answer = {"edit": written}
        resume(host, transfer, transfer, partial(lambda answer, _: answer, answer))
        assert ran == expected


@pytest.mark.requirement("approval-edit")
@pytest.mark.skipif("pydantic_ai" not in INSTALLED, reason="Pydantic AI is not installed")
def test_the_override_of_pydantic_ai_is_an_edit_with_both_digests() -> None:
    from pydantic_ai import DeferredToolResults, ToolApproved

    from tests.frameworks.drivers import drive_pydantic_ai as host

    told: list[dict[str, Any]] = []

    class Tell:
        def started(self, _: Any) -> Any:
            return lambda done: told.append(done.as_json())

    @tool(requires_approval=lambda arguments: arguments["cents"] > 50)
    def pay(cents: int, tenant: str) -> str:
        """Pay."""
        return f"{cents} for {tenant}"

    ours = pay.transform(rename={"cents": "amount"}, hide={"tenant": "acme"})
    tools = Toolset([ours], observers=[Tell()])

    async def change(written: dict[str, Any]) -> str:
        model = host.Model(Call("pay", '{"amount": "80"}'))
        result = await host.agent(tools, model).run("go")
        answers = DeferredToolResults(approvals={"call-1": ToolApproved(override_args=written)})
        history = result.all_messages()
        await host.agent(tools, model).run(message_history=history, deferred_tool_results=answers)
        return host.seen(model).text

    # Below the bound, no approval would be needed; hidden values stay.
    assert asyncio.run(change({"amount": 5})) == "5 for acme"
    asked, ran = told
    assert (ran["kind"], ran["asked_digest"]) == ("ok", asked["digest"])
    assert ran["digest"] not in (None, asked["digest"])
    assert "unknown" in asyncio.run(change({"amount": 5, "tenant": "evil"}))
    assert "required" in asyncio.run(change({}))
    assert [each["kind"] for each in told if each["kind"] == "ok"] == ["ok"]


@pytest.mark.skipif("pydantic_ai" not in INSTALLED, reason="Pydantic AI is not installed")
def test_arguments_that_a_person_wrote_instead_run_in_pydantic_ai() -> None:
    from pydantic_ai import DeferredToolResults, ToolApproved

    from tests.frameworks.drivers import drive_pydantic_ai as host

    async def change(tools: Any, text: str, written: dict[str, Any]) -> str:
        [asking] = tools
        model = host.Model(Call(asking.name, text))
        result = await host.agent(tools, model).run("go")
        requests: Any = result.output
        approval = ToolApproved(override_args=written)
        answers = DeferredToolResults(approvals={"call-1": approval}, metadata=requests.metadata)
        history = result.all_messages()
        await host.agent(tools, model).run(message_history=history, deferred_tool_results=answers)
        return host.seen(model).text

    pay = make_tools().select("pay")
    assert asyncio.run(change(pay, '{"amount": 2}', {"amount": 1})) == "paid 1 to ann"
    transfer, ran = make_transfer()
    denied = asyncio.run(change(Toolset([transfer]), BOB, {"to": "eve"}))
    assert (denied, ran) == (f'{{"error":"{describe_not_resumed(UNSHOWN)}"}}', [])


@pytest.mark.skipif("llamaindex" not in INSTALLED, reason="LlamaIndex is not installed")
def test_two_calls_of_llamaindex_with_the_same_arguments_have_an_answer_each() -> None:
    from llama_index.core.workflow import HumanResponseEvent, InputRequiredEvent

    from tests.frameworks.drivers import drive_llamaindex as host

    async def pay_twice() -> list[str]:
        handler, script = host.start(make_tools(), *[("pay", {"amount": 2})] * 2)
        asked: list[str] = []
        async for event in handler.stream_events():
            if isinstance(event, InputRequiredEvent) and event.digest not in asked:
                asked.append(event.digest)
                response = event.call_id == "call-1" or "no"
                answer: Any = {"response": response, "digest": event.digest}
                handler.ctx.send_event(HumanResponseEvent(**answer))
        await handler
        assert len(asked) == 2
        return sorted(message.content for message in script.last)

    answers = asyncio.run(asyncio.wait_for(pay_twice(), 20))
    assert answers == ["This call was declined by a person and was not run: no", "paid 2 to ann"]


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


def agent_framework_called(transfer: Any) -> str:
    from toolhaft.frameworks.agent_framework import to_agent_framework

    function: Any = to_agent_framework(transfer)
    return str(asyncio.run(function(amount=2)))


DIRECTLY = {
    "agno": agno_directly,
    "agent_framework": agent_framework_directly,
    "agent_framework, called": agent_framework_called,
}


@pytest.mark.parametrize("host", [host for host in DIRECTLY if host.split(",")[0] in INSTALLED])
def test_a_call_outside_the_frameworks_confirmation_returns_that_it_waits(host: str) -> None:
    pay = make_tools()["pay"]
    waiting = pay.call_sync('{"amount": 2}')
    assert isinstance(waiting, Err)
    assert (waiting.kind, DIRECTLY[host](pay)) == ("approval_required", waiting.text)
    free = pay.replace(requires_approval=False)
    assert DIRECTLY[host](free) == "paid 2 to ann"
