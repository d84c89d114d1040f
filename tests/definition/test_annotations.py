"""Annotations are read as they are written, also where a name is missing."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from toolhaft import DefinitionError, tool
from toolhaft.definition.annotations import own_annotations

# Compiled without the `annotations` of this file's future import.
LAZY = """
def pay(amount: int, account: Missing) -> int: ...


class Order:
    number: int
    customer: Missing
"""


class Base:
    inherited: int


class Derived(Base):
    pass


def test_a_class_has_its_own_annotations_only() -> None:
    assert own_annotations(Base) == {"inherited": "int"}
    assert own_annotations(Derived) == {}
    assert own_annotations(object) == {}


def test_a_callable_without_annotations_has_none() -> None:
    assert own_annotations(len) == own_annotations(object()) == {}


@pytest.mark.skipif(sys.version_info < (3, 14), reason="annotations are evaluated at once")
@pytest.mark.parametrize("name", ["pay", "Order"])
def test_a_missing_name_leaves_the_other_annotations(name: str) -> None:
    space: dict[str, Any] = {"__name__": __name__}
    exec(compile(LAZY, __file__, "exec", dont_inherit=True), space)
    notes = list(own_annotations(space[name]).values())
    assert notes[0] is int
    assert notes[1].__forward_arg__ == "Missing"


@pytest.mark.skipif(sys.version_info < (3, 14), reason="annotations are evaluated at once")
def test_a_tool_with_a_missing_name_is_a_definition_error() -> None:
    space: dict[str, Any] = {"__name__": __name__}
    exec(compile(LAZY, __file__, "exec", dont_inherit=True), space)
    with pytest.raises(DefinitionError, match="names Missing, which is not defined"):
        tool(description="Pay.")(space["pay"]).input_schema.json_schema()
