"""A prepared call: exactly the shown call runs, once; edited, written down, and back again."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from threading import Barrier, Thread
from typing import Annotated, Any, Literal
from unittest.mock import Mock

import msgspec
import pytest
from annotated_types import Ge
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from toolhaft import Coercion, Context, Doc, Err, Ok, Prepared, Toolset, tool
from toolhaft.call import feedback
from toolhaft.call.internals import write_call
from toolhaft.errors import ToolhaftError
from toolhaft.jsonio.canonical import digest
from toolhaft.observers.details import CallStarted
from toolhaft.tools.tool import AnyTool
from toolhaft.toolset.internals import dispatch_of

KEY = "k" * 32
SENT = '{"account": "A-1", "amount": "20"}'
GIVEN = {"account": "A-1", "amount": 20, "currency": "EUR"}

ran: list[dict[str, Any]] = []


@pytest.fixture(autouse=True)
def _nothing_ran() -> None:
    ran.clear()


def transfer(
    account: str, amount: Annotated[int, Ge(1)], currency: Literal["EUR", "USD"] = "EUR"
) -> str:
    """Move money."""
    ran.append({"account": account, "amount": amount, "currency": currency})
    return "moved"


move = tool(transfer, requires_approval=True)


def prepared(one: AnyTool = move, raw: Any = SENT) -> Prepared[Any]:
    found = one.prepare(raw)
    assert isinstance(found, Prepared), found
    return found


def is_denied(outcome: object, words: str) -> bool:
    assert isinstance(outcome, Err), outcome
    return (outcome.kind, outcome.effect) == ("denied", "none") and words in outcome.text


# ------------------------------------------------------------------------ shown is what runs


@pytest.mark.requirement("pain-17")
def test_what_is_shown_is_what_runs() -> None:
    one = prepared()
    assert one.arguments == GIVEN
    with pytest.raises(TypeError):
        one.arguments["amount"] = 2_000
    one.json["amount"] = 2_000
    assert one.call_sync().unwrap() == "moved"
    assert ran == [GIVEN]


@pytest.mark.requirement("pain-17")
def test_a_call_that_is_wrong_never_reaches_a_person() -> None:
    never = Mock(side_effect=AssertionError)
    outcome = move.call_sync({"account": "A-1", "amount": 0}, approve=never)
    assert isinstance(outcome, Err)
    assert outcome.kind == "invalid_input"
    never.assert_not_called()


class Unit(Enum):
    """A unit."""

    C = "C"


class Inner(BaseModel):
    """An inner model."""

    deep: int = 7


SHARED = Inner()


class Model(BaseModel):
    """A model with defaults."""

    n: int
    unit: Unit = Unit.C
    inner: Inner = Inner()
    given: list[Inner] = []
    made: int = Field(default_factory=lambda: 1)


class Struct(msgspec.Struct):
    """A struct with defaults."""

    n: int
    words: list[str] = []
    unit: Unit = Unit.C


def nothing() -> list[str]:
    """Make a list that is nobody's default."""
    return []


@dataclass
class Plain:
    """A dataclass with defaults."""

    n: int
    unit: Literal["C", "F"] = "C"
    tags: list[str] = field(default_factory=nothing)


class Typed(TypedDict, total=False):
    """A typed dict has none."""

    n: int


RAW = {
    "type": "object",
    "properties": {"n": {"type": "integer"}, "m": {"type": "integer", "default": 3}},
}

# The arguments as sent, the data that the handler's objects are made from, and the shown data.
SHOWN: list[tuple[Any, Any, Any, Any]] = [
    (
        Model,
        {"n": 1},
        {"n": 1, "made": 1},
        {"n": 1, "unit": "C", "inner": {"deep": 7}, "given": [], "made": 1},
    ),
    (
        Model,
        {"n": 1, "inner": {}, "given": [{}, {"deep": 2}], "made": 2},
        {"n": 1, "inner": {}, "given": [{}, {"deep": 2}], "made": 2},
        {
            "n": 1,
            "unit": "C",
            "inner": {"deep": 7},
            "given": [{"deep": 7}, {"deep": 2}],
            "made": 2,
        },
    ),
    (Struct, {"n": 1}, {"n": 1}, {"n": 1, "words": [], "unit": "C"}),
    (Plain, {"n": 1}, {"n": 1, "tags": []}, {"n": 1, "unit": "C", "tags": []}),
    (Typed, {"n": 1}, {"n": 1}, {"n": 1}),
    (RAW, {"n": 1}, {"n": 1}, {"n": 1}),
]


