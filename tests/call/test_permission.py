"""Authorisation and approval: the callbacks, their arguments, and that only True permits."""

from __future__ import annotations

import asyncio
import contextvars
import json
import logging
from collections.abc import Callable, Generator
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any
from unittest.mock import Mock

import pytest

from toolhaft import Context, Edit, Err, Injected, Ok, Prepared, Toolset, tool
from toolhaft.call import feedback
from toolhaft.call.callbacks import run_without_loop
from toolhaft.call.interrupts import CTRL_C_IS_A_SIGNAL
from toolhaft.call.permission import Deny, run_or_decline
from toolhaft.call.types import ToolCall
from toolhaft.errors import DefinitionError, ToolDenied, ToolhaftError
from toolhaft.tools.tool import AnyTool

HOSTILE = Path(__file__).parents[3] / "shared" / "data" / "hostile.jsonl"
SECRET = "sk-SECRET-LEAKME-42"
SENT = '{"account": "A-1", "amount": "20"}'
GIVEN = {"account": "A-1", "amount": 20, "currency": "EUR"}

ran: list[dict[str, Any]] = []


@pytest.fixture(autouse=True)
def _nothing_ran() -> None:
    ran.clear()


def move(account: str, amount: int, currency: str = "EUR") -> str:
    """Move money."""
    ran.append({"account": account, "amount": amount, "currency": currency})
    return "moved"


transfer = tool(move, name="transfer")


def yes(arguments: Any, context: Any) -> bool:
    del arguments, context
    return True


def no(arguments: Any, context: Any) -> bool:
    del arguments, context
    return False


async def async_yes(arguments: Any, context: Any) -> bool:
    await asyncio.sleep(0)
    return yes(arguments, context)


async def async_no(arguments: Any, context: Any) -> bool:
    await asyncio.sleep(0)
    return no(arguments, context)


def broken(arguments: Any, context: Any) -> bool:
    raise KeyError(SECRET, arguments, context)


Door = Callable[..., Ok[Any] | Err]


def sync(one: AnyTool, *args: Any, **options: Any) -> Ok[Any] | Err:
    return one.call_sync(*args, **options)


def later(one: AnyTool, *args: Any, **options: Any) -> Ok[Any] | Err:
    return asyncio.run(one.call(*args, **options))


DOORS = pytest.mark.parametrize("door", [sync, later])


def is_denied(outcome: Ok[Any] | Err) -> bool:
    told = isinstance(outcome, Err) and (outcome.kind, outcome.effect) == ("denied", "none")
    return told and outcome.text == feedback.DENIED and not ran


# ------------------------------------------------------------------------------ authorisation


@DOORS
@pytest.mark.parametrize(("reason", "text"), [
    ("not after six", "This call is not permitted and was not run: not after six"),
    ("a\u202eb", "This call is not permitted and was not run: a\\u202eb"),
    ("", feedback.DENIED),
])  # fmt: skip
def test_a_no_of_the_program_may_have_words(door: Door, reason: str, text: str) -> None:
    async def may(arguments: Any, context: Any) -> Deny:
        await asyncio.sleep(0)
        return Deny(reason)

    outcome = door(transfer.replace(authorize=may), {"account": "A", "amount": 1})
    assert isinstance(outcome, Err)
    assert (outcome.kind, outcome.effect, outcome.text, ran) == ("denied", "none", text, [])


class Coded(Deny):
    """A no whose reason was never set."""

    def __init__(self, code: int) -> None:
        self.code = code


class Exiting(Deny):
    """A denial that ends the program when its reason is read."""

    def __getattribute__(self, name: str) -> Any:
        if name == "reason":
            raise SystemExit(1)
        return super().__getattribute__(name)


def emptied(reason: Any) -> Deny:
    denial = Deny("too much")
    denial.reason = reason
    return denial


@DOORS
@pytest.mark.requirement("authorize-raises")
@pytest.mark.parametrize(
    "denial", [Coded(7), Exiting("no"), emptied(None), emptied(7)], ids=lambda one: repr(type(one))
)
def test_a_no_whose_words_cannot_be_read_is_a_no_without_words(door: Door, denial: Deny) -> None:
    assert is_denied(door(transfer, SENT, authorize=lambda *_: denial))
    declined = door(tool(move, requires_approval=True), SENT, approve=lambda _: denial)
    assert isinstance(declined, Err)
    assert (declined.kind, declined.effect, ran) == ("denied", "none", [])
    assert declined.text == feedback.describe_decline("")


