"""The gate holds data to the emitted schema, with holes where an author's function stands first."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given

from tests.schema.random_schemas import schemas, values
from toolhaft.schema.checker import Checker
from toolhaft.schema.gate import EXACT, fast_gate_of, gate_of
from toolhaft.schema.limits import faults_of
from toolhaft.schema.marks import MARK

INTEGER: dict[str, Any] = {"type": "integer"}
TEXT: dict[str, Any] = {"type": "string"}


def marked(schema: dict[str, Any], **facts: Any) -> dict[str, Any]:
    return {**schema, MARK: facts}


def opened(schema: dict[str, Any]) -> dict[str, Any]:
    return marked(schema, open=True)


def objects(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def takes(schema: Any, *data: Any, holes: bool = True) -> list[bool]:
    return [*map(Checker(gate_of(schema, holes=holes)).is_valid, data)]


def takes_at_once(schema: Any, *data: Any) -> list[bool]:
    return [*map(Checker(fast_gate_of(schema)).is_valid, data)]


@given(schemas(), values())
def test_a_schema_without_marks_and_formats_is_its_own_gate(schema: Any, data: Any) -> None:
    assume(faults_of(schema) == [])  # an old engine may crash on others
    assert Checker(gate_of(schema)).is_valid(data) == Checker(schema).is_valid(data)


# ------------------------------------------------------------------------- holes


def test_a_function_before_a_scalar_opens_it_for_everything() -> None:
    everything: list[Any] = ["a", 1, None, True, 1.5, [], {}, [{"a": 1}]]
    assert takes(opened(INTEGER), *everything) == [True] * len(everything)
    assert takes(opened(INTEGER), "a", 1, holes=False) == [False, True]


def test_a_function_before_an_object_opens_it_for_what_is_no_object() -> None:
    schema = opened(objects(n=INTEGER) | {"required": ["n"]})
    assert takes(schema, "a", 1, None, [1], [{"x": 1}]) == [True] * 5
    assert takes(schema, {"n": 1}, {"n": "1"}, {}) == [True, False, False]


def test_a_function_before_a_list_of_objects_holds_lists_too() -> None:
    schema = opened({"type": "array", "items": objects(n=INTEGER)})
    assert takes(schema, "a", None, {"n": "1"}, [], [{"n": 1}]) == [True] * 5
    assert takes(schema, [{"n": "1"}], ["a"]) == [False, False]
    assert takes(opened({"type": "array", "items": INTEGER}), ["a"], "a") == [True, True]
    short = {"type": "array", "items": True, "maxItems": 1}
    assert takes(opened(short), [1, 2], "a") == [True, True]
    # Of items with very many forms it is not known whether they are objects.
    many = {"anyOf": [{"type": "string", "maxLength": most} for most in range(600)]}
    assert takes(opened({**short, "items": many}), ["a", "b"], "a") == [False, True]


@pytest.mark.parametrize(
    "form",
    [
        {"anyOf": [objects(n=INTEGER), {"type": "null"}]},
        {"$ref": "#/$defs/o"},
        {"allOf": [objects(n=INTEGER)]},
        {"type": ["object", "null"], "properties": {"n": INTEGER}},
    ],
)
def test_an_object_is_found_behind_unions_and_references(form: dict[str, Any]) -> None:
    schema = objects(x=opened(form)) | {"$defs": {"o": objects(n=INTEGER)}}
    assert takes(schema, {"x": "a"}, {"x": {"n": 1}}, {"x": {"n": "1"}}) == [True, True, False]


def test_a_recursive_object_behind_a_function_is_held() -> None:
    node = opened(objects(next={"$ref": "#/$defs/node"}, n=INTEGER))
    schema = {"$ref": "#/$defs/node", "$defs": {"node": node}}
    assert takes(schema, "a", {"next": {"next": "a"}}, {"next": {"n": "1"}}) == [True, True, False]


def test_the_neighbours_of_a_hole_are_held_as_ever() -> None:
    schema = objects(open=opened(INTEGER), closed=INTEGER)
    assert takes(schema, {"open": "1", "closed": 1}, {"open": 1, "closed": "1"}) == [True, False]


def test_a_union_with_an_open_branch_takes_what_several_branches_take() -> None:
    schema = {"oneOf": [opened(INTEGER), TEXT]}
    assert takes(schema, "a", 1) == [True, True]
    behind = {"oneOf": [{"$ref": "#/$defs/i"}, TEXT], "$defs": {"i": opened(INTEGER)}}
    assert takes(behind, "a", 1) == [True, True]
    assert takes({"oneOf": [INTEGER, {"type": "number"}]}, 1, 1.5) == [False, True]


# ------------------------------------------------------------------------- keys and formats


def test_another_name_of_a_declared_key_is_refused_in_open_objects_too() -> None:
    schema = marked(objects(amount=INTEGER), other_names={"total": "amount", "gone": None})
    gate = Checker(gate_of(schema))
    assert gate.is_valid({"amount": 1, "more": 2})
    told = [str(issue) for issue in gate.issues({"total": 1})]
    assert told == ["total: unknown (did you mean amount?)"]
    told = [str(issue) for issue in gate.issues({"total": 1, "amount": 1})]
    assert told == ["total: unknown (did you mean amount?)"]
    assert [str(issue) for issue in gate.issues({"gone": 1})] == ["gone: unknown"]


def test_the_formats_of_a_library_are_asserted_and_those_of_a_person_are_not() -> None:
    day = {"type": "string", "format": "date"}
    assert takes(day, "2026-03-01", "today") == [True, False]
    assert takes({**day, "pattern": "^t"}, "today") == [True]
    assert takes(marked(objects(day=day), authored=True), {"day": "today"}) == [True]
    assert takes({"type": "string", "format": "colour"}, "red") == [True]


# ------------------------------------------------------------------------- the fast gate


def test_the_fast_gate_takes_nothing_that_must_be_dropped_or_recorded() -> None:
    point = marked(objects(x=INTEGER), extra="ignore")
    assert takes_at_once(point, {"x": 1}, {"x": 1, "y": 2}) == [True, False]
    assert takes_at_once(marked(objects(x=INTEGER), extra="allow"), {"y": 2}) == [True]
    assert takes_at_once(objects(x=opened(INTEGER)), {"x": 1}, {"x": "1"}) == [True, False]


def test_the_fast_gate_leaves_further_keys_to_the_search_where_they_say_what_is_meant() -> None:
    named = marked(objects(x=INTEGER), extra="ignore", other_names={"y": "x"})
    keeps = marked(objects(z=INTEGER), extra="allow")
    assert takes_at_once({"anyOf": [keeps, named]}, {"z": 1}, {"y": 2}) == [True, False]


@pytest.mark.parametrize("schema", [{"type": "number"}, {"type": ["number", "null"]}])
def test_the_fast_gate_takes_exact_numbers_alone(schema: Any) -> None:
    for sign in (1, -1):
        assert takes_at_once(schema, sign * (EXACT - 1), sign * EXACT) == [True, False]
    narrow = {"type": "integer", "minimum": -5, "maximum": 5}
    assert takes_at_once(narrow, -6, -5, 5, 6) == [False, True, True, False]


def test_the_fast_gate_takes_large_integers_where_no_float_can_be_meant() -> None:
    assert takes_at_once(INTEGER, EXACT + 1, -(10**40)) == [True, True]
    beside = objects(n=INTEGER, x={"type": "number"})
    assert takes_at_once(beside, {"n": EXACT + 1}, {"x": EXACT + 1}) == [True, False]
    optional = objects(n={"anyOf": [INTEGER, {"type": "null"}]}, x={"type": "number"})
    assert takes_at_once(optional, {"n": EXACT + 1}) == [True]
    for word in ("anyOf", "allOf", "oneOf"):
        mixed = objects(n={word: [INTEGER, {"type": "number"}]})
        assert takes_at_once(mixed, {"n": EXACT + 1}) == [False]


def test_the_fast_gate_takes_of_a_decimal_what_loses_no_digit() -> None:
    text = {"type": "string", "pattern": "^[0-9.]+$"}
    for schema in (marked({"anyOf": [{"type": "number"}, text]}, decimal=True),):
        assert takes_at_once(schema, "2.50", 2, 2.5) == [True, True, False]
    assert takes_at_once(marked({"type": "number"}, decimal=True), 2, 2.5) == [True, False]


NUMBER = {"type": "number"}
LARGE = 10**20


@pytest.mark.parametrize(
    ("schema", "right", "wrong"),
    [
        ({"not": NUMBER}, "a", LARGE),
        ({"if": NUMBER, "then": TEXT}, "a", LARGE),
        ({"oneOf": [NUMBER, {"const": LARGE}]}, 1, LARGE),
        ({"contains": NUMBER, "maxContains": 1}, [1], [1, LARGE]),
        ({"not": {"$ref": "#/$defs/n"}, "$defs": {"n": NUMBER}}, "a", LARGE),
        ({"not": marked(objects(x=INTEGER), extra="ignore")}, 1, {"x": 1, "y": 1}),
    ],
)
def test_the_fast_gate_takes_nothing_where_a_narrower_part_would_take_more(
    schema: Any, right: Any, wrong: Any
) -> None:
    assert takes(schema, right, wrong) == [True, False]
    assert takes_at_once(schema, right, wrong) == [False, False]


def test_the_fast_gate_takes_a_union_whose_branches_have_a_tag() -> None:
    forms = [objects(kind={"const": kind}, n=INTEGER) for kind in ("a", "b")]
    data = [{"kind": "a", "n": 1}, {"kind": "a", "n": EXACT}]
    assert takes_at_once({"oneOf": forms}, *data) == [True, True]
    assert takes_at_once({"not": {"type": "null"}, **INTEGER}, 1) == [True]


@given(schemas(), values())
def test_what_the_fast_gate_takes_the_gate_takes(schema: Any, data: Any) -> None:
    assume(faults_of(schema) == [])
    assert Checker(gate_of(schema)).is_valid(data) or not takes_at_once(schema, data)[0]
