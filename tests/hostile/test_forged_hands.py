"""Forging hands: no one who sees arguments, or keeps the sent data, can change the run."""

from __future__ import annotations

import asyncio
import copy
import gc
from collections.abc import Callable
from contextlib import suppress
from threading import Thread
from typing import Any, Final

import attrs
import msgspec
import pytest
from pydantic import BaseModel, field_validator, model_validator

from tests.hostile.witnesses import KEY, RUNS, Runs, lies, plain, shows
from toolhaft import Err, Ok, Prepared, Toolset, tool
from toolhaft.observers.details import CallDetails, CallStarted
from toolhaft.tools.tool import AnyTool

pytestmark = pytest.mark.unmeasured

# Far more than anybody would approve.
LOOT: Final = 1_000_000
Outcome = Ok[Any] | Err


def honest() -> dict[str, Any]:
    """The arguments, made anew for each call."""
    return {"amount": 1, "rows": [{"n": 1}], "named": {"a": [1]}}


# ------------------------------------------------------------------------------------ the tools


class Row(BaseModel):
    n: int


class Model(BaseModel):
    amount: int
    rows: list[Row]
    named: dict[str, list[int]]


class StructRow(msgspec.Struct):
    n: int


class Struct(msgspec.Struct):
    amount: int
    rows: list[StructRow]
    named: dict[str, list[int]]


@attrs.define
class ClassRow:
    n: int


@attrs.define
class Class:
    amount: int
    rows: list[ClassRow]
    named: dict[str, list[int]]


SCHEMA: Final = {
    "type": "object",
    "properties": {
        "amount": {"type": "integer"},
        "rows": {"type": "array"},
        "named": {"type": "object"},
    },
}


def given(value: Any) -> Any:
    """Return a copy of the handler's arguments."""
    if isinstance(value, dict):
        return copy.deepcopy(value)
    rows = [{"n": one.n} for one in value.rows]
    return {"amount": value.amount, "rows": rows, "named": copy.deepcopy(value.named)}


def given_and_changed(value: Any) -> Any:
    """Do the same, and then change all of it."""
    seen = given(value)
    for name in ("rows", "named"):
        steal(value[name] if isinstance(value, dict) else getattr(value, name))
    steal(value)
    return seen


def move(amount: int, rows: list[dict[str, int]], named: dict[str, list[int]]) -> Any:
    """Move money."""
    RUNS.append(None)
    return given({"amount": amount, "rows": rows, "named": named})


def move_and_change(amount: int, rows: list[dict[str, int]], named: dict[str, list[int]]) -> Any:
    """Move money."""
    RUNS.append(None)
    return given_and_changed({"amount": amount, "rows": rows, "named": named})


DECLARED: Final = {"model": Model, "struct": Struct, "attrs": Class, "schema": SCHEMA}
TOOLS: Final[dict[str, AnyTool]] = {
    "signature": tool(move, output=None),
    **{name: shows(declared, given) for name, declared in DECLARED.items()},
}
CHANGING_TOOLS: Final[dict[str, AnyTool]] = {
    "signature": tool(move_and_change, name="move", output=None),
    **{name: shows(declared, given_and_changed) for name, declared in DECLARED.items()},
}


# ------------------------------------------------------------------------------------ the hands


class Thief:
    """Is handed what a read-only view hides, by whatever compares the two or joins them."""

    def __eq__(self, other: object) -> bool:
        steal(other)
        return True

    def __ror__(self, other: object) -> bool:
        steal(other)
        return True

    __hash__ = None  # type: ignore[assignment]


def steal(found: Any) -> None:
    """Change everything that can be changed."""
    if isinstance(found, dict):
        found["amount"] = found["n"] = found["a"] = LOOT
    if isinstance(found, list):
        found.append(LOOT)


def by_item(view: Any) -> None:
    view["amount"] = LOOT


def by_nested_item(view: Any) -> None:
    view["rows"][0]["n"] = LOOT


def by_appending(view: Any) -> None:
    view["rows"].append({"n": LOOT})


def by_appending_deeper(view: Any) -> None:
    view["named"]["a"].append(LOOT)


def by_deleting(view: Any) -> None:
    del view["amount"]


def by_updating(view: Any) -> None:
    view.update(amount=LOOT)


def by_joining(view: Any) -> None:
    view.__ior__({"amount": LOOT})


def by_clearing(view: Any) -> None:
    view.clear()


def by_dict_itself(view: Any) -> None:
    dict.__setitem__(view, "amount", LOOT)


