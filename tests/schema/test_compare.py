"""The verdict on a change is never contradicted by a value, and says where it was found."""

from __future__ import annotations

import copy
from random import Random
from typing import Any

import pytest

from tests.laws.schemas import schema as random_schema
from tests.share import share
from toolhaft.schema.checker import Checker
from toolhaft.schema.compare import compare_schemas
from toolhaft.schema.generate import Values
from toolhaft.schema.limits import faults_of
from toolhaft.schema.normalise import normalise

PAIRS = share(1_500)
KEPT = ("same", "widened")


def edited(schema: Any, other: Any, random: Random) -> Any:
    """The schema with some of its parts changed, dropped, or taken from another one."""
    made = copy.deepcopy(schema)
    for node in _nodes(made):
        if not node or random.random() > 0.3:
            continue
        keyword = random.choice(list(node))
        if keyword in ("$ref", "$defs"):
            continue
        act = random.randrange(4)
        if act == 0:
            del node[keyword]
        elif act == 1 and isinstance(node[keyword], int) and not isinstance(node[keyword], bool):
            node[keyword] += random.choice((-1, 1))
        elif act == 2 and isinstance(node[keyword], list) and len(node[keyword]) > 1:
            node[keyword].pop(random.randrange(len(node[keyword])))
        elif act == 3 and isinstance(other, dict) and keyword in other:
            node[keyword] = copy.deepcopy(other[keyword])
    return made


def _nodes(node: Any) -> list[dict[str, Any]]:
    if isinstance(node, list):
        return [one for item in node for one in _nodes(item)]
    if not isinstance(node, dict):
        return []
    return [node, *(one for value in node.values() for one in _nodes(value))]


def pair(number: int) -> tuple[Any, Any] | None:
    """Two schemas that have much in common."""
    random = Random(f"compare:{number}")
    old, other = random_schema(random), random_schema(random)
    new = edited(old, other, random)
    if faults_of(old) or faults_of(new):
        return None
    return (old, new) if random.random() < 0.5 else (new, old)


@pytest.mark.unmeasured
@pytest.mark.requirement("diff-sound")
def test_no_value_contradicts_a_verdict_that_none_is_lost() -> None:
    judged = kept = values = 0
    for number in range(PAIRS):
        found = pair(number)
        if found is None:
            continue
        judged += 1
        old, new = found
        if any(one.direction not in KEPT for one in compare_schemas(old, new)):
            continue
        kept += 1
        before, after = Checker(old), Checker(new)
        source = Values(normalise(old), Random(number))
        for value in (source.draw() for _ in range(12)):
            if before.is_valid(value):
                values += 1
                assert after.is_valid(value), (old, new, value)
    assert judged > PAIRS // 2
    assert kept > judged // 10
    assert values > kept


@pytest.mark.unmeasured
@pytest.mark.requirement("diff-sound")
def test_no_value_contradicts_a_verdict_that_none_is_new() -> None:
    for number in range(PAIRS):
        found = pair(number)
        if found is None:
            continue
        old, new = found
        if any(one.direction not in ("same", "narrowed") for one in compare_schemas(old, new)):
            continue
        before, after = Checker(old), Checker(new)
        source = Values(normalise(new), Random(number))
        for value in (source.draw() for _ in range(8)):
            if after.is_valid(value):
                assert before.is_valid(value), (old, new, value)


@pytest.mark.unmeasured
def test_a_schema_is_the_same_as_itself() -> None:
    for number in range(200):
        schema = random_schema(Random(number))
        if not faults_of(schema):
            assert [one for one in compare_schemas(schema, schema) if one.direction != "same"] == []


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        (
            {"enum": [1, 2, 3, "a"]},
            {"enum": [1, 2, "b"]},
            [("2 enum members are gone", "narrowed"), ("1 enum members are new", "widened")],
        ),
        (
            {"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "null"}]},
            {"anyOf": [{"type": "integer"}, {"type": "string"}]},
            [("the alternatives of anyOf changed", "narrowed")],
        ),
        (
            {"anyOf": [{"type": "string"}, {"type": "integer"}]},
            {"anyOf": [{"type": "null"}, {"type": "integer"}]},
            [("the alternatives of anyOf changed", "unknown")],
        ),
        (
            {"anyOf": [{"type": "string"}, {"type": "integer"}]},
            {"anyOf": [{"type": "null"}, {"type": "integer"}, {"type": "string"}]},
            [("the alternatives of anyOf changed", "widened")],
        ),
    ],
    ids=["members of an enum", "fewer alternatives", "other alternatives", "more alternatives"],
)
def test_a_change_is_described_with_its_direction(
    old: Any, new: Any, found: list[tuple[str, str]]
) -> None:
    assert [(one.what, one.direction) for one in compare_schemas(old, new)] == found