@DOORS
@pytest.mark.requirement("authorize-sees-validated")
def test_the_program_is_asked_with_what_passed_and_with_the_callers_context(door: Door) -> None:
    seen: list[Any] = []

    def may(arguments: Any, context: Any, name: str) -> bool:
        seen.append((arguments, context, name))
        return True

    request = object()
    assert door(transfer, SENT, context=request, authorize=may).unwrap() == "moved"
    [(arguments, context, name)] = seen
    assert (arguments, context, name) == (GIVEN, request, "transfer")
    assert context is request
    assert isinstance(arguments, MappingProxyType)


@DOORS
@pytest.mark.requirement("authorize-sees-validated")
def test_nobody_is_asked_about_a_call_that_is_refused_anyway(door: Door) -> None:
    never = Mock(side_effect=AssertionError)
    outcome = door(transfer, "{}", authorize=never, approve=never)
    assert isinstance(outcome, Err)
    assert outcome.kind == "invalid_input"
    never.assert_not_called()


NOT_TRUE: list[Any] = [False, None, 1, "yes", [True], object(), Mock()]


@DOORS
@pytest.mark.requirement("authorize-only-true")
@pytest.mark.parametrize("answer", NOT_TRUE, ids=lambda one: type(one).__name__)
def test_only_true_permits(door: Door, answer: Any) -> None:
    assert is_denied(door(transfer, SENT, authorize=lambda *_: answer))
    asks = tool(move, requires_approval=True)
    assert is_denied(door(asks, SENT, approve=lambda _: answer))


@DOORS
@pytest.mark.requirement("authorize-only-true")
def test_an_async_answer_is_awaited_by_both_doors(door: Door) -> None:
    assert is_denied(door(transfer, SENT, authorize=async_no))
    assert door(transfer, SENT, authorize=async_yes).unwrap() == "moved"


@DOORS
@pytest.mark.requirement("authorize-only-true")
def test_an_answer_that_is_neither_yes_nor_no_is_in_the_log_without_its_value(
    door: Door, caplog: pytest.LogCaptureFixture
) -> None:
    asks = tool(move, requires_approval=True)
    outcomes = [
        door(transfer, SENT, authorize=lambda *_: "yes"),
        door(asks, SENT, approve=lambda _: "yes"),
    ]
    said = "asking for permission answered a str, which permits nothing; answer True, False or Deny"
    assert caplog.messages == [
        f"tool {outcome.name}: {said} (id {outcome.error_id})"
        for outcome in outcomes
        if isinstance(outcome, Err)
    ]


@DOORS
@pytest.mark.requirement("authorize-only-true")
@pytest.mark.parametrize("answer", [None, False, Deny("no")])
def test_a_no_is_not_in_the_log(door: Door, answer: Any, caplog: pytest.LogCaptureFixture) -> None:
    outcome = door(transfer, SENT, authorize=lambda *_: answer)
    assert isinstance(outcome, Err)
    assert (outcome.kind, outcome.error_id, caplog.messages) == ("denied", None, [])


@DOORS
@pytest.mark.requirement("authorize-raises")
def test_a_raise_denies_and_goes_to_the_log_only(
    door: Door, caplog: pytest.LogCaptureFixture
) -> None:
    outcome = door(transfer, SENT, authorize=broken)
    assert is_denied(outcome)
    assert isinstance(outcome, Err)
    assert outcome.error_id is not None
    assert outcome.error_id in caplog.text
    assert SECRET in caplog.text
    assert SECRET not in outcome.text + repr(outcome)


@DOORS
@pytest.mark.requirement("authorize-raises")
@pytest.mark.parametrize("error", [SystemExit(1), asyncio.CancelledError()])
def test_what_only_looks_like_the_end_of_the_program_denies(
    door: Door, error: BaseException
) -> None:
    assert is_denied(door(transfer, SENT, authorize=Mock(side_effect=error)))


@DOORS
def test_a_person_at_the_keyboard_can_stop_the_program(door: Door) -> None:
    with pytest.raises(KeyboardInterrupt):
        door(transfer, SENT, authorize=Mock(side_effect=KeyboardInterrupt))


