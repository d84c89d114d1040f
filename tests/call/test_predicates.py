from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from functools import partial, wraps
from types import MappingProxyType
from typing import Any, Final
from unittest.mock import Mock, create_autospec
from uuid import UUID

import attrs
import pytest
from pydantic import BaseModel, field_validator, model_validator

from tests.call import predicate_tools
from tests.call.predicate_tools import ASKED, BLOCKED, CASES, KEY, Account, Attrs, Level, Struct
from toolhaft import Context, Deny, Err, Injected, Ok, Prepared, Report, Toolset, tool
from toolhaft.errors import DefinitionError
from toolhaft.tools.tool import AnyTool

pytestmark = pytest.mark.requirement("typed-predicates")

ONE: Final = str(UUID(int=1))
RESUME: Final = """
import sys
from tests.call.predicate_tools import resume
sys.stdout.write(repr(resume(sys.stdin.read())))
"""
given: Final[list[Any]] = []
asked: Final[list[Any]] = []


@pytest.fixture(autouse=True)
def _fresh() -> None:
    given.clear()
    asked.clear()
    ASKED.clear()


def sees(arguments: Any) -> bool:
    asked.append(arguments)
    return True


def keeps(*given_to_it: Any) -> bool:
    asked.append(given_to_it)
    return True


def keeps_one(arguments: Any) -> bool:
    return keeps(arguments)


class Unbound:
    @staticmethod
    def __call__(arguments: Any) -> bool:
        return keeps(arguments)


def takes(declared: Any, **options: Any) -> AnyTool:
    """Make a tool of one object, whose handler remembers what it was given."""

    def take(value: Any) -> None:
        """Take."""
        given.append(value)

    made: AnyTool = tool(take, input=declared, output=None, **options)
    return made


def book(
    account: UUID,
    amount: Decimal = Decimal(5),
    tags: list[str] = [],  # noqa: B006  which each call gets a copy of
    *,
    at: date | None = None,
) -> None:
    """Book."""
    given.append({"account": account, "amount": amount, "tags": tags, "at": at})


def call(one: AnyTool, raw: Any, **options: Any) -> Ok[Any] | Err:
    return one.call_sync(raw, **options)


def call_later(one: AnyTool, raw: Any, **options: Any) -> Ok[Any] | Err:
    outcome: Ok[Any] | Err = asyncio.run(one.call(raw, **options))
    return outcome


DOORS: Final = pytest.mark.parametrize("door", [call, call_later])
Door = Callable[..., Any]


# ------------------------------------------------------------------------------ typed values


@pytest.mark.parametrize("name", CASES)
def test_a_typed_predicate_decides_alike_for_every_spelling_of_a_call(name: str) -> None:
    case = CASES[name]

    def move(value: Any) -> None:
        """Move."""
        given.append(value)

    move.__annotations__["value"] = case.kind
    allowed = tool(move, output=None, authorize=lambda a: case.asks(a["value"]))
    asks = tool(move, output=None, requires_approval=lambda a: case.asks(a["value"]))
    for sent, decision in [(each, True) for each in case.yes] + [(each, False) for each in case.no]:
        raw = {"value": sent}
        outcomes = allowed.call_sync(raw), asks.call_sync(raw)
        kinds = [one.kind if isinstance(one, Err) else "ok" for one in outcomes]
        assert kinds == (["ok", "approval_required"] if decision else ["denied", "ok"]), sent


def test_there_are_forty_typed_predicates() -> None:
    assert len(CASES) >= 40


# -------------------------------------------------------------------- the handler's own objects


@DOORS
def test_a_signature_gives_a_read_only_mapping_of_the_handlers_objects(door: Door) -> None:
    door(tool(book, output=None, authorize=sees), {"account": ONE, "amount": "20.00"})
    (arguments,), (received,) = asked, given
    assert type(arguments) is MappingProxyType
    assert dict(arguments) == {"account": BLOCKED, "amount": Decimal(20), "tags": [], "at": None}
    assert all(arguments[name] is received[name] for name in received)


