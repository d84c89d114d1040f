"""LangChain's own standard tests of tools, on one of ours."""

from __future__ import annotations

from typing import Any

import pytest

from toolhaft import tool

unit = pytest.importorskip("langchain_tests.unit_tests", reason="langchain-tests is not installed")
integration = pytest.importorskip("langchain_tests.integration_tests")


@tool
def add(a: int, b: int = 1) -> int:
    """Add two whole numbers."""
    return a + b


class Ours:
    """The tool that is tested, and arguments for it."""

    @property
    def tool_constructor(self) -> Any:
        from toolhaft.frameworks.langchain import to_langchain

        return to_langchain(add)

    @property
    def tool_invoke_params_example(self) -> dict[str, Any]:
        return {"a": 2, "b": 3}


class TestUnit(Ours, unit.ToolsUnitTests):  # type: ignore[name-defined]
    """The tests without a call."""


class TestIntegration(Ours, integration.ToolsIntegrationTests):  # type: ignore[name-defined]
    """The tests that call it."""
