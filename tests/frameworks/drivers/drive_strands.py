"""Strands' agent, and a model of its own kind."""

from __future__ import annotations

from collections.abc import AsyncIterable
from typing import Any

from strands import Agent
from strands.interrupt import Interrupt, InterruptException
from strands.models import Model as HostModel
from strands.tools.executors import ConcurrentToolExecutor, SequentialToolExecutor

from tests.frameworks.driver import ONE_SENT, Call, Loss, Seen, keep_text, show_flagged
from toolhaft.frameworks.strands import to_strands as to_host

shown = show_flagged
returned = keep_text
DECLINED = "This call was declined by a person and was not run: too much"
LISTS_BY_RUN, SIDE_BY_SIDE = False, True
WRITES = "Strands writes descriptions and types into a schema"
NO_ARGUMENTS = "Strands calls the tool without arguments"
NONE_CAME = Seen("Please rewrite the input with valid arguments. Errors: root: required", True)
LOSSES = {
    "key twice": Loss(ONE_SENT, Seen('{"root":{"label":"b"}}', False)),
    "text cut off": Loss(NO_ARGUMENTS, NONE_CAME),
    "Python's text": Loss(NO_ARGUMENTS, NONE_CAME),
    "schema": Loss(WRITES, None),
    "strict schema": Loss(WRITES, None),
    "unknown tool": Loss("Strands' own text", Seen("Unknown tool: nope")),
}


class Model(HostModel):
    """Makes its calls in one turn, and keeps what it is shown of the first."""

    def __init__(self, *calls: Call) -> None:
        self.calls = calls
        self.result: Any = None
        self.specs: Any = None

    def update_config(self, **config: Any) -> None:
        return None

    def get_config(self) -> Any:
        return {}

    def structured_output(self, *rest: Any, **options: Any) -> Any:
        raise NotImplementedError

    async def stream(
        self, messages: Any, tool_specs: Any = None, *rest: Any, **options: Any
    ) -> AsyncIterable[Any]:
        self.specs = tool_specs
        results = [part["toolResult"] for part in messages[-1]["content"] if "toolResult" in part]
        yield {"messageStart": {"role": "assistant"}}
        if results:
            self.result = results[0]
            yield {"contentBlockStart": {"start": {}}}
            yield {"contentBlockDelta": {"delta": {"text": "done"}}}
            yield {"contentBlockStop": {}}
        for number, call in enumerate(() if results else self.calls, 1):
            use = {"toolUse": {"toolUseId": f"call-{number}", "name": call.name}}
            yield {"contentBlockStart": {"start": use}}
            yield {"contentBlockDelta": {"delta": {"toolUse": {"input": call.text}}}}
            yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn" if results else "tool_use"}}

    def seen(self) -> Seen | None:
        if self.result is None:
            return None
        content = self.result["content"]
        text = "\n".join(part["text"] for part in content if "text" in part)
        images = [part["image"]["source"]["bytes"] for part in content if "image" in part]
        return Seen(text, self.result["status"] == "error", tuple(images))


def agent(tools: Any, model: Model, executor: Any = None, **options: Any) -> Agent:
    executor = executor or SequentialToolExecutor()
    bridged = to_host(tools, **options)
    return Agent(model=model, tools=bridged, tool_executor=executor, callback_handler=None)


async def run(tools: Any, name: str, text: str, *, context: Any = None) -> Seen | None:
    model = Model(Call(name, text))
    await agent(tools, model).invoke_async("go", invocation_state=context)
    return model.seen()


async def run_calls(tools: Any, calls: list[Call], context: Any) -> list[str]:
    model = Model(*calls)
    running = agent(tools, model, ConcurrentToolExecutor(), context=context)
    await running.invoke_async("go")
    return [spec["name"] for spec in model.specs or []]


def run_sync(tools: Any, name: str, text: str) -> Seen | None:
    model = Model(Call(name, text))
    agent(tools, model)("go")
    return model.seen()


async def decide(tools: Any, name: str, text: str, approved: bool) -> Seen | None:
    model = Model(Call(name, text))
    asking = agent(tools, model)
    result = await asking.invoke_async("go")
    if not result.interrupts:
        return None
    response = approved or "too much"
    answer = {"interruptId": result.interrupts[0].id, "response": response}
    await asking.invoke_async([{"interruptResponse": answer}])
    return model.seen()


def sent(tool: Any, _strict: bool) -> Any:
    host = Agent(model=Model(), tools=[tool], callback_handler=None)
    [spec] = host.tool_registry.get_all_tool_specs()
    return spec["inputSchema"]["json"]


def steer() -> None:
    raise InterruptException(Interrupt("which", "which?", "which?"))


async def is_steered(tools: Any, name: str) -> bool:
    result = await agent(tools, Model(Call(name, "{}"))).invoke_async("go")
    return [each.name for each in result.interrupts or []] == ["which?"]
