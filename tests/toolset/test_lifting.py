"""Calls in a wire's terms: repairs there, and the work of a long error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from toolhaft import Coercion, Err, ToolCall, Toolset, tool
from toolhaft.call.call_options import CallOptions
from toolhaft.call.types import Rule
from toolhaft.lowering import Lowered
from toolhaft.lowering.lenses.arguments import Lens
from toolhaft.lowering.lenses.lens import NodeLens, Path
from toolhaft.spec import Issue
from toolhaft.toolset.lifting import Lifted, Lifting

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "unit": {"enum": ["C", "F"]},
        "days": {"type": "integer"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "counts": {"type": "object", "additionalProperties": {"type": "integer"}},
    },
    "required": ["unit"],
    "additionalProperties": False,
}
FIND = tool(lambda given: given, name="find", description="Find.", input=SCHEMA, output=None)
ANY: dict[str, Any] = {"type": "object"}
EMPTY = {"days": None, "tags": None, "counts": None}
# A model's arguments at places on the wire, the tool's arguments, and the repairs.
REPAIRS: list[tuple[dict[str, Any], dict[str, Any], list[tuple[Path, Rule]]]] = [
    ({"unit": "c"}, {"unit": "C"}, [(("unit",), "enum_case")]),
    ({"unit": "C", "days": "3"}, {"unit": "C", "days": 3}, [(("days",), "number_text")]),
    ({"unit": "C", "days": ""}, {"unit": "C"}, [(("days",), "empty_absent")]),
    ({"unit": "C", "tags": '["a"]'}, {"unit": "C", "tags": ["a"]}, [(("tags",), "json_text")]),
    (
        {"unit": "C", "counts": [{"key": "a", "value": 1}, {"key": "b", "value": "2"}]},
        {"unit": "C", "counts": {"a": 1, "b": 2}},
        [(("counts", "b"), "number_text")],
    ),
]


@pytest.mark.requirement("lowering-repairs")
def test_null_for_an_optional_parameter_is_absent_and_no_repair() -> None:
    wire = Toolset([FIND]).export("openai", strict="require")
    outcome = wire.call_sync(ToolCall("c", "find", {"unit": "C", **EMPTY}))
    assert (outcome.unwrap(), outcome.coercions) == ({"unit": "C"}, ())


@pytest.mark.requirement("lowering-repairs")
@pytest.mark.parametrize(("written", "arguments", "repairs"), REPAIRS)
def test_what_the_wire_refuses_is_repaired_in_its_terms(
    written: dict[str, Any], arguments: dict[str, Any], repairs: list[tuple[Path, Rule]]
) -> None:
    wire = Toolset([FIND]).export("openai", strict="require")
    outcome = wire.call_sync(ToolCall("c", "find", {**EMPTY, **written}))
    assert outcome.unwrap() == arguments
    assert list(outcome.coercions) == [Coercion(*one) for one in repairs]


@pytest.mark.requirement("lowering-repairs")
@pytest.mark.parametrize("written", [one for one, _, _ in REPAIRS])
def test_without_coercion_nothing_is_repaired(written: dict[str, Any]) -> None:
    wire = Toolset([FIND.replace(coerce="none")]).export("openai", strict="require")
    outcome = wire.call_sync(ToolCall("c", "find", {**EMPTY, **written}))
    assert (getattr(outcome, "kind", None), outcome.coercions) == ("invalid_input", ())


@pytest.mark.parametrize("coerce", ["safe", "lenient", "none"])
def test_what_the_original_takes_as_it_came_is_not_repaired(coerce: Any) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    loose = tool(
        lambda given: given, name="find", description="Find.", input=schema, output=None,
        coerce=coerce,
    )  # fmt: skip
    wire = Toolset([loose]).export("openai", strict="require")
    outcome = wire.call_sync(ToolCall("c", "find", {"n": 1, "more": 2}))
    assert (outcome.unwrap(), outcome.coercions) == ({"n": 1, "more": 2}, ())


@dataclass(frozen=True, slots=True)
class Counting(NodeLens):
    """Counts the questions for a place."""

    asked: list[Path]

    def wire_path(self, path: Path, wire: Any) -> Path:
        self.asked.append(path)
        return path


def test_only_the_issues_that_the_text_shows_are_looked_up_on_the_wire() -> None:
    lens = Counting([])
    way = Lifting(Lowered(ANY, Lens(lens), ()), ANY, CallOptions("find"))
    issues = tuple(Issue("required", (f"k{n}",), "missing") for n in range(1_000))
    lifted = way.lift({})
    assert isinstance(lifted, Lifted)
    told = way.to_wire_outcome(Err("invalid_input", "", CallOptions("find"), issues), lifted)
    assert lens.asked == []
    assert told.text.endswith("k18, k19: required (+980 more)")
    assert lens.asked == [(f"k{n}",) for n in range(20)]
