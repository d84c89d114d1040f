"""Why a model stopped, in each provider's own values, and the other facts about a response."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import Enum
from pathlib import Path
from typing import Any, get_args

import pytest

from tests.installed import sdk
from toolhaft import Toolset, providers, tool
from toolhaft.providers.ending import Ending, Usage, sum_usage
from toolhaft.toolset.wire import Reading


@tool
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


TOOLS = Toolset([add])

# A run's reason for each value, written here once more, for comparison with the tables of the
# files.
OPENAI = {
    "completed": "done",
    "max_output_tokens": "length",
    "max_messages": "length",
    "content_filter": "refusal",
    "steered": "failed",
    "failed": "failed",
    "cancelled": "failed",
    "in_progress": "failed",
    "queued": "failed",
    "incomplete": "failed",
}
CHAT = {
    "stop": "done",
    "length": "length",
    "tool_calls": "done",
    "content_filter": "refusal",
    "function_call": "failed",
}
ANTHROPIC = {
    "end_turn": "done",
    "max_tokens": "length",
    "stop_sequence": "done",
    "tool_use": "done",
    "pause_turn": "paused",
    "compaction": "paused",
    "refusal": "refusal",
    "model_context_window_exceeded": "length",
}
GEMINI = {
    "FINISH_REASON_UNSPECIFIED": "done",
    "STOP": "done",
    "MAX_TOKENS": "length",
    "CONTINUATION": "length",
    "SAFETY": "refusal",
    "RECITATION": "refusal",
    "BLOCKLIST": "refusal",
    "PROHIBITED_CONTENT": "refusal",
    "SPII": "refusal",
    "IMAGE_SAFETY": "refusal",
    "IMAGE_PROHIBITED_CONTENT": "refusal",
    "IMAGE_RECITATION": "refusal",
    "ESCALATION": "refusal",
    "MODEL_ARMOR": "refusal",
    "LANGUAGE": "failed",
    "OTHER": "failed",
    "MALFORMED_FUNCTION_CALL": "failed",
    "UNEXPECTED_TOOL_CALL": "failed",
    "TOO_MANY_TOOL_CALLS": "failed",
    "NO_IMAGE": "failed",
    "IMAGE_OTHER": "failed",
    "MALFORMED_RESPONSE": "failed",
    "MISSING_THOUGHT_SIGNATURE": "failed",
    "PUP_LIMITED_DISABLED": "failed",
}
BLOCKED = {
    "BLOCKED_REASON_UNSPECIFIED": "refusal",
    "SAFETY": "refusal",
    "OTHER": "failed",
    "BLOCKLIST": "refusal",
    "PROHIBITED_CONTENT": "refusal",
    "IMAGE_SAFETY": "refusal",
    "MODEL_ARMOR": "refusal",
    "JAILBREAK": "refusal",
}


def openai(value: str) -> dict[str, Any]:
    status = value in ("completed", "failed", "cancelled", "in_progress", "queued", "incomplete")
    details = {} if status else {"incomplete_details": {"reason": value}}
    return {"output": [], "status": value if status else "incomplete", **details}


def chat(value: str | int) -> dict[str, Any]:
    message = {"role": "assistant", "content": ""}
    return {"choices": [{"index": 0, "finish_reason": value, "message": message}]}


def anthropic(value: str) -> dict[str, Any]:
    return {"type": "message", "role": "assistant", "content": [], "stop_reason": value}


def gemini(value: str) -> dict[str, Any]:
    return {"candidates": [{"finishReason": value}]}


def blocked(value: str) -> dict[str, Any]:
    return {"promptFeedback": {"blockReason": value}}


def values(annotation: Any) -> set[str]:
    """All values of a type of literals or members of an enum, however deep."""
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return {member.value for member in annotation}
    return {
        value
        for one in get_args(annotation)
        for value in ([one] if isinstance(one, str) else values(one))
    }


def field(name: str, path: str, field_name: str) -> set[str]:
    """The values that an SDK's class has for a field."""
    owner: Any = sdk(name)
    for step in path.split("."):
        owner = getattr(owner, step)
    return values(owner if not field_name else owner.model_fields[field_name].annotation)


