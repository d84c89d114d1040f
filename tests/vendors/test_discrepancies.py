"""Disagreements of validators with their own schemas: each is closed, or reported at once.

Every vendor makes the same one-field class of a row's annotation; all of them reject the row's
invalid values with the same code, through the whole boundary and without any repair.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Annotated, Any, Literal
from uuid import UUID

import annotated_types
import attrs
import marshmallow
import msgspec
import pydantic
import pytest
import voluptuous
from marshmallow import fields
from pydantic import ConfigDict
from typing_extensions import TypedDict

from tests.installed import at_least
from tests.vendors.one_field import (
    DIGITS,
    VENDORS,
    Color,
    Level,
    holder,
    reading,
    sent,
    where,
)
from toolhaft import DefinitionError, Err, Ok, Toolset, tool
from toolhaft.tools.tool import AnyTool

every_vendor = pytest.mark.parametrize("name", VENDORS)
ANNOTATED = [name for name in VENDORS if name not in ("json-schema", "marshmallow", "voluptuous")]
CLASSES = ["pydantic", "dataclass", "attrs", "msgspec"]


def loaded(field: Any) -> Any:
    return marshmallow.Schema.from_dict({"x": field})


def read(validator: Any) -> Any:
    return voluptuous.Schema({voluptuous.Required("x"): validator})


def same(value: Any) -> Any:
    return value


def codes(name: str, made: AnyTool, *values: Any) -> list[Any]:
    """Return the codes of each value's issues; empty if it is accepted."""
    outcomes = [made.call_sync(sent(name, value)) for value in values]
    return [[one.code for one in out.issues] if isinstance(out, Err) else [] for out in outcomes]


def made_for(name: str, row: str, tp: Any, **notes: Any) -> AnyTool:
    """The vendor's tool for a row; it is skipped where the vendor has no such type."""
    for topic, why in VENDORS[name].lacks.items():
        if row.startswith(topic):
            pytest.skip(why)
    try:
        return reading(name, tp, **notes)
    except KeyError:
        pytest.skip(f"{name} has no such type")


# The case, the annotation, its constraints, the rejected values, and the code.
REFUSED: list[tuple[str, Any, dict[str, Any], list[Any], str]] = [
    ("D1 integer", int, {}, ["3", 3.7, None, [3]], "type"),
    ("D1 number", float, {}, ["1.5", "NaN", None], "type"),
    ("D1 boolean", bool, {}, ["false", "no", 0, 1], "type"),
    ("D1 text", str, {}, [75001, True, None], "type"),
    ("D1 epoch", datetime, {}, [1700000000, 1.5], "type"),
    ("D5 newline and digits", str, {"pattern": DIGITS}, ["12345\n", "١٢٣٤٥"], "format"),
    ("D6 date-time", datetime, {}, [
        "2024-01-01", "2024-01-01T10", "2024-01-01_10:00", "2024-01-01T10:00:00+0100",
        "2024-01-01T10:00:00 Z", "20240101T100000Z", "1700000000", "soon", "2024-02-30T10:00:00Z",
        "2024-01-01T25:00", "2024-01-01T10:00Z\n",
    ], "format"),
    ("D6 date", date, {}, ["2024-01-01T00:00:00Z", "20240101", "2024-02-30"], "format"),
    ("D6 time", time, {}, ["36000", "9:30", "10", "T10:30", "10:30 Z", "25:00:00"], "format"),
    ("D6 duration", timedelta, {}, ["3600", "12:00:00", "3 days", "P1.5D", "P"], "format"),
    ("D6 uuid", UUID, {}, [
        "12345678123456781234567812345678", "{12345678-1234-5678-1234-567812345678}",
        "urn:uuid:12345678-1234-5678-1234-567812345678",
    ], "format"),
    ("D6 aware", pydantic.AwareDatetime, {}, ["2024-01-01T10:00:00", "2024-01-01 10:00"], "zone"),
    ("D7 decimal", Decimal, {}, ["NaN", "Infinity", "abc", " 1", "1_0", ""], "format"),
    ("D8 set", set[int], {}, [[1, 1], [1, 2, 1]], "value"),
    ("D11 integer", int, {}, [True, False], "type"),
    ("D11 enum", Level, {}, [True, 1.5, 2], "enum"),
    ("D11 literal", Literal[1], {}, [True, "1"], "enum"),
]  # fmt: skip


