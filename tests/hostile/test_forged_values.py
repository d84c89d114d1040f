"""Forged values: values that are written twice, or look or compare like something else."""

from __future__ import annotations

from collections import ChainMap, OrderedDict, UserDict, defaultdict
from collections.abc import Iterator, Mapping
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import Enum, IntEnum
from types import MappingProxyType
from typing import Any, Final, Literal
from uuid import UUID

import msgspec
import pytest
from pydantic import BaseModel

from tests.hostile.witnesses import (
    KEY,
    WITNESSES,
    Attack,
    Fresh,
    Honest,
    Refused,
    Runs,
    account,
    lies,
    shows,
)
from toolhaft import Prepared, Toolset
from toolhaft.tools.tool import AnyTool

pytestmark = pytest.mark.unmeasured

# Far more than anybody would approve.
LOOT: Final = 1_000_000


class Amount(BaseModel):
    amount: int


class OpenAmount(Amount, extra="allow"):
    pass


class ClosedAmount(Amount, extra="forbid"):
    pass


class Struct(msgspec.Struct):
    amount: int


SCHEMA: Final = {
    "type": "object",
    "properties": {"amount": {"type": "integer"}},
    "required": ["amount"],
    "additionalProperties": False,
}


def given(value: Any) -> Any:
    """Return the handler's data from a model."""
    return {"amount": value.amount, **(getattr(value, "model_extra", None) or {})}


CLOSED: Final = shows(ClosedAmount, given)
DROPPING: Final = shows(Amount, given)
OPEN: Final = shows(OpenAmount, given)
STRUCT: Final = shows(Struct, given)
RAW: Final = shows(SCHEMA)


# --------------------------------------------------------------------- keys that look the same

LOOKALIKES: Final = {
    "Cyrillic": "\u0430mount",
    "full width": "\uff41mount",
    "variation selector": "amoun\ufe07t",
    "zero width": "amount\u200b",
    "right to left": "\u202eamount",
    "accent": "amoun\u0074\u0301",
    "space": "amount ",
    "case": "Amount",
    "null": "amount\x00",
    "soft hyphen": "a\u00admount",
}

KEYS: Final[dict[str, Attack]] = {
    f"{name}, {policy}": Attack(one, {"amount": 1, key: LOOT}, expected)
    for name, key in LOOKALIKES.items()
    for policy, one, expected in (
        ("closed", CLOSED, Refused((key,))),
        ("dropping", DROPPING, Runs({"amount": 1}, dropped=((key,),))),
        ("open", OPEN, Runs({"amount": 1, key: LOOT})),
        ("msgspec", STRUCT, Runs({"amount": 1}, dropped=((key,),))),
        ("schema", RAW, Refused((key,))),
    )
}


# ------------------------------------------------------------------------- values written twice

ONE, LAST = '"amount": 1', f'"amount": {LOOT}'
TWICE: Final[dict[str, Attack]] = {
    "a key twice": Attack(CLOSED, f"{{{ONE}, {LAST}}}", Refused()),
    "a key twice, of a struct": Attack(STRUCT, f"{{{ONE}, {LAST}}}", Refused()),
    "a key twice, of a schema": Attack(RAW, f"{{{ONE}, {LAST}}}", Refused()),
    "a key twice, the second escaped": Attack(
        CLOSED, f'{{{ONE}, "\\u0061mount": {LOOT}}}', Refused()
    ),
    "a key twice, within text": Attack(
        CLOSED, f'"{{\\"amount\\": 1, \\"amount\\": {LOOT}}}"', Refused()
    ),
    "a key twice, in a Python literal": Attack(
        CLOSED, f"{{'amount': 1, 'amount': {LOOT}}}", Refused()
    ),
    "a key twice, deeper inside": Attack(
        shows({"type": "object"}), f'{{"a": [{{{ONE}, {LAST}}}]}}', Refused()
    ),
    "an undeclared key twice": Attack(DROPPING, f'{{{ONE}, "x": 1, "x": 2}}', Refused()),
    "two objects": Attack(CLOSED, f"{{{ONE}}}{{{LAST}}}", Refused()),
    "two objects in a list": Attack(CLOSED, f"[{{{ONE}}}, {{{LAST}}}]", Refused()),
    "a comment": Attack(CLOSED, f"{{{ONE} /*, {LAST} */}}", Refused()),
    "a Python comment": Attack(CLOSED, f"{{'amount': 1 #, 'amount': {LOOT}\n}}", Refused()),
    "text that is cut off": Attack(CLOSED, f'{{{ONE}, "x": "', Refused(kind="truncated")),
    "a null byte at the end": Attack(CLOSED, f"{{{ONE}}}\x00", Refused()),
    "two encodings": Attack(CLOSED, f"{{{ONE}}}".encode("utf-16"), Refused()),
    "a lone surrogate as a key": Attack(OPEN, f'{{{ONE}, "\\ud800": {LOOT}}}', Refused()),
    "bytes that are not UTF-8": Attack(OPEN, f'{{{ONE}, "x": "'.encode() + b'\xff"}', Refused()),
}