SDKS: list[Any] = [
    ("openai", OPENAI, openai, [
        ("openai.types.responses.response", "Response", "status"),
        ("openai.types.responses.response", "IncompleteDetails", "reason"),
    ]),
    ("openai-chat", CHAT, chat, [
        ("openai.types.chat.chat_completion", "Choice", "finish_reason"),
        ("openai.types.chat.chat_completion_chunk", "Choice", "finish_reason"),
    ]),
    ("anthropic", ANTHROPIC, anthropic, [
        ("anthropic.types", "StopReason", ""),
        ("anthropic.types.beta", "BetaStopReason", ""),
    ]),
    ("gemini", GEMINI, gemini, [("google.genai.types", "FinishReason", "")]),
    ("gemini", BLOCKED, blocked, [("google.genai.types", "BlockedReason", "")]),
]  # fmt: skip


@pytest.mark.requirement("stop-values")
@pytest.mark.parametrize(("target", "table", "write", "sources"), SDKS)
def test_every_stop_value_of_an_sdk_has_a_reason(
    target: str, table: dict[str, str], write: Any, sources: Iterable[tuple[str, str, str]]
) -> None:
    assert {value for source in sources for value in field(*source)} <= table.keys()
    wire = TOOLS.export(target)
    for value, expected in table.items():
        reason, detail = wire.read(write(value)).ending
        assert (value, reason) == (value, expected)
        assert detail == (None if reason == "done" else value)


PAGE = Path(__file__).parents[2] / "docs" / "agents.md"
ROWS = [
    ("OpenAI Responses", OPENAI), ("OpenAI Chat", CHAT), ("Anthropic", ANTHROPIC),
    ("Gemini: `finishReason`", GEMINI), ("Gemini: `promptFeedback", BLOCKED),
]  # fmt: skip


@pytest.mark.requirement("stop-values")
@pytest.mark.parametrize(("name", "table"), ROWS)
def test_the_page_on_agents_has_the_same_table(name: str, table: dict[str, str]) -> None:
    [line] = [line for line in PAGE.read_text().splitlines() if line.startswith(f"| {name}")]
    cells = line.split("|")[2:-1]
    for reason, cell in zip(("done", "length", "refusal", "failed"), cells, strict=True):
        written = set(re.findall("`([A-Za-z_]+)`", cell.partition(";")[0]))
        assert written == {value for value, meant in table.items() if meant == reason}


OTHERS: list[Any] = [
    ("mistral", chat, {"stop": "done", "tool_calls": "done", "length": "length",
                       "model_length": "length", "error": "failed"}),
    ("xai", chat, {"stop": "done", "length": "length", "error": "failed"}),
    ("cohere", lambda value: {"message": {"role": "assistant"}, "finish_reason": value},
     {"COMPLETE": "done", "STOP_SEQUENCE": "done", "TOOL_CALL": "done", "MAX_TOKENS": "length",
      "ERROR": "failed", "TIMEOUT": "failed"}),
    ("bedrock", lambda value: {"output": {"message": {"content": []}}, "stopReason": value},
     {"end_turn": "done", "tool_use": "done", "max_tokens": "length", "stop_sequence": "done",
      "guardrail_intervened": "refusal", "content_filtered": "refusal",
      "malformed_model_output": "failed", "malformed_tool_use": "failed",
      "model_context_window_exceeded": "length"}),
    ("ollama", lambda value: {"message": {"content": ""}, "done": True, "done_reason": value},
     {"stop": "done", "length": "length", "load": "failed", "unload": "failed"}),
]  # fmt: skip


@pytest.mark.requirement("stop-values")
@pytest.mark.parametrize(("target", "write", "table"), OTHERS)
def test_the_stop_values_of_other_providers_have_a_reason(
    target: str, write: Any, table: dict[str, str]
) -> None:
    wire = TOOLS.export(target)
    assert {value: wire.read(write(value)).ending.reason for value in table} == table


WRITERS: list[Any] = [
    ("openai", openai), ("openai-chat", chat), ("anthropic", anthropic), ("gemini", gemini),
    ("gemini", blocked), *(other[:2] for other in OTHERS),
]  # fmt: skip


@pytest.mark.requirement("stop-values")
@pytest.mark.parametrize(("target", "write"), WRITERS)
def test_a_value_that_nobody_knows_is_a_failure_by_its_name(target: str, write: Any) -> None:
    assert TOOLS.export(target).read(write("brand_new")).ending == Ending("failed", "brand_new")


@pytest.mark.requirement("stop-values")
def test_a_number_is_a_value_that_nobody_knows() -> None:
    assert TOOLS.export("openai-chat").read(chat(3)).ending == Ending("failed", "3")


