"""The ten shapes as marshmallow Schemas; there are no unions, and no sets."""

from __future__ import annotations

from typing import Any

from marshmallow import Schema, fields, validate

from tests.vendors.shapes.plain import Colour, Level

__all__ = ["SHAPES"]


class Flat(Schema):
    n = fields.Integer(required=True)
    x = fields.Float(required=True)
    text = fields.String(required=True)
    flag = fields.Boolean(required=True)


class Place(Schema):
    lat = fields.Float(required=True)
    name = fields.String(allow_none=True)


class Nested(Schema):
    place = fields.Nested(Place, required=True)
    other = fields.Nested(Place, allow_none=True)


class Objects(Schema):
    places = fields.List(fields.Nested(Place), required=True)
    rows = fields.List(fields.List(fields.Integer()))


class Map(Schema):
    scores = fields.Dict(keys=fields.String(), values=fields.Float(), required=True)
    places = fields.Dict(keys=fields.String(), values=fields.Nested(Place))


class Tagged(Schema):
    kind = fields.String(required=True, validate=validate.Equal("cat"))
    lives = fields.Integer(required=True)


class Tree(Schema):
    value = fields.Integer(required=True)
    children = fields.List(fields.Nested(lambda: Tree()))  # noqa: PLW0108 - Tree is not there yet
    parent = fields.Nested(lambda: Tree(), allow_none=True)  # noqa: PLW0108 - Tree is not there yet


class Bounds(Schema):
    low = fields.Integer(required=True, validate=validate.Range(1, 9))
    inner = fields.Float(
        required=True, validate=validate.Range(0, 1, min_inclusive=False, max_inclusive=False)
    )
    short = fields.String(required=True, validate=validate.Length(2, 4))
    code = fields.String(required=True, validate=validate.Regexp(r"^[A-Z]{2}\d+$"))
    few = fields.List(fields.Integer(), required=True, validate=validate.Length(1, 3))


class Dates(Schema):
    day = fields.Date(required=True)
    when = fields.AwareDateTime(required=True)
    at = fields.Time(required=True)
    id = fields.UUID(required=True)
    price = fields.Decimal(required=True)


class Choices(Schema):
    colour = fields.Enum(Colour, by_value=True, required=True)
    level = fields.Enum(Level, by_value=True, required=True)
    word = fields.String(validate=validate.OneOf(["a", "b"]), allow_none=True)
    number = fields.Integer(validate=validate.OneOf([1, 2]))


class Options(Schema):
    pair = fields.Tuple((fields.Integer(), fields.String()), required=True)
    many = fields.List(fields.Integer())
    maybe = fields.Integer(allow_none=True)
    anything = fields.Raw(allow_none=True)


SHAPES: dict[str, Any] = {
    "flat": Flat, "nested": Nested, "objects": Objects, "map": Map, "tagged": Tagged,
    "tree": Tree, "bounds": Bounds, "dates": Dates, "choices": Choices, "options": Options,
}  # fmt: skip
