"""Toolsets inside toolsets: groups and their names."""

from __future__ import annotations

from typing import Any

import pytest

from toolhaft import Store, ToolCall, Toolset, tool
from toolhaft.errors import DefinitionError
from toolhaft.observers.limits import RateLimit

pytestmark = pytest.mark.requirement("tool-groups")


@tool
def list_orders(customer: str) -> str:
    """Return the orders of a customer."""
    return customer


@tool
def greet() -> str:
    """Greet."""
    return "hi"


CRM = Toolset([list_orders], name="crm", description="Customers and orders.")
DESCRIBED = (
    "crm.description: another group of this name has another description; "
    "give both the same, or another name"
)


def test_a_tool_of_a_group_has_its_name_before_its_own() -> None:
    tools = Toolset([greet, CRM])
    assert [each.name for each in tools] == ["greet", "crm.list_orders"]
    group = tools["crm.list_orders"].group
    assert group is not None
    assert (group.name, group.description) == ("crm", "Customers and orders.")
    assert tools.call_sync("crm.list_orders", {"customer": "ann"}).text == "ann"
    assert tools.call_sync("crm.list_order", {}).text == (
        "There is no tool named crm.list_order. Did you mean crm.list_orders? "
        "Available tools: crm.list_orders, greet."
    )


def test_a_toolset_without_a_name_adds_its_tools_as_they_are() -> None:
    assert [each.name for each in Toolset([greet, Toolset([list_orders])])] == [
        "greet",
        "list_orders",
    ]


def test_groups_have_groups() -> None:
    tools = Toolset([Toolset([CRM], name="shop")])
    assert [each.name for each in tools] == ["shop.crm.list_orders"]
    [namespace] = tools.export("openai").tools
    assert (namespace["name"], namespace["tools"][0]["name"]) == ("shop", "shop_crm_list_orders")


def test_a_group_stays_in_sets_that_are_made_of_a_set() -> None:
    tools = Toolset([greet, CRM])
    for derived in (tools.select("crm*"), tools + Toolset(), tools.prefix(""), tools.asking()):
        assert derived["crm.list_orders"].group == tools["crm.list_orders"].group
    longer = tools.prefix("my_")["my_crm.list_orders"]
    assert longer.group is not None
    assert longer.group.name == "my_crm"
    assert tools["crm.list_orders"].replace(name="orders").group is None


def test_callbacks_observers_and_limiters_of_a_group_stay_with_its_tools() -> None:
    limiter = RateLimit(calls=1, seconds=60)
    inner = Toolset([list_orders], name="crm", authorize=lambda _: False, limiters=[limiter])
    tools = Toolset([greet, inner])
    assert tools.limiters == (limiter,)
    outcome = tools.call_sync("crm.list_orders", {"customer": "ann"})
    assert not outcome
    assert outcome.kind == "denied"


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        (
            {"name": "a b"},
            "Toolset.name: holds U+0020 SPACE; use 1 to 64 letters, digits, _ and -",
        ),
        (
            {"name": "More_Tools"},
            "Toolset.name: taken by deferred tools without a group; use another name",
        ),
        (
            {"description": "x"},
            "Toolset.description: only a group has one; give the toolset a name=",
        ),
        (
            {"name": "a", "description": "x\u202e"},
            (
                "Toolset.description: holds a bidirectional character "
                "(U+202E RIGHT-TO-LEFT OVERRIDE); remove it"
            ),
        ),
        ({"defer": 1}, "Toolset.defer: not a boolean; use True or False"),
        ({"search": "x"}, "Toolset.search: invalid value; use one of auto, native, local"),
    ],
)
def test_a_wrong_option_of_a_group_is_a_definition_error(
    options: dict[str, Any], fault: str
) -> None:
    with pytest.raises(DefinitionError) as raised:
        Toolset([], **options)
    assert str(raised.value) == fault


def test_a_group_that_is_called_like_a_tool_is_a_definition_error() -> None:
    with pytest.raises(DefinitionError) as raised:
        Toolset([greet.replace(name="CRM"), CRM])
    assert str(raised.value) == (
        "CRM.name: reads the same as the group crm; rename the tool or the group"
    )


