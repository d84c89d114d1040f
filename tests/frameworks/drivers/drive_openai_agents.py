"""The SDK's runner, and its scripted model."""

from __future__ import annotations

from base64 import b64decode
from contextlib import suppress
from typing import Any

from agents import (
    Agent,
    AgentsException,
    ModelBehaviorError,
    RunConfig,
    Runner,
    UserError,
)
from agents.testing import ScriptedModel, assistant_message, function_call

from tests.frameworks.driver import Call, Loss, Seen, keep_text, show_text
from toolhaft.frameworks.openai_agents import to_openai_agents as to_host

shown = show_text
returned = keep_text
DECLINED = "too much"
LISTS_BY_RUN, SIDE_BY_SIDE = True, True
LOSSES = {"unknown tool": Loss("the run ends", ModelBehaviorError)}
QUIET = RunConfig(tracing_disabled=True)


def prepare(tools: Any, *calls: Call) -> tuple[Agent[Any], ScriptedModel]:
    turn = [function_call(*call, call_id=f"call-{number}") for number, call in enumerate(calls, 1)]
    model = ScriptedModel([turn, [assistant_message("done")]])
    return Agent("agent", tools=to_host(tools), model=model), model


def seen(model: ScriptedModel) -> Seen:
    call = model.last_call
    assert call is not None
    items: Any = call.input
    [item] = [each for each in items if each.get("type") == "function_call_output"]
    output = item["output"]
    if isinstance(output, str):
        return Seen(output)
    text = "\n".join(part["text"] for part in output if part["type"] == "input_text")
    urls = [part["image_url"] for part in output if part["type"] == "input_image"]
    return Seen(text, None, tuple(b64decode(url.partition(",")[2]) for url in urls))


async def run(tools: Any, name: str, text: str, *, context: Any = None) -> Seen:
    agent, model = prepare(tools, Call(name, text))
    await Runner.run(agent, "go", context=context, run_config=QUIET)
    return seen(model)


async def run_calls(tools: Any, calls: list[Call], context: Any) -> list[str]:
    agent, model = prepare(tools, *calls)
    with suppress(ModelBehaviorError):  # of a call to no tool
        await Runner.run(agent, "go", context=context, run_config=QUIET)
    assert model.last_call is not None
    return [tool.name for tool in model.last_call.tools]


def run_sync(tools: Any, name: str, text: str) -> Seen:
    agent, model = prepare(tools, Call(name, text))
    Runner.run_sync(agent, "go", run_config=QUIET)
    return seen(model)


async def decide(tools: Any, name: str, text: str, approved: bool) -> Seen | None:
    agent, model = prepare(tools, Call(name, text))
    result = await Runner.run(agent, "go", run_config=QUIET)
    if not result.interruptions:
        return None
    state = result.to_state()
    [item] = result.interruptions
    if approved:
        state.approve(item)
    else:
        state.reject(item, rejection_message="too much")
    await Runner.run(agent, state, run_config=QUIET)
    return seen(model)


def sent(tool: Any, _strict: bool) -> Any:
    return tool.params_json_schema


def steer() -> None:
    raise UserError("stop here")


async def is_steered(tools: Any, name: str) -> bool:
    try:
        await run(tools, name, "{}")
    except AgentsException as error:
        return "stop here" in str(error)
    return False
