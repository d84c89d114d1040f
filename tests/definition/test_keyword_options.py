"""The signature of a function that takes `**options` lists each of them."""

from __future__ import annotations

import inspect
from typing import Any, TypedDict

from typing_extensions import Unpack

from toolhaft.definition.keyword_options import show_options


class Options(TypedDict, total=False):
    color: str
    width: int


@show_options(Options, width=2)
def draw(shape: str, size: int = 1, *, fill: bool = False, **options: Unpack[Options]) -> Any:
    """Draw a shape."""
    return shape, size, fill, options


def test_each_option_is_a_parameter_with_its_type_and_its_default() -> None:
    assert str(inspect.signature(draw)) == (
        "(shape: 'str', size: 'int' = 1, *, fill: 'bool' = False, color: 'str' = None, "
        "width: 'int' = 2) -> 'Any'"
    )


def test_a_call_goes_to_the_function_as_it_is() -> None:
    assert draw("circle", 3, color="red") == ("circle", 3, False, {"color": "red"})