def by_list_itself(view: Any) -> None:
    list.append(view["rows"], {"n": LOOT})


def by_attribute(view: Any) -> None:
    object.__setattr__(view, "amount", LOOT)


def by_comparing(view: Any) -> None:
    assert view == Thief()


def by_comparing_deeper(view: Any) -> None:
    assert view["named"] == Thief()


def by_joining_a_thief(view: Any) -> None:
    assert view | Thief()


def by_the_collector(view: Any) -> None:
    for found in gc.get_referents(view):
        steal(found)


def by_the_collector_deeper(view: Any) -> None:
    for place in (view["rows"], view["rows"][0], view["named"], view["named"]["a"]):
        for found in gc.get_referents(place):
            steal(found)


def by_copying(view: Any) -> None:
    steal(copy.copy(view))
    steal(view.copy())


HANDS: Final[dict[str, Callable[[Any], None]]] = {
    hand.__name__: hand
    for hand in (
        by_item,
        by_nested_item,
        by_appending,
        by_appending_deeper,
        by_deleting,
        by_updating,
        by_joining,
        by_clearing,
        by_dict_itself,
        by_list_itself,
        by_attribute,
        by_comparing,
        by_comparing_deeper,
        by_joining_a_thief,
        by_the_collector,
        by_the_collector_deeper,
        by_copying,
    )
}


class Meddler:
    """Lays hands on every view that it is shown; honest ones look after it."""

    def __init__(self, hand: Callable[[Any], None]) -> None:
        self.hand = hand
        self.seen: list[Any] = []

    def meddle(self, view: Any) -> None:
        with suppress(Exception):
            self.hand(view)

    def meddles(self, arguments: Any) -> bool:
        self.meddle(arguments)
        return True

    def approve(self, prepared: Prepared[Any]) -> bool:
        self.meddle(prepared.arguments)
        self.meddle(prepared.json)
        self.seen.append(plain(prepared.arguments))
        return True

    def started(self, call: CallStarted) -> Callable[[CallDetails], object]:
        self.meddle(call.arguments)

        def finish(done: CallDetails) -> None:
            self.meddle(done.arguments)
            self.seen.append(plain(done.arguments))

        return finish

    def tools(self, one: AnyTool) -> Toolset:
        """Return tools that need a person; a predicate receives a view if it receives JSON."""
        asks = one.replace(requires_approval=True)
        if one.input_schema.json_schema() == SCHEMA:
            asks = one.replace(authorize=self.meddles, requires_approval=self.meddles)
        return Toolset([asks], approve=self.approve, observers=[self])


def here(tools: Toolset, raw: Any) -> Outcome:
    return tools.call_sync("move", raw)


def later(tools: Toolset, raw: Any) -> Outcome:
    return asyncio.run(tools.call("move", raw))


def resumed(tools: Toolset, raw: Any) -> Outcome:
    made = tools["move"].prepare(raw)
    assert isinstance(made, Prepared), made.text
    again = tools.resume(made.to_json(key=KEY), key=KEY)
    assert isinstance(again, Prepared), again.text
    return again.call_sync()


DOORS: Final = [here, later, resumed]
Door = Callable[[Toolset, Any], Outcome]


def nobody_was_deceived(meddler: Meddler, outcome: Outcome) -> bool:
    """Whether the sent arguments ran, and honest witnesses saw exactly these before and after."""
    shown = [*meddler.seen, plain(outcome.arguments) if isinstance(outcome, Ok) else outcome]
    assert outcome.unwrap() == honest()
    assert shown == [honest()] * len(shown)
    return len(meddler.seen) > 0


@pytest.mark.requirement("forged-views")
@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("name", TOOLS)
@pytest.mark.parametrize("hand", HANDS)
def test_hands_on_a_view_change_nothing(hand: str, name: str, door: Door) -> None:
    meddler = Meddler(HANDS[hand])
    outcome = door(meddler.tools(TOOLS[name]), honest())
    assert nobody_was_deceived(meddler, outcome)


# --------------------------------------------------------------------- hands on the sent data

SENT: Final[dict[str, Callable[[Any], None]]] = {
    hand.__name__: hand
    for hand in (by_item, by_nested_item, by_appending, by_appending_deeper, by_clearing)
}


