"""The schema of a voluptuous validator, and the validators that no schema can express."""

from __future__ import annotations

import enum
import re
from copy import deepcopy
from typing import Any

import pytest
import voluptuous as vol
from voluptuous_openapi import OpenApiVersion, convert  # type: ignore[import-untyped]

from toolhaft import DefinitionError, Toolset, tool, vendors
from toolhaft.schema.marks import without_marks
from toolhaft.vendors.adapter import NoVendor

EMAIL: Any = vol.Email  # its annotations do not know that a decorator changed it
TEXT = {"type": "string"}
WHOLE = {"type": "integer"}


class Colour(enum.Enum):
    RED = "r"
    BLUE = "b"


class Odd(enum.Enum):
    THING = object()


def even(value: int) -> int:
    if value % 2:
        raise ValueError
    return value


def emitted(tree: Any) -> Any:
    made: dict[str, Any] = without_marks(vendors.adapt(vol.Schema(tree)).emit("input"))
    return made


def lost(tree: Any) -> str:
    with pytest.raises(NoVendor) as caught:
        emitted(tree)
    assert caught.value.fix == "pass parameters= (a JSON Schema) beside it"
    return caught.value.reason.removeprefix("voluptuous: no JSON Schema can be written for ")


@pytest.mark.requirement("vendor-loaders-emission")
@pytest.mark.parametrize(
    ("tree", "schema"),
    [
        (int, WHOLE),
        (float, {"type": "number"}),
        (str, TEXT),
        (bool, {"type": "boolean"}),
        (None, {"type": "null"}),
        (type(None), {"type": "null"}),
        (object, {}),
        (dict, {"type": "object", "additionalProperties": True}),
        (list, {"type": "array", "items": {}}),
        ("on", {**TEXT, "const": "on"}),
        (3, {**WHOLE, "const": 3}),
        ([], {"type": "array", "items": {}, "maxItems": 0}),
        ([int], {"type": "array", "items": WHOLE}),
        ([int, str], {"type": "array", "items": {"anyOf": [WHOLE, TEXT]}}),
        ([vol.Extra], {"type": "array", "items": {}}),
        ([object, str], {"type": "array", "items": {}}),
        (vol.Maybe(int), {"anyOf": [WHOLE, {"type": "null"}]}),
        (vol.Any(None), {"type": "null"}),
        (vol.Any("a", "b", None), {"anyOf": [{**TEXT, "enum": ["a", "b"]}, {"type": "null"}]}),
        (vol.Any(int, [str]), {"anyOf": [WHOLE, {"type": "array", "items": TEXT}]}),
        (vol.Union(int, str), {"anyOf": [WHOLE, TEXT]}),
        (vol.All(int, vol.Range(1, 9)), {**WHOLE, "minimum": 1, "maximum": 9}),
        (
            vol.All(float, vol.Range(min=1, min_included=False, max=2, max_included=False)),
            {"type": "number", "exclusiveMinimum": 1, "exclusiveMaximum": 2},
        ),
        (vol.Range(max=3), {"type": "number", "maximum": 3}),
        (
            vol.All(vol.Any(int, float), vol.Range(min=1)),
            {"anyOf": [WHOLE, {"type": "number"}], "minimum": 1},
        ),
        (vol.All(str, vol.Length(1, 5)), {**TEXT, "minLength": 1, "maxLength": 5}),
        (vol.All([int], vol.Length(min=1)), {"type": "array", "items": WHOLE, "minItems": 1}),
        (
            vol.All(dict, vol.Length(max=2)),
            {"type": "object", "additionalProperties": True, "maxProperties": 2},
        ),
        (vol.All(str, vol.Match("[a-z]+$")), {**TEXT, "pattern": "^(?:[a-z]+$)"}),
        (
            vol.All(vol.Match("^a"), vol.Match("^.b")),
            {**TEXT, "pattern": "^a", "allOf": [{**TEXT, "pattern": "^.b"}]},
        ),
        (vol.In(["b", "a"]), {**TEXT, "enum": ["b", "a"]}),
        (vol.In({"b", "a"}), {**TEXT, "enum": ["a", "b"]}),
        (vol.In({"a": 1}), {**TEXT, "const": "a"}),
        (vol.In(["a", None]), {"enum": ["a", None]}),
        (vol.All(str, vol.In(["a"])), {**TEXT, "const": "a"}),
        (vol.All(str, vol.NotIn(["a"])), {**TEXT, "not": {"enum": ["a"]}}),
        (vol.Equal(3), {**WHOLE, "const": 3}),
        (vol.All([int], vol.Unique()), {"type": "array", "items": WHOLE, "uniqueItems": True}),
        (
            vol.All([int], vol.Contains(1)),
            {"type": "array", "items": WHOLE, "contains": {"const": 1}},
        ),
        (vol.Date(), {**TEXT, "format": "date"}),
        (vol.Date("%d.%m."), {**TEXT, "pattern": r"^(0[1-9]|[12]\d|3[01])\.(0[1-9]|1[0-2])\.$"}),
        (
            vol.Datetime("%H:%M:%SZ"),
            {**TEXT, "pattern": r"^([01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$"},
        ),
        (vol.Coerce(int), WHOLE),
        (vol.All(vol.Coerce(float), vol.Range(min=0)), {"type": "number", "minimum": 0}),
        (vol.Coerce(Colour), {**TEXT, "enum": ["r", "b"]}),
        (vol.Schema([vol.Schema({"a": int})]), {"type": "array", "items": emitted({"a": int})}),
    ],
)  # fmt: skip
def test_a_validator_is_written_exactly(tree: Any, schema: dict[str, Any]) -> None:
    assert emitted(tree) == schema