# -------------------------------------------------------------------------------------- numbers


class Color(Enum):
    RED = "red"
    BLUE = "blue"


class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Ratio(BaseModel):
    ratio: float


class Price(BaseModel):
    price: Decimal


class PriceStruct(msgspec.Struct):
    price: Decimal


class Choice(BaseModel):
    one: Literal[1, 2] = 1
    flag: Literal[True] = True
    color: Color = Color.RED
    level: Level = Level.LOW


class Either(BaseModel):
    value: int | str | bool


class Sum(BaseModel):
    value: int | float


def given_choice(value: Choice) -> Any:
    color, level = value.color.value, value.level.value
    return {"one": value.one, "flag": value.flag, "color": color, "level": level}


NUMBER: Final = shows({"type": "object", "properties": {"ratio": {"type": "number"}}})
RATIO: Final = shows(Ratio, lambda value: {"ratio": value.ratio})
PRICE: Final = shows(Price, lambda value: {"price": value.price})
PRICE_STRUCT: Final = shows(PriceStruct, lambda value: {"price": value.price})
CHOICE: Final = shows(Choice, given_choice)
EITHER: Final = shows(Either, lambda value: {"value": value.value})
SUM: Final = shows(Sum, lambda value: {"value": value.value})
AMOUNTS: Final = {"model": CLOSED, "struct": STRUCT, "schema": RAW}
LONG: Final = "0.12345678901234567890123456789012345"


def chosen(**changes: Any) -> Runs:
    return Runs({"one": 1, "flag": True, "color": "red", "level": 1, **changes})


INTEGERS: Final[dict[str, Attack]] = {
    f"{name} for an integer, {vendor}": Attack(one, sent, expected)
    for vendor, one in AMOUNTS.items()
    for name, sent, expected in (
        ("1.0", '{"amount": 1.0}', Runs({"amount": 1})),
        ("1e0", '{"amount": 1e0}', Runs({"amount": 1})),
        ("-0.0", '{"amount": -0.0}', Runs({"amount": 0})),
        ("true", {"amount": True}, Refused(("amount",), "type")),
        ("text", {"amount": "1"}, Runs({"amount": 1})),
        ("text with an exponent", {"amount": "1e6"}, Refused(("amount",), "type")),
        ("text with an underscore", {"amount": "1_000"}, Refused(("amount",), "type")),
        ("Arabic digits", {"amount": "\u0661"}, Refused(("amount",), "type")),
        ("text with a space", {"amount": " 1"}, Refused(("amount",), "type")),
        ("2^53+1", {"amount": 2**53 + 1}, Runs({"amount": 2**53 + 1})),
        ("-2^63-1", {"amount": -(2**63) - 1}, Runs({"amount": -(2**63) - 1})),
        ("10^30", {"amount": 10**30}, Runs({"amount": 10**30})),
        ("a float of 2^53", '{"amount": 9007199254740992.0}', Refused(("amount",), "type")),
        ("a float beyond 2^53", '{"amount": 9007199254740993.0}', Refused(("amount",), "type")),
        ("a fraction", {"amount": 1.5}, Refused(("amount",), "type")),
        ("a number that overflows", '{"amount": 1e400}', Refused()),
        ("NaN", '{"amount": NaN}', Refused()),
        ("Infinity", '{"amount": -Infinity}', Refused()),
    )
}

