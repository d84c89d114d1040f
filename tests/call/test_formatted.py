"""A tool with a format writes each result by it, and its calls are prepared as any other's."""

from __future__ import annotations

import asyncio

from toolhaft import Context, Ok, Prepared, tool


@tool
def greet(name: str, user: Context[str]) -> str:
    """Greet somebody."""
    return f"{user} greets {name}"


def test_a_prepared_call_has_its_context_and_its_result_is_written_by_the_format() -> None:
    marked = greet.with_format(lambda result: f"<{result}>")
    for is_sync in (True, False):
        prepared = marked.prepare({"name": "ann"})
        assert isinstance(prepared, Prepared)
        if is_sync:
            outcome = prepared.call_sync(context="bob")
        else:
            outcome = asyncio.run(prepared.call(context="bob"))
        assert isinstance(outcome, Ok)
        assert (outcome.value, outcome.json) == ("<bob greets ann>", "<bob greets ann>")