def test_a_dict_is_an_object_of_its_keys() -> None:
    tree = {
        vol.Required("city", description="City name."): str,
        vol.Required("days", default=1): int,
        vol.Optional("units", default="C"): vol.In(["C", "F"]),
        vol.Optional("tags", default=list): [str],
        vol.Optional("nonce", default=lambda: 4): int,
        "note": str,
    }
    assert emitted(tree) == {
        "type": "object",
        "properties": {
            "city": {"description": "City name.", "type": "string"},
            "days": {"default": 1, "type": "integer"},
            "units": {"default": "C", "type": "string", "enum": ["C", "F"]},
            "tags": {"default": [], "type": "array", "items": TEXT},
            "nonce": WHOLE,
            "note": TEXT,
        },
        "additionalProperties": False,
        "required": ["city"],
    }


def test_a_dict_of_markers_needs_no_schema_around_it() -> None:
    adapter = vendors.adapt({vol.Required("n"): int})
    assert (
        without_marks(adapter.emit("input"))
        == without_marks(adapter.emit("output"))
        == {
            "type": "object",
            "properties": {"n": WHOLE},
            "additionalProperties": False,
            "required": ["n"],
        }
    )


@pytest.mark.parametrize(
    ("extra", "written"),
    [
        (vol.PREVENT_EXTRA, {"additionalProperties": False}),
        (vol.ALLOW_EXTRA, {"additionalProperties": True}),
        (vol.REMOVE_EXTRA, {}),
    ],
)
def test_the_policy_for_further_keys_is_emitted(extra: int, written: dict[str, Any]) -> None:
    made = without_marks(
        vendors.adapt(vol.Schema({"n": int, "inner": {}}, extra=extra)).emit("input")
    )
    inner = {"type": "object", "properties": {}, **written}
    if extra == vol.ALLOW_EXTRA:
        del inner["properties"]
    assert made == {"type": "object", "properties": {"n": WHOLE, "inner": inner}, **written}


def test_required_holds_for_plain_keys_but_not_below_any_and_all() -> None:
    tree = {"a": {"b": int}, "c": vol.Any({"d": int}, None), vol.Optional("e"): int}
    made = without_marks(vendors.adapt(vol.Schema(tree, required=True)).emit("input"))
    assert made["required"] == ["a", "c"]
    assert made["properties"]["a"]["required"] == ["b"]
    assert "required" not in made["properties"]["c"]["anyOf"][0]


@pytest.mark.parametrize(
    ("tree", "written"),
    [
        ({str: int}, {"additionalProperties": WHOLE}),
        ({vol.Optional(str): int}, {"additionalProperties": WHOLE}),
        ({vol.Extra: object}, {"additionalProperties": True}),
        ({vol.Required(str): int}, {"additionalProperties": WHOLE, "minProperties": 1}),
    ],
)
def test_keys_of_any_text_are_additional_properties(tree: Any, written: dict[str, Any]) -> None:
    assert emitted(tree) == {"type": "object", **written}


