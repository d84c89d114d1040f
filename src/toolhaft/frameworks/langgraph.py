"""LangGraph's interrupts: the question about waiting calls, and the decisions that resume it.

The interrupt is `{"calls": [...]}`, with the `tool`, `arguments`, `call_id`, `digest` and the
`call` of every call of the message that waits, in the order of the message. It is resumed with one
decision for each. A decision is True, the `call` that was shown, False, the text of a denial, or
`{"edit": {...}}` with all arguments by the names that were shown.

- `Command(resume={digest: decision, ...})` is always accepted.
- `{"decisions": [{"type": "approve"}, {"type": "reject", "message": "..."}]}` is LangChain's own
  shape, in the order of the calls; an edit is `{"type": "edit", "edited_action": {"args": {...}}}`.
- A bare decision is accepted if the message has one call.

Anything else is an error to the program, and the interrupt can be answered again. A tool with
default factories runs the call that was shown if its decision is the `call`. A static default that
changed since is noticed by the digest or the `call`, but not with a bare decision.
"""

from __future__ import annotations

import sys
from collections import OrderedDict
from collections.abc import Mapping
from functools import cache
from threading import Lock
from typing import TYPE_CHECKING, Annotated, Any, Final

from toolhaft.call.permission import Deny
from toolhaft.frameworks.approval import describe_call, digest_call, is_edit

if TYPE_CHECKING:
    from toolhaft.call.outcome import Err
    from toolhaft.call.prepared import Prepared
    from toolhaft.frameworks.bridge import Bridge

__all__ = ["ask_graph", "pop_runtime", "read_context", "read_injected"]

INJECTED: Final = "toolhaft_runtime"
MOST_NODES: Final = 64
DIGEST_CHARS: Final = 64  # of SHA-256
SHAPES: Final = (
    "resume with {digest: decision} for each of the calls that were shown, where a decision is "
    "True, the call, {'edit': arguments}, False or the words of a refusal"
)


class _Question:
    """The one question of a node's run, however many of its calls wait.

    LangGraph counts the interrupts of a node in the order in which they come, which is random for
    concurrent calls, so the first call asks for all.
    """

    def __init__(self, runtime: Any) -> None:
        self.runtime = runtime
        self.lock = Lock()
        self.calls: list[dict[str, Any]] | None = None
        self.decisions: Any = None
        self.raised: BaseException | None = None

    def ask(self, calls: list[dict[str, Any]], *, is_alone: bool) -> Any:
        from langgraph.types import interrupt
        from pydantic import AfterValidator

        with self.lock:
            if self.raised is not None:
                raise self.raised
            if self.calls is None:
                count = len(calls)

                def read(answer: Any) -> Any:
                    return _read_answer(answer, count, is_alone=is_alone)

                schema: Any = Annotated[Any, AfterValidator(read)]
                self.calls = calls
                try:
                    self.decisions = interrupt({"calls": calls}, response_schema=schema)
                except BaseException as raised:
                    self.raised = raised
                    raise
            return self.decisions


# By the identity of the runtime, which is one object for all calls of a node's run, and by the
# namespace of its task; the runtime is kept, so that no other takes its identity.
QUESTIONS: Final[OrderedDict[tuple[int, Any], _Question]] = OrderedDict()
QUESTIONS_LOCK: Final = Lock()


def read_context() -> Any:
    """Return the context of the running graph; a program without one has loaded no LangGraph."""
    return getattr(_runtime(), "context", None)


def _runtime() -> Any:
    if "langgraph.pregel" not in sys.modules:
        return None
    from langgraph.runtime import get_runtime

    try:
        return get_runtime()
    except RuntimeError:
        return None


@cache
def read_injected() -> Any:
    """Return the model of the values that a `ToolNode` injects; None without LangGraph."""
    try:
        from langgraph.prebuilt import ToolRuntime
    except ImportError:
        return None
    from pydantic import ConfigDict, create_model

    config = ConfigDict(arbitrary_types_allowed=True)
    fields: Any = {INJECTED: (ToolRuntime, None)}
    return create_model("Injected", __config__=config, **fields)


def pop_runtime(arguments: dict[str, Any]) -> Any:
    """Remove and return the runtime that a `ToolNode` injected; a model's own value stays."""
    runtime = arguments.get(INJECTED)
    injected = read_injected()
    if injected is None or not isinstance(runtime, injected.model_fields[INJECTED].annotation):
        return None
    return arguments.pop(INJECTED)