def test_where_ctrl_c_is_a_signal_what_a_callback_raises_ends_no_program() -> None:
    token = CTRL_C_IS_A_SIGNAL.set(True)
    try:
        outcome = transfer.call_sync(SENT, authorize=Mock(side_effect=KeyboardInterrupt))
    finally:
        CTRL_C_IS_A_SIGNAL.reset(token)
    assert is_denied(outcome)


def test_an_outer_cancellation_while_the_program_is_asked_propagates() -> None:
    async def main() -> None:
        asked = asyncio.Event()

        async def may(arguments: Any, context: Any) -> bool:
            del arguments, context
            asked.set()
            await asyncio.Event().wait()
            return True

        task = asyncio.create_task(transfer.call(SENT, authorize=may))
        await asked.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert ran == []


@DOORS
@pytest.mark.requirement("authorize-all-permit")
@pytest.mark.parametrize("which", ["tool", "toolset", "call"])
def test_tool_toolset_and_call_must_all_permit(door: Door, which: str) -> None:
    asked = {place: no if place == which else yes for place in ("tool", "toolset", "call")}
    one = tool(move, authorize=asked["tool"])
    held = Toolset([one], authorize=asked["toolset"])["move"]
    assert is_denied(door(held, SENT, authorize=asked["call"]))
    all_yes = Toolset([tool(move, authorize=yes)], authorize=async_yes)["move"]
    assert door(all_yes, SENT, authorize=lambda *_: True).unwrap() == "moved"


@pytest.mark.requirement("authorize-all-permit")
def test_every_way_to_a_tool_of_a_set_asks() -> None:
    tools = Toolset([transfer], authorize=no)
    assert is_denied(tools.call_sync("transfer", SENT))
    assert is_denied(asyncio.run(tools.call("transfer", SENT)))
    [sync_one] = tools.call_all_sync([ToolCall("1", "transfer", SENT)])
    [later_one] = asyncio.run(tools.call_all([ToolCall("1", "transfer", SENT)]))
    assert is_denied(sync_one)
    assert is_denied(later_one)
    with pytest.raises(ToolDenied, match="not permitted") as caught:
        tools["transfer"].execute_sync(json.loads(SENT.replace('"20"', "20")))
    assert caught.value.effect == "none"
    with pytest.raises(ToolDenied):
        asyncio.run(tools["transfer"].execute(GIVEN))
    prepared = tools["transfer"].prepare(SENT)
    assert isinstance(prepared, Prepared)
    assert is_denied(prepared.call_sync())


@pytest.mark.requirement("authorize-all-permit")
def test_the_calls_of_a_toolset_take_authorize_too() -> None:
    tools, call = Toolset([transfer]), ToolCall("1", "transfer", SENT)
    assert is_denied(tools.call_sync("transfer", SENT, authorize=no))
    assert is_denied(asyncio.run(tools.call("transfer", SENT, authorize=no)))
    assert is_denied(tools.call_all_sync([call], authorize=no)[0])
    assert is_denied(asyncio.run(tools.call_all([call], authorize=no))[0])
    assert tools.call_sync("transfer", SENT, authorize=yes)
    assert tools.call_sync("transfer", SENT)


@pytest.mark.requirement("authorize-stays")
def test_what_is_made_of_a_toolset_goes_on_asking() -> None:
    tools = Toolset([transfer], authorize=no, approve=lambda _: True)
    made = [
        tools.select("*"),
        tools.prefix("bank_"),
        Toolset() + tools,
        tools + (tool(yes_or_no, name="other"),),  # noqa: RUF005  the operator is tried
        Toolset([*tools]),
        tools.prefix("a_").select("a_*") + Toolset(),
    ]
    for one in made:
        for name in [each.name for each in one]:
            sent = SENT if "transfer" in name else "{}"
            assert is_denied(one.call_sync(name, sent)), (one, name)


def yes_or_no() -> str:
    """Return one of the two."""
    ran.append({})
    return "yes"


@pytest.mark.requirement("authorize-stays")
def test_two_sets_that_are_joined_ask_each_for_its_own() -> None:
    names: list[str] = []

    def denies(arguments: Any, context: Any, name: str) -> bool:
        names.append(name)
        return False

    open_set = Toolset([tool(yes_or_no)])
    closed = Toolset([transfer], authorize=denies)
    for both in (open_set + closed, closed + open_set):
        assert both.call_sync("yes_or_no", "{}").unwrap() == "yes"
        ran.clear()
        assert is_denied(both.call_sync("transfer", SENT))
    assert is_denied((open_set + closed).prefix("x_").call_sync("x_transfer", SENT))
    assert names == ["transfer", "transfer", "x_transfer"]


