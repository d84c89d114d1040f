"""`visible=` hides tools from some callers, wherever the tools go."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from toolhaft import Err, Prepared, Toolset, tool
from toolhaft.agent_loop import Called, run_sync
from toolhaft.call.types import ToolCall
from toolhaft.errors import ToolhaftError
from toolhaft.observers.details import CallStarted
from toolhaft.observers.limits import RateLimit
from toolhaft.testing import ScriptedModel
from toolhaft.toolset.internals import shown_to, with_repairs

pytestmark = pytest.mark.requirement("serve-visible")


@tool
def restart(host: str) -> str:
    """Restart a host."""
    return host


@tool
def weather() -> str:
    """Say how warm it is."""
    return "fine"


def only_admins(one: Any, user: Any) -> bool:
    return bool(one.name.endswith("weather") or user == "admin")


HIDING = Toolset([restart, weather], visible=only_admins)
UNKNOWN = "There is no tool named restart. Available tools: weather."


def test_to_call_a_hidden_tool_is_to_call_an_unknown_one() -> None:
    call = ToolCall("1", "restart", {"host": "a"})
    outcomes = [
        HIDING.call_sync("restart", {"host": "a"}, context="ann"),
        asyncio.run(HIDING.call("restart", {"host": "a"}, context="ann")),
        *HIDING.call_all_sync([call], context="ann"),
        *asyncio.run(HIDING.call_all([call], context="ann")),
    ]
    assert [outcome.as_json()["kind"] for outcome in outcomes] == ["unknown_tool"] * 4
    assert {outcome.text for outcome in outcomes} == {UNKNOWN}
    assert HIDING.call_sync("restart", {"host": "a"}, context="admin").text == "a"


def test_limiters_and_observers_know_no_hidden_tool() -> None:
    """A limit that is used up would tell it from a tool that is not there."""
    known: list[tuple[str, bool]] = []

    class Seen:
        def started(self, call: CallStarted) -> None:
            known.append((call.tool, call.known))

    limits = RateLimit(1, seconds=60, clock=lambda: 0.0)
    tools = Toolset(HIDING, limiters=[limits], observers=[Seen()])
    names = ["weather", "restart", "restrat", "weather"]
    kinds = [tools.call_sync(name, context="ann").as_json()["kind"] for name in names[1:]]
    assert kinds == ["unknown_tool", "unknown_tool", "ok"]
    assert tools.call_sync("weather", context="ann").as_json()["kind"] == "overloaded"
    assert tools.call_sync("restart", context="ann").as_json()["kind"] == "unknown_tool"
    assert known[:3] == [("restart", False), ("restrat", False), ("weather", True)]


def test_a_hint_names_no_hidden_tool() -> None:
    text = UNKNOWN.replace("restart", "restar")
    assert HIDING.call_sync("restar", context="ann").text == text
    export = HIDING.export("anthropic", context="admin")
    assert export.call_sync(ToolCall("1", "restar", {}), context="ann").text == text
    assert "mean restart?" in export.call_sync(ToolCall("1", "restar", {}), context="admin").text


@pytest.mark.parametrize(
    "tools",
    [
        HIDING.select("*"),
        Toolset([weather.replace(name="more_weather")]) + HIDING,
        HIDING + Toolset([weather.replace(name="more_weather")]),
        Toolset(list(HIDING)),
        with_repairs(HIDING, "none"),
        HIDING.asking(authorize=lambda *_: True),
    ],
)
def test_a_tool_stays_hidden_wherever_it_goes(tools: Toolset) -> None:
    hidden = tools.call_sync("restart", {"host": "a"}, context="ann")
    assert hidden.as_json()["kind"] == "unknown_tool"
    assert tools.call_sync("restart", {"host": "a"}, context="admin")


def test_an_export_is_for_one_caller() -> None:
    def names(**context: Any) -> list[str]:
        return [one["name"] for one in HIDING.export("anthropic", **context).tools]

    shown = names(), names(context="ann"), names(context="admin")
    assert shown == (["weather"], ["weather"], ["restart", "weather"])


@pytest.mark.parametrize("answer", [None, 1, "yes", "raises"])
def test_only_true_shows_a_tool(answer: Any, caplog: pytest.LogCaptureFixture) -> None:
    def visible(_one: Any, _context: Any) -> Any:
        if answer == "raises":
            raise RuntimeError("no")
        return answer

    hiding = Toolset([weather], visible=visible)
    assert hiding.call_sync("weather").as_json()["kind"] == "unknown_tool"
    assert len(hiding.visible_to(None)) == 0
    assert bool(caplog.records) is (answer == "raises")


def test_an_export_prepares_no_call_of_a_hidden_tool() -> None:
    export = HIDING.export("anthropic", context="admin")
    call = ToolCall("1", "restart", {"host": "a"})
    refused = export.prepare(call, context="ann")
    assert isinstance(refused, Err)
    assert refused.kind == "unknown_tool"
    assert isinstance(export.prepare(call, context="admin"), Prepared)


def test_who_has_no_context_at_all_is_shown_nothing_in_silence() -> None:
    with pytest.raises(ToolhaftError, match=r"pass context= \(None for a guest\)"):
        shown_to(HIDING)
    assert [one.name for one in shown_to(HIDING, None)] == ["weather"]
    shown = Toolset([weather])
    assert shown_to(shown) is shown


def test_a_loop_shows_what_is_visible_in_its_context() -> None:
    def names(**context: Any) -> list[str]:
        model = ScriptedModel([("restart", {"host": "a"})], "done")
        events = list(run_sync(model, model="m", messages=[], tools=HIDING, **context))
        kinds.extend(each.outcome.as_json()["kind"] for each in events if isinstance(each, Called))
        return [one["name"] for one in model.requests[0]["tools"]]

    kinds: list[str] = []
    shown = names(context="ann"), names(context=None), names(context="admin")
    assert shown == (["weather"], ["weather"], ["restart", "weather"])
    assert kinds == ["unknown_tool", "unknown_tool", "ok"]
    with pytest.raises(ToolhaftError, match="no context to judge by"):
        names()
