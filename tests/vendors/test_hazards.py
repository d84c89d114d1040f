"""Hazards of validator libraries that are used as they are, vendor by vendor."""

from __future__ import annotations

import asyncio
import dataclasses
import enum
import json
import typing
from collections.abc import Callable
from typing import Annotated, Any, Literal, NamedTuple, Optional

import attrs
import marshmallow
import msgspec
import pydantic
import pytest
import voluptuous
from marshmallow import fields, validate
from typing_extensions import TypedDict, Unpack

from tests.installed import at_least
from tests.vendors.one_field import reading, sent, where
from toolhaft import DefinitionError, Err, Toolset, schema_of, tool
from toolhaft.spec import Issue, Success
from toolhaft.tools.tool import AnyTool


def taking(tp: Any, **options: Any) -> AnyTool:
    made: AnyTool = tool(
        lambda given: given, name="take", description="Take.", input=tp, output=None, **options
    )
    return made


def typed_dict(name: str, hints: dict[str, Any]) -> Any:
    define: Any = TypedDict
    return define(name, hints)


def giving(value: Any, output: Any) -> AnyTool:
    def give() -> Any:
        return value

    made: AnyTool = tool(give, description="Give.", output=output)
    return made


# ------------------------------------------------------- what no library awaits


async def later(value: Any) -> Any:
    return value


async def some_day() -> Any:
    return 1


async def checked_later(one: Any, attribute: Any, value: Any) -> None: ...


class LaterModel(pydantic.BaseModel):
    x: int

    @pydantic.field_validator("x")
    @classmethod
    async def check(cls, value: int) -> int:
        return value


class LaterWhole(pydantic.BaseModel):
    x: int

    @pydantic.model_validator(mode="before")
    @classmethod
    async def check(cls, value: Any) -> Any:
        return value


class LaterInit(pydantic.BaseModel):
    x: int

    async def model_post_init(self, context: Any, /) -> None: ...  # type: ignore[override]


class LaterWritten(pydantic.BaseModel):
    x: int

    @pydantic.field_serializer("x")
    async def write(self, value: int) -> int:
        return value


class LaterComputed(pydantic.BaseModel):
    x: int

    @pydantic.computed_field
    async def more(self) -> int:
        return self.x


@dataclasses.dataclass
class LaterPlain:
    x: int

    async def __post_init__(self) -> None: ...  # type: ignore[override]


@pydantic.dataclasses.dataclass
class LaterChecked:
    x: int

    async def __post_init__(self) -> None: ...  # type: ignore[override]


class LaterStruct(msgspec.Struct):
    x: int

    async def __post_init__(self) -> None: ...  # type: ignore[override]


@attrs.define
class LaterAttrs:
    x: int

    async def __attrs_post_init__(self) -> None: ...


def attributed(tp: Any, **options: Any) -> Any:
    return attrs.make_class("Made", {"x": attrs.field(type=tp, **options)})


def loaded(field: Any) -> Any:
    return marshmallow.Schema.from_dict({"x": field})


class LaterLoaded(marshmallow.Schema):
    x = fields.Integer()

    @marshmallow.validates("x")
    async def check(self, value: Any, **_: Any) -> None: ...


