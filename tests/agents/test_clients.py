"""A client is known by what it offers, and asked as it wants to be."""

from __future__ import annotations

from typing import Any

import pytest

from tests.servers.clients import Vendor, vendors
from tests.servers.tools import TOOLS
from toolhaft.agent_loop import Finished, ModelTurn, run_sync
from toolhaft.agents.clients import target_of
from toolhaft.errors import ToolhaftError
from toolhaft.testing import ScriptedModel

BYE = "Sunny, I would say."
NOWHERE = "http://127.0.0.1:9"


@vendors
def test_an_official_client_is_known_with_and_without_a_loop(vendor: Vendor) -> None:
    known = "openai" if vendor.sdk == "openai" else vendor.target
    with vendor.synchronous(NOWHERE) as client:
        assert target_of(client) == known
    assert target_of(vendor.asynchronous(NOWHERE)) == known


def test_a_client_that_is_not_known_is_said_so() -> None:
    with pytest.raises(ToolhaftError) as caught:
        next(run_sync(object(), model="m", messages=[], tools=TOOLS))
    assert str(caught.value) == (
        "run: client: unknown; "
        "pass a client of OpenAI, Anthropic or Google, or the tools as an export of its target"
    )


@pytest.mark.parametrize("target", ["anthropic", "mistral"])
def test_tools_for_another_target_than_the_clients_are_said_so(target: str) -> None:
    with pytest.raises(ToolhaftError) as caught:
        next(run_sync(object(), model="m", messages=[], tools=TOOLS.export(target)))
    assert str(caught.value) == (
        f"run: the client has no interface for {target}; "
        "export the tools for a target of the client"
    )


def said(text: str) -> dict[str, Any]:
    """An answer of Bedrock's."""
    return {"output": {"message": {"role": "assistant", "content": [{"text": text}]}}}


async def answer(**request: Any) -> Any:
    assert request.keys() == {"model", "messages", "toolConfig", "stream"}
    return said(BYE)


def answer_sync(**request: Any) -> Any:
    return said(BYE)


@pytest.mark.parametrize("client", [answer, answer_sync])
def test_any_function_is_a_client_for_tools_that_are_exported(client: Any) -> None:
    wire = TOOLS.export("bedrock")
    events = run_sync(client, model="m", messages=[], tools=wire, stream=True)
    assert [type(event) for event in events] == [ModelTurn, Finished]


def requests(*turns: Any, target: str = "openai", **options: Any) -> list[dict[str, Any]]:
    """The requests to a scripted model."""
    client = ScriptedModel(*turns, target=target)
    list(run_sync(client, model="m", messages=[], tools=TOOLS.select("crash"), **options))
    return client.requests


def test_options_go_with_every_request() -> None:
    sent = requests(("crash", {}), BYE, temperature=0)
    assert [one["temperature"] for one in sent] == [0, 0]


def test_a_setting_that_an_export_has_too_is_joined() -> None:
    search: dict[str, Any] = {"googleSearch": {}}
    [declared] = TOOLS.select("crash").export("gemini").tools
    [sent] = requests(BYE, target="gemini", config={"tools": [search], "seed": 1})
    assert sent["config"] == {"tools": [search, declared], "seed": 1}


def test_what_is_added_to_an_exports_tools_goes_with_them() -> None:
    wire = TOOLS.select("crash").export("openai")
    wire.tools.append({"type": "web_search"})
    client = ScriptedModel(BYE)
    list(run_sync(client, model="m", messages=[], tools=wire))
    assert [one["type"] for one in client.requests[0]["tools"]] == ["function", "web_search"]
