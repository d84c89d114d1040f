"""Results in every vendor: the value that is shown, its JSON, and results that are withheld.

A returned object is never trusted. It is written by its class, and the data must fit the output
schema; without a declared type, all vendors write by one table.
"""

from __future__ import annotations

import dataclasses
import enum
import subprocess
import sys
import threading
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import PurePosixPath
from typing import Annotated, Any, NamedTuple
from uuid import UUID

import attrs
import marshmallow
import msgspec
import pydantic
import pytest
import voluptuous
from marshmallow import fields
from pydantic import Field, PlainSerializer
from typing_extensions import TypedDict

from toolhaft import Err, Ok, tool
from toolhaft.tools.tool import AnyTool


def giving(value: Any, output: Any) -> AnyTool:
    def give() -> Any:
        return value

    made: AnyTool = tool(give, description="Give.", output=output)
    return made


def given(value: Any, output: Any) -> Any:
    """The JSON of a result, or why there is none."""
    outcome = giving(value, output).call_sync()
    if isinstance(outcome, Ok):
        return outcome.json
    return [(outcome.kind, *((*issue.path, issue.message) for issue in outcome.issues))]


def shown(output: Any) -> Any:
    schema = giving(None, output).output_schema
    assert schema is not None
    return schema.json_schema(mode="output")


# ------------------------------------------------------------------- what nobody declared


class Model(pydantic.BaseModel):
    x: Any


@dataclasses.dataclass
class Plain:
    x: Any


class Keys(TypedDict):
    x: Any


class Pair(NamedTuple):
    x: Any


@attrs.define
class Attributes:
    x: Any


class Struct(msgspec.Struct):
    x: Any


class Loaded(marshmallow.Schema):
    x = fields.Raw(allow_none=True)


def same(value: Any) -> Any:
    return value


def keyed(value: Any) -> dict[str, Any]:
    return {"x": value}


SCHEMA = {"type": "object", "properties": {"x": {}}, "required": ["x"]}
# The output, how a value is put into it, and where it stands there.
HOLDERS: dict[str, tuple[Any, Callable[[Any], Any], str | int | None]] = {
    "nothing": (None, same, None),
    "list": (list[Any], lambda value: [value], 0),
    "bare list": (list, lambda value: [value], 0),
    "map": (dict[str, Any], keyed, "x"),
    "pydantic": (Model, lambda value: Model.model_construct(x=value), "x"),
    "dataclass": (Plain, Plain, "x"),
    "typed dict": (Keys, keyed, "x"),
    "named tuple": (Pair, Pair, 0),
    "attrs": (Attributes, Attributes, "x"),
    "msgspec": (Struct, Struct, "x"),
    "json-schema": (SCHEMA, keyed, "x"),
    "marshmallow": (Loaded, keyed, "x"),
    "marshmallow object": (Loaded, Attributes, "x"),
    "voluptuous": (voluptuous.Schema({voluptuous.Required("x"): object}), keyed, "x"),
}
every_holder = pytest.mark.parametrize("name", HOLDERS)


class Color(enum.Enum):
    RED = "red"


WRITTEN: list[tuple[Any, Any]] = [
    (None, None),
    ([1, {"a": "b"}], [1, {"a": "b"}]),
    ((1, 2), [1, 2]),
    ({"c", "a", "b"}, ["a", "b", "c"]),
    (frozenset({3, 1}), [1, 3]),
    (Color.RED, "red"),
    (b"text", "text"),
    (datetime(2024, 1, 1, tzinfo=UTC), "2024-01-01T00:00:00Z"),
    (date(2024, 1, 1), "2024-01-01"),
    (time(1, 2), "01:02:00"),
    (timedelta(days=400, seconds=90), "P400DT1M30S"),
    (Decimal("1.50"), "1.50"),
    (UUID(int=1), str(UUID(int=1))),
    (PurePosixPath("/a"), "/a"),
    (Model(x=1), {"x": 1}),
    (Plain(1), {"x": 1}),
    (Attributes(1), {"x": 1}),
    (Struct(1), {"x": 1}),
    (Pair(1), [1]),
    ([Struct(1)], [{"x": 1}]),
    (Struct(Model(x=Attributes(Plain([Pair(1)])))), {"x": {"x": {"x": {"x": [[1]]}}}}),
]  # fmt: skip


@pytest.mark.requirement("vendor-results-table")
@every_holder
@pytest.mark.parametrize(("value", "data"), WRITTEN, ids=lambda one: type(one).__name__)
def test_undeclared_results_are_written_by_one_table(name: str, value: Any, data: Any) -> None:
    output, hold, step = HOLDERS[name]
    found = given(hold(value), output)
    assert (found if step is None else found[step]) == data