LATER: dict[str, Any] = {
    "pydantic field": LaterModel,
    "pydantic model": LaterWhole,
    "pydantic post init": LaterInit,
    "pydantic serializer": LaterWritten,
    "pydantic computed field": LaterComputed,
    "pydantic factory": pydantic.create_model(
        "Made", x=(int, pydantic.Field(default_factory=some_day))
    ),
    "pydantic dataclass": LaterChecked,
    "dataclass": LaterPlain,
    "dataclass factory": dataclasses.make_dataclass(
        "Made", [("x", int, dataclasses.field(default_factory=some_day))]
    ),
    "typed dict": typed_dict("LaterKeys", {"x": Annotated[int, pydantic.AfterValidator(later)]}),
    "named tuple": NamedTuple("LaterPair", [("x", Annotated[int, pydantic.AfterValidator(later)])]),
    "msgspec": LaterStruct,
    "msgspec factory": msgspec.defstruct(
        "Made", [("x", int, msgspec.field(default_factory=some_day))]
    ),
    "attrs": attributed(int, validator=checked_later),
    "attrs and": attributed(int, validator=[attrs.validators.ge(1), checked_later]),
    "attrs optional": attributed(
        Optional[int],  # noqa: UP045 - as attrs' own documentation writes it
        validator=attrs.validators.optional(checked_later),
    ),
    "attrs deep": attributed(list[int], validator=attrs.validators.deep_iterable(checked_later)),
    "attrs converter": attributed(int, converter=later),
    "attrs factory": attributed(int, factory=some_day),
    "attrs post init": LaterAttrs,
    "marshmallow": loaded(fields.Integer(validate=later)),
    "marshmallow and": loaded(fields.Integer(validate=validate.And(later))),
    "marshmallow inner": loaded(fields.List(fields.Integer(validate=later))),
    "marshmallow default": loaded(fields.Integer(load_default=some_day)),
    "marshmallow hook": LaterLoaded,
    "voluptuous": voluptuous.Schema({"x": voluptuous.All(int, later)}),
    "voluptuous coerce": voluptuous.Schema({"x": voluptuous.Coerce(later)}),
    "voluptuous default": voluptuous.Schema({voluptuous.Optional("x", default=some_day): int}),
}


@pytest.mark.requirement("vendor-async-refused")
@pytest.mark.parametrize("name", LATER)
def test_a_function_that_the_library_would_never_await_is_refused_at_the_definition(
    name: str,
) -> None:
    with pytest.raises(DefinitionError, match=r"await|async"):
        Toolset([taking(LATER[name])])
    with pytest.raises(DefinitionError, match=r"await|async"):
        Toolset([giving(1, LATER[name])])


# ------------------------------------------------------- what an author did not foresee

WHOLE = {"type": "object", "properties": {"x": {"type": "string"}}, "required": ["x"]}
BUGS = (KeyError, ZeroDivisionError, RecursionError, AttributeError, OSError, MemoryError)


def crashing(bug: type[Exception]) -> dict[str, tuple[Any, Any]]:
    """A schema of each vendor in which an author's function breaks, and its parameters."""

    def breaks(*_: Any, **__: Any) -> Any:
        raise bug("a secret")

    def check(value: Any) -> Any:
        raise bug("a secret")

    async def check_later(value: Any) -> Any:
        raise bug("a secret")

    class Loaded(marshmallow.Schema):
        x = fields.String()
        check = marshmallow.post_load(breaks)

    class Native:
        version, vendor, validate = 1, "native", staticmethod(check)

        def json_schema(self, **_: Any) -> Any:
            return WHOLE

    class Plain:
        x: str
        __post_init__ = breaks

    class Struct(msgspec.Struct):
        x: str

        def __post_init__(self) -> None:
            raise bug("a secret")

    class Post:
        x: str
        __attrs_post_init__ = breaks

    after = Annotated[str, pydantic.AfterValidator(check)]
    create: Any = pydantic.create_model
    Plain.__annotations__ = Post.__annotations__ = {"x": str}
    return {
        "pydantic": (create("Made", x=(after, ...)), None),
        "pydantic before": (
            create("Made", x=(Annotated[str, pydantic.BeforeValidator(check)], ...)),
            None,
        ),
        "pydantic wrap": (
            create("Made", x=(Annotated[str, pydantic.WrapValidator(lambda v, _: check(v))], ...)),
            None,
        ),
        "pydantic dataclass": (pydantic.dataclasses.dataclass(Plain), None),
        "dataclass": (dataclasses.make_dataclass("Made", [("x", after)]), None),
        "dataclass post init": (dataclasses.dataclass(type("P", (Plain,), {})), None),
        "typed dict": (typed_dict("Keys", {"x": after}), None),
        "msgspec": (Struct, None),
        "attrs": (attributed(str, validator=breaks), None),
        "attrs converter": (attributed(str, converter=check), None),
        "attrs post init": (attrs.define(Post), None),
        "marshmallow": (loaded(fields.String(validate=check)), WHOLE),
        "marshmallow hook": (Loaded, None),
        "voluptuous": (voluptuous.Schema({"x": voluptuous.All(str, check)}), WHOLE),
        "schema_of": (schema_of(validate=check, json_schema=WHOLE), None),
        "schema_of async": (schema_of(validate=check_later, json_schema=WHOLE), None),
        "native": (Native(), None),
        **(
            {"marshmallow before": (loaded(fields.String(pre_load=[check])), WHOLE)}
            if at_least("marshmallow", "4.3")
            else {}
        ),
    }


