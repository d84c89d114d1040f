"""The schema of a marshmallow Schema, and the fields that no schema can express."""

from __future__ import annotations

import datetime as dt
import enum
import re
import warnings
from typing import Any

import pytest
from apispec import APISpec
from apispec.ext.marshmallow import MarshmallowPlugin
from marshmallow import (
    EXCLUDE,
    INCLUDE,
    Schema,
    ValidationError,
    fields,
    post_dump,
    post_load,
    pre_load,
    validate,
    validates,
    validates_schema,
)

from tests.installed import needs
from toolhaft import DefinitionError, Toolset, tool, vendors
from toolhaft.schema.marks import without_marks
from toolhaft.vendors.adapter import NoVendor


class Colour(enum.Enum):
    RED = "r"
    BLUE = "b"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Odd(enum.Enum):
    THING = object()


class Place(Schema):
    """Where something is."""

    lat = fields.Float(required=True)


class Own(fields.Raw):
    """A field of the program's own."""


def even(value: int) -> None:
    if value % 2:
        raise ValidationError("odd")


def one(field: Any, mode: Any = "input") -> Any:
    """Return the schema of one field."""
    made = without_marks(vendors.adapt(Schema.from_dict({"x": field})).emit(mode))
    return made["properties"]["x"]


def losses(schema: Any, mode: Any = "input") -> str:
    with pytest.raises(NoVendor) as caught:
        without_marks(vendors.adapt(schema).emit(mode))
    assert caught.value.fix == "pass parameters= (a JSON Schema) beside it"
    return caught.value.reason.removeprefix("marshmallow: no JSON Schema can be written for ")


def lost(field: Any, mode: Any = "input") -> str:
    return losses(Schema.from_dict({"x": field}, name="S"), mode).removeprefix("S.x: ")


TEXT = {"type": "string"}
WHOLE = {"type": "integer"}


@pytest.mark.requirement("vendor-loaders-emission")
@pytest.mark.parametrize(
    ("field", "schema"),
    [
        (fields.String(), TEXT),
        (fields.Integer(), WHOLE),
        (fields.Float(), {"type": "number"}),
        (fields.Decimal(), {"type": "number"}),
        (fields.Decimal(places=2), {"type": "number", "multipleOf": 0.01}),
        (fields.Decimal(places=-2), {"type": "number", "multipleOf": 100}),
        (fields.Boolean(), {"type": "boolean"}),
        (
            fields.TimeDelta("hours"),
            {"type": "number", "minimum": -23999999976, "maximum": 23999999976},
        ),
        (fields.UUID(), {**TEXT, "format": "uuid"}),
        (fields.Email(), {**TEXT, "format": "email"}),
        (fields.Url(), {**TEXT, "format": "uri"}),
        (fields.Date(), {**TEXT, "format": "date"}),
        (fields.Time(), {**TEXT, "format": "time"}),
        (fields.DateTime(), {**TEXT, "format": "date-time"}),
        (
            fields.DateTime("timestamp"),
            {"type": "number", "minimum": 0, "maximum": 253402300799},
        ),
        (fields.Date("%Y/%m"), {**TEXT, "pattern": r"^[1-9]\d{3}\/(0[1-9]|1[0-2])$"}),
        (fields.NaiveDateTime(timezone=dt.UTC), {**TEXT, "format": "date-time"}),
        (fields.IPv4(), {**TEXT, "format": "ipv4"}),
        (fields.IP(), {"anyOf": [{**TEXT, "format": "ipv4"}, {**TEXT, "format": "ipv6"}]}),
        (fields.Raw(allow_none=True), {}),
        (fields.Raw(), {"type": ["boolean", "number", "string", "array", "object"]}),
        (fields.Enum(Colour), {**TEXT, "enum": ["RED", "BLUE"]}),
        (fields.Enum(Colour, by_value=True), {**TEXT, "enum": ["r", "b"]}),
        (fields.Enum(Level, by_value=fields.Integer), {**WHOLE, "enum": [1, 2]}),
        (fields.Constant("v1"), {"default": "v1", "const": "v1"}),
        (fields.List(fields.Integer()), {"type": "array", "items": WHOLE}),
        (
            fields.Tuple((fields.Integer(), fields.String())),
            {"type": "array", "prefixItems": [WHOLE, TEXT], "minItems": 2, "maxItems": 2},
        ),
        (fields.Dict(), {"type": "object", "additionalProperties": True}),
        (fields.Dict(values=fields.Integer()), {"type": "object", "additionalProperties": WHOLE}),
        (
            fields.Dict(keys=fields.String(validate=validate.Length(2))),
            {
                "type": "object",
                "additionalProperties": True,
                "propertyNames": {**TEXT, "minLength": 2},
            },
        ),
        (fields.Pluck(Place, "lat"), {"type": "number"}),
        (fields.Pluck(Place, "lat", many=True), {"type": "array", "items": {"type": "number"}}),
        (fields.Nested(Place), {"$ref": "#/$defs/Place"}),
        (
            fields.Nested(Place, many=True, allow_none=True),
            {"anyOf": [{"type": "array", "items": {"$ref": "#/$defs/Place"}}, {"type": "null"}]},
        ),
    ],
)
def test_a_field_is_written_exactly(field: Any, schema: dict[str, Any]) -> None:
    assert one(field) == schema