@DOORS
@pytest.mark.parametrize("declared", [Account, Attrs, Struct, dict[str, int], tuple[int, str]])
def test_an_input_gives_the_very_object(door: Door, declared: Any) -> None:
    raw = {
        Account: {"id": ONE},
        Attrs: {"owner": "a", "until": "2026-07-01"},
        Struct: {"level": "low", "amount": "1"},
        dict[str, int]: {"a": 1},
    }.get(declared, {"value": [1, "a"]})
    door(takes(declared, authorize=sees), raw)
    door(takes(declared, authorize=sees, requires_approval=sees), raw, approve=lambda _: True)
    assert asked[0] is given[0]
    assert asked[-1] is given[1]
    assert asked[1] == given[1]


def test_a_json_schema_gives_a_read_only_view_of_its_json() -> None:
    schema = {"type": "object", "properties": {"rows": {"type": "array"}}}
    takes(schema, authorize=sees).call_sync({"rows": [{"n": 1}]})
    assert asked == [{"rows": ({"n": 1},)}]
    assert type(asked[0]) is MappingProxyType
    assert given == [{"rows": [{"n": 1}]}]


def test_what_the_program_supplies_or_leaves_out_is_no_argument() -> None:
    def move(a: int, who: Injected[str], ctx: Context[Any], report: Report, b: int = 2) -> None:
        """Move."""

    one = tool(move, output=None, omit=("b",), authorize=sees)
    assert isinstance(one.call_sync({"a": 1}, context={"who": "me"}), Ok)
    assert asked == [{"a": 1}]


def test_a_transformed_tool_gives_the_handlers_names_and_the_hidden_values() -> None:
    one = tool(book, output=None, authorize=sees)
    derived = one.transform(rename={"account": "iban"}, hide={"amount": Decimal(7)})
    derived.call_sync({"iban": ONE})
    assert asked == [{"account": BLOCKED, "amount": Decimal(7), "tags": [], "at": None}]


def test_each_call_has_a_copy_of_a_mutable_default_that_is_the_handlers() -> None:
    one = tool(book, output=None, authorize=sees)
    for _ in range(2):
        one.call_sync({"account": ONE})
        assert asked[-1]["tags"] is given[-1]["tags"]
    assert asked[0]["tags"] is not asked[1]["tags"]


@DOORS
def test_every_place_that_authorizes_gets_the_same_object(door: Door) -> None:
    one = takes(Account, authorize=sees)
    made = Toolset([one], authorize=sees)["take"]
    assert isinstance(door(made, {"id": ONE}, authorize=sees), Ok)
    assert len(asked) == 1  # one callback, asked once
    of_set, of_call = partial(sees), partial(sees)
    door(Toolset([one], authorize=of_set)["take"], {"id": ONE}, authorize=of_call)
    assert [each is given[-1] for each in asked[1:]] == [True] * 3


def test_a_person_is_shown_json() -> None:
    shown: list[Any] = []

    def approve(prepared: Prepared[Any]) -> bool:
        shown.append(dict(prepared.arguments))
        return True

    one = takes(Account, requires_approval=lambda account: account.id == BLOCKED)
    assert isinstance(one.call_sync({"id": ONE}, approve=approve), Ok)
    assert shown == [{"id": ONE, "limit": Decimal(100)}]


# -------------------------------------------------------------------------- how it is called