def written(value: Any) -> str:
    """Write it."""
    return str(value)


def plain(view: Any) -> Any:
    """A read-only view as plain data."""
    if hasattr(view, "items"):
        return {key: plain(value) for key, value in view.items()}
    return [plain(one) for one in view] if isinstance(view, tuple) else view


@pytest.mark.requirement("approval-defaults")
@pytest.mark.parametrize(("declared", "sent", "admitted", "shown"), SHOWN)
def test_the_view_has_the_defaults_that_the_handler_takes(
    declared: Any, sent: Any, admitted: Any, shown: Any
) -> None:
    made: Any = tool(written, name="one", description="One.", input=declared)
    found = prepared(made, sent)
    assert (found.json, plain(found.arguments)) == (admitted, shown)
    outcome = found.call_sync()
    assert isinstance(outcome, Ok)
    assert plain(outcome.arguments) == shown


@pytest.mark.requirement("approval-defaults")
def test_a_default_without_json_is_not_shown_and_still_taken() -> None:
    @tool
    def one(
        n: int, unit: Unit = Unit.C, pair: tuple[int, int] = (1, 2), inner: Inner = SHARED
    ) -> str:
        "One."
        return f"{n} {unit.value} {pair} {inner.deep}"

    found = prepared(one, {"n": 1, "inner": {}})
    assert plain(found.arguments)["n"] == 1
    assert plain(found.arguments)["inner"] == {"deep": 7}
    assert found.call_sync().unwrap() == "1 C (1, 2) 7"


# ----------------------------------------------------------------------------------- digest


@pytest.mark.requirement("approval-digest")
def test_the_digest_covers_the_arguments_and_all_that_is_told_of_the_tool() -> None:
    first = prepared()
    told = {
        "name": "transfer",
        "description": "Move money.",
        "annotations": None,
        "input": move.input_schema.json_schema(),
        "output": {"type": "string"},
    }
    assert first.digest == digest({"arguments": GIVEN, "tool": digest(told)})
    spelled = prepared(move, {"currency": "EUR", "amount": 20.0, "account": "A-1"})
    assert first.digest == spelled.digest
    others = [
        prepared(move, {"account": "A-1", "amount": 21}),
        prepared(move.replace(name="other")),
        prepared(move.replace(description="Move all money.")),
        prepared(move.replace(annotations={"destructiveHint": True})),
        prepared(move.replace(output=None)),
    ]
    assert len({first.digest, *[one.digest for one in others]}) == 1 + len(others)


# --------------------------------------------------------------------------------------- once


