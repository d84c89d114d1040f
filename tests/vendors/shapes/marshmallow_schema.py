"""Ten shapes as marshmallow Schemas; it has neither unions nor sets."""

from __future__ import annotations

from enum import Enum
from typing import Any

from marshmallow import Schema, fields, validate

__all__ = ["SHAPES"]


class Color(Enum):
    RED = "red"
    BLUE = "blue"


class Level(Enum):
    HIGH = 2
    LOW = 1


class City(Schema):
    """A place on the map.

    Attributes:
        name: as its people write it
    """

    name = fields.String(required=True)
    people = fields.Integer(required=True)
    area = fields.Float(required=True)
    capital = fields.Boolean(required=True)


class Trip(Schema):
    start = fields.Nested(City, required=True)
    end = fields.Nested(City, allow_none=True, load_default=None)


class Route(Schema):
    stops = fields.List(fields.Nested(City), required=True)
    grid = fields.List(fields.List(fields.Integer()), required=True)


class Prices(Schema):
    by_city = fields.Dict(keys=fields.String(), values=fields.Float(), required=True)
    cities = fields.Dict(keys=fields.String(), values=fields.Nested(City), required=True)


class Owner(Schema):
    kind = fields.String(required=True, validate=validate.Equal("cat"))
    lives = fields.Integer(required=True)


class Tree(Schema):
    value = fields.Integer(required=True)
    children = fields.List(fields.Nested("Tree"), load_default=list)


class Bounds(Schema):
    n = fields.Integer(required=True, validate=validate.Range(1, 9))
    ratio = fields.Float(
        required=True, validate=validate.Range(0, 1, min_inclusive=False, max_inclusive=False)
    )
    code = fields.String(required=True, validate=validate.Regexp("^[A-Z]{2}[0-9]+$"))
    label = fields.String(required=True, validate=validate.Length(2, 5))
    tags = fields.List(fields.String(), required=True, validate=validate.Length(1, 3))


class Formats(Schema):
    day = fields.Date(required=True)
    exactly = fields.AwareDateTime(required=True)
    at = fields.Time(required=True)
    id = fields.UUID(required=True)
    price = fields.Decimal(required=True)


class Words(Schema):
    color = fields.Enum(Color, by_value=True, required=True)
    level = fields.Enum(Level, by_value=True, required=True)
    mode = fields.String(validate=validate.OneOf(["slow", "fast", "auto"]), required=True)
    size = fields.Integer(validate=validate.OneOf([3, 1, 2]), required=True)
    exact = fields.Constant("x", required=True, data_key="only")


class Rest(Schema):
    n = fields.Integer(load_default=3)
    maybe = fields.Integer(allow_none=True, load_default=None)
    pair = fields.Tuple((fields.Integer(), fields.String()), load_default=(1, "a"))
    many = fields.List(fields.Integer(), load_default=list)
    anything = fields.Raw(allow_none=True, load_default=None)


SHAPES: dict[str, Any] = {
    "flat": City,
    "nested": Trip,
    "list of objects": Route,
    "map": Prices,
    "discriminated union": Owner,
    "recursive tree": Tree,
    "bounds": Bounds,
    "formats": Formats,
    "words": Words,
    "defaults": Rest,
}
