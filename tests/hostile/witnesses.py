"""Everyone who sees the arguments of a call, asked on every way that a call can take.

A handler under test returns what it was given, in the keys of its schema. So a call deceives if
one of its witnesses saw anything else than its own result says. A program's predicates are given
the very objects that the handler is given.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine, Mapping
from decimal import Decimal
from typing import Any, Final, NamedTuple

from toolhaft import Err, Ok, Prepared, Toolset, tool
from toolhaft.observers.details import CallDetails, CallStarted
from toolhaft.tools.tool import AnyTool

__all__ = [
    "KEY",
    "PEOPLE",
    "RUNS",
    "WITNESSES",
    "Attack",
    "Expected",
    "Fresh",
    "Honest",
    "Refused",
    "Runs",
    "account",
    "agree",
    "lies",
    "plain",
    "shows",
]

Outcome = Ok[Any] | Err
KEY: Final = "k" * 32

# The handler's arguments in each of its runs since the test began, if it takes one object.
RUNS: Final[list[Any]] = []


def shows(
    declared: Any, given: Callable[[Any], Any] = lambda data: data, **options: Any
) -> AnyTool:
    """Make a tool of a declared input whose handler returns what it was given."""

    def move(value: Any) -> Any:
        RUNS.append(value)
        return given(value)

    options = {"name": "move", "description": "Move money.", "output": None, **options}
    made: AnyTool = tool(move, input=declared, **options)
    return made


# ------------------------------------------------------------------------------- the views


def plain(view: Any) -> Any:
    """Copy a read-only view into plain data."""
    if isinstance(view, Mapping):
        return {key: plain(value) for key, value in view.items()}
    return [plain(one) for one in view] if isinstance(view, list | tuple) else view


def dropped_from(outcome: Outcome) -> set[tuple[str | int, ...]]:
    """Return the keys that were left out, on record."""
    return {one.path for one in outcome.coercions if one.rule in DROPPED}


def agree(one: Any, other: Any) -> bool:
    """Whether two values are the same JSON: numbers by their value, and true is not 1."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(agree(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(agree, one, other))
    if kind_of(one) != kind_of(other):
        return False
    return bool(digits(one) == digits(other) if kind_of(one) == "number" else one == other)


def contains(whole: Any, part: Any) -> bool:
    """Whether a value asserts nothing beyond another one, and possibly less."""
    if isinstance(whole, dict) and isinstance(part, dict):
        return all(key in whole and contains(whole[key], part[key]) for key in part)
    if isinstance(whole, list) and isinstance(part, list):
        return len(whole) >= len(part) and all(map(contains, whole, part))
    return agree(whole, part)


