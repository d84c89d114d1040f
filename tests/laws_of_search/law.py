"""Random conversations in which a model finds deferred tools and calls them, and who may see them.

A catalogue has tools in and out of groups, deferred or not, some of which its caller may not see.
The model searches, calls what it found, what it did not find, and what it may not see.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from functools import cache
from typing import Any, Final, NamedTuple

from pydantic import TypeAdapter

from toolhaft import Toolset, tool
from toolhaft.agents.scripted import WRITERS
from toolhaft.agents.scripted.writer import Said
from toolhaft.call.types import ToolCall
from toolhaft.providers.deferred import SEARCH
from toolhaft.providers.response import Part
from toolhaft.tools.tool import AnyTool
from toolhaft.toolset.export import Export

__all__ = ["TARGETS", "Wire", "check_conversation", "check_scope"]

WORDS: Final = (
    "invoice", "order", "weather", "branch", "ticket", "river", "cheese", "planet", "violin",
    "passport", "engine", "garden",
)  # fmt: skip
VERBS: Final = ("list", "send", "close", "count")
GROUPS: Final = ("crm", "ops")
LEVELS: Final = 3


class Wire(NamedTuple):
    """A target, and who searches there."""

    target: str
    search: str


TARGETS: Final = (
    *(Wire(target, "auto") for target in WRITERS),
    Wire("openai", "local"),
    Wire("anthropic", "local"),
)


class Catalogue(NamedTuple):
    """The tools of a conversation, and how much a caller must be to see each."""

    tools: Toolset
    levels: dict[str, int]
    ran: list[tuple[str, int]]


def draw_catalogue(seed: int, search: str = "auto") -> Catalogue:
    """Draw a catalogue; each tool that runs is recorded with the level of its caller."""
    drawn = random.Random(seed)
    ran: list[tuple[str, int]] = []
    names = drawn.sample(
        [f"{verb}_{word}" for verb in VERBS for word in WORDS], drawn.randint(3, 9)
    )
    levels = {name: drawn.choice((0, 0, 1, 2)) for name in names}
    members: dict[str, list[AnyTool]] = {group: [] for group in ("", *GROUPS)}
    for name in names:
        members[drawn.choice(("", *GROUPS))].append(_make_tool(name, drawn.random() < 0.7, ran))
    groups = [
        Toolset(tools, name=name, description=f"About {name}.", defer=drawn.random() < 0.3)
        for name, tools in members.items()
        if name and tools
    ]

    def visible(one: AnyTool, level: int) -> bool:
        return levels[_bare(one.name)] <= level

    mode: Any = search
    tools = Toolset([*members[""], *groups], visible=visible, search=mode)
    return Catalogue(tools, levels, ran)


def _make_tool(name: str, defer: bool, ran: list[tuple[str, int]]) -> AnyTool:
    verb, _, word = name.partition("_")

    def run(arguments: dict[str, Any]) -> str:
        ran.append((name, arguments["n"]))
        return f"{name} ran"

    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    text = f"Do {verb} for one {word}."
    made: AnyTool = tool(run, name=name, description=text, input=schema, defer=defer)
    return made


def _bare(name: str) -> str:
    return name.rpartition(".")[2]


def check_scope(seed: int) -> None:
    """Check that no caller finds what it may not see, and that a found tool is judged again."""
    catalogue, drawn = draw_catalogue(seed, "local"), random.Random(~seed)
    query = " ".join(drawn.choices((*WORDS, *VERBS), k=3))
    for level in range(LEVELS):
        found = [each.name for each in catalogue.tools.search(query, limit=20, context=level)]
        assert all(catalogue.levels[_bare(name)] <= level for name in found)
        wire = catalogue.tools.export("openai-chat", context=level)
        if SEARCH not in wire.originals.values():
            continue
        for caller in range(LEVELS):  # one export, another caller
            call = ToolCall("s", SEARCH, {"query": query, "limit": 20})
            text = wire.call_sync(call, context=caller).text
            listed = json.loads(text)["tools"] if text.startswith("{") else []
            names = [wire.originals[each["name"]] for each in listed]
            seen = min(caller, level)
            assert all(catalogue.levels[_bare(name)] <= seen for name in names)
            _check_calls(catalogue, wire, caller)


def _check_calls(catalogue: Catalogue, wire: Export, caller: int) -> None:
    """Check that a call runs only if the caller may see the tool when it calls."""
    for sent, name in wire.originals.items():
        if name == SEARCH:
            continue
        outcome = wire.call_sync(ToolCall("c", sent, {"n": 1}), context=caller)
        assert bool(outcome) == (catalogue.levels[_bare(name)] <= caller)


def check_conversation(seed: int, wire: Wire) -> int:
    """Check a conversation at a target; return how many calls it had."""
    catalogue, drawn = draw_catalogue(seed, wire.search), random.Random(~seed)
    level = drawn.randrange(LEVELS)
    export = catalogue.tools.export(wire.target, context=level)
    messages: list[Any] = []
    made = 0
    for turn in range(drawn.randint(1, 4)):
        response, calls = _draw_turn(drawn, catalogue, export, wire, turn)
        before = export.tools
        assert export.read(response).ending.reason != "failed"
        answer = export.answer_sync(response, context=level)
        assert answer.done == (not calls)
        assert len(answer.outcomes) == len(calls)
        for name, outcome in zip(calls, answer.outcomes, strict=True):
            allowed = name == SEARCH or catalogue.levels[_bare(name)] <= level
            assert (bool(outcome) and outcome.name == name) if allowed else not outcome
        CHECKS.get(wire.target, _ignore)(_as_data(answer.results))
        messages += answer.messages
        export = export.for_messages(messages)
        _check_prefix(before, export.tools)
        _check_found(answer.outcomes, export, wire)
        made += len(calls)
    again = draw_catalogue(seed, wire.search).tools
    stored = messages if wire.target == "bedrock" else json.loads(json.dumps(_as_data(messages)))
    rebuilt = again.export(wire.target, context=level, messages=stored)
    assert json.dumps(rebuilt.request) == json.dumps(export.request)
    return made


def _check_prefix(before: list[Any], after: list[Any]) -> None:
    """Check that earlier declarations are still there, byte for byte, and first."""
    if before and "functionDeclarations" in before[0]:
        before, after = (tools[0]["functionDeclarations"] for tools in (before, after))
    assert json.dumps(after[: len(before)]) == json.dumps(before)


def _check_found(outcomes: list[Any], export: Export, wire: Wire) -> None:
    """Check that what a search found is declared with the next request, or was in its result."""
    if wire.target in EDITS:
        return
    sent = json.dumps(export.request)
    for outcome in outcomes:
        if outcome.name == SEARCH and isinstance(outcome.json, dict):
            for each in outcome.json["tools"]:
                name = json.dumps(each["name"]) if wire.target != "text" else f"## {each['name']}"
                assert name in sent


def _draw_turn(
    drawn: random.Random, catalogue: Catalogue, export: Export, wire: Wire, turn: int
) -> tuple[Any, list[str]]:
    """Draw a turn of the model: text, searches and calls; return the tools that it calls."""
    names = sorted(tool.name for tool in catalogue.tools)
    chosen = drawn.sample(names, drawn.randint(0, min(3, len(names))))
    if SEARCH in export.originals.values() and drawn.random() < 0.7:
        chosen.insert(drawn.randint(0, len(chosen)), SEARCH)
    sent = {name: wire_name for wire_name, name in export.originals.items()}
    calls = tuple(
        ToolCall(
            f"call-{turn}-{place}",
            sent.get(name, name.replace(".", "_")),
            {"query": " ".join(drawn.choices(WORDS, k=2))} if name == SEARCH else {"n": place},
        )
        for place, name in enumerate(chosen)
    )
    said = Said(turn, "m", "" if calls else "done", calls, None, None)
    data = WRITERS[wire.target].response(said)
    hosted = EDITS.get(wire.target)
    return (hosted(data, wire, drawn) if hosted else data), chosen


def _edit_openai(data: Any, wire: Wire, drawn: random.Random) -> Any:
    """Write calls in namespaces, and searches as items of their own, as OpenAI does."""
    items: list[Any] = []
    if wire.search == "auto" and drawn.random() < 0.5:
        search = {"id": "ts", "call_id": None, "execution": "server", "status": "completed"}
        items += [
            {**search, "type": "tool_search_call", "arguments": {"paths": ["crm"]}},
            {**search, "type": "tool_search_output", "tools": []},
        ]
    items += map(_edit_call, data["output"])
    return {**data, "output": items}


def _edit_call(item: dict[str, Any]) -> dict[str, Any]:
    namespace, dot, name = item.get("name", "").partition(".")
    if item.get("name") == "tool search":
        ids = {"id": item["call_id"], "call_id": item["call_id"], "status": "completed"}
        arguments = json.loads(item["arguments"])
        return {**ids, "type": "tool_search_call", "execution": "client", "arguments": arguments}
    return {**item, "namespace": namespace, "name": name} if dot else item


def _edit_anthropic(data: Any, wire: Wire, drawn: random.Random) -> Any:
    """Put a search of Anthropic's own before the calls."""
    if wire.search == "local" or drawn.random() < 0.5:
        return data
    name, kind = "tool_search_tool_bm25", "tool_search_tool_search_result"
    blocks = [
        {"type": "server_tool_use", "id": "srvtoolu_1", "name": name, "input": {"query": "x"}},
        {
            "type": "tool_search_tool_result",
            "tool_use_id": "srvtoolu_1",
            "content": {"type": kind, "tool_references": []},
        },
    ]
    return {**data, "content": [*blocks, *data["content"]]}