def test_two_tools_of_two_groups_with_one_name_are_a_definition_error() -> None:
    with pytest.raises(DefinitionError, match="reads the same as"):
        Toolset([CRM, CRM])


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        (
            {"name": "crm", "description": "Sales."},
            DESCRIBED,
        ),
        (
            {"name": "crm"},
            DESCRIBED,
        ),
        ({"name": "CRM"}, "CRM.name: reads the same as the group crm; rename one of them"),
    ],
)
def test_two_groups_that_read_the_same_are_a_definition_error(
    options: dict[str, Any], fault: str
) -> None:
    other = Toolset([greet], **options)
    with pytest.raises(DefinitionError) as raised:
        Toolset([CRM, other])
    assert str(raised.value) == fault
    with pytest.raises(DefinitionError) as raised:
        _ = Toolset([CRM]) + Toolset([other])
    assert str(raised.value) == fault


def test_groups_of_one_name_and_description_are_one_group() -> None:
    more = Toolset([greet], name="crm", description="Customers and orders.")
    [namespace] = Toolset([CRM, more]).export("openai").tools
    assert [each["name"] for each in namespace["tools"]] == ["greet", "list_orders"]


@pytest.mark.parametrize(
    ("target", "name"),
    [
        ("openai", "crm.list_orders"),
        ("anthropic", "crm_list_orders"),
        ("openai-chat", "crm_list_orders"),
        ("gemini", "crm.list_orders"),
    ],
)
def test_either_spelling_calls_the_tool_of_a_group(target: str, name: str) -> None:
    wire = Toolset([CRM]).export(target)
    assert list(wire.originals) == [name]
    for spelled in ("crm.list_orders", "crm_list_orders"):
        assert wire.call_sync(ToolCall("c", spelled, {"customer": "ann"})).text == "ann"


def test_openai_calls_a_tool_that_has_the_name_of_its_group() -> None:
    wire = Toolset([Toolset([greet], name="greet")]).export("openai")
    called = {"type": "function_call", "call_id": "c", "name": "greet", "arguments": "{}"}
    answer = wire.answer_sync({"output": [{**called, "namespace": wire.tools[0]["name"]}]})
    assert [outcome.text for outcome in answer.outcomes] == ["hi"]


def test_the_exact_name_of_another_tool_comes_first() -> None:
    other = greet.replace(name="crm_list_orders")
    wire = Toolset([CRM, other]).export("openai")
    assert wire.call_sync(ToolCall("c", "crm_list_orders", {})).text == "hi"
    assert wire.call_sync(ToolCall("d", "crm.list_orders", {"customer": "ann"})).text == "ann"


def test_a_spelling_that_two_tools_have_calls_neither() -> None:
    first = Toolset([greet.replace(name="b_c")], name="a")
    second = Toolset([greet.replace(name="c")], name="a_b")
    wire = Toolset([first, second]).export("openai")
    outcome = wire.call_sync(ToolCall("c", "a_b_c", {}))
    assert not outcome
    assert outcome.kind == "unknown_tool"
    assert wire.call_sync(ToolCall("d", "a.b_c", {})).text == "hi"


def test_a_set_keeps_the_results_of_its_groups_in_their_store() -> None:
    store = Store()
    tools = Toolset([Toolset([list_orders], name="crm", results=store)])
    assert [each.name for each in tools] == ["crm.list_orders", "read_result"]
    text = tools.call_sync("crm.list_orders", {"customer": "tea\n" * 100_000}).text
    assert "read on with read_result" in text


def test_results_of_two_keys_share_no_store() -> None:
    private = Toolset([list_orders], results=Store(key=lambda user: user))
    public = Toolset([greet], results=Store())
    with pytest.raises(DefinitionError, match="results: two stores with different keys"):
        _ = public + private
    with pytest.raises(DefinitionError, match="results: two stores with different keys"):
        Toolset([public, private])
    assert len(Toolset([public, private], results=Store(key=lambda user: user))) == 3