async def ask_graph(
    bridge: Bridge, prepared: Prepared[Any], runtime: Any, *, has_loop: bool
) -> Prepared[Any] | Err | Deny | None:
    """Have the graph ask a person; outside of one, the call goes on waiting."""
    graph = _runtime()
    if graph is None:
        return None
    message = _calls_of(runtime)
    calls = await _waiting_calls(message, runtime, has_loop=has_loop) if len(message) > 1 else []
    question = _question_of(graph) if runtime is not None else _Question(graph)
    decisions = question.ask(
        calls or [describe_call(bridge.tool, prepared)], is_alone=len(message) == 1
    )
    return _decide(bridge, prepared, decisions, question.calls or [])


def _question_of(graph: Any) -> _Question:
    from langgraph.config import get_config

    key = id(graph), get_config()["configurable"].get("checkpoint_ns")
    with QUESTIONS_LOCK:
        known = QUESTIONS.get(key)
        if known is None:
            known = QUESTIONS[key] = _Question(graph)
            while len(QUESTIONS) > MOST_NODES:
                QUESTIONS.popitem(last=False)
        return known


def _calls_of(runtime: Any) -> list[Any]:
    """Return all calls of the message with the running call; empty if it is unknown."""
    state = getattr(runtime, "state", None)
    values = state.values() if isinstance(state, Mapping) else vars(state or object).values()
    lists = [state, *values] if isinstance(state, list) else list(values)
    for messages in lists:
        for message in reversed(messages if isinstance(messages, list) else []):
            calls = getattr(message, "tool_calls", None) or []
            if any(call["id"] == runtime.tool_call_id for call in calls):
                return list(calls)
    return []


async def _waiting_calls(calls: list[Any], runtime: Any, *, has_loop: bool) -> list[dict[str, Any]]:
    """Describe every call of a message that waits, in the order of the message."""
    bridges = {tool.name: getattr(tool, "bridge", None) for tool in runtime.tools or []}
    described = []
    for call in calls:
        bridge = bridges.get(call["name"])
        if bridge is None:
            continue
        raw, context = call["args"], read_context()
        waiting = await bridge.waiting(raw, context, call["id"], has_loop=has_loop)
        if waiting is not None:
            described.append(describe_call(bridge.tool, waiting))
    return described


def _read_answer(answer: Any, count: int, *, is_alone: bool) -> Any:
    """Return decisions by digest, or in the order of the calls.

    Raises:
        ValueError: The answer is neither, or the number of decisions is not the number of calls.
    """
    match answer:
        case {"decisions": list(decisions)} if len(decisions) == count:
            return [_read_decision(decision) for decision in decisions]
        case dict() if len(answer) == count and all(map(_is_digest, answer)):
            if all(map(_is_decision, answer.values())):
                return answer
        case _ if is_alone and _is_decision(answer):
            return [answer]
        case _:
            pass
    raise ValueError(SHAPES)


def _read_decision(decision: Any) -> Any:
    match decision:
        case {"type": "approve"}:
            return True
        case {"type": "reject"}:
            message = decision.get("message")
            return message if isinstance(message, str) else False
        case {"type": "edit", "edited_action": {"args": dict(arguments)}}:
            return {"edit": arguments}
        case _:
            pass
    raise ValueError("a decision is of the type approve, edit or reject")


def _is_digest(key: Any) -> bool:
    return isinstance(key, str) and len(key) == DIGEST_CHARS


def _is_decision(decision: Any) -> bool:
    is_call = isinstance(decision, dict) and decision.keys() == {"arguments", "digest"}
    return isinstance(decision, bool | str) or is_call or is_edit(decision)


def _decide(
    bridge: Bridge, prepared: Prepared[Any], decisions: Any, calls: list[dict[str, Any]]
) -> Prepared[Any] | Err | Deny:
    if isinstance(decisions, list):
        places = [place for place, call in enumerate(calls) if call["call_id"] == prepared.call_id]
        decision = decisions[places[0]] if len(places) == 1 else {}
    else:
        decision = decisions.get(digest_call(bridge.tool, prepared), {})
    if decision is False or isinstance(decision, str):
        return Deny(decision or "")
    return bridge.approve(prepared, None if decision is True else decision)
