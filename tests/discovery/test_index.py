"""The local search finds the tools that a request is about."""

from __future__ import annotations

import random
import string
from typing import Any

import pytest

from tests.share import share
from toolhaft import Toolset, from_json, tool
from toolhaft.errors import ToolhaftError
from toolhaft.tools.tool import AnyTool

pytestmark = pytest.mark.requirement("search-local")


def run(arguments: dict[str, Any]) -> None:
    raise AssertionError(arguments)


def declared(name: str, description: str, **parameters: str) -> AnyTool:
    properties = {key: {"type": "string", "description": text} for key, text in parameters.items()}
    schema = {"type": "object", "properties": properties}
    made: AnyTool = tool(run, name=name, description=description, input=schema, output=None)
    return made


TOOLS = Toolset(
    [
        declared("list_orders", "Return the orders of a customer.", customer="Id of the buyer"),
        declared("send_invoice", "Send the invoice of an order by email."),
        declared("getWeather", "Forecast for a city.", units="Celsius or Fahrenheit"),
        declared("delete_file", "Erase a document from the disk."),
    ]
)


def found(query: str, tools: Toolset = TOOLS, **options: Any) -> list[str]:
    return [each.name for each in tools.search(query, **options)]


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("getWeather", "getWeather"),
        ("weather", "getWeather"),
        ("forecasts", "getWeather"),
        ("fahrenheit", "getWeather"),
        ("what did this buyer order", "list_orders"),
        ("mail the bill", "send_invoice"),
        ("remove the file", "delete_file"),
    ],
)
def test_the_first_result_is_the_tool_that_is_meant(query: str, name: str) -> None:
    assert found(query)[0] == name


@pytest.mark.parametrize("query", ["", "  ", "\u202e\u2066", "xylophone", "!?", "\x00"])
def test_a_query_without_a_known_word_finds_nothing(query: str) -> None:
    assert found(query) == []


def test_a_megabyte_of_words_is_searched_at_its_beginning() -> None:
    assert found("invoice " + "zzz " * 250_000) == ["send_invoice"]


def test_no_more_than_the_limit_are_found_and_equal_ones_stand_in_the_order_of_names() -> None:
    twins = Toolset([declared(name, "Print a page.") for name in ("b", "c", "a")])
    assert found("print", twins) == ["a", "b", "c"]
    assert found("print", twins, limit=2) == ["a", "b"]
    assert found("print", twins, limit=0) == []


def test_an_empty_set_finds_nothing() -> None:
    assert found("order", Toolset([])) == []


def test_nested_parameters_and_listed_values_are_searched() -> None:
    nested = {
        "type": "object",
        "properties": {
            "options": {
                "type": "array",
                "items": {"anyOf": [{"properties": {"colour": {"enum": ["magenta", 1]}}}]},
            }
        },
    }
    tools = from_json([{"name": "paint", "description": "Paint.", "inputSchema": nested}])
    assert found("magenta", tools) == found("colour", tools) == ["paint"]


def test_a_tool_that_the_caller_may_not_make_is_not_found() -> None:
    code_only = declared("sum_rows", "Add rows.").replace(allowed_callers={"programmatic"})
    tools = Toolset([code_only])
    assert found("rows", tools) == []
    assert found("rows", tools, caller="programmatic") == ["sum_rows"]


WORDS = ["".join(random.Random(n).choices(string.ascii_lowercase, k=5)) for n in range(40)]


def random_catalogue(seed: int) -> Toolset:
    """Draw tools of few words, and who may see them."""
    drawn = random.Random(seed)
    names = drawn.sample(WORDS, drawn.randint(1, 8))
    tools = [declared(name, " ".join(drawn.choices(WORDS, k=6))) for name in names]
    secret = {name: drawn.randrange(3) for name in names}
    return Toolset(tools, visible=lambda each, level: secret[each.name] <= level)


@pytest.mark.requirement("search-scope")
def test_what_a_caller_may_not_see_is_never_found_and_changes_no_result() -> None:
    for seed in range(share(500)):
        tools, query = random_catalogue(seed), " ".join(WORDS[seed % 37 :][:3])
        for level in range(3):
            shown = [each.name for each in tools if each.is_visible(level)]
            results = found(query, tools, limit=9, context=level)
            assert set(results) <= set(shown)
            alone = Toolset([each for each in tools if each.name in shown])
            assert results == found(query, alone, limit=9, context=level)
            assert results == found(query, tools.visible_to(level), limit=9, context=level)


@pytest.mark.parametrize(
    ("query", "options", "message"),
    [
        (3, {}, "query: not text; pass a str"),
        ("orders", {"limit": "3"}, "limit: not a whole number; pass one"),
        ("orders", {"caller": "x"}, "caller: invalid value; use one of direct, programmatic"),
        ("orders", {"caller": []}, "caller: invalid value; use one of direct, programmatic"),
    ],
)
def test_a_wrong_argument_is_an_error(query: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ToolhaftError) as raised:
        found(query, **options)
    assert str(raised.value) == f"search: {message}"
