"""A decorated function keeps its types for both checkers, as a reader of the error would see it."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import typing
from inspect import signature
from pathlib import Path
from typing import Any

import pytest

from tests.mypy_runs import run_mypy
from toolhaft import tool
from toolhaft.agents.requests import RequestOptions
from toolhaft.definition import options
from toolhaft.definition.options import AllOptions
from toolhaft.definition.targets import TARGETS, KnownTarget

ROOT = Path(__file__).parent.parent.parent
PROGRAM = """
from toolhaft import tool
from toolhaft import Toolst

@tool
def add(a: int, b: int = 1) -> int:
    "Add."
    return a + b

add("x")
add(1, 2, 3)
reveal_type(add)
reveal_type(add(1))
"""
WRONG = [2, 9, 10]  # the lines of a misspelt name and of two calls, counted from 0


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return path


Diagnostics = dict[str, list[dict[str, Any]]]


@pytest.fixture(scope="module")
def by_pyright(tmp_path_factory: pytest.TempPathFactory) -> Diagnostics:
    """pyright's report on each file, checked at once as in a strict project; it has to end."""
    if not _is_there("pyright"):
        pytest.skip("pyright is not installed")
    files = {
        "program.py": f"# pyright: standard{PROGRAM}",
        USES.name: USES.read_text("utf-8"),
        "remote.py": REMOTE,
        "misspelt.py": MISSPELT,
    }
    config = {"extraPaths": [str(ROOT / "src")], "typeCheckingMode": "strict"}
    folder = tmp_path_factory.mktemp("by_pyright")
    for name, text in {**files, "pyrightconfig.json": json.dumps(config)}.items():
        (folder / name).write_text(text, "utf-8")
    command = [sys.executable, "-m", "pyright", "--outputjson"]
    done = subprocess.run(
        [*command, "-p", str(folder), "--pythonpath", sys.executable],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env={**os.environ, "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"},
    )
    by_file: Diagnostics = {name: [] for name in files}
    for diagnostic in json.loads(done.stdout)["generalDiagnostics"]:
        by_file[Path(diagnostic["file"]).name].append(diagnostic)
    return by_file


@pytest.mark.unmeasured
@pytest.mark.requirement("pain-76")
def test_pyright_sees_the_signature_through_the_decorator(by_pyright: Diagnostics) -> None:
    found = by_pyright["program.py"]
    assert [one["range"]["start"]["line"] for one in found if one["severity"] == "error"] == WRONG
    told = [one["message"] for one in found if one["severity"] == "information"]
    assert told == [
        'Type of "add" is "Tool[(a: int, b: int = 1), int, int, dict[str, Any]]"',
        'Type of "add(1)" is "int"',
    ]


@pytest.mark.unmeasured
@pytest.mark.requirement("pain-76")
def test_mypy_sees_the_signature_through_the_decorator(program: Path, tmp_path: Path) -> None:
    if not _is_there("mypy"):
        pytest.skip("mypy is not installed")
    output = run_mypy([str(program)], tmp_path).stdout
    lines = [line.split(":", 2) for line in output.splitlines() if line.startswith("program.py")]
    errors = [int(number) - 1 for _, number, rest in lines if rest.lstrip().startswith("error")]
    assert errors == WRONG
    revealed = [rest for _, _, rest in lines if "Revealed" in rest]
    assert "def (a: int, b: int =) -> int" in revealed[0] or "[a: int, b: int =]" in revealed[0]
    assert 'Revealed type is "int"' in revealed[1].replace("builtins.", "")


USES = ROOT / "typing_tests" / "uses" / "right_and_wrong.py"
MOST_CHARS = 1_000  # of what mypy writes about one use, its notes included
REMOTE = """
import functools

from toolhaft import tool

remote = functools.partial(tool, timeout=5)


@remote
def add(a: int) -> int:
    "Add."
    return a


reveal_type(add)
"""

# mypy gives a lambda's parameters no types where callables of several arities are accepted, as in
# `def ask(p: Callable[[str], object] | Callable[[str, int], object]) -> None: ...` and
# `ask(lambda text: text.nope)`; a function with annotations is checked by both.
MISSPELT = """
from pydantic import BaseModel

from toolhaft import tool


class Order(BaseModel):
    amount: int


@tool(input=Order, authorize=lambda order: order.amuont < 10)
def buy(order: Order) -> int:
    "Buy."
    return order.amount


@tool(input=Order, requires_approval=lambda order, context: bool(context) and order.amuont > 1)
def order(order: Order) -> int:
    "Order."
    return order.amount
"""


def lines_marked_wrong() -> list[int]:
    lines = enumerate(USES.read_text(encoding="utf-8").splitlines(), 1)
    return [number for number, line in lines if line.endswith("# wrong")]


