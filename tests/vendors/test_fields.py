"""Where a schema has the fields of what is made from it."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from toolhaft.jsonio.jsondata import UNKNOWN
from toolhaft.schema.marks import without_marks
from toolhaft.vendors.fields import FieldKey, Fields, factory_default, fields_at, mark_fields


def test_a_schema_and_its_copies_are_marked_with_the_fields() -> None:
    node: dict[str, Any] = {"type": "object"}
    fields = Fields([FieldKey("n", "n")])
    mark_fields(node, fields)
    assert fields_at(node) is fields_at(deepcopy(node)) is fields
    assert without_marks(node) == {"type": "object"}
    assert fields_at({"type": "object"}) is None


@pytest.mark.parametrize("factory", [list, dict, set, frozenset, tuple])
def test_a_constant_factory_is_a_static_default(factory: Any) -> None:
    assert factory_default(factory) == {"default": "static", "declared": factory()}


def test_any_other_factory_is_called_for_each_call() -> None:
    def make() -> list[int]:
        return []

    assert factory_default(make) == {"default": "factory", "make": make, "unfit": None}
    assert FieldKey("n", "n", **factory_default(make)).declared is UNKNOWN