NUMBERS: Final[dict[str, Attack]] = {
    "2^53+1 for a float": Attack(RATIO, {"ratio": 2**53 + 1}, Refused(("ratio",), None)),
    "2^53 for a float": Attack(RATIO, {"ratio": 2**53}, Runs({"ratio": 2**53})),
    "an integer for a float": Attack(RATIO, {"ratio": 1}, Runs({"ratio": 1})),
    "true for a float": Attack(RATIO, {"ratio": True}, Refused(("ratio",), "type")),
    "more digits than a float has": Attack(RATIO, f'{{"ratio": {LONG}}}', Runs()),
    "2^53+1 for a number": Attack(NUMBER, {"ratio": 2**53 + 1}, Runs({"ratio": 2**53 + 1})),
    "digits of a Decimal": Attack(PRICE, f'{{"price": {LONG}}}', Runs({"price": Decimal(LONG)})),
    "digits of a Decimal, of a struct": Attack(
        PRICE_STRUCT, f'{{"price": "{LONG}"}}', Runs({"price": LONG}, {"price": Decimal(LONG)})
    ),
    "a float for a Decimal": Attack(PRICE, {"price": 0.1}, Runs({"price": Decimal("0.1")})),
    "2^53+1 for a Decimal": Attack(PRICE, {"price": 2**53 + 1}, Runs({"price": 2**53 + 1})),
    "2^53+1 and a half for a Decimal": Attack(
        PRICE, '{"price": 9007199254740993.5}', Runs({"price": Decimal("9007199254740993.5")})
    ),
    "text for a Decimal": Attack(
        PRICE, {"price": "0.10"}, Runs({"price": "0.10"}, {"price": Decimal("0.10")})
    ),
    "NaN in text for a Decimal": Attack(PRICE, {"price": "NaN"}, Refused(("price",), None)),
    "true for 1": Attack(CHOICE, {"one": True}, Refused(("one",), "enum")),
    "1.0 for 1": Attack(CHOICE, '{"one": 1.0}', Honest({**chosen().shown})),
    "1 for true": Attack(CHOICE, {"flag": 1}, Refused(("flag",), "enum")),
    "true for a member": Attack(CHOICE, {"level": True}, Refused(("level",), "enum")),
    "2.0 for a member": Attack(CHOICE, '{"level": 2.0}', Honest(chosen(level=2).shown)),
    "a member's name": Attack(CHOICE, {"color": "RED"}, chosen()),
    "a member's name that is no value": Attack(
        CHOICE, {"level": "HIGH"}, Refused(("level",), "enum")
    ),
    "text that could be a number": Attack(EITHER, {"value": "1"}, Runs({"value": "1"})),
    "true that could be a number": Attack(EITHER, {"value": True}, Runs({"value": True})),
    "a number that could be true": Attack(EITHER, {"value": 1}, Runs({"value": 1})),
    "2^53+1 for one of two numbers": Attack(SUM, {"value": 2**53 + 1}, Runs({"value": 2**53 + 1})),
}


# ----------------------------------------------------------------------------- objects that lie


class LyingMap(dict[str, Any]):
    """Says something else than it holds."""

    def __getitem__(self, key: str) -> Any:
        return LOOT

    def get(self, key: str, default: Any = None) -> Any:
        return LOOT

    def items(self) -> Any:
        return {"amount": LOOT}.items()

    def values(self) -> Any:
        return [LOOT]

    def copy(self) -> Any:
        return {"amount": LOOT}

    def __iter__(self) -> Iterator[str]:
        return iter(["amount", "fee"])