def test_an_authorizer_that_equals_everything_does_not_stand_for_another() -> None:
    class Same:
        def __eq__(self, other: object) -> bool:
            return True

        __hash__ = None  # type: ignore[assignment]  # as of any class that has __eq__ alone

        def __bool__(self) -> bool:
            return False

        def __call__(self, *given: Any) -> bool:
            return True

    same: Any = Same()
    one = tool(move, authorize=same, requires_approval=True)
    assert one.call_sync(SENT, approve=same).unwrap() == "moved"
    ran.clear()
    assert is_denied(Toolset([one], authorize=same).call_sync("move", SENT, authorize=no))


def test_a_tool_of_a_set_that_asks_is_the_same_tool_and_itself_asks_nobody() -> None:
    tools = Toolset([transfer], authorize=no)
    assert tools["transfer"] == transfer
    assert transfer.call_sync(SENT).unwrap() == "moved"


def test_a_method_asks_whatever_it_is_bound_to() -> None:
    class Bank:
        @tool(authorize=lambda arguments, context: arguments["n"] == 1)
        def pay(self, n: int) -> int:
            "Pay."
            return n

    assert Bank().pay.call_sync({"n": 1}).unwrap() == 1
    assert is_denied(Bank().pay.call_sync({"n": 2}))
    assert is_denied(Toolset(Toolset.of(Bank()), authorize=no).call_sync("pay", {"n": 1}))


@pytest.mark.requirement("authorize-name")
def test_the_name_goes_to_those_only_that_need_a_third_argument() -> None:
    seen: list[tuple[Any, ...]] = []

    def two(arguments: Any, context: Any, strict: bool = True) -> bool:
        seen.append((strict,))
        return True

    def three(arguments: Any, context: Any, name: str) -> bool:
        seen.append((name,))
        return True

    def many(*given: Any) -> bool:
        seen.append(given[2:])
        return True

    class Policy:
        def __call__(self, arguments: Any, context: Any, name: str) -> bool:
            return three(arguments, context, name)

        def method(self, arguments: Any, context: Any) -> bool:
            return two(arguments, context)

    given: list[Any] = [two, three, many, Policy(), Policy().method, partial(three, name="mine")]
    for one in given:
        assert transfer.call_sync(SENT, authorize=one)
    named = ("transfer",)
    assert seen == [(True,), named, named, named, (True,), ("mine",)]


def test_an_option_that_cannot_be_asked_is_a_fault_of_the_definition() -> None:
    make: Any = tool  # pyright does not end on a partial of so many overloads
    with pytest.raises(DefinitionError, match=r"move\.authorize: not callable"):
        make(move, authorize=True)
    with pytest.raises(DefinitionError, match=r"move\.requires_approval: not a boolean"):
        make(move, requires_approval="yes")


@pytest.mark.requirement("authorize-no-schema")
def test_authorisation_is_in_no_schema_and_no_export() -> None:
    guarded = tool(move, name="transfer", authorize=no, requires_approval=True)
    bare, full = Toolset([transfer]), Toolset([guarded], authorize=no, approve=lambda _: True)
    for target in ("openai", "anthropic", "mcp", "gemini", "draft-2020-12"):
        assert full.export(target).tools == bare.export(target).tools


@DOORS
def test_what_the_handler_is_given_is_not_what_the_program_saw(door: Door) -> None:
    sent: dict[str, Any] = {"rows": [{"n": 1}]}

    @tool
    def count(rows: list[dict[str, int]]) -> int:
        "Count."
        return rows[0]["n"]

    def may(arguments: Any, context: Any) -> bool:
        with pytest.raises(TypeError):
            arguments["rows"] = []
        sent["rows"][0]["n"] = 99
        return bool(arguments["rows"][0]["n"] == 1)

    assert door(count, sent, authorize=may).unwrap() == 1


