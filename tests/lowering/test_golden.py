"""The lowered schemas of nineteen shapes for every target, byte for byte.

Write the files anew with `GOLDEN=write pytest tests/lowering/test_golden.py` and read the diff.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.laws.__main__ import modes
from tests.laws.meaning import meaning
from tests.lowering.shapes import SHAPES
from toolhaft.lowering import Strict, lint, lower
from toolhaft.schema.checker import Checker

GOLDEN = Path(__file__).parent / "golden"
MODES: list[tuple[str, Strict]] = [(target, strict and "prefer") for target, strict in modes()]


def _lowered(target: str, strict: Strict) -> dict[str, Any]:
    found = {}
    for name, (schema, _) in SHAPES.items():
        lowered = lower(schema, target, strict)
        losses = [f"{x.pointer} {x.keyword} {x.kind}: {x.detail}" for x in lowered.losses]
        found[name] = {"strict": lowered.strict, "schema": lowered.schema, "losses": losses}
    return found


@pytest.mark.requirement("lowering-nineteen-shapes")
@pytest.mark.parametrize(("target", "strict"), MODES)
def test_the_shapes_are_lowered_as_written_down(target: str, strict: Strict) -> None:
    path = GOLDEN / f"{target}{'-strict' if strict else ''}.json"
    text = json.dumps(_lowered(target, strict), indent=1, ensure_ascii=False) + "\n"
    if os.environ.get("GOLDEN") == "write":
        path.write_text(text, "utf-8")
    assert text == path.read_text("utf-8")


@pytest.mark.unmeasured
@pytest.mark.requirement("lowering-nineteen-shapes")
@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize(("target", "strict"), MODES)
def test_every_value_of_a_shape_goes_out_and_comes_back(
    name: str, target: str, strict: Strict
) -> None:
    schema, values = SHAPES[name]
    lowered = lower(schema, target, strict)
    checker = Checker(meaning(lowered.schema, target))
    for value in values:
        wire = lowered.lens.put(value)
        assert checker.issues(wire) == []
        assert lowered.lens.get(wire) == value
    assert lint(lowered.schema, target, lowered.strict) == []