@pytest.mark.requirement("stop-values")
@pytest.mark.parametrize(
    ("target", "response"),
    [
        ("openai", {"output": []}),
        ("openai-chat", {"choices": [{"message": {"content": None}}]}),
        ("anthropic", {"content": []}),
        ("gemini", {"candidates": [{"content": {"role": "model", "parts": []}}]}),
        ("cohere", {"message": {"role": "assistant"}}),
        ("text", "Four."),
    ],
)
def test_a_response_without_a_value_is_done(target: str, response: Any) -> None:
    assert TOOLS.export(target).read(response).ending == Ending("done")


def message(*contents: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"type": "message", "role": "assistant", "content": list(contents), **fields}


REFUSED = {"type": "refusal", "refusal": "I would rather not."}


@pytest.mark.requirement("stop-values")
def test_a_refusal_in_a_message_is_one_though_the_response_is_complete() -> None:
    read = TOOLS.export("openai").read({"output": [message(REFUSED)], "status": "completed"})
    assert read == Reading("I would rather not.", None, Ending("refusal", "refusal"))
    said = {"role": "assistant", "content": None, "refusal": "I would rather not."}
    choice = {"choices": [{"finish_reason": "stop", "message": said}]}
    assert TOOLS.export("openai-chat").read(choice) == read


UNKNOWN: list[Any] = [
    ("openai", {"output": [{"type": "holo_call", "call_id": "h1"}]}, "holo_call"),
    ("openai", {"output": [{"type": "holo", "call_id": "h1"}]}, "holo"),
    ("openai", {"output": [{"type": "mcp_approval_request", "id": "m1"}]}, "mcp_approval_request"),
    ("openai", {"output": [{"type": "shell_call", "call_id": "s1"}]}, "shell_call"),
    ("openai", {"output": [{"type": "tool_search_call", "call_id": "s", "execution": "client"}]},
     "tool_search_call"),
    ("openai-chat", {"choices": [{"message": {"tool_calls": [{"id": "h1", "type": "holo"}]}}]},
     "holo"),
    ("openai-chat", {"choices": [{"message": {"function_call": {"name": "x", "arguments": ""}}}]},
     "function_call"),
    ("anthropic", {"content": [{"type": "holo_tool_use", "id": "h1"}]}, "holo_tool_use"),
    ("gemini", {"candidates": [{"content": {"parts": [{"holoCall": {}}]}}]}, "holoCall"),
    ("bedrock", {"content": [{"holoUse": {}}]}, "holoUse"),
]  # fmt: skip


@pytest.mark.requirement("unknown-calls")
@pytest.mark.parametrize(("target", "response", "kind"), UNKNOWN)
def test_a_call_that_cannot_be_answered_is_a_failure_by_its_kind(
    target: str, response: Any, kind: str
) -> None:
    assert TOOLS.export(target).read(response).ending == Ending("failed", kind)


HOSTED: list[Any] = [
    {"type": "web_search_call", "id": "w1", "status": "completed"},
    {"type": "program", "id": "p1", "call_id": "p1"},
    {"type": "tool_search_call", "call_id": None, "execution": "server"},
    {"type": "shell_call", "call_id": "s1"},
    {"type": "shell_call_output", "call_id": "s1"},
    {"type": "hologram", "id": "h1"},
]


@pytest.mark.requirement("unknown-calls")
def test_calls_that_the_provider_answers_and_items_that_are_no_calls_are_carried() -> None:
    wire = TOOLS.export("openai")
    assert wire.read({"output": HOSTED}).ending == Ending("done")
    assert wire.answer_sync({"output": HOSTED}).messages == HOSTED


@pytest.mark.requirement("texts-of-turns")
def test_the_text_of_a_turn_is_what_the_reader_is_told() -> None:
    def text(value: str) -> dict[str, Any]:
        return {"type": "output_text", "text": value}

    aside, answer = message(text("Let me see."), phase="commentary"), message(text("4"), text("."))
    read = TOOLS.export("openai").read
    assert read({"output": [aside, answer]}).text == "4."
    assert read({"output": [aside]}).text == "Let me see."
    parts = [{"text": "Hm.", "thought": True}, {"text": "4"}, {"text": "."}]
    said = {"candidates": [{"content": {"role": "model", "parts": parts}}]}
    assert TOOLS.export("gemini").read(said).text == "4."
    blocks = [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "4."}]
    assert TOOLS.export("anthropic").read({"content": blocks}).text == "4."
    chunks = [{"type": "thinking", "thinking": []}, {"type": "text", "text": "4."}]
    mistral = {"choices": [{"message": {"content": chunks}}]}
    assert TOOLS.export("mistral").read(mistral).text == "4."
    converse = {"output": {"message": {"content": [{"text": "4"}, {"text": "."}]}}}
    assert TOOLS.export("bedrock").read(converse).text == "4."
    assert TOOLS.export("ollama").read({"message": {"content": "4."}}).text == "4."
    assert TOOLS.export("text").read("4.").text == "4."


