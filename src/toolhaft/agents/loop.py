"""`run`: the whole conversation, request after request, until the model calls no more tool.

It drives and does not plan: client, tools, budgets and messages are the caller's. `run_sync` is
the same for a program without a loop.
"""

from __future__ import annotations

import inspect
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, Final

from toolhaft.agents.budgets import Budgets
from toolhaft.agents.clients import Model, find_model, target_of
from toolhaft.agents.conversation import Conversation
from toolhaft.agents.events import Event
from toolhaft.agents.streaming import without_loop
from toolhaft.call.callers import require_key
from toolhaft.call.loop_guard import LoopGuard
from toolhaft.call.permission import Approve, Permission
from toolhaft.definition.options import UNSET
from toolhaft.definition.typevars import Out
from toolhaft.errors import ToolhaftError
from toolhaft.toolset.export import Export
from toolhaft.toolset.internals import observe_run, shown_to
from toolhaft.toolset.toolset import Toolset

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from toolhaft.agents.requests import RequestOptions

__all__ = ["run", "run_sync"]


async def run(
    client: Any,
    /,
    *,
    model: str,
    messages: list[Any],
    tools: Toolset | Export[Out],
    output: Any = None,
    max_turns: int = 10,
    max_calls: int | None = None,
    max_invalid: int | None = 5,
    max_seconds: float | None = None,
    max_total_tokens: int | None = None,
    approve: Approve | None = None,
    guard: LoopGuard | None = None,
    context: Any = UNSET,
    key: str | None = None,
    stream: bool = False,
    tool_choice_every_turn: bool = False,
    **options: Unpack[RequestOptions],
) -> AsyncGenerator[Event[Out]]:
    """Run a conversation: ask the model, run its calls and send the results, until it makes none.

    Args:
        client: A client of OpenAI, Anthropic or Google; a synchronous one is called in a thread. Or
            an async function of `model`, `messages` and the parameters of a request, for an export
            of its target.
        model: The name of the model.
        messages: The conversation so far. It is extended in place, by a whole turn at a time, so
            that every call in it has a result even if the loop is cancelled or left.
        tools: A toolset, or an export, which selects one of a client's interfaces, as in
            `tools.export("xai")`. Of a toolset with `visible=`, the model sees the tools that are
            visible in `context`.
        output: The type of the final answer, as in `Toolset.export`; `Finished.output` is the
            answer. An export has it already.
        max_turns: How many requests are sent at most.
        max_calls: How many calls run at most; a turn that would exceed it does not begin.
        max_invalid: How many calls in a row may have invalid arguments or names, wrong answers by
            `output` included; None for any number.
        max_seconds: How many seconds the run may take. Requests of asynchronous clients and calls
            are cancelled on time; a request of a synchronous client is waited for.
        max_total_tokens: How many tokens may be sent and generated; the run ends after the turn
            that reaches the number.
        approve: A callback that decides calls which need approval.
        guard: A `LoopGuard`; by default a new one.
        context: The context of the calls. None is a context.
        key: A text that only this run has. If you repeat the run after a crash, a call with the
            same place and id has the same `CallInfo.key`.
        stream: Whether to stream the model's turns and yield `Streamed` events.
        tool_choice_every_turn: Whether a `tool_choice` that forces a call goes with every request;
            by default it goes with the first one only, so that the model can end.
        options: Further parameters of each request, such as `temperature`.

    Yields:
        Events: `Streamed`, `ModelTurn`, `Reported`, `Called`, and `Finished` at the end.

    Raises:
        ContextMissing: A tool needs a value that the context lacks, or a context, and you passed
            none.
        DefinitionError: The type of the answer cannot be used, or `approve` is not callable.
        ToolhaftError: The client has no interface for the tools' target, a budget allows nothing,
            an option is misspelt, `messages` is not a list, or there is no context to judge
            `visible=` by.
        WireError: A response cannot be read. Exceptions of the client pass through.

    >>> import asyncio
    >>> from toolhaft import Toolset, tool
    >>> from toolhaft.agent_loop import Called, Finished
    >>> from toolhaft.testing import ScriptedModel
    >>> @tool
    ... def double(n: int) -> int:
    ...     "Twice a number."
    ...     return 2 * n
    >>> async def main(client):
    ...     messages = [{"role": "user", "content": "Twice four?"}]
    ...     async for event in run(client, model="m", messages=messages, tools=Toolset([double])):
    ...         if isinstance(event, Called):
    ...             print(event.call.name, event.outcome.text)
    ...         elif isinstance(event, Finished):
    ...             print(event.reason, event.text)
    >>> asyncio.run(main(ScriptedModel(("double", {"n": 4}), "Eight.")))
    double 8
    done Eight.
    """
    require_key("run", key)
    Permission.of(approve=approve)  # before anything is sent
    wire = _wire(client, tools, messages, context, output)
    wire.check_context(context)
    budgets = Budgets(max_turns, max_calls, max_invalid, max_seconds, max_total_tokens)
    model_options = {"model": model, **options}
    forces = tool_choice_every_turn

    def find(wire: Export) -> Model:
        return find_model(client, wire, model_options, OWN, stream=stream, forces_every_turn=forces)

    asking: dict[str, Any] = {
        "context": None if context is UNSET else context,
        "approve": approve,
        "guard": LoopGuard() if guard is None else guard,
        "key": key,
    }
    observed = observe_run(wire, model, stream=stream)
    conversation = Conversation(wire, find, messages, budgets, asking, observed)
    async with aclosing(conversation.events()) as events:
        async for event in events:
            yield event


run_sync = without_loop(run)
# The options that do not go with a request.
OWN: Final = tuple(inspect.signature(run).parameters)[2:-1]


def _wire(client: Any, tools: object, messages: object, context: Any, output: Any) -> Export:
    if not isinstance(messages, list):
        raise ToolhaftError("run: messages: not a list; pass one, which grows with every turn")
    if isinstance(tools, Export):
        if output is not None:
            raise ToolhaftError("run: output: tools are an export; pass output= to export")
        return tools
    if not isinstance(tools, Toolset):
        raise ToolhaftError("run: tools: not a toolset; pass Toolset([...]), or its export")
    return Export(shown_to(tools, context), target_of(client), output=output)
