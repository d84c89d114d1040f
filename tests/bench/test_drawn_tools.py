"""The benchmark draws the cases of its rows: valid arguments, one fault, one slip."""

from __future__ import annotations

import json
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path
from random import Random
from typing import Any

import faults
import generated
import pytest
import ratios
import table
from floors import FLOORS, Floor

from toolhaft.jsonio.primitives import native

pytestmark = pytest.mark.unmeasured

BENCH = Path(__file__).parents[2] / "bench"
SEEDS = [f"seed {number}" for number in range(20)]
LIBRARIES = pytest.mark.parametrize("floor", FLOORS.values(), ids=FLOORS)
DEPTHS = pytest.mark.parametrize("nested", [False, True], ids=["flat", "nested"])
FAULTS = pytest.mark.parametrize("name", faults.FAULTS)
REPAIRS = pytest.mark.parametrize("name", faults.REPAIRS)


def differences(right: Any, sent: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The places where data differ, as deep as both are objects or arrays of one length."""
    if isinstance(right, dict) and isinstance(sent, dict):
        absent = object()
        pairs = {key: (right.get(key, absent), sent.get(key, absent)) for key in {**right, **sent}}
    elif isinstance(right, list) and isinstance(sent, list) and len(right) == len(sent):
        pairs = dict(enumerate(zip(right, sent, strict=True)))
    else:
        return [] if right is sent or (type(right), right) == (type(sent), sent) else [at]
    return [
        place
        for key, (one, other) in pairs.items()
        for place in differences(one, other, (*at, key))
    ]


def refuses(floor: Floor, tp: Any, raw: Any) -> bool:
    refused: bool = floor.failing(tp, raw)()
    return refused


@DEPTHS
def test_a_seed_draws_the_same_tool_again_and_another_seed_another(nested: bool) -> None:
    first, again = (
        [generated.draw(Random(seed), int, nested=nested) for seed in SEEDS] for _ in range(2)
    )
    assert first == again
    assert len({json.dumps(drawn.right) for drawn in first}) == len(SEEDS)


@DEPTHS
def test_flat_tools_hold_scalars_and_nested_ones_objects(nested: bool) -> None:
    for seed in SEEDS:
        drawn = generated.draw(Random(seed), int, nested=nested)
        assert bool(drawn.place) is nested
        held = [kind[0] if isinstance(kind, list) else kind for kind in drawn.fields.values()]
        assert any(isinstance(kind, dict) for kind in held) is nested


@LIBRARIES
@DEPTHS
def test_every_library_takes_the_right_arguments_as_data_and_as_text(
    floor: Floor, nested: bool
) -> None:
    for seed in SEEDS:
        drawn = generated.draw(Random(seed), "datetime", nested=nested)
        tp = floor.object("Run", drawn.fields, closed=True)
        read = floor.reader(tp)(drawn.right)
        assert floor.text_reader(tp)(json.dumps(drawn.right)) == read


@FAULTS
@DEPTHS
def test_a_fault_is_at_its_place_and_nowhere_else(name: str, nested: bool) -> None:
    for seed in SEEDS:
        wrong = faults.draw_wrong(Random(seed), faults.FAULTS[name], nested=nested)
        for sent in wrong.sent:
            [place] = differences(wrong.right, sent)
            assert place[: len(wrong.path)] == wrong.path


@LIBRARIES
@FAULTS
@DEPTHS
def test_every_library_refuses_some_of_each_kind_of_fault(
    floor: Floor, name: str, nested: bool
) -> None:
    refused = 0
    for seed in SEEDS:
        wrong = faults.draw_wrong(Random(seed), faults.FAULTS[name], nested=nested)
        tp = floor.object("Run", wrong.drawn.fields, closed=name == "unknown key")
        assert not refuses(floor, tp, wrong.right)
        refused += any(refuses(floor, tp, sent) for sent in wrong.sent)
    assert refused >= ratios.SHAPES


@REPAIRS
@DEPTHS
def test_a_slip_is_the_right_value_in_another_spelling(name: str, nested: bool) -> None:
    for seed in SEEDS:
        wrong = faults.draw_wrong(Random(seed), faults.REPAIRS[name], nested=nested)
        [sent] = wrong.sent
        assert differences(wrong.right, sent) == [wrong.path]


@LIBRARIES
@REPAIRS
def test_every_library_refuses_the_slip_or_another_fault_of_the_same_tool(
    floor: Floor, name: str
) -> None:
    for seed in SEEDS:
        wrong = faults.draw_wrong(Random(seed), faults.REPAIRS[name], nested=True)
        tp = floor.object("Run", wrong.drawn.fields)
        assert not refuses(floor, tp, wrong.right)
        assert any(refuses(floor, tp, sent) for sent in wrong.sent + wrong.refusable)


def test_every_limit_is_of_some_row_and_every_written_ratio_of_one_that_is_measured() -> None:
    keys = {row.key for row in ratios.rows(ratios.SEED, 1)}
    needs_data = {pattern for pattern in table.LIMITS if "raw tools" in pattern}
    idle = {
        pattern
        for pattern in table.LIMITS.keys() - needs_data
        if not any(fnmatch(key, pattern) for key in keys)
    }
    written = {key for key in json.loads(ratios.WRITTEN.read_text()) if "raw tools" not in key}
    assert (idle, written - keys) == (set(), set())


def test_the_first_limit_that_fits_counts() -> None:
    keys = ["msgspec: fault type, flat", "attrs: fault type, flat", "msgspec: drawn, flat"]
    assert [table.limit_of(key) for key in keys] == [7, 5, 2.4 if native else None]


def test_a_look_at_one_row_prints_its_ratio_limit_and_shapes() -> None:
    command = [sys.executable, str(BENCH / "ratios.py"), "--quick", "--shapes"]
    asked = [*command, "--only", "msgspec: repair number_text, nested"]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    header, row, *shapes, summary = done.stdout.splitlines()
    assert " ".join(header.split()) == "ratio at most middle half worst no text floor, us"
    assert row.startswith("msgspec: repair number_text, nested ")
    assert len(shapes) == ratios.QUICK_SHAPES
    assert summary.startswith("1 rows, ")
