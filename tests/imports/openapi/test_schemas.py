"""Schemas of a document in today's terms, and for one direction."""

from __future__ import annotations

from typing import Any

import pytest

from toolhaft.imports.openapi.document import Document, Refused
from toolhaft.imports.openapi.schemas import Bundle, Direction, SchemaWriter
from toolhaft.schema.checker import Checker


def written(
    schema: Any, *, minor: int = 0, direction: Direction = "request", most: int | None = None,
    **components: Any,
) -> Bundle:  # fmt: skip
    document = Document({"components": {"schemas": components}, "x-asked": schema}, minor)
    return SchemaWriter(document, direction).bundle(schema, most)


@pytest.mark.requirement("openapi-dialects")
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"type": "string", "nullable": True}, {"type": ["string", "null"]}),
        ({"type": "string", "nullable": False}, {"type": "string"}),
        ({"nullable": True, "enum": ["a"]}, {"enum": ["a", None]}),
        (
            {"nullable": True, "allOf": [{"type": "object"}]},
            {"anyOf": [{"allOf": [{"type": "object"}]}, {"type": "null"}]},
        ),
        (
            {"type": "number", "minimum": 1, "exclusiveMinimum": True},
            {"type": "number", "exclusiveMinimum": 1},
        ),
        (
            {"maximum": 9, "exclusiveMaximum": False, "multipleOf": 3},
            {"maximum": 9, "multipleOf": 3},
        ),
        ({"exclusiveMaximum": True}, {}),
        (
            {"type": "string", "example": "x", "xml": {}, "externalDocs": {}, "x-a": 1},
            {"type": "string"},
        ),
        (
            {"properties": {"a": {"type": "string", "nullable": True}, "example": {"example": 1}}},
            {"properties": {"a": {"type": ["string", "null"]}, "example": {}}},
        ),
    ],
)
def test_the_words_of_3_0_mean_what_they_meant(old: Any, new: Any) -> None:
    assert written(old).schema == new


def test_what_stands_beside_a_reference_counts_from_3_1_on() -> None:
    node = {"$ref": "#/components/schemas/A", "minLength": 2}
    assert written(node, A={"type": "string"}).schema == {
        "$ref": "#/$defs/A",
        "$defs": {"A": {"type": "string"}},
    }
    assert written(node, minor=1, A={"type": "string"}).schema == {
        "minLength": 2,
        "$ref": "#/$defs/A",
        "$defs": {"A": {"type": "string"}},
    }


def test_a_schema_of_3_1_stays_as_it_is() -> None:
    node = {"type": ["string", "null"], "const": "a", "exclusiveMinimum": 2, "nullable": True}
    assert written(node, minor=1).schema == node


def test_a_reference_may_lead_to_any_place_of_the_document() -> None:
    bundle = written(
        {"$ref": "#/components/schemas/A/properties/a~1b"},
        A={"properties": {"a/b": {"type": "integer"}}},
    )
    assert bundle.schema == {
        "$ref": "#/$defs/~1components~1schemas~1A~1properties~1a~01b",
        "$defs": {"/components/schemas/A/properties/a~1b": {"type": "integer"}},
    }
    assert [Checker(bundle.schema).is_valid(value) for value in (1, "1")] == [True, False]


@pytest.mark.requirement("openapi-directions")
def test_a_direction_is_without_the_properties_of_the_other() -> None:
    pet = {
        "required": ["id", "pin", "name"],
        "properties": {
            "id": {"readOnly": True},
            "pin": {"allOf": [{"$ref": "#/components/schemas/Pin"}]},
            "owner": {"$ref": "#/components/schemas/Owner"},
            "name": {"type": "string"},
        },
    }
    others: dict[str, Any] = {
        "Pin": {"writeOnly": True, "type": "string"},
        "Owner": {"readOnly": True, "type": "object"},
    }
    request = written(pet, direction="request", **others)
    pin = {"allOf": [{"$ref": "#/$defs/Pin"}]}
    name = {"type": "string"}
    assert request.schema["properties"] == {"id": False, "pin": pin, "owner": False, "name": name}
    assert request.schema["required"] == ["pin", "name"]
    response = written(pet, direction="response", **others)
    assert list(response.schema["properties"]) == ["id", "owner", "name"]
    assert response.schema["required"] == ["id", "name"]


