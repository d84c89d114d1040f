"""attrs classes: their schema, their objects, and what their validators say."""

from __future__ import annotations

import datetime as dt
import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Generic, Literal, NamedTuple, TypeVar
from uuid import UUID

import attrs
import msgspec
import pytest
from annotated_types import Ge
from attrs import validators as v
from pydantic import BaseModel

from toolhaft import Coercion, DefinitionError, Doc, Err, Toolset, tool, vendors
from toolhaft.tools.tool import AnyTool

T = TypeVar("T")


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


@attrs.define
class Place:
    """A place on earth."""

    lat: float
    name: str | None = None


@attrs.frozen(kw_only=True)
class Search:
    """What to search.

    Args:
        q: The words.
    """

    q: str = attrs.field(validator=v.and_(v.min_len(1), v.matches_re("[a-z]+")))
    n: int = attrs.field(default=3, validator=v.and_(v.ge(1), v.lt(9)))
    _secret: int = attrs.field(default=4, metadata={"description": "Not told"})
    near: Place | None = None
    places: list[Place] = attrs.field(factory=list)
    kind: str = attrs.field(default="a", validator=v.in_(["a", "b"]))
    colour: Colour = Colour.RED
    length: int = attrs.field(
        init=False, default=attrs.Factory(lambda one: len(one.q), takes_self=True)
    )


@attrs.define
class Node:
    value: int
    kids: list[Node] = attrs.field(factory=list)


@attrs.define
class Box(Generic[T]):
    held: T


class Pair(NamedTuple):
    a: int
    b: str = "x"


@attrs.define
class Many:
    at: dt.datetime
    id: UUID
    pair: Pair
    kind: Literal["a", 1]


def schema_of(tp: Any, mode: Any = "input") -> Any:
    return vendors.adapt(tp).json_schema(mode=mode)


def taking(tp: Any) -> AnyTool:
    return tool(lambda one: one, name="take", description="Take one.", input=tp, output=tp)


@pytest.mark.requirement("vendor-attrs")
def test_the_schema_has_the_types_and_constraints_of_attributes_and_validators() -> None:
    nullable = {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None}
    place = {
        "type": "object",
        "properties": {"lat": {"type": "number"}, "name": nullable},
        "required": ["lat"],
        "description": "A place on earth.",
    }
    assert schema_of(Search) == {
        "type": "object",
        "description": "What to search.",
        "properties": {
            "q": {
                "type": "string",
                "minLength": 1,
                "pattern": "^(?:[a-z]+)$",
                "description": "The words.",
            },
            "n": {"type": "integer", "minimum": 1, "exclusiveMaximum": 9, "default": 3},
            "secret": {"type": "integer", "default": 4, "description": "Not told"},
            "near": {"anyOf": [place, {"type": "null"}], "default": None},
            "places": {"type": "array", "items": place},
            "kind": {"type": "string", "enum": ["a", "b"], "default": "a"},
            "colour": {"type": "string", "enum": ["red", "blue"], "default": "red"},
        },
        "required": ["q"],
    }


def test_results_have_the_attributes_that_no_argument_sets() -> None:
    shown = schema_of(Search, "output")
    assert shown["properties"]["length"] == {"type": "integer"}
    assert shown["required"] == ["q", "length"]
    outcome = taking(Search).call_sync({"q": "abc"})
    assert outcome.unwrap() == Search(q="abc")
    assert json.loads(outcome.text) == {
        "q": "abc",
        "n": 3,
        "secret": 4,
        "near": None,
        "places": [],
        "kind": "a",
        "colour": "red",
        "length": 3,
    }


@pytest.mark.requirement("vendor-attrs")
def test_objects_are_made_strictly_and_all_faults_are_found() -> None:
    one = taking(Search)
    made = one.call_sync({"q": "abc", "near": {"lat": 1}, "colour": "blue"}).unwrap()
    assert made == Search(q="abc", near=Place(1.0), colour=Colour.BLUE)
    assert type(made.near.lat) is float
    outcome = one.replace(coerce="none").call_sync(
        {"q": "ABC", "n": 9, "near": {"lat": True}, "places": [{}, {"lat": "1"}], "kind": "c"}
    )
    assert isinstance(outcome, Err)
    assert {(issue.path, issue.code) for issue in outcome.issues} == {
        (("q",), "format"),
        (("n",), "value"),
        (("near", "lat"), "type"),
        (("places", 0, "lat"), "missing"),
        (("places", 1, "lat"), "type"),
        (("kind",), "enum"),
    }