# An enum of one member's type may be reported by its type, and a required zone in a library's own
# words.
LOOSE: dict[str, tuple[set[str], ...]] = {
    "enum": ({"enum"}, {"type"}),
    "format": ({"format"}, {"union"}),
    "zone": ({"format"}, {"custom"}),
}


@pytest.mark.unmeasured
@pytest.mark.requirement("vendor-discrepancies")
@every_vendor
@pytest.mark.parametrize(
    ("row", "tp", "notes", "values", "code"), REFUSED, ids=lambda one: str(one)[:20]
)
def test_data_that_the_schema_forbids_are_rejected_with_its_code(
    name: str, row: str, tp: Any, notes: dict[str, Any], values: list[Any], code: str
) -> None:
    found = codes(name, made_for(name, row, tp, **notes), *values)
    loose = LOOSE.get(code, ({code},))
    assert [value for value, one in zip(values, found, strict=True) if set(one) not in loose] == []


TEN = datetime.fromisoformat("2024-01-01T10:00")
ACCEPTED: list[tuple[str, Any, Any, Any]] = [
    ("D2", int, 3.0, 3),
    ("D2 number", float, 5, 5.0),
    ("D6 date-time", datetime, "2024-01-01T10:00:00Z", None),
    ("D6 date-time, local", datetime, "2024-01-01T10:00:00", TEN),
    ("D6 date-time, short", datetime, "2024-01-01T10:00", TEN),
    ("D6 date-time, space", datetime, "2024-01-01 10:00:30.5", TEN + timedelta(seconds=30.5)),
    ("D6 date-time, both", datetime, "2024-01-01 10:00Z", None),
    ("D6 aware", pydantic.AwareDatetime, "2024-01-01 10:00+01:00", None),
    ("D6 date", date, "2024-02-29", date(2024, 2, 29)),
    ("D6 time", time, "10:30:00", time(10, 30)),
    ("D6 time, short", time, "10:30", time(10, 30)),
    ("D6 time, zoned", time, "10:30Z", None),
    ("D6 duration", timedelta, "PT1H", timedelta(hours=1)),
    ("D6 duration, sign", timedelta, "-P1DT1.5S", timedelta(days=-1, seconds=-1.5)),
    ("D6 uuid", UUID, str(UUID(int=1)), UUID(int=1)),
    ("D7", Decimal, "1.50", Decimal("1.50")),
    ("D8", set[int], [2, 1], {1, 2}),
    ("D10 tuple", tuple[int, str], [1, "a"], (1, "a")),
    ("D10 enum", Color, "red", Color.RED),
    ("D10 bytes", bytes, "YQ==", None),
    ("D11", Level, 1, Level.LOW),
]  # fmt: skip


@pytest.mark.unmeasured
@pytest.mark.requirement("vendor-discrepancies")
@every_vendor
@pytest.mark.parametrize(("row", "tp", "value", "wanted"), ACCEPTED, ids=lambda one: str(one)[:20])
def test_data_and_text_of_the_same_arguments_are_read_alike(
    name: str, row: str, tp: Any, value: Any, wanted: Any
) -> None:
    made = made_for(name, row, tp)
    given = sent(name, value)
    by_data, by_text = made.call_sync(given), made.call_sync(json.dumps(given))
    assert isinstance(by_data, Ok)
    assert isinstance(by_text, Ok)
    assert repr(by_data.value) == repr(by_text.value)
    assert by_data.coercions == ()
    plain = name == "json-schema" or (name == "voluptuous" and row.startswith(("D6", "D8")))
    if wanted is not None and not plain:
        assert (type(by_data.value), by_data.value) == (type(wanted), wanted)


@pytest.mark.requirement("vendor-discrepancies")
@pytest.mark.parametrize("name", ANNOTATED)
def test_a_constraint_of_another_library_is_kept_or_refused(name: str) -> None:
    """D3: `annotated_types` on a msgspec Struct is ignored by msgspec, and so refused by us."""
    made = reading(name, Annotated[int, annotated_types.Ge(3)])
    if name == "msgspec":
        with pytest.raises(DefinitionError, match="Ge on x is ignored"):
            Toolset([made])
        return
    assert codes(name, made, 2, 3) == [["value"], []]
    assert '"minimum": 3' in json.dumps(made.input_schema.json_schema())


