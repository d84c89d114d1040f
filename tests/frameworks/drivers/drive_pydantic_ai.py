"""Pydantic AI's agent, and its function model."""

from __future__ import annotations

from typing import Any

from pydantic_ai import (
    Agent,
    BinaryContent,
    DeferredToolRequests,
    DeferredToolResults,
    ModelResponse,
    ModelRetry,
    TextPart,
    ToolCallPart,
    ToolDenied,
    ToolReturnPart,
)
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.profiles.openai import OpenAIJsonSchemaTransformer

from tests.frameworks.driver import Call, Loss, Seen, keep_text
from toolhaft import Err, Ok
from toolhaft.frameworks.pydantic_ai import to_pydantic_ai as to_host

returned = keep_text
DECLINED = "too much"
LISTS_BY_RUN, SIDE_BY_SIDE = True, True
LOSSES = {
    "unknown tool": Loss(
        "Pydantic AI's own text",
        Seen(
            "{\"error\":\"Unknown tool name: 'nope'. Available tools: 'complain', 'crash', "
            "'draw', 'echo', 'order', 'pay', 'plant', 'steered', 'wait', 'whoami'\"}"
        ),
    ),
}


class Model:
    """Makes its calls in one turn, and keeps the results that it is shown."""

    def __init__(self, *calls: Call) -> None:
        self.calls = [
            ToolCallPart(*call, tool_call_id=f"call-{number}")
            for number, call in enumerate(calls, 1)
        ]
        self.seen: list[Any] = []
        self.schemas: dict[str, Any] = {}

    def __call__(self, messages: list[Any], info: AgentInfo) -> ModelResponse:
        self.schemas = {tool.name: tool.parameters_json_schema for tool in info.function_tools}
        last = messages[-1].parts
        answers = [part for part in last if getattr(part, "tool_call_id", None)]
        if not answers:
            return ModelResponse(self.calls)
        self.seen = answers
        return ModelResponse([TextPart("done")])


def agent(tools: Any, model: Model) -> Agent[Any, Any]:
    return Agent(
        FunctionModel(model), tools=to_host(tools), output_type=[str, DeferredToolRequests]
    )


def seen(model: Model) -> Seen:
    [part] = model.seen
    if not isinstance(part, ToolReturnPart):
        return Seen(part.model_response(), True)
    failed = part.outcome != "success"
    images = [each.data for each in part.files if isinstance(each, BinaryContent)]
    content = part.content
    if isinstance(content, list):
        text = "\n".join(each for each in content if isinstance(each, str))
        return Seen(text, failed, tuple(images))
    return Seen(part.model_response_str(), failed)


async def run(tools: Any, name: str, text: str, *, context: Any = None) -> Seen:
    model = Model(Call(name, text))
    await agent(tools, model).run("go", deps=context)
    return seen(model)


async def run_calls(tools: Any, calls: list[Call], context: Any) -> list[str]:
    model = Model(*calls)
    await agent(tools, model).run("go", deps=context)
    return list(model.schemas)


def run_sync(tools: Any, name: str, text: str) -> Seen:
    model = Model(Call(name, text))
    agent(tools, model).run_sync("go")
    return seen(model)


async def decide(tools: Any, name: str, text: str, approved: bool) -> Seen | None:
    model = Model(Call(name, text))
    result = await agent(tools, model).run("go")
    if not isinstance(result.output, DeferredToolRequests):
        return None
    decision = True if approved else ToolDenied("too much")
    answers = DeferredToolResults(approvals={"call-1": decision})
    history = result.all_messages()
    await agent(tools, model).run(message_history=history, deferred_tool_results=answers)
    return seen(model)


def shown(outcome: Ok[Any] | Err) -> Seen:
    """A refusal is shown under a key."""
    return Seen(outcome.text if outcome else f'{{"error":"{outcome.text}"}}', not outcome)


def sent(tool: Any, strict: bool) -> Any:
    schema = tool.tool_def.parameters_json_schema
    return OpenAIJsonSchemaTransformer(schema, strict=True).walk() if strict else schema


def steer() -> None:
    raise ModelRetry("another way")


async def is_steered(tools: Any, name: str) -> bool:
    seen = await run(tools, name, "{}")
    return seen == Seen('{"error":"another way"}', True)
