"""Forged decisions: one approval is one run, of exactly the shown call, however it is requested."""

from __future__ import annotations

import asyncio
import copy
import pickle
from collections.abc import Callable
from contextlib import suppress
from threading import Barrier, Thread
from typing import Any, Final, Literal

import pytest
from pydantic import BaseModel, Field

from tests.hostile.witnesses import KEY, RUNS, plain, shows
from toolhaft import Context, Deny, Err, Injected, Ok, Prepared, ToolCall, Toolset, tool
from toolhaft.errors import ToolDenied
from toolhaft.tools.tool import AnyTool

Outcome = Ok[Any] | Err
# Far more than anybody would approve.
LOOT: Final = 1_000_000
SENT: Final = {"account": "A-1", "amount": 20}
APPROVED: Final = {**SENT, "currency": "EUR"}


def transfer(account: str, amount: int, currency: Literal["EUR", "USD"] = "EUR") -> Any:
    """Move money."""
    RUNS.append(None)
    return {"account": account, "amount": amount, "currency": currency}


TOOL: Final = tool(transfer, output=None, requires_approval=True)
TOOLS: Final = Toolset([TOOL])


@pytest.fixture(autouse=True)
def _nothing_ran() -> None:
    RUNS.clear()


def held(one: AnyTool = TOOL, sent: Any = SENT) -> Prepared[Any]:
    waiting = one.call_sync(sent)
    assert isinstance(waiting, Err), waiting
    assert waiting.prepared is not None, waiting.text
    return waiting.prepared


def back(made: Prepared[Any]) -> Prepared[Any]:
    """Send a call away and back."""
    again = TOOLS.resume(made.to_json(key=KEY), key=KEY)
    assert isinstance(again, Prepared), again.text
    return again


def edited(made: Prepared[Any], **changes: Any) -> Prepared[Any]:
    again = made.edited({**SENT, **changes})
    assert isinstance(again, Prepared), again.text
    return again


# ------------------------------------------------------------------------------------ one run

Calls = list[Callable[[], Outcome]]


def later(made: Prepared[Any]) -> Callable[[], Outcome]:
    async def call() -> Outcome:
        return await made.call()

    return lambda: asyncio.run(call())


def twice() -> Calls:
    made = held()
    return [made.call_sync, made.call_sync]


def twice_later() -> Calls:
    made = held()
    return [later(made), later(made)]


def here_and_later() -> Calls:
    made = held()
    return [made.call_sync, later(made), made.call_sync]


def itself_and_its_text() -> Calls:
    made = held()
    return [back(made).call_sync, made.call_sync]


def two_of_a_text() -> Calls:
    made = held()
    return [back(made).call_sync, back(made).call_sync, made.call_sync]


def a_text_of_a_text() -> Calls:
    made = held()
    return [back(back(made)).call_sync, back(made).call_sync]


def itself_and_edited() -> Calls:
    made = held()
    return [edited(made, account="A-1").call_sync, made.call_sync]


def edited_twice() -> Calls:
    made = held()
    return [edited(made).call_sync, edited(made).call_sync, edited(edited(made)).call_sync]


def edited_and_sent_away() -> Calls:
    made = held()
    return [back(edited(made)).call_sync, back(made).call_sync, edited(back(made)).call_sync]


def of_a_prepared_call() -> Calls:
    made = TOOL.prepare(SENT)
    assert isinstance(made, Prepared)
    return [made.call_sync, later(made)]


def after_a_refusal() -> Calls:
    """A call that the program forbids is not used up by that."""
    allowed: list[bool] = []
    one = TOOL.replace(authorize=lambda *_: len(allowed) > 0)
    made = one.prepare(SENT)
    assert isinstance(made, Prepared)
    assert made.call_sync().kind == "denied"  # type: ignore[union-attr]
    allowed.append(True)
    return [made.call_sync, made.call_sync]


ONCE: Final = [
    twice,
    twice_later,
    here_and_later,
    itself_and_its_text,
    two_of_a_text,
    a_text_of_a_text,
    itself_and_edited,
    edited_twice,
    edited_and_sent_away,
    of_a_prepared_call,
    after_a_refusal,
]


def told(outcome: Outcome) -> Any:
    return outcome.value if isinstance(outcome, Ok) else (outcome.kind, outcome.effect)


