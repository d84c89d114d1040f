"""Dataclasses with slots in models that keep undeclared keys: there is no room for one in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict
from pydantic.dataclasses import dataclass as pydantic_dataclass

from toolhaft import Err, Ok, tool

OPEN = ConfigDict(extra="allow")


@dataclass
class Roomy:
    x: int


class Around(BaseModel):
    model_config = OPEN
    roomy: Roomy | None = None


# Older versions of pydantic do not hold a dataclass to the policy of the model around it.
follows = pytest.mark.skipif(
    "w" not in vars(Around.model_validate({"roomy": {"x": 1, "w": 2}}).roomy),
    reason="this pydantic drops what a dataclass in an open model does not declare",
)


@dataclass(slots=True)
class Point:
    x: int
    y: int = 2


class Open(Around):
    point: Point | None = None


@pydantic_dataclass(slots=True, config=OPEN)
class Slotted:
    x: int


@pytest.mark.requirement("slotted-dataclasses")
@pytest.mark.parametrize("asks", [False, True])
@pytest.mark.parametrize(
    ("kind", "data", "message"),
    [
        pytest.param(
            Open,
            {"point": {"x": 1, "w": 2}},
            "point.w: unknown (there is only x, y)",
            marks=follows,
        ),
        (Slotted, {"x": 1, "w": 2}, "w: unknown (there is only x)"),
    ],
)
def test_an_undeclared_key_of_a_slotted_dataclass_is_refused(
    kind: Any, data: Any, message: str, asks: bool
) -> None:
    taking = tool(lambda taken: None, name="take", description="Take.", input=kind, output=None)
    outcome = taking.replace(requires_approval=asks).call_sync(data, approve=lambda _: True)
    assert isinstance(outcome, Err)
    assert (outcome.kind, [str(issue) for issue in outcome.issues]) == ("invalid_input", [message])


@follows
@pytest.mark.requirement("slotted-dataclasses")
def test_the_model_around_it_keeps_its_extras() -> None:
    taking = tool(
        lambda taken: f"{taken!r}", name="take", description="Take.", input=Open, output=None
    )
    data = {"point": {"x": 1}, "roomy": {"x": 1, "w": 2}, "more": 3}
    outcome = taking.call_sync(data)
    assert isinstance(outcome, Ok)
    assert outcome.value == "Open(roomy=Roomy(x=1), point=Point(x=1, y=2), more=3)"
    assert outcome.arguments == data
