"""Shapes that are seldom and real, as each library declares them, with right arguments.

Their fields are annotations of the standard library; unions are of types with a `kind`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from decimal import Decimal
from random import Random
from typing import Annotated, Any, Final, Literal, NamedTuple
from uuid import UUID

import attrs
import msgspec
import pydantic
from floors import CONVERTERS, FLOORS, OPEN, Declared, Floor, Pydantic
from typing_extensions import TypedDict

__all__ = ["LIBRARIES", "SHAPES", "Shape", "draw", "type_of"]


class TypedDicts(Floor):
    """TypedDicts, which pydantic reads."""

    def make(self, name: str, fields: Mapping[str, Declared], *, closed: bool) -> Any:
        del closed
        return TypedDict(name, {key: field.annotated for key, field in fields.items()})  # type: ignore[operator]


LIBRARIES: Final[dict[str, Floor]] = {**FLOORS, "typed dict": TypedDicts()}


class Tree(pydantic.BaseModel):
    """A tree of pydantic."""

    name: str
    weight: float
    children: list[Tree]


@dataclasses.dataclass
class DataclassTree:
    """A tree of a dataclass."""

    name: str
    weight: float
    children: list[DataclassTree]


class StructTree(msgspec.Struct):
    """A tree of msgspec."""

    name: str
    weight: float
    children: list[StructTree]


@attrs.define
class AttrsTree:
    """A tree of attrs."""

    name: str
    weight: float
    children: list[AttrsTree]


TREES: Final[dict[str, Any]] = {
    "Pydantic": Tree,
    "Dataclass": DataclassTree,
    "Msgspec": StructTree,
    "Attrs": AttrsTree,
}


class Shape(NamedTuple):
    """A shape: its type by a library's maker of types, and right arguments from a seed."""

    make: Callable[[Floor], Any]
    draw: Callable[[Random], Any]
    # The libraries that can declare it without hooks of the program.
    vendors: tuple[str, ...] = ("pydantic", "msgspec", "attrs", "dataclass", "typed dict")


def _object(floor: Floor, name: str, /, **fields: Any) -> Any:
    declared = {key: Declared(annotation, {}) for key, annotation in fields.items()}
    return floor.make(name, declared, closed=False)


def _union(floor: Floor) -> Any:
    if type(floor).__name__ == "Msgspec":
        forms = [
            msgspec.defstruct(name, fields, tag_field="kind", tag=name.lower())
            for name, fields in (
                ("Circle", [("radius", float)]),
                ("Box", [("width", float), ("height", float)]),
                ("Label", [("text", str), ("size", int)]),
            )
        ]
        form: Any = forms[0] | forms[1] | forms[2]
    else:
        circle = _object(floor, "Circle", kind=Literal["circle"], radius=float)
        box = _object(floor, "Box", kind=Literal["box"], width=float, height=float)
        label = _object(floor, "Label", kind=Literal["label"], text=str, size=int)
        form = circle | box | label
        if type(floor).__name__ != "Attrs":
            form = Annotated[form, pydantic.Field(discriminator="kind")]
    return _object(floor, "Drawing", title=str, forms=list[form])


def _draw_union(random: Random) -> Any:
    forms = [
        {"kind": "circle", "radius": round(random.uniform(1, 9), 3)},
        {"kind": "box", "width": round(random.uniform(1, 9), 2), "height": 2.5},
        {"kind": "label", "text": "a door", "size": random.randrange(50)},
    ]
    return {"title": "plan", "forms": [random.choice(forms) for _ in range(4)]}


def _invoice(floor: Floor) -> Any:
    line = _object(floor, "Line", sku=str, quantity=int, price=Decimal)
    return _object(floor, "Invoice", number=UUID, total=Decimal, lines=list[line])  # type: ignore[valid-type]


def _draw_invoice(random: Random) -> Any:
    lines = [
        {"sku": f"SKU-{n}", "quantity": n, "price": f"{random.randrange(10_000) / 100:.2f}"}
        for n in range(1, 6)
    ]
    # Digits and an "e" such as UUIDs hold, which are no number.
    number = f"{random.randrange(1 << 32):08x}-12e4-4a0e-1111-{random.randrange(10**12):012d}"
    return {"number": number, "total": "1234.50", "lines": lines}


