"""A result with shared parts is as large as what is written of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import attrs
import msgspec
import pydantic
import pytest

from toolhaft import Err, File, Image, Ok, tool
from toolhaft.jsonio import plaindata, primitives
from toolhaft.jsonio.plaindata import MAX_VALUES
from toolhaft.vendors.dumps import count_values, too_large


class Node(pydantic.BaseModel):
    kids: list[Node] = []


class Held(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="allow")
    x: Any = None


class Struct(msgspec.Struct):
    kids: list[Struct] = []


@dataclass
class Data:
    kids: list[Data] = field(default_factory=list)


@attrs.define
class Attrs:
    kids: list[Attrs] = attrs.field(factory=list)


class Row(pydantic.BaseModel):
    n: int


def shared(levels: int = 20) -> Any:
    x: Any = [1]
    for _ in range(levels):
        x = [x, x]
    return x


def nodes(cls: Any, levels: int = 20) -> Any:
    x = cls(kids=[])
    for _ in range(levels):
        x = cls(kids=[x, x])
    return x


def rows() -> Any:
    return [[[Row(n=1)] * 1_000] * 1_000] * 1_000


def call(result: Callable[[], Any], declared: Any) -> Any:
    def give() -> Any:
        "Give it."
        return result()

    if declared is not None:
        give.__annotations__["return"] = declared
    return tool(give).call_sync({})


@pytest.mark.requirement("results-shared-parts")
@pytest.mark.parametrize(
    ("result", "declared"),
    [
        (shared, None),
        (shared, Any),
        (shared, list[Any]),
        (lambda: {"x": shared()}, dict[str, Any]),
        (lambda: (shared(),), None),
        (lambda: Held(x=shared()), Held),
        (lambda: Held.model_validate({"other": shared()}), Held),
        (lambda: {"x": shared()}, Held),
        (lambda: nodes(Node), Node),
        (lambda: nodes(Node), None),
        (lambda: nodes(Struct), Struct),
        (lambda: nodes(Struct), None),
        (lambda: nodes(Data), Data),
        (lambda: nodes(Data), None),
        (lambda: nodes(Attrs), Attrs),
        (lambda: nodes(Attrs), None),
        (rows, list[list[list[Row]]]),
        (lambda: [Row(n=1)] * 600_000, list[Row]),
    ],
)
def test_a_result_of_too_many_values_is_refused_before_it_is_written(
    result: Callable[[], Any], declared: Any
) -> None:
    outcome = call(result, declared)
    assert isinstance(outcome, Err)
    assert (outcome.kind, outcome.effect) == ("output_invalid", "done")
    assert {issue.message for issue in outcome.issues} == {f"more than {MAX_VALUES} values"}


@pytest.mark.requirement("results-shared-parts")
@pytest.mark.parametrize(("cls", "declared"), [(Node, Node), (Data, Data), (Struct, None)])
def test_shared_parts_within_the_bound_are_written_each_time(cls: Any, declared: Any) -> None:
    outcome = call(lambda: nodes(cls, 13), declared)
    assert isinstance(outcome, Ok)
    assert outcome.text.count("kids") == 2**14 - 1
    assert count_values(nodes(cls, 13)) == 2**14 - 1 + 2**14 - 2


class Branch(pydantic.BaseModel):
    parent: Branch | None = pydantic.Field(default=None, exclude=True)
    kids: list[Branch] = []
    _connection: Any = pydantic.PrivateAttr(None)


def test_what_is_not_dumped_does_not_count() -> None:
    tree = Branch()
    tree.kids = [Branch(parent=tree) for _ in range(100)]
    tree._connection = shared(25)
    assert not primitives.is_small(tree)
    assert too_large(tree) == []
    assert isinstance(call(lambda: tree, Branch), Ok)


@pytest.mark.parametrize(
    ("value", "small"),
    [
        (1, True),
        ([[1] * 1000] * 60, True),
        ([[1] * 1000] * 70, False),
        ({"x": shared(17)}, False),
        (nodes(Node, 3), True),
        (nodes(Struct, 20), False),
    ],
)
def test_both_primitives_say_alike_what_is_small(value: object, small: bool) -> None:
    assert (primitives.is_small(value), plaindata.is_small(value)) == (small, small)


@pytest.mark.requirement("results-many-parts")
@pytest.mark.parametrize("declared", [None, list[Image], list[str | Image | File]])
def test_a_result_of_too_many_parts_is_refused(declared: Any) -> None:
    image = Image(b"x", "image/png")
    assert call(lambda: [image] * 1_000, declared)
    outcome = call(lambda: [image, "text"] * 50_000, declared)
    assert isinstance(outcome, Err)
    assert (outcome.kind, outcome.effect) == ("output_invalid", "done")
    assert [issue.message for issue in outcome.issues] == ["more than 1000 parts of content"]
