"""The plugin checks tools as tests, gives them to tests, and holds exports to files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PLUGIN = "toolhaft.pytest_plugin"
SRC = Path(__file__).parents[1] / "src"
TOOLS = '''
from typing import Annotated

from toolhaft import Doc, tool


@tool
def find(city: Annotated[str, Doc("Where to look")]) -> str:
    """Find a shop in a city."""
    return city


@tool
def wait(delay: int) -> None:
    """Wait for some time."""
'''
TEST = """
def test_the_tools(toolset):
    assert list(toolset)[0].name == "find"


def test_what_is_sent(toolhaft_export):
    assert toolhaft_export("anthropic")["tools"][0]["name"] == "find"
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "shops.py").write_text(TOOLS)
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_shops.py").write_text(TEST)
    (tmp_path / "pytest.ini").write_text("[pytest]\ntoolhaft_tools = shops.py\n")
    return tmp_path


def ran(project: Path, *arguments: str) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", PLUGIN, *arguments],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(SRC), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    )
    return done.returncode, done.stdout


@pytest.mark.requirement("pytest-plugin")
def test_each_tool_is_a_test_that_fails_with_its_findings(project: Path) -> None:
    code, out = ran(project, "--toolhaft-check", "shops.py", "-k", "find or wait")
    assert code == 1
    assert "TH102 /input/properties/delay: no description" in out
    assert "1 failed, 1 passed" in out


@pytest.mark.requirement("pytest-plugin")
def test_exports_are_held_to_files(project: Path) -> None:
    code, out = ran(project)
    assert (code, "write it with --toolhaft-update" in out) == (1, True)
    assert ran(project, "--toolhaft-update")[0] == 0
    path = project / "tests" / "exports" / "anthropic.json"
    assert json.loads(path.read_text())["tools"][0]["name"] == "find"
    assert ran(project)[0] == 0
    (project / "shops.py").write_text(TOOLS.replace("Find a shop", "Find the shop"))
    assert ran(project)[0] == 1


@pytest.mark.requirement("pytest-plugin")
def test_a_project_without_tools_is_told_what_to_set(project: Path) -> None:
    (project / "pytest.ini").write_text("[pytest]\n")
    code, out = ran(project)
    assert (code, "set toolhaft_tools to a module or a file of tools" in out) == (1, True)


@pytest.mark.requirement("page-saved")
def test_each_line_of_saved_calls_is_a_test_that_compares_the_keys_it_has(project: Path) -> None:
    saved = [
        {"tools": "shops.py", "name": "find", "arguments": {"city": "Oslo"}, "kind": "ok"},
        {"name": "find", "arguments": {"city": "Oslo"}, "kind": "ok", "json": "Bergen"},
        {"name": "find", "arguments": '{"city": ', "kind": "truncated"},
    ]
    lines = "".join(f"{json.dumps(line)}\n" for line in saved)
    (project / "tests" / "shops.calls.jsonl").write_text(lines)
    (project / "tests" / "wrong.calls.jsonl").write_text(
        '{"name": "find", "arguments": {}, "kind": "ok", "text": "Oslo"}\n'
    )
    files = ["tests/shops.calls.jsonl", "tests/wrong.calls.jsonl"]
    code, out = ran(project, "--continue-on-collection-errors", *files)
    assert code == 1
    assert "1 failed, 2 passed, 1 error" in out
    assert 'json: "Bergen" became "Oslo"' in out
    assert "wrong.calls.jsonl:1: not a saved call" in out
