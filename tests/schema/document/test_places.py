"""Which parts of a schema speak about a place in the data."""

from __future__ import annotations

from typing import Any

import pytest

from toolhaft.schema.document.kinds import named_types
from toolhaft.schema.document.places import (
    MAX_KNOWN,
    MAX_PARTS,
    Place,
    PlaceIndex,
    child_schemas,
    parts,
)

INTEGER = {"type": "integer"}
TEXT = {"type": "string"}


def one_step(schema: Any, step: str | int, root: Any = None) -> list[Place]:
    return child_schemas(schema if root is None else root, [Place(schema)], step)


def test_the_parts_are_all_that_may_hold_for_the_same_value() -> None:
    root: Any = {"$defs": {"n": INTEGER}}
    inner: Any = {"anyOf": [{"$ref": "#/$defs/n"}, {"oneOf": [TEXT]}], "allOf": [{"minimum": 1}]}
    whole: Any = {**inner, "then": {"maximum": 5}, "else": {"maximum": 6},
                  "dependentSchemas": {"a": {"required": ["b"]}}}  # fmt: skip
    assert parts(root, whole)[1:] == [
        {"minimum": 1}, {"$ref": "#/$defs/n"}, INTEGER, {"oneOf": [TEXT]}, TEXT, {"maximum": 5},
        {"maximum": 6}, {"required": ["b"]},
    ]  # fmt: skip
    assert parts(root, True) == []


def test_references_that_recur_and_endless_unions_end() -> None:
    root: Any = {"$defs": {"t": {"anyOf": [{"$ref": "#/$defs/t"}, INTEGER]}}}
    assert len(parts(root, root["$defs"]["t"])) == 3
    assert len(parts({}, {"anyOf": [{"minimum": n} for n in range(1000)]})) == MAX_PARTS
    many: Any = {"anyOf": [{"properties": {"a": {"minimum": n}}} for n in range(200)]}
    assert len(child_schemas({}, [Place(many)] * 3, "a")) == MAX_PARTS


@pytest.mark.parametrize(
    ("schema", "step", "found"),
    [
        ({"properties": {"a": INTEGER}}, "a", [Place(INTEGER, declared=True)]),
        ({"properties": {"a": INTEGER}}, "b", []),
        ({"properties": {"a": INTEGER}}, 0, []),
        ({"additionalProperties": TEXT}, "a", [Place(TEXT)]),
        ({"additionalProperties": TEXT}, 0, []),
        ({"properties": {"a": TEXT}, "additionalProperties": INTEGER}, "a", [Place(TEXT, True)]),
        ({"patternProperties": {"^a": INTEGER}, "additionalProperties": TEXT}, "ab",
         [Place(INTEGER)]),
        ({"patternProperties": {"^a": INTEGER}, "additionalProperties": TEXT}, "b", [Place(TEXT)]),
        ({"patternProperties": {"^a": INTEGER}, "properties": {"a": TEXT}}, "a",
         [Place(INTEGER), Place(TEXT, declared=True)]),
        ({"items": INTEGER}, 7, [Place(INTEGER)]),
        ({"prefixItems": [TEXT], "items": INTEGER}, 0, [Place(TEXT)]),
        ({"prefixItems": [TEXT], "items": INTEGER}, 1, [Place(INTEGER)]),
        ({"prefixItems": [TEXT]}, 1, []),
        ({"anyOf": [{"items": TEXT}, {"items": INTEGER}]}, 0, [Place(TEXT), Place(INTEGER)]),
    ],
)  # fmt: skip
def test_one_step_into_the_data_is_one_step_into_the_schema(
    schema: Any, step: str | int, found: list[Place]
) -> None:
    assert one_step(schema, step) == found


@pytest.mark.parametrize(
    ("part", "types"),
    [
        (INTEGER, ("integer",)),
        ({"type": ["integer", "null"]}, ("integer", "null")),
        ({"enum": [1, "a", 2.5, None]}, ("integer", "string", "number", "null")),
        ({"const": True}, ("boolean",)),
        ({"minimum": 1}, ()),
        ({"type": "string", "enum": ["a"]}, ("string",)),
    ],
)
def test_a_part_names_types_by_name_or_by_constants(part: Any, types: tuple[str, ...]) -> None:
    assert named_types(part) == types


ORDER: Any = {
    "properties": {
        "tags": {"items": TEXT},
        "pair": {"prefixItems": [TEXT], "items": INTEGER},
        "amount": {"anyOf": [INTEGER, {"const": "all"}]},
    },
    "additionalProperties": {"type": "null"},
}


def test_an_index_gives_the_schemas_of_a_place() -> None:
    index = PlaceIndex(ORDER)
    assert index.at(()).parts == [ORDER]
    assert [index.at(("tags", 7)).parts, index.at(("pair", 0)).parts] == [[TEXT], [TEXT]]
    assert index.at(("pair", 5)) is index.at(("pair", 1))
    assert index.at(("tags", "x", 0)).parts == []
    [amount] = index.at(("amount",)).schemas
    assert (amount.types, amount.constants) == (frozenset({"integer", "string"}), ["all"])
    assert amount.branches == ORDER["properties"]["amount"]["anyOf"]


@pytest.mark.parametrize(
    ("path", "may_be_spelled"),
    [(("tags", 0), False), (("pair", 1), True), (("amount",), True), (("other",), False)],
)
def test_text_may_spell_numbers_and_constants(path: Any, may_be_spelled: bool) -> None:
    assert [it.may_be_spelled for it in PlaceIndex(ORDER).at(path).schemas] == [may_be_spelled]


def test_an_index_remembers_only_so_many_places() -> None:
    index = PlaceIndex(ORDER)
    first = index.at(("tags", 0))
    assert index.at(("tags", 0)) is first
    for number in range(MAX_KNOWN):
        index.at((f"key {number}",))
    assert index.at(("tags", 0)) is not first
    assert index.at(("tags", 0)).parts == first.parts
