"""The module of typed functions that a toolset writes."""

from __future__ import annotations

import ast
import asyncio
import json
import random
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Literal

import pytest

from tests.mypy_runs import run_mypy
from tests.review.stubs.catalogue import recorded_tools
from tests.share import step
from toolhaft import Toolset, from_json, tool
from toolhaft.review.stubs.module import write_stubs

pytestmark = pytest.mark.requirement("program-stubs")


@dataclass
class Place:
    """A place."""

    name: str
    near: list[Place]
    height: float | None = None


@tool
def find(
    text: str, kind: Literal["city", "river"] = "city", limits: dict[str, int] | None = None
) -> list[Place]:
    """Find places.

    Args:
        text: What to find.
    """
    return [Place(text, [], len(text))] if kind == "river" else []


@tool(allowed_callers={"direct"})
def refund(order: int) -> str:
    """Refund."""
    return str(order)


def load(source: str) -> Any:
    module = ModuleType("stubs")
    exec(compile(source, "stubs", "exec"), module.__dict__)
    return module


ODD = json.loads((Path(__file__).parent / "odd_tools.json").read_text(encoding="utf-8"))

PROGRAM = """
from stubs import CallFailed, connect, find

async def program() -> float:
    places = await find("Nile", kind="river", limits={"deep": 2})
    return sum(place.get("height") or 0 for place in places[0]["near"])

async def wrong() -> None:
    await find(1)
    await find("Nile", kind="lake")
    (await find("Nile"))[0]["depth"]
"""


def test_the_module_passes_mypy_and_finds_mistakes_of_programs(tmp_path: Path) -> None:
    recorded = recorded_tools(30 * step())
    sources = {
        "stubs": Toolset([find, refund]).stubs(),
        "synced": Toolset([find]).stubs(sync=True),
        "odd": from_json(ODD).stubs(),
        "recorded": write_stubs(recorded),
        "program": PROGRAM,
    }
    for name, source in sources.items():
        (tmp_path / f"{name}.py").write_text(source, encoding="utf-8")
    ran = run_mypy([f"{name}.py" for name in sources], tmp_path)
    errors = [line.partition(" error: ")[0] for line in ran.stdout.splitlines() if "error:" in line]
    assert errors == ["program.py:9:", "program.py:10:", "program.py:11:"], ran.stdout


def test_each_odd_name_and_text_leaves_a_module_that_runs() -> None:
    module = load(from_json(ODD).stubs())
    assert {"list_", "class_", "crm_list_orders", "crm_list_orders_2", "TypedDict_"} <= set(
        dir(module)
    )
    tree = ast.parse(from_json(ODD).stubs())
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.Import)]
    assert module.hostile.__doc__.count("import os") == 2


def test_a_function_sends_what_is_given_under_the_names_of_the_schema() -> None:
    async def dispatch(name: str, arguments: dict[str, object]) -> dict[str, Any]:
        sent.append((name, arguments))
        return {"kind": "ok", "value": len(sent)}

    sent: list[Any] = []
    module = load(from_json(ODD).stubs())
    module.connect(dispatch)
    assert asyncio.run(module.class_("b", from_="a", extra=1)) == 1
    assert asyncio.run(module.crm_list_orders(filter_id=None)) == 2
    assert asyncio.run(module.either({"b": 1})) == 3
    assert sent == [
        ("class", {"from_": "b", "from": "a", "extra": 1}),
        ("crm.list-orders", {"filter[id]": None}),
        ("either", {"b": 1}),
    ]


def test_a_program_gets_results_and_failures() -> None:
    module = load(Toolset([find]).stubs())
    with pytest.raises(RuntimeError, match="connect"):
        asyncio.run(module.find("Nile"))
    module.connect(Toolset([find]).dispatcher())
    assert asyncio.run(module.find("Nile", kind="river")) == [
        {"name": "Nile", "near": [], "height": 4.0}
    ]
    with pytest.raises(module.CallFailed, match="text: expected string") as failed:
        asyncio.run(module.find(4))
    assert failed.value.outcome["kind"] == "invalid_input"


@pytest.mark.filterwarnings("ignore:coroutine .* was never awaited")
def test_sync_functions_on_an_async_dispatcher_say_what_to_do() -> None:
    module = load(Toolset([find]).stubs(sync=True))
    module.connect(Toolset([find]).dispatcher())
    with pytest.raises(RuntimeError, match=r"got an async function; write the stubs without sync"):
        module.find("Nile")


def test_only_tools_that_a_program_may_call_and_see_are_written() -> None:
    tools = Toolset([find, refund], visible=lambda _, context: context == "admin")
    assert "def refund" not in tools.stubs(context="admin")
    assert "def find" in tools.stubs(context="admin")
    assert "def find" not in tools.stubs()


def test_the_text_is_the_same_in_any_order_of_tools() -> None:
    shuffled = [*ODD]
    random.Random(5).shuffle(shuffled)
    assert from_json(ODD).stubs() == from_json(shuffled).stubs()


def test_defaults_and_descriptions_are_in_the_docstring() -> None:
    doc = load(Toolset([find]).stubs()).find.__doc__
    assert '    text: What to find.\n        kind: Defaults to "city".' in doc
    assert doc.startswith("Find places.\n")