@pytest.mark.requirement("vendor-author-bug")
@pytest.mark.parametrize("name", crashing(KeyError))
@pytest.mark.parametrize("bug", BUGS)
def test_a_validators_bug_is_a_runtime_error_with_an_id(
    name: str, bug: type[Exception], caplog: pytest.LogCaptureFixture
) -> None:
    schema, parameters = crashing(bug)[name]
    made = taking(schema, **({"parameters": parameters} if parameters else {}))
    for outcome in (made.call_sync({"x": "b"}), asyncio.run(made.call('{"x": "b"}'))):
        assert isinstance(outcome, Err)
        assert (outcome.kind, outcome.effect) == ("runtime_error", "none")
        assert outcome.error_id is not None
        assert outcome.error_id in caplog.text
        assert "secret" not in outcome.text


class Found(enum.Enum):
    """An enum that finds a member for any value."""

    A = "a"

    @classmethod
    def _missing_(cls, value: object) -> Any:
        return cls.A


class Lost(enum.Enum):
    """An enum that breaks."""

    A = "a"

    @classmethod
    def _missing_(cls, value: object) -> Any:
        raise KeyError("a secret")


@pytest.mark.requirement("vendor-author-bug")
@pytest.mark.parametrize("tp", [Found, Lost])
@pytest.mark.parametrize(
    "name", ["pydantic", "dataclass", "typed dict", "signature", "attrs", "msgspec"]
)
def test_an_enum_never_receives_a_value_outside_its_schema(name: str, tp: Any) -> None:
    made = reading(name, tp, coerce="lenient")
    assert made.call_sync(sent(name, "a"))
    outcome = made.call_sync(sent(name, "b"))
    assert isinstance(outcome, Err)
    assert outcome.issues == (Issue('expected "a"', where(name), "enum"),)


class Sloppy:
    """Another library's schema, with one method that breaks."""

    version, vendor = 1, "sloppy"

    def __init__(self, breaks: str) -> None:
        self.breaks = breaks

    def fail(self, method: str) -> None:
        if self.breaks == method:
            raise KeyError("a secret")

    def validate(self, value: Any, /) -> Any:
        self.fail("validate")
        return object() if self.breaks == "result" else Success(value)

    def json_schema(self, *, target: str, mode: str) -> Any:
        self.fail("json_schema")
        return WHOLE

    def dump(self, value: Any, /) -> Any:
        self.fail("dump")
        return value


@pytest.mark.requirement("vendor-author-bug")
@pytest.mark.parametrize("breaks", ["validate", "result"])
def test_an_adapter_that_breaks_while_validating_never_escapes_a_call(breaks: str) -> None:
    made = taking(Sloppy(breaks))
    for outcome in (made.call_sync({"x": "b"}), asyncio.run(made.call({"x": "b"}))):
        assert isinstance(outcome, Err)
        assert (outcome.kind, outcome.effect) == ("runtime_error", "none")
        assert outcome.error_id is not None


@pytest.mark.requirement("vendor-author-bug")
@pytest.mark.parametrize("breaks", ["validate", "result", "dump"])
def test_an_adapter_that_breaks_on_a_result_is_a_runtime_error_after_the_fact(breaks: str) -> None:
    outcome = giving({"x": "b"}, Sloppy(breaks)).call_sync()
    assert isinstance(outcome, Err)
    assert (outcome.kind, outcome.effect) == ("runtime_error", "done")


@pytest.mark.requirement("vendor-author-bug")
def test_an_adapter_that_cannot_write_its_schema_is_a_definition_error() -> None:
    with pytest.raises(DefinitionError, match=r"take.*sloppy.*json_schema raised KeyError"):
        Toolset([taking(Sloppy("json_schema"))])