@pytest.mark.requirement("approval-once")
def test_a_call_runs_once_however_many_ask_for_it() -> None:
    one, barrier, outcomes = prepared(), Barrier(8), []

    def ask() -> None:
        barrier.wait()
        outcomes.append(one.call_sync())

    threads = [Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(ran) == 1
    denied = [outcome for outcome in outcomes if not outcome]
    assert len(denied) == 7
    assert all(is_denied(outcome, "decided already") for outcome in denied)
    assert is_denied(asyncio.run(one.call()), "decided already")


@pytest.mark.requirement("approval-once")
def test_a_call_that_was_not_authorised_can_still_be_made() -> None:
    one = prepared(move.replace(authorize=lambda arguments, context: context == "ann"))
    assert is_denied(one.call_sync(context="bob"), "not permitted")
    assert one.call_sync(context="ann").unwrap() == "moved"


@pytest.mark.requirement("approval-declined")
def test_a_call_that_was_declined_is_never_run() -> None:
    one = prepared()
    declined = one.decline_sync("too much")
    assert (declined.kind, declined.effect) == ("denied", "none")
    assert declined.text == feedback.describe_decline("too much")
    assert is_denied(one.call_sync(), "decided already")
    assert is_denied(asyncio.run(one.decline()), "decided already")
    assert is_denied(asyncio.run(prepared().decline()), "declined by a person")
    assert ran == []


@pytest.mark.requirement("approval-once")
def test_a_prepared_call_is_not_a_way_around_approval() -> None:
    raw: Any = prepared()
    outcome = move.call_sync(raw)
    assert isinstance(outcome, Err)
    assert outcome.kind == "approval_required"
    assert outcome.coercions == (Coercion(("amount",), "number_text"),)


def test_what_the_validator_ignored_is_recorded_once() -> None:
    loose = move.replace(extra="ignore")
    one = prepared(loose, {"account": "A-1", "amount": "20", "more": 1})
    outcome = one.call_sync()
    assert outcome.coercions == one.coercions
    assert [each.rule for each in one.coercions] == ["number_text", "ignored"]


# ------------------------------------------------------------------------------------- edited


@pytest.mark.requirement("approval-edited")
def test_edited_arguments_are_checked_anew_and_one_of_the_two_runs() -> None:
    first = prepared()
    first.call_id = "c1"
    wrong = first.edited({"account": "A-1", "amount": -5})
    assert isinstance(wrong, Err)
    assert (wrong.kind, wrong.call_id) == ("invalid_input", "c1")
    second = first.edited({"account": "A-2", "amount": 5})
    assert isinstance(second, Prepared)
    assert second.digest != first.digest
    outcome = asyncio.run(second.call())
    assert (outcome.unwrap(), outcome.call_id) == ("moved", "c1")
    assert is_denied(first.call_sync(), "decided already")
    assert ran == [{"account": "A-2", "amount": 5, "currency": "EUR"}]


# ------------------------------------------------------------------- text, and back from text


@pytest.mark.requirement("approval-resume")
@pytest.mark.parametrize("key", [KEY, KEY.encode(), None], ids=["text", "bytes", "none"])
def test_a_call_goes_away_as_text_and_comes_back(key: Any) -> None:
    tools = Toolset([move])
    first = prepared(tools["transfer"])
    first.call_id = "c1"
    text = first.to_json(key=key)
    again = tools.resume(text, key=key)
    assert isinstance(again, Prepared)
    for name in ("name", "arguments", "json", "coercions", "digest", "call_id"):
        assert getattr(again, name) == getattr(first, name)
    assert tools.resume(text.encode(), key=key)
    outcome = again.call_sync()
    assert (outcome.unwrap(), outcome.call_id) == ("moved", "c1")
    assert outcome.coercions == (Coercion(("amount",), "number_text"),)


@pytest.mark.requirement("approval-resume")
def test_the_context_is_never_in_the_text() -> None:
    @tool(requires_approval=True)
    def whose(n: int, request: Context[dict[str, str]]) -> str:
        "Whose."
        return request["user"]

    waiting = whose.call_sync({"n": 1}, context={"user": "sk-SECRET-LEAKME-42"})
    assert isinstance(waiting, Err)
    assert waiting.prepared is not None
    text = waiting.prepared.to_json(key=KEY)
    assert "LEAKME" not in text + repr(waiting.prepared)
    again = Toolset([whose]).resume(text, key=KEY)
    assert isinstance(again, Prepared)
    assert again.call_sync(context={"user": "ann"}).unwrap() == "ann"


@pytest.mark.requirement("approval-resume")
def test_what_authorised_one_call_only_is_passed_again() -> None:
    def bob(arguments: Any, context: Any) -> bool:
        del arguments
        return bool(context == "bob")

    tools = Toolset([move])
    waiting = tools.call_sync("transfer", SENT, context="bob", authorize=bob)
    assert isinstance(waiting, Err)
    assert waiting.prepared is not None
    text = waiting.prepared.to_json()
    assert is_denied(waiting.prepared.call_sync(context="ann"), "not permitted")
    again = tools.resume(text, authorize=bob)
    assert isinstance(again, Prepared)
    assert is_denied(again.call_sync(context="ann"), "not permitted")
    assert again.call_sync(context="bob").unwrap() == "moved"


def test_the_text_is_plain_json() -> None:
    data = json.loads(prepared().to_json(key=KEY))
    assert {name: data[name] for name in ("toolhaft", "version", "name", "arguments")} == {
        "toolhaft": "call",
        "version": 1,
        "name": "transfer",
        "arguments": {"account": "A-1", "amount": 20},
    }
    assert len(data["nonce"]) == 32
    assert len(data["seal"]) == 64


def changed(text: str, **fields: Any) -> str:
    return json.dumps(json.loads(text) | fields)


@pytest.mark.requirement("approval-sealed")
def test_a_changed_text_is_denied() -> None:
    tools = Toolset([move])
    text = prepared().to_json(key=KEY)
    amount = json.loads(text)["arguments"] | {"amount": 2_000}
    changes: list[dict[str, Any]] = [
        {"arguments": amount},
        {"name": "other"},
        {"digest": "0" * 64},
        {"nonce": "0" * 32},
        {"call_id": "c9"},
        {"coercions": []},
        {"seal": "0" * 64},
        {"seal": "\u20ac"},
        {"seal": 5},
        {"more": 1},
    ]
    for fields in changes:
        assert is_denied(tools.resume(changed(text, **fields), key=KEY), "seal does not fit")
    reordered = json.dumps(dict(reversed(json.loads(text).items())))
    assert isinstance(tools.resume(reordered, key=KEY), Prepared)


SEALED = prepared().to_json(key=KEY)
OPEN = prepared().to_json()


@pytest.mark.requirement("approval-sealed")
@given(st.integers(0, len(SEALED) - 1), st.text(max_size=3), st.integers(0, 3))
def test_whatever_is_changed_in_a_text_it_is_denied_or_says_the_same(
    place: int, more: str, less: int
) -> None:
    outcome = Toolset([move]).resume(SEALED[:place] + more + SEALED[place + less :], key=KEY)
    if isinstance(outcome, Prepared):
        assert (outcome.digest, outcome.call_id) == (prepared().digest, None)
    else:
        assert is_denied(outcome, "cannot be resumed")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@pytest.mark.requirement("approval-sealed")
@given(st.sampled_from(sorted(json.loads(OPEN))), JSON)
def test_whatever_stands_in_a_field_of_a_text_nothing_is_raised(name: str, value: Any) -> None:
    outcome = Toolset([move]).resume(changed(OPEN, **{name: value}))
    if isinstance(outcome, Prepared):
        assert outcome.digest == prepared().digest
    else:
        assert is_denied(outcome, "cannot be resumed")


@pytest.mark.requirement("approval-sealed")
def test_a_place_that_is_no_arguments_is_not_told() -> None:
    outcome = Toolset([move]).resume(changed(prepared().to_json(), coercions=[[[], "ignored"]]))
    assert isinstance(outcome, Prepared)
    assert outcome.call_sync().text == "moved"


@pytest.mark.requirement("approval-sealed")
def test_keys_must_be_the_same_on_both_sides() -> None:
    tools = Toolset([move])
    sealed, loose = prepared().to_json(key=KEY), prepared().to_json()
    assert is_denied(tools.resume(sealed, key="another"), "seal does not fit")
    assert is_denied(tools.resume(sealed), "no key was given")
    assert is_denied(tools.resume(sealed, key=""), "no key was given")
    assert is_denied(tools.resume(loose, key=KEY), "has no seal")
    assert isinstance(tools.resume(sealed, key=KEY.encode()), Prepared)
    with pytest.raises(ToolhaftError, match="the key is empty"):
        prepared().to_json(key="")
    number: Any = 5
    for use in (prepared().to_json, lambda key: tools.resume(sealed, key=key)):
        with pytest.raises(ToolhaftError, match="the key is no text or bytes"):
            use(key=number)


MALFORMED: list[Any] = [
    "",
    "null",
    "[]",
    "nonsense",
    '{"toolhaft": "call"',
    '{"toolhaft": "answer", "version": 1}',
    '{"toolhaft": "call", "toolhaft": "call"}',
    '{"toolhaft": "call", "version": 2}',
    b"\xff\xfe",
    "[" * 100_000,
    "\ud800",
    None,
    7,
]


@pytest.mark.requirement("approval-sealed")
@pytest.mark.parametrize("text", MALFORMED, ids=lambda one: repr(one)[:20])
def test_a_malformed_text_is_denied_with_a_reason_and_never_raises(text: Any) -> None:
    for key in (None, KEY):
        outcome = Toolset([move]).resume(text, key=key)
        assert is_denied(outcome, "This call cannot be resumed and was not run: ")


@pytest.mark.requirement("approval-sealed")
@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"arguments": None}, "not hold a whole call"),
        ({"arguments": []}, "not hold a whole call"),
        ({"nonce": ""}, "not hold a whole call"),
        ({"nonce": 5}, "not hold a whole call"),
        ({"coercions": None}, "not hold a whole call"),
        ({"coercions": [["amount", "x"]]}, "not hold a whole call"),
        ({"coercions": [[[1.5], "x"]]}, "not hold a whole call"),
        ({"coercions": [[["amount"], "a word\n"]]}, "not hold a whole call"),
        ({"coercions": [[["amount"], "x" * 41]]}, "not hold a whole call"),
        ({"arguments": {"amount": 20}}, "have changed since"),
        ({"arguments": {"account": "B", "amount": 20}}, "have changed since"),
        ({"digest": None}, "have changed since"),
        ({"name": None}, "its tool no longer exists"),
        ({"name": ["transfer"]}, "its tool no longer exists"),
    ],
)
def test_a_text_without_a_key_is_still_checked(fields: dict[str, Any], words: str) -> None:
    text = changed(prepared().to_json(), **fields)
    assert is_denied(Toolset([move]).resume(text), words)


