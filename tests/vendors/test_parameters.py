"""A signature's parameters: any name, any vendor, one schema, and only arguments that were sent."""

from __future__ import annotations

import asyncio
import enum
from collections.abc import Callable
from datetime import date
from typing import Annotated, Any, Literal, NotRequired, Required
from uuid import UUID

import msgspec
import pytest
from pydantic import BaseModel, Field, field_validator

from toolhaft import tool
from toolhaft.definition.markers import Doc
from toolhaft.schema.marks import without_marks
from toolhaft.spec import Failure, Issue, Success
from toolhaft.vendors.adapter import NoVendor
from toolhaft.vendors.parameters import (
    Parameter,
    ParameterFaults,
    ParametersAdapter,
    compile_parameters,
)


def signature(*parameters: Parameter, extra: Literal["forbid", "ignore"] = "forbid") -> Any:
    return compile_parameters("sample", parameters, extra=extra)


def value(adapter: ParametersAdapter, data: Any) -> dict[str, Any]:
    result = adapter.validate(data)
    assert isinstance(result, Success), result.issues  # type: ignore[union-attr]
    return result.value


def issues(adapter: ParametersAdapter, data: Any) -> list[str]:
    result = adapter.validate(data)
    assert isinstance(result, Failure)
    return [str(issue) for issue in result.issues]


class Color(enum.Enum):
    RED = "red"


class City(BaseModel):
    name: str

    @field_validator("name")
    @classmethod
    def known(cls, name: str) -> str:
        if name == "Atlantis":
            raise ValueError("sunk")
        return name


class Struct(msgspec.Struct):
    n: int


class Wide(msgspec.Struct):
    inner: Struct
    at: UUID


class Same:
    class City(msgspec.Struct):
        n: int

    class Holder(msgspec.Struct):
        city: Same.City


AWKWARD = [
    "model_config", "model_dump", "model_fields", "schema", "json", "copy", "validate", "self_",
    "cls", "self", "class_", "_x", "__x", "args", "kwargs", "from", "lambda", "type", "extra",
    "name", "data", "input", "context", "ß", "ключ",
]  # fmt: skip


@pytest.mark.requirement("pain-41")
@pytest.mark.parametrize("name", AWKWARD)
def test_an_awkward_name_goes_in_and_comes_out(name: str) -> None:
    adapter = signature(Parameter(name, int), Parameter("other", int, False, 1))
    assert value(adapter, {name: 7}) == {name: 7}
    assert without_marks(adapter.emit("input"))["properties"][name] == {"type": "integer"}
    assert issues(adapter, {name: "7"}) == [f"{name}: expected integer, received string"]


@pytest.mark.requirement("pain-45")
def test_values_have_their_annotated_types_and_defaults_stay_in_the_function() -> None:
    adapter = signature(
        Parameter("city", City),
        Parameter("color", Color, False, Color.RED),
        Parameter("ids", set[UUID], False, set()),
        Parameter("day", date, False, None),
    )
    assert value(adapter, {"city": {"name": "Paris"}, "color": "red"}) == {
        "city": City(name="Paris"),
        "color": Color.RED,
    }
    assert value(adapter, {"city": {"name": "Paris"}, "ids": [str(UUID(int=1))]}) == {
        "city": City(name="Paris"),
        "ids": {UUID(int=1)},
    }


@pytest.mark.requirement("parameters-schema")
def test_the_schema_has_the_order_the_defaults_and_the_descriptions_of_the_signature() -> None:
    adapter = signature(
        Parameter("b", Annotated[int, Field(ge=1, title="B")], True, description="docstring's b"),
        Parameter("a", Annotated[str, Doc("Doc's a")], False, "x", "docstring's a"),
        Parameter("c", Annotated[str, Field(description="Field's c")], False, "y", "docstring's"),
        Parameter("color", Color, False, Color.RED),
        Parameter("city", City | None, False, None, "docstring's city"),
        Parameter("day", date, False, date(2024, 1, 1)),
        Parameter("odd", list[int], False, object()),
        Parameter("absent", int, False),
    )
    schema = without_marks(adapter.emit("input"))
    assert schema == {
        "type": "object",
        "properties": {
            "b": {"type": "integer", "minimum": 1, "title": "B", "description": "docstring's b"},
            "a": {"type": "string", "description": "Doc's a", "default": "x"},
            "c": {"type": "string", "description": "Field's c", "default": "y"},
            "color": {"$ref": "#/$defs/Color", "default": "red"},
            "city": {
                "anyOf": [{"$ref": "#/$defs/City"}, {"type": "null"}],
                "default": None,
                "description": "docstring's city",
            },
            "day": {"type": "string", "format": "date", "default": "2024-01-01"},
            "odd": {"type": "array", "items": {"type": "integer"}},
            "absent": {"type": "integer"},
        },
        "required": ["b"],
        "additionalProperties": False,
        "$defs": {
            "Color": {"enum": ["red"], "type": "string"},
            "City": {
                "type": "object",
                "properties": {"name": {"type": "string"}},
                "required": ["name"],
            },
        },
    }
    assert list(schema["properties"]) == ["b", "a", "c", "color", "city", "day", "odd", "absent"]
    assert list(schema)[-1] == "$defs"