# ------------------------------------------------------- numbers that are none


class Number(pydantic.BaseModel):
    x: float | None = None


class NumberStruct(msgspec.Struct):
    x: float | None = None


@attrs.define
class NumberAttrs:
    x: float | None = None


@dataclasses.dataclass
class NumberPlain:
    x: float | None = None


class NumberKeys(TypedDict, total=False):
    x: float | None


class NumberLoaded(marshmallow.Schema):
    x = fields.Float(allow_none=True, load_default=None)


NUMBERS: dict[str, Any] = {
    "pydantic": Number,
    "msgspec": NumberStruct,
    "attrs": NumberAttrs,
    "dataclass": NumberPlain,
    "typed dict": NumberKeys,
    "marshmallow": NumberLoaded,
    "voluptuous": voluptuous.Schema({voluptuous.Optional("x"): voluptuous.Any(float, None)}),
    "json-schema": {"type": "object", "properties": {"x": {"type": ["number", "null"]}}},
}


@pytest.mark.requirement("vendor-strict-json")
@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize(
    "raw",
    ['{"x": NaN}', '{"x": Infinity}', '{"x": 1e400}', {"x": float("nan")}, {"x": float("-inf")}],
    ids=str,
)
def test_a_number_that_json_has_not_passes_no_vendor(name: str, raw: Any) -> None:
    outcome = taking(NUMBERS[name], coerce="lenient").call_sync(raw)
    assert isinstance(outcome, Err)
    assert outcome.kind == "invalid_input"


@pytest.mark.requirement("vendor-dump-is-checked")
@pytest.mark.parametrize("name", NUMBERS)
def test_a_result_that_is_not_a_number_is_no_null(name: str) -> None:
    """Even where null is allowed."""
    value: Any = {"x": float("nan")}
    if name in ("pydantic", "msgspec", "attrs", "dataclass"):
        value = NUMBERS[name](**value)
    outcome = tool(
        lambda: value, name="give", description="Give.", output=NUMBERS[name]
    ).call_sync()
    assert isinstance(outcome, Err)
    assert outcome.kind == "output_invalid"


# ------------------------------------------------------- names, words and order


def places(make: Callable[[str, dict[str, Any]], Any]) -> Any:
    """Two classes of one name, each holding itself, in a third one."""
    near = make("Place", {"near": int})
    far = make("Place", {"far": int})
    return make("Trip", {"start": near, "end": far})


def model(name: str, hints: dict[str, Any]) -> Any:
    create: Any = pydantic.create_model
    return create(name, **{key: (tp, ...) for key, tp in hints.items()})


NAMED: dict[str, Callable[[str, dict[str, Any]], Any]] = {
    "pydantic": model,
    "dataclass": lambda name, hints: dataclasses.make_dataclass(name, [*hints.items()]),
    "typed dict": typed_dict,
    "attrs": lambda name, hints: attrs.make_class(
        name, {key: attrs.field(type=tp) for key, tp in hints.items()}
    ),
    "msgspec": lambda name, hints: msgspec.defstruct(name, [*hints.items()]),
}


@pytest.mark.requirement("vendor-no-module-names")
@pytest.mark.parametrize("name", NAMED)
def test_two_classes_of_one_name_get_distinct_names_without_their_modules(name: str) -> None:
    made = taking(places(NAMED[name]))
    text = json.dumps(made.input_schema.json_schema())
    assert "test_hazards" not in text
    assert "tests" not in text
    assert made.call_sync({"start": {"near": 1}, "end": {"far": 2}})
    outcome = made.call_sync({"start": {"far": 1}, "end": {"near": 2}})
    assert isinstance(outcome, Err)
    assert {one.path for one in outcome.issues if one.code == "missing"} == {
        ("start", "near"),
        ("end", "far"),
    }


class Order(enum.Enum):
    Z = "z"
    A = "a"
    M = "m"