@pytest.mark.parametrize(
    ("field", "schema"),
    [
        (fields.Integer(validate=validate.Range(1, 9)), {**WHOLE, "minimum": 1, "maximum": 9}),
        (
            fields.Integer(validate=validate.Range(1, 9, min_inclusive=False, max_inclusive=False)),
            {**WHOLE, "exclusiveMinimum": 1, "exclusiveMaximum": 9},
        ),
        (fields.String(validate=validate.Length(1, 5)), {**TEXT, "minLength": 1, "maxLength": 5}),
        (
            fields.List(fields.Integer(), validate=validate.Length(equal=2)),
            {"type": "array", "items": WHOLE, "minItems": 2, "maxItems": 2},
        ),
        (
            fields.Dict(validate=validate.Length(max=3)),
            {"type": "object", "additionalProperties": True, "maxProperties": 3},
        ),
        (fields.String(validate=validate.OneOf(["b", "a"])), {**TEXT, "enum": ["b", "a"]}),
        (fields.String(validate=validate.OneOf({"b", "a"})), {**TEXT, "enum": ["a", "b"]}),
        (fields.Float(validate=validate.OneOf([1, 2])), {"type": "number", "enum": [1, 2]}),
        (fields.String(validate=validate.NoneOf(["a"])), {**TEXT, "not": {"enum": ["a"]}}),
        (fields.Integer(validate=validate.Equal(3)), {**WHOLE, "const": 3}),
        (fields.String(validate=validate.Regexp("[a-z]+$")), {**TEXT, "pattern": "^(?:[a-z]+$)"}),
        (fields.String(validate=validate.Regexp(r"^a\Z")), {**TEXT, "pattern": "^a$"}),
        (fields.String(validate=validate.Email()), {**TEXT, "format": "email"}),
        (
            fields.String(validate=validate.URL(relative=True)),
            {**TEXT, "format": "uri-reference"},
        ),
        (
            fields.List(fields.String(), validate=validate.ContainsOnly(["a", "b"])),
            {"type": "array", "items": TEXT, "allOf": [{"items": {"enum": ["a", "b"]}}]},
        ),
        (
            fields.List(fields.String(), validate=validate.ContainsNoneOf(["a"])),
            {"type": "array", "items": TEXT, "allOf": [{"items": {"not": {"enum": ["a"]}}}]},
        ),
        (
            fields.String(validate=validate.And(validate.Regexp("^a"), validate.Regexp("^.b"))),
            {**TEXT, "pattern": "^a", "allOf": [{"pattern": "^.b"}]},
        ),
        (
            fields.String(allow_none=True, validate=validate.OneOf(["a"])),
            {"anyOf": [{**TEXT, "const": "a"}, {"type": "null"}]},
        ),
    ],
)
def test_a_validator_is_written_exactly(field: Any, schema: dict[str, Any]) -> None:
    assert one(field) == schema


