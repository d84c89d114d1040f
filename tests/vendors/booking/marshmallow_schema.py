"""The booking tool's arguments as a marshmallow Schema."""

from __future__ import annotations

from enum import Enum

from marshmallow import Schema, fields, validate

__all__ = ["INPUT", "LACKS", "POLICY"]


class Size(Enum):
    SMALL = "small"
    LARGE = "large"


class Place(Schema):
    lat = fields.Float(required=True)
    name = fields.String(allow_none=True, load_default=None)


class Booking(Schema):
    id = fields.Integer(required=True)
    text = fields.String(required=True)
    tags = fields.List(fields.String(), required=True)
    place = fields.Nested(Place, required=True)
    n = fields.Integer(validate=validate.Range(1, 9), load_default=3)
    ratio = fields.Float(
        validate=validate.Range(0, 1, min_inclusive=False, max_inclusive=False), load_default=0.5
    )
    maybe = fields.Integer(allow_none=True, load_default=3)
    flag = fields.Boolean(load_default=False)
    kind = fields.String(validate=validate.OneOf(["old", "new"]), load_default="old")
    size = fields.Enum(Size, by_value=True, load_default=Size.SMALL)
    code = fields.String(validate=validate.Regexp(r"^[A-Z]{2}\d{2}$"), load_default="AA00")
    label = fields.String(validate=validate.Length(2, 5), load_default="ab")
    day = fields.Date(allow_none=True, load_default=None)
    when = fields.AwareDateTime(allow_none=True, load_default=None)
    scores = fields.Dict(keys=fields.String(), values=fields.Float(), load_default=dict)
    stops = fields.List(fields.Nested(Place), validate=validate.Length(max=2), load_default=list)
    grid = fields.List(fields.List(fields.Integer()), load_default=list)
    größe = fields.Float(load_default=1.0)  # noqa: PLC2401 - a key that is not ASCII
    city = fields.String(data_key="fromCity", load_default="")


INPUT = Booking
POLICY = "forbid"
LACKS = dict.fromkeys(("either", "pet"), "marshmallow has no unions")
