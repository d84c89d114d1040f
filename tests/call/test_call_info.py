"""A handler learns by `CallInfo` about the call that runs it."""

from __future__ import annotations

import asyncio
import json
import pickle
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.call.isolated import describe_call
from toolhaft import (
    CallInfo,
    DefinitionError,
    Err,
    Ok,
    Outcome,
    Prepared,
    ToolCall,
    Toolset,
    agent_loop,
    tool,
)
from toolhaft.call.callers import call_key
from toolhaft.call.types import with_fields
from toolhaft.errors import ToolhaftError

pytestmark = [pytest.mark.requirement("call-info"), pytest.mark.requirement("call-key")]


@tool
def show(n: int, call: CallInfo) -> Any:
    """Show what is known of the call."""
    return call


@tool
async def show_later(n: int, *, call: CallInfo) -> Any:
    """Show what is known of the call, later."""
    await asyncio.sleep(0)
    return call


@tool(timeout=30)
def show_in_a_thread(n: int, call: CallInfo) -> Any:
    """Show what is known of the call, in a thread."""
    return call


TOOLS = Toolset([show, show_later])


ASKING = Toolset([show.replace(requires_approval=True, name="ask")])


def test_it_is_never_in_the_schema_and_no_model_sets_it() -> None:
    for made in (show, show_later, show_in_a_thread):
        assert made.input_schema.json_schema()["properties"].keys() == {"n"}
    refused = show.call_sync({"n": 1, "call": {"origin": "programmatic"}})
    assert "call: unknown" in refused.text


def test_who_calls_the_function_passes_their_own() -> None:
    assert show(1, CallInfo(tool="show", key="k")) == CallInfo(None, "show", key="k")


def test_one_that_a_test_makes_is_of_a_direct_first_attempt_without_a_key() -> None:
    info = CallInfo(tool="charge")
    assert (info.id, info.attempt, info.deadline, info.origin) == (None, 1, None, "direct")
    assert (info.principal, info.key) == (None, "")


def test_inside_a_union_it_is_a_fault() -> None:
    def broken(call: CallInfo | None) -> None:
        """Be broken."""

    with pytest.raises(DefinitionError, match="a marker inside a union"):
        Toolset([broken])


CALLS: dict[str, Callable[[], Any]] = {
    "sync": lambda: TOOLS["show"].call_sync({"n": 1}).unwrap(),
    "async": lambda: asyncio.run(TOOLS["show_later"].call({"n": 1})).unwrap(),
    "async without a loop": lambda: TOOLS["show_later"].call_sync({"n": 1}).unwrap(),
    "execute": lambda: TOOLS["show"].execute_sync({"n": 1}),
    "execute in a loop": lambda: asyncio.run(TOOLS["show_later"].execute({"n": 1})),
    "toolset": lambda: asyncio.run(TOOLS.call("show", '{"n": "1"}')).unwrap(),
    "toolset, sync": lambda: TOOLS.call_sync("show", '{"n": "1"}').unwrap(),
    "prepared": lambda: prepared(TOOLS["show"].prepare({"n": 1})).call_sync().unwrap(),
    "approved at once": lambda: ASKING.call_sync(
        "ask", {"n": 1}, approve=lambda prepared: True
    ).unwrap(),
}


def prepared(outcome: Prepared[Any] | Err) -> Prepared[Any]:
    assert isinstance(outcome, Prepared)
    return outcome


@pytest.mark.parametrize("way", CALLS)
def test_a_call_in_python_is_direct_has_no_id_and_a_key_of_its_own(way: str) -> None:
    first, second = CALLS[way](), CALLS[way]()
    assert first._replace(tool="", key="") == CallInfo()
    assert first.tool in ("show", "show_later", "ask")
    assert len(first.key) == len(second.key) == 32
    assert first.key != second.key


def test_the_deadline_is_when_the_call_times_out() -> None:
    begun = datetime.now(UTC)
    info = show_in_a_thread.call_sync({"n": 1}).unwrap()
    assert (
        begun + timedelta(seconds=30) <= info.deadline <= datetime.now(UTC) + timedelta(seconds=30)
    )