@pytest.mark.requirement("vendor-constraint-kept-or-refused")
@pytest.mark.parametrize(
    ("field", "reason"),
    [
        (fields.Integer(validate=even), "validate=even"),
        (fields.String(validate=validate.Predicate("isupper")), "validate=Predicate"),
        (fields.String(validate=validate.Regexp("a", flags=re.IGNORECASE)), "validate=Regexp"),
        (fields.String(validate=validate.Regexp("(?P<n>a)")), "validate=Regexp"),
        (fields.Date(validate=validate.Range(dt.date(2020, 1, 1))), "validate=Range"),
        (fields.Integer(validate=validate.Range(max=float("inf"))), "validate=Range"),
        (fields.Date(validate=validate.OneOf(["2020-01-01"])), "validate=OneOf"),
        (fields.UUID(validate=validate.Length(3)), "validate=Length"),
        (
            fields.List(fields.Date(), validate=validate.ContainsOnly(["x"])),
            "validate=ContainsOnly",
        ),
        (fields.Raw(validate=validate.OneOf([[1]])), "validate=OneOf"),
        (fields.Integer(validate=validate.NoneOf([dt.date.min])), "validate=NoneOf"),
        (fields.Integer(validate=validate.Email()), "validate=Email"),
        (Own(), "the custom field Own"),
        (fields.Method(deserialize="get_attribute"), "the field Method"),
        (fields.Function(deserialize=int), "the field Function"),
        (fields.IPInterface(), "the field IPInterface"),
        (fields.NaiveDateTime(), "a date-time without a zone"),
        (fields.DateTime("rfc"), "the format rfc"),
        (fields.Date("%d %b"), "the format %d %b"),
        (fields.Boolean(truthy={"ja"}, falsy={"nein"}), "truthy and falsy without true and false"),
        (fields.Dict(keys=fields.Integer()), "keys that are no plain text"),
        (fields.Enum(Odd, by_value=True), "the values of Odd"),
        (fields.Constant(object()), "a constant without a JSON form"),
    ],
)
def test_constraints_that_no_schema_can_express_are_rejected_and_named(
    field: Any, reason: str
) -> None:
    assert lost(field) == reason


@needs("marshmallow", "4.3")
def test_a_function_that_a_field_runs_before_reading_is_rejected_and_named() -> None:
    assert lost(fields.Integer(pre_load=abs)) == "pre_load functions"


@pytest.mark.requirement("vendor-constraint-kept-or-refused")
def test_everything_that_is_lost_is_listed_at_once() -> None:
    class Line(Schema):
        price = fields.Integer(validate=even)

    class Order(Schema):
        code = Own()
        lines = fields.List(fields.Nested(Line))

        @pre_load
        def open(self, data: Any, **_: Any) -> Any:
            return data

        @validates("code")
        def check(self, value: Any, data_key: str) -> None: ...

        @validates_schema
        def whole(self, data: Any, **_: Any) -> None: ...

        @post_load
        def close(self, data: Any, **_: Any) -> Any:
            return data

    listed = (
        "Order: @pre_load open; Order: @validates check; Order: @validates_schema whole; "
        "Order.code: the custom field Own; Line.price: validate=even"
    )
    assert losses(Order) == listed
    handler = tool(lambda given: 1, name="order", description="d", input=Order)
    with pytest.raises(DefinitionError) as caught:
        Toolset([handler])
    assert str(caught.value) == (
        f"order.input: marshmallow: no JSON Schema can be written for {listed}; "
        "pass parameters= (a JSON Schema) beside it"
    )


class Account(Schema):
    """A user's account."""

    class Meta:
        title = "Account"

    name = fields.String(required=True, data_key="userName", metadata={"description": "Login."})
    secret = fields.String(required=True, load_only=True)
    id = fields.Integer(dump_only=True)
    balance = fields.Decimal(load_default=None, as_string=True)
    made = fields.Date(load_default=dt.date(2024, 1, 2))
    tags = fields.List(fields.String(), load_default=list)
    nonce = fields.Integer(load_default=lambda: 4)


def test_input_and_output_differ_in_what_is_loaded_and_dumped() -> None:
    adapter = vendors.adapt(Account)
    notes = {"title": "Account", "description": "A user's account.", "type": "object"}
    name = {"description": "Login.", "type": "string"}
    assert without_marks(adapter.emit("input")) == {
        **notes,
        "properties": {
            "userName": name,
            "secret": TEXT,
            "balance": {"default": None, "anyOf": [{"type": "number"}, {"type": "null"}]},
            "made": {"default": "2024-01-02", "type": "string", "format": "date"},
            "tags": {"default": [], "type": "array", "items": TEXT},
            "nonce": WHOLE,
        },
        "required": ["userName", "secret"],
        "additionalProperties": False,
    }
    assert without_marks(adapter.emit("output")) == {
        **notes,
        "properties": {
            "userName": name,
            "id": WHOLE,
            "balance": {"anyOf": [TEXT, {"type": "null"}]},
            "made": {"type": "string", "format": "date"},
            "tags": {"type": "array", "items": TEXT},
            "nonce": WHOLE,
        },
        "required": ["userName"],
        "additionalProperties": False,
    }


