"""Annotations are resolved by the names around a handler, each once."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any

import pytest

from toolhaft import DefinitionError, tool
from toolhaft.definition.scope import Unresolved, own_annotations
from toolhaft.definition.signature import Handler, read_handler

if TYPE_CHECKING:
    from decimal import Decimal


def handler(fn: Any) -> Handler:
    found = read_handler(fn)
    assert found is not None
    return found


@pytest.mark.requirement("pain-39")
def test_local_and_forward_references_resolve() -> None:
    class Local: ...

    def define() -> Handler:
        class Inner: ...

        def uses(a: Local, b: Inner, c: list[Later]) -> None: ...

        read = handler(uses)

        class Later: ...

        assert Later is not None
        return read

    types = define().types_of({"a", "b", "c"})
    assert types["a"] is Local
    assert types["b"].__name__ == "Inner"
    assert types["c"].__args__[0].__name__ == "Later"


@pytest.mark.requirement("pain-39")
def test_every_name_that_means_nothing_is_named() -> None:
    def crooked(a: Decimal, b: Nowhere, c: int) -> None: ...  # type: ignore[name-defined]  # noqa: F821

    with pytest.raises(Unresolved) as raised:
        handler(crooked).types_of({"a", "b", "c"})
    assert raised.value.faults == [
        (
            name,
            f"the annotation names {missing}, which is not defined at run time",
            f"import {missing} outside `if TYPE_CHECKING`",
        )
        for name, missing in [("a", "Decimal"), ("b", "Nowhere")]
    ]


def test_an_annotation_that_cannot_be_read_is_a_flaw() -> None:
    def crooked(a: 1 / 0) -> None: ...  # type: ignore[valid-type]

    with pytest.raises(Unresolved) as raised:
        handler(crooked).types_of({"a"})
    assert raised.value.faults == [
        ("a", "the annotation cannot be read (ZeroDivisionError)", "correct it")
    ]


@pytest.mark.requirement("derived-types")
def test_a_scope_that_is_released_knows_types_and_what_fields_mention_and_no_data() -> None:
    def define() -> Handler:
        import decimal
        from dataclasses import dataclass

        bound, secret = object(), object()

        @dataclass
        class Local:
            n: Annotated[int, bound]

        def uses(a: Local) -> None: ...

        assert (decimal, secret) is not None
        return handler(uses)

    scope = define().scope
    assert {"bound", "secret"} <= scope.names().keys()
    scope.release()
    assert scope.names().keys() == {"Local", "bound", "decimal"}


@pytest.mark.requirement("derived-types")
def test_an_extended_scope_prefers_the_names_of_the_handler() -> None:
    class Local: ...

    def uses(a: Local) -> None: ...

    scope = handler(uses).scope

    def extend() -> Any:
        class Local: ...

        class Other: ...

        assert (Local, Other) is not None
        return scope.extend()

    names = extend().names()
    assert names["Local"] is Local
    assert names["Other"].__name__ == "Other"


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