def test_the_name_is_that_of_the_toolset() -> None:
    assert TOOLS.prefix("our_").call_sync("our_show", {"n": 1}).unwrap().tool == "our_show"


def test_a_call_that_a_handler_makes_is_another_call() -> None:
    @tool
    def outer(call: CallInfo) -> Any:
        """Call another tool."""
        return [call, TOOLS.call_sync("show", {"n": 1}).unwrap()]

    [mine, inner] = outer.call_sync().unwrap()
    assert (mine.tool, inner.tool) == ("outer", "show")
    assert mine.key != inner.key


def test_what_a_call_carries_is_told() -> None:
    call = ToolCall("c1", "show", {"n": 1}, principal="ann", key="k")
    [outcome] = TOOLS.call_all_sync([call])
    assert outcome.unwrap() == CallInfo("c1", "show", principal="ann", key="k")
    [outcome] = asyncio.run(TOOLS.call_all([with_fields(call, origin="programmatic")]))
    assert outcome.unwrap().origin == "programmatic"


def test_an_approver_sees_who_calls_while_they_decide() -> None:
    def ask(prepared: Prepared[Any]) -> bool:
        asked.append((prepared.origin, prepared.caller))
        return True

    @tool(requires_approval=True, allowed_callers={"direct", "programmatic"}, output=None)
    def pay(n: int) -> None:
        """Pay."""
        assert n == 1

    asked: list[Any] = []
    direct, code = {"type": "direct"}, {"type": "program", "caller_id": "p1"}
    calls = [
        ToolCall("c1", "pay", {"n": 1}),
        ToolCall("c2", "pay", {"n": 1}, caller=direct),
        with_fields(ToolCall("c3", "pay", {"n": 1}, caller=code), origin="programmatic"),
    ]
    for call in calls:
        [outcome] = Toolset([pay]).call_all_sync([call], approve=ask)
        assert (outcome.unwrap(), outcome.caller) == (None, call.caller)
    assert asked == [("direct", None), ("direct", direct), ("programmatic", code)]


def test_in_another_process_it_is_the_same() -> None:
    call = ToolCall("c1", "describe_call", {"n": 1}, principal="ann", key="k")
    [outcome] = Toolset([describe_call]).call_all_sync([call])
    told = outcome.unwrap()
    assert told.pop("deadline").endswith("+00:00")
    assert told == {"id": "c1", "tool": "describe_call", "attempt": 1, "origin": "direct",
                    "principal": "ann", "key": "k"}  # fmt: skip


def test_predicates_are_given_no_call_info() -> None:
    seen: list[Any] = []
    guarded = show.replace(authorize=lambda arguments: seen.append(dict(arguments)))
    guarded.call_sync({"n": 1})
    assert seen == [{"n": 1}]


# ------------------------------------------------------------------------------- keys


def waiting(call: ToolCall) -> Prepared[Any]:
    [outcome] = ASKING.call_all_sync([call])
    return waiting_of(outcome)


def waiting_of(outcome: Outcome[Any]) -> Prepared[Any]:
    assert isinstance(outcome, Err)
    assert outcome.prepared is not None
    return outcome.prepared


@given(st.text(min_size=1), st.one_of(st.none(), st.text(min_size=1)))
def test_a_key_is_carried_by_what_waits_and_by_its_text(call_id: str, key: str | None) -> None:
    prepared_call = waiting(ToolCall(call_id, "ask", {"n": 1}, key=key, principal="ann"))
    text = prepared_call.to_json(key="s")
    resumed = prepared(ASKING.resume(text, key="s"))
    assert json.loads(resumed.to_json(key="s"))["info"] == json.loads(text)["info"]
    info = resumed.call_sync().unwrap()
    assert info == CallInfo(call_id, "ask", principal="ann", key=key or info.key)
    assert info.key == json.loads(text)["info"]["key"]


@given(st.text(min_size=1))
def test_no_key_follows_from_an_id_alone(call_id: str) -> None:
    keys = {
        TOOLS.call_all_sync([ToolCall(call_id, "show", {"n": 1})])[0].unwrap().key for _ in range(3)
    }
    assert len(keys) == 3