def even(value: Any) -> Any:
    if value % 2:
        raise ValueError("odd")
    return value


class Custom(fields.Raw):
    """A field that nobody can write in a schema."""


LOST: dict[str, tuple[Any, str]] = {
    "D3 marshmallow validator": (loaded(fields.Integer(validate=even)), "validate=even"),
    "D3 voluptuous function": (read(voluptuous.All(int, even)), "the function even"),
    "D3 voluptuous group": (
        voluptuous.Schema({voluptuous.Exclusive(key, "one"): int for key in "xy"}),
        "Exclusive",
    ),
    "D3 voluptuous inclusive": (
        voluptuous.Schema({voluptuous.Inclusive(key, "all"): int for key in "xy"}),
        "Inclusive",
    ),
    "D4 marshmallow custom field": (loaded(Custom()), "Custom"),
    "D4 voluptuous sequence": (read(voluptuous.ExactSequence([int, str])), "ExactSequence"),
    "D4 voluptuous self": (voluptuous.Schema({"x": [voluptuous.Self]}), "Self"),
    "D4 pydantic plain validator": (
        pydantic.create_model("H", x=(Annotated[int, pydantic.PlainValidator(even)], ...)),
        "PlainValidator",
    ),
}
if at_least("marshmallow", "4.3"):
    LOST["D3 marshmallow hook"] = (loaded(fields.Integer(pre_load=even)), "pre_load")


@pytest.mark.requirement("vendor-discrepancies")
@pytest.mark.parametrize("case", LOST)
def test_losses_of_a_schema_are_reported_at_the_definition(case: str) -> None:
    """D3 and D4: named, with what to do; with `parameters` beside it the validator is used."""
    schema, named = LOST[case]
    made = tool(lambda given: 1, name="t", description="d", input=schema, output=None)
    with pytest.raises(DefinitionError, match=named) as raised:
        Toolset([made])
    assert all(fault.fix for fault in raised.value.faults)


@pytest.mark.requirement("vendor-discrepancies")
@pytest.mark.parametrize("name", ANNOTATED)
@pytest.mark.parametrize("tp", [Callable[[], int], type("Stranger", (), {})],
                         ids=["callable", "a class of nobody"])  # fmt: skip
def test_a_type_without_a_json_form_is_never_written_loosely(name: str, tp: Any) -> None:
    """D4: a type that cannot be expressed raises at definition, with a reason and a fix."""
    if name.startswith("pydantic") and isinstance(tp, type):
        pytest.skip("pydantic refuses the class itself")
    with pytest.raises(DefinitionError, match=r"; "):
        Toolset([reading(name, tp)])


REFUSING = ("signature", "mixed signature", "marshmallow", "voluptuous")


@pytest.mark.requirement("vendor-discrepancies")
@every_vendor
def test_a_key_that_nobody_declared_is_refused_or_recorded(name: str) -> None:
    """D9: signatures and the two loaders reject it, the others have no rule for further keys."""
    outcome = reading(name, int).call_sync({**sent(name, 1), "zz": 2})
    refuses = name in (*REFUSING, "named tuple")  # which is shown as an object of one key
    assert isinstance(outcome, Err) == refuses
    if isinstance(outcome, Err):
        assert [(one.path, one.code) for one in outcome.issues] == [(("zz",), "extra")]
    elif name != "json-schema":  # it is open: further keys are part of the arguments
        assert [(one.path, one.rule) for one in outcome.coercions] == [(("zz",), "vendor_ignored")]


@pytest.mark.requirement("vendor-discrepancies")
@every_vendor
def test_paths_lead_into_the_data_and_every_fault_is_found(name: str) -> None:
    """D12 and D13: no union branch, no `[...]`, and not the first fault alone."""
    made = made_for(name, "D12", dict[str, list[int | None]])
    outcome = made.call_sync(sent(name, {"a.b": [1, "2"], "": ["3", None, True]}))
    assert isinstance(outcome, Err)
    assert {(one.path, one.code) for one in outcome.issues} == {
        (where(name, "a.b", 1), "type"),
        (where(name, "", 0), "type"),
        (where(name, "", 2), "type"),
    }


