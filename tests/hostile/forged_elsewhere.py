"""Tools that tell what they were given, from a process of their own: it must find them here."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any

import attrs
import msgspec
from pydantic import AliasChoices, BaseModel, Field, model_validator

from toolhaft import tool

__all__ = [
    "aliased",
    "attrs_class",
    "choices",
    "made",
    "plain_class",
    "renaming",
    "signature",
    "struct",
    "values",
]


def following() -> int:
    """A number that no other process, and no other call, comes by again."""
    return int.from_bytes(os.urandom(6)) | 1 << 48


class Aliased(BaseModel, extra="allow", populate_by_name=True):
    """Its attribute is another name of its key."""

    max_amount: int = Field(0, alias="maxAmount")


class Choices(BaseModel):
    """It has a further alias."""

    max_amount: int = Field(0, validation_alias=AliasChoices("maxAmount", "ceiling"))


class Renaming(BaseModel):
    """It reads a key that its schema does not have."""

    amount: int = 0

    @model_validator(mode="before")
    @classmethod
    def _renamed(cls, data: Any) -> Any:
        return {**data, "amount": data["total"]} if "total" in data else data


class Made(BaseModel):
    """It has a factory, and a default that its schema refuses."""

    amount: int = Field(default_factory=following)
    note: str = None  # type: ignore[assignment]


class Struct(msgspec.Struct, rename="camel"):
    """A struct with another name and a factory."""

    max_amount: int = msgspec.field(default_factory=following)


@attrs.define
class Class:
    """A class with another name and factories."""

    _amount: int = attrs.field(factory=following)
    fee: int = attrs.field(factory=following)


@dataclass
class Plain:
    """A dataclass with a factory."""

    amount: int = field(default_factory=following)


class Values(BaseModel):
    """Values that a second way through text could change."""

    exact: int = 0
    price: Decimal = Decimal(0)
    at: datetime | None = None


@tool(input=Aliased, output=None, isolation="process")
def aliased(value: Aliased) -> Any:
    """Tell."""
    return {"maxAmount": value.max_amount, **(value.model_extra or {})}


@tool(input=Choices, output=None, isolation="process")
def choices(value: Choices) -> Any:
    """Tell."""
    return {"maxAmount": value.max_amount}


@tool(input=Renaming, output=None, isolation="process")
def renaming(value: Renaming) -> Any:
    """Tell."""
    return {"amount": value.amount}


@tool(input=Made, output=None, isolation="process")
def made(value: Made) -> Any:
    """Tell."""
    return {"amount": value.amount, "note": value.note}


@tool(input=Struct, output=None, isolation="process")
def struct(value: Struct) -> Any:
    """Tell."""
    return {"maxAmount": value.max_amount}


@tool(input=Class, output=None, isolation="process")
def attrs_class(value: Class) -> Any:
    """Tell."""
    return {"amount": value._amount, "fee": value.fee}


@tool(input=Plain, output=None, isolation="process")
def plain_class(value: Plain) -> Any:
    """Tell."""
    return {"amount": value.amount}


@tool(input=Values, output=None, isolation="process")
def values(value: Values) -> Any:
    """Tell."""
    at = value.at and value.at.isoformat()
    return {"exact": value.exact, "price": str(value.price), "at": at}


@tool(output=None, isolation="process")
def signature(account: str, rows: list[int] = [1], currency: str = "EUR") -> Any:  # noqa: B006
    """Tell."""
    return {"account": account, "rows": rows, "currency": currency}
