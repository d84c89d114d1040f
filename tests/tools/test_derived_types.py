"""A tool's annotations mean the types of its own scope, wherever other tools are derived."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import Callable
from typing import Any

import pytest
from starlette.testclient import TestClient

from toolhaft import Toolset, tool
from toolhaft.frameworks.bridge import bridge_tools
from toolhaft.serve import asgi
from toolhaft.toolset.internals import keep_apart, with_repairs

pytestmark = pytest.mark.requirement("derived-types")

OSLO = {"trip": {"stops": [{"town": "Oslo"}]}}


class Data:
    """Data of a caller, which no tool may keep."""


def define(held: Any = None) -> Any:
    """Define a tool by names that only this function knows."""
    from dataclasses import dataclass
    from typing import TypedDict

    from toolhaft import Context, Injected

    @dataclass
    class Place:
        town: str
        next: Place | None = None

    class Trip(TypedDict):
        stops: list[Place]

    @tool
    def visit(
        trip: Trip, user: Injected[str], nights: int = 1, context: Context[Any] = None
    ) -> list[Place]:
        """Visit places."""
        assert held is None or isinstance(held, Data)
        return [Place(f"{user}, {nights}: {place.town}") for place in trip["stops"]]

    return visit


class Shop:
    """An object whose tool is defined by names that its class body knows."""

    def __init__(self, city: str) -> None:
        self.city = city


def define_shop() -> Any:
    from dataclasses import dataclass

    from toolhaft import Injected

    @dataclass
    class Order:
        fruit: str

    class Market(Shop):
        @tool
        def buy(self, order: Order, user: Injected[str]) -> Order:
            """Buy fruit."""
            return Order(f"{user}: {order.fruit} of {self.city}")

    return Market("Oslo")


def allow(*_: Any) -> bool:
    return True


DERIVED: dict[str, Callable[[Any], Any]] = {
    "joined": lambda made: Toolset([made]),
    "prefix": lambda made: Toolset([made]).prefix("our_"),
    "prefix twice": lambda made: Toolset([made]).prefix("our_").prefix("all_"),
    "select": lambda made: Toolset([made]).select("vis*"),
    "sum": lambda made: Toolset([made.replace(name="other")]) + Toolset([made.replace(name="a")]),
    "renamed": lambda made: made.replace(name="other"),
    "options": lambda made: made.replace(timeout=5, coerce="none", extra="ignore"),
    "isolated options": lambda made: made.replace(limit=2).replace(parallel=False),
    "without an output": lambda made: made.replace(output=None),
    "left out": lambda made: made.replace(omit=("nights",)),
    "renamed parameter": lambda made: made.transform(rename={"nights": "days"}),
    "renamed parameter, options": lambda made: made.transform(rename={"nights": "n"}).replace(
        title="Visit"
    ),
    "options, hidden": lambda made: made.replace(title="Visit").transform(hide={"nights": 1}),
    "repairs": lambda made: with_repairs(Toolset([made]), "none"),
    "barrier": lambda made: keep_apart(Toolset([made.replace(parallel=False)])),
    "visible": lambda made: Toolset([made.replace(name="a")], visible=allow).visible_to(None),
    "asking": lambda made: Toolset([made.replace(name="a")]).asking(authorize=allow),
    "formatted": lambda made: Toolset([made.formatted(lambda result: result)]),
}


def tools_of(derived: Any) -> list[Any]:
    return list(derived) if isinstance(derived, Toolset) else [derived]


@pytest.mark.parametrize("is_used", [False, True], ids=["before a use", "after a use"])
@pytest.mark.parametrize("derive", DERIVED.values(), ids=DERIVED.keys())
def test_a_derived_tool_has_the_types_of_the_tool(
    derive: Callable[[Any], Any], is_used: bool
) -> None:
    made = define()
    if is_used:
        Toolset([made])
    for derived in tools_of(derive(made)):
        assert derived.injects == ("user",)
        outcome = derived.call_sync(OSLO, context={"user": "Ann"})
        assert outcome.json == [{"town": "Ann, 1: Oslo", "next": None}]


@pytest.mark.parametrize("derive", [DERIVED["renamed"], DERIVED["options"]])
def test_a_derived_method_has_the_types_of_the_method(derive: Callable[[Any], Any]) -> None:
    market = define_shop()
    for bought in (derive(market.buy), derive(type(market).buy).__get__(market)):
        outcome = bought.call_sync({"order": {"fruit": "plum"}}, context={"user": "Ann"})
        assert outcome.json == {"fruit": "Ann: plum of Oslo"}


@pytest.mark.parametrize("derived_first", [False, True])
def test_a_tool_and_its_derived_tools_share_their_types(derived_first: bool) -> None:
    made = define()
    both = [made, made.replace(name="other")]
    for each in reversed(both) if derived_first else both:
        Toolset([each])
    shown = [each.call_sync(OSLO, context={"user": ""}) for each in both]
    first, second = (outcome.value[0] for outcome in shown)
    assert type(first) is type(second)


def test_names_of_the_place_where_a_tool_is_derived_mean_nothing_to_it() -> None:
    class Place:
        """Another one."""

    made = define()
    derived = made.replace(name="other")
    outcome = derived.call_sync(OSLO, context={"user": ""})
    assert type(outcome.value[0]) is not Place


def test_a_type_given_to_replace_is_read_where_it_is_given() -> None:
    from dataclasses import dataclass

    @dataclass
    class Leg:
        place: Later

    @dataclass
    class Later:
        town: str

    def go(leg: Any) -> str:
        """Go."""
        return str(leg.place.town)

    gone = tool(go, input={"type": "object"}).replace(input=Leg)
    assert gone.call_sync({"place": {"town": "Oslo"}}).unwrap() == "Oslo"


@pytest.mark.parametrize("target", ["openai", "anthropic", "gemini", "mcp"])
def test_an_export_has_the_types_of_the_tool(target: str) -> None:
    wire = Toolset([define()]).prefix("our_").export(target)
    assert (len(wire.tools), list(wire.problems)) == (1, [])


def test_a_server_has_the_types_of_the_tools() -> None:
    app = asgi(Toolset([define()]), context=lambda caller: {"user": "Ann"})
    with TestClient(app, base_url="http://localhost:80") as client:
        answer = client.post("/tools/visit", json=OSLO)
    assert answer.json() == [{"town": "Ann, 1: Oslo", "next": None}]


def test_tools_in_a_framework_have_the_types_of_the_tools() -> None:
    tools = Toolset([define()]).prefix("our_")
    [bridge] = bridge_tools(tools, lambda bridge: bridge, (), context={"user": "Ann"})
    assert bridge.call_sync(OSLO).text == '[{"town":"Ann, 1: Oslo","next":null}]'


def test_a_tool_keeps_no_data_of_the_function_that_defines_it() -> None:
    def define_beside() -> tuple[Any, weakref.ref[Data]]:
        from toolhaft import Context

        data = Data()

        @tool
        def look(city: str, context: Context[str] = "") -> str:
            """Look."""
            return city

        Toolset([look]).prefix("our_")
        return look.replace(name="other"), weakref.ref(data)

    made, data = define_beside()
    Toolset([made])
    gc.collect()
    assert data() is None
    assert asyncio.run(made.execute({"city": "Oslo"})) == "Oslo"