@pytest.mark.requirement("pain-17")
def test_a_tool_that_is_another_one_now_is_denied() -> None:
    text = prepared().to_json(key=KEY)
    for other in (
        move.replace(description="Move all money."),
        move.replace(annotations={"destructiveHint": True}),
        tool(transfer, name="transfer", extra="ignore", output=None),
        tool(written, name="transfer", description="Move money.", input=Plain),
    ):
        assert is_denied(Toolset([other]).resume(text, key=KEY), "have changed since")
    assert is_denied(Toolset([move]).prefix("a_").resume(text, key=KEY), "tool no longer exists")
    assert is_denied(Toolset().resume(text, key=KEY), "tool no longer exists")


@pytest.mark.requirement("approval-once")
def test_a_second_use_of_a_text_is_denied() -> None:
    tools = Toolset([move])
    text = prepared().to_json(key=KEY)
    both = [tools.resume(text, key=KEY), tools.resume(text, key=KEY)]
    outcomes = [one.call_sync() for one in both if isinstance(one, Prepared)]
    assert [bool(outcome) for outcome in outcomes] == [True, False]
    assert is_denied(outcomes[1], "decided already")
    assert is_denied(tools.resume(text, key=KEY), "decided already")
    assert len(ran) == 1


@pytest.mark.requirement("approval-once")
def test_the_call_here_and_its_text_are_one_call() -> None:
    first = prepared()
    text = first.to_json(key=KEY)
    assert first.call_sync().unwrap() == "moved"
    assert is_denied(Toolset([move]).resume(text, key=KEY), "decided already")
    with pytest.raises(ToolhaftError, match="transfer: the call has been made already"):
        first.to_json(key=KEY)


