"""Checks of pydantic's that no schema expresses are reported, each with its place."""

from __future__ import annotations

import dataclasses
from datetime import date
from decimal import Decimal
from functools import partial
from typing import Annotated, Any

import annotated_types
import pytest
from pydantic import (
    AfterValidator,
    BaseModel,
    Field,
    HttpUrl,
    PastDate,
    PrivateAttr,
    field_validator,
    model_validator,
)

from toolhaft import vendors


class Checker:
    def __call__(self, value: Any) -> Any:
        return value


def bounded(value: Any, *, most: int) -> Any:
    return min(value, most)


class Inner(BaseModel):
    day: Annotated[date, Field(ge=date(2026, 1, 1))]
    _hidden: int = PrivateAttr(0)

    @model_validator(mode="after")
    def whole(self) -> Inner:
        return self


class Outer(BaseModel):
    inner: list[Inner] = Field(alias="innerItems")
    amount: Annotated[Decimal, Field(max_digits=5)] = Decimal(0)
    even: Annotated[int, annotated_types.Predicate(bool)] = 2
    by_object: Annotated[int, AfterValidator(Checker())] = 1
    by_partial: Annotated[int, AfterValidator(partial(bounded, most=3))] = 1
    table: dict[str, Annotated[int, Field(gt=1)] | PastDate] = {}

    @field_validator("even")
    @classmethod
    def odd(cls, value: int) -> int:
        return value

    def model_post_init(self, context: Any, /) -> None:
        del context


@dataclasses.dataclass
class Plain:
    n: Annotated[int, Field(gt=1)]

    def __post_init__(self) -> None:
        pass


def unwritten(tp: Any) -> set[tuple[tuple[str | int, ...], str]]:
    return set(vendors.adapt(tp).unexpressed_checks())


@pytest.mark.requirement("agreement-unwritten")
def test_validators_and_constraints_that_no_schema_expresses_are_named_with_their_place() -> None:
    assert unwritten(Outer) == {
        ((), "validator Outer.model_post_init"),
        (("innerItems", "*"), "validator Inner.whole"),
        (("innerItems", "*", "day"), "ge=2026-01-01"),
        (("amount",), "max_digits=5"),
        (("even",), "validator Outer.odd"),
        (("even",), "a predicate"),
        (("by_object",), "validator Checker"),
        (("by_partial",), "validator partial"),
        (("table", "*"), "now_op=past"),
    }
    assert unwritten(Plain) == {((), "validator Plain.__post_init__")}
    assert unwritten(Annotated[list[HttpUrl], Field(max_length=3)]) == {
        (("*",), "allowed_schemes=['http', 'https']")
    }


@pytest.mark.requirement("agreement-unwritten")
def test_checks_in_the_schema_are_not_named() -> None:
    class Said(BaseModel):
        n: Annotated[int, Field(ge=1, le=9, multiple_of=2)]
        text: Annotated[str, Field(pattern="^a", min_length=1)]
        either: Annotated[int | float, Field(gt=3)]

    assert unwritten(Said) == set()
    assert vendors.adapt(Said).emit("input")["properties"]["either"] == {
        "anyOf": [{"type": "integer"}, {"type": "number"}],
        "exclusiveMinimum": 3,
    }


def test_a_type_that_holds_itself_is_read_once() -> None:
    class Node(BaseModel):
        n: Annotated[int, AfterValidator(Checker())]
        next: Node | None = None

    Node.model_rebuild(_types_namespace={"Node": Node})
    assert [what for _, what in vendors.adapt(Node).unexpressed_checks()] == ["validator Checker"]