class LyingInt(int):
    def __int__(self) -> int:
        return LOOT

    def __index__(self) -> int:
        return LOOT

    def __eq__(self, other: object) -> bool:
        return True

    def __lt__(self, other: object) -> bool:
        return True

    __hash__ = int.__hash__
    __str__ = __repr__ = lambda self: str(LOOT)


class LyingText(str):
    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = str.__hash__

    def __str__(self) -> str:
        return f'{{"amount": {LOOT}}}'

    __repr__ = __str__

    def encode(self, encoding: str = "utf-8", errors: str = "strict") -> bytes:
        return str(self).encode(encoding, errors)


class LyingBytes(bytes):
    def decode(self, encoding: str = "utf-8", errors: str = "strict") -> str:
        return f'{{"amount": {LOOT}}}'


class LyingList(list[Any]):
    def __iter__(self) -> Iterator[Any]:
        return iter([LOOT])

    def __getitem__(self, place: Any) -> Any:
        return LOOT

    def __len__(self) -> int:
        return 1


class Changing(Mapping[str, Any]):
    """Gives another value each time that it is read."""

    def __init__(self) -> None:
        self.reads = 0

    def __getitem__(self, key: str) -> Any:
        self.reads += 1
        return 1 if self.reads == 1 else LOOT

    def __iter__(self) -> Iterator[str]:
        return iter(["amount"])

    def __len__(self) -> int:
        return 1


class LyingModel(Amount):
    """An object of the declared type whose dump is another one."""

    def model_dump(self, **_: Any) -> dict[str, Any]:
        return {"amount": 1}


class Listing(BaseModel):
    amounts: list[int]


LISTING: Final = shows(Listing, lambda value: {"amounts": value.amounts})
OBJECTS: Final[dict[str, Attack]] = {
    "a dict that lies": Attack(CLOSED, LyingMap(amount=1), Honest({"amount": 1})),
    "a dict that lies, of a schema": Attack(RAW, LyingMap(amount=1), Honest({"amount": 1})),
    "a dict within that lies": Attack(
        shows({"type": "object"}),
        Fresh(lambda: {"a": LyingMap(amount=1)}),
        Honest({"a": {"amount": 1}}),
    ),
    "a list that lies": Attack(
        LISTING, Fresh(lambda: {"amounts": LyingList([1, 2])}), Honest({"amounts": [1, 2]})
    ),
    "an integer that lies": Attack(
        CLOSED, Fresh(lambda: {"amount": LyingInt(1)}), Honest({"amount": 1})
    ),
    "an integer that lies, of a struct": Attack(
        STRUCT, Fresh(lambda: {"amount": LyingInt(1)}), Honest({"amount": 1})
    ),
    "an integer that lies, of a schema": Attack(
        RAW, Fresh(lambda: {"amount": LyingInt(1)}), Honest({"amount": 1})
    ),
    "a key that lies": Attack(
        CLOSED, Fresh(lambda: {LyingText("amount"): 1}), Honest({"amount": 1})
    ),
    "another key that equals all": Attack(
        CLOSED, Fresh(lambda: {"amount": 1, LyingText("fee"): LOOT}), Honest({"amount": 1})
    ),
    "text that lies": Attack(CLOSED, LyingText('{"amount": 1}'), Honest({"amount": 1})),
    "bytes that lie": Attack(CLOSED, LyingBytes(b'{"amount": 1}'), Honest({"amount": 1})),
    "a map that changes while it is read": Attack(CLOSED, Fresh(Changing), Honest()),
    "an object whose dump lies": Attack(DROPPING, Fresh(lambda: LyingModel(amount=LOOT)), Honest()),
    "an object of the declared type": Attack(
        DROPPING, Fresh(lambda: Amount(amount=1)), Runs({"amount": 1})
    ),
    "an object that was never checked": Attack(
        DROPPING, Fresh(lambda: Amount.model_construct(amount="all")), Refused()
    ),
    "an object with a field too many": Attack(
        DROPPING, Fresh(lambda: Amount.model_construct(amount=1, fee=LOOT)), Honest()
    ),
    "a view of a dict": Attack(CLOSED, MappingProxyType({"amount": 1}), Runs({"amount": 1})),
    "a chain of dicts": Attack(
        CLOSED, ChainMap({"amount": 1}, {"amount": LOOT}), Honest({"amount": 1})
    ),
    "an ordered dict": Attack(CLOSED, OrderedDict(amount=1), Runs({"amount": 1})),
    "a dict that makes values": Attack(
        CLOSED, Fresh(lambda: defaultdict(lambda: LOOT, amount=1)), Runs({"amount": 1})
    ),
    "a user's dict": Attack(CLOSED, Fresh(lambda: UserDict(amount=1)), Runs({"amount": 1})),
    "a bytearray": Attack(CLOSED, bytearray(b'{"amount": 1}'), Refused()),
    "a tuple for a list": Attack(LISTING, Fresh(lambda: {"amounts": (1,)}), Refused()),
    "a set for a list": Attack(LISTING, Fresh(lambda: {"amounts": {1}}), Refused()),
    "a generator for a list": Attack(
        LISTING, Fresh(lambda: {"amounts": (one for one in (1,))}), Refused()
    ),
    "a member for its text": Attack(CHOICE, Fresh(lambda: {"color": Color.BLUE}), Refused()),
    "a Decimal for an integer": Attack(
        CLOSED, Fresh(lambda: {"amount": Decimal(1)}), Refused(("amount",), "json")
    ),
    "a number for a key": Attack(CLOSED, Fresh(lambda: {"amount": 1, 1: LOOT}), Refused()),
    "NaN itself": Attack(RATIO, Fresh(lambda: {"ratio": float("nan")}), Refused()),
}


