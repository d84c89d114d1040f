"""Validators that reorder or swap: each item is shown with its own defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any

import attrs
import msgspec
import pytest
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from toolhaft import tool


class Pay(BaseModel):
    to: str
    cents: int = 100_000


class Listed(BaseModel):
    pays: Annotated[list[Pay], AfterValidator(lambda pays: sorted(pays, key=lambda it: it.to))]


class Mapped(BaseModel):
    pays: Annotated[dict[int, Pay], AfterValidator(lambda pays: dict(sorted(pays.items())))]


@dataclass
class DataPay:
    to: str
    cents: int = 100_000


@dataclass
class DataListed:
    pays: list[DataPay]

    def __post_init__(self) -> None:
        self.pays.sort(key=lambda pay: pay.to)


class StructPay(msgspec.Struct):
    to: str
    cents: int = 100_000


class StructListed(msgspec.Struct):
    pays: list[StructPay]

    def __post_init__(self) -> None:
        self.pays.sort(key=lambda pay: pay.to)


@attrs.define
class AttrsPay:
    to: str
    cents: int = 100_000


@attrs.define
class AttrsListed:
    pays: list[AttrsPay]

    def __attrs_post_init__(self) -> None:
        self.pays.sort(key=lambda pay: pay.to)


class Loud(BaseModel):
    """The object made of an item has nothing of the sent data."""

    to: Annotated[str, AfterValidator(str.upper)]
    cents: int = 100_000


class LoudListed(BaseModel):
    pays: Annotated[list[Loud], AfterValidator(lambda pays: pays[::-1])]


class Numbered(Pay):
    number: int = Field(default_factory=lambda: 7)


class NumberedListed(BaseModel):
    pays: Annotated[list[Numbered], AfterValidator(lambda pays: pays[::-1])]


class Swapped(BaseModel):
    first: Pay
    second: Pay

    @model_validator(mode="after")
    def swap(self) -> Swapped:
        self.first, self.second = self.second, self.first
        return self


class Ends(BaseModel):
    low: int = 0
    high: int = 100

    @model_validator(mode="after")
    def swap(self) -> Ends:
        if self.low > self.high:
            self.low, self.high = self.high, self.low
        return self


class Cash(BaseModel):
    at: date
    coins: int = 5


class Card(BaseModel):
    at: date
    digits: str = "0000"
    to: str = "ann"


class Mixed(BaseModel):
    parts: Annotated[list[Card | Cash], AfterValidator(lambda parts: parts[::-1])]


EVE, ANN = {"to": "eve"}, {"to": "ann", "cents": 1}
FULL = {"to": "eve", "cents": 100_000}


def thaw(value: Any) -> Any:
    """Return read-only data as dicts and lists."""
    if isinstance(value, Mapping):
        return {key: thaw(item) for key, item in value.items()}
    return [thaw(item) for item in value] if isinstance(value, tuple) else value


@pytest.mark.requirement("forged-views")
@pytest.mark.parametrize(
    ("kind", "sent", "shown"),
    [
        *(
            (kind, {"pays": [EVE, ANN]}, {"pays": [FULL, ANN]})
            for kind in (Listed, DataListed, StructListed, AttrsListed, LoudListed)
        ),
        (Mapped, {"pays": {"2": EVE, "1": ANN}}, {"pays": {"2": FULL, "1": ANN}}),
        (
            NumberedListed,
            {"pays": [EVE, ANN]},
            {"pays": [{**FULL, "number": 7}, {**ANN, "number": 7}]},
        ),
        (Swapped, {"first": EVE, "second": ANN}, {"first": FULL, "second": ANN}),
        (Ends, {"low": 500}, {"low": 500, "high": 100}),
        (
            Mixed,
            {"parts": [{"at": "2026-01-31", "to": "eve"}, {"at": "2026-01-30", "coins": 1}]},
            {
                "parts": [
                    {"at": "2026-01-31", "to": "eve", "digits": "0000"},
                    {"at": "2026-01-30", "coins": 1},
                ]
            },
        ),
    ],
)
def test_each_item_is_shown_with_its_own_defaults(kind: Any, sent: Any, shown: Any) -> None:
    pay = tool(
        lambda taken: None, name="pay", description="Pay.", input=kind, output=None,
        requires_approval=True,
    )  # fmt: skip
    waiting: Any = pay.call_sync(sent)
    assert thaw(waiting.prepared.arguments) == shown
    assert waiting.prepared.call_sync().text == "null"


def strip(text: str) -> str:
    return text.strip()


def in_cents(euros: int) -> int:
    return euros * 100


class Converted(BaseModel):
    model_config = ConfigDict(validate_default=True)

    to: Annotated[str, AfterValidator(strip)]
    cents: Annotated[int, AfterValidator(in_cents)] = 5


@attrs.define
class AttrsConverted:
    to: str = attrs.field(converter=strip)
    cents: int = attrs.field(default=5, converter=in_cents)


def cents_of(taken: Any) -> Any:
    return taken.cents


@pytest.mark.requirement("forged-views")
@pytest.mark.parametrize("kind", [Converted, AttrsConverted])
@pytest.mark.parametrize("to", ["eve", " eve"])
def test_a_converted_default_is_shown_as_the_handler_gets_it(kind: Any, to: str) -> None:
    pay = tool(
        cents_of, name="pay", description="Pay.", input=kind, output=None,
        requires_approval=True,
    )  # fmt: skip
    waiting: Any = pay.call_sync({"to": to})
    assert thaw(waiting.prepared.arguments) == {"to": to, "cents": 500}
    assert waiting.prepared.call_sync().text == "500"
