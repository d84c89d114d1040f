"""Tokens are estimated without a tokenizer."""

from __future__ import annotations

import pytest

from toolhaft import Toolset, tool
from toolhaft.toolset.token_estimate import estimate_tokens

pytestmark = pytest.mark.requirement("token-estimates")


@tool
def greet(name: str) -> str:
    """Greet somebody."""
    return name


# The counts of o200k_base, by bpe-openai 0.1.4.
@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("hello", 1),
        ('{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}', 20),
    ],
)
def test_an_estimate_is_near_the_count_of_a_tokenizer(text: str, count: int) -> None:
    assert estimate_tokens(text) == pytest.approx(count, rel=0.15)


def test_tools_that_are_deferred_are_counted_apart() -> None:
    later = greet.replace(name="later", defer=True)
    tools = Toolset([greet, later])
    for target in ("openai", "anthropic", "gemini"):
        estimate = tools.estimate_tokens(target)
        assert "greet" in estimate.tools
        assert list(estimate.deferred) == ["later"]
        assert estimate.total == sum(estimate.tools.values()) + sum(estimate.groups.values())
        assert estimate.total_deferred == estimate.deferred["later"] > 0
    assert list(tools.estimate_tokens("openai").groups) == ["more_tools"]
    assert list(tools.estimate_tokens("mcp").tools) == ["greet", "later"]


def test_a_tool_that_a_caller_may_not_see_is_not_counted() -> None:
    tools = Toolset([greet], visible=lambda _, user: user == "admin")
    assert tools.estimate_tokens("openai").total == 0
    assert tools.estimate_tokens("openai", context="admin").total > 0
