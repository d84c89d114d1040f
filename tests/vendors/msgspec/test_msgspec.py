"""msgspec behaves as its schema says: strict, all faults, constraints kept or refused."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Annotated, Any, Generic, Literal, NamedTuple, NotRequired, TypeVar
from uuid import UUID

import annotated_types
import msgspec
import pytest
from msgspec import Meta, Struct, field
from pydantic import Field
from typing_extensions import TypedDict

from toolhaft.definition.markers import Doc
from toolhaft.schema.limits import faults_of
from toolhaft.schema.marks import without_marks
from toolhaft.spec import Failure, Issue, Success
from toolhaft.vendors import msgspec as vendor
from toolhaft.vendors.adapter import NoVendor, Rejected

T = TypeVar("T")
NOON = datetime(2024, 1, 1, tzinfo=UTC)


def value(tp: Any, data: Any) -> Any:
    result = vendor.adapter(tp).validate(data)
    assert isinstance(result, Success), result.issues  # type: ignore[union-attr]
    return result.value


def issues(tp: Any, data: Any) -> tuple[Issue, ...]:
    result = vendor.adapter(tp).validate(data)
    assert isinstance(result, Failure)
    return result.issues


def words(tp: Any, data: Any) -> list[str]:
    return [str(issue) for issue in issues(tp, data)]


def emitted(tp: Any) -> dict[str, Any]:
    made: dict[str, Any] = without_marks(vendor.adapter(tp).emit("input"))
    return made


class Color(enum.Enum):
    """A colour."""

    RED = "red"
    BLUE = "blue"


class City(Struct):
    """A city.

    It has a second paragraph.

    Attributes:
        name: its name
        people: said too late
    """

    name: str
    people: Annotated[int, Meta(ge=1, description="how many")] = 1
    color: Color = Color.RED
    note: Annotated[str, Doc("a note")] = ""


class Tree(Struct):
    v: int
    kids: list[Tree] = []


class Box(Struct, Generic[T]):
    v: T


class One:
    class Same(Struct):
        a: int


class Other:
    class Same(Struct):
        b: int


class Names(Struct):
    one: One.Same
    other: Other.Same
    box: Box[int]


class Renamed(Struct, rename="camel", forbid_unknown_fields=True):
    the_city: City
    by_number: dict[int, str] = {}


# ------------------------------------------------------------------------------- reading


@pytest.mark.requirement("vendor-strict-json")
def test_values_are_read_strictly_from_their_json_forms() -> None:
    class Form(Struct):
        day: date
        at: datetime
        long: timedelta
        id: UUID
        color: Color
        raw: bytes
        pair: tuple[int, str]

    data = {
        "day": "2024-01-01",
        "at": "2024-01-01T00:00:00Z",
        "long": "PT1H",
        "id": str(UUID(int=1)),
        "color": "blue",
        "raw": "YQ==",
        "pair": [1, "x"],
    }
    assert value(Form, data) == Form(
        date(2024, 1, 1),
        NOON,
        timedelta(hours=1),
        UUID(int=1),
        Color.BLUE,
        b"a",
        (1, "x"),
    )


def test_every_fault_is_found_although_msgspec_stops_at_the_first() -> None:
    assert words(City, {"people": 0, "color": "green", "note": 1}) == [
        "name: required",
        "people: expected at least 1",
        'color: expected one of "red", "blue"',
        "note: expected string, received integer",
    ]


def test_fields_go_by_their_encoded_names_and_unknown_ones_by_the_structs_policy() -> None:
    adapter = vendor.adapter(Renamed)
    made = adapter.construct({"theCity": {"name": "Paris"}, "byNumber": {"1": "a"}})
    assert made == Renamed(City("Paris"), {1: "a"})
    (issue,) = issues(Renamed, {"theCity": {"name": "Paris"}, "x": 1})
    assert (issue.path, issue.code) == (("x",), "extra")
    assert value(City, {"name": "Paris", "x": 1}) == City("Paris")


class Held(Struct):
    tags: set[str] = set()
    price: Decimal = Decimal(0)
    code: Annotated[str, Meta(pattern=r"^\d{2}$")] = "00"


@pytest.mark.requirement("vendor-schema-is-enforced")
@pytest.mark.parametrize(
    ("data", "found"),
    [
        ({"tags": ["a", "a"]}, ["tags: expected no duplicate items"]),
        ({"price": 1.5}, ['price: expected a decimal number as text, such as "12.50"']),
        ({"code": "12\n"}, [r"code: expected string that matches ^\d{2}$"]),
        ({"code": "१२"}, [r"code: expected string that matches ^\d{2}$"]),
    ],
)
def test_data_that_the_schema_forbids_and_msgspec_would_accept_are_rejected(
    data: Any, found: list[str]
) -> None:
    assert words(Held, data) == found


class Checked(Struct):
    n: int
    at: datetime | None = None
    id: UUID | None = None
    day: date | None = None
    long: timedelta | None = None
    raw: bytes | None = None
    aware: Annotated[datetime, Meta(tz=True)] | None = None

    def __post_init__(self) -> None:
        if self.n == 1:
            raise ValueError("one is too few")
        if self.n == 2:
            raise ValueError
        if self.n == 3:
            raise KeyError("a bug")


@pytest.mark.requirement("vendor-one-error-language")
@pytest.mark.parametrize(
    ("data", "issue"),
    [
        ({"n": 1}, Issue("one is too few", ("a", 0), "custom")),
        ({"n": 2}, Issue("refused", ("a", 0), "custom")),
        (
            {"n": 0, "at": "soon"},
            Issue(
                "expected an ISO date-time, such as 2026-01-31T09:00:00Z", ("a", 0, "at"), "format"
            ),
        ),
        (
            {"n": 0, "id": "x"},
            Issue(
                "expected a UUID, such as 123e4567-e89b-12d3-a456-426614174000",
                ("a", 0, "id"),
                "format",
            ),
        ),
        (
            {"n": 0, "day": "x"},
            Issue("expected an ISO date, such as 2026-01-31", ("a", 0, "day"), "format"),
        ),
        (
            {"n": 0, "long": "x"},
            Issue("expected an ISO duration, such as PT1H30M", ("a", 0, "long"), "format"),
        ),
        (
            {"n": 0, "raw": "x"},
            Issue("expected base64 text, such as YQ==", ("a", 0, "raw"), "format"),
        ),
        (
            {"n": 0, "aware": "2024-01-01T00:00:00"},
            Issue(
                "expected a date-time with an offset, such as 2026-01-31T09:00:00Z",
                ("a", 0, "aware"),
                "format",
            ),
        ),
    ],
)
def test_an_error_of_msgspec_alone_is_one_issue_at_its_place(data: Any, issue: Issue) -> None:
    class Outer(Struct):
        a: list[Checked]

    assert issues(Outer, {"a": [data]}) == (issue,)


def test_an_exception_that_is_no_validation_error_passes_through() -> None:
    with pytest.raises(KeyError):
        vendor.adapter(Checked).validate({"n": 3})


def test_a_path_ends_where_msgspec_names_no_key() -> None:
    assert issues(dict[str, Checked], {"x.y": {"n": 1}}) == (Issue("one is too few", (), "custom"),)


class Dotted(Struct):
    plain: Annotated[Checked | None, "note"] = field(name="a.b", default=None)
    other: Checked | None = field(name="a", default=None)


def test_a_key_with_a_dot_is_read_whole() -> None:
    assert issues(Dotted, {"a.b": {"n": 1}}) == (Issue("one is too few", ("a.b",), "custom"),)


def test_a_message_of_msgspecs_own_is_not_shown() -> None:
    adapter = vendor.adapter(City)
    error = msgspec.ValidationError("Expected `secret` - at `$.name`")
    assert adapter.explain(error, {"name": 1}) == [Issue("not accepted", ("name",), "custom")]
    known = [Issue("unknown", ("x",), "extra")]
    assert adapter.explain(Rejected(known), {}) == known


# ------------------------------------------------------------------------------- results


def test_an_instance_is_distinguished_from_data() -> None:
    assert vendor.adapter(City).is_instance(City("Paris"))
    assert not vendor.adapter(City).is_instance({"name": "Paris"})
    assert vendor.adapter(Box[int]).is_instance(Box(1))
    assert vendor.adapter(list[City]).is_instance([City("Paris")])
    assert not vendor.adapter(list[City]).is_instance([City("Paris"), {"name": "Paris"}])
    assert not vendor.adapter(tuple[City]).is_instance((City("Paris"),))


def test_a_dump_is_by_encoded_names_and_trusts_nothing() -> None:
    adapter = vendor.adapter(Renamed)
    dumped = adapter.dump(Renamed(City("Paris"), {1: "a"}))
    assert dumped["byNumber"] == {"1": "a"}
    assert adapter.checker("output").is_valid(dumped)
    wrong = adapter.dump(Renamed(City("Paris", people=-1)))
    assert not adapter.checker("output").is_valid(wrong)
    with pytest.raises(Rejected) as caught:
        adapter.dump(Renamed(object()))  # type: ignore[arg-type]
    said = "expected plain JSON data, received object"
    assert caught.value.issues == [Issue(said, code="json")]


# ------------------------------------------------------------------------------ emission


def test_a_struct_is_emitted_as_its_author_wrote_it() -> None:
    assert emitted(City) == {
        "type": "object",
        "properties": {
            "name": {"type": "string", "description": "its name"},
            "people": {
                "type": "integer",
                "minimum": 1,
                "description": "how many",
                "default": 1,
            },
            "color": {"$ref": "#/$defs/Color", "default": "red"},
            "note": {"type": "string", "description": "a note", "default": ""},
        },
        "required": ["name"],
        "description": "A city.\n\nIt has a second paragraph.",
        "$defs": {"Color": {"enum": ["red", "blue"], "type": "string", "description": "A colour."}},
    }


@pytest.mark.requirement("vendor-no-module-names")
def test_definitions_have_short_names_and_numbers_where_they_collide() -> None:
    schema = emitted(Names)
    assert list(schema["$defs"]) == ["Same", "Same_2", "Box_int"]
    assert schema["properties"]["other"] == {"$ref": "#/$defs/Same_2"}
    assert "test_msgspec" not in repr(schema)


def test_a_recursive_root_has_the_type_object_itself() -> None:
    schema = emitted(Tree)
    assert schema["type"] == "object"
    assert schema["$defs"] == {"Tree": {key: schema[key] for key in schema if key != "$defs"}}


class Cat(Struct, tag=True):
    lives: int


class Dog(Struct, tag=True):
    barks: bool


class Point(NamedTuple):
    x: int
    y: int


class Everything(Struct):
    anything: Any
    items: list[Any]
    table: dict[str, Any]
    pair: tuple[int, str]
    point: Point
    pet: Cat | Dog
    one: Literal["a"]
    two: Literal[1, 2]
    titled: Annotated[City, Meta(title="Given")]


def test_the_spelling_is_that_of_the_other_vendors() -> None:
    schema = emitted(Everything)
    words = ["null", "boolean", "number", "string", "array", "object"]
    mapping = {"Cat": "#/$defs/Cat", "Dog": "#/$defs/Dog"}
    assert schema["properties"] == {
        "anything": {"type": words},
        "items": {"type": "array", "items": {}},
        "table": {"type": "object", "additionalProperties": True},
        "pair": {
            "type": "array",
            "minItems": 2,
            "maxItems": 2,
            "prefixItems": [{"type": "integer"}, {"type": "string"}],
        },
        "point": {"$ref": "#/$defs/Point"},
        "pet": {
            "anyOf": [{"$ref": "#/$defs/Cat"}, {"$ref": "#/$defs/Dog"}],
            "discriminator": {"propertyName": "type", "mapping": mapping},
        },
        "one": {"type": "string", "const": "a"},
        "two": {"type": "integer", "enum": [1, 2]},
        "titled": {"$ref": "#/$defs/City", "title": "Given"},
    }
    assert schema["$defs"]["Cat"]["properties"]["type"] == {"type": "string", "const": "Cat"}


class Row(Struct, array_like=True, tag="row"):
    n: int
    text: str = "x"


class Closed(Struct, array_like=True, forbid_unknown_fields=True):
    n: int = 1


class Nothing(Struct, array_like=True):
    pass


class Foreign:
    pass


INTEGERS = {"type": "object", "additionalProperties": {"type": "integer"}}
CAT = {
    "type": "object",
    "properties": {"type": {"type": "string", "const": "Cat"}, "lives": {"type": "integer"}},
    "required": ["type", "lives"],
}


@pytest.mark.parametrize(
    ("tp", "schema"),
    [
        (
            Row,
            {
                "type": "array",
                "prefixItems": [
                    {"type": "string", "const": "row"},
                    {"type": "integer"},
                    {"type": "string", "default": "x"},
                ],
                "minItems": 2,
                "maxItems": 3,
            },
        ),
        (
            Closed,
            {
                "type": "array",
                "prefixItems": [{"type": "integer", "default": 1}],
                "minItems": 0,
                "maxItems": 1,
            },
        ),
        (Nothing, {"type": "array", "items": {}, "minItems": 0, "maxItems": 0}),
        (tuple[()], {"type": "array", "items": {}, "minItems": 0, "maxItems": 0}),
        (
            Annotated[Foreign, Meta(extra_json_schema={"type": "string", "format": "hostname"})],
            {"type": "string", "format": "hostname"},
        ),
        (dict[Any, int], INTEGERS),
        (dict[Annotated[str, Meta(max_length=3)], int],
         {**INTEGERS, "propertyNames": {"maxLength": 3}}),
        (dict[Literal["b", "a"], int],
         {**INTEGERS, "propertyNames": {"type": "string", "enum": ["b", "a"]}}),
        (dict[date, int], {**INTEGERS, "propertyNames": {"type": "string", "format": "date"}}),
        (Annotated[bytes, Meta(min_length=2, max_length=4)],
         {"type": "string", "contentEncoding": "base64", "minLength": 4, "maxLength": 8}),
        (Annotated[set[int], Meta(max_length=3)],
         {"type": "array", "items": {"type": "integer"}, "maxItems": 3, "uniqueItems": True}),
        (None | Cat | int,
         {"anyOf": [{"type": "integer"}, {"$ref": "#/$defs/Cat"}, {"type": "null"}],
          "$defs": {"Cat": CAT}}),
    ],
    ids=str,
)  # fmt: skip
def test_each_kind_of_type_is_written_as_it_is_read(tp: Any, schema: dict[str, Any]) -> None:
    assert emitted(tp) == schema


def test_structs_that_a_tag_distinguishes_are_branches_of_one_union() -> None:
    either, nothing = emitted(Cat | Dog | None)["anyOf"]
    assert emitted(Cat | Dog) == {**either, "$defs": emitted(Cat | Dog | None)["$defs"]}
    assert nothing == {"type": "null"}


class First(Struct, tag=1):
    more: list[First | Second] = []


class Second(Struct, tag=2):
    more: list[First | Second] = []


def test_a_tag_that_is_a_number_is_text_where_it_is_a_key() -> None:
    emission = emitted(First)
    assert emission["properties"]["more"]["items"]["discriminator"] == {
        "propertyName": "type",
        "mapping": {"1": "#/$defs/First", "2": "#/$defs/Second"},
    }
    assert faults_of(vendor.adapter(First).checker("input").schema) == []


@dataclasses.dataclass
class Holder:
    """Holds a city."""

    city: City


class Keys(TypedDict):
    city: City
    n: NotRequired[int]


@pytest.mark.parametrize("tp", [Holder, Keys, list[City], dict[str, City], City | None])
def test_containers_of_structs_are_carried_too(tp: Any) -> None:
    assert emitted(tp)["$defs"]["City"] == {
        key: node for key, node in emitted(City).items() if key != "$defs"
    }


def test_a_class_without_a_docstring_has_no_description() -> None:
    @dataclasses.dataclass
    class Bare:
        city: City

    assert "description" not in emitted(Bare)


# ------------------------------------------------------------------------------ refusals


class Bad(Struct):
    value: Annotated[int, annotated_types.Gt(0)]


@dataclasses.dataclass
class Ignoring:
    city: City
    n: Annotated[int, Field(ge=1)]


class Stranger:
    pass


class Strange(Struct):
    it: Stranger


class Uncallable(Struct):
    call: Callable[[], int]


class Unsure(Struct):
    either: datetime | str


class Late(Struct):
    n: int

    async def __post_init__(self) -> None:  # type: ignore[override]
        """Never awaited."""


class Unread(Struct):
    parts: list[msgspec.Raw]


@pytest.mark.requirement("vendor-constraint-kept-or-refused")
@pytest.mark.parametrize(
    ("tp", "message"),
    [
        (Bad, "Gt on value is ignored; use msgspec.Meta"),
        (Ignoring, "FieldInfo on n is ignored"),
        (Annotated[City, annotated_types.Len(1)], "Len on the type is ignored"),
        (Strange, "holds types that are not msgspec's; take types of one"),
        (Uncallable, "holds types that are not msgspec's; take types of one"),
        (Unsure, "Unsure"),
        (Late, "__post_init__ is async"),
        (Unread, "Unread: Raw is text that nothing has read; declare Any"),
    ],
    ids=str,
)
def test_a_derivation_that_would_lose_something_is_rejected(tp: Any, message: str) -> None:
    with pytest.raises(NoVendor) as caught:
        without_marks(vendor.adapter(tp).emit("input"))
    assert message in str(caught.value)


class Times(Struct):
    at: time
    took: timedelta
    later: tuple[int, ...] = (1, 2)


@pytest.mark.requirement("agreement-formats")
@pytest.mark.parametrize("text", ["25:00:00", "10:60:00", "10:00:00+25:00"])
def test_no_schema_accepts_a_time_that_no_clock_shows(text: str) -> None:
    checker = vendor.adapter(Times).checker("input")
    assert checker.is_valid({"at": "10:00:00Z", "took": "P1DT2H"})
    assert not checker.is_valid({"at": text, "took": "P1DT2H"})


@pytest.mark.requirement("agreement-formats")
def test_durations_that_msgspec_does_not_read_are_refused_by_its_schema() -> None:
    adapter = vendor.adapter(Times)
    for text in ("P3W", "P1Y", "P", "PT"):
        result = adapter.validate({"at": "10:00:00", "took": text})
        assert isinstance(result, Failure)
        assert [str(issue) for issue in result.issues] == [
            "took: expected an ISO duration, such as PT1H30M"
        ]


def test_a_default_that_is_a_tuple_is_an_array_in_the_schema() -> None:
    assert vendor.adapter(Times).emit("input")["properties"]["later"]["default"] == [
        1,
        2,
    ]


def test_a_struct_that_exec_defined_is_recognised() -> None:
    namespace: dict[str, Any] = {"Struct": Struct}
    exec("class Flight(Struct):\n    to: str", namespace)  # in a module called "builtins"
    assert vendor.owns(namespace["Flight"])