def _plain(name: str, /, **fields: Any) -> Callable[[Floor], Any]:
    return lambda floor: _object(floor, name, **fields)


def _tree(floor: Floor) -> Any:
    return _object(floor, "Forest", tree=TREES[type(floor).__name__])


def _draw_tree(random: Random, depth: int = 4) -> dict[str, Any]:
    children = [_draw_tree(random, depth - 1) for _ in range(3)] if depth > 1 else []
    return {"name": f"node {random.randrange(99)}", "weight": 1.25, "children": children}


def _record(floor: Floor) -> Any:
    return _object(floor, "Record", id=int, name=str, price=float, tags=list[str])


def _draw_record(random: Random) -> Any:
    price = round(random.uniform(1, 99), 2)
    return {"id": random.randrange(10**6), "name": "Ada", "price": price, "tags": ["a", "b"]}


def _anything(random: Random) -> Any:
    return {
        "payload": {
            "id": random.randrange(999),
            "tags": ["a", "b", "c"],
            "owner": {"name": "Ada", "mail": "ada@example.org", "score": 0.5},
            "rows": [{"n": n, "on": True, "note": None} for n in range(5)],
        }
    }


def _many_keys(random: Random) -> Any:
    return {f"key_{n}": random.randrange(999) for n in range(100)}


def _page(random: Random) -> str:
    return f"Line {random.randrange(9)} of a page, as people write.\n"


NAMES: Final = tuple(f"field_{n}" for n in range(100))
LARGE: Final = 1 << 60
ALL: Final = ("pydantic", "msgspec", "attrs", "dataclass", "typed dict", "json schema")
EXACT: Final = ("pydantic", "msgspec", "dataclass", "typed dict", "json schema")
NO_TYPED_DICT: Final = ("pydantic", "msgspec", "attrs", "dataclass", "json schema")

SHAPES: Final[dict[str, Shape]] = {
    "tagged union": Shape(_union, _draw_union, NO_TYPED_DICT),
    "invoice": Shape(_invoice, _draw_invoice, EXACT),
    "integers over 2^53": Shape(
        _plain("Ids", id=int, ids=list[int]),
        lambda random: {"id": LARGE + random.randrange(99), "ids": [LARGE + n for n in range(9)]},
        ALL,
    ),
    "100 x 100 floats": Shape(
        _plain("Matrix", rows=list[list[float]]),
        lambda random: {"rows": [[random.random() for _ in range(100)] for _ in range(100)]},
        ALL,
    ),
    "recursive tree": Shape(_tree, lambda random: {"tree": _draw_tree(random)}, NO_TYPED_DICT),
    "dict[str, Any]": Shape(_plain("Event", payload=dict[str, Any]), _anything, ALL),
    "map of 100 keys": Shape(
        _plain("Counts", counts=dict[str, int]), lambda random: {"counts": _many_keys(random)}, ALL
    ),
    "100 fields": Shape(
        lambda floor: _object(floor, "Wide", **dict.fromkeys(NAMES, int)),
        lambda random: {name: random.randrange(999) for name in NAMES},
        ALL,
    ),
    "1,000 records": Shape(
        lambda floor: _object(floor, "Table", records=list[_record(floor)]),  # type: ignore[misc]
        lambda random: {"records": [_draw_record(random) for _ in range(1_000)]},
        ALL,
    ),
    "1,000 groups, one large": Shape(
        _plain("Groups", groups=list[list[int]]),
        lambda random: {
            "groups": [[random.randrange(99)] * size for size in (*[2] * 500, 600, *[2] * 499)]
        },
        ALL,
    ),
    "100 kB of text": Shape(
        _plain("Page", text=str),
        lambda random: {"text": _page(random) * 2_700},
        ALL,
    ),
    "400 kB of text": Shape(
        _plain("Book", text=str),
        lambda random: {"text": _page(random) * 11_000},
        ALL,
    ),
}


def type_of(shape: Shape, library: str) -> Any:
    """A library's type of a shape; the JSON Schema is pydantic's."""
    if library == "json schema":
        return shape.make(Pydantic()).model_json_schema()
    tp = shape.make(LIBRARIES[library])
    if library == "attrs":
        CONVERTERS[tp] = OPEN
    return tp


def draw(shape: Shape, seed: str) -> Any:
    """Draw right arguments."""
    return shape.draw(Random(seed))  # noqa: S311  no secret