@pytest.mark.requirement("approval-once")
def test_a_call_that_is_written_down_while_it_runs_is_not_run_again() -> None:
    first = prepared()
    assert first.call_sync().unwrap() == "moved"
    assert is_denied(
        dispatch_of(Toolset([move])).restore(write_call(first), None), "decided already"
    )


@pytest.mark.requirement("approval-store")
def test_a_store_of_the_hosts_says_whether_another_process_was_first() -> None:
    tools, store, asked = Toolset([move]), set[str](), list[str]()

    def used(nonce: str) -> bool:
        asked.append(nonce)
        before = nonce in store
        store.add(nonce)
        return before

    async def async_used(nonce: str) -> bool:
        return used(nonce)

    text = prepared().to_json(key=KEY)
    again = tools.resume(text, key=KEY, used=used)
    assert asked == []
    assert isinstance(again, Prepared)
    assert again.call_sync().unwrap() == "moved"
    assert asked == [json.loads(text)["nonce"]]
    elsewhere = prepared().to_json(key=KEY)
    store.add(json.loads(elsewhere)["nonce"])
    late = tools.resume(elsewhere, key=KEY, used=async_used)
    assert isinstance(late, Prepared)
    assert is_denied(asyncio.run(late.call()), "decided already")
    assert len(ran) == 1


@pytest.mark.requirement("approval-store")
@pytest.mark.parametrize("answer", [None, 0, "no", KeyError("store")])
def test_a_store_that_does_not_say_false_denies(answer: Any) -> None:
    def used(nonce: str) -> Any:
        if isinstance(answer, Exception):
            raise answer
        return answer

    again = Toolset([move]).resume(prepared().to_json(key=KEY), key=KEY, used=used)
    assert isinstance(again, Prepared)
    assert is_denied(again.call_sync(), feedback.SPENT)
    assert ran == []


# ---------------------------------------------------------------------------- another process