EDITS: Final[dict[str, Callable[[Any, Wire, random.Random], Any]]] = {
    "openai": _edit_openai,
    "anthropic": _edit_anthropic,
}


def _as_data(messages: list[Any]) -> list[Any]:
    return [
        message if isinstance(message, dict) else Part("", message).plain() for message in messages
    ]


def _ignore(results: list[Any]) -> None:
    del results


@cache
def _adapter(target: str) -> TypeAdapter[Any]:
    if target == "openai":
        from openai.types.responses import ResponseInputItemParam

        return TypeAdapter(ResponseInputItemParam)
    if target == "anthropic":
        from anthropic.types import ToolResultBlockParam

        return TypeAdapter(ToolResultBlockParam)
    from openai.types.chat import ChatCompletionToolMessageParam

    return TypeAdapter(ChatCompletionToolMessageParam)


def _check_openai(results: list[Any]) -> None:
    for result in results:
        _adapter("openai").validate_python(result)
        assert result["type"] in ("function_call_output", "tool_search_output")


def _check_anthropic(results: list[Any]) -> None:
    for result in results:
        _adapter("anthropic").validate_python(result)


def _check_chat(results: list[Any]) -> None:
    for result in results:
        _adapter("chat").validate_python(result)


def _check_gemini(results: list[Any]) -> None:
    from google.genai.types import Part as GeminiPart

    for result in results:
        GeminiPart.model_validate(result)


CHECKS: Final[dict[str, Callable[[list[Any]], None]]] = {
    "openai": _check_openai,
    "anthropic": _check_anthropic,
    "openai-chat": _check_chat,
    "xai": _check_chat,
    "gemini": _check_gemini,
    "gemini-openapi": _check_gemini,
}
