"""`toolhaft doctor` reports what is installed, what is too old, and what conflicts."""

from __future__ import annotations

import platform
from collections.abc import Callable
from pathlib import Path

import pytest

import toolhaft
from tests.cli.running import Run

pytestmark = pytest.mark.requirement("cli-doctor")
Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Install the metadata of a package before the others."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))

    def write(name: str, version: str, *requires: str) -> None:
        info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
        info.mkdir()
        lines = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}"]
        lines += [f"Requires-Dist: {one}" for one in requires]
        (info / "METADATA").write_text("\n".join(lines) + "\n")

    return write


def test_an_environment_without_conflicts_is_listed(run: Run) -> None:
    ran = run("doctor")
    assert (ran.code, ran.err) == (0, "")
    first, *rest = ran.out.splitlines()
    assert first.startswith(f"toolhaft {toolhaft.__version__} (")
    assert f"CPython {platform.python_version()} on" in first
    assert [line.split()[0] for line in rest] == sorted(line.split()[0] for line in rest)


def test_what_two_installed_packages_need_of_a_third_is_a_conflict(
    run: Run, install: Install
) -> None:
    install("mcp", "2.3.1")
    install("strands-agents", "1.70.0", "mcp<2,>=1.8", "ruff>=99; extra == 'dev'")
    ran = run("doctor", "--format", "json")
    assert ran.code == 1
    assert ran.json["conflicts"] == [
        {
            "package": "mcp",
            "version": "2.3.1",
            "required_by": "strands-agents",
            "versions": "<2,>=1.8",
        }
    ]
    text = run("doctor").out.splitlines()
    assert text[-2] == ("conflict: mcp 2.3.1 is installed, but strands-agents needs mcp<2,>=1.8")


def test_an_extra_that_is_asked_for_must_fit(run: Run, install: Install) -> None:
    pytest.importorskip("uvicorn", reason="uvicorn is not installed")
    install("mcp", "1.9.4")
    assert run("doctor").code == 0
    ran = run("doctor", "serve")
    assert ran.code == 1
    assert ran.err == ("serve: mcp 1.9.4 is too old (needs >=2.3); run pip install 'mcp>=2.3'\n")


def test_an_unknown_extra_is_named(run: Run) -> None:
    ran = run("doctor", "servr")
    assert (ran.code, ran.err) == (2, "error: no such extra servr; did you mean serve?\n")


def test_a_requirement_of_another_system_is_no_conflict(run: Run, install: Install) -> None:
    install("mcp", "2.3.1", "click<1; sys_platform == 'elsewhere'")
    assert run("doctor").code == 0