@pytest.mark.requirement("vendor-attrs")
def test_nothing_is_coerced_that_the_schema_does_not_take() -> None:
    lax = taking(Node).replace(coerce="none")
    for wrong in ("3", True, 3.7, None, [3]):
        assert not lax.call_sync({"value": wrong}), wrong
    assert lax.call_sync({"value": 3.0}).unwrap() == Node(3)
    assert not lax.call_sync({"value": 1, "kids": "ab"})


def test_an_undeclared_key_is_ignored_and_recorded() -> None:
    outcome = taking(Node).call_sync({"value": 1, "more": 2})
    assert (outcome.unwrap(), outcome.coercions) == (
        Node(1),
        (Coercion(("more",), "vendor_ignored"),),
    )


def test_a_class_may_hold_itself() -> None:
    tree = {"value": 1, "kids": [{"value": 2, "kids": [{"value": 3, "kids": []}]}]}
    outcome = taking(Node).call_sync(tree)
    assert (outcome.unwrap(), json.loads(outcome.text)) == (Node(1, [Node(2, [Node(3)])]), tree)
    outcome = taking(Node).call_sync({"value": 1, "kids": [{"value": 2, "kids": [{}]}]})
    assert isinstance(outcome, Err)
    assert [issue.path for issue in outcome.issues] == [("kids", 0, "kids", 0, "value")]


def test_type_variables_are_filled_in() -> None:
    assert schema_of(Box[int])["properties"] == {"held": {"type": "integer"}}
    assert schema_of(Box[list[Place]])["properties"]["held"]["items"]["required"] == ["lat"]
    assert taking(Box[int]).call_sync({"held": 3}).unwrap() == Box(3)
    assert not taking(Box[int]).replace(coerce="none").call_sync({"held": "x"})


@pytest.mark.requirement("vendor-attrs")
def test_an_authors_own_validator_is_heard_at_its_field_without_values() -> None:
    def even(one: Any, attribute: Any, value: int) -> None:
        if value % 2:
            raise ValueError(f"{value} is odd")

    def less(one: Any, attribute: Any, value: int) -> None:
        if value > one.n:
            raise ValueError("more than n")

    @attrs.define
    class Even:
        n: int = attrs.field(validator=even)
        m: int = attrs.field(default=0, validator=less)

    one = taking(Even)
    assert one.call_sync({"n": 4, "m": 1}).unwrap() == Even(4, 1)
    outcome = one.call_sync({"n": 55, "m": 77})
    assert outcome.text == (
        "Please rewrite the input with valid arguments. Errors: n: … is odd; m: more than n"
    )
    assert isinstance(outcome, Err)
    assert [(issue.path, issue.code) for issue in outcome.issues] == [
        (("n",), "custom"),
        (("m",), "custom"),
    ]


def test_a_validator_that_compares_with_defaults_is_heard_at_its_field() -> None:
    def fits(one: Any, attribute: Any, value: int) -> None:
        if value > one.limit + len(one.words) + one.more:
            raise ValueError("too much")

    @attrs.define
    class Many:
        n: int = attrs.field(validator=fits)
        limit: int = 3
        words: list[str] = attrs.field(factory=list)
        more: int = attrs.Factory(lambda one: one.limit, takes_self=True)

    assert taking(Many).call_sync({"n": 6}).unwrap() == Many(6)
    outcome = taking(Many).call_sync({"n": 7})
    assert isinstance(outcome, Err)
    assert [(one.path, one.message) for one in outcome.issues] == [(("n",), "too much")]


@attrs.define
class Noted(Generic[T]):
    one: Annotated[T, Doc("held")]
    many: dict[str, T] = attrs.field(factory=dict)


def test_type_variables_are_filled_in_inside_notes_and_containers() -> None:
    assert schema_of(Noted[int])["properties"] == {
        "one": {"type": "integer", "description": "held"},
        "many": {"type": "object", "additionalProperties": {"type": "integer"}},
    }
    assert schema_of(Noted)["required"] == ["one"]


def test_attrs_own_words_are_shown_without_its_objects() -> None:
    made = attrs.make_class("Made", {"x": attrs.field(type=str, validator=v.not_(v.in_(["a"])))})
    outcome = taking(made).call_sync({"x": "a"})
    assert isinstance(outcome, Err)
    assert outcome.kind == "invalid_input"
    assert "Attribute(" not in outcome.text
    assert "NOTHING" not in outcome.text


