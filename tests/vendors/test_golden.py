"""The schemas of ten shapes for each vendor, byte for byte, in any process and with any hash seed.

Write the files anew with `GOLDEN=write pytest tests/vendors/test_golden.py` and read the diff.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.vendors import shaped
from toolhaft import vendors
from toolhaft.spec import Mode
from toolhaft.vendors.adapter import NoVendor

HERE = Path(__file__).parent
# Vendors whose shapes are made of another vendor's shapes.
MADE = {
    "named_tuple": "NamedTuple",
    "native": "native",
    "pydantic_dataclass": "pydantic dataclass",
    "signature": "signature",
}
NAMES = sorted([*(path.stem for path in (HERE / "shapes").glob("*.py")), *MADE])
MODES: tuple[Mode, Mode] = ("input", "output")


def written(name: str) -> str:
    """Every shape of a vendor in both modes, or why the vendor cannot carry it."""
    if name in MADE:
        tools = {shape: shaped.shape(MADE[name], shape) for shape in shaped.NAMES}
        found = {shape: _schemas(one.input_schema) for shape, one in tools.items()}
    else:
        shapes: dict[str, Any] = import_module(f"tests.vendors.shapes.{name}").SHAPES
        found = {shape: _schemas(tp) for shape, tp in shapes.items()}
    return json.dumps(found, indent=1, ensure_ascii=False) + "\n"


def _schemas(tp: Any) -> Any:
    try:
        adapter = vendors.adapt(tp)
        return {mode: adapter.json_schema(mode=mode) for mode in MODES}
    except NoVendor as error:
        return f"refused: {error}"


@pytest.mark.requirement("vendor-deterministic")
@pytest.mark.parametrize("name", NAMES)
def test_a_vendor_emits_the_shapes_as_written_down(name: str) -> None:
    path = HERE / "golden" / f"{name}.json"
    text = written(name)
    if os.environ.get("GOLDEN") == "write":
        path.write_text(text, "utf-8")
    assert text == path.read_text("utf-8")


EMIT = """
import json
from tests.vendors.test_golden import NAMES, written
print(json.dumps({name: written(name) for name in NAMES}))
"""


@pytest.mark.unmeasured
@pytest.mark.requirement("vendor-deterministic")
@pytest.mark.parametrize("seed", ["0", "4711"])
def test_another_process_with_another_hash_seed_emits_the_same_bytes(seed: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", EMIT],
        env={"PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        check=True,
    )
    golden = {name: (HERE / "golden" / f"{name}.json").read_text("utf-8") for name in NAMES}
    assert json.loads(done.stdout) == golden


@pytest.mark.requirement("vendor-no-made-up-titles")
@pytest.mark.requirement("vendor-no-module-names")
@pytest.mark.parametrize("name", [name for name in NAMES if name != "json_schema"])
def test_no_title_is_made_up_and_no_module_is_named(name: str) -> None:
    text = (HERE / "golden" / f"{name}.json").read_text("utf-8")
    assert '"title"' not in text
    assert "tests" not in text
    assert "Attributes:" not in text


@pytest.mark.parametrize("name", NAMES)
def test_each_vendor_shows_the_same_ten_shapes(name: str) -> None:
    shapes = json.loads((HERE / "golden" / f"{name}.json").read_text("utf-8"))
    assert list(shapes) == [
        "flat", "nested", "list of objects", "map", "discriminated union", "recursive tree",
        "bounds", "formats", "words", "defaults",
    ]  # fmt: skip