WITHHELD: list[tuple[Any, str]] = [
    (float("nan"), "not a finite number"),
    (float("-inf"), "not a finite number"),
    ("\ud800", "lone surrogate in a text"),
    (10**4400, "number too large"),
    (threading.Lock(), "expected plain JSON data, received lock"),
    (ValueError("secret"), "expected plain JSON data, received ValueError"),
    (iter([1]), "expected plain JSON data, received list_iterator"),
    (1j, "expected plain JSON data, received complex"),
    (pydantic.SecretStr("secret"), "expected plain JSON data, received SecretStr"),
    (Struct, "expected plain JSON data, received StructMeta"),
]


@pytest.mark.unmeasured
@pytest.mark.requirement("vendor-results-table")
@every_holder
@pytest.mark.parametrize(("value", "why"), WITHHELD, ids=lambda one: type(one).__name__)
def test_a_result_that_is_not_json_is_withheld_at_any_place(
    name: str, value: Any, why: str
) -> None:
    output, hold, _ = HOLDERS[name]
    outcome = giving(hold(value), output).call_sync()
    assert isinstance(outcome, Err)
    # pydantic shows an iterator behind one of its own.
    messages = [one.message.replace("SerializationI", "list_i") for one in outcome.issues]
    assert (outcome.kind, messages) == ("output_invalid", [why])


@pytest.mark.requirement("vendor-results-table")
def test_the_place_of_what_is_not_json_is_logged() -> None:
    lock = threading.Lock()
    assert given([1, {"a": Struct(lock)}], list[Any]) == [
        ("output_invalid", (1, "a", "expected plain JSON data, received lock"))
    ]


@pytest.mark.requirement("vendor-results-table")
@pytest.mark.parametrize("cls", [Model, Plain, Attributes, Struct])
def test_an_object_that_holds_itself_is_withheld(cls: Any) -> None:
    held = cls(x=1)
    held.x = held
    for output in (None, cls, list[Any]):
        found = given([held] if output == list[Any] else held, output)
        assert [one[0] for one in found] == ["output_invalid"]


class Linked(pydantic.BaseModel):
    next: Linked | None = None


@dataclasses.dataclass
class LinkedPlain:
    next: LinkedPlain | None = None


@attrs.define
class LinkedAttrs:
    next: LinkedAttrs | None = None


class LinkedStruct(msgspec.Struct):
    next: LinkedStruct | None = None


@pytest.mark.requirement("vendor-dump-is-checked")
@pytest.mark.parametrize("cls", [Linked, LinkedPlain, LinkedAttrs, LinkedStruct])
@pytest.mark.parametrize("many", [False, True])
def test_an_object_that_is_declared_and_holds_itself_is_withheld(cls: Any, many: bool) -> None:
    held = cls()
    held.next = held
    listed: Any = list
    found = given([held] if many else held, listed[cls] if many else cls)
    assert [one[0] for one in found] == ["output_invalid"]


def test_an_object_whose_class_has_no_schema_is_withheld() -> None:
    untyped = attrs.make_class("Untyped", ["x"])
    assert given([untyped(1)], list[Any]) == [
        ("output_invalid", (0, "expected plain JSON data, received Untyped"))
    ]


SETS = """
from tests.vendors.test_results import *
many = {"a", "b", "c", "d", "e", "f", "g"}
class Declared(pydantic.BaseModel):
    x: set[str]
class Packed(msgspec.Struct):
    x: frozenset[str]
print([given(many, one) for one in (None, set[str], frozenset[str])])
print([given(hold(many), output) for output, hold, _ in HOLDERS.values()])
print(given(Declared(x=many), Declared), given(Packed(frozenset(many)), Packed))
"""


@pytest.mark.unmeasured
@pytest.mark.requirement("vendor-deterministic")
def test_a_set_is_written_in_the_same_order_in_every_process() -> None:
    runs = {
        subprocess.run(
            [sys.executable, "-c", SETS],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(filter(None, sys.path))},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "4711")
    }
    assert len(runs) == 1
    assert "['a', 'b', 'c', 'd', 'e', 'f', 'g']" in runs.pop()


# ------------------------------------------------------------------- computed fields


class Box(pydantic.BaseModel):
    width: int
    height: int

    @pydantic.computed_field
    def area(self) -> int:
        return self.width * self.height


@dataclasses.dataclass
class PlainBox:
    width: int
    height: int
    area: int = dataclasses.field(init=False, default=0)

    def __post_init__(self) -> None:
        self.area = self.width * self.height


@attrs.define
class AttrsBox:
    width: int
    height: int
    area: int = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        self.area = self.width * self.height


class LoadedBox(marshmallow.Schema):
    width = fields.Integer(required=True)
    height = fields.Integer(required=True)
    area = fields.Integer(dump_only=True)


