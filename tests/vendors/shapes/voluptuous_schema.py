"""Ten shapes as voluptuous Schemas; one that holds itself has no JSON Schema."""

from __future__ import annotations

from typing import Any as Anything

from voluptuous import (
    All,
    Any,
    Date,
    In,
    Length,
    Match,
    Maybe,
    Optional,
    Range,
    Required,
    Schema,
    Self,
    Unique,
)

__all__ = ["SHAPES"]

CITY = {
    Required("name"): str,
    Required("people"): int,
    Required("area"): float,
    Required("capital"): bool,
}
CAT = {Required("kind"): "cat", Required("lives"): int}
DOG = {Required("kind"): "dog", Required("name"): str}

SHAPES: dict[str, Anything] = {
    "flat": Schema(CITY),
    "nested": Schema({Required("start"): CITY, Optional("end", default=None): Maybe(CITY)}),
    "list of objects": Schema({Required("stops"): [CITY], Required("grid"): [[int]]}),
    "map": Schema({
        Required("by_city"): {Optional(str): float},
        Required("cities"): {Optional(str): CITY},
    }),
    "discriminated union": Schema({Required("pet"): Any(CAT, DOG)}),
    "recursive tree": Schema({Required("value"): int, Optional("children"): [Self]}),
    "bounds": Schema({
        Required("n"): All(int, Range(1, 9)),
        Required("ratio"): All(float, Range(0, 1, min_included=False, max_included=False)),
        Required("code"): All(str, Match("^[A-Z]{2}[0-9]+$")),
        Required("label"): All(str, Length(2, 5)),
        Required("tags"): All([str], Length(1, 3)),
    }),
    "formats": Schema({Required("day"): Date()}),
    "words": Schema({
        Required("color"): In(["red", "blue"]),
        Required("level"): In([2, 1]),
        Required("mode"): Any("slow", "fast", "auto"),
        Required("size"): Any(3, 1, 2),
        Required("only"): "x",
    }),
    "defaults": Schema({
        Optional("n", default=3): int,
        Optional("maybe", default=None): Maybe(int),
        Optional("either", default="a"): Any(int, str),
        Optional("many", default=list): [int],
        Optional("unique", default=list): All([str], Unique()),
        Optional("anything", default=None): object,
    }),
}  # fmt: skip