def test_no_parameters_are_an_object_without_properties() -> None:
    adapter = signature()
    assert without_marks(adapter.emit("input")) == {
        "type": "object",
        "properties": {},
        "additionalProperties": False,
    }
    assert value(adapter, {}) == {}
    assert issues(adapter, {"x": 1}) == ["x: unknown"]


@pytest.mark.requirement("parameters-extra")
def test_undeclared_keys_are_rejected_or_left_out_by_policy() -> None:
    strict = signature(Parameter("n", int))
    open_ = signature(Parameter("n", int), extra="ignore")
    assert issues(strict, {"n": 1, "zz": 2}) == ["zz: unknown (allowed: n)"]
    assert value(open_, {"n": 1, "zz": 2}) == {"n": 1}
    assert "additionalProperties" not in without_marks(open_.emit("input"))


def test_qualifiers_of_an_unpacked_typed_dict_decide_what_is_required() -> None:
    made = [
        Parameter("a", NotRequired[int]),
        Parameter("b", Required[int], required=False),
        Parameter("c", int, required=False),
    ]
    assert [(one.annotation, one.required) for one in made] == [
        (int, False),
        (int, True),
        (int, False),
    ]
    assert without_marks(signature(*made).emit("input"))["required"] == ["b"]


# ------------------------------------------------------------------------- mixed signatures


def mixed(**options: Any) -> Any:
    return signature(
        Parameter("city", City),
        Parameter("struct", Struct, False, Struct(3)),
        Parameter("wide", Wide | None, False, None),
        Parameter("n", int, False, 1),
        **options,
    )


@pytest.mark.requirement("parameters-mixed-vendors")
def test_each_parameter_is_read_by_the_vendor_that_owns_it() -> None:
    made = value(
        mixed(),
        {
            "city": {"name": "Paris"},
            "struct": {"n": 1},
            "wide": {"inner": {"n": 2}, "at": str(UUID(int=1))},
            "n": 5,
        },
    )
    assert made == {
        "city": City(name="Paris"),
        "struct": Struct(1),
        "wide": Wide(Struct(2), UUID(int=1)),
        "n": 5,
    }
    assert value(mixed(), {"city": {"name": "Paris"}}) == {"city": City(name="Paris")}


@pytest.mark.requirement("parameters-mixed-vendors")
def test_faults_of_all_vendors_come_together() -> None:
    data = {"city": {"name": 1}, "struct": {"n": "1"}, "wide": {"inner": {}}, "n": "x", "zz": 1}
    assert sorted(issues(mixed(), data)) == [
        "city.name: expected string, received integer",
        "n: expected integer, received string",
        "struct.n: expected integer, received string",
        "wide.at: required",
        "wide.inner.n: required",
        "zz: unknown",
    ]


def test_errors_of_another_vendor_are_placed_at_its_parameter() -> None:
    adapter = mixed()
    data = {"city": {"name": "Paris"}, "wide": {"inner": {"n": 1}, "at": "x"}}
    assert issues(adapter, data) == [
        "wide.at: expected a UUID, such as 123e4567-e89b-12d3-a456-426614174000"
    ]
    assert issues(adapter, {"city": {"name": "Atlantis"}}) == ["city.name: sunk"]


def test_schemas_of_other_vendors_are_at_their_place_with_free_definition_names() -> None:
    adapter = signature(
        Parameter("a", City),
        Parameter("b", Annotated[Struct, Doc("the b")], False, Struct(3)),
        Parameter("c", Same.Holder | None, False, None),
    )
    schema = without_marks(adapter.emit("input"))
    struct = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    assert schema["properties"] == {
        "a": {"$ref": "#/$defs/City"},
        "b": {**struct, "description": "the b", "default": {"n": 3}},
        "c": {"anyOf": [{"$ref": "#/$defs/Holder"}, {"type": "null"}], "default": None},
    }
    assert list(schema["properties"]) == ["a", "b", "c"]
    assert list(schema["$defs"]) == ["City", "Holder", "City_2"]
    assert schema["$defs"]["Holder"]["properties"] == {"city": {"$ref": "#/$defs/City_2"}}


