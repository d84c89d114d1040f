"""The details of a call: always facts and counts, values only on request, and redacted."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, Field

from tests.observers.recording import Recorder, double, fail, login
from toolhaft import Toolset, tool
from toolhaft.observers.details import CallDetails, CallStarted, unredacted


def told(tool: Any, raw: Any, name: str | None = None) -> CallDetails:
    seen = Recorder()
    Toolset([tool], observers=[seen]).call_sync(name or tool.name, raw)
    [done] = seen.ends
    return done


def without_passwords(call: CallDetails, data: Any) -> Any:
    hidden = {"password", "token"}
    return {key: "…" if key in hidden else value for key, value in data.items()}


@pytest.mark.requirement("pain-81")
def test_one_flat_object_describes_a_call_without_a_value() -> None:
    done = told(login, '{"user": "ann", "password": 5}')
    facts = done.as_json()
    assert facts == {
        "time": facts["time"],
        "tool": "login",
        "call_id": None,
        "target": None,
        "origin": "direct",
        "caller_id": None,
        "digest": None,
        "asked_digest": None,
        "kind": "invalid_input",
        "effect": "none",
        "error_id": None,
        "duration_ns": done.duration_ns,
        "issues": ["type"],
        "coercions": [],
    }
    assert "ann" not in json.dumps(facts) + repr(done)


@pytest.mark.requirement("pain-81")
def test_values_go_through_the_redactor_the_result_too() -> None:
    done = told(login, '{"user": "ann", "password": "sk-1"}')
    assert "sk-1" not in json.dumps(done.as_json()) + repr(done)
    assert done.values(without_passwords) == {
        "arguments": {"user": "ann", "password": "…"},
        "result": {"user": "ann", "token": "…"},
    }
    assert done.as_json(without_passwords) == done.as_json() | done.values(without_passwords)
    assert done.values(unredacted)["arguments"] == {"user": "ann", "password": "sk-1"}


@pytest.mark.requirement("pain-81")
def test_a_redactor_that_raises_or_returns_no_json_shows_nothing() -> None:
    done = told(double, {"n": 4})
    nothing = {"arguments": "[the redactor failed]", "result": "[the redactor failed]"}
    assert done.values(without_passwords) == nothing | {
        "arguments": {"n": 4},
    }
    assert done.values(lambda call, data: object()) == nothing


def test_a_redactor_gets_copies_to_do_with_as_it_likes() -> None:
    def emptied(call: CallDetails, data: Any) -> Any:
        data.clear()
        return data

    done = told(login, {"user": "ann", "password": "sk-1"})
    assert done.values(emptied) == {"arguments": {}, "result": {}}
    assert done.result["token"] == "t-sk-1"
    assert done.arguments["password"] == "sk-1"


class Window(BaseModel):
    model_config = ConfigDict(extra="forbid")

    start: int
    size: int = 4
    name: str = Field(default_factory=lambda: "made")


def look(window: Window, scale: float = 0.5, over: tuple[str, ...] = ("a",)) -> int:
    "Look at a window."
    return window.size


async def look_later(window: Window, scale: float = 0.5, over: tuple[str, ...] = ("a",)) -> int:
    "Look at a window."
    return window.size


@pytest.mark.requirement("view-law")
@pytest.mark.parametrize("handler", [look, look_later])
@pytest.mark.parametrize("raw", [{"window": {"start": 1}}, '{"window": {"start": 1}}'])
def test_the_arguments_have_the_defaults_that_the_handler_got(handler: Any, raw: Any) -> None:
    shown = {"window": {"start": 1, "size": 4}, "scale": 0.5, "over": ["a"]}
    assert told(tool(handler), raw).values(unredacted)["arguments"] == shown
    seen = Recorder()
    asyncio.run(Toolset([tool(handler)], observers=[seen]).call(handler.__name__, raw))
    assert [done.values(unredacted)["arguments"] for done in seen.ends] == [shown]


def test_a_default_that_cannot_be_read_is_no_fault_of_the_call() -> None:
    class Shy(BaseModel):
        odd: int = 1

        def __getattribute__(self, name: str) -> Any:
            if name == "odd":
                raise RuntimeError("nobody asks")
            return super().__getattribute__(name)

    class Holder(BaseModel):
        n: int
        shy: Shy = Shy()
        even: int = 2

    def given(holder: Holder) -> int:
        "Give a number."
        return holder.n

    done = told(tool(given), {"holder": {"n": 4}})
    assert (done.kind, done.arguments) == ("ok", {"holder": {"n": 4, "even": 2}})


def test_the_arguments_are_the_handlers_or_else_the_raw_ones() -> None:
    assert told(double, '{"n": "4"}').arguments == {"n": 4}
    assert told(double, '{"n": "x"}').arguments == {"n": "x"}
    assert told(double, '{"n": "x"').arguments == '{"n": "x"'
    assert told(double, b"\xff").arguments == "\ufffd"
    assert told(double, '"\ud800').arguments == '"\\ud800'
    assert told(double, "x" * 10_000).arguments.startswith("x" * 1_000)
    assert len(told(double, "x" * 10_000).arguments) == 4_096
    assert told(double, {"n": object()}).arguments is None
    with pytest.raises(TypeError):
        told(double, {"n": 4}).arguments["n"] = 5


@pytest.mark.requirement("pain-81")
def test_a_call_without_a_result_shows_none() -> None:
    assert told(double, '{"n": "x"}').values(unredacted) == {"arguments": {"n": "x"}}


def test_sizes_are_of_what_was_sent_and_of_what_the_model_reads() -> None:
    done = told(double, '{"n": 4}')
    assert (done.sent_size, done.result_size, done.result) == (8, 1, 8)
    done = told(double, {"m": 4})
    assert (done.sent_size, done.result) == (None, None)
    assert done.outcome is not None
    assert done.result_size == len(done.outcome.text)


@pytest.mark.parametrize(
    ("tool", "raw", "kind", "effect", "level"),
    [
        (double, {"n": 1}, "ok", "done", "info"),
        (double, {}, "invalid_input", "none", "warning"),
        (fail, {"how": "words"}, "tool_error", "unknown", "warning"),
        (fail, {"how": "crash"}, "runtime_error", "unknown", "error"),
    ],
)
def test_kind_effect_and_level(tool: Any, raw: Any, kind: str, effect: str, level: str) -> None:
    done = told(tool, raw)
    assert (done.kind, done.effect, done.level) == (kind, effect, level)
    assert (done.error_id is not None) == (kind == "runtime_error")


def test_a_call_is_frozen_and_its_time_is_written_in_utc() -> None:
    call = CallStarted(
        tool="a",
        known=True,
        description="A.",
        call_id=None,
        target=None,
        started_ns=1_795_245_172_123_456_789,
        raw=None,
    )
    with pytest.raises(AttributeError):
        call.tool = "b"  # type: ignore[misc]
    done = told(double, {"n": 1})
    assert done.as_json()["time"].endswith("Z")
    late = CallDetails(
        **vars(call),
        duration_ns=1,
        outcome=None,
    )
    assert late.as_json()["time"] == "2026-11-21T07:12:52.123456Z"