USED: list[Any] = [
    ("openai", {"output": [], "usage": {
        "input_tokens": 120, "input_tokens_details": {"cached_tokens": 100},
        "output_tokens": 30, "output_tokens_details": {"reasoning_tokens": 20}}},
     Usage(120, 30, 100, 20)),
    ("openai-chat", {"choices": [{"message": {"content": ""}}], "usage": {
        "prompt_tokens": 120, "completion_tokens": 30, "total_tokens": 150,
        "prompt_tokens_details": {"cached_tokens": 100},
        "completion_tokens_details": {"reasoning_tokens": 20}}}, Usage(120, 30, 100, 20)),
    ("xai", {"choices": [{"message": {"content": ""}}], "usage": {
        "prompt_tokens": 120, "completion_tokens": 10, "total_tokens": 150,
        "completion_tokens_details": {"reasoning_tokens": 20}}}, Usage(120, 30, None, 20)),
    ("anthropic", {"content": [], "usage": {
        "input_tokens": 15, "cache_creation_input_tokens": 5, "cache_read_input_tokens": 100,
        "output_tokens": 30, "output_tokens_details": {"thinking_tokens": 20}}},
     Usage(120, 30, 100, 20)),
    ("gemini", {"candidates": [{"finishReason": "STOP"}], "usageMetadata": {
        "promptTokenCount": 110, "toolUsePromptTokenCount": 10, "cachedContentTokenCount": 100,
        "candidatesTokenCount": 10, "thoughtsTokenCount": 20, "totalTokenCount": 150}},
     Usage(120, 30, 100, 20)),
    ("bedrock", {"content": [], "usage": {"inputTokens": 15, "cacheReadInputTokens": 100,
        "cacheWriteInputTokens": 5, "outputTokens": 30, "totalTokens": 150}},
     Usage(120, 30, 100)),
    ("mistral", {"choices": [{"message": {"content": ""}}],
                 "usage": {"prompt_tokens": 120, "completion_tokens": 30}}, Usage(120, 30)),
    ("cohere", {"message": {"role": "assistant"}, "usage": {
        "tokens": {"input_tokens": 120.0, "output_tokens": 30.0}}}, Usage(120, 30)),
    ("ollama", {"message": {"content": ""}, "prompt_eval_count": 120, "eval_count": 30},
     Usage(120, 30)),
]  # fmt: skip


@pytest.mark.requirement("usage-of-turns")
@pytest.mark.parametrize(("target", "response", "used"), USED)
def test_usage_counts_what_was_sent_and_generated(target: str, response: Any, used: Usage) -> None:
    assert TOOLS.export(target).read(response).usage == used
    unsaid = {key: value for key, value in response.items() if "count" not in key}
    unsaid = {key: value for key, value in unsaid.items() if not key.startswith("usage")}
    assert TOOLS.export(target).read(unsaid).usage is None


@pytest.mark.requirement("usage-of-turns")
@pytest.mark.parametrize("usage", ["n/a", 7, {}, {"input_tokens": True}, {"input_tokens": None}])
def test_a_usage_of_another_shape_is_none(usage: Any) -> None:
    assert TOOLS.export("openai").read({"output": [], "usage": usage}).usage is None


def test_a_message_whose_content_is_text_is_no_error() -> None:
    said = {"type": "message", "content": "Four."}
    read = Reading("Four.", None, Ending("done"))
    assert TOOLS.export("openai").read({"output": [said]}) == read


@pytest.mark.requirement("usage-of-turns")
def test_usage_is_summed_as_far_as_it_is_known() -> None:
    assert sum_usage(None, None) is None
    assert sum_usage(Usage(1, 2), None) == sum_usage(None, Usage(1, 2)) == Usage(1, 2)
    assert sum_usage(Usage(1, 2, None, 4), Usage(10, 20, 30)) == Usage(11, 22, 30, 4)
    assert Usage(11, 22, 30, 4).total == 33
    assert Usage().total == 0


def test_a_provider_of_schemas_says_nothing_of_a_model() -> None:
    assert all(not providers.for_target(name).stop_values for name in ("mcp", "draft-07", "text"))
