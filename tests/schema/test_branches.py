from __future__ import annotations

from typing import Any

import pytest

from toolhaft.schema.branches import Tag, are_exclusive, own_keys, tag_of, types_of
from toolhaft.schema.document.kinds import hashable, kind_of

ROOT = {
    "$defs": {
        "word": {"type": "string"},
        "alias": {"$ref": "#/$defs/word"},
        "cat": {"properties": {"is": {"const": "cat"}}, "required": ["is"]},
        "kinds": {"enum": ["cat", "dog"]},
        "loop": {"$ref": "#/$defs/loop"},
    }
}


def tagged(*members: Any, **more: Any) -> dict[str, Any]:
    return {"properties": {"is": {"enum": list(members)}}, **more}


@pytest.mark.parametrize(
    ("schema", "types"),
    [
        ({"type": "string"}, ("string",)),
        ({"type": ["integer", "null"]}, ("integer", "null")),
        ({"const": 1.0}, ("integer",)),
        ({"enum": ["a", 1, None, "b", 0.5, True, [], {}]},
         ("string", "integer", "null", "number", "boolean", "array", "object")),
        ({"$ref": "#/$defs/alias"}, ("string",)),
        ({"anyOf": [{"type": "null"}, {"$ref": "#/$defs/word"}]}, ("null", "string")),
        ({"oneOf": [{"type": "null"}, {"const": None}]}, ("null",)),
        ({"anyOf": [{"type": "null"}, {}]}, None),
        ({"minimum": 1}, None),
        ({"$ref": "#/$defs/loop"}, None),
        (True, None),
        (False, ()),
    ],
)  # fmt: skip
def test_the_types_of_a_form_are_read_off_its_keywords(schema: Any, types: Any) -> None:
    assert types_of(ROOT, schema) == types


def test_a_property_with_constants_tells_forms_apart() -> None:
    forms = [{"$ref": "#/$defs/cat", "minProperties": 1}, tagged("dog", "wolf", required=["is"])]
    assert tag_of(ROOT, forms) == Tag("is", (("cat",), ("dog", "wolf")), required=True)


def test_the_constants_may_be_a_reference_themselves() -> None:
    forms = [{"properties": {"is": {"$ref": "#/$defs/kinds"}}}, tagged("owl")]
    assert tag_of(ROOT, forms) == Tag("is", (("cat", "dog"), ("owl",)), required=False)


@pytest.mark.parametrize(
    "forms",
    [
        [tagged("a"), tagged("a", "b")],  # one constant in two forms
        [tagged(1), tagged(1.0)],  # the same number
        [tagged("a"), {"properties": {}}],
        [tagged(["a"]), tagged(["b"])],  # no scalars
        [tagged("a"), True],
        [],
    ],
)
def test_without_constants_of_its_own_in_each_form_there_is_no_tag(forms: list[Any]) -> None:
    assert tag_of(ROOT, forms) is None


def test_true_and_1_are_different_tags() -> None:
    assert tag_of(ROOT, [tagged(1), tagged(True)]) is not None


def test_a_key_that_only_one_form_has_and_needs_is_its_own() -> None:
    forms = [
        {"required": ["all", "name"], "properties": {"all": {}, "name": {}}},
        {"required": ["any"], "properties": {"any": {}, "name": {}}},
    ]
    assert own_keys(ROOT, forms) == (frozenset({"all"}), frozenset({"any"}))
    assert own_keys(ROOT, [forms[0], {"properties": {"all": {}}}]) is None


def test_forms_are_exclusive_by_a_tag_or_when_closed_with_own_keys() -> None:
    opened = [{"required": ["a"]}, {"required": ["b"]}]
    closed = [{**form, "additionalProperties": False} for form in opened]
    assert are_exclusive(ROOT, [tagged("x"), tagged("y")])
    assert are_exclusive(ROOT, closed)
    assert not are_exclusive(ROOT, opened)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (1, 1.0, True),
        (1, True, False),
        (0, False, False),
        ([1], [1.0], True),
        ([1], [True], False),
        ({"a": 1, "b": 2}, {"b": 2.0, "a": 1}, True),
        ({"a": [0]}, {"a": [False]}, False),
        (None, False, False),
        ("1", 1, False),
        ([], {}, False),
        ([[]], [{}], False),
        ([False, 5], 5, False),
        (2**53 + 1, float(2**53), False),
    ],
)
def test_values_are_equal_as_json_is(one: Any, other: Any, same: bool) -> None:
    assert (hashable(one) == hashable(other)) is same
    assert {hashable(one): 1}.get(hashable(other)) == (1 if same else None)


def test_a_whole_float_is_an_integer() -> None:
    assert [kind_of(number) for number in (5, 5.0, 5.5, True, 1e300)] == [
        int, int, float, bool, int,
    ]  # fmt: skip