def test_contextvars_of_the_caller_are_seen_by_who_is_asked() -> None:
    who: contextvars.ContextVar[str] = contextvars.ContextVar("who", default="nobody")

    async def may(arguments: Any, context: Any) -> bool:
        del arguments, context
        return who.get() == "ann"

    assert is_denied(transfer.call_sync(SENT, authorize=may))
    who.set("ann")
    assert sync(transfer, SENT, authorize=may)
    ran.clear()
    assert later(transfer, SENT, authorize=may)


def test_a_validator_that_answers_later_comes_before_who_is_asked() -> None:
    from toolhaft.spec import Failure, Issue, Success

    class Later:
        version, vendor = 1, "later"

        async def validate(self, value: Any, /) -> Success[Any] | Failure:
            await asyncio.sleep(0)
            return Success(value["n"]) if value["n"] > 0 else Failure([Issue("no", ("n",))])

        def json_schema(self, *, target: str = "", mode: str = "input") -> dict[str, Any]:
            return {"type": "object", "properties": {"n": {"type": "integer"}}}

    one: Any = tool(lambda n: n, name="one", description="One.", input=Later(), authorize=async_yes)
    for door in (sync, later):
        assert door(one, {"n": 2}).unwrap() == 2
        assert isinstance(door(one, {"n": 0}), Err)


def test_a_coroutine_that_waits_where_no_loop_runs_is_an_error() -> None:
    class Waits:
        def __await__(self) -> Generator[None, None, None]:
            yield

    async def waits() -> None:
        await Waits()

    with pytest.raises(RuntimeError, match="waited where no loop runs"):
        run_without_loop(waits())


@pytest.mark.requirement("pain-07")
def test_the_model_cannot_supply_what_the_program_decides_by() -> None:
    @tool(authorize=lambda arguments, context: context["user"] == "ann")
    def find(q: str, user: Injected[str], request: Context[Any]) -> str:
        "Find."
        return f"{q} for {user} {request is not None}"

    smuggled = find.call_sync({"q": "x", "user": "ann"}, context={"user": "bob"})
    assert isinstance(smuggled, Err)
    assert [(one.path, one.code) for one in smuggled.issues] == [(("user",), "extra")]
    assert is_denied(find.call_sync({"q": "x"}, context={"user": "bob"}))
    assert find.call_sync({"q": "x"}, context={"user": "ann"}).unwrap() == "x for ann True"
    assert list(find.input_schema.json_schema()["properties"]) == ["q"]


# ---------------------------------------------------------------------------------- approval


def waiting(outcome: Ok[Any] | Err) -> Prepared[Any]:
    assert isinstance(outcome, Err)
    assert (outcome.kind, outcome.effect, outcome.text) == (
        "approval_required",
        "none",
        feedback.APPROVAL,
    )
    assert outcome.prepared is not None
    assert outcome.coercions == outcome.prepared.coercions
    assert not outcome.retryable
    return outcome.prepared


@DOORS
@pytest.mark.requirement("approval-asked")
def test_without_anybody_to_ask_the_call_waits(door: Door) -> None:
    one = tool(move, requires_approval=True)
    prepared = waiting(door(one, SENT))
    assert (prepared.name, prepared.arguments, ran) == ("move", GIVEN, [])
    assert prepared.call_sync().unwrap() == "moved"
    with pytest.raises(ToolDenied, match="approval of a person"):
        one.execute_sync(GIVEN)


@DOORS
@pytest.mark.requirement("approval-asked")
def test_a_person_is_asked_with_the_prepared_call(door: Door) -> None:
    asked: list[Prepared[Any]] = []

    async def approve(prepared: Prepared[Any]) -> Any:
        await asyncio.sleep(0)
        asked.append(prepared)
        return True

    one = tool(move, requires_approval=True)
    assert door(one, SENT, approve=approve).unwrap() == "moved"
    held = Toolset([one], approve=approve)["move"]
    assert door(held, SENT).unwrap() == "moved"
    assert [dict(prepared.arguments) for prepared in asked] == [GIVEN, GIVEN]
    assert is_denied_after(door(held, SENT, approve=lambda _: False))


