"""The booking tool's arguments as a voluptuous Schema."""

from __future__ import annotations

from voluptuous import All, Any, Date, In, Length, Match, Maybe, Optional, Range, Required, Schema

__all__ = ["INPUT", "LACKS", "POLICY"]

PLACE = {Required("lat"): float, Optional("name", default=None): Maybe(str)}
CAT = {Required("kind"): "cat", Required("lives"): All(int, Range(min=0))}
DOG = {Required("kind"): "dog", Required("name"): str}

INPUT = Schema(
    {
        Required("id"): int,
        Required("text"): str,
        Required("tags"): [str],
        Required("place"): PLACE,
        Optional("n", default=3): All(int, Range(1, 9)),
        Optional("ratio", default=0.5): All(
            float, Range(0, 1, min_included=False, max_included=False)
        ),
        Optional("maybe", default=3): Maybe(int),
        Optional("flag", default=False): bool,
        Optional("kind", default="old"): In(["old", "new"]),
        Optional("size", default="small"): In(["small", "large"]),
        Optional("code", default="AA00"): All(str, Match(r"^[A-Z]{2}\d{2}$")),
        Optional("label", default="ab"): All(str, Length(2, 5)),
        Optional("day", default=None): Maybe(Date()),
        Optional("either", default=1): Any(int, str),
        Optional("scores", default=dict): {Optional(str): float},
        Optional("stops", default=list): All([PLACE], Length(max=2)),
        Optional("grid", default=list): [[int]],
        Optional("pet", default=None): Any(CAT, DOG, None),
        Optional("größe", default=1.0): float,
    }
)
POLICY = "forbid"
LACKS = {
    "when": "voluptuous has no date-time with a zone",
    "fromCity": "voluptuous has no aliases",
}