@DOORS
@pytest.mark.parametrize(
    ("predicate", "expected"),
    [
        (lambda a: keeps(a) is True, 1),
        (lambda a, ctx: keeps(a, ctx) is True, 2),
        (lambda a, ctx, name: keeps(a, ctx, name) is True, 3),
        (lambda *given: keeps(*given) is True, 3),
        (lambda a, *rest: keeps(a, *rest) is True, 3),
        (lambda a, ctx, allowed="kept": keeps(a, ctx) and allowed == "kept", 2),
        (lambda a, word="kept", *, n=1: keeps(a) and (word, n) == ("kept", 1), 1),
        (wraps(lambda a, roles: False)(lambda a: keeps(a) is True), 1),
        (wraps(lambda a: False)(lambda *given: keeps(*given) is True), 1),
        (create_autospec(keeps_one, side_effect=keeps_one), 1),
        (Unbound(), 1),
        (partial(lambda limit, a: keeps(a) and limit == 3, 3), 1),
        (partial(lambda a, ctx, limit: keeps(a, ctx) and limit == 3, limit=3), 2),
    ],
)
@pytest.mark.parametrize("option", ["authorize", "requires_approval"])
def test_a_predicate_is_called_with_as_many_arguments_as_it_requires(
    door: Door, predicate: Any, expected: int, option: str
) -> None:
    outcome = door(takes(Account, **{option: predicate}), {"id": ONE}, context="ctx")
    kind = outcome.kind if isinstance(outcome, Err) else "ok"
    assert kind == ("ok" if option == "authorize" else "approval_required")
    assert asked[0] == (Account(id=BLOCKED), "ctx", "take")[:expected]


WRONG: Final[dict[str, Any]] = {
    "requires 0 arguments": lambda: True,
    "requires 4 arguments": lambda a, b, c, d: True,
    "requires 5 arguments": lambda a, b, c, d, e, *rest: True,
    "requires arguments by keyword (limit)": lambda a, *, limit: True,
    "requires arguments by keyword (ctx)": partial(lambda a, limit, ctx: True, limit=3),
    "a callable without a readable signature": min,
    "not callable": 5,
}


@pytest.mark.parametrize("reason", WRONG)
def test_another_number_of_parameters_is_a_definition_error(reason: str) -> None:
    wrong = WRONG[reason]
    one = takes(Account)
    with pytest.raises(DefinitionError) as own:
        takes(Account, authorize=wrong)
    with pytest.raises(DefinitionError) as of_set:
        Toolset([one], authorize=wrong)
    with pytest.raises(DefinitionError) as of_call:
        one.call_sync({"id": ONE}, authorize=wrong)
    assert [error.value.faults[0].reason for error in (own, of_set, of_call)] == [reason] * 3
    assert given == []


def test_requires_approval_is_held_to_the_same_parameters() -> None:
    with pytest.raises(DefinitionError, match=r"take\.requires_approval: requires 0 arguments"):
        takes(Account, requires_approval=lambda: True)


# ------------------------------------------------------------------------------- order and time


class Odd(BaseModel):
    n: int

    @model_validator(mode="after")
    def _is_odd(self) -> Odd:
        if self.n % 2 == 0:
            raise ValueError("n must be odd")
        if self.n == 7:
            raise KeyError("seven")
        return self


@DOORS
@pytest.mark.parametrize(("n", "kind"), [(2, "invalid_input"), (7, "runtime_error")])
def test_an_object_that_cannot_be_made_is_the_outcome_before_anyone_is_asked(
    door: Door, n: int, kind: str
) -> None:
    approve = Mock()
    one = takes(Odd, authorize=sees, requires_approval=sees)
    outcome = door(one, {"n": n}, approve=approve)
    assert (outcome.kind, outcome.effect, asked, approve.called) == (kind, "none", [], False)


@DOORS
def test_after_a_person_said_yes_the_objects_are_made_anew_and_authorize_is_asked_again(
    door: Door,
) -> None:
    def tampers(arguments: Any) -> bool:
        asked.append(arguments)
        arguments["tags"].append("changed") if len(asked) == 1 else None
        return True

    one = tool(book, output=None, authorize=tampers, requires_approval=True)
    assert isinstance(door(one, {"account": ONE, "tags": ["a"]}, approve=lambda _: True), Ok)
    assert [arguments["tags"] for arguments in asked] == [["a", "changed"], ["a"]]
    assert given[0]["tags"] is asked[1]["tags"]


@DOORS
def test_who_lost_the_right_while_a_person_decided_is_denied(door: Door) -> None:
    allowed = {"me"}

    def approve(prepared: Prepared[Any]) -> bool:
        allowed.clear()
        return True

    one = takes(Account, authorize=lambda _, who: who in allowed, requires_approval=True)
    outcome = door(one, {"id": ONE}, context="me", approve=approve)
    assert (outcome.kind, given) == ("denied", [])