@DOORS
@pytest.mark.requirement("approval-once")
def test_whoever_approves_a_call_cannot_have_it_made_twice(door: Door) -> None:
    held: list[Prepared[Any]] = []

    async def made(prepared: Prepared[Any]) -> Any:
        assert (await prepared.call()).unwrap() == "moved"
        return True

    def kept(prepared: Prepared[Any]) -> bool:
        held.append(prepared)
        return True

    one = tool(move, requires_approval=True)
    outcome = door(one, SENT, approve=made)
    assert (outcome.text, ran) == (feedback.SPENT, [GIVEN])
    assert door(one, SENT, approve=kept).unwrap() == "moved"
    [prepared] = held
    assert prepared.call_sync().text == feedback.SPENT
    with pytest.raises(ToolhaftError, match="has been made already"):
        prepared.to_json()
    assert ran == [GIVEN, GIVEN]


def is_denied_after(outcome: Ok[Any] | Err) -> bool:
    ran.clear()
    return is_denied(outcome)


@DOORS
@pytest.mark.requirement("approval-asked")
def test_a_no_is_told_in_the_persons_words(door: Door) -> None:
    one = tool(move, requires_approval=True)
    outcome = door(one, SENT, approve=lambda _: Deny("too\u202e much"))
    assert isinstance(outcome, Err)
    assert (outcome.kind, outcome.effect, outcome.error_id) == ("denied", "none", None)
    assert outcome.text.startswith("This call was declined by a person and was not run: too")
    assert "\u202e" not in outcome.text
    assert door(one, SENT, approve=lambda _: Deny()).text.endswith("was not run.")
    odd: Any = Deny
    assert door(one, SENT, approve=lambda _: odd(404)).text.endswith("404")
    assert ran == []
    assert repr(Deny("no")) == "Deny('no')"


@DOORS
@pytest.mark.requirement("authorize-raises")
def test_a_person_who_cannot_be_asked_has_not_approved(door: Door) -> None:
    one = tool(move, requires_approval=True)
    outcome = door(one, SENT, approve=Mock(side_effect=ValueError(SECRET)))
    assert is_denied(outcome)
    assert isinstance(outcome, Err)
    assert outcome.error_id is not None


@DOORS
@pytest.mark.requirement("approval-predicate")
def test_a_predicate_says_which_calls_need_a_person(door: Door) -> None:
    one = tool(move, requires_approval=lambda arguments: arguments["amount"] > 10)
    waiting(door(one, SENT))
    assert door(one, {"account": "A-1", "amount": 5}).unwrap() == "moved"


@DOORS
@pytest.mark.requirement("approval-predicate")
def test_a_predicate_that_fails_means_that_a_person_is_needed(
    door: Door, caplog: pytest.LogCaptureFixture
) -> None:
    one = tool(move, requires_approval=lambda arguments: arguments["nothing"])
    prepared = waiting(door(one, SENT))
    assert "KeyError" in caplog.text
    assert prepared.call_sync().unwrap() == "moved"


class Torn:
    """Neither true nor false, and without a signature."""

    def __bool__(self) -> bool:
        raise ValueError("torn")

    @property
    def __wrapped__(self) -> Any:
        raise KeyError("no signature")

    def __call__(self, *given: Any) -> bool:
        return True


@DOORS
@pytest.mark.requirement("approval-predicate")
def test_callbacks_that_break_before_or_after_they_are_called_never_break_the_call(
    door: Door,
) -> None:
    torn: Any = lambda arguments: Torn()  # noqa: E731  its type is a lie
    waiting(door(tool(move, requires_approval=torn), SENT))
    with pytest.raises(DefinitionError, match="a callable without a readable signature"):
        door(transfer, SENT, authorize=Torn())
    assert is_denied(door(transfer, SENT, authorize=lambda *_: Torn()))


@DOORS
def test_the_program_is_asked_before_the_person(door: Door) -> None:
    one = tool(move, requires_approval=True, authorize=no)
    approve = Mock(return_value=True)
    assert is_denied(door(one, SENT, approve=approve))
    approve.assert_not_called()


def test_an_async_callback_is_asked_on_the_callers_loop_each_time() -> None:
    loops: list[Any] = []

    async def answer(_: Any) -> bool:
        loops.append(asyncio.get_running_loop())
        return True

    async def call() -> Any:
        one = tool(move, requires_approval=True, authorize=answer)
        assert (await one.call(SENT, approve=answer)).unwrap() == "moved"
        return asyncio.get_running_loop()

    loop = asyncio.run(call())
    assert loops == [loop] * 3  # authorised, approved, and authorised once more


