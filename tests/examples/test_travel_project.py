"""The travel example uses all that a project can: rules, manifest, lock, plugin and hooks."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.running import SRC, Ran, forked

pytestmark = pytest.mark.unmeasured

ROOT = Path(__file__).parents[2]
TRAVEL = ROOT / "examples" / "travel"
HOOKS = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
OWN = (TRAVEL / ".pre-commit-config.yaml").read_text(encoding="utf-8")


def run(*arguments: str) -> Ran:
    return forked(*arguments, cwd=TRAVEL)


@pytest.mark.requirement("example-project")
def test_no_rule_objects_to_the_tools() -> None:
    ran = run("check", "tools.py", "--agreement", "--format", "json")
    assert (ran.code, ran.json["findings"]) == (0, [])


@pytest.mark.requirement("example-project")
def test_the_manifest_and_the_lock_are_true() -> None:
    assert run("manifest", "tools.py", "--file", "AGENTS.md", "--check") == (0, "", "")
    assert run("lock", "tools.py", "--check") == (0, "", "")


@pytest.mark.requirement("example-project")
def test_its_own_tests_pass() -> None:
    command = [
        "-m",
        "pytest",
        "-q",
        "-p",
        "toolhaft.pytest_plugin",
        "-p",
        "no:cacheprovider",
    ]
    done = subprocess.run(
        [sys.executable, *command, "--toolhaft-check", "tools.py"],
        cwd=TRAVEL,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": SRC, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    )
    assert done.returncode == 0, done.stdout
    assert "20 passed" in done.stdout


@pytest.mark.requirement("pre-commit-hooks")
@pytest.mark.parametrize("entry", re.findall(r"entry: (toolhaft .*)", OWN))
def test_the_hooks_of_the_example_pass(entry: str) -> None:
    _, *arguments = shlex.split(entry)
    assert run(*arguments).code == 0


@pytest.mark.requirement("pre-commit-system")
@pytest.mark.requirement("pre-commit-hooks")
@pytest.mark.parametrize(
    ("hook", "arguments"),
    [
        ("toolhaft-check", ["tools.py"]),
        ("toolhaft-manifest", ["tools.py", "--file", "AGENTS.md"]),
        ("toolhaft-check-system", ["tools.py"]),
        ("toolhaft-manifest-system", ["tools.py", "--file", "AGENTS.md"]),
    ],
)
def test_the_hooks_of_this_repository_pass_on_the_example(hook: str, arguments: list[str]) -> None:
    found = re.search(rf"- id: {hook}\n(?:  .*\n)*?  entry: (toolhaft .*)", HOOKS)
    assert found is not None
    _, *entry = shlex.split(found[1])
    assert run(*entry, *arguments).code == 0


@pytest.mark.requirement("pre-commit-hooks")
def test_the_hooks_are_what_pre_commit_takes() -> None:
    pytest.importorskip("pre_commit", reason="pre-commit is not installed")
    done = subprocess.run(
        [sys.executable, "-m", "pre_commit", "validate-manifest", ".pre-commit-hooks.yaml"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "")
    done = subprocess.run(
        [sys.executable, "-m", "pre_commit", "validate-config", ".pre-commit-config.yaml"],
        cwd=TRAVEL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "")
