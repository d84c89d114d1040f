"""Parameters inside others, by their paths, and hidden values made of the caller's context."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from typing import Any

import msgspec
import pytest
from pydantic import BaseModel, Field

from toolhaft import DefinitionError, Err, Ok, Prepared, Toolset, tool


class Address(BaseModel):
    street: str
    zip: str = "0"


class Customer(BaseModel):
    full_name: str = Field(alias="fullName")
    address: Address | None = None
    others: list[Address] = []


@dataclass
class PlainAddress:
    street: str
    zip: str = "0"


@dataclass
class PlainCustomer:
    fullName: str  # noqa: N815  as the model's
    address: PlainAddress | None = None
    others: list[PlainAddress] = field(default_factory=list)


class StructAddress(msgspec.Struct):
    street: str
    zip: str = "0"


class StructCustomer(msgspec.Struct):
    fullName: str  # noqa: N815  as the model's
    address: StructAddress | None = None
    others: list[StructAddress] = []


CUSTOMERS: list[Any] = [Customer, PlainCustomer, StructCustomer]


def taking(kind: Any) -> Any:
    def create(customer: Any, n: int = 1) -> str:
        """Create."""
        name = getattr(customer, "full_name", None) or customer.fullName
        places = [customer.address, *customer.others]
        return f"{name} {[(place.street, place.zip) for place in places if place]} {n}"

    create.__annotations__["customer"] = kind
    return tool(create)


SENT = {"name": "ann", "place": {"road": "A"}, "others": [{"street": "B"}, {"street": "C"}]}


@pytest.mark.requirement("transform-nested")
@pytest.mark.parametrize("kind", CUSTOMERS)
def test_parameters_inside_others_are_renamed_hidden_and_described(kind: Any) -> None:
    ours = taking(kind).transform(
        rename={
            "customer.fullName": "name",
            "customer.address": "place",
            "customer.address.street": "road",
            "n": "count",
        },
        describe={"customer.address.street": "Where it is."},
        hide={"customer.address.zip": "99"},
        defaults={"customer.others.zip": "7"},
    )
    assert ours.call_sync({"customer": SENT}).unwrap() == (
        "ann [('A', '99'), ('B', '7'), ('C', '7')] 1"
    )
    text = json.dumps(ours.input_schema.json_schema())
    assert "Where it is." in text
    assert '"zip"' in text  # of the others, whose type is the same
    alone = taking(kind).transform(hide={"customer.address.zip": "secret", "customer.others": []})
    assert '"zip"' not in json.dumps(alone.input_schema.json_schema())
    assert "secret" not in json.dumps(alone.input_schema.json_schema())
    assert alone.call_sync({"customer": {"fullName": "bob"}}).text.endswith("address: required")
    sent = {"customer": {"fullName": "bob", "address": {"street": "D"}}}
    assert alone.call_sync(sent).unwrap() == "bob [('D', 'secret')] 1"


@pytest.mark.requirement("transform-nested")
def test_errors_inside_are_reported_in_the_new_names() -> None:
    ours = taking(Customer).transform(
        rename={"customer": "who", "customer.others.street": "road", "customer.fullName": "name"},
        hide={"customer.others.zip": "1"},
    )
    outcome = ours.call_sync(
        {"who": {"name": 1, "others": [{"road": "x"}, {"road": 2, "zip": "x"}]}}
    )
    assert isinstance(outcome, Err)
    assert [issue.path for issue in outcome.issues] == [
        ("who", "name"),
        ("who", "others", 1, "road"),
        ("who", "others", 1, "zip"),
    ]
    again = ours.call_sync({"who": {"fullName": "x", "others": []}})
    assert isinstance(again, Err)
    assert "fullName: unknown (did you mean name?)" in again.text


@pytest.mark.requirement("transform-nested")
def test_predicates_see_the_handlers_own_terms() -> None:
    seen: list[Any] = []

    def approve(prepared: Prepared[Any]) -> bool:
        seen.append(prepared.arguments["customer"]["address"])
        return True

    ours = taking(Customer).transform(
        rename={"customer.address.street": "road"}, hide={"customer.address.zip": "99"}
    )
    sent = {"customer": {"fullName": "ann", "address": {"road": "A"}}}
    ours.replace(requires_approval=True).call_sync(sent, approve=approve)
    assert seen == [{"street": "A", "zip": "99"}]


@pytest.mark.requirement("transform-nested")
def test_examples_and_wires_speak_in_the_new_names() -> None:
    example = {"customer": {"fullName": "ann", "others": [{"street": "B", "zip": "1"}]}}
    told = taking(Customer).replace(examples=[example])
    ours = told.transform(
        rename={"customer.others.street": "road"}, hide={"customer.others.zip": "1"}
    )
    assert ours.examples == [{"customer": {"fullName": "ann", "others": [{"road": "B"}]}}]
    wire = Toolset([ours]).export("openai", strict="require")
    assert '"road"' in json.dumps(wire.tools)
    assert wire.problems == ()


@pytest.mark.requirement("transform-nested")
@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"rename": {"customer.adress": "x"}},
            "rename.customer.adress: unknown parameter; did you mean address?",
        ),
        (
            {"hide": {"customer.address.zip": 5}},
            (
                "hide.customer.address.zip: the parameter does not take the value "
                "(zip: expected string, received integer); correct the value"
            ),
        ),
        (
            {"rename": {"customer.address.zip": "street"}},
            (
                "rename.customer.address: 2 parameters would be named street; "
                "give each a name of its own"
            ),
        ),
        (
            {"hide": {"customer": {"fullName": "x"}}, "rename": {"customer.address.zip": "y"}},
            "rename.customer.address.zip: the parameter is hidden; drop one of the two",
        ),
        (
            {"describe": {"n.inner": "x"}},
            (
                "describe.n.inner: unknown parameter; name a parameter of an object, of "
                "an optional one or of a list of them"
            ),
        ),
        (
            {"describe": {"customer.address.street.more": "x"}},
            (
                "describe.customer.address.street.more: unknown parameter; name a "
                "parameter of an object, of an optional one or of a list of them"
            ),
        ),
    ],
)
def test_faults_name_what_was_written(changes: Any, words: str) -> None:
    with pytest.raises(DefinitionError) as raised:
        Toolset([taking(Customer).transform(**changes)])
    assert str(raised.value) == f"create.{words}"


# ------------------------------------------------------------------------------- the context


@tool
def search(q: str, tenant: str, limit: int = 3) -> str:
    """Search."""
    return f"{q} of {tenant}, {limit}"


@tool
async def search_later(q: str, tenant: str, limit: int = 3) -> str:
    """Search in a loop."""
    return f"{q} of {tenant}, {limit}"


def tenant_of(context: Any) -> str:
    return str(context["tenant"])


@pytest.mark.requirement("transform-context")
@pytest.mark.parametrize("options", [{}, {"timeout": 60}, {"authorize": lambda *_: True}])
@pytest.mark.parametrize("searching", [search, search_later], ids=["sync", "async"])
def test_a_hidden_value_may_be_made_of_the_callers_context(searching: Any, options: Any) -> None:
    ours = searching.replace(name="search", **options).transform(
        hide={"tenant": tenant_of, "limit": lambda: 9}
    )
    tools = Toolset([ours])
    for tenant in ("red", "blue"):
        context = {"tenant": tenant}
        texts = [
            tools.call_sync("search", {"q": "tea"}, context=context).text,
            asyncio.run(tools.call("search", {"q": "tea"}, context=context)).text,
            ours.execute_sync({"q": "tea"}, context),
        ]
        assert texts == [f"tea of {tenant}, 9"] * 3
    refused = tools.call_sync("search", {"q": "tea", "tenant": "green"}, context={"tenant": "red"})
    assert refused.text.endswith("Errors: tenant: unknown")


@pytest.mark.requirement("transform-context")
def test_two_calls_at_a_time_have_each_its_own_context() -> None:
    ours = search_later.transform(hide={"tenant": tenant_of})

    async def main() -> list[str]:
        calls = [ours.call({"q": "tea"}, context={"tenant": str(n)}) for n in range(20)]
        return [outcome.text for outcome in await asyncio.gather(*calls)]

    assert asyncio.run(main()) == [f"tea of {n}, 3" for n in range(20)]


@pytest.mark.requirement("transform-context")
def test_values_made_of_the_context_are_approved_and_run() -> None:
    ours = search.transform(hide={"tenant": tenant_of}).replace(requires_approval=True)
    waiting = ours.call_sync({"q": "tea"}, context={"tenant": "red"})
    assert isinstance(waiting, Err)
    assert waiting.prepared
    assert waiting.prepared.arguments == {"q": "tea", "tenant": "red", "limit": 3}
    assert waiting.prepared.call_sync(context={"tenant": "blue"}).text == "tea of red, 3"
    prepared = ours.prepare({"q": "tea"}, context={"tenant": "red"})
    assert isinstance(prepared, Prepared)
    assert prepared.call_sync().text == "tea of red, 3"


@pytest.mark.requirement("transform-context")
def test_a_context_that_lacks_what_the_value_is_made_of_runs_nothing() -> None:
    outcome = search.transform(hide={"tenant": tenant_of}).call_sync({"q": "tea"}, context={})
    assert isinstance(outcome, Err)
    assert (outcome.kind, outcome.effect) == ("runtime_error", "none")


def test_a_tool_that_was_derived_twice_makes_both_values() -> None:
    once = search.transform(hide={"tenant": tenant_of}, rename={"limit": "most"})
    twice = once.transform(hide={"most": lambda context: context["most"]})
    outcome = twice.call_sync({"q": "tea"}, context={"tenant": "red", "most": 5})
    assert isinstance(outcome, Ok)
    assert outcome.value == "tea of red, 5"