def test_a_batch_is_no_person() -> None:
    from toolhaft.batch.calls import Call
    from toolhaft.batch.job import process_call

    one = tool(move, requires_approval=True)
    record = process_call(one, Call("1", "move", SENT), runs=True)
    assert (record.kind, record.arguments, ran) == (
        "approval_required",
        {"account": "A-1", "amount": 20},
        [],
    )


# ------------------------------------------------------------------------------ hostile items


HOSTILE_AUTHORIZERS: dict[str, Any] = {
    "async def not awaited": async_no,
    "raises": broken,
    "returns None": lambda arguments, context: None,
}


@pytest.mark.requirement("hostile-authz")
def test_hostile_authorizers_are_isolated() -> None:
    if not HOSTILE.exists():
        pytest.skip("the shared data are not there")
    logging.disable(logging.CRITICAL)
    items = [json.loads(line) for line in HOSTILE.read_text(encoding="utf-8").splitlines()]
    found = {
        item["input"]["json"]["authz"]: item["expected"]
        for item in items
        if item["surface"] == "authz" and "authz" in item["input"]["json"]
    }
    logging.disable(logging.NOTSET)
    assert found == dict.fromkeys(HOSTILE_AUTHORIZERS, "isolated error")
    for authorize in HOSTILE_AUTHORIZERS.values():
        for door in (sync, later):
            assert is_denied(door(transfer, SENT, authorize=authorize))


@pytest.mark.requirement("context-missing-costs-nothing")
def test_a_context_that_lacks_what_a_call_needs_uses_its_approval_not_up() -> None:
    @tool(requires_approval=True)
    def transfer(amount: int, user: Injected[str]) -> str:
        "Move money."
        return f"{user} {amount}"

    waiting = transfer.prepare({"amount": 1})
    assert isinstance(waiting, Prepared)
    refused = waiting.call_sync(context={})
    assert isinstance(refused, Err)
    assert (refused.kind, refused.effect) == ("runtime_error", "none")
    assert waiting.call_sync(context={"user": "ann"}).text == "ann 1"


@pytest.mark.parametrize(
    ("approve", "said"),
    [
        (lambda: True, "takes no arguments; take the call"),
        (lambda call, context: True, "requires 2 arguments; take the call alone"),
        (lambda call, *, who: True, "requires arguments by keyword (who); give them defaults"),
    ],
)
def test_an_approver_that_cannot_take_the_call_alone_is_refused_when_it_is_given(
    approve: Any, said: str
) -> None:
    with pytest.raises(DefinitionError) as raised:
        Toolset([move], approve=approve)
    assert str(raised.value) == f"approve: {said}"


@pytest.mark.parametrize(
    "approve",
    [
        lambda call, who="ann", *rest: True,
        lambda *given: True,
        partial(lambda limit, call: True, 50),
        Mock(return_value=True),
    ],
)
def test_an_approver_may_have_parameters_beside_the_call(approve: Any) -> None:
    pay = tool(lambda: "paid", name="pay", description="Pay.", requires_approval=True)
    assert Toolset([pay], approve=approve).call_sync("pay", {}).text == "paid"


@pytest.mark.parametrize("has_loop", [True, False])
@pytest.mark.parametrize(
    ("answer", "moved"),
    [(True, 20), (Edit({**GIVEN, "amount": 5}), 5), (Edit({**GIVEN, "amount": "x"}), None),
     (False, None), (None, None), (Deny("no"), None)],
)  # fmt: skip
def test_only_true_or_a_valid_edit_runs_a_call_that_waited(
    answer: Any, moved: int | None, has_loop: bool
) -> None:
    prepared = tool(move, requires_approval=True).prepare(SENT)
    assert isinstance(prepared, Prepared)
    deciding = run_or_decline(prepared, answer, None, has_loop=has_loop)
    outcome = asyncio.run(deciding) if has_loop else run_without_loop(deciding)
    assert [one["amount"] for one in ran] == ([] if moved is None else [moved])
    assert getattr(outcome, "kind", "ok") == ("denied" if moved is None else "ok")


def test_a_bound_method_of_a_tool_and_of_its_set_is_called_once() -> None:
    class Quota:
        used = 0

        def take(self, _: Any) -> bool:
            self.used += 1
            return True

    quota = Quota()

    @tool(authorize=quota.take)
    def ping() -> str:
        "Ping."
        return "pong"

    assert Toolset([ping], authorize=quota.take).call_sync("ping", {}).text == "pong"
    assert quota.used == 1
