"""The shapes as voluptuous validators; of a tree, it can write no schema (`Self`)."""

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
    Unique,
)

__all__ = ["SHAPES"]

PLACE = {Required("lat"): float, Optional("name"): Maybe(str)}
CAT = {Required("kind"): "cat", Required("lives"): int}
DOG = {Required("kind"): "dog", Optional("name"): str}

SHAPES: dict[str, Anything] = {
    "flat": Schema({
        Required("n"): int, Required("x"): float, Required("text"): str, Required("flag"): bool,
        Optional("nothing"): None,
    }),
    "nested": Schema({Required("place"): PLACE, Optional("other"): Maybe(PLACE)}),
    "objects": Schema({Required("places"): [PLACE], Optional("rows"): [[int]]}),
    "map": Schema({
        Required("scores"): {Optional(str): float}, Optional("places"): {Optional(str): PLACE},
    }),
    "tagged": Schema({Required("pet"): Any(CAT, DOG), Optional("either"): Any(int, str)}),
    "bounds": Schema({
        Required("low"): All(int, Range(1, 9)),
        Required("inner"): All(float, Range(0, 1, min_included=False, max_included=False)),
        Required("short"): All(str, Length(2, 4)),
        Required("code"): All(str, Match(r"^[A-Z]{2}\d+$")),
        Required("few"): All([int], Length(1, 3)),
    }),
    "dates": Schema({Required("day"): Date()}),
    "choices": Schema({
        Required("colour"): In(["red", "blue"]), Required("level"): In([1, 2]),
        Optional("word"): In(["a", "b", None]), Optional("number"): Any(1, 2),
        Optional("mixed"): Any("x", 1, True),
    }),
    "options": Schema({
        Optional("unique"): All([int], Unique()), Optional("maybe"): Maybe(int),
        Optional("anything"): object,
    }),
}  # fmt: skip
