"""The schemas of an OpenAPI document are components: each class once, under names that stay."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pytest
from openapi_spec_validator import validate
from pydantic import BaseModel, Field

from toolhaft import Toolset, tool
from toolhaft.serve.document import About, write_openapi

pytestmark = pytest.mark.requirement("serve-components")

OURS = {"Issue", "PreparedCall", "Problem", "Tool", "ToolList"}


class Money(BaseModel):
    """An amount."""

    amount: int
    currency: str = "EUR"


class Card(BaseModel):
    kind: Literal["card"]
    number: str


class Cash(BaseModel):
    kind: Literal["cash"]
    change: Annotated[Money, Field(description="What comes back.")]


class Order(BaseModel):
    total: Money
    paid: Annotated[Card | Cash, Field(discriminator="kind")]
    next: Order | None = None


@tool
def get_order(id: int) -> Order:
    """Get an order."""
    raise NotImplementedError


@tool
def pay(order: Order, tip: Money | None = None) -> Money:
    """Pay an order."""
    raise NotImplementedError


def document(*tools: Any) -> dict[str, Any]:
    written = write_openapi(Toolset(tools), About(), needs_token=False, keeps_keys=False)
    validate(written)
    return written


def names(*tools: Any) -> set[str]:
    return set(document(*tools)["components"]["schemas"]) - OURS


def ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def test_a_class_that_tools_share_is_one_component() -> None:
    assert names(get_order, pay) == {"Card", "Cash", "GetOrderInput", "Money", "Order", "PayInput"}
    written = document(get_order, pay)
    schemas = written["components"]["schemas"]
    answer = written["paths"]["/tools/pay"]["post"]["responses"]["200"]
    assert answer["content"]["application/json"]["schema"] == ref("Money")
    assert schemas["Cash"]["properties"]["change"] == {
        **ref("Money"),
        "description": "What comes back.",
    }
    assert schemas["Money"]["description"] == "An amount."
    assert schemas["PayInput"]["properties"]["order"] == ref("Order")


def test_a_union_whose_branches_have_constants_has_a_discriminator() -> None:
    paid = document(pay)["components"]["schemas"]["Order"]["properties"]["paid"]
    mapping = {"card": ref("Card")["$ref"], "cash": ref("Cash")["$ref"]}
    assert paid == {
        "oneOf": [ref("Card"), ref("Cash")],
        "discriminator": {"propertyName": "kind", "mapping": mapping},
    }


def test_another_tool_changes_no_name() -> None:
    @tool
    def other(money: Money) -> list[Order]:
        """Do something else."""
        raise NotImplementedError

    assert names(get_order, pay, other) == names(get_order, pay) | {"OtherInput", "OtherOutput"}


def test_two_classes_of_one_name_are_named_after_their_tools() -> None:
    def make() -> Any:
        class Money(BaseModel):
            cents: int

        @tool
        def refund(money: Money) -> None:
            """Refund."""

        return refund

    assert names(pay, make()) == {
        *("Card", "Cash", "Order", "PayInput", "RefundInput"),
        *("Money", "MoneyInput"),  # that of both modes, and that of an input
    }


def test_a_class_that_is_named_like_a_part_of_the_server_gives_way() -> None:
    class Problem(BaseModel):
        why: str

    @tool
    def report(problem: Problem) -> None:
        """Report."""

    assert names(report) == {"ProblemInput", "ReportInput"}


def test_a_default_that_its_schema_refuses_is_left_out() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"type": "array", "items": {}, "default": None}},
    }
    one = tool(lambda given: given, name="one", description="One.", input=schema)
    body = document(one)["components"]["schemas"]["OneInput"]
    assert body["properties"]["a"] == {"type": "array", "items": {}}