def test_an_error_of_a_whole_object_is_reported_for_the_whole() -> None:
    @attrs.define
    class Span:
        first: int
        last: int

        def __attrs_post_init__(self) -> None:
            if self.first > self.last:
                raise ValueError("it ends too soon")

    outcome = taking(Span).call_sync({"first": 2, "last": 1})
    assert outcome.text.endswith("Errors: it ends too soon")


@pytest.mark.requirement("vendor-attrs")
def test_a_validator_that_breaks_is_the_tools_fault() -> None:
    def broken(one: Any, attribute: Any, value: int) -> None:
        raise KeyError("a secret")

    @attrs.define
    class Broken:
        n: int = attrs.field(validator=broken)

    outcome = taking(Broken).call_sync({"n": 1})
    assert isinstance(outcome, Err)
    assert (outcome.kind, outcome.effect) == ("runtime_error", "none")
    assert "secret" not in outcome.text


@pytest.mark.requirement("vendor-attrs")
def test_a_converter_sees_what_came_and_is_recorded() -> None:
    def listed(value: Any) -> list[str]:
        return value.split(",") if isinstance(value, str) else value

    @attrs.define
    class Tags:
        tags: list[str] = attrs.field(converter=listed)
        n: int = attrs.field(default=0, converter=int)

    one = taking(Tags)
    outcome = one.call_sync({"tags": "a,b"})
    assert outcome.unwrap() == Tags(["a", "b"])
    assert outcome.coercions == (Coercion(("tags",), "vendor"),)
    assert one.call_sync({"tags": ["a"], "n": 2}).unwrap() == Tags(["a"], 2)
    for wrong in ({"tags": [1]}, {"tags": 7}, {"tags": "a", "n": []}, {"tags": "a", "n": "x"}):
        outcome = one.call_sync(wrong)
        assert isinstance(outcome, Err)
        assert outcome.kind == "invalid_input", wrong


# mypy's plugin knows no converters but functions, types and lambdas.
@attrs.define
class Converted:
    n: int = attrs.field(converter=attrs.Converter(int))  # type: ignore[misc]
    name: str = attrs.field(
        default="",
        converter=attrs.Converter(  # type: ignore[misc]
            lambda text, field: f"{field.name} {text}", takes_field=True
        ),
        validator=attrs.validators.max_len(9),
    )


@pytest.mark.requirement("vendor-attrs")
def test_a_converter_object_is_given_what_it_asks_for() -> None:
    one = taking(Converted)
    assert one.call_sync({"n": 1, "name": "Ann"}).unwrap() == Converted(1, "Ann")
    assert one.call_sync({"n": "7"}).unwrap() == Converted(7)
    outcome = one.call_sync({"n": 1, "name": "Annabel"})
    assert isinstance(outcome, Err)
    assert [issue.path for issue in outcome.issues] == [("name",)]


@pytest.mark.requirement("vendor-attrs")
def test_a_type_error_of_a_converter_is_reported_without_its_names() -> None:
    outcome = taking(Converted).call_sync({"n": [1]})
    assert isinstance(outcome, Err)
    assert [str(issue) for issue in outcome.issues] == ["n: expected integer, received array"]


@attrs.define
class Measured:
    share: float = attrs.field(default=0.5, converter=float)
    price: Decimal = attrs.field(default=Decimal(1), converter=Decimal)


@pytest.mark.requirement("vendor-attrs")
@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"price": "dear"}, "price: expected a decimal number, such as 12.50"),
        ({"share": 10**400}, "share: expected number, received integer"),
    ],
)
def test_a_value_that_a_converter_cannot_compute_is_rejected(data: Any, words: str) -> None:
    outcome = taking(Measured).call_sync(data)
    assert isinstance(outcome, Err)
    assert (outcome.kind, [str(issue) for issue in outcome.issues]) == ("invalid_input", [words])


@attrs.define
class Price:
    amount: Decimal


def unchanged(data: Any) -> Any:
    return data


@attrs.define
class Order:
    price: Price = attrs.field(converter=unchanged)


@pytest.mark.parametrize("raw", ['{"price": {"amount": -0.25}}', {"price": {"amount": -0.25}}])
def test_a_converter_is_given_the_same_decimals_of_a_text_and_of_a_dict(raw: Any) -> None:
    assert taking(Order).call_sync(raw).unwrap().price == {"amount": "-0.25"}