class Written:
    """A schema of the protocol with a JSON Schema that a test chooses."""

    version = 1
    vendor = "written"

    def __init__(self, schema: Any) -> None:
        self.schema = schema

    def validate(self, value: Any, /) -> Any:
        return Success(("read", value))

    def json_schema(self, *, target: str, mode: str) -> Any:
        return self.schema


class Awaited(Written):
    async def validate(self, value: Any, /) -> Any:
        if value == {"n": 0}:
            return Failure([Issue("not zero", ("n",))])
        return Success(("awaited", value))


def carrying(schema: Any) -> Any:
    return type("Carrier", (), {"__standard_schema__": schema})


def test_a_schema_that_points_at_its_own_root_cannot_be_embedded() -> None:
    tp = carrying(Written({"type": "object", "properties": {"more": {"$ref": "#"}}}))
    with pytest.raises(NoVendor, match="a: # points into the schema's own root"):
        signature(Parameter("a", tp)).emit("input")


def test_references_in_a_tagged_union_are_renamed_with_their_definitions() -> None:
    mapping = {"x": "#/$defs/City"}
    union = {"oneOf": [{"$ref": "#/$defs/City"}], "discriminator": {"mapping": mapping}}
    tp = carrying(Written({**union, "$defs": {"City": {"type": "integer"}}}))
    adapter = signature(Parameter("a", City), Parameter("b", tp))
    schema = without_marks(adapter.emit("input"))
    assert schema["properties"]["b"] == {
        "oneOf": [{"$ref": "#/$defs/City_2"}],
        "discriminator": {"mapping": {"x": "#/$defs/City_2"}},
    }


@pytest.mark.requirement("vendor-awaitable-validate")
def test_a_parameter_whose_schema_must_be_awaited_is_awaited() -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    adapter = signature(Parameter("a", carrying(Awaited(schema))), Parameter("b", int))
    assert adapter.awaits
    made = asyncio.run(adapter.construct_awaited({"a": {"n": 1}, "b": 2}))
    assert made == {"a": ("awaited", {"n": 1}), "b": 2}

    async def refused() -> Any:
        return await adapter.validate({"a": {"n": 0}, "b": 2})

    assert asyncio.run(refused()).issues == (Issue("not zero", ("a", "n")),)


# ------------------------------------------------------------------------------- refusals


class Stranger:
    pass


def faults(*parameters: Parameter) -> dict[str, str]:
    with pytest.raises(ParameterFaults) as caught:
        signature(*parameters).emit("input")
    return {name: str(fault) for name, fault in caught.value.faults}


@pytest.mark.requirement("parameters-all-faults")
def test_every_parameter_that_nobody_can_carry_is_named_with_its_fix() -> None:
    found = faults(
        Parameter("fine", int),
        Parameter("any", Any),
        Parameter("thing", object),
        Parameter("maybe", Annotated[Any | None, Doc("d")]),
        Parameter("stranger", Stranger),
        Parameter("call", Callable[[int], int]),
        Parameter("field", int, False, Field(3, ge=1)),
        Parameter("inner", Annotated[int, Field(default=3)]),
        Parameter("alias", Annotated[int, Field(alias="x")]),
    )
    untyped = "the type does not describe its values; name a type, such as dict[str, Any]"
    assert found == {
        "any": untyped,
        "thing": untyped,
        "maybe": untyped,
        "stranger": "no validator owns Stranger; give its JSON Schema as parameters=, or a "
        "schema_of(...) for it",
        "call": "pydantic: collections.abc.Callable[[int], int]: Cannot generate a JsonSchema for "
        "core_schema.CallableSchema; use a type with a JSON form, or give parameters=",
        "field": "Field(...) used as the default; write Annotated[..., Field(...)]",
        "inner": "Field(...) holds the default; write the default after =",
        "alias": "Field(...) gives an alias; use the parameter's own name, or "
        "transform(rename={'alias': 'x'})",
    }


def test_a_type_that_fails_only_when_it_is_written_is_named_as_well() -> None:
    assert list(faults(Parameter("a", int), Parameter("b", Callable[[], int]))) == ["b"]
    assert list(faults(Parameter("a", int), Parameter("b", Stranger))) == ["b"]


@pytest.mark.parametrize("tp", [dict[str, Any], list[Any], dict, list, int | None])
def test_containers_of_anything_are_fine(tp: Any) -> None:
    assert signature(Parameter("a", tp)).emit("input")["required"] == ["a"]


class Link(msgspec.Struct):
    street: bool
    following: Link | None = None


def test_two_parameters_may_be_of_one_recursive_struct() -> None:
    def take(first: Link, second: Link | None) -> None:
        """Take two."""

    schema = tool(take).input_schema.json_schema()
    assert sorted(schema["$defs"]) == ["Link", "Link_2"]
    assert tool(take).prepare(
        {"first": {"street": True, "following": {"street": False}}, "second": None}
    )
