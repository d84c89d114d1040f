"""A decorated function keeps its types for both checkers, as a reader of the error would see it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PROGRAM = """
from toolhaft import tool

@tool
def add(a: int, b: int = 1) -> int:
    "Add."
    return a + b

add("x")
add(1, 2, 3)
reveal_type(add)
reveal_type(add(1))
"""
WRONG = [8, 9]  # the lines of the two calls, counted from 0


@pytest.fixture
def program(tmp_path: Path) -> Path:
    (tmp_path / "pyrightconfig.json").write_text(json.dumps({"extraPaths": [str(ROOT / "src")]}))
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return path


@pytest.mark.no_cover
@pytest.mark.requirement("pain-76")
def test_pyright_sees_the_signature_through_the_decorator(program: Path) -> None:
    if shutil.which("pyright") is None and not _is_there("pyright"):
        pytest.skip("pyright is not installed")
    command = [sys.executable, "-m", "pyright", "--outputjson", "-p", str(program.parent)]
    done = subprocess.run(
        [*command, "--pythonpath", sys.executable],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"},
    )
    found = json.loads(done.stdout)["generalDiagnostics"]
    assert [one["range"]["start"]["line"] for one in found if one["severity"] == "error"] == WRONG
    told = [one["message"] for one in found if one["severity"] == "information"]
    assert told == [
        'Type of "add" is "Tool[(a: int, b: int = 1), int, int, dict[str, Any]]"',
        'Type of "add(1)" is "int"',
    ]


@pytest.mark.no_cover
@pytest.mark.requirement("pain-76")
def test_mypy_sees_the_signature_through_the_decorator(program: Path, tmp_path: Path) -> None:
    if not _is_there("mypy"):
        pytest.skip("mypy is not installed")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(ROOT / ".mypy_cache"),
         "--config-file", str(ROOT / "pyproject.toml"), str(program)],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": str(ROOT / "src")},
    )  # fmt: skip
    lines = [
        line.split(":", 2) for line in done.stdout.splitlines() if line.startswith("program.py")
    ]
    errors = [int(number) - 1 for _, number, rest in lines if rest.lstrip().startswith("error")]
    assert errors == WRONG
    revealed = [rest for _, _, rest in lines if "Revealed" in rest]
    assert "def (a: int, b: int =) -> int" in revealed[0] or "[a: int, b: int =]" in revealed[0]
    assert 'Revealed type is "int"' in revealed[1].replace("builtins.", "")


def _is_there(module: str) -> bool:
    from importlib.util import find_spec

    return find_spec(module) is not None
