"""Tools whose predicates judge typed values, for tests that also run them in other processes."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import Enum, IntEnum
from typing import Annotated, Any, Final, NamedTuple
from uuid import UUID, uuid4

import attrs
import msgspec
from pydantic import BaseModel, BeforeValidator, Field

from toolhaft import Err, Toolset, tool

__all__ = [
    "ASKED",
    "BLOCKED",
    "CASES",
    "KEY",
    "Account",
    "Attrs",
    "Case",
    "Level",
    "Model",
    "Struct",
    "pay",
]

BLOCKED: Final = UUID(int=1)
KEY: Final = "a secret of the host's"


class Level(Enum):
    LOW = "low"
    HIGH = "high"


class Size(IntEnum):
    SMALL = 1
    LARGE = 2


class Account(BaseModel):
    id: UUID
    limit: Decimal = Decimal(100)


class Model(BaseModel):
    account: Account
    at: date


class Struct(msgspec.Struct):
    level: Level
    amount: Decimal


@attrs.frozen
class Attrs:
    owner: str
    until: date


class Point(NamedTuple):
    x: int
    y: int


class Case(NamedTuple):
    """A type, a question about its value, and spellings that must all be answered alike."""

    kind: Any
    asks: Any
    yes: tuple[Any, ...]
    no: tuple[Any, ...]


ONE, TWO = "00000000-0000-0000-0000-000000000001", "00000000-0000-0000-0000-000000000002"
JULY: Final = date(2026, 7, 1)
NOON: Final = datetime.fromisoformat("2026-07-01T12:00:00+00:00")

CASES: Final[dict[str, Case]] = {
    "enum, is": Case(Level, lambda v: v is Level.HIGH, ("high", "HIGH"), ("low", "Low")),
    "enum, equal": Case(Level, lambda v: v == Level.HIGH, ("high", "High"), ("low",)),
    "enum, in a set": Case(Level, lambda v: v in {Level.HIGH, None}, ("high", "hIgH"), ("low",)),
    "enum, its name": Case(Level, lambda v: v.name == "HIGH", ("high", "HIGH"), ("low",)),
    "int enum, equal": Case(Size, lambda v: v is Size.LARGE, (2, 2.0, "2"), (1, 1.0, "1")),
    "int enum, order": Case(Size, lambda v: v > Size.SMALL, (2, "2"), (1, "1")),
    "decimal, order": Case(Decimal, lambda v: v <= 100, (20, "20", "20.00", 20.0), (101, "101.0")),
    "decimal, exact": Case(Decimal, lambda v: v == Decimal("0.1"), ("0.1", "0.10", 0.1), ("0.11",)),
    "decimal, in a set": Case(Decimal, lambda v: v in {Decimal(5), None}, (5, "5.0"), ("5.01",)),
    "decimal, sign": Case(Decimal, lambda v: v.is_signed(), (-1, "-1"), (1, "1", "0.0")),
    "uuid, equal": Case(UUID, lambda v: v == BLOCKED, (ONE,), (TWO,)),
    "uuid, in a set": Case(UUID, lambda v: v in {BLOCKED, UUID(int=9)}, (ONE,), (TWO,)),
    "uuid, its number": Case(UUID, lambda v: v.int == 1, (ONE,), (TWO,)),
    "date, order": Case(date, lambda v: v < JULY, ("2026-06-30",), ("2026-07-01",)),
    "date, weekday": Case(date, lambda v: v.weekday() == 2, ("2026-07-01",), ("2026-07-02",)),
    "datetime, order": Case(
        datetime,
        lambda v: v >= NOON,
        ("2026-07-01T12:00:00Z", "2026-07-01T14:00:00+02:00", "2026-07-01 12:00Z"),
        ("2026-07-01T11:59:59Z", "2026-07-01T12:00:00+02:00"),
    ),
    "timedelta, order": Case(
        timedelta, lambda v: v <= timedelta(hours=1), ("PT1H", "PT60M", "PT3600S"), ("PT61M", "P1D")
    ),
    "timedelta, seconds": Case(
        timedelta, lambda v: v.total_seconds() == 90, ("PT90S", "PT1M30S"), ("PT91S",)
    ),
    "bytes, equal": Case(bytes, lambda v: v == b"key", ("key",), ("Key",)),
    "bytes, beginning": Case(bytes, lambda v: v.startswith(b"k"), ("key", "k"), ("x",)),
    "set, holds": Case(set[int], lambda v: 3 in v, ([3], [1, 3], "[3]"), ([], [1], "[1]")),
    "set, subset": Case(set[str], lambda v: v <= {"a", "b"}, (["a"], ["b", "a"]), (["c"],)),
    "frozenset, equal": Case(frozenset[int], lambda v: v == {1, 2}, ([1, 2], [2, 1]), ([1],)),
    "set of enums": Case(set[Level], lambda v: Level.HIGH in v, (["high"],), (["low"],)),
    "set of uuids": Case(set[UUID], lambda v: BLOCKED in v, ([ONE], [TWO, ONE]), ([TWO], [])),
    "list of decimals": Case(list[Decimal], lambda v: sum(v) <= 1, (["0.5", 0.5],), ([1, "0.1"],)),
    "list of dates": Case(list[date], lambda v: JULY in v, (["2026-07-01"],), ([], ["2026-07-02"])),
    "tuple": Case(tuple[int, Level], lambda v: v == (1, Level.LOW), ([1, "low"],), ([2, "low"],)),
    "named tuple": Case(Point, lambda v: v.x == v.y, ([1, 1],), ([1, 2],)),
    "map of decimals": Case(
        dict[str, Decimal], lambda v: v["a"] < 1, ({"a": "0.99"}, {"a": 0}), ({"a": "1.00"},)
    ),
    "map by uuid": Case(dict[UUID, int], lambda v: v.get(BLOCKED) == 7, ({ONE: 7},), ({TWO: 7},)),
    "integer": Case(int, lambda v: type(v) is int and v == 5, (5, 5.0, "5"), (6, "6")),
    "number": Case(float, lambda v: type(v) is float and v == 5, (5, 5.0, "5"), (5.5, "5.5")),
    "boolean": Case(bool, lambda v: v is True, (True, "true", "True"), (False, "false")),
    "optional": Case(date | None, lambda v: v is None, (None,), ("2026-07-01",)),
    "union": Case(UUID | None, lambda v: v == BLOCKED, (ONE,), (TWO, None)),
    "model": Case(
        Model,
        lambda v: v.account.id == BLOCKED and v.at < JULY,
        ({"account": {"id": ONE}, "at": "2026-06-30"},),
        ({"account": {"id": TWO}, "at": "2026-06-30"},),
    ),
    "model, its default": Case(
        Account, lambda v: v.limit >= 100, ({"id": ONE}, {"id": ONE, "limit": "100.00"}),
        ({"id": ONE, "limit": 99},),
    ),
    "list of models": Case(
        list[Account], lambda v: any(one.id == BLOCKED for one in v), ([{"id": TWO}, {"id": ONE}],),
        ([], [{"id": TWO}]),
    ),
    "struct": Case(
        Struct,
        lambda v: v.level is Level.HIGH or v.amount > 100,
        ({"level": "high", "amount": "1"}, {"level": "low", "amount": "100.01"}),
        ({"level": "low", "amount": "100.00"}, {"level": "LOW", "amount": "100"}),
    ),
    "attrs": Case(
        Attrs, lambda v: v.until >= JULY, ({"owner": "a", "until": "2026-07-01"},),
        ({"owner": "a", "until": "2026-06-30"},),
    ),
    "validated": Case(
        Annotated[int, BeforeValidator(lambda v: int(v) * 2)], lambda v: v == 10, (5,), (10, 4)
    ),
}  # fmt: skip


ASKED: Final[list[Any]] = []


def sees(arguments: Any) -> bool:
    """Permit a call, and remember its arguments."""
    ASKED.append(arguments)
    return True


@tool(authorize=sees, requires_approval=True, isolation="process")
def pay(level: Level, amount: Decimal, account: UUID = BLOCKED) -> str:
    """Pay, in another process."""
    return f"{level.name} {amount} {account.int}"


class Job(BaseModel):
    folder: UUID = Field(default_factory=uuid4)


@tool(authorize=sees, isolation="process")
def clean(job: Job) -> UUID:
    """Remove a folder, in another process."""
    return job.folder


def resume(text: str) -> list[Any]:
    """Resume a call of another process, and return its outcome and the approved arguments."""
    ASKED.clear()
    prepared = Toolset([pay]).resume(text, key=KEY)
    outcome = prepared if isinstance(prepared, Err) else prepared.call_sync()
    return [outcome.text, *(dict(arguments) for arguments in ASKED)]
