"""Every item, block and part that an SDK has, as its own classes wrote it: what we make of it.

The folder `recorded` is written by `python -m tests.sdks.samples` and read without an SDK.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.sdks.samples import RECORDED, SAMPLES, build, events
from tests.sdks.test_drift import LIST, reviewed_only
from toolhaft import Toolset, tool
from toolhaft.errors import WireError
from toolhaft.providers.ending import Ending
from toolhaft.providers.response import Part

FILES = {name: json.loads((RECORDED / f"{name}.json").read_text()) for name in SAMPLES}
PLACES = {
    "openai": "openai.types.responses.ResponseOutputItem",
    "openai-chat": "openai.types.chat.ChatCompletionMessageToolCallUnion",
    "anthropic": "anthropic.types.ContentBlock",
    "anthropic-beta": "anthropic.types.beta.BetaContentBlock",
    "gemini": "google.genai.types.Part",
}
OURS = ("function_call", "function", "tool_use", "custom_tool_call", "custom")
EACH = [(name, kind) for name, responses in FILES.items() for kind in responses]


@tool
def name() -> str:
    """The tool that the recorded calls call."""
    return "called"


def wire(of: str) -> Any:
    return Toolset([name]).export(of.removesuffix("-beta"))


def reason_for(of: str, kind: str) -> str:
    """Why the list ignores a kind; empty for one that is carried."""
    ignored: dict[str, str] = LIST[PLACES[of]].get("ignored", {})
    return ignored.get(kind, "")


@pytest.mark.requirement("sdk-recorded")
@reviewed_only
@pytest.mark.parametrize("of", SAMPLES)
def test_the_recorded_responses_are_what_the_sdks_classes_write(of: str) -> None:
    assert build(of) == FILES[of]


@pytest.mark.requirement("sdk-recorded")
@pytest.mark.parametrize(("of", "kind"), EACH)
def test_a_recorded_response_ends_as_the_list_says(of: str, kind: str) -> None:
    response = FILES[of][kind]
    is_old_call = of == "openai-chat" and kind == "function_call"
    fails = "a run ends as failed" in reason_for(of, kind) or is_old_call
    ending = wire(of).read(response).ending
    refusal = Ending("refusal", "refusal")
    assert ending == (
        Ending("failed", kind) if fails else refusal if kind == "refusal" else Ending("done")
    )


@pytest.mark.requirement("sdk-recorded")
@pytest.mark.parametrize(("of", "kind"), EACH)
def test_of_a_recorded_response_our_calls_run_and_the_rest_goes_back_as_it_came(
    of: str, kind: str
) -> None:
    response = FILES[of][kind]
    answer = wire(of).answer_sync(response)
    is_ours = kind in OURS and not (of == "openai-chat" and kind == "function_call")
    assert [outcome.name for outcome in answer.outcomes] == (["name"] if is_ours else [])
    part = Part("", response)
    sent = json.dumps(answer.messages[: 1 if of != "openai" else len(part.parts("output"))])
    for key in ("output", "choices", "content", "candidates"):
        for member in part.parts(key) if part.get(key) else ():
            own = member.get("message") or member.get("content") if key in CHOSEN else member.data
            assert json.dumps(own) in sent or is_ours


CHOSEN = ("choices", "candidates")
FAILING = {"error": WireError, "response.failed": WireError}
STREAMS: list[Any] = [
    ("openai", "openai.types.responses", "ResponseStreamEvent"),
    ("anthropic", "anthropic.types", "RawMessageStreamEvent"),
]


@pytest.mark.requirement("sdk-recorded")
@reviewed_only
@pytest.mark.parametrize(("target", "package", "union"), STREAMS)
def test_every_event_of_an_sdk_is_taken_by_a_stream(target: str, package: str, union: str) -> None:
    for kind, event in events(package, union).items():
        stream = wire(target).stream()
        if kind == "content_block_delta":
            stream.feed(events(package, union)["content_block_start"])
        if kind in FAILING:
            with pytest.raises(FAILING[kind], match="the provider reported an error"):
                stream.feed(event)
        else:
            stream.feed(event)
