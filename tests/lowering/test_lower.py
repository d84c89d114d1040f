"""How lowering treats the constructs that break providers."""

from __future__ import annotations

import json
from typing import Any

import pytest

from toolhaft.definition.targets import TARGETS
from toolhaft.lowering import Strict, lint, lower
from toolhaft.lowering.loss import Loss, LoweringUnsupported
from toolhaft.schema.faults import SchemaRefused
from toolhaft.spec import Failure


def _tool(*required: str, **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required)}


NODE = {
    "$ref": "#/$defs/Node",
    "$defs": {
        "Node": {
            "type": "object",
            "properties": {
                "v": {"type": "integer"},
                "kids": {"type": "array", "items": {"$ref": "#/$defs/Node"}},
            },
            "required": ["v"],
        }
    },
}
TREE = {"v": 1, "kids": [{"v": 2, "kids": [{"v": 3}]}]}


@pytest.mark.requirement("pain-05")
def test_a_union_of_requirements_at_the_root_becomes_a_sentence_for_anthropic() -> None:
    both = {"a": {"type": "string"}, "b": {"type": "string"}}
    schema = {
        "type": "object",
        "properties": both,
        "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
    }
    lowered = lower(schema, "anthropic")
    assert lowered.schema == {
        "type": "object",
        "description": "(give at least one of a, b)",
        "properties": both,
    }
    assert lowered.losses == (Loss("", "anyOf", "hinted", "said in the description"),)
    assert lowered.lens.identity


@pytest.mark.requirement("pain-09")
def test_an_optional_parameter_is_null_in_openai_strict_and_absent_again() -> None:
    schema = _tool("q", q={"type": "string"}, n={"type": "integer", "default": 3})
    lowered = lower(schema, "openai", "require")
    assert lowered.schema == {
        "type": "object",
        "properties": {
            "q": {"type": "string"},
            "n": {"type": ["integer", "null"], "description": "(default 3)"},
        },
        "required": ["q", "n"],
        "additionalProperties": False,
    }
    assert lowered.lens.get({"q": "x", "n": None}) == {"q": "x"}
    assert lowered.lens.put({"q": "x"}) == {"q": "x", "n": None}


@pytest.mark.requirement("pain-14")
def test_the_older_field_of_gemini_gets_a_subset_and_a_loss_for_each_drop() -> None:
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **_tool(
            "n",
            n={"type": "number", "exclusiveMinimum": 0},
            t={"type": "array", "items": {"type": "string"}, "uniqueItems": True},
            s={"type": ["string", "null"]},
        ),
    }
    lowered = lower(schema, "gemini-openapi")
    assert lowered.schema["properties"] == {
        "n": {"type": "number", "description": "(more than 0)"},
        "t": {"type": "array", "description": "(no duplicate items)", "items": {"type": "string"}},
        "s": {"type": "string", "nullable": True},
    }
    assert [(x.pointer, x.keyword, x.kind) for x in lowered.losses] == [
        ("/properties/n", "exclusiveMinimum", "hinted"),
        ("/properties/t", "uniqueItems", "hinted"),
    ]


@pytest.mark.requirement("pain-15")
@pytest.mark.parametrize("target", [t for t in TARGETS if lint({"anyOf": []}, t)])
def test_a_lowered_schema_has_only_recursive_references(target: str) -> None:
    color = {"type": "string", "enum": ["red", "blue"]}
    schema = {
        **_tool(c={"$ref": "#/$defs/Color"}),
        "anyOf": [{"required": ["c"]}],
        "$defs": {"Color": color},
    }
    lowered = lower(schema, target)
    if lint(schema, target):
        assert "$ref" not in json.dumps(lowered.schema)


def test_references_stay_where_writing_them_out_would_double_the_schema() -> None:
    big = {"type": "object", "properties": {f"p{i}": {"type": "string"} for i in range(20)}}
    uses = {f"u{i}": {"$ref": "#/$defs/Big"} for i in range(9)}
    schema = {**_tool(**uses), "$defs": {"Big": big}, "additionalProperties": False}
    lowered = lower(schema, "openai", "require")
    assert list(lowered.schema["$defs"]) == ["Big"]
    assert lowered.lens.put({"u0": {"p1": "x"}})["u0"]["p2"] is None