# ---------------------------------------------------------------------------------- times, ids


class When(BaseModel):
    at: datetime | None = None
    on: date | None = None
    lasts: timedelta | None = None
    id: UUID | None = None


class WhenStruct(msgspec.Struct):
    at: datetime | None = None
    on: date | None = None
    lasts: timedelta | None = None
    id: UUID | None = None


def read(key: str) -> Any:
    """Return the reader of one member, in the words of the standard library."""

    def words(value: Any) -> Any:
        found = getattr(value, key)
        return {key: found.isoformat() if isinstance(found, date) else str(found)}

    return words


NONE: Final = {"at": None, "on": None, "lasts": None, "id": None}
ID: Final = "00112233-4455-6677-8899-aabbccddeeff"
TIMES: Final[dict[str, Attack]] = {
    f"{name}, {vendor}": Attack(
        shows(declared, read(key)),
        {key: text},
        expected if isinstance(expected, Refused) else Runs({**NONE, key: text}, {key: expected}),
    )
    for vendor, declared in (("model", When), ("struct", WhenStruct))
    for name, key, text, expected in (
        ("a local time", "at", "2026-01-31T09:00:00", "2026-01-31T09:00:00"),
        ("an offset", "at", "2026-01-31T09:00:00+02:00", "2026-01-31T09:00:00+02:00"),
        ("UTC", "at", "2026-01-31T09:00:00Z", "2026-01-31T09:00:00+00:00"),
        ("seconds since 1970", "at", "1769850000", Refused(("at",), "format")),
        ("a number of seconds", "at", 1769850000, Refused(("at",), "type")),
        ("no such day", "on", "2026-02-30", Refused(("on",), "format")),
        ("a time for a date", "on", "2026-01-31T00:00:00", Refused(("on",), "format")),
        ("a duration", "lasts", "PT90S", "0:01:30"),
        ("seconds for a duration", "lasts", 90, Refused(("lasts",), "type")),
        ("an id", "id", ID, ID),
        ("an id without hyphens", "id", ID.replace("-", ""), Refused(("id",), "format")),
        ("an id in braces", "id", f"{{{ID}}}", Refused(("id",), "format")),
    )
}

