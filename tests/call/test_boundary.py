"""The path of every call: exceptions, changes and questions on it have the promised result."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import MappingProxyType, SimpleNamespace
from typing import Any

import msgspec
import pytest
from pydantic import BaseModel, ValidationError

from toolhaft import Injected, ToolError, Toolset, tool
from toolhaft.call import results
from toolhaft.call.outcome import Err
from toolhaft.jsonio.primitives import native
from toolhaft.spec import Issue
from toolhaft.vendors.adapter import Rejected


class City(BaseModel):
    city: str
    days: int = 1


class Struct(msgspec.Struct):
    city: str
    days: int


SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
    "required": ["city"],
}


# ------------------------------------------------------------------- exceptions


def invalid() -> Exception:
    try:
        City.model_validate({})
    except ValidationError as error:
        return error
    raise AssertionError


@tool
def forward(kind: str) -> str:
    """Raise what the parts of a call raise."""
    raise RAISED[kind]


@tool(name="forward")
async def forward_later(kind: str) -> str:
    """Raise what the parts of a call raise."""
    raise RAISED[kind]


RAISED: dict[str, Exception] = {
    "rejected": Rejected([Issue("no", (), "custom")]),
    "invalid": invalid(),
    "unencodable": UnicodeEncodeError("utf-8", "\ud800", 0, 1, "surrogate"),
    "msgspec": msgspec.ValidationError("Expected `int`, got `str`"),
}


@pytest.mark.requirement("time-effect")
@pytest.mark.parametrize("kind", RAISED)
def test_what_a_handler_raises_is_never_taken_for_a_refusal(kind: str) -> None:
    here = forward.call_sync({"kind": kind})
    for outcome in (here, asyncio.run(forward_later.call({"kind": kind}))):
        assert isinstance(outcome, Err)
        assert (outcome.kind, outcome.effect) == ("runtime_error", "unknown")
    with pytest.raises(type(RAISED[kind])):
        forward.execute_sync({"kind": kind})


class Lazy:
    """A context that reads its attributes lazily, and fails."""

    asked = 0

    @property
    def user(self) -> str:
        self.asked += 1
        return City.model_validate({}).city


@pytest.mark.parametrize("read", [dict, MappingProxyType, lambda held: SimpleNamespace(**held)])
def test_a_context_is_a_mapping_or_has_attributes(read: Callable[[Any], Any]) -> None:
    @tool
    def greet(name: str, user: Injected[str]) -> str:
        """Greet."""
        return f"{user} greets {name}"

    assert greet.call_sync({"name": "Ann"}, context=read({"user": "Bob"})).unwrap() == (
        "Bob greets Ann"
    )


def test_a_context_is_asked_once_whatever_it_raises() -> None:
    @tool
    def greet(name: str, user: Injected[str]) -> str:
        """Greet."""
        return name + user

    lazy = Lazy()
    outcome = greet.call_sync({"name": "Ann"}, context=lazy)
    assert isinstance(outcome, Err)
    assert (outcome.kind, outcome.effect, lazy.asked) == ("runtime_error", "none", 1)


# ------------------------------------------------------------------- results that change


def changing(monkeypatch: pytest.MonkeyPatch, state: dict[str, Any]) -> None:
    """Let a dict grow while it is looked at, as another thread may."""

    def grown(text: str) -> bool:
        state[f"key {len(state)}"] = 1.0
        return True

    monkeypatch.setattr("toolhaft.jsonio.plaindata.is_text", grown)


@pytest.mark.parametrize("output", [None, dict[str, float]])
def test_a_result_that_another_thread_changes_is_seen_as_it_was_at_some_time(
    monkeypatch: pytest.MonkeyPatch, output: Any
) -> None:
    state: dict[str, Any] = {"Zürich": 1.0}
    shared = tool(lambda: state, name="shared", description="Give the state.", output=output)
    assert shared.call_sync().unwrap() is state
    changing(monkeypatch, state)
    outcome = shared.call_sync()
    assert outcome
    assert outcome.json["Zürich"] == 1.0
    assert outcome.json.items() <= state.items()
    assert len(state) > 1 or native  # in C, nothing changes them meanwhile


@pytest.mark.parametrize("output", [City, Struct])
def test_a_declared_result_that_another_thread_changes_is_seen_as_it_was(
    monkeypatch: pytest.MonkeyPatch, output: Any
) -> None:
    state: dict[str, Any] = {"city": "Zürich", "days": 3}
    shared = tool(lambda: state, name="shared", description="Give the state.", output=output)
    assert shared.call_sync()
    changing(monkeypatch, state)
    outcome = shared.call_sync()
    assert outcome
    assert (outcome.json, len(state) > 2 or native) == ({"city": "Zürich", "days": 3}, True)


@pytest.mark.parametrize("declared", [City, Struct, SCHEMA])
def test_arguments_that_another_thread_changes_are_seen_as_they_were(
    monkeypatch: pytest.MonkeyPatch, declared: Any
) -> None:
    state: dict[str, Any] = {"city": "Zürich", "days": 3}
    visit = tool(lambda given: 1, name="visit", description="Visit.", input=declared)
    changing(monkeypatch, state)
    outcome = visit.call_sync(state)
    assert outcome
    assert (outcome.arguments["city"], len(state) > 2 or native) == ("Zürich", True)


def test_the_whole_check_of_a_result_copies_it_before_it_is_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    state: dict[str, Any] = {"city": "Zürich"}
    changing(monkeypatch, state)
    assert results.to_plain_data(state) == {"city": "Zürich"}


# ------------------------------------------------------------------- the arguments of an outcome


class Silent(str):
    """Text whose methods and class must not be used."""

    __slots__ = ()

    def __str__(self) -> str:
        raise AssertionError("asked")

    @property
    def __class__(self) -> Any:
        raise AssertionError("asked")

    @__class__.setter
    def __class__(self, value: Any) -> None: ...


class Weight(float):
    """A number that is more than that."""


class Parcel(BaseModel):
    city: str
    kilos: list[float]


def test_an_outcome_shows_arguments_as_they_were_read() -> None:
    send = tool(lambda _: "sent", name="send", description="Send it.", input=Parcel)
    outcome = send.call_sync({"city": Silent("Paris"), "kilos": [Weight(1.5), 2]})
    assert outcome
    assert outcome.arguments == {"city": "Paris", "kilos": (1.5, 2)}
    shown = outcome.arguments["city"], *outcome.arguments["kilos"]
    assert list(map(type, shown)) == [str, float, int]


# ------------------------------------------------------------------- the first call


def test_no_other_thread_finds_a_tool_that_asks_nobody_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    from toolhaft.call.boundary import Boundary

    @tool
    def transfer(amount: int) -> int:
        """Transfer money."""
        return amount

    guarded = Toolset([transfer], authorize=lambda *_: False)["transfer"]
    seen: list[Any] = []
    ask = Boundary.use_permission

    def asking(self: Boundary, permission: Any) -> None:
        """Run the other thread's code while the first one is here."""
        seen.append(guarded._boundary)
        ask(self, permission)

    monkeypatch.setattr(Boundary, "use_permission", asking)
    assert getattr(guarded.call_sync({"amount": 1}), "kind", None) == "denied"
    assert seen == [None, None]


@pytest.mark.parametrize("errors", [{}, {LookupError: "no file a\udcff"}])
def test_an_authors_words_can_always_be_sent(errors: dict[type[Exception], str]) -> None:
    def read() -> None:
        "Read."
        raise LookupError if errors else ToolError("no file a\udcff")

    outcome = tool(read, errors=errors).call_sync({})
    assert isinstance(outcome, Err)
    assert (outcome.kind, outcome.text) == ("tool_error", "no file a\\udcff")
