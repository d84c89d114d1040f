"""Callers in the OpenAI Agents SDK: nothing runs there either that ours would not run."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from typing import Any

import pytest

from tests.providers.test_callers import ABSENT, ALLOWED, OPENAI, may, openai_response
from toolhaft import CallInfo, Toolset, tool
from toolhaft.definition.call_info import Origin

pytest.importorskip("agents")

pytestmark = pytest.mark.requirement("allowed-callers")
PROGRAM_ITEM = "prog_1"


async def run_there(tools: Any, caller: Any) -> tuple[str, Any]:
    """Run a call in the SDK's runner; give how the run ended, and the output that it sent."""
    from agents import Agent, ModelBehaviorError, ProgrammaticToolCallingTool, RunConfig, Runner
    from agents.testing import ScriptedModel, assistant_message

    response = openai_response(caller)
    program = _program()
    model = ScriptedModel([[program, *response.output], [assistant_message("done")]])
    agent: Agent[Any] = Agent("agent", tools=[*tools, ProgrammaticToolCallingTool()], model=model)
    try:
        await Runner.run(agent, "go", run_config=RunConfig(tracing_disabled=True))
    except ModelBehaviorError:
        return "the run ends", None
    assert model.last_call is not None
    items: Any = model.last_call.input
    [output] = [item for item in items if item.get("type") == "function_call_output"]
    return output["output"], output.get("caller")


def _program() -> Any:
    from openai.types.responses.response_output_item import Program

    return Program(id="p_1", call_id=PROGRAM_ITEM, code="act()", fingerprint="f", type="program")


@pytest.mark.parametrize("form", OPENAI)
@pytest.mark.parametrize("rule", ALLOWED)
def test_a_tool_of_ours_runs_there_for_whom_it_allows(form: str, rule: str) -> None:
    from toolhaft.frameworks.openai_agents import to_openai_agents

    caller, origin = OPENAI[form]
    allowed: Collection[Origin] | None = ALLOWED[rule]
    ran: list[str] = []

    @tool(allowed_callers=allowed)
    def act(n: int, call: CallInfo) -> str:
        """Act."""
        ran.append(call.origin)
        return "acted"

    ended, sent = asyncio.run(run_there(to_openai_agents(Toolset([act])), caller))
    is_allowed = may(origin, allowed)
    assert ran == ([origin] if is_allowed else [])
    assert ended == ("acted" if is_allowed else "the run ends")
    if is_allowed:
        assert sent == (None if caller is ABSENT else caller)