def kind_of(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return str(value)
    return "number" if isinstance(value, int | float | Decimal) else type(value).__name__


def digits(number: Any) -> Decimal:
    """Read a number as JSON writes it: a double has the digits that tell it from all others."""
    return Decimal(repr(number)) if isinstance(number, float) else Decimal(number)


# --------------------------------------------------------------------------------- expectations

AS_SHOWN: Final = object()


class Account(NamedTuple):
    """The account of one call: its outcome, all witnesses' views before it ran, and after.

    `objects` are the predicates' arguments, and `shared` whether the handler received the same.
    """

    outcome: Outcome
    before: list[Any]
    after: list[Any]
    runs: int
    objects: list[Any]
    shared: bool


class Runs(NamedTuple):
    """The handler runs once, with the arguments that everyone saw.

    `shown` are these arguments, if they can be known; `given` the handler's version of them, if the
    author's own code changes it; `dropped` are the keys that were left out, on record.
    """

    shown: Any = AS_SHOWN
    given: Any = AS_SHOWN
    dropped: tuple[tuple[str | int, ...], ...] = ()

    def lies(self, found: Account) -> list[str]:
        outcome = found.outcome
        if isinstance(outcome, Err):
            return [f"{outcome.kind}: {outcome.text}"]
        shown = outcome.value if self.shown is AS_SHOWN else self.shown
        given = shown if self.given is AS_SHOWN else self.given
        lies = {
            "the handler got something else": not agree(outcome.value, given),
            "nobody was asked": not (found.before or found.objects),
            "a predicate was given something else": not found.shared,
            "someone was shown something else": not all(agree(one, shown) for one in found.before),
            "it is told otherwise afterwards": not all(contains(shown, one) for one in found.after),
            "it did not run once": found.runs != 1,
            "not all that was dropped is on record": dropped_from(outcome) != set(self.dropped),
        }
        seen = f"; given {outcome.value!r}, before {found.before!r}, after {found.after!r}"
        return [lie + seen for lie, is_told in lies.items() if is_told]


class Refused(NamedTuple):
    """Nothing runs, nobody approves, and the model learns the place and the fix."""

    at: tuple[str | int, ...] | None = None
    code: str | None = "extra"
    meant: str | None = None
    kind: str = "invalid_input"

    def lies(self, found: Account) -> list[str]:
        outcome = found.outcome
        if isinstance(outcome, Ok):
            return [f"ran with {outcome.value!r}, shown {found.before!r}"]
        places = [(one.path, one.code if self.code else None) for one in outcome.issues]
        lies = {
            f"{outcome.kind}: {outcome.text}": (outcome.kind, outcome.effect)
            != (self.kind, "none"),
            f"other issues: {places}": self.at is not None and (self.at, self.code) not in places,
            f"not told what is meant: {outcome.text}": (self.meant or "") not in outcome.text,
            "someone was asked": found.before != [] or found.objects != [],
            "it ran": found.runs != 0,
        }
        return [lie for lie, is_told in lies.items() if is_told]


class Honest(NamedTuple):
    """Either is right, as the contract leaves it open; but no one may be deceived."""

    shown: Any = AS_SHOWN

    def lies(self, found: Account) -> list[str]:
        if isinstance(found.outcome, Err):
            return Refused().lies(found)
        return Runs(self.shown, dropped=tuple(dropped_from(found.outcome))).lies(found)


Expected = Runs | Refused | Honest


class Fresh(NamedTuple):
    """Arguments that can be sent once, and are made anew for every call."""

    make: Callable[[], Any]


class Attack(NamedTuple):
    """A tool, what a model sends to it, and what must come of that."""

    tool: AnyTool
    sent: Any
    expected: Expected


DROPPED: Final = frozenset({"ignored", "vendor_ignored", "undeclared_dropped"})


# ------------------------------------------------------------------------------- the witnesses


class Eye:
    """Approves everything, and remembers what it saw."""

    def __init__(self) -> None:
        self.before: list[Any] = []
        self.after: list[Any] = []
        self.objects: list[Any] = []

    def authorize(self, arguments: Any) -> bool:
        self.objects.append(arguments)
        return True

    async def authorize_later(self, arguments: Any) -> bool:
        await asyncio.sleep(0)
        return self.authorize(arguments)

    def approve(self, prepared: Prepared[Any]) -> bool:
        self.before.append(plain(prepared.arguments))
        return True

    def started(self, call: CallStarted) -> Callable[[CallDetails], object]:
        def finish(done: CallDetails) -> None:
            if isinstance(done.outcome, Ok):
                self.after.append(plain(done.arguments))

        return finish


Witness = Callable[[AnyTool, Any, Eye], Outcome]


def by_authorize(one: AnyTool, raw: Any, eye: Eye) -> Outcome:
    return one.replace(authorize=eye.authorize).call_sync(raw)


def by_authorize_of_the_call(one: AnyTool, raw: Any, eye: Eye) -> Outcome:
    return asyncio.run(_run(one.call(raw, authorize=eye.authorize_later)))


def by_approve(one: AnyTool, raw: Any, eye: Eye) -> Outcome:
    return one.replace(requires_approval=True).call_sync(raw, approve=eye.approve)


def by_predicate_and_approve(one: AnyTool, raw: Any, eye: Eye) -> Outcome:
    asks = one.replace(requires_approval=eye.authorize, authorize=eye.authorize)
    return asyncio.run(_run(asks.call(raw, approve=eye.approve)))


def by_prepared(one: AnyTool, raw: Any, eye: Eye) -> Outcome:
    made = one.prepare(raw)
    if isinstance(made, Err):
        return made
    eye.approve(made)
    return made.call_sync()


def by_waiting(one: AnyTool, raw: Any, eye: Eye) -> Outcome:
    asks = one.replace(requires_approval=True, authorize=eye.authorize)
    waiting = Toolset([asks], observers=[eye]).call_sync(one.name, raw)
    held = waiting.prepared if isinstance(waiting, Err) else None
    if held is None:
        return waiting
    eye.approve(held)
    return asyncio.run(_run(held.call()))


def by_resuming(one: AnyTool, raw: Any, eye: Eye) -> Outcome:
    asks = one.replace(requires_approval=True, authorize=eye.authorize)
    tools = Toolset([asks], observers=[eye])
    waiting = tools.call_sync(one.name, raw)
    held = waiting.prepared if isinstance(waiting, Err) else None
    if held is None:
        return waiting
    eye.approve(held)
    again = tools.resume(held.to_json(key=KEY), key=KEY)
    if isinstance(again, Err):
        return again
    eye.approve(again)
    eye.before += [] if again.digest == held.digest else ["another digest"]
    return again.call_sync()


def by_observing(one: AnyTool, raw: Any, eye: Eye) -> Outcome:
    tools = Toolset([one], observers=[eye], authorize=eye.authorize)
    return tools.call_sync(one.name, raw)


WITNESSES: Final[dict[str, Witness]] = {
    "authorize": by_authorize,
    "authorize of the call": by_authorize_of_the_call,
    "approve": by_approve,
    "predicate and approve": by_predicate_and_approve,
    "prepared": by_prepared,
    "waiting": by_waiting,
    "resumed": by_resuming,
    "observed": by_observing,
}
PEOPLE: Final = ("approve", "predicate and approve", "prepared", "waiting", "resumed")


async def _run(call: Coroutine[Any, Any, Outcome]) -> Outcome:
    return await call


def account(witness: Witness, one: AnyTool, raw: Any) -> Account:
    """Make one call, and collect what everyone saw of it."""
    eye = Eye()
    RUNS.clear()
    outcome = witness(one, raw, eye)
    if isinstance(outcome, Ok):
        eye.after.append(plain(outcome.arguments))
    shared = not eye.objects or all(is_given(eye.objects[-1], run) for run in RUNS)
    return Account(outcome, eye.before, eye.after, len(RUNS), eye.objects, shared)


def is_given(seen: Any, received: Any) -> bool:
    """Whether a predicate saw the object that the handler received; of JSON it sees a view."""
    return received is None or seen is received or agree(plain(seen), received)


def lies(one: AnyTool, sent: Any, expected: Expected) -> dict[str, list[str]]:
    """Make the call on every way, in every spelling, and tell who was deceived, and how."""
    found = {
        f"{name}, {type(raw).__name__}": expected.lies(account(witness, one, raw))
        for name, witness in WITNESSES.items()
        for raw in spellings(sent)
    }
    return {name: told for name, told in found.items() if told}


def spellings(sent: Any) -> list[Any]:
    """Spell arguments as data, text and bytes; anything but plain data stays as it is."""
    if isinstance(sent, Fresh):
        return [sent.make()]
    if type(sent) is dict:
        text = json.dumps(sent)
        return [sent, text, text.encode()]
    return [sent, sent.encode()] if type(sent) is str else [sent]