def test_a_predicate_that_waits_leaves_what_the_caller_changes_meanwhile_alone() -> None:
    raw: dict[str, Any] = {"account": ONE, "tags": ["a"]}

    async def waits(arguments: Any) -> bool:
        await asyncio.sleep(0)
        raw["tags"].append("b")
        raw["account"] = "x"
        return True

    outcome = call_later(tool(book, output=None, authorize=waits), raw)
    assert given[0]["tags"] == ["a"]
    assert outcome.unwrap() is None
    assert isinstance(outcome, Ok)
    assert dict(outcome.arguments) == {"account": ONE, "tags": ("a",)}


def test_a_derived_tool_whose_objects_cannot_be_made_again_names_nothing_of_the_handlers() -> None:
    stock = {"tea"}

    class Line(BaseModel):
        sku: str
        tenant: str = "none"

        @field_validator("sku", "tenant")
        @classmethod
        def _is_known(cls, value: str) -> str:
            if not stock:
                raise ValueError("not there")
            return value

    def order(lines: Any) -> None:
        """Order."""

    order.__annotations__["lines"] = list[Line]
    renamed = {"lines": "items", "lines.sku": "article"}
    shop = tool(order, output=None, requires_approval=True).transform(
        rename=renamed, hide={"lines.tenant": "acme"}
    )

    def approve(_: Prepared[Any]) -> bool:
        stock.clear()
        return True

    outcome = shop.call_sync({"items": [{"article": "tea"}]}, approve=approve)
    assert isinstance(outcome, Err)
    assert (outcome.kind, outcome.issues) == ("denied", ())
    assert "changed since it was prepared" in outcome.text


def test_deny_gives_the_model_words() -> None:
    one = takes(Account, authorize=lambda account: Deny(f"at most {account.limit}"))
    assert "at most 100" in one.call_sync({"id": ONE}).text


# ---------------------------------------------------------------------------- other processes


def test_a_handler_in_another_process_gets_equal_objects() -> None:
    raw = {"level": "HIGH", "amount": "20.00"}
    outcome = predicate_tools.pay.call_sync(raw, approve=lambda _: True)
    assert outcome.unwrap() == "HIGH 20.00 1"
    expected = {"level": Level.HIGH, "amount": Decimal("20.00"), "account": BLOCKED}
    assert [expected, expected] == ASKED


def test_another_process_makes_its_objects_of_the_factories_values_that_were_authorised() -> None:
    outcome = predicate_tools.clean.call_sync({"job": {}})
    assert outcome.unwrap() == ASKED[0]["job"].folder


def test_a_call_that_is_resumed_in_another_process_asks_about_equal_objects() -> None:
    waiting = predicate_tools.pay.call_sync({"level": "low", "amount": "20.00"})
    assert isinstance(waiting, Err)
    assert waiting.prepared is not None
    resumed = subprocess.run(
        [sys.executable, "-c", RESUME],
        input=waiting.prepared.to_json(key=KEY),
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    arguments = {"level": Level.LOW, "amount": Decimal("20.00"), "account": BLOCKED}
    assert resumed.stdout == repr(["LOW 20.00 1", arguments])


def test_a_decimal_of_a_factory_behind_a_converter_is_the_same_after_approval() -> None:
    @attrs.define
    class Fee:
        amount: Decimal = attrs.field(converter=Decimal)

    @attrs.define
    class Payment:
        fee: Fee = attrs.Factory(lambda: Fee("0.1000000000000000000001"))

    @tool(input=Payment, output=None, authorize=sees, requires_approval=sees)
    def pay(payment: Payment) -> None:
        """Pay."""
        given.append(payment)

    waiting = pay.call_sync({})
    assert isinstance(waiting, Err)
    prepared = waiting.prepared
    assert prepared is not None
    resumed = Toolset([pay]).resume(prepared.to_json(key=KEY), key=KEY)
    assert isinstance(resumed, Prepared)
    assert resumed.call_sync()
    assert [*asked, *given] == [Payment()] * 4
    assert prepared.arguments == {"fee": {"amount": "0.1000000000000000000001"}}
