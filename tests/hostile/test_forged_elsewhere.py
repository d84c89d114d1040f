"""Forged views of handlers in a process of their own, and of calls that another process resumes."""

from __future__ import annotations

import json
from collections.abc import Generator
from decimal import Decimal
from typing import Any, Final

import pytest

from tests.forks import Ask, answering
from tests.hostile import forged_elsewhere as elsewhere
from tests.hostile.witnesses import (
    KEY,
    WITNESSES,
    Attack,
    Expected,
    Refused,
    Runs,
    account,
    agree,
    plain,
)
from toolhaft import Ok, Prepared
from toolhaft.tools.tool import AnyTool

pytestmark = pytest.mark.unmeasured

# Far more than anybody would approve.
LOOT: Final = 1_000_000
EXACT: Final = 2**53 + 1
LONG: Final = "0.12345678901234567890123456789012345"

ATTACKS: Final[dict[str, Attack]] = {
    "an attribute beside its alias": Attack(
        elsewhere.aliased,
        {"maxAmount": 1, "max_amount": LOOT},
        Refused(("max_amount",), meant="maxAmount"),
    ),
    "an undeclared key of an open model": Attack(
        elsewhere.aliased, {"maxAmount": 1, "fee": LOOT}, Runs({"maxAmount": 1, "fee": LOOT})
    ),
    "a further alias": Attack(
        elsewhere.choices, {"ceiling": LOOT}, Refused(("ceiling",), meant="maxAmount")
    ),
    "a key that only a before-validator reads": Attack(
        elsewhere.renaming,
        {"amount": 1, "total": LOOT},
        Runs({"amount": 1}, dropped=(("total",),)),
    ),
    "a factory, and a default that its schema refuses": Attack(elsewhere.made, {}, Runs()),
    "a factory of a struct": Attack(elsewhere.struct, {}, Runs()),
    "an attribute of a struct": Attack(
        elsewhere.struct, {"max_amount": LOOT}, Refused(("max_amount",), meant="maxAmount")
    ),
    "factories of an attrs class": Attack(elsewhere.attrs_class, {}, Runs()),
    "an attribute of an attrs class": Attack(
        elsewhere.attrs_class, {"_amount": LOOT}, Refused(("_amount",), meant="amount")
    ),
    "a factory of a dataclass": Attack(elsewhere.plain_class, {}, Runs()),
    "an integer beyond doubles": Attack(
        elsewhere.values,
        {"exact": EXACT, "price": "0.10"},
        Runs({"exact": EXACT, "price": "0.10", "at": None}),
    ),
    "defaults of a signature": Attack(
        elsewhere.signature,
        {"account": "a"},
        Runs({"account": "a", "rows": [1], "currency": "EUR"}),
    ),
}
ASKED: Final = ("authorize", "resumed")


def lies_elsewhere(one: AnyTool, sent: Any, expected: Expected) -> dict[str, list[str]]:
    """Return the deceived witnesses; a run elsewhere is counted by its result."""
    told = {}
    for name in ASKED:
        found = account(WITNESSES[name], one, sent)
        ran = int(isinstance(found.outcome, Ok))
        told[name] = expected.lies(found._replace(runs=ran))
    return {name: lies for name, lies in told.items() if lies}


@pytest.mark.requirement("forged-views")
@pytest.mark.parametrize("name", ATTACKS)
def test_another_process_runs_what_was_shown_here(name: str) -> None:
    attack = ATTACKS[name]
    assert lies_elsewhere(attack.tool, attack.sent, attack.expected) == {}


@pytest.mark.requirement("forged-views")
def test_another_process_gets_the_digits_that_were_shown_here() -> None:
    sent = f'{{"price": {LONG}, "at": "2026-01-31T09:00:00"}}'
    found = account(WITNESSES["resumed"], elsewhere.values, sent)
    given = {"exact": 0, "price": LONG, "at": "2026-01-31T09:00:00"}
    assert found.outcome.unwrap() == given
    shown = {**given, "price": Decimal(LONG)}
    assert [agree(seen, shown) for seen in found.before] == [True] * len(found.before)


@pytest.fixture(scope="module")
def resuming() -> Generator[Ask]:
    with answering("tests.hostile.resuming") as ask:
        yield ask


@pytest.mark.requirement("forged-views")
@pytest.mark.parametrize("name", ["made", "struct", "attrs_class", "plain_class"])
def test_another_process_resumes_what_a_factory_made_here(name: str, resuming: Ask) -> None:
    one: AnyTool = getattr(elsewhere, name).replace(isolation="none")
    made = one.prepare({})
    assert isinstance(made, Prepared), made.text
    shown = plain(made.arguments)
    text = made.to_json(key=KEY)
    answer = resuming(name, text, KEY)
    there, words, again, digest = json.loads(answer.text)
    assert (there, json.loads(words), again, digest) == (shown, shown, "denied", made.digest)
    assert shown
    denied = resuming(name, text, "another")
    assert json.loads(denied.text)[2] == "denied"
    assert (answer.code, denied.code) == (0, 0)
