"""A prepared call is checked once more when it is made, and asks a person where it must."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from toolhaft import Err, Prepared, tool
from toolhaft.call.preparing import needs_person
from toolhaft.spec import Failure, Success
from toolhaft.tools.internals import boundary_of


def double(n: int) -> int:
    """Twice a number."""
    return 2 * n


@pytest.mark.parametrize(
    ("approval", "asks"),
    [(True, True), (False, False), (lambda arguments: arguments["n"] > 1, True),
     (lambda arguments: arguments["n"] > 2, False)],
)  # fmt: skip
def test_a_person_is_needed_where_the_option_or_its_predicate_says_so(
    approval: Any, asks: bool
) -> None:
    one = tool(double, requires_approval=approval)
    prepared = one.prepare({"n": 2})
    assert isinstance(prepared, Prepared)
    assert asyncio.run(needs_person(boundary_of(one), prepared, None, has_loop=True)) is asks


class BreaksLater:
    """A schema whose validator works once."""

    version = 1
    vendor = "breaks"

    def __init__(self) -> None:
        self.asked = 0

    async def validate(self, value: Any, /) -> Success[Any] | Failure:
        self.asked += 1
        if self.asked > 1:
            raise KeyError("bug")
        return Success(value["n"])

    def json_schema(self, *, target: str = "", mode: str = "input") -> dict[str, Any]:
        return {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


@pytest.mark.parametrize("in_a_loop", [True, False])
def test_a_validator_that_breaks_when_the_call_is_made_lets_nothing_run(in_a_loop: bool) -> None:
    ran: list[Any] = []

    def take(value: Any) -> None:
        "Take a number."
        ran.append(value)

    schema: Any = BreaksLater()
    one: Any = tool(take, input=schema)
    prepared = one.prepare({"n": 1})
    assert isinstance(prepared, Prepared)
    outcome = asyncio.run(prepared.call()) if in_a_loop else prepared.call_sync()
    assert isinstance(outcome, Err)
    assert (outcome.kind, outcome.effect, ran) == ("runtime_error", "none", [])
