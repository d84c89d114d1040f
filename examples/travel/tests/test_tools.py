"""How a project tests its tools without a model: run pytest in the example's folder."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from toolhaft import Toolset
from toolhaft.testing import assert_conforms

NAMES = (
    "book_hotel",
    "convert_money",
    "find_hotels",
    "get_weather",
    "list_bookings",
    "plan_trip",
    "search_flights",
    "track_flight",
)


@pytest.mark.parametrize("name", NAMES)
def test_a_tool_holds_what_it_says(toolset: Toolset, name: str) -> None:
    assert_conforms(toolset[name], values=30)


def test_the_tools_are_those_of_the_lock(toolset: Toolset, pytestconfig: pytest.Config) -> None:
    toolset.verify(pytestconfig.rootpath / "toolhaft.lock")


@pytest.mark.parametrize("target", ["anthropic", "openai"])
def test_what_is_sent_is_what_was_reviewed(
    toolhaft_export: Callable[[str], dict[str, Any]], target: str
) -> None:
    assert toolhaft_export(target)


def test_a_card_that_expired_is_not_the_models_business(toolset: Toolset) -> None:
    arguments = {"hotel": "Central", "nights": 1, "card": "card-expired"}
    outcome = toolset.call_sync("book_hotel", arguments)
    assert "sk-live" not in outcome.text