@pytest.mark.requirement("vendor-constraint-kept-or-refused")
@pytest.mark.parametrize(
    ("tree", "reason"),
    [
        (even, "the function even"),
        (EMAIL(), "the function Email"),
        (vol.Lower, "the function Lower"),
        (vol.ExactSequence([int, str]), "ExactSequence"),
        (vol.Unordered([int]), "Unordered"),
        (vol.Object({"a": int}), "Object"),
        (vol.Msg(int, "no"), "Msg"),
        (vol.Clamp(1, 2), "Clamp"),
        (vol.SetTo(1), "SetTo"),
        (vol.Length(1), "Length"),
        (vol.Unique(), "Unique"),
        (vol.All([int], vol.Contains(object())), "Contains"),
        (vol.All(str, vol.Range(min="a")), "Range"),
        (vol.All(vol.Maybe(int), vol.Range(min=1)), "Range"),
        (vol.Range(max=float("inf")), "Range"),
        (vol.Match(re.compile("a", re.IGNORECASE)), "Match"),
        (vol.In([object()]), "In"),
        (vol.NotIn([object()]), "NotIn"),
        (vol.Equal(object()), "Equal"),
        (vol.Datetime("%z"), "Datetime"),
        (vol.Coerce(even), "Coerce(the function even)"),
        (vol.Coerce(Odd), "Coerce(Odd)"),
        (vol.All(str, vol.Coerce(int)), "Coerce after another validator"),
        (vol.Union(int, str, discriminant=lambda value, forms: forms), "a discriminant"),
        (bytes, "bytes"),
        ((int,), "tuple"),
        ({int: str}, "the key int"),
        ({vol.Required(vol.Any("a", "b")): str}, "the key Any"),
        ({"a": int, vol.Required(str): int}, "a required str"),
        ({vol.Remove("a"): int}, "Remove('a')"),
        ({"a": {"b": [vol.Self]}}, "a.b.[]: the function Self"),
        (
            {vol.Exclusive("a", "g"): int, vol.Inclusive("b", "h"): int},
            "Exclusive('a'); Inclusive('b')",
        ),
        ({str: even, "x": even}, "*: the function even; x: the function even"),
    ],
)
def test_constraints_that_no_schema_can_express_are_rejected_and_named(
    tree: Any, reason: str
) -> None:
    assert lost(tree) == reason


@pytest.mark.requirement("vendor-constraint-kept-or-refused")
def test_a_definition_error_lists_every_loss() -> None:
    given: Any = vol.Schema({"a": even, "b": vol.ExactSequence([int])})
    handler = tool(lambda found: 1, name="t", description="d", input=given)
    with pytest.raises(DefinitionError) as caught:
        Toolset([handler])
    assert str(caught.value) == (
        "t.input: voluptuous: no JSON Schema can be written for a: the function even; "
        "b: ExactSequence; pass parameters= (a JSON Schema) beside it"
    )


# ----------------------------------------------------------------------------- the converter


@pytest.mark.requirement("vendor-validator-unchanged")
def test_a_validator_accepts_after_its_emission_what_it_accepted_before() -> None:
    schema = vol.Schema({"k": vol.In(["a", None])})
    adapter = vendors.adapt(schema)
    assert without_marks(adapter.emit("input"))["properties"]["k"] == {"enum": ["a", None]}
    assert schema({"k": None}) == {"k": None}
    assert adapter.validate({"k": None})


def test_the_library_for_openapi_changes_what_it_converts() -> None:
    """Why it is not used: it takes null out of the validator, and fails on a copy of one."""
    schema = vol.Schema({vol.Required("k"): vol.In(["a", None])})
    with pytest.raises(TypeError, match="'Undefined' object is not callable"):
        convert(deepcopy(schema), openapi_version=OpenApiVersion.V3_1)
    convert(schema, openapi_version=OpenApiVersion.V3_1)
    with pytest.raises(vol.Invalid):
        schema({"k": None})


def test_the_library_for_openapi_agrees_if_it_decides() -> None:
    """A second opinion, from a converter that loses nothing of these validators."""
    schema = vol.Schema(
        {
            vol.Required("city", description="City name."): str,
            vol.Required("days"): vol.All(int, vol.Range(1, 14)),
            vol.Optional("units", default="C"): vol.In(["C", "F"]),
            vol.Optional("tags"): [str],
            vol.Optional("size"): vol.Maybe(float),
        },
        extra=vol.ALLOW_EXTRA,
    )
    ours = without_marks(vendors.adapt(schema).emit("input"))
    theirs = convert(schema, openapi_version=OpenApiVersion.V3_1)
    assert sorted(ours) == sorted(theirs)
    forms = [made["properties"].pop("size")["anyOf"] for made in (ours, theirs)]
    assert forms[0] == forms[1][::-1]
    assert ours == theirs