RO: dict[str, Any] = {"type": "string", "readOnly": True}
REF: dict[str, Any] = {"$ref": "#/components/schemas/Id"}


@pytest.mark.requirement("openapi-directions")
@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"id": {"anyOf": [REF, {"type": "null"}]}}},
        {"properties": {"id": {"oneOf": [RO, {"type": "null"}]}}},
        {"anyOf": [{"properties": {"id": RO}}, {"properties": {"b": {}}}]},
        {"anyOf": [{"properties": {"id": RO}}, {"required": ["id"]}]},
        {"anyOf": [{"properties": {"id": RO}}, {"type": "null"}]},
        {"if": {"required": ["never"]}, "then": {"properties": {"id": RO}}},
        {"dependentSchemas": {"never": {"properties": {"id": RO}}}},
        {"patternProperties": {"^i": REF}},
        {"additionalProperties": RO},
        {"unevaluatedProperties": RO},
    ],
)
def test_a_request_has_no_property_that_any_schema_says_is_read_only(schema: Any) -> None:
    checker = Checker(written({"type": "object", **schema}, minor=1, Id=RO).schema)
    assert not checker.is_valid({"id": "a"})
    assert checker.is_valid({})


def test_what_has_no_room_is_left_open_the_far_parts_first() -> None:
    components: dict[str, Any] = {
        "A": {"properties": {"b": {"$ref": "#/components/schemas/B"}}},
        "B": {"properties": {"c": {"$ref": "#/components/schemas/C"}}},
        "C": {"type": "object", "properties": {name: {"type": "string"} for name in "defghij"}},
    }
    node = {"$ref": "#/components/schemas/A"}
    whole, cut = written(node, **components), written(node, most=15, **components)
    assert (whole.is_cut, cut.is_cut) == (False, True)
    assert {**whole.schema["$defs"], "C": {}} == cut.schema["$defs"]


class CountingDocument(Document):
    """A document that counts how often a reference of it is followed."""

    followed = 0

    def target(self, ref: Any, where: str) -> Any:
        self.followed += 1
        return super().target(ref, where)


@pytest.mark.requirement("openapi-directions")
@pytest.mark.parametrize("direction", ["request", "response"])
@pytest.mark.parametrize("word", ["allOf", "anyOf"])
def test_marks_of_a_chain_are_read_once(direction: Direction, word: str) -> None:
    def chain(count: int) -> CountingDocument:
        marks = {"readOnly": True, "writeOnly": True}
        schemas: dict[str, Any] = {f"S{count}": {"type": "object"}}
        for at in range(count):
            following = [{"$ref": f"#/components/schemas/S{at + 1}"}, {}]
            schemas[f"S{at}"] = {word: following, "properties": {f"p{at}": marks}}
        return CountingDocument({"components": {"schemas": schemas}}, 1)

    def followed(count: int) -> float:
        document = chain(count)
        SchemaWriter(document, direction).bundle({"$ref": "#/components/schemas/S0"})
        return document.followed / count

    assert followed(80) < 1.2 * followed(20)
    with pytest.raises(Refused, match="more than 1000 properties of one object that are"):
        SchemaWriter(chain(1_100), direction).bundle({"$ref": "#/components/schemas/S0"})


@pytest.mark.requirement("openapi-directions")
@pytest.mark.parametrize("marks", [{}, {"pin": {"writeOnly": True}}])
@pytest.mark.parametrize("beside", [{}, {"required": ["pin"]}])
def test_reading_marks_takes_no_longer_for_each_schema_of_more(
    marks: dict[str, Any], beside: dict[str, Any]
) -> None:
    def followed(count: int) -> float:
        union = {"oneOf": [{"$ref": f"#/components/schemas/S{at}"} for at in range(count)]}
        to_union = {"$ref": "#/components/schemas/Union", **beside}
        properties = {f"p{at}": {**to_union} for at in range(20)}
        schemas: dict[str, Any] = {
            f"S{at}": {"type": "object", "properties": {**properties, **marks}}
            for at in range(count)
        }
        data = {"components": {"schemas": {**schemas, "Union": union}}}
        document = CountingDocument(data, 1)
        SchemaWriter(document, "response").bundle({"$ref": "#/components/schemas/Union"})
        return document.followed / count

    assert followed(40) < 1.5 * followed(10)
