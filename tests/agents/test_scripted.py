"""A scripted model for every target in which a model answers."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from random import Random
from typing import Any, Final

import pytest

from tests.installed import sdk
from tests.servers.tools import TOOLS, approve
from tests.share import share
from toolhaft import Toolset
from toolhaft.agent_loop import Called, Event, Finished, ModelTurn, Streamed, Usage, run_sync
from toolhaft.definition.targets import TARGETS
from toolhaft.testing import ScriptedModel, ScriptedTurn

pytestmark = pytest.mark.usefixtures("known_error_ids")

# The class of a response for each target; plain data where the SDK itself has them, or there is
# none.
CLASSES: Final[dict[str, tuple[str, str]]] = {
    "openai": ("openai.types.responses", "Response"),
    "openai-chat": ("openai.types.chat", "ChatCompletion"),
    "xai": ("openai.types.chat", "ChatCompletion"),
    "anthropic": ("anthropic.types", "Message"),
    "gemini": ("google.genai.types", "GenerateContentResponse"),
    "gemini-openapi": ("google.genai.types", "GenerateContentResponse"),
    "mistral": ("mistralai.client.models", "ChatCompletionResponse"),
    "cohere": ("cohere", "V2ChatResponse"),
    "ollama": ("ollama", "ChatResponse"),
    "bedrock": ("builtins", "dict"),
    "text": ("builtins", "str"),
}
# The fields of usage that a wire does not have.
UNSAID: Final = {
    "bedrock": ("reasoning",),
    "mistral": ("cached", "reasoning"),
    "cohere": ("reasoning",),
    "ollama": ("cached", "reasoning"),
}
CALLS: Final[list[tuple[str, dict[str, Any]]]] = [
    ("get_weather", {"city": 'The "Hague" \\ é 🎉', "days": "2"}),
    ("get_weather", {"days": "soon"}),
    ("get_wether", {"city": "Oslo"}),
    ("find_order", {"number": 7}),
    ("crash", {}),
    ("refund", {"amount": "20"}),
    ("refund", {"amount": 70}),
]
EVERY_TARGET = pytest.mark.parametrize("target", CLASSES)


def script(seed: int) -> list[ScriptedTurn]:
    """A random conversation: repairs, refusals, approvals, crashes, and what they cost."""
    random = Random(seed)
    turns = [
        ScriptedTurn(
            random.choice(["", 'Say "é" {now} 🎉.']), random.sample(CALLS, random.randrange(1, 4))
        )
        for _ in range(random.randrange(4))
    ]
    used = Usage(random.randrange(9, 99), random.randrange(9, 99), cached=7, reasoning=5)
    return [replace(turn, usage=used) for turn in [*turns, ScriptedTurn("It is sunny.")]]


def told(events: Iterable[Event]) -> tuple[Any, ...]:
    """The parts of a run that a program reads, without its usage."""
    *others, last = events
    assert isinstance(last, Finished)
    called = [
        (event.call.name, event.outcome.text) for event in others if isinstance(event, Called)
    ]
    return last.reason, last.detail, last.text, called


def held(target: str, turns: list[ScriptedTurn], *, stream: bool, sdk: bool = True) -> list[Event]:
    model = ScriptedModel(*turns, target=target, sdk=sdk)
    tools = TOOLS.export(target)
    asked: dict[str, Any] = {"model": "m", "messages": [], "tools": tools, "approve": approve}
    return list(run_sync(model, **asked, stream=stream))


def used(events: list[Event]) -> Usage | None:
    last = events[-1]
    assert isinstance(last, Finished)
    return last.usage


@pytest.mark.requirement("loop-scripted")
def test_every_target_has_a_writer_but_those_in_which_no_model_answers() -> None:
    unwritten = [target for target in TARGETS if target not in CLASSES]
    assert unwritten == [
        "mcp",
        "mcp-2025-11-25",
        "draft-2020-12",
        "draft-07",
        "openapi-3.0",
        "openapi-3.1",
    ]
    for target in unwritten:
        with pytest.raises(ValueError, match=f"cannot write {target}; use one of "):
            ScriptedModel(target=target)


@EVERY_TARGET
@pytest.mark.requirement("loop-scripted")
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_a_random_conversation_comes_to_the_same_for_every_target(
    target: str, stream: bool
) -> None:
    module, name = CLASSES[target]
    response = getattr(sdk(module), name)
    for seed in range(share(30)):
        turns = script(seed)
        same = held("openai", turns, stream=False)
        events = held(target, turns, stream=stream)
        assert (seed, told(events)) == (seed, told(same))
        responses = [event.response for event in events if isinstance(event, ModelTurn)]
        assert {type(one) for one in responses} == {response}
        assert any(isinstance(event, Streamed) for event in events) is stream
        expected = used(same)
        assert expected is not None
        unsaid: dict[str, Any] = dict.fromkeys(UNSAID.get(target, ()))
        assert used(events) == (None if target == "text" else replace(expected, **unsaid))


@EVERY_TARGET
@pytest.mark.requirement("loop-scripted")
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_dictionaries_come_to_the_same_as_objects(target: str, stream: bool) -> None:
    turns = script(2)
    events = held(target, turns, stream=stream, sdk=False)
    assert told(events) == told(held("openai", turns, stream=False))
    responses = [event.response for event in events if isinstance(event, ModelTurn)]
    assert {type(one) for one in responses} == {str if target == "text" else dict}


@EVERY_TARGET
@pytest.mark.requirement("loop-scripted")
@pytest.mark.parametrize("sdk", [True, False], ids=["objects", "dictionaries"])
def test_a_response_without_usage_reports_none(target: str, sdk: bool) -> None:
    turns = [ScriptedTurn("Sunny.", usage=None)]
    if target == "mistral" and sdk:
        with pytest.raises(ValueError, match=r"Mistral without usage; pass Usage\(0, 0\)"):
            held(target, turns, stream=False)
    else:
        assert used(held(target, turns, stream=False, sdk=sdk)) is None
    assert used(held(target, turns, stream=True, sdk=sdk)) is None


@pytest.mark.requirement("loop-scripted")
@pytest.mark.parametrize(
    ("target", "stop", "reason"),
    [
        ("bedrock", "guardrail_intervened", "refusal"),
        ("mistral", "model_length", "length"),
        ("cohere", "MAX_TOKENS", "length"),
        ("ollama", "length", "length"),
        ("ollama", "unload", "failed"),
    ],
)
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_a_script_says_why_its_model_stopped(
    target: str, stop: str, reason: str, stream: bool
) -> None:
    events = held(target, [ScriptedTurn("It is fo", stop=stop)], stream=stream)
    assert told(events) == (reason, stop, "It is fo", [])


def test_a_text_says_neither_why_it_ended_nor_its_usage() -> None:
    with pytest.raises(ValueError, match="text has no stop value; leave out stop="):
        held("text", [ScriptedTurn("It is fo", stop="length")], stream=False)


def test_arguments_that_the_sdk_of_ollama_cannot_have_are_refused() -> None:
    pytest.importorskip("ollama")
    words = "arguments for Ollama that are no JSON object; pass a dict, or sdk=False"
    for stream in (False, True):
        model = ScriptedModel(("refund", '{"amount": 2'), target="ollama")
        with pytest.raises(ValueError, match=words):
            asyncio.run(model(messages=[], stream=stream))


def test_turns_for_bedrock_are_of_the_services_own_shapes() -> None:
    """botocore has no types; the service's model is what it reads responses by."""
    service = sdk("botocore.session").get_session().get_service_model("bedrock-runtime")

    def faults(data: Any, shape: str) -> str:
        validator = sdk("botocore.validate").ParamValidator()
        report: str = validator.validate(data, service.shape_for(shape)).generate_report()
        return report

    for turn in script(2):
        response = asyncio.run(ScriptedModel(turn, target="bedrock")(messages=[]))
        assert faults(response, "ConverseResponse") == ""

        model = ScriptedModel(turn, turn, target="bedrock")
        streamed = run_sync(
            model, model="m", messages=[], tools=Toolset(), max_turns=1, stream=True
        )
        events = [event.event for event in streamed if isinstance(event, Streamed)]
        assert {faults(event, "ConverseStreamOutput") for event in events} == {""}
