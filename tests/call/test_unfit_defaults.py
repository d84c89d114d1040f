"""Defaults that no person can approve."""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest
from pydantic import BaseModel, Field

from toolhaft import DefinitionError, Err, Ok, Toolset, tool
from toolhaft.tools.tool import AnyTool

pytestmark = pytest.mark.requirement("view-law")

UNDECLARED = "parameters= does not declare the field"
ITEM: dict[str, Any] = {"item": {"type": "string"}}
NUMBER: dict[str, Any] = {"number": {"type": "integer"}}


class Order(BaseModel):
    item: str
    number: int = Field(default_factory=count(1).__next__)


class Basket(BaseModel):
    orders: list[Order]
    first: Order | None = None


def closed(properties: dict[str, Any], **further: Any) -> dict[str, Any]:
    """The schema of objects that have no other keys than these."""
    return {"type": "object", "properties": properties, "additionalProperties": False, **further}


def opened(properties: dict[str, Any], **further: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, **further}


def asking(tp: Any, parameters: Any, **options: Any) -> AnyTool:
    """A tool that needs a person's yes, and is declared by hand."""

    def order(given: Any) -> str:
        "Order."
        return repr(given)

    chosen: dict[str, Any] = {"requires_approval": True, **options}
    return tool(order, input=tp, output=None, parameters=parameters, **chosen)


def faults_of(order: AnyTool) -> list[tuple[str, str]]:
    with pytest.raises(DefinitionError) as caught:
        Toolset([order])
    return [(fault.where, fault.reason.partition(": ")[2]) for fault in caught.value.faults]


@pytest.mark.parametrize(
    ("tp", "parameters", "options", "where"),
    [
        (Order, closed(ITEM), {}, ["number"]),
        (Order, opened(ITEM), {"extra": "ignore"}, ["number"]),
        (Order, {"$ref": "#/$defs/o", "$defs": {"o": closed(ITEM)}}, {}, ["number"]),
        (
            Basket,
            closed({"orders": {"items": closed(ITEM)}, "first": closed(ITEM)}),
            {},
            ["orders.number", "first.number"],
        ),
        (
            Basket,
            closed({"orders": {"items": closed(ITEM)}, "first": closed(ITEM | NUMBER)}),
            {},
            ["orders.number"],
        ),
        (
            list[Order],
            closed({"value": {"type": "array", "items": closed(ITEM)}}),
            {},
            ["value.number"],
        ),
        (
            dict[str, Order],
            opened({}, additionalProperties=closed(ITEM)),
            {},
            ["number"],
        ),
    ],
)
def test_a_factory_of_a_field_that_parameters_do_not_declare_is_refused(
    tp: Any, parameters: Any, options: dict[str, Any], where: list[str]
) -> None:
    order = asking(tp, parameters, **options)
    assert faults_of(order) == [(place, UNDECLARED) for place in where]
    unasked = asking(tp, parameters, requires_approval=False, **options)
    Toolset([unasked])
    with pytest.raises(DefinitionError, match=UNDECLARED):
        unasked.prepare({})


@pytest.mark.parametrize(
    "parameters",
    [
        closed(ITEM | NUMBER),
        opened(ITEM),
        {"anyOf": [closed(ITEM | NUMBER), closed({"other": {}})], "type": "object"},
        closed(ITEM, patternProperties={"^num": {}}),
    ],
)
def test_a_factory_of_a_field_that_parameters_permit_is_approved_and_run(parameters: Any) -> None:
    order = asking(Order, parameters)
    tools = Toolset([order])
    waiting = tools.call_sync("order", {"item": "tea"})
    assert isinstance(waiting, Err)
    assert waiting.prepared is not None
    number = waiting.prepared.arguments["number"]
    resumed = tools.resume(waiting.prepared.to_json(key="key"), key="key")
    assert not isinstance(resumed, Err)
    assert resumed.call_sync().unwrap() == f"Order(item='tea', number={number})"


@pytest.mark.parametrize(
    "parameters",
    [
        opened(ITEM, maxProperties=1),
        opened(ITEM, unevaluatedProperties=False),
        opened(ITEM | {"number": {"type": "string"}}),
        {"allOf": [opened(NUMBER), closed(ITEM)], "type": "object"},
    ],
)
def test_what_parameters_refuse_of_a_factory_is_said_before_anyone_decides(parameters: Any) -> None:
    asked: list[Any] = []
    outcome = asking(Order, parameters).call_sync({"item": "tea"}, approve=asked.append)
    assert isinstance(outcome, Err)
    assert (outcome.kind, asked) == ("runtime_error", [])
    assert isinstance(
        asking(Order, parameters, requires_approval=False).call_sync({"item": "tea"}), Ok
    )