COMPUTED: dict[str, tuple[Any, Any]] = {
    "pydantic": (Box, Box(width=2, height=3)),
    "dataclass": (PlainBox, PlainBox(2, 3)),
    "attrs": (AttrsBox, AttrsBox(2, 3)),
    "marshmallow": (LoadedBox, AttrsBox(2, 3)),
}


@pytest.mark.requirement("vendor-output-schemas")
@pytest.mark.parametrize("name", COMPUTED)
def test_a_computed_field_is_in_results_and_never_an_argument(name: str) -> None:
    output, value = COMPUTED[name]
    assert given(value, output) == {"width": 2, "height": 3, "area": 6}
    assert shown(output)["properties"]["area"]["type"] == "integer"
    taking = tool(same, name="take", description="Take.", input=output, output=None)
    assert set(taking.input_schema.json_schema()["properties"]) == {"width", "height"}


# ------------------------------------------------------------------- aliases


class Named(pydantic.BaseModel):
    city_name: str = Field(alias="cityName")


class NamedApart(pydantic.BaseModel):
    city_name: str = Field(serialization_alias="cityName", validation_alias="name")


class NamedStruct(msgspec.Struct, rename="camel"):
    city_name: str


@attrs.define
class NamedAttrs:
    city_name: str = attrs.field(alias="cityName")


class NamedLoaded(marshmallow.Schema):
    city_name = fields.String(required=True, data_key="cityName")


ALIASED: dict[str, tuple[Any, Any, str]] = {
    "pydantic": (Named, Named(cityName="Paris"), "cityName"),
    "pydantic, two names": (NamedApart, NamedApart.model_validate({"name": "Paris"}), "name"),
    "msgspec": (NamedStruct, NamedStruct("Paris"), "cityName"),
    "attrs": (NamedAttrs, NamedAttrs(cityName="Paris"), "cityName"),
    "marshmallow": (NamedLoaded, {"city_name": "Paris"}, "cityName"),
}


@pytest.mark.requirement("vendor-output-schemas")
@pytest.mark.parametrize("name", ALIASED)
def test_a_result_is_shown_and_written_under_its_alias(name: str) -> None:
    output, value, read_as = ALIASED[name]
    assert given(value, output) == {"cityName": "Paris"}
    assert list(shown(output)["properties"]) == ["cityName"]
    assert shown(output)["required"] == ["cityName"]
    taking = tool(same, name="take", description="Take.", input=output, output=None)
    assert list(taking.input_schema.json_schema()["properties"]) == [read_as]
    assert taking.call_sync({read_as: "Paris"})


# ------------------------------------------------------------------- other types when written


def seconds(value: timedelta) -> int:
    return int(value.total_seconds())


Seconds = Annotated[timedelta, PlainSerializer(seconds, return_type=int)]


class Timed(pydantic.BaseModel):
    x: timedelta

    @pydantic.field_serializer("x")
    def write(self, value: timedelta) -> int:
        return seconds(value)


class TimedWhole(pydantic.BaseModel):
    x: timedelta

    @pydantic.model_serializer
    def write(self) -> dict[str, int]:
        return {"x": seconds(self.x)}


@dataclasses.dataclass
class TimedPlain:
    x: Seconds


class TimedKeys(TypedDict):
    x: Seconds


@attrs.define
class TimedAttrs:
    x: Seconds


class TimedLoaded(marshmallow.Schema):
    x = fields.TimeDelta(required=True)


LONG = timedelta(minutes=2)
TYPED: dict[str, tuple[Any, Any]] = {
    "pydantic": (Timed, Timed(x=LONG)),
    "pydantic model": (TimedWhole, TimedWhole(x=LONG)),
    "dataclass": (TimedPlain, TimedPlain(LONG)),
    "typed dict": (TimedKeys, TimedKeys(x=LONG)),
    "attrs": (TimedAttrs, TimedAttrs(LONG)),
    "marshmallow": (TimedLoaded, {"x": LONG}),
}


def type_of_x(schema: Any) -> Any:
    return schema.get("properties", {}).get("x", schema.get("additionalProperties"))["type"]


@pytest.mark.requirement("vendor-output-schemas")
@pytest.mark.parametrize("name", TYPED)
def test_a_serializer_that_changes_the_type_changes_what_is_shown(name: str) -> None:
    output, value = TYPED[name]
    assert given(value, output) == {"x": 120}
    assert type_of_x(shown(output)) in ("integer", "number")


class Lying(pydantic.BaseModel):
    x: int

    @pydantic.field_serializer("x")
    def write(self, value: int) -> int:
        return str(value)  # type: ignore[return-value]


class Broken(pydantic.BaseModel):
    x: int

    @pydantic.field_serializer("x")
    def write(self, value: int) -> int:
        raise KeyError("a secret")


