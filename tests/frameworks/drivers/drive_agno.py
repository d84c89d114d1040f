"""Agno's agent, and a model of its own kind."""

from __future__ import annotations

from typing import Any

from agno.agent import Agent
from agno.db.in_memory import InMemoryDb
from agno.exceptions import StopAgentRun
from agno.models.base import Model as HostModel
from agno.models.response import ModelResponse

from tests.frameworks.driver import ONE_SENT, Call, Loss, Seen, keep_text, show_text
from toolhaft.frameworks.agno import to_agno as to_host

shown = show_text
returned = keep_text
DECLINED = "too much"
LISTS_BY_RUN, SIDE_BY_SIDE = False, True
ASKED = "Agno asks before it runs a tool, whatever the arguments"
LOSSES = {
    "key twice": Loss(ONE_SENT, Seen('{"root":{"label":"b"}}')),
    "text cut off": Loss(
        "Agno's own text",
        Seen(
            "Error while decoding function arguments: '{' was never closed (<unknown>, line "
            "1)\n\nPlease make sure we can json.loads() the arguments and retry."
        ),
    ),
    "a list": Loss(
        "an empty list is no arguments",
        Seen("Please rewrite the input with valid arguments. Errors: root: required"),
    ),
    "null": Loss(
        "Agno's own text",
        Seen("Function arguments are not a valid JSON object.\n\n Please fix and retry."),
    ),
    "refused unasked": Loss(
        ASKED,
        Seen(
            "Please rewrite the input with valid arguments. Errors: "
            "amount: expected integer, received array"
        ),
    ),
    "unknown tool": Loss(
        "Agno's own text",
        Seen("Error: The requested tool does not exist or is not available."),
    ),
}


class Model(HostModel):
    """Makes its calls in one turn, and keeps what it is shown of them."""

    def __init__(self, *calls: Call) -> None:
        super().__init__(id="fake")
        self.calls = [
            {
                "id": f"call-{number}",
                "type": "function",
                "function": {"name": call.name, "arguments": call.text},
            }
            for number, call in enumerate(calls, 1)
        ]
        self.last: Any = None

    def step(self, messages: Any) -> ModelResponse:
        results = [message for message in messages if message.role == "tool"]
        if not results:
            return ModelResponse(role="assistant", tool_calls=self.calls)
        self.last = messages
        return ModelResponse(role="assistant", content="done")

    def invoke(self, messages: Any, *rest: Any, **options: Any) -> ModelResponse:
        return self.step(messages)

    async def ainvoke(self, messages: Any, *rest: Any, **options: Any) -> ModelResponse:
        return self.step(messages)

    def invoke_stream(self, *rest: Any, **options: Any) -> Any:
        raise NotImplementedError

    def ainvoke_stream(self, *rest: Any, **options: Any) -> Any:
        raise NotImplementedError

    def _parse_provider_response(self, response: Any, **options: Any) -> Any:
        return response

    def _parse_provider_response_delta(self, response: Any) -> Any:
        return response

    def seen(self) -> Seen | None:
        if self.last is None:
            return None
        [result] = [message for message in self.last if message.role == "tool"]
        images = [image.content for message in self.last for image in message.images or []]
        return Seen(result.content, None, tuple(images))


def agent(tools: Any, model: Model, **options: Any) -> Agent:
    return Agent(model=model, tools=to_host(tools, **options), db=InMemoryDb(), telemetry=False)


async def run(tools: Any, name: str, text: str, *, context: Any = None) -> Seen | None:
    model = Model(Call(name, text))
    await agent(tools, model, context=context).arun("go")
    return model.seen()


async def run_calls(tools: Any, calls: list[Call], context: Any) -> list[str]:
    running = agent(tools, Model(*calls), context=context)
    await running.arun("go")
    listed: Any = running.tools
    return [tool.name for tool in listed]


def run_sync(tools: Any, name: str, text: str) -> Seen | None:
    model = Model(Call(name, text))
    agent(tools, model, sync=True).run("go")
    return model.seen()


async def decide(tools: Any, name: str, text: str, approved: bool) -> Seen | None:
    model = Model(Call(name, text))
    asking = agent(tools, model)
    paused = await asking.arun("go")
    if not paused.is_paused:
        return None
    [requirement] = paused.active_requirements
    if approved:
        requirement.confirm()
    else:
        requirement.reject("too much")
    await asking.acontinue_run(run_id=paused.run_id, requirements=paused.requirements)
    return model.seen()


def sent(tool: Any, strict: bool) -> Any:
    tool.strict = strict or None
    tool.process_entrypoint(strict=strict)
    return tool.to_dict()["parameters"]


def steer() -> None:
    raise StopAgentRun("stop here", agent_message="stopped")


async def is_steered(tools: Any, name: str) -> bool:
    model = Model(Call(name, "{}"))
    result = await agent(tools, model).arun("go")
    return model.seen() is None and [each.content for each in result.messages][-1] == "stopped"