@pytest.mark.requirement("forged-views")
@pytest.mark.parametrize("door", [here, later])
@pytest.mark.parametrize("name", TOOLS)
@pytest.mark.parametrize("hand", SENT)
def test_hands_of_a_callback_on_what_was_sent_change_nothing(
    hand: str, name: str, door: Door
) -> None:
    raw = honest()
    meddler = Meddler(lambda _: SENT[hand](raw))
    asks = TOOLS[name].replace(authorize=meddler.meddles, requires_approval=meddler.meddles)
    outcome = door(Toolset([asks], approve=meddler.approve), raw)
    assert raw != honest()
    assert nobody_was_deceived(meddler, outcome)


@pytest.mark.requirement("forged-views")
@pytest.mark.parametrize("door", [here, later])
@pytest.mark.parametrize("name", TOOLS)
@pytest.mark.parametrize("hand", SENT)
def test_hands_of_another_thread_on_what_was_sent_change_nothing(
    hand: str, name: str, door: Door
) -> None:
    raw = honest()

    def elsewhere(_: Any) -> None:
        thread = Thread(target=SENT[hand], args=(raw,))
        thread.start()
        thread.join()

    meddler = Meddler(elsewhere)
    asks = TOOLS[name].replace(authorize=meddler.meddles, requires_approval=True)
    outcome = door(Toolset([asks], approve=meddler.approve), raw)
    assert raw != honest()
    assert nobody_was_deceived(meddler, outcome)


@pytest.mark.requirement("forged-views")
@pytest.mark.parametrize("name", TOOLS)
def test_hands_of_another_task_on_what_was_sent_change_nothing(name: str) -> None:
    raw, meddler = honest(), Meddler(lambda _: None)

    async def main() -> Outcome:
        asked, meddled = asyncio.Event(), asyncio.Event()

        async def waits(arguments: Any) -> bool:
            asked.set()
            await meddled.wait()
            return True

        async def meddles() -> None:
            await asked.wait()
            by_item(raw)
            by_nested_item(raw)
            by_appending_deeper(raw)
            meddled.set()

        asks = TOOLS[name].replace(authorize=waits, requires_approval=True)
        call = asks.call(raw, approve=meddler.approve)
        meddling = asyncio.create_task(meddles())
        outcome: Outcome = await call
        await meddling
        return outcome

    outcome = asyncio.run(main())
    assert raw["amount"] == LOOT
    assert nobody_was_deceived(meddler, outcome)


@pytest.mark.requirement("forged-views")
@pytest.mark.parametrize("door", [here, later])
def test_hands_on_an_object_that_was_sent_change_nothing(door: Door) -> None:
    for name, sent in (
        ("model", Model.model_validate(honest())),
        ("struct", msgspec.convert(honest(), Struct)),
        ("attrs", Class(1, [ClassRow(1)], {"a": [1]})),
    ):
        raw: Any = sent

        def change(_: Any, raw: Any = raw) -> None:
            raw.amount = raw.rows[0].n = LOOT
            raw.named["a"].append(LOOT)

        meddler = Meddler(change)
        asks = TOOLS[name].replace(authorize=meddler.meddles, requires_approval=meddler.meddles)
        outcome = door(Toolset([asks], approve=meddler.approve), raw)
        assert raw.amount == LOOT
        assert nobody_was_deceived(meddler, outcome)


# ---------------------------------------------------------------------- hands of the handler


@pytest.mark.requirement("forged-views")
@pytest.mark.parametrize("name", CHANGING_TOOLS)
def test_a_handler_that_changes_what_it_was_given_changes_no_view(name: str) -> None:
    made = CHANGING_TOOLS[name].prepare(honest())
    assert isinstance(made, Prepared)
    kept = [made.arguments]
    outcome = made.call_sync()
    assert isinstance(outcome, Ok)
    kept += [outcome.arguments, made.arguments, made.json]
    assert [plain(view) for view in kept] == [honest()] * 4


class OpenStruct(msgspec.Struct):
    whatever: Any
    named: dict  # type: ignore[type-arg]
    rows: list[Any]


class OpenModel(BaseModel, extra="allow"):
    amount: int = 1


def change_open(given: Any) -> None:
    """Change what no class declares, wherever it is held."""
    held = given.model_extra if isinstance(given, OpenModel) else given
    for name in ("whatever", "named", "rows"):
        part = held[name] if isinstance(held, dict) else getattr(held, name)
        inner = part[0] if name == "rows" else part["a"]
        inner["n"] = LOOT