@pytest.mark.requirement("forged-views")
@pytest.mark.parametrize("make", ONCE)
def test_of_all_that_one_approval_became_one_runs(make: Callable[[], Calls]) -> None:
    calls = make()
    outcomes = [told(call()) for call in calls]
    assert outcomes == [APPROVED, *[("denied", "none")] * (len(calls) - 1)]
    assert len(RUNS) == 1


COPIES: Final[dict[str, Callable[[Any], Any]]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda made: pickle.loads(pickle.dumps(made)),
}


@pytest.mark.requirement("forged-views")
@pytest.mark.parametrize("name", COPIES)
def test_a_copy_is_no_second_approval(name: str) -> None:
    """A copy may be impossible; otherwise it is the same call, or a call that never runs."""
    made = held()
    calls = [made]
    with suppress(Exception):
        calls += [COPIES[name](made)]
    outcomes = [told(one.call_sync()) for one in reversed(calls)]
    assert outcomes.count(APPROVED) == len(RUNS) == 1
    assert set(map(str, outcomes)) <= {str(APPROVED), str(("denied", "none"))}


# ----------------------------------------------------------------------------- many at a time


def at_once(calls: list[Callable[[], Outcome]]) -> list[Any]:
    barrier, outcomes = Barrier(len(calls)), []

    def run(call: Callable[[], Outcome]) -> None:
        barrier.wait()
        outcomes.append(told(call()))

    threads = [Thread(target=run, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcomes


def threads_of_one() -> Calls:
    made = held()
    return [made.call_sync] * 8


def threads_with_loops() -> Calls:
    made = held()
    return [later(made)] * 8


def threads_of_texts() -> Calls:
    made = held()
    return [back(made).call_sync for _ in range(8)]


def threads_of_edits() -> Calls:
    made = held()
    return [made.call_sync, *[edited(made).call_sync for _ in range(7)]]


@pytest.mark.requirement("forged-views")
@pytest.mark.parametrize(
    "make", [threads_of_one, threads_with_loops, threads_of_texts, threads_of_edits]
)
def test_of_many_threads_one_runs_the_call(make: Callable[[], Calls]) -> None:
    outcomes = at_once(make())
    assert (outcomes.count(APPROVED), outcomes.count(("denied", "none"))) == (1, 7)
    assert len(RUNS) == 1


@pytest.mark.requirement("forged-views")
def test_of_many_tasks_one_runs_the_call() -> None:
    made = held(TOOL.replace(authorize=waits))

    async def main() -> list[Any]:
        return [told(one) for one in await asyncio.gather(*[made.call() for _ in range(8)])]

    outcomes = asyncio.run(main())
    assert (outcomes.count(APPROVED), outcomes.count(("denied", "none"))) == (1, 7)
    assert len(RUNS) == 1


async def waits(arguments: Any, context: Any) -> bool:
    await asyncio.sleep(0)
    return True


@pytest.mark.requirement("forged-views")
def test_a_decline_and_a_call_at_once_are_one_decision() -> None:
    made = held()
    outcomes = at_once([made.call_sync, made.decline_sync] * 4)
    assert outcomes.count(APPROVED) == len(RUNS) <= 1
    assert outcomes.count(("denied", "none")) == 8 - len(RUNS)


# ------------------------------------------------------------------- approvers that do more

Approver = Callable[[Prepared[Any]], Any]


def calls_it(prepared: Prepared[Any]) -> bool:
    prepared.call_sync()
    return True


def calls_it_twice(prepared: Prepared[Any]) -> bool:
    prepared.call_sync()
    prepared.call_sync()
    return True


async def calls_it_later(prepared: Prepared[Any]) -> bool:
    await prepared.call()
    return True


def calls_it_and_raises(prepared: Prepared[Any]) -> bool:
    prepared.call_sync()
    raise RuntimeError("after all")


def calls_it_and_declines(prepared: Prepared[Any]) -> Any:
    prepared.call_sync()
    return Deny("after all")


def calls_it_elsewhere(prepared: Prepared[Any]) -> bool:
    thread = Thread(target=prepared.call_sync)
    thread.start()
    thread.join()
    return True


def calls_an_edit(prepared: Prepared[Any]) -> bool:
    edited(prepared, account="A-1").call_sync()
    return True


def calls_its_text(prepared: Prepared[Any]) -> bool:
    back(prepared).call_sync()
    return True


@pytest.mark.requirement("forged-views")
@pytest.mark.parametrize(
    "approve",
    [
        calls_it,
        calls_it_twice,
        calls_it_later,
        calls_it_and_raises,
        calls_it_and_declines,
        calls_it_elsewhere,
        calls_an_edit,
        calls_its_text,
    ],
)
def test_an_approver_that_makes_the_call_has_decided_it(approve: Approver) -> None:
    outcome = TOOL.call_sync(SENT, approve=approve)
    assert (told(outcome), len(RUNS)) == (("denied", "none"), 1)


def declines_it(prepared: Prepared[Any]) -> bool:
    prepared.decline_sync("no")
    return True


def only_edits(prepared: Prepared[Any]) -> bool:
    edited(prepared, amount=LOOT)
    return True


@pytest.mark.requirement("forged-views")
def test_an_approver_decides_about_what_it_was_shown_alone() -> None:
    assert told(TOOL.call_sync(SENT, approve=declines_it)) == ("denied", "none")
    assert RUNS == []
    assert told(TOOL.call_sync(SENT, approve=only_edits)) == APPROVED
    kept: list[Prepared[Any]] = []

    def keeps(prepared: Prepared[Any]) -> bool:
        kept.append(prepared)
        return True

    outcome = TOOL.call_sync(SENT, approve=keeps)
    assert (told(outcome), told(kept[0].call_sync())) == (APPROVED, ("denied", "none"))
    assert told(kept[0].decline_sync()) == ("denied", "none")
    assert len(RUNS) == 2


NOT_YES: Final[list[Any]] = [1, "yes", [True], object(), None, Ok, Deny, Deny("no"), 1.0, ...]


@pytest.mark.requirement("forged-views")
@pytest.mark.parametrize("answer", NOT_YES, ids=lambda answer: type(answer).__name__)
def test_nothing_but_true_is_a_yes(answer: Any) -> None:
    async def later_answer(*_: Any) -> Any:
        return answer

    asked: list[Outcome] = []
    for said in (lambda *_: answer, later_answer):
        asked.append(TOOL.call_sync(SENT, approve=said))
        asked.append(TOOL.call_sync(SENT, approve=lambda _: True, authorize=said))
    assert [told(one) for one in asked] == [("denied", "none")] * 4
    assert RUNS == []


@pytest.mark.requirement("forged-views")
@pytest.mark.parametrize("answer", [0, 1, "", None, [], "no", 0.0, object], ids=repr)
def test_a_predicate_that_gives_no_bool_asks(answer: Any) -> None:
    one = TOOL.replace(requires_approval=lambda arguments: answer)
    outcome = one.call_sync(SENT)
    assert isinstance(outcome, Err)
    assert (outcome.kind, RUNS) == ("approval_required", [])


# ------------------------------------------------------------------------------- declined, edited


@pytest.mark.requirement("forged-views")
def test_what_was_declined_never_runs() -> None:
    made = held()
    text, other = made.to_json(key=KEY), edited(made)
    assert told(made.decline_sync("too much")) == ("denied", "none")
    again = TOOLS.resume(text, key=KEY)
    calls: list[Any] = [made.call_sync(), other.call_sync(), later(made)(), again]
    assert [told(one) for one in calls] == [("denied", "none")] * 4
    declined = back(held())
    asyncio.run(declined.decline())
    assert told(declined.call_sync()) == ("denied", "none")
    assert RUNS == []


class Limits(BaseModel):
    amount: int = Field(0, alias="maxAmount", le=100)


EDITS: Final[dict[str, tuple[Any, str]]] = {
    "more than there may be": ({"maxAmount": LOOT}, "invalid_input"),
    "the attribute": ({"amount": 7}, "invalid_input"),
    "both": ({"maxAmount": 1, "amount": 7}, "invalid_input"),
    "no object": ([1], "invalid_input"),
    "text": ('{"maxAmount": 7}', "ok"),
    "a key twice": ('{"maxAmount": 1, "maxAmount": 7}', "invalid_input"),
    "nothing": ({}, "ok"),
}


@pytest.mark.requirement("forged-views")
@pytest.mark.parametrize("name", EDITS)
def test_edited_arguments_are_checked_and_shown_as_any_others(name: str) -> None:
    sent, kind = EDITS[name]
    one = shows(Limits, lambda value: {"maxAmount": value.amount}, requires_approval=True)
    made = held(one, {"maxAmount": 5})
    again = made.edited(sent)
    assert plain(made.arguments) == {"maxAmount": 5}
    if isinstance(again, Err):
        assert (again.kind, again.effect) == (kind, "none")
        assert made.call_sync().unwrap() == {"maxAmount": 5}
    else:
        assert kind == "ok"
        assert again.digest != made.digest
        assert again.call_sync().unwrap() == plain(again.arguments)
        assert told(made.call_sync()) == ("denied", "none")
    assert len(RUNS) == 1


@pytest.mark.requirement("forged-views")
def test_an_edit_is_authorised_for_what_it_says() -> None:
    seen: list[Any] = []

    def may(arguments: Any, context: Any) -> bool:
        seen.append(plain(arguments))
        return bool(arguments["amount"] <= 20)

    made = held(TOOL.replace(authorize=may))
    more = edited(made, amount=LOOT)
    changed = {"account": "A-1", "amount": 7}
    less = made.edited(changed)
    changed["amount"] = LOOT
    assert isinstance(less, Prepared)
    assert told(more.call_sync()) == ("denied", "none")
    assert told(less.call_sync()) == {**APPROVED, "amount": 7}
    assert [one["amount"] for one in seen] == [20, LOOT, 7]
    assert len(RUNS) == 1


# ------------------------------------------------------------------------- other ways to the tool


@pytest.mark.requirement("forged-views")
def test_an_approval_is_not_passed_on_to_another_call() -> None:
    other = tool(transfer, name="other", output=None, requires_approval=True)
    raw: Any = held()
    for one in (TOOL, other):
        outcome = one.call_sync(raw)
        assert isinstance(outcome, Err)
        assert outcome.kind in {"approval_required", "invalid_input"}
    call = ToolCall("1", "transfer", raw)
    for outcome in (
        TOOLS.call_sync("transfer", raw),
        TOOLS.call_all_sync([call])[0],
        TOOLS.export("openai").call_sync(call),
    ):
        assert isinstance(outcome, Err)
        assert outcome.kind in {"approval_required", "invalid_input"}
    assert RUNS == []
    assert raw.call_sync().unwrap() == APPROVED


@tool(output=None, requires_approval=True)
def for_user(amount: int, user: Injected[str], request: Context[Any]) -> Any:
    """Move money of a user."""
    RUNS.append(None)
    return {"amount": amount, "user": user}


@pytest.mark.requirement("forged-views")
def test_what_the_program_forgot_uses_nothing_up() -> None:
    made = held(for_user, {"amount": 1})
    forgotten = made.call_sync(context={})
    assert told(forgotten) == ("runtime_error", "none")
    assert made.call_sync(context={"user": "ann"}).unwrap() == {"amount": 1, "user": "ann"}
    assert told(made.call_sync(context={"user": "eve"})) == ("denied", "none")
    assert len(RUNS) == 1


@tool(output=None, requires_approval=True)
def crash(amount: int) -> Any:
    """Crash."""
    RUNS.append(None)
    raise RuntimeError("after it acted")


@pytest.mark.requirement("forged-views")
def test_a_call_that_crashed_has_run() -> None:
    made = held(crash, {"amount": 1})
    assert told(made.call_sync()) == ("runtime_error", "unknown")
    assert told(made.call_sync()) == ("denied", "none")
    assert len(RUNS) == 1


@pytest.mark.requirement("forged-views")
def test_every_way_to_a_tool_that_asks_asks() -> None:
    views: list[tuple[AnyTool, Any]] = [
        (TOOL, SENT),
        (TOOL.replace(name="other", description="Other."), SENT),
        (TOOL.transform(rename={"amount": "sum"}), {"account": "A-1", "sum": 20}),
        (TOOL.transform(hide={"amount": 20}), {"account": "A-1"}),
        (TOOLS.prefix("a_")["a_transfer"], SENT),
        (TOOLS.select("*")["transfer"], SENT),
        ((Toolset() + TOOLS)["transfer"], SENT),
        (copy.copy(TOOL), SENT),
    ]
    for one, sent in views:
        made = held(one, sent)
        assert plain(made.arguments) == APPROVED
        assert made.call_sync().unwrap() == APPROVED
        with pytest.raises(ToolDenied):
            one.execute_sync(sent)
        with pytest.raises(ToolDenied):
            asyncio.run(one.execute(sent))
    assert len(RUNS) == len(views)
