"""Definitions that schemas share have the same facts as a reading of each whole schema."""

from __future__ import annotations

from collections import ChainMap
from random import Random
from typing import Any

import pytest

from toolhaft.jsonio.jsondata import NotPlain, read_plain
from toolhaft.schema.backtracking import exploding_faults
from toolhaft.schema.bounds import DefinitionLimits
from toolhaft.schema.checker import Checker
from toolhaft.schema.components import Components, view_of
from toolhaft.schema.limits import faults_of
from toolhaft.schema.normalise import normalise
from toolhaft.vendors.input_schema import InputSchema

NAMES = ("a", "b", "c", "d", "e", "f", "g\u200b", "h/i")
LEAVES: tuple[Any, ...] = (
    True,
    {"type": "string", "pattern": "^[a-z]+$"},
    {"type": "string", "pattern": "^(?!x)(y+)+$"},
    {"type": "integer", "minimum": 0},
    {"type": "integer", "minimum": 1.0},
    {"const": "one"},
    {"enum": ["x", "y"], "description": "One of two."},
)
# Each makes a schema faulty, foreign or larger.
ODD: tuple[Any, ...] = (
    {"required": "a"},
    {"pattern": "(", "type": "string"},
    {"pattern": "^[0-9]+$"},
    {"description": "hidden\u200b"},
    {"type": "strin"},
    {"items": [{"type": "string"}]},
    {"$ref": "#"},
    {"$ref": "#/$defs/missing"},
    {"$ref": "#/properties/p0"},
    {"$anchor": "here"},
    {"$defs": {"a": {"$ref": "#/$defs/b"}}},
    {"properties": {"__class__": True}},
    {"enum": [[[[[[1]]]]]]},
    {"nullable": True, "type": "string"},
    {"x-toolhaft": {"extra": "ignore"}},
    {"x-toolhaft": 5},
    {"patternProperties": 5},
    7,
)
LIMITS = (
    DefinitionLimits(),
    DefinitionLimits(max_nodes=60),
    DefinitionLimits(max_text=150, max_patterns=1),
    DefinitionLimits(max_depth=9, max_description=4, max_pattern=8),
    DefinitionLimits(max_expanded=25),
    DefinitionLimits(max_properties=3, max_ambiguity=2),
)


def node(draw: Random, depth: int = 0) -> Any:
    """Draw a schema that may refer to definitions."""
    if draw.random() < 0.02:
        return draw.choice(ODD)
    if depth > 2 or draw.random() < 0.25:
        return draw.choice(LEAVES)
    inner = [node(draw, depth + 1) for _ in range(draw.choice((1, 2, 2, 3)))]
    kind = draw.randrange(8)
    if kind < 3:
        name = draw.choice(NAMES).replace("/", "~1")
        return {"$ref": f"#/$defs/{name}"}
    if kind < 6:
        return {"type": "object", "properties": {f"p{at}": each for at, each in enumerate(inner)}}
    if kind < 7:
        return {draw.choice(("anyOf", "oneOf", "allOf")): inner}
    return {"type": "array", "items": inner[0]}


