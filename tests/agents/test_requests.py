"""The parameters of a request: the program's options, `run`'s own options, and forced calls."""

from __future__ import annotations

from typing import Any, cast

import pytest

from tests.installed import sdk
from tests.servers.clients import Vendor, vendors
from toolhaft import Toolset, tool
from toolhaft.agent_loop import run_sync
from toolhaft.agents.requests import merge_request, without_forced_call
from toolhaft.errors import DefinitionError, ToolhaftError
from toolhaft.testing import ScriptedModel

types = sdk("google.genai.types")


@tool
def double(n: int) -> int:
    """Double a number."""
    return 2 * n


TOOLS = Toolset([double])
TURNS = (("double", {"n": 1}), ("double", {"n": 2}), "Four.")


def requests(target: str, **options: Any) -> list[dict[str, Any]]:
    """Return the requests to a scripted model in a conversation of three turns."""
    client = ScriptedModel(*TURNS, target=target)
    asked: dict[str, Any] = {"model": "m", "messages": [], **options}
    list(run_sync(client, tools=TOOLS.export(target, strict="prefer"), **asked))
    return client.requests


ONE = {"type": "function", "name": "double"}
CHOICES: list[Any] = [
    ("openai", "required", None),
    ("openai", ONE, None),
    ("openai", "auto", "auto"),
    ("openai", {"type": "allowed_tools", "mode": "required", "tools": [ONE]},
     {"type": "allowed_tools", "mode": "auto", "tools": [ONE]}),
    ("openai-chat", {"type": "allowed_tools", "allowed_tools": {"mode": "required", "tools": []}},
     {"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": []}}),
    ("openai-chat", "none", "none"),
    ("anthropic", {"type": "any", "disable_parallel_tool_use": True},
     {"type": "auto", "disable_parallel_tool_use": True}),
    ("anthropic", {"type": "tool", "name": "double"}, {"type": "auto"}),
    ("anthropic", {"type": "none"}, {"type": "none"}),
]  # fmt: skip


@pytest.mark.requirement("forced-calls")
@pytest.mark.parametrize(("target", "choice", "later"), CHOICES)
def test_a_choice_that_forces_a_call_goes_with_the_first_request_only(
    target: str, choice: Any, later: Any
) -> None:
    sent = [one.get("tool_choice") for one in requests(target, tool_choice=choice)]
    assert sent == [choice, later, later]
    sent = [
        one.get("tool_choice")
        for one in requests(target, tool_choice=choice, tool_choice_every_turn=True)
    ]
    assert sent == [choice] * 3


def test_other_wires_force_calls_in_their_own_words() -> None:
    converse = {"tools": [], "toolChoice": {"any": {}}}
    assert without_forced_call({"toolConfig": converse}) == {"toolConfig": {"tools": []}}
    free = {"toolConfig": {"tools": [], "toolChoice": {"auto": {}}}}
    assert without_forced_call(free) == free
    assert without_forced_call({"tool_choice": "REQUIRED", "user": None}) == {"user": None}
    assert without_forced_call({"tool_choice": None}) == {"tool_choice": None}


CONFIG: dict[str, Any] = {
    "seed": 1,
    "tool_config": {
        "function_calling_config": {"mode": "ANY", "allowed_function_names": ["double"]}
    },
}


@pytest.mark.requirement("forced-calls")
@pytest.mark.parametrize("as_object", [False, True])
def test_a_mode_of_gemini_that_forces_a_call_goes_with_the_first_request_only(
    as_object: bool,
) -> None:
    config = types.GenerateContentConfig(**CONFIG) if as_object else CONFIG
    first, *others = (one["config"] for one in requests("gemini", config=config))
    calling = first["toolConfig"]["functionCallingConfig"]
    assert (calling["mode"], calling["allowedFunctionNames"]) == ("ANY", ["double"])
    assert [one["toolConfig"]["functionCallingConfig"] for one in others] == [{}, {}]
    for sent in (first, *others):
        [declared] = sent["tools"]
        assert (sent["seed"], len(declared["functionDeclarations"])) == (1, 1)
        types.GenerateContentConfig.model_validate(sent)