@pytest.mark.requirement("pain-31")
def test_a_map_is_a_list_of_pairs_where_objects_are_closed() -> None:
    schema = _tool("m", m={"type": "object", "additionalProperties": {"type": "integer"}})
    lowered = lower(schema, "openai", "require")
    wire = {"m": [{"key": "a", "value": 1}, {"key": "b", "value": 2}]}
    assert lowered.lens.put({"m": {"a": 1, "b": 2}}) == wire
    assert lowered.lens.get(wire) == {"m": {"a": 1, "b": 2}}
    twice = lowered.lens.get({"m": [{"key": "a", "value": 1}, {"key": "a", "value": 2}]})
    assert isinstance(twice, Failure)
    assert [str(issue) for issue in twice.issues] == ["m.a: key written twice"]


@pytest.mark.requirement("pain-32")
def test_a_tuple_of_one_kind_is_a_list_of_that_length() -> None:
    box = {"type": "array", "prefixItems": [{"type": "integer"}] * 4, "minItems": 4, "maxItems": 4}
    for target in ("openai", "gemini-openapi"):
        lowered = lower(_tool("box", box=box), target, "prefer")
        node = lowered.schema["properties"]["box"]
        limits = {"minItems": 4, "maxItems": 4}
        assert node == {"type": "array", "items": {"type": "integer"}, **limits}


@pytest.mark.requirement("pain-33")
@pytest.mark.parametrize("target", TARGETS)
def test_a_schema_that_holds_itself_goes_to_every_target(target: str) -> None:
    lowered = lower(NODE, target, "prefer")
    assert lowered.lens.get(lowered.lens.put(TREE)) == TREE
    assert json.dumps(lower(NODE, target, "prefer").schema) == json.dumps(lowered.schema)
    if "$ref" not in json.dumps(lowered.schema.get("properties", {})):
        assert "JSON text" in {x.detail for x in lowered.losses} or "$ref" in lowered.schema


@pytest.mark.requirement("pain-34")
def test_properties_named_like_keywords_survive() -> None:
    schema = _tool("$ref", **{"$ref": {"type": "string"}, "$defs": {"type": "integer"}})
    for target in ("openai", "openapi-3.0", "draft-07"):
        lowered = lower(schema, target, "prefer")
        value = {"$ref": "x", "$defs": 1}
        assert lowered.lens.get(lowered.lens.put(value)) == value
        assert {"$ref", "$defs"} <= set(lowered.schema["properties"])


@pytest.mark.requirement("pain-35")
def test_open_limits_are_written_as_the_target_writes_them() -> None:
    old = _tool(n={"type": "number", "minimum": 1, "exclusiveMinimum": True})
    new = _tool(n={"type": "number", "exclusiveMinimum": 1})
    both = {"type": "number", "minimum": 1, "exclusiveMinimum": True}
    assert lower(old, "draft-2020-12").schema["properties"]["n"] == new["properties"]["n"]
    assert lower(new, "openapi-3.0").schema["properties"]["n"] == both
    whole = _tool(n={"type": "integer", "exclusiveMinimum": 1, "exclusiveMaximum": 9})
    limited = {"type": "integer", "minimum": 2, "maximum": 8}
    assert lower(whole, "gemini").schema["properties"]["n"] == limited


@pytest.mark.requirement("pain-37")
def test_a_property_key_that_is_refused_is_renamed_and_back() -> None:
    schema = _tool("filter[id]", **{"filter[id]": {"type": "string"}})
    lowered = lower(schema, "anthropic")
    assert list(lowered.schema["properties"]) == ["filter_id"]
    assert lowered.schema["required"] == ["filter_id"]
    assert lowered.lens.get({"filter_id": "x"}) == {"filter[id]": "x"}
    assert lowered.lens.wire_path(("filter[id]",)) == ("filter_id",)