def test_the_schemas_own_policy_for_unknown_keys_is_written() -> None:
    assert vendors.adapt(Place(unknown="raise")).emit("input")["additionalProperties"] is False
    assert vendors.adapt(Place(unknown=INCLUDE)).emit("input")["additionalProperties"] is True
    assert "additionalProperties" not in without_marks(
        vendors.adapt(Place(unknown=EXCLUDE)).emit("input")
    )
    nested = Schema.from_dict({"x": fields.Nested(Place, unknown=INCLUDE)})
    definition = vendors.adapt(nested).emit("input")["$defs"]["Place"]
    assert definition["additionalProperties"] is True


def test_a_partial_field_is_not_required() -> None:
    class Trip(Schema):
        start = fields.Nested(Place, required=True)
        stops = fields.Integer(required=True)

    def required(partial: Any) -> tuple[Any, Any]:
        made = without_marks(vendors.adapt(Trip(partial=partial)).emit("input"))
        return made.get("required"), made["$defs"]["Place"].get("required")

    assert required(None) == (["start", "stops"], ["lat"])
    assert required(True) == (None, None)
    assert required(("stops", "start.lat")) == (["start"], None)


def test_recursion_is_a_reference_and_each_use_of_a_class_its_own_definition() -> None:
    class Node(Schema):
        value = fields.Integer()
        below = fields.List(fields.Nested("Node"))
        first = fields.Nested(lambda: Node(only=("value",)))

    assert without_marks(vendors.adapt(Node).emit("input"))["$defs"] == {
        "Node": {
            "type": "object",
            "properties": {
                "value": WHOLE,
                "below": {"type": "array", "items": {"$ref": "#/$defs/Node"}},
                "first": {"$ref": "#/$defs/Node_2"},
            },
            "additionalProperties": False,
        },
        "Node_2": {
            "type": "object",
            "properties": {"value": WHOLE},
            "additionalProperties": False,
        },
    }


def test_many_objects_are_an_array() -> None:
    assert without_marks(vendors.adapt(Place(many=True)).emit("input"))["type"] == "array"


def test_a_hook_on_the_dump_is_a_loss_of_the_output_only() -> None:
    class Wrapped(Schema):
        n = fields.Integer()
        label = fields.Function(lambda one: "x")

        @post_dump
        def wrap(self, data: Any, **_: Any) -> Any:
            return {"data": data}

    assert without_marks(vendors.adapt(Wrapped).emit("input"))["properties"] == {"n": WHOLE}
    assert (
        losses(Wrapped, "output") == "Wrapped: @post_dump wrap; Wrapped.label: the field Function"
    )


def test_a_validator_on_a_dumped_field_is_no_loss() -> None:
    assert one(fields.Integer(validate=even), "output") == WHOLE


def test_a_default_that_cannot_be_dumped_is_left_out() -> None:
    assert one(fields.Integer(load_default="many")) == WHOLE
    assert one(fields.Raw(load_default=object(), allow_none=True)) == {}


def test_the_library_for_openapi_agrees_if_it_decides() -> None:
    """A second opinion: apispec, whose schemas lose nothing for these fields."""

    class Simple(Schema):
        id = fields.Integer(required=True, validate=validate.Range(1, 9))
        name = fields.String(required=True, validate=validate.Length(1, 9))
        kind = fields.String(validate=validate.OneOf(["a", "b"]), load_default="a")
        tags = fields.List(fields.String(), validate=validate.Length(max=3))
        day = fields.Date()
        scores = fields.Dict(values=fields.Float())
        place = fields.Nested(Place)

    plugin = MarshmallowPlugin()
    APISpec("t", "1", "3.1.0", plugins=[plugin])
    converter: Any = plugin.converter
    theirs = converter.schema2jsonschema(Simple)
    ours = without_marks(vendors.adapt(Simple).emit("input"))
    references = (ours["properties"].pop("place"), theirs["properties"].pop("place"))
    assert references == ({"$ref": "#/$defs/Place"}, {"$ref": "#/components/schemas/Place"})
    del ours["$defs"]
    assert ours == theirs


def test_the_library_for_openapi_loses_what_is_written_or_refused_here() -> None:
    plugin = MarshmallowPlugin()
    APISpec("t", "1", "3.1.0", plugins=[plugin])
    converter: Any = plugin.converter
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = converter.fields2jsonschema(
            {
                "pair": fields.Tuple((fields.Integer(), fields.String())),
                "own": Own(),
                "even": fields.Integer(validate=even),
            }
        )
    assert theirs["properties"] == {"pair": {}, "own": {}, "even": WHOLE}