def _tagged() -> dict[str, Any]:
    class Cat(pydantic.BaseModel):
        kind: Literal["cat"]
        lives: int

    class Dog(pydantic.BaseModel):
        kind: Literal["dog"]
        name: str

    class CatStruct(msgspec.Struct, tag_field="kind", tag="cat"):
        lives: int

    class DogStruct(msgspec.Struct, tag_field="kind", tag="dog"):
        name: str

    class CatKeys(TypedDict):
        kind: Literal["cat"]
        lives: int

    class DogKeys(TypedDict):
        kind: Literal["dog"]
        name: str

    cat = dataclasses.make_dataclass("Cat", [("kind", Literal["cat"]), ("lives", int)])
    dog = dataclasses.make_dataclass("Dog", [("kind", Literal["dog"]), ("name", str)])
    cats = voluptuous.Schema({"kind": "cat", "lives": int}, required=True)
    dogs = voluptuous.Schema({"kind": "dog", "name": str}, required=True)
    checked = pydantic.dataclasses.dataclass
    return {
        "pydantic": Cat | Dog,
        "pydantic dataclass": checked(cat) | checked(dog),
        "msgspec": CatStruct | DogStruct,
        "dataclass": cat | dog,
        "typed dict": CatKeys | DogKeys,
        "named tuple": cat | dog,
        "signature": Cat | Dog,
        "mixed signature": CatStruct | DogStruct,
        "attrs": attrs.define(cat_class()) | attrs.define(dog_class()),
        "json-schema": Cat | Dog,
        "voluptuous": voluptuous.Any(cats, dogs),
    }


def cat_class() -> type:
    return type("Cat", (), {"__annotations__": {"kind": Literal["cat"], "lives": int}})


def dog_class() -> type:
    return type("Dog", (), {"__annotations__": {"kind": Literal["dog"], "name": str}})


@pytest.mark.requirement("vendor-discrepancies")
@every_vendor
def test_a_union_is_explained_by_the_form_that_was_meant(name: str) -> None:
    """D14."""
    if name == "marshmallow":
        pytest.skip("marshmallow has no unions")
    made = (
        tool(same, name="t", description="d", input=read(_tagged()[name]), output=None)
        if name == "voluptuous"
        else reading(name, _tagged()[name])
    )
    outcome = made.call_sync(sent(name, {"kind": "cat", "lives": "nine"}))
    assert isinstance(outcome, Err)
    assert [(one.path, one.code) for one in outcome.issues] == [(where(name, "lives"), "type")]


class AliasModel(pydantic.BaseModel):
    model_config = ConfigDict(extra="forbid")
    n: int = pydantic.Field(default=1, validation_alias="inN", serialization_alias="outN")

    @pydantic.computed_field
    def twice(self) -> int:
        return 2 * self.n


class AliasStruct(msgspec.Struct, rename="camel"):
    big_n: int = 1


@pytest.mark.requirement("vendor-discrepancies")
@pytest.mark.parametrize(
    ("tp", "sent", "input_keys", "output_keys", "dumped"),
    [
        (AliasModel, {"inN": 2}, ["inN"], ["outN", "twice"], {"outN": 2, "twice": 4}),
        (AliasStruct, {"bigN": 2}, ["bigN"], ["bigN"], {"bigN": 2}),
    ],
    ids=["pydantic", "msgspec"],
)
def test_aliases_and_computed_fields_depend_on_the_direction(
    tp: Any, sent: Any, input_keys: list[str], output_keys: list[str], dumped: Any
) -> None:
    """D15: a default makes an input key optional in both modes."""
    made = tool(lambda given: given, name="t", description="d", input=tp, output=tp)
    outcome = made.call_sync(sent)
    assert isinstance(outcome, Ok)
    assert outcome.json == dumped
    schemas = made.input_schema.json_schema(), made.input_schema.json_schema(mode="output")
    assert [list(schema["properties"]) for schema in schemas] == [input_keys, output_keys]
    assert "required" not in schemas[0]


@pytest.mark.requirement("vendor-discrepancies")
@pytest.mark.parametrize("name", CLASSES)
def test_an_instance_that_was_never_validated_is_no_result(name: str) -> None:
    """D16."""
    tp = holder(name, int)
    made: Any = tp.model_construct(x="wrong") if name == "pydantic" else tp(x="wrong")
    outcome = tool(lambda: made, name="t", description="d", output=tp).call_sync()
    assert isinstance(outcome, Err)
    assert outcome.kind == "output_invalid"
    assert [(one.path, one.code) for one in outcome.issues] == [(("x",), "type")]
    assert "wrong" not in outcome.text
