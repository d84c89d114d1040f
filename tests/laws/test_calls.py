"""Through every target a tool runs with the original's arguments: the shapes, and real tools."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Any

import pytest

from tests.laws.__main__ import modes
from tests.laws.laws import bare, paths, value_at
from tests.lowering.shapes import SHAPES
from tests.schema.corpora import rows
from tests.share import step
from toolhaft import DefinitionError, Err, Ok, ToolCall, Toolset, from_json, tool
from toolhaft.jsonio.plaindata import MAX_DEPTH
from toolhaft.lowering import Strict
from toolhaft.lowering.plan import Declaration, plan
from toolhaft.schema.checker import Checker
from toolhaft.schema.document.kinds import json_equal
from toolhaft.schema.generate import Values
from toolhaft.schema.normalise import normalise
from toolhaft.tools.tool import AnyTool

CALLED = [
    (target, strict) for target, strict in modes() if not target.startswith(("draft", "openapi"))
]
EVERY = pytest.mark.parametrize(("target", "strict"), CALLED)
ODD: tuple[Any, ...] = (
    None,
    1,
    1.5,
    True,
    "x",
    "1",
    [],
    {},
    [{"key": "a", "value": 1}] * 2,
    {"json": "{"},
)


def _same(given: Any) -> Any:
    return given


@cache
def real_tools() -> tuple[AnyTool, ...]:
    found: list[AnyTool] = []
    for row in rows("tools_mcp.jsonl.gz")[:: 4 * step()]:
        try:
            found += from_json([{**row, "outputSchema": None}], call=lambda _, given: given)
        except DefinitionError:
            continue
    return tuple(found)


class Wire:
    """One tool on the wire of a target, and the way of arguments there."""

    def __init__(self, one: AnyTool, target: str, strict: Strict) -> None:
        wish: Strict = strict and "prefer"
        self.schema = one.input_schema.json_schema()
        [self.planned] = plan([Declaration(one.name, "", self.schema, wish)], target).tools
        self.export = Toolset([one]).export(target, strict=wish)

    def put(self, arguments: Any) -> Any:
        return self.planned.lowered.lens.put(arguments)

    def call(self, written: Any) -> Ok[Any] | Err:
        return self.export.call_sync(ToolCall("c", self.planned.wire_name, written))


@pytest.mark.unmeasured
@pytest.mark.requirement("lowering-calls")
@pytest.mark.parametrize("name", SHAPES)
@EVERY
def test_a_tool_of_any_shape_is_called_with_the_values_that_were_written(
    name: str, target: str, strict: Strict
) -> None:
    schema, values = SHAPES[name]
    wire = Wire(
        tool(_same, name=name, description="A shape.", input=schema, output=None), target, strict
    )
    for value in values:
        outcome = wire.call(
            json.dumps(wire.put({"value": value} if name == "union_root" else value))
        )
        assert (outcome.unwrap(), outcome.coercions) == (value, ())


ANYTHING: dict[str, Any] = {"type": "object", "properties": {"x": {}}, "required": ["x"]}
TREES: dict[str, Any] = {
    "type": "object",
    "properties": {"x": {"$ref": "#/$defs/Tree"}},
    "required": ["x"],
    "$defs": {"Tree": {"type": "object", "additionalProperties": {"$ref": "#/$defs/Tree"}}},
}


@pytest.mark.requirement("lowering-calls")
@pytest.mark.parametrize("schema", [ANYTHING, TREES])
@EVERY
def test_arguments_may_be_as_deep_as_the_tool_takes_them_and_no_deeper(
    schema: dict[str, Any], target: str, strict: Strict
) -> None:
    one = tool(_same, name="find", description="Find.", input=schema, output=None)
    wire = Wire(one, target, strict)
    deepest: dict[str, Any] = {}
    for _ in range(MAX_DEPTH - 2):
        deepest = {"a": deepest}
    assert one.call_sync({"x": deepest}).unwrap() == {"x": deepest}
    assert wire.call(wire.put({"x": deepest})).unwrap() == {"x": deepest}
    assert not one.call_sync({"x": {"a": deepest}})
    assert not wire.call(wire.put({"x": {"a": deepest}}))


@pytest.mark.unmeasured
@pytest.mark.requirement("lowering-calls")
@EVERY
def test_a_real_tool_is_called_with_the_values_that_were_written(
    target: str, strict: Strict
) -> None:
    random, called = Random(1), 0
    for one in real_tools():
        wire = Wire(one, target, strict)
        for value in drawn(wire.schema, random):
            for written in (wire.put(value), json.dumps(wire.put(value))):
                outcome = wire.call(written)
                assert json_equal(bare(wire.schema, outcome.unwrap()), bare(wire.schema, value))
                assert outcome.coercions == ()
                called += 1
    assert called > 100 // step()


@pytest.mark.unmeasured
@pytest.mark.requirement("lowering-calls")
@EVERY
def test_any_output_is_an_outcome_and_only_valid_calls_run(target: str, strict: Strict) -> None:
    random = Random(2)
    kinds: set[str] = set()
    for one in real_tools():
        wire = Wire(one, target, strict)
        checker = Checker(wire.schema)
        for value in drawn(wire.schema, random):
            outcome = wire.call(altered(wire.put(value), random))
            kinds.add(outcome.kind if isinstance(outcome, Err) else "ok")
            assert len(outcome.text) <= 700 or outcome
            assert not outcome or checker.is_valid(outcome.unwrap())
    assert kinds == {"ok", "invalid_input"}


def drawn(schema: Any, random: Random) -> Iterator[Any]:
    """A few valid values."""
    source, checker = Values(normalise(schema), random), Checker(schema)
    for value in (source.draw() for _ in range(4)):
        if isinstance(value, dict) and checker.is_valid(value):
            yield value


def altered(written: Any, random: Random) -> Any:
    """A copy with something else in one place, a key too few or a key too many."""
    places = [place for place in paths(written) if place]
    if not places:
        return {"x": 1}
    copy = json.loads(json.dumps(written))
    *above, last = random.choice(places)
    node = value_at(copy, tuple(above))
    how = random.randrange(4)
    if how == 0:
        del node[last]
    elif how == 1:
        node[last] = json.dumps(node[last])
    elif how == 2 and isinstance(node, dict):
        node[f"{last}x"] = 1
    else:
        node[last] = random.choice(ODD)
    return copy
