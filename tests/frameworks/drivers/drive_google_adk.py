"""ADK's runner in memory, and a model that makes one call."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm, LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai import types

from tests.frameworks.driver import NOT_READ, ONE_SENT, Call, Loss, Seen, read_text
from toolhaft import Err, Ok
from toolhaft.frameworks.google_adk import to_google_adk as to_host
from toolhaft.jsonio import jsontext

DECLINED = '{"error": This call was declined by a person and was not run.}'
LOSSES = {
    "key twice": Loss(ONE_SENT, Seen('{"result": {"root":{"label":"b"}}}')),
    "text cut off": Loss(NOT_READ, None),
    "Python's text": Loss(NOT_READ, None),
    "a list": Loss(NOT_READ, None),
    "image": Loss("told in words", Seen('{"result": a pixel\n[image: image/png, 8 bytes]}')),
    "control flow": Loss("ADK has none for tools", None),
    "unknown tool": Loss(
        "ADK's own text",
        Seen(
            '{"error": Invoking `nope()` failed as no tool with that name is available. The tools '
            "you can call are: complain, crash, draw, echo, order, pay, plant, steered, wait, "
            "whoami. You could retry, but it is IMPORTANT that you only call a tool from that "
            "list.}"
        ),
    ),
}
LISTS_BY_RUN, SIDE_BY_SIDE = True, True
CONFIRMATION = "adk_request_confirmation"


class Model(BaseLlm):
    """Makes its calls in one turn, and keeps the last results that it is shown."""

    calls: list[tuple[str, Any]]
    seen: list[Any]
    shown: list[str]

    async def generate_content_async(
        self, llm_request: Any, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        results = [
            part.function_response.response
            for content in llm_request.contents
            for part in content.parts
            if part.function_response and part.function_response.name in dict(self.calls)
        ]
        self.shown[:] = llm_request.tools_dict
        if results:
            self.seen[:] = results
            parts = [types.Part(text="done")]
        else:
            calls = [
                types.FunctionCall(id=f"call-{number}", name=name, args=arguments)
                for number, (name, arguments) in enumerate(self.calls, 1)
            ]
            parts = [types.Part(function_call=call) for call in calls]
        yield LlmResponse(content=types.Content(role="model", parts=parts))


class Run:
    """One session of an agent."""

    def __init__(self, tools: Any, *calls: tuple[str, Any], state: Any = None) -> None:
        self.model = Model(model="fake", calls=list(calls), seen=[], shown=[])
        agent = LlmAgent(name="agent", model=self.model, tools=to_host(tools))
        self.runner = InMemoryRunner(agent=agent, app_name="app")
        self.state = state

    async def begin(self) -> list[Any]:
        service = self.runner.session_service
        session = await service.create_session(app_name="app", user_id="ann", state=self.state)
        self.session = session.id
        return await self.send(types.Part(text="go"))

    async def send(self, part: Any) -> list[Any]:
        message = types.Content(role="user", parts=[part])
        events = self.runner.run_async(user_id="ann", session_id=self.session, new_message=message)
        return [event async for event in events]

    def result(self) -> Seen:
        [[(key, text)]] = [result.items() for result in self.model.seen]
        return Seen(f'{{"{key}": {text}}}')


async def run(tools: Any, name: str, text: str, *, context: Any = None) -> Seen | None:
    arguments = read_text(text)
    if arguments is None:
        return None
    session = Run(tools, (name, arguments), state=context)
    await session.begin()
    return session.result()


async def run_calls(tools: Any, calls: list[Call], context: Any) -> list[str]:
    session = Run(tools, *((call.name, read_text(call.text)) for call in calls), state=context)
    await session.begin()
    return session.model.shown


def run_sync(tools: Any, name: str, text: str) -> Seen | None:
    session = Run(tools, (name, read_text(text)))
    import asyncio

    asyncio.run(
        session.runner.session_service.create_session(app_name="app", user_id="ann", session_id="1")
    )
    message = types.Content(role="user", parts=[types.Part(text="go")])
    list(session.runner.run(user_id="ann", session_id="1", new_message=message))
    return session.result()


async def decide(tools: Any, name: str, text: str, approved: bool) -> Seen | None:
    session = Run(tools, (name, read_text(text)))
    events = await session.begin()
    asked = [
        call for event in events for call in event.get_function_calls() if call.name == CONFIRMATION
    ]
    if not asked:
        return None
    answer = types.FunctionResponse(
        id=asked[0].id, name=CONFIRMATION, response={"confirmed": approved}
    )
    session.model.seen.clear()
    await session.send(types.Part(function_response=answer))
    return session.result()


def shown(outcome: Ok[Any] | Err) -> Seen:
    """A text has a key that distinguishes errors from results."""
    return Seen(f'{{"{"result" if outcome else "error"}": {outcome.text}}}')


def returned(text: str) -> str:
    """A result comes back under its key."""
    return jsontext.write({"result": text})


def sent(tool: Any, _strict: bool) -> Any:
    return tool._get_declaration().model_dump(exclude_none=True)["parameters_json_schema"]


def steer() -> None:
    return None


async def is_steered(tools: Any, name: str) -> bool:
    del tools, name
    return False