PROGRAM = """
import json, sys
from typing import Annotated, Literal
from annotated_types import Ge
from toolhaft import Err, Toolset, tool

@tool(requires_approval=True)
def transfer(
    account: str, amount: Annotated[int, Ge(1)], currency: Literal["EUR", "USD"] = "EUR"
) -> str:
    "Move money."
    return f"{amount} {currency} to {account}"

order = json.load(sys.stdin)
found = Toolset([transfer]).resume(order["text"], key=order["key"])
first = found if isinstance(found, Err) else found.call_sync()
second = found if isinstance(found, Err) else found.call_sync()
print(json.dumps([first.text, second.text]))
"""


def child(text: str, key: str | None) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        input=json.dumps({"text": text, "key": key}),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return list(json.loads(done.stdout))


@pytest.mark.requirement("approval-resume")
def test_another_process_makes_the_call() -> None:
    text = prepared().to_json(key=KEY)
    assert child(text, KEY) == ["20 EUR to A-1", feedback.SPENT]
    [first, second] = child(text.replace('"amount":20', '"amount":99'), KEY)
    assert first == second
    assert "seal does not fit" in first
    assert "seal does not fit" in child(text, "another")[0]
    assert "no key was given" in child(text, None)[0]


def test_words_about_a_parameter_are_part_of_the_tool() -> None:
    def one(n: Annotated[int, Doc("first")]) -> int:
        "One."
        return n

    def two(n: Annotated[int, Doc("second")]) -> int:
        "One."
        return n

    text = prepared(tool(one), {"n": 1}).to_json()
    assert is_denied(Toolset([tool(two, name="one")]).resume(text), "have changed since")


def test_an_outcome_of_a_prepared_call_is_an_outcome_like_any_other() -> None:
    def crash(n: int) -> int:
        "Crash."
        raise RuntimeError(str(n))

    one = prepared(tool(crash), {"n": 1})
    outcome = one.call_sync()
    assert isinstance(outcome, Err)
    assert (outcome.kind, outcome.effect) == ("runtime_error", "unknown")
    assert is_denied(one.call_sync(), "decided already")
    fine = asyncio.run(prepared().call())
    assert isinstance(fine, Ok)
    assert fine.arguments == {"account": "A-1", "amount": 20, "currency": "EUR"}


@pytest.mark.requirement("decline-is-heard")
@pytest.mark.filterwarnings("ignore:coroutine 'give' was never awaited:RuntimeWarning")
def test_a_no_that_nobody_awaits_is_heard_where_no_loop_runs() -> None:
    prepared = move.prepare(SENT)
    assert isinstance(prepared, Prepared)
    prepared.decline("too much")  # type: ignore[unused-coroutine] # pyright: ignore[reportUnusedCoroutine]
    assert prepared.call_sync().kind == "denied"  # type: ignore[union-attr]


@pytest.mark.requirement("decline-is-heard")
def test_a_no_is_awaited_in_a_loop_and_by_asyncio_run() -> None:
    async def decline(prepared: Any) -> Err:
        refused: Err = await prepared.decline("too much")
        return refused

    for say in (decline, lambda prepared: prepared.decline("too much")):
        prepared = move.prepare(SENT)
        assert isinstance(prepared, Prepared)
        assert "too much" in asyncio.run(say(prepared)).text
        assert prepared.call_sync().kind == "denied"  # type: ignore[union-attr]


@pytest.mark.requirement("decline-is-heard")
def test_observers_are_given_the_context_of_the_person_who_declines() -> None:
    seen: list[Any] = []

    class Log:
        def started(self, call: CallStarted) -> None:
            seen.append(call.context)

    async def decline(prepared: Prepared[Any]) -> None:
        await prepared.decline(context="in a loop")

    tools = Toolset([move], observers=[Log()])
    ways: dict[str, Callable[[Prepared[Any]], object]] = {
        "sync": lambda prepared: prepared.decline_sync(context="sync"),
        "without a loop": lambda prepared: asyncio.run(prepared.decline(context="without a loop")),
        "in a loop": lambda prepared: asyncio.run(decline(prepared)),
    }
    for way, say in ways.items():
        waiting = tools.call_sync("transfer", SENT)
        assert isinstance(waiting, Err)
        assert waiting.prepared is not None
        seen.clear()
        say(waiting.prepared)
        assert seen == [way]