@given(st.lists(st.one_of(st.none(), st.text()), max_size=4), st.data())
def test_keys_are_equal_only_of_equal_parts(parts: list[str | None], data: Any) -> None:
    others = data.draw(st.lists(st.one_of(st.none(), st.text()), max_size=4))
    assert (call_key(*parts) == call_key(*others)) == (parts == others)


def test_an_edited_call_has_the_key_of_the_call() -> None:
    prepared_call = waiting(ToolCall("c1", "ask", {"n": 1}, key="k"))
    assert prepared(prepared_call.edited({"n": 2})).call_sync().unwrap().key == "k"


def test_an_attempt_that_was_stopped_before_the_handler_is_counted() -> None:
    allowed = [True, False, True]
    toolset = Toolset([show.replace(requires_approval=True)], authorize=lambda _: allowed.pop(0))
    call = waiting_of(toolset.call_sync("show", {"n": 1}))
    assert not call.call_sync()
    text = call.to_json()
    info = prepared(toolset.resume(text)).call_sync().unwrap()
    assert info.attempt == 2


@pytest.mark.parametrize(
    "forged",
    [{"id": 1}, {"attempt": "1"}, {"attempt": True}, {"key": ""}, {"key": None}, {"principal": 5}],
)
def test_a_text_with_another_kind_of_call_info_is_denied(forged: dict[str, Any]) -> None:
    data = json.loads(waiting(ToolCall("c1", "ask", {"n": 1})).to_json())
    data["info"] |= forged
    refused = ASKING.resume(json.dumps(data))
    assert isinstance(refused, Err)
    assert refused.kind == "denied"


def test_a_text_of_a_former_version_goes_on_with_a_new_key() -> None:
    data = json.loads(waiting(ToolCall("c1", "ask", {"n": 1}, key="k")).to_json())
    for name in ("info", "origin", "caller"):
        del data[name]
    info = prepared(ASKING.resume(json.dumps(data))).call_sync().unwrap()
    assert info.key not in ("", "k")


def keys_of_run(key: str | None, ids: str) -> list[str]:
    seen: list[CallInfo] = []

    @tool
    def act(n: int, call: CallInfo) -> None:
        """Act."""
        seen.append(call)

    def turn(number: int) -> dict[str, Any]:
        arguments: Any = {"n": number}
        function = {"name": "act", "arguments": json.dumps(arguments) if ids else arguments}
        call = {"id": ids, "type": "function", "function": function}
        calls = {"tool_calls": [call]} if number < 3 else {}
        message = {"role": "assistant", "content": "", **calls}
        if ids:
            return {"choices": [{"message": message, "finish_reason": "stop"}]}
        return {"message": message, "done": True}

    turns = iter(range(1, 4))

    async def client(**_: Any) -> dict[str, Any]:
        return turn(next(turns))

    async def run() -> None:
        wire = Toolset([act]).export("openai-chat" if ids else "ollama")
        messages: list[Any] = [{"role": "user", "content": "Go."}]
        async for _ in agent_loop.run(client, model="m", messages=messages, tools=wire, key=key):
            pass

    asyncio.run(run())
    return [call.key for call in seen]


@pytest.mark.parametrize("ids", ["", "call_1"])
def test_a_run_that_is_repeated_has_the_same_keys_and_no_turn_those_of_another(ids: str) -> None:
    first, again, other, none = (keys_of_run(key, ids) for key in ("r1", "r1", "r2", None))
    assert first == again
    assert len({*first, *other, *none}) == 6
    with pytest.raises(ToolhaftError, match="run: key: not a text, or empty"):
        keys_of_run("", ids)


def test_it_can_be_pickled() -> None:
    info = TOOLS.call_sync("show", {"n": 1}).unwrap()
    assert pickle.loads(pickle.dumps(info)) == info


def test_an_outcome_of_no_caller_says_so_and_is_copied() -> None:
    outcome = TOOLS.call_sync("show", {"n": 1})
    assert isinstance(outcome, Ok)
    assert outcome.caller is None
    assert pickle.loads(pickle.dumps(show.call_sync({}))).caller is None