def test_default_factories_are_called_for_each_object() -> None:
    one = taking(Node)
    first, second = one.call_sync({"value": 1}).unwrap(), one.call_sync({"value": 1}).unwrap()
    assert first.kids is not second.kids


@pytest.mark.requirement("vendor-attrs")
def test_a_result_that_was_made_without_validation_is_withheld() -> None:
    @tool
    def place() -> Place:
        """Return a place."""
        made = Place(1.0)
        object.__setattr__(made, "lat", "far")
        return made

    outcome = place.call_sync()
    assert isinstance(outcome, Err)
    assert (outcome.kind, [issue.path for issue in outcome.issues]) == (
        "output_invalid",
        [("lat",)],
    )

    @tool
    def other() -> list[Place]:
        """Return places."""
        return [Place(1.0, "a"), {"lat": 2}]  # type: ignore[list-item]

    assert other.call_sync().text == '[{"lat":1.0,"name":"a"},{"lat":2.0,"name":null}]'


def test_a_returned_object_is_the_value() -> None:
    kept = Place(1.0)

    @tool
    def place() -> Place:
        """Return a place."""
        return kept

    assert place.call_sync().unwrap() is kept


ADDED: list[tuple[Any, Any, dict[str, Any]]] = [
    (int, v.instance_of(int), {"type": "integer"}),
    (int, v.le(3), {"type": "integer", "maximum": 3}),
    (int, v.gt(3), {"type": "integer", "exclusiveMinimum": 3}),
    (str, v.max_len(3), {"type": "string", "maxLength": 3}),
    (str, v.matches_re("a"), {"type": "string", "pattern": "^(?:a)$"}),
    (str, v.matches_re("(?=a)b"), {"type": "string", "pattern": "^(?:(?=a)b)$"}),
    (str, v.matches_re("(?i:a)"), {"type": "string", "pattern": "^(?:(?i:a))$"}),
    (str, v.matches_re("(?P<x>a)(?P=x)"), {"type": "string"}),
    (str, v.in_({"a"}), {"type": "string", "const": "a"}),
    (str, v.in_({"c", "a", "b"}), {"type": "string", "enum": ["a", "b", "c"]}),
    (str, v.in_(["c", "a"]), {"type": "string", "enum": ["c", "a"]}),
    (Colour, v.in_([Colour.RED]), {"type": "string", "const": "red"}),
    (Colour, v.in_({*Colour}), {"type": "string", "enum": ["blue", "red"]}),
    (Any, v.instance_of((int, str)), {"anyOf": [{"type": "integer"}, {"type": "string"}]}),
    (int, v.instance_of(object), {"type": "integer"}),
    (str, v.or_(v.min_len(3), v.max_len(1)), {"type": "string"}),
    (str, v.not_(v.min_len(3)), {"type": "string"}),
    (
        int | None,
        v.optional(v.ge(3)),
        {"anyOf": [{"type": "integer", "minimum": 3}, {"type": "null"}]},
    ),
    (
        list[int],
        v.deep_iterable(v.ge(1), v.max_len(4)),
        {"type": "array", "items": {"type": "integer", "minimum": 1}, "maxItems": 4},
    ),
    (
        tuple[int, ...],
        v.deep_iterable(v.ge(1)),
        {"type": "array", "items": {"type": "integer", "minimum": 1}},
    ),
    (
        dict[str, int],
        v.deep_mapping(v.instance_of(str), v.ge(1), v.min_len(1)),
        {
            "type": "object",
            "additionalProperties": {"type": "integer", "minimum": 1},
            "minProperties": 1,
        },
    ),
    (Annotated[int, Ge(2), Doc("A number")], None, {
        "type": "integer", "minimum": 2, "description": "A number",
    }),
]  # fmt: skip


@pytest.mark.requirement("vendor-attrs")
@pytest.mark.parametrize(("tp", "validator", "wanted"), ADDED)
def test_each_validator_is_in_the_schema_or_runs_by_itself(
    tp: Any, validator: Any, wanted: dict[str, Any]
) -> None:
    made = attrs.make_class("Made", {"x": attrs.field(type=tp, validator=validator)})
    assert schema_of(made)["properties"]["x"] == wanted


def test_other_types_read_as_in_every_vendor() -> None:
    made = taking(Many).call_sync(
        {
            "at": "2026-11-21T10:00:00Z",
            "id": "12345678-1234-5678-1234-567812345678",
            "pair": [1, "y"],
            "kind": 1,
        }
    )
    assert made.unwrap().pair == Pair(1, "y")
    assert json.loads(made.text)["at"] == "2026-11-21T10:00:00Z"