@pytest.mark.requirement("forced-calls")
def test_a_config_without_a_forced_call_stays() -> None:
    for config in ({"seed": 1}, {"toolConfig": {"functionCallingConfig": {"mode": "AUTO"}}}):
        assert without_forced_call({"config": config}) == {"config": config}
    assert merge_request({"config": None}, {"config": {"tools": []}}) == {"config": {"tools": []}}


@pytest.mark.requirement("usage-of-turns")
def test_streams_of_chat_completions_are_asked_for_their_usage() -> None:
    for target in ("openai-chat", "xai"):
        asked = [one["stream_options"] for one in requests(target, stream=True)]
        assert asked == [{"include_usage": True}] * 3
    [first, *_] = requests("openai-chat", stream=True, stream_options={"include_usage": False})
    assert first["stream_options"] == {"include_usage": False}
    unasked = requests("openai-chat", stream=True, stream_options=None)
    assert all("stream_options" not in one for one in unasked)
    assert all("stream_options" not in one for one in requests("openai-chat"))
    assert all("stream_options" not in one for one in requests("openai", stream=True))


MISSPELT = [
    ("max_turn", "max_turns"),
    ("maxturns", "max_turns"),
    ("max_second", "max_seconds"),
    ("aprove", "approve"),
    ("contex", "context"),
    ("guards", "guard"),
    ("strem", "stream"),
    ("max_invalids", "max_invalid"),
    ("tool_choice_each_turn", "tool_choice_every_turn"),
]


def words(option: str, meant: str) -> str:
    return f"run: {option}: unknown option; did you mean {meant}?"


@pytest.mark.requirement("misspelt-options")
@pytest.mark.parametrize(("option", "meant"), MISSPELT)
def test_a_misspelt_option_of_run_is_refused_before_a_request(option: str, meant: str) -> None:
    client = ScriptedModel("Hello.")
    asked: dict[str, Any] = {"model": "m", "messages": [], "tools": TOOLS, option: 3}
    with pytest.raises(ToolhaftError) as raised:
        next(run_sync(client, **asked))
    assert (str(raised.value), client.requests) == (words(option, meant), [])


@pytest.mark.requirement("misspelt-options")
def test_an_approve_that_is_not_callable_is_rejected_before_a_request() -> None:
    client, approve = ScriptedModel("Hello."), cast("Any", True)
    with pytest.raises(DefinitionError) as raised:
        next(run_sync(client, model="m", messages=[], tools=TOOLS, approve=approve))
    assert (str(raised.value), client.requests) == ("approve: not callable; pass a function", [])


@pytest.mark.requirement("misspelt-options")
@vendors
def test_a_misspelt_option_is_refused_for_every_official_client(vendor: Vendor) -> None:
    with vendor.synchronous("http://127.0.0.1:9") as client:
        wire = TOOLS.export(vendor.target)
        asked: dict[str, Any] = {"model": "m", "messages": [], "tools": wire, "max_turn": 3}
        with pytest.raises(ToolhaftError) as raised:
            next(run_sync(client, **asked))
    assert str(raised.value) == words("max_turn", "max_turns")


@pytest.mark.requirement("misspelt-options")
def test_parameters_of_a_function_and_of_requests_pass() -> None:
    seen: list[Any] = []

    def client(*, max_turn: int, **request: Any) -> Any:
        seen.append((max_turn, request["temperature"], request["priority_tier"]))
        return {"output": []}

    options: dict[str, Any] = {"max_turn": 3, "temperature": 0, "priority_tier": "low"}
    list(run_sync(client, model="m", messages=[], tools=TOOLS.export("openai"), **options))
    assert seen == [(3, 0, "low")]