@pytest.mark.requirement("pain-83")
@pytest.mark.parametrize("declared", [OpenStruct, OpenModel, dict[str, Any]])
def test_a_handler_that_changes_undeclared_parts_changes_nothing_that_was_sent(
    declared: Any,
) -> None:
    def move(given: Any, other: OpenStruct) -> None:
        """Change both."""
        change_open(given)
        change_open(other)

    move.__annotations__["given"] = declared
    parts = {"whatever": {"a": {"n": 1}}, "named": {"a": {"n": 1}}, "rows": [{"n": 1}]}
    both = {"given": parts, "other": parts}
    alone = tool(change_open, name="alone", input=declared)
    for moving, honest_parts in ((tool(move), both), (alone, parts)):
        sent = copy.deepcopy(honest_parts)
        outcome = moving.call_sync(sent)
        assert isinstance(outcome, Ok)
        assert (sent, plain(outcome.arguments)) == (honest_parts, honest_parts)


# ------------------------------------------------------------------ hands of the author's own code


class AppendsBefore(BaseModel):
    """A validator that changes its input in place."""

    rows: list[int]

    @field_validator("rows", mode="before")
    @classmethod
    def _more(cls, value: Any) -> Any:
        if isinstance(value, list):
            value.append(9)
        return value


class AppendsAfter(BaseModel):
    rows: list[int]

    @field_validator("rows")
    @classmethod
    def _more(cls, value: list[int]) -> list[int]:
        value.append(9)
        return value


class AppendsToTheWhole(BaseModel):
    rows: list[int]

    @model_validator(mode="before")
    @classmethod
    def _more(cls, data: Any) -> Any:
        if isinstance(data, dict):
            data["rows"] = [*data.get("rows", []), 9]
        return data


class AppendsAfterTheWhole(BaseModel):
    rows: list[int]

    @model_validator(mode="after")
    def _more(self) -> AppendsAfterTheWhole:
        self.rows.append(9)
        return self


class AppendsStruct(msgspec.Struct):
    rows: list[int]

    def __post_init__(self) -> None:
        self.rows.append(9)


def appended(value: list[int]) -> list[int]:
    value.append(9)
    return value


@attrs.define
class AppendsClass:
    rows: list[int] = attrs.field(converter=appended)


CHANGING: Final[list[Any]] = [
    AppendsBefore,
    AppendsAfter,
    AppendsToTheWhole,
    AppendsAfterTheWhole,
    AppendsStruct,
    AppendsClass,
]


@pytest.mark.requirement("forged-views")
@pytest.mark.parametrize("declared", CHANGING)
def test_what_a_validator_adds_is_added_once_and_to_nothing_that_is_shown(declared: Any) -> None:
    one = shows(declared, lambda value: {"rows": [*value.rows]})
    expected = Runs({"rows": [1]}, {"rows": [1, 9]})
    assert lies(one, {"rows": [1]}, expected) == {}


# ------------------------------------------------------------------------- all that can be reached


def spoil(found: Any, seen: set[int]) -> None:
    """Change in place whatever can be reached without a private name."""
    if id(found) in seen or isinstance(found, type):
        return
    seen.add(id(found))
    with suppress(Exception):
        found["amount"] = LOOT
    with suppress(Exception):
        found.amount = LOOT
    parts: list[Any] = []
    with suppress(Exception):
        parts += found.values() if hasattr(found, "values") else list(found)
    for name in (name for name in dir(found) if not name.startswith("_")):
        if name not in ("ticket", "observed", "call_id"):
            with suppress(Exception):
                parts.append(getattr(found, name))
    for part in parts:
        if not callable(part) and not isinstance(part, str | int | float | type(None)):
            spoil(part, seen)


@pytest.mark.requirement("forged-views")
@pytest.mark.parametrize("kind", [Model, Struct, Class, SCHEMA], ids=["m", "s", "c", "j"])
def test_whoever_decides_reaches_nothing_of_what_runs(kind: Any) -> None:
    ran: list[Any] = []

    def take(value: Any) -> None:
        """Take it."""
        ran.append(value["amount"] if isinstance(value, dict) else value.amount)

    paying = tool(take, name="take", input=kind, output=None, requires_approval=True)

    def approve(prepared: Prepared[Any]) -> bool:
        before = prepared.digest, prepared.json, prepared.to_json()
        spoil(prepared, set())
        assert (prepared.digest, prepared.json, prepared.to_json()) == before
        return True

    outcome = paying.call_sync(honest(), approve=approve)
    waiting = paying.call_sync(honest())
    assert isinstance(waiting, Err)
    assert waiting.prepared
    spoil(waiting.prepared, set())
    assert waiting.prepared.call_sync()
    assert (ran, outcome.arguments["amount"]) == ([1, 1], 1)  # type: ignore[union-attr]