@pytest.mark.requirement("property-keys-apart")
@pytest.mark.parametrize(
    ("names", "keys"),
    [
        (("a b", "a_b"), ["a_b_c8687a08", "a_b"]),
        (("a_b", "a b"), ["a_b", "a_b_c8687a08"]),
        (("a b", "a/b"), ["a_b_c8687a08", "a_b_c14cddc0"]),
        (("\u00e4", "\u00f6", "x"), ["key_33e6d73f", "key_6dbd11fd", "x"]),
    ],
)
def test_property_keys_that_become_the_same_get_digits(
    names: tuple[str, ...], keys: list[str]
) -> None:
    schema = _tool(*names, **{name: {"type": "integer"} for name in names})
    for target in ("anthropic", "gemini", "gemini-openapi", "bedrock"):
        lowered = lower(schema, target)
        assert (list(lowered.schema["properties"]), lowered.schema["required"]) == (keys, keys)
        value = {name: place for place, name in enumerate(names)}
        assert lowered.lens.put(value) == dict(zip(keys, range(len(keys)), strict=True))
        assert lowered.lens.get(lowered.lens.put(value)) == value


@pytest.mark.requirement("property-keys-apart")
def test_long_property_keys_stay_distinct_within_the_limit() -> None:
    names = ["a" * 70 + end for end in "xy"]
    lowered = lower(_tool(**{name: {"type": "integer"} for name in names}), "anthropic")
    keys = list(lowered.schema["properties"])
    assert [len(key) for key in keys] == [64, 64]
    assert lowered.lens.get(dict.fromkeys(keys, 1)) == dict.fromkeys(names, 1)


@pytest.mark.requirement("property-keys-apart")
def test_property_keys_that_cannot_stay_distinct_are_an_error() -> None:
    names = ("a b", "a_b", "a_b_c8687a08")
    clash = _tool(**{name: {"type": "string"} for name in names})
    with pytest.raises(LoweringUnsupported, match="two property keys become the same"):
        lower(clash, "anthropic", "prefer")


@pytest.mark.requirement("pain-64")
@pytest.mark.parametrize("target", TARGETS)
def test_a_schema_that_is_taken_goes_out_byte_for_byte(target: str) -> None:
    schema = {"type": "object", "properties": {"b": {"type": "string"}, "a": {"type": "integer"}}}
    lowered = lower(schema, target)
    if not lint(schema, target):
        assert json.dumps(lowered.schema) == json.dumps(schema)
        assert (lowered.losses, lowered.lens.identity) == ((), True)


@pytest.mark.requirement("pain-67")
def test_numbers_in_an_enum_are_texts_for_the_older_field_of_gemini() -> None:
    lowered = lower(_tool("n", n={"enum": [1, 2]}), "gemini-openapi")
    assert lowered.schema["properties"]["n"] == {"type": "string", "enum": ["1", "2"]}
    assert lowered.lens.get({"n": "1"}) == {"n": 1}
    wrong = lowered.lens.get({"n": "9"})
    assert isinstance(wrong, Failure)
    assert [str(issue) for issue in wrong.issues] == ["n: expected one of the listed values"]


def test_strict_falls_back_or_refuses_by_wish() -> None:
    deep: dict[str, Any] = {"type": "string"}
    for _ in range(12):
        deep = _tool("x", x=deep)
    with pytest.raises(LoweringUnsupported) as refused:
        lower(deep, "openai", "require")
    assert refused.value.keyword == "depth"
    assert str(refused.value.named("f")).startswith("openai: f: depth: 12 depth, at most 10")
    lowered = lower(deep, "openai", "prefer")
    assert (lowered.strict, lowered.schema) == (False, deep)
    assert [(x.keyword, x.kind) for x in lowered.losses] == [("strict", "widened")]
    with pytest.raises(LoweringUnsupported, match="no value is valid here"):
        lower({"type": "string", "enum": []}, "openai", "require")


