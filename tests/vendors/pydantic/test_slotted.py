"""Dataclasses with slots in models that keep undeclared keys: there is no room for one in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict
from pydantic.dataclasses import dataclass as pydantic_dataclass

from toolhaft import Err, Ok, tool

OPEN = ConfigDict(extra="allow")


@dataclass(slots=True)
class Point:
    x: int
    y: int = 2


@dataclass
class Roomy:
    x: int


class Open(BaseModel):
    model_config = OPEN
    point: Point | None = None
    roomy: Roomy | None = None


@pydantic_dataclass(slots=True, config=OPEN)
class Slotted:
    x: int


@pytest.mark.requirement("slotted-dataclasses")
@pytest.mark.parametrize("asks", [False, True])
@pytest.mark.parametrize(
    ("kind", "data", "message"),
    [
        (Open, {"point": {"x": 1, "w": 2}}, "point.w: unknown (allowed: x, y)"),
        (Slotted, {"x": 1, "w": 2}, "w: unknown (allowed: x)"),
    ],
)
def test_an_undeclared_key_of_a_slotted_dataclass_is_refused(
    kind: Any, data: Any, message: str, asks: bool
) -> None:
    taking = tool(lambda taken: None, name="take", description="Take.", input=kind, output=None)
    outcome = taking.replace(requires_approval=asks).call_sync(data, approve=lambda _: True)
    assert isinstance(outcome, Err)
    assert (outcome.kind, [str(issue) for issue in outcome.issues]) == ("invalid_input", [message])


@pytest.mark.requirement("slotted-dataclasses")
def test_the_model_around_it_keeps_its_extras() -> None:
    taking = tool(
        lambda taken: f"{taken!r}", name="take", description="Take.", input=Open, output=None
    )
    data = {"point": {"x": 1}, "roomy": {"x": 1, "w": 2}, "more": 3}
    outcome = taking.call_sync(data)
    assert isinstance(outcome, Ok)
    assert outcome.value == "Open(point=Point(x=1, y=2), roomy=Roomy(x=1), more=3)"
    assert outcome.arguments == data