@pytest.mark.unmeasured
@pytest.mark.requirement("types-of-uses")
def test_the_file_of_uses_has_forty_wrong_ones_and_as_many_right_ones() -> None:
    text = USES.read_text(encoding="utf-8")
    right = text[text.index("forty right") : text.index("forty wrong")]
    statements = ast.parse(right[right.index("\n") :]).body
    assert len(lines_marked_wrong()) >= 40
    assert len(statements) >= 40


@pytest.mark.unmeasured
@pytest.mark.requirement("types-of-uses")
def test_mypy_flags_exactly_the_wrong_uses_and_says_little_of_each() -> None:
    if not _is_there("mypy"):
        pytest.skip("mypy is not installed")
    done = _mypy(USES)
    told: dict[int, list[str]] = {}
    for line in done.splitlines():
        if match := re.match(r".*right_and_wrong\.py:(\d+): (error|note)", line):
            told.setdefault(int(match[1]), []).append(line)
    assert sorted(told) == lines_marked_wrong()
    assert all(any(": error: " in line for line in lines) for lines in told.values())
    assert max(sum(map(len, lines)) for lines in told.values()) < MOST_CHARS
    misspelt = [lines for lines in told.values() if any('"nmae"' in line for line in lines)]
    assert len(misspelt) == 5


@pytest.mark.unmeasured
@pytest.mark.requirement("types-of-uses")
def test_pyright_flags_exactly_the_wrong_uses(by_pyright: Diagnostics) -> None:
    told = [one for one in by_pyright[USES.name] if one["severity"] == "error"]
    assert sorted({one["range"]["start"]["line"] + 1 for one in told}) == lines_marked_wrong()


@pytest.mark.unmeasured
@pytest.mark.requirement("types-of-uses")
def test_pyright_comes_to_an_end_with_a_partial_of_tool(by_pyright: Diagnostics) -> None:
    [revealed] = by_pyright["remote.py"]
    assert revealed["message"] == 'Type of "add" is "Tool[(a: int), int, int, dict[str, Any]]"'


@pytest.mark.unmeasured
@pytest.mark.requirement("types-of-uses")
def test_pyright_reads_the_lambda_of_a_predicate(by_pyright: Diagnostics) -> None:
    told = [one for one in by_pyright["misspelt.py"] if "amuont" in one["message"]]
    lines = MISSPELT.splitlines()
    wrong = [at for at, line in enumerate(lines) if "amuont" in line]
    assert sorted({one["range"]["start"]["line"] for one in told}) == wrong


@pytest.mark.requirement("types-of-uses")
def test_the_options_that_a_checker_knows_are_those_of_the_overload_that_tells_wrong_ones() -> None:
    listing = [
        overload.__annotations__
        for overload in typing.get_overloads(tool)
        if "unknown" in overload.__annotations__
    ]
    beside = {"fn", "unknown", "return"}
    assert [notes.keys() - beside for notes in listing] == [AllOptions.__annotations__.keys()]


@pytest.mark.requirement("types-of-uses")
def test_every_option_says_what_it_is_where_a_reader_hovers() -> None:
    tree = ast.parse(Path(options.__file__).read_text(encoding="utf-8"))
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    fields = [node for kind in classes if "Options" in kind.name for node in kind.body[1:]]
    pairs = list(zip(fields[::2], fields[1::2], strict=True))
    assert len(pairs) == len(AllOptions.__annotations__)
    for field, text in pairs:
        assert isinstance(field, ast.AnnAssign)
        assert isinstance(text, ast.Expr)
        assert isinstance(text.value, ast.Constant)
        assert str(text.value.value).endswith(".")


def test_the_targets_that_an_editor_completes_are_all_of_them() -> None:
    assert set(typing.get_args(KnownTarget)) == set(TARGETS)


def test_a_request_of_the_loop_takes_what_the_clients_take() -> None:
    openai = pytest.importorskip("openai", reason="the SDK is not installed")
    anthropic = pytest.importorskip("anthropic", reason="the SDK is not installed")
    clients = [openai.OpenAI(api_key="k"), anthropic.Anthropic(api_key="k")]
    methods = [clients[0].responses.create, clients[0].chat.completions.create]
    for method in [*methods, clients[1].messages.create]:
        ours = {"model", "messages", "input", "tools", "stream"}
        assert signature(method).parameters.keys() - ours <= RequestOptions.__annotations__.keys()


def _mypy(path: Path) -> str:
    return run_mypy([str(path)], path.parent).stdout


def _is_there(module: str) -> bool:
    from importlib.util import find_spec

    return find_spec(module) is not None
