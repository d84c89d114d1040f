"""The cost of explaining errors, compared with the engine's own verdict and errors.

    python bench/explaining_cost.py

The floor is jsonschema-rs's `is_valid` and `list(iter_errors(...))`; ours is `is_valid` and
`Checker.findings`. A line is a shape of data and a fault in it: the ratio of paired rounds, its
middle half, the floor, and the difference in microseconds.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Final

import jsonschema_rs
from paired import paired

from toolhaft.schema.checker import Checker

FLAT: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "minLength": 1},
        "days": {"type": "integer", "minimum": 1, "maximum": 14},
        "unit": {"enum": ["C", "F"]},
        "code": {"type": "string", "pattern": "^[A-Z]{3}$"},
    },
    "required": ["city", "days"],
    "additionalProperties": False,
}
NAMES: Final = ("name", "email", "street", "country", "phone", "notes")
ORDER: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        **{name: {"type": "string"} for name in NAMES},
        "priority": {"type": "integer"},
        "discount": {"type": "number"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "items": {"type": "array", "items": FLAT},
    },
    "required": [*NAMES, "priority", "discount", "tags", "items"],
    "additionalProperties": False,
}
NESTED: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {"at": FLAT, "items": {"type": "array", "items": FLAT}, "id": {"type": "string"}},
    "required": ["at", "id"],
    "additionalProperties": False,
}
RIGHT: Final = {"city": "Paris", "days": 3, "unit": "C"}
FAULTS: Final[dict[str, dict[str, Any]]] = {
    "missing": {"days": 3},
    "type": {**RIGHT, "city": 5},
    "bound": {**RIGHT, "days": 99},
    "enum": {**RIGHT, "unit": "K"},
    "pattern": {**RIGHT, "code": "x"},
    "unknown key": {**RIGHT, "zzz": 1},
}
OTHERS: Final = {**dict.fromkeys(NAMES, "Ada"), "priority": 2, "discount": 0.5, "tags": ["a", "b"]}
# A shape: its name, its schema, and how an object with a fault stands in it.
SHAPES: Final[dict[str, tuple[dict[str, Any], Callable[[Any], Any]]]] = {
    "flat": (FLAT, lambda wrong: wrong),
    "nested": (NESTED, lambda wrong: {"id": "x", "at": RIGHT, "items": [RIGHT, wrong]}),
    "order": (ORDER, lambda wrong: {**OTHERS, "items": [*[RIGHT] * 4, wrong]}),
    "100 items": (NESTED, lambda w: {"id": "x", "at": RIGHT, "items": [*[RIGHT] * 99, w]}),
}


def main() -> None:
    """Measure and print each shape with each fault."""
    for shape, (schema, data_with) in SHAPES.items():
        checker = Checker(schema)
        engine = jsonschema_rs.Draft202012Validator(schema, validate_formats=False)
        for fault, wrong in FAULTS.items():
            data = data_with(wrong)

            def floor(data: Any = data, engine: Any = engine) -> None:
                engine.is_valid(data)
                list(engine.iter_errors(data))

            def ours(data: Any = data, checker: Checker = checker) -> None:
                checker.is_valid(data)
                checker.node_issues(data)

            ratio = paired(floor, ours, count=30)
            more = (ratio.median - 1) * ratio.floor_us
            sys.stdout.write(
                f"{shape:10} {fault:12} {ratio.median:5.2f}  {ratio.low:.2f} to {ratio.high:.2f}"
                f"  {ratio.floor_us:6.2f} us  {more:+6.2f} us\n"
            )


if __name__ == "__main__":
    main()