@pytest.mark.requirement("vendor-deterministic")
@pytest.mark.parametrize("name", NAMED)
@pytest.mark.parametrize("tp", [Order, Literal["z", "a", "m"]], ids=["enum", "literal"])
def test_the_members_of_a_choice_stay_in_the_authors_order(name: str, tp: Any) -> None:
    schema = taking(NAMED[name]("Holder", {"x": tp})).input_schema.json_schema()
    node = schema["properties"]["x"]
    node = schema["$defs"][node["$ref"].rpartition("/")[2]] if "$ref" in node else node
    assert node["enum"] == ["z", "a", "m"]


DOCUMENTED = """A city.

    Attributes:
        x: how many live there

    It has more to say.
    """


@pytest.mark.requirement("vendor-no-made-up-titles")
@pytest.mark.parametrize("name", NAMED)
def test_a_docstring_is_its_summary_and_no_title_is_made_up(name: str) -> None:
    made = NAMED[name]("City", {"x": int})
    made.__doc__ = DOCUMENTED
    many: Any = list
    schema = taking(many[made]).input_schema.json_schema()
    items = schema["properties"]["value"]["items"]
    assert "title" not in json.dumps(schema)
    assert "Attributes" not in json.dumps(schema)
    assert items["properties"]["x"]["description"] == "how many live there"
    assert items["description"].startswith("A city.")


@pytest.mark.requirement("pain-39")
@pytest.mark.requirement("vendor-conformance")
def test_local_classes_of_each_vendor_find_each_other() -> None:
    """Their annotations are text, and no module knows the names in it."""

    class Place(pydantic.BaseModel):
        lat: float

    @dataclasses.dataclass
    class Road:
        places: list[Place]

    @pydantic.dataclasses.dataclass
    class Lane:
        road: Road

    class Trip(TypedDict):
        start: Place

    class OldTrip(typing.TypedDict):
        start: Place

    class Pair(NamedTuple):
        first: Place

    @attrs.define
    class Town:
        roads: list[Street]

    @attrs.define
    class Street:
        lat: float

    class Spot(msgspec.Struct):
        corners: list[Corner]

    class Corner(msgspec.Struct):
        places: dict[str, Spot]
        lat: float = 1

    class More(typing.TypedDict):
        last: Place

    @tool
    def travel(
        road: Road, lane: Lane, trip: Trip, old: OldTrip, pair: Pair, town: Town, spot: Spot,
        **more: Unpack[More],
    ) -> Road:  # fmt: skip
        """Travel."""
        inner = (lane.road, trip["start"], old["start"], pair.first, town.roads[0], more["last"])
        assert [type(one) for one in inner] == [Road, Place, Place, Place, Street, Place]
        assert type(spot.corners[0].places["a"]) is Spot
        return road

    lat = {"lat": 1}
    road = {"places": [lat]}
    outcome = travel.call_sync({
        "road": road, "lane": {"road": road}, "trip": {"start": lat}, "old": {"start": lat},
        "pair": [lat], "town": {"roads": [lat]}, "last": lat,
        "spot": {"corners": [{"places": {"a": {"corners": []}}}]},
    })  # fmt: skip
    assert outcome.unwrap() == Road([Place(lat=1)])


@pytest.mark.requirement("pain-39")
@pytest.mark.parametrize("kind", ["dataclass", "typed dict", "old typed dict", "attrs", "msgspec"])
def test_a_name_in_a_class_that_means_nothing_is_named(kind: str) -> None:
    nowhere: Any = "Nowhere"
    makers: dict[str, Callable[[], Any]] = {
        "dataclass": lambda: dataclasses.make_dataclass("Lost", [("x", nowhere)]),
        "typed dict": lambda: typed_dict("Lost", {"x": nowhere}),
        "old typed dict": lambda: _old_typed_dict({"x": nowhere}),
        "attrs": lambda: attrs.make_class("Lost", {"x": attrs.field(type=nowhere)}),
        "msgspec": lambda: msgspec.defstruct("Lost", [("x", nowhere)]),
    }
    made = makers[kind]()
    with pytest.raises(DefinitionError, match=r"Nowhere|a name in its type is unknown"):
        Toolset([taking(made)])


def _old_typed_dict(hints: dict[str, Any]) -> Any:
    define: Any = typing.TypedDict
    return define("Lost", hints)