@pytest.mark.requirement("vendor-output-schemas")
@pytest.mark.parametrize("hold", [same, lambda value: [value]])
def test_a_serializer_that_breaks_its_word_is_found_and_one_that_crashes_is_a_crash(
    hold: Callable[[Any], Any], caplog: pytest.LogCaptureFixture
) -> None:
    lying: Any = giving(Lying(x=1), Lying).call_sync()
    assert (lying.kind, [one.path for one in lying.issues]) == ("output_invalid", [("x",)])
    output = Broken if hold is same else list[Any]
    broken: Any = giving(hold(Broken(x=1)), output).call_sync()
    assert (broken.kind, broken.effect) == ("runtime_error", "done")
    assert "secret" not in broken.text
    assert broken.error_id in caplog.text
    assert "a secret" in caplog.text


# ------------------------------------------------------------------- made without validation


class Weather(pydantic.BaseModel):
    temp: float
    inner: Model | None = None


@pydantic.dataclasses.dataclass
class WeatherChecked:
    temp: float


@dataclasses.dataclass
class WeatherPlain:
    temp: float


class WeatherKeys(TypedDict):
    temp: float


class WeatherStruct(msgspec.Struct):
    temp: float


@attrs.define
class WeatherAttrs:
    temp: float


class WeatherLoaded(marshmallow.Schema):
    temp = fields.Float(required=True)


class WeatherPair(NamedTuple):
    temp: float


def unchecked(cls: Any, temp: Any) -> Any:
    made = object.__new__(cls)
    object.__setattr__(made, "temp", temp)
    return made


VOLUPTUOUS = voluptuous.Schema({voluptuous.Required("temp"): float})
TEMP = {"type": "object", "properties": {"temp": {"type": "number"}}, "required": ["temp"]}
UNCHECKED: dict[str, tuple[Any, Callable[[Any], Any]]] = {
    "pydantic": (Weather, lambda temp: Weather.model_construct(temp=temp)),
    "pydantic, set": (Weather, lambda temp: Weather(temp=1.0).model_copy(update={"temp": temp})),
    "pydantic dataclass": (WeatherChecked, lambda temp: unchecked(WeatherChecked, temp)),
    "dataclass": (WeatherPlain, WeatherPlain),
    "typed dict": (WeatherKeys, lambda temp: {"temp": temp}),
    "named tuple": (WeatherPair, WeatherPair),
    "msgspec": (WeatherStruct, WeatherStruct),
    "attrs": (WeatherAttrs, WeatherAttrs),
    "marshmallow": (WeatherLoaded, lambda temp: {"temp": temp}),
    "marshmallow object": (WeatherLoaded, WeatherAttrs),
    "voluptuous": (VOLUPTUOUS, lambda temp: {"temp": temp}),
    "json-schema": (TEMP, lambda temp: {"temp": temp}),
}


@pytest.mark.requirement("vendor-dump-is-checked")
@pytest.mark.parametrize("temp", ["hot", None, float("nan"), [1]], ids=repr)
@pytest.mark.parametrize("name", UNCHECKED)
def test_an_object_that_nobody_validated_is_withheld(name: str, temp: Any) -> None:
    output, make = UNCHECKED[name]
    outcome: Any = giving(make(temp), output).call_sync()
    assert isinstance(outcome, Err)
    assert (outcome.kind, outcome.effect) == ("output_invalid", "done")
    assert "hot" not in outcome.text
    if isinstance(output, type) and not issubclass(output, marshmallow.Schema):
        many: Any = list
        listed: Any = giving([make(1.5), make(temp)], many[output]).call_sync()
        assert listed.kind == "output_invalid"


@pytest.mark.requirement("vendor-dump-is-checked")
@pytest.mark.parametrize("name", UNCHECKED)
def test_an_object_that_fits_is_itself_the_value(name: str) -> None:
    output, make = UNCHECKED[name]
    value = make(1.5)
    outcome = giving(value, output).call_sync()
    assert isinstance(outcome, Ok)
    assert outcome.json in ({"temp": 1.5}, {"temp": 1.5, "inner": None}, [1.5])
    assert outcome.value is value or outcome.value == value


@pytest.mark.requirement("vendor-dump-is-checked")
def test_a_field_that_is_missing_is_withheld_in_every_vendor() -> None:
    bare: list[tuple[Any, Any]] = [
        (Weather, Weather.model_construct()),
        (WeatherPlain, object.__new__(WeatherPlain)),
        (WeatherChecked, object.__new__(WeatherChecked)),
        (WeatherKeys, {}),
        (WeatherAttrs, object.__new__(WeatherAttrs)),
        (WeatherLoaded, {}),
        (VOLUPTUOUS, {}),
        (TEMP, {}),
    ]
    kinds = [getattr(giving(value, output).call_sync(), "kind", "ok") for output, value in bare]
    assert kinds == ["output_invalid"] * len(bare)