@dataclass
class Plain:
    d: int


class Model(BaseModel):
    p: int


class Struct(msgspec.Struct):
    m: int


@pytest.mark.requirement("vendor-mixed")
def test_each_parameter_may_belong_to_another_vendor() -> None:
    @tool
    def mix(a: Place, d: Plain, p: Model, m: Struct, listed: list[Place]) -> list[str]:
        """Return the types of the arguments."""
        return [type(one).__name__ for one in (a, d, p, m, *listed)]

    given = {"a": {"lat": 1}, "d": {"d": 1}, "p": {"p": 1}, "m": {"m": 1}, "listed": [{"lat": 2}]}
    assert mix.call_sync(given).unwrap() == ["Place", "Plain", "Model", "Struct", "Place"]
    outcome = mix.call_sync({**given, "a": {}, "d": {"d": []}, "p": {"p": {}}, "m": {"m": []}})
    assert isinstance(outcome, Err)
    assert {issue.path for issue in outcome.issues} == {
        ("a", "lat"),
        ("d", "d"),
        ("p", "p"),
        ("m", "m"),
    }


async def later(one: Any, attribute: Any, value: Any) -> None:
    """Check some day."""


def converted(value: Any, one: Any) -> Any:
    return value


NOWHERE: Any = "Nowhere"
REFUSED: list[tuple[Callable[[], Any], str]] = [
    (lambda: attrs.make_class("Untyped", {"x": attrs.field()}), "Untyped.x has no type"),
    (
        lambda: attrs.make_class("Later", {"x": attrs.field(type=int, validator=later)}),
        "its validator is async",
    ),
    (
        lambda: attrs.make_class(
            "Self",
            {"x": attrs.field(type=int, converter=attrs.Converter(converted, takes_self=True))},
        ),
        "its converter takes the object",
    ),
    (
        lambda: attrs.make_class("Lost", {"x": attrs.field(type=NOWHERE)}),
        "a name in its type is unknown",
    ),
]


@pytest.mark.requirement("vendor-attrs")
@pytest.mark.parametrize(("make", "reason"), REFUSED)
def test_an_unreadable_type_is_rejected_at_the_definition(
    make: Callable[[], Any], reason: str
) -> None:
    with pytest.raises(DefinitionError) as raised:
        Toolset([taking(make())])
    assert reason in str(raised.value)


LOADED = """
import sys
from toolhaft import tool
@tool
def f(n: int) -> int:
    "F."
    return n
f.call_sync({"n": 1})
print({"attr", "attrs", "cattrs"} & set(sys.modules))
"""


@pytest.mark.requirement("vendor-attrs")
def test_attrs_is_not_imported_where_the_program_has_not() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOADED], capture_output=True, text=True, check=True
    )
    assert done.stdout == "set()\n"


@attrs.frozen
class Mended:
    value: Annotated[float, msgspec.Meta(ge=-90, le=60)]
    reasons: list[Annotated[str, msgspec.Meta(min_length=3)]]


def test_a_meta_of_msgspec_holds_on_attrs_classes_and_in_them() -> None:
    @tool
    def mend(rows: Annotated[list[Mended], msgspec.Meta(max_length=1), Doc("Some")]) -> int:
        "Mend."
        return len(rows)

    schema = mend.input_schema.json_schema()["properties"]["rows"]
    assert schema == {
        "type": "array",
        "description": "Some",
        "maxItems": 1,
        "items": {
            "type": "object",
            "properties": {
                "value": {"type": "number", "minimum": -90, "maximum": 60},
                "reasons": {"type": "array", "items": {"type": "string", "minLength": 3}},
            },
            "required": ["value", "reasons"],
        },
    }
    row = {"value": 61, "reasons": ["ab"]}
    refused = mend.call_sync({"rows": [row]})
    assert isinstance(refused, Err)
    assert [one.path for one in refused.issues] == [("rows", 0, "value"), ("rows", 0, "reasons", 0)]
    row = {"value": 60, "reasons": ["abc"]}
    refused = mend.call_sync({"rows": [row, row]})
    assert isinstance(refused, Err)
    assert [one.path for one in refused.issues] == [("rows",)]
    assert mend.call_sync({"rows": [row]}).unwrap() == 1