def reached(schema: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    """Give the definitions that a schema leads to, the nearest first."""
    found: dict[str, Any] = {}
    queue = [schema]
    for value in queue:  # which grows meanwhile
        if isinstance(value, dict):
            ref = value.get("$ref")
            name = ref.removeprefix("#/$defs/").replace("~1", "/") if isinstance(ref, str) else ""
            if name in definitions and name not in found:
                found[name] = definitions[name]
                queue.append(definitions[name])
        if isinstance(value, dict | list):
            queue += value.values() if isinstance(value, dict) else value
    return found


def sharing(draw: Random) -> list[dict[str, Any]]:
    """Draw schemas over the same definitions."""
    definitions = {name: node(draw) for name in NAMES}
    roots = [node(draw) for _ in range(6)]
    return [
        {**root, "$defs": found} if (found := reached(root, definitions)) else root
        for root in roots
        if isinstance(root, dict)
    ]


@pytest.mark.parametrize("limits", LIMITS, ids=range(len(LIMITS)))
@pytest.mark.parametrize("seed", range(60))
def test_the_faults_of_a_schema_that_shares_definitions_are_its_own(
    seed: int, limits: DefinitionLimits
) -> None:
    components = Components(limits)
    for schema in sharing(Random(seed)):
        assert components.view(schema).faults == faults_of(schema, limits)


@pytest.mark.parametrize("word", ["properties", "prefixItems"])
def test_a_schema_without_references_is_written_out_already(word: str) -> None:
    parts = {f"p{n}": {"type": "string"} for n in range(30)}
    schema = {word: parts if word == "properties" else [*parts.values()]}
    limits = DefinitionLimits(max_expanded=25)
    assert view_of(schema, limits).faults == faults_of(schema, limits)


@pytest.mark.parametrize("seed", range(60))
def test_what_is_known_of_a_schema_alone_is_what_its_walks_find(seed: int) -> None:
    for drawn in sharing(Random(seed)):
        for schema in (drawn, {**drawn, "$schema": "http://json-schema.org/draft-07/schema#"}):
            view = view_of(schema)
            assert view.faults == faults_of(schema)
            if not view.faults:
                assert view.is_readable is not bool(exploding_faults(schema))
                assert view.is_plain is InputSchema(schema, authored=True).plain
                assert view.is_current <= (normalise(schema) is schema)


@pytest.mark.parametrize("seed", range(60))
def test_the_faults_of_a_schema_with_open_definitions_are_its_own(seed: int) -> None:
    draw = Random(seed)
    components = Components(DefinitionLimits(max_expanded=40))
    for schema in sharing(draw):
        definitions = schema.get("$defs", {})
        components.add(definitions)
        cut = {name: {} if draw.random() < 0.3 else each for name, each in definitions.items()}
        with_open = {**schema, "$defs": cut} if cut else schema
        view = components.view(with_open, is_cut=True)
        assert view.faults == faults_of(with_open, components.limits)


@pytest.mark.parametrize("seed", range(60))
def test_the_check_that_schemas_share_gives_the_verdict_of_each(seed: int) -> None:
    draw = Random(seed)
    components = Components(DefinitionLimits())
    views = [(schema, components.view(schema)) for schema in sharing(draw)]
    for schema, view in views:
        accepts = view.accepts() if view.accepts else None
        if accepts is None:
            continue
        for data in [value(draw) for _ in range(8)]:
            assert accepts(data) is Checker(schema).is_valid(data)


def value(draw: Random, depth: int = 0) -> Any:
    """Draw data."""
    if depth > 3 or draw.random() < 0.3:
        return draw.choice(("one", "x", "yyy", 3, -1, 0.5, None, []))
    if draw.random() < 0.3:
        return [value(draw, depth + 1)]
    return {f"p{at}": value(draw, depth + 1) for at in range(draw.choice((1, 2, 3)))}


def test_schemas_share_one_check() -> None:
    components = Components(DefinitionLimits())
    name = {"type": "string"}
    views = [
        components.view({"properties": {key: {"$ref": "#/$defs/name"}}, "$defs": {"name": name}})
        for key in ("first", "last")
    ]
    first, last = [view.accepts() for view in views if view.accepts]
    data = {"first": 1, "last": "x"}
    assert (first and first(data), last and last(data)) == (False, True)


def test_a_schema_that_came_after_the_first_verdict_has_its_own_check() -> None:
    components = Components(DefinitionLimits())
    early, late = {"type": "string"}, {"type": "integer"}
    view = components.view(early)
    assert view.accepts is not None
    assert view.accepts() is not None
    view = components.view(late)
    assert view.accepts is not None
    assert view.accepts() is None


def test_another_definition_of_the_same_name_is_not_shared() -> None:
    components = Components(DefinitionLimits())
    schemas = [
        components.read({"$ref": "#/$defs/n", "$defs": {"n": {"minimum": bound, "type": "number"}}})
        for bound in (1, 1, 1.0)
    ]
    first, equal, other = [schema["$defs"]["n"] for schema in schemas]
    assert equal is first
    assert other is not first
    views = [components.view(schema) for schema in schemas]
    assert [view.is_plain for view in views] == [True, True, False]
    assert [view.faults for view in views] == [[], [], []]


@pytest.mark.parametrize("wrong", [{1}, {"enum": (1, {2})}, float("nan"), "\ud800"])
def test_definitions_are_copied_as_schemas_are(wrong: Any) -> None:
    components = Components(DefinitionLimits())
    node = {"type": "string"}
    for schema in (
        {"$defs": {"n": node}, "type": "object"},
        {"type": "object", "$defs": ChainMap({"n": node})},
    ):
        copied = components.read(schema)
        assert copied == read_plain(schema)
        assert list(copied) == list(schema)
        assert copied["$defs"]["n"] is not node
    schema = {"$defs": {"n": {"const": wrong}}}
    with pytest.raises(NotPlain) as expected:
        read_plain(schema)
    with pytest.raises(NotPlain) as error:
        components.read(schema)
    assert str(error.value) == str(expected.value)
