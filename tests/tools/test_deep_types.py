"""A type that is nested too deep is a fault of the definition, whatever its library."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import make_dataclass
from typing import Any, NamedTuple, TypedDict

import attrs
import msgspec
import pydantic
import pytest

from toolhaft import DefinitionError, Toolset, tool


def nested(make: Callable[[int, Any], Any], depth: int) -> Any:
    inner: Any = int
    for number in range(depth):
        inner = make(number, inner)
    return inner


# As values, which a type checker does not read as types.
LIST: Any = list
DICT: Any = dict
TUPLE: Any = tuple
TYPED_DICT: Any = TypedDict
NAMED_TUPLE: Any = NamedTuple
MAKERS: dict[str, Callable[[int, Any], Any]] = {
    "list": lambda _, inner: LIST[inner],
    "dict": lambda _, inner: DICT[str, inner],
    "union": lambda _, inner: LIST[inner] | None,
    "tuple": lambda _, inner: TUPLE[inner, int],
    "pydantic": lambda number, inner: pydantic.create_model(f"M{number}", x=(inner, ...)),
    "msgspec": lambda number, inner: msgspec.defstruct(f"S{number}", [("x", inner)]),
    "dataclass": lambda number, inner: make_dataclass(f"D{number}", [("x", inner)]),
    "attrs": lambda number, inner: attrs.make_class(f"A{number}", {"x": attrs.field(type=inner)}),
    "typed dict": lambda number, inner: TYPED_DICT(f"T{number}", {"x": inner}),
    "named tuple": lambda number, inner: NAMED_TUPLE(f"N{number}", [("x", inner)]),
}


@pytest.mark.requirement("definition-deep-types")
@pytest.mark.parametrize("side", ["x", "return"])
@pytest.mark.parametrize("depth", [40, 100, 300])
@pytest.mark.parametrize("kind", MAKERS)
def test_a_deep_type_is_usable_or_a_fault(kind: str, depth: int, side: str) -> None:
    def take(x: Any = None) -> Any:
        "Take it."
        return x

    take.__annotations__ = {"x": int, side: nested(MAKERS[kind], depth)}
    reason = ""
    outcome: Any = None
    try:
        outcome = Toolset([tool(take)]).call_sync("take", {"x": "no"})
    except DefinitionError as error:
        reason = str(error)
    if outcome is None:
        assert reason.startswith(("take: ", "take."))
    else:
        assert (depth, outcome.kind) == (40, "invalid_input")


@pytest.mark.requirement("definition-deep-types")
def test_models_that_are_too_deep_are_a_fault() -> None:
    def take(x: Any) -> None:
        "Take it."

    take.__annotations__ = {"x": nested(MAKERS["pydantic"], 300)}
    with pytest.raises(DefinitionError) as caught:
        Toolset([tool(take)])
    assert str(caught.value) == "take: its types are nested too deep; write flatter types"