ATTACKS: Final = {**KEYS, **TWICE, **INTEGERS, **NUMBERS, **OBJECTS, **TIMES}


@pytest.mark.requirement("forged-views")
@pytest.mark.parametrize("name", ATTACKS)
def test_a_forged_value_deceives_nobody(name: str) -> None:
    attack = ATTACKS[name]
    assert lies(attack.tool, attack.sent, attack.expected) == {}


SPELLED: Final = (
    "2026-01-31T09:00",
    "2026-01-31 09:00",
    "2026-01-31 09:00:00.5",
    "2026-01-31t09:00z",
)


@pytest.mark.requirement("forged-views")
@pytest.mark.parametrize("text", SPELLED)
@pytest.mark.parametrize("declared", [When, WhenStruct])
@pytest.mark.parametrize("witness", WITNESSES)
def test_a_time_is_the_one_that_was_shown(witness: str, declared: Any, text: str) -> None:
    one = shows(declared, read("at"))
    found = account(WITNESSES[witness], one, {"at": text})
    ran = datetime.fromisoformat(found.outcome.unwrap()["at"])
    shown = {datetime.fromisoformat(seen["at"].upper()) for seen in found.before}
    assert shown | {seen.at for seen in found.objects} == {ran}
    assert (found.runs, found.shared) == (1, True)


# -------------------------------------------------------------------------------------- digests


def digest(one: AnyTool, text: str) -> str:
    made = one.prepare(text)
    assert isinstance(made, Prepared), made.text
    return made.digest


@pytest.mark.requirement("forged-views")
@pytest.mark.parametrize(
    ("one", "first", "second"),
    [
        (CLOSED, '{"amount": 9007199254740993}', '{"amount": 9007199254740992}'),
        (RAW, '{"amount": 9007199254740993}', '{"amount": 9007199254740994}'),
        (PRICE, f'{{"price": {LONG}}}', f'{{"price": {LONG}1}}'),
        (PRICE, '{"price": 9007199254740993.5}', '{"price": 9007199254740993.25}'),
        (PRICE, '{"price": 0.1}', '{"price": 0.1000000000000000055511151231257827}'),
        (EITHER, '{"value": 1}', '{"value": "1"}'),
        (EITHER, '{"value": 1}', '{"value": true}'),
        (OPEN, '{"amount": 1}', '{"amount": 1, "x": null}'),
    ],
)
def test_calls_that_differ_have_digests_that_differ(one: AnyTool, first: str, second: str) -> None:
    assert digest(one, first) != digest(one, second)


@pytest.mark.requirement("forged-views")
@pytest.mark.parametrize(
    ("one", "first", "second"),
    [
        (CLOSED, '{"amount": 1}', '{"amount": 1.0}'),
        (CLOSED, '{"amount": 1}', '{"amount": "1"}'),
        (RATIO, '{"ratio": 1}', '{"ratio": 1.0}'),
        (RAW, '{"amount": 1e2}', '{"amount": 100}'),
        (OPEN, '{"amount": 1, "x": [0.5]}', '{"x": [5e-1], "amount": 1}'),
    ],
)
def test_one_call_has_one_digest_however_it_is_written(
    one: AnyTool, first: str, second: str
) -> None:
    assert digest(one, first) == digest(one, second)


@pytest.mark.requirement("forged-views")
@pytest.mark.parametrize("digits", ["0.10", "0.1", "5.00", LONG, "9007199254740993.5"])
def test_a_decimal_that_travels_keeps_the_digits_of_the_text(digits: str) -> None:
    one = shows(Price, lambda value: {"price": str(value.price)}, requires_approval=True)
    made = one.prepare(f'{{"price": {digits}}}')
    assert isinstance(made, Prepared), made.text
    again = Toolset([one]).resume(made.to_json(key=KEY), key=KEY)
    assert isinstance(again, Prepared), again.text
    assert [str(seen.arguments["price"]) for seen in (made, again)] == [digits] * 2
    assert (again.digest, again.call_sync().unwrap()) == (made.digest, {"price": digits})