def test_an_unknown_target_is_named() -> None:
    with pytest.raises(ValueError, match="unknown target: 'gpt'; one of openai"):
        lower({"type": "object"}, "gpt")


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"a": {"$ref": "https://example.com/x.json"}}},
        {"type": "object", "properties": {"a": {"$ref": "file:///etc/passwd"}}},
        {"type": "object", "properties": {"a": {"$ref": "#/$defs/none"}}},
        {"type": "object", "properties": {"a": {"$dynamicRef": "#x"}}},
    ],
)
@pytest.mark.parametrize("target", TARGETS)
def test_references_that_lead_outside_are_refused(schema: dict[str, Any], target: str) -> None:
    with pytest.raises(SchemaRefused):
        lower(schema, target)


def test_a_root_that_is_no_object_is_under_value() -> None:
    lowered = lower({"type": "array", "items": {"type": "string"}}, "anthropic")
    assert lowered.lens.put(["a"]) == {"value": ["a"]}
    assert lowered.lens.get({"value": ["a"]}) == ["a"]
    assert isinstance(lowered.lens.get({}), Failure)


def test_the_words_of_a_loss_and_a_problem() -> None:
    loss = lower({"type": "array", "items": {}}, "anthropic").losses[0]
    assert str(loss) == "/ type: encoded; under the key value"
    problem = lint({"type": "array"}, "anthropic")[0]
    assert str(problem).startswith("/: the root must have type object; ")


def test_a_required_parameter_is_made_where_a_target_wants_one() -> None:
    lowered = lower(_tool(a={"type": "string"}, b={"type": "integer"}), "cohere", "require")
    assert lowered.schema == {
        "type": "object",
        "properties": {"a": {"type": ["string", "null"]}, "b": {"type": "integer"}},
        "required": ["a"],
        "additionalProperties": False,
    }
    assert lowered.lens.get({"a": None, "b": 1}) == {"b": 1}
    assert lowered.lens.put({}) == {"a": None}


@pytest.mark.requirement("lowering-places-of-losses")
@pytest.mark.parametrize("target", ["openai", "xai"])
def test_a_loss_under_a_pattern_names_the_node_of_the_pattern(target: str) -> None:
    closed = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
    one = {"type": "object", "patternProperties": {"^x/": closed}, "additionalProperties": False}
    patterns = {"^o~": one, "^x": closed}
    schema = {"type": "object", "patternProperties": patterns, "additionalProperties": False}
    lowered = lower(schema, target, "prefer")
    assert [x.pointer for x in lowered.losses if x.kind == "closed"] == [
        "/patternProperties/^o~0/patternProperties/^x~1",
        "/patternProperties/^x",
    ]


@pytest.mark.parametrize("strict", [False, "prefer"])
@pytest.mark.parametrize("target", TARGETS)
def test_true_and_false_are_schemas_at_every_place(target: str, strict: Strict) -> None:
    for word in ("allOf", "anyOf", "oneOf", "prefixItems"):
        node = {"type": "array", word: [True, {"minItems": 1}]}
        lowered = lower(_tool(x=node), target, strict)
        assert lowered.lens.get(lowered.lens.put({"x": [{"a": 1}]})) == {"x": [{"a": 1}]}
    for word in ("items", "contains", "additionalProperties", "not", "if", "propertyNames"):
        lower(_tool(x={"type": ["array", "object"], word: word != "not"}), target, strict)


@pytest.mark.parametrize("target", ["openai", "anthropic", "gemini-openapi", "ollama", "xai"])
@pytest.mark.parametrize(("place", "value"), [(0, []), (1, ["a"])])
def test_a_tuple_ends_before_an_item_that_nothing_can_be(
    target: str, place: int, value: list[str]
) -> None:
    items: list[Any] = [{"type": "string"}, {"type": "string"}]
    items[place] = {"allOf": [{"type": "string"}, {"type": "integer"}]}
    lowered = lower(_tool(x={"type": "array", "prefixItems": items}), target, "prefer")
    assert lowered.lens.get(lowered.lens.put({"x": value})) == {"x": value}
    assert "x" in lowered.schema["properties"]
