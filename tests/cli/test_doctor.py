"""`toolhaft doctor` reports what is installed, what is too old, and what conflicts."""

from __future__ import annotations

import platform
from collections.abc import Callable
from pathlib import Path

import pytest

import toolhaft
from tests.cli.running import Run
from toolhaft.cli.installation import Requirement, parse_requirement

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
    install("mcp", "1.9.4")
    assert run("doctor").code == 0
    ran = run("doctor", "serve")
    assert ran.code == 1
    assert ran.err == (
        "serve: mcp 1.9.4 is too old (needs >=2.3); run pip install 'toolhaft[serve]'\n"
    )


def test_an_unknown_extra_is_named(run: Run) -> None:
    ran = run("doctor", "servr")
    assert (ran.code, ran.err) == (2, "error: no such extra servr; did you mean serve?\n")


@pytest.mark.parametrize(
    ("versions", "version", "fits"),
    [
        (">=2.3", "2.3", True),
        (">=2.3", "2.3.0rc1", True),
        (">=2.3", "2.10", True),
        (">=2.3,<3", "3.0", False),
        ("<3", "3", False),
        ("==1.2.*", "1.2.9", True),
        ("==1.2.*", "1.3", False),
        ("==1.2", "1.2.0", True),
        ("~=1.4", "1.9", True),
        ("~=1.4", "2.0", False),
        ("!=1.5", "1.5", False),
        ("", "0.1", True),
    ],
)
def test_a_version_fits_as_pip_would_have_it(versions: str, version: str, fits: bool) -> None:
    assert Requirement("mcp", versions).accepts(version) is fits


def test_a_requirement_of_another_system_is_marked() -> None:
    line = "pywin32>=311; sys_platform == 'win32' and extra == 'serve'"
    assert parse_requirement(line) == Requirement("pywin32", ">=311", "serve", marked=True)
