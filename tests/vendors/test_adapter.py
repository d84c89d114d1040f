"""The parts that every adapter has from its base: both schemas, all issues, the protocol."""

from __future__ import annotations

import asyncio
from typing import Any, Literal

import pytest

from toolhaft import vendors
from toolhaft.schema import components as components_module
from toolhaft.schema.bounds import DefinitionLimits
from toolhaft.schema.components import View
from toolhaft.schema.marks import MARK
from toolhaft.spec import Failure, Issue, Mode, SchemaNotConvertible, StandardSchema, Success
from toolhaft.vendors import adapter as adapter_module
from toolhaft.vendors.adapter import Adapter, Rejected, prefix_path


class Even(Adapter[int]):
    vendor = "even"

    def __init__(self) -> None:
        super().__init__()
        self.emitted = 0

    def construct(self, data: Any) -> int:
        if type(data) is int and data % 2 == 0:
            return data
        raise Rejected([Issue("odd", vendor_code="odd")])

    def emit(self, mode: Mode) -> dict[str, Any]:
        self.emitted += 1
        return {"type": "integer", "maximum": 10, "title": mode}


class Words(Even):
    """It has words of its own for everything."""

    def construct(self, data: Any) -> int:
        raise Rejected([Issue("give me a word"), Issue("or two", ("a",), "format")])


class Wide(Even):
    """An author's function stands before it, and takes more than its schema says."""

    def emit(self, mode: Mode) -> dict[str, Any]:
        return {**super().emit(mode), MARK: {"open": True}}

    def construct(self, data: Any) -> int:
        return super().construct(int(data))


def issues(adapter: Adapter[int], data: Any) -> tuple[Issue, ...]:
    result = adapter.validate(data)
    assert isinstance(result, Failure)
    return result.issues


def test_an_adapter_is_a_standard_schema() -> None:
    schema: StandardSchema[int] = Even()
    assert (schema.version, schema.vendor) == (1, "even")
    result = schema.validate(4)
    assert isinstance(result, Success)
    assert result.value == 4


def test_the_schema_is_emitted_once_for_each_mode_and_handed_out_as_copies() -> None:
    adapter = Even()
    first = adapter.json_schema()
    first["title"] = "changed"
    assert adapter.json_schema()["title"] == "input"
    assert adapter.json_schema(mode="output")["title"] == "output"
    assert adapter.emitted == 2


@pytest.mark.requirement("schemas-in-dialects")
def test_the_schema_is_written_in_every_dialect_of_schemas() -> None:
    pair = vendors.adapt(tuple[Literal["a"], int | None])
    written = {
        target: pair.json_schema(target=target)
        for target in ("draft-2020-12", "draft-07", "openapi-3.1")
    }
    number = {"anyOf": [{"type": "integer"}, {"type": "null"}]}
    parts = [{"type": "string", "const": "a"}, number]
    bounds = {"type": "array", "minItems": 2, "maxItems": 2}
    assert written == {
        "draft-2020-12": {**bounds, "prefixItems": parts},
        "draft-07": {**bounds, "items": parts},
        "openapi-3.1": {**bounds, "prefixItems": parts},
    }
    nullable = vendors.adapt(int | None).json_schema(target="openapi-3.0")
    assert nullable == {"type": "integer", "nullable": True}


@pytest.mark.requirement("schemas-in-dialects")
def test_a_target_that_is_no_dialect_or_cannot_express_the_schema_is_named() -> None:
    with pytest.raises(SchemaNotConvertible) as unknown:
        Even().json_schema(target="openai")
    assert str(unknown.value) == (
        "openai: not a dialect of schemas; use draft-2020-12, draft-07, openapi-3.0, openapi-3.1, "
        "or toolhaft.lowering.lower for a provider"
    )
    never: Any = {"type": "object", "properties": {"a": False}, "required": ["a"]}
    with pytest.raises(SchemaNotConvertible, match=r"openapi-3\.0 cannot express the schema: "):
        vendors.adapt(never).json_schema(target="openapi-3.0")


def test_the_vendors_own_errors_are_alone_if_the_schema_finds_nothing() -> None:
    assert issues(Even(), 3) == (Issue("odd", vendor_code="odd"),)


def test_a_vendor_gets_only_data_that_its_schema_accepts() -> None:
    assert issues(Words(), 12) == (Issue("expected at most 10", (), "value"),)
    assert issues(Words(), 2) == (Issue("give me a word"), Issue("or two", ("a",), "format"))


def test_behind_an_authors_function_only_the_vendor_decides() -> None:
    assert Wide().read("4") == (4, "4")
    assert issues(Wide(), "3") == (Issue("odd", vendor_code="odd"),)
    assert Wide().input.admit("4").widened == [()]
    assert Wide().input.admit(4).widened == []
    assert Wide().json_schema() == {"type": "integer", "maximum": 10, "title": "input"}


def test_an_adapter_without_instances_or_dumps_assumes_neither() -> None:
    assert not Even().is_instance(2)
    assert Even().dump(2) == 2


def test_a_synchronous_schema_can_be_awaited_too() -> None:
    assert asyncio.run(Even().construct_awaited(4)) == 4


def test_the_bounds_of_a_schema_are_looked_at_once_for_each_limits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked: list[DefinitionLimits] = []

    def view_of(schema: Any, limits: DefinitionLimits) -> View:
        looked.append(limits)
        return components_module.view_of(schema, limits)

    monkeypatch.setattr(adapter_module, "view_of", view_of)
    usual, few = DefinitionLimits(), DefinitionLimits(max_nodes=1)
    even = Even()
    assert [even.faults("input", usual), even.faults("input", usual)] == [[], []]
    assert [one.reason for one in even.faults("input", few)] == ["more than 1 JSON values"]
    assert [one.reason for one in even.faults("input", few)] == ["more than 1 JSON values"]
    assert even.faults("output", usual) == []
    assert looked == [usual, few, usual]


def test_an_unfinished_adapter_cannot_emit() -> None:
    with pytest.raises(NotImplementedError):
        Adapter[int]().emit("input")


def test_an_issue_is_moved_further_inside_with_all_its_facts() -> None:
    inner = Issue("odd", (0,), "value", "even", "odd", "parity")
    assert prefix_path(inner, "a", 1) == Issue("odd", ("a", 1, 0), "value", "even", "odd", "parity")
