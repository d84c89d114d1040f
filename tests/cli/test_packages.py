"""Tools that lie in a package: relative imports work, and a fault hides nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import forked, spawned

pytestmark = pytest.mark.requirement("cli-packages")

PARTS = """\
from toolhaft import tool

broken = tool(lambda: 1, name="w w", description="W.")


@tool
def wait(delay: int) -> None:
    "Wait for some time."
"""
TOOLS = """\
from . import parts
from .parts import broken, wait
from toolhaft import tool

spare = broken


@tool
def late(odd: "Odd") -> str:
    "Say something that is late."


@tool
def find(city: str):
    "Find what there is in a city."
"""
FOUND = [
    ("shop/parts.py:3", "TH000", "w w"),
    ("shop/tools.py:8", "TH000", "late"),
    ("shop/parts.py:7", "TH102", "wait"),
    ("shop/tools.py:14", "TH102", "find"),
    ("shop/tools.py:13", "TH209", "find"),
    ("shop/tools.py:13", "TH401", "find"),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    package = tmp_path / "shop"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "parts.py").write_text(PARTS)
    (package / "tools.py").write_text(TOOLS)
    return tmp_path


@pytest.mark.parametrize("target", ["shop.tools", "shop/tools.py"])
def test_a_broken_tool_anywhere_in_a_package_hides_no_finding(folder: Path, target: str) -> None:
    ran = forked("check", target, "--format", "json", cwd=folder)
    found = [(one["where"], one["code"], one["tool"]) for one in ran.json["findings"]]
    assert (found, ran.code, ran.err) == (FOUND, 1, "")


def test_every_format_has_every_finding_at_its_line(folder: Path) -> None:
    text = forked("check", "shop.tools", cwd=folder).out.splitlines()
    assert [tuple(line.split(": ")[0].split()) for line in text[:-1]] == [
        (where,) for where, _, _ in FOUND
    ]
    [run] = forked("check", "shop.tools", "--format", "sarif", cwd=folder).json["runs"]
    places = [one["locations"][0]["physicalLocation"] for one in run["results"]]
    lines = [
        f"{place['artifactLocation']['uri']}:{place['region']['startLine']}" for place in places
    ]
    assert lines == [where for where, _, _ in FOUND]
    github = forked("check", "shop.tools", "--format", "github", cwd=folder).out.splitlines()
    written = [where.replace(":", ",line=") for where, _, _ in FOUND]
    assert [line.split("file=")[1].split(",title")[0] for line in github] == written
    drawn = forked("check", "shop.tools", cwd=folder, FORCE_COLOR="1", NO_COLOR="1").out
    assert all(where in drawn for where, _, _ in FOUND)


@pytest.mark.parametrize("target", ["shop.tools", "shop/tools.py"])
def test_a_crash_in_a_package_has_its_file_and_line_and_a_traceback_on_request(
    folder: Path, target: str
) -> None:
    (folder / "shop" / "parts.py").write_text("def f():\n    return 1 / 0\n\n\nf()\n")
    said = "cannot be imported: ZeroDivisionError: division by zero"
    ran = forked("show", target, cwd=folder)
    assert (ran.code, ran.err) == (2, f"error: shop/parts.py:2: {said}\n")
    ran = forked("check", target, "--traceback", cwd=folder)
    assert ran.out.startswith(f"shop/parts.py:2: TH000 error the module: {said};")
    assert ran.err.startswith("Traceback (most recent call last):\n")
    assert ran.err.endswith("ZeroDivisionError: division by zero\n")


def test_a_module_that_a_package_needs_and_that_is_not_there_is_named(folder: Path) -> None:
    (folder / "shop" / "__init__.py").write_text("import parcels_of_nobody\n")
    ran = forked("show", "shop/tools.py", cwd=folder)
    assert ran.err == (
        "error: shop/__init__.py:1: cannot be imported: "
        "ModuleNotFoundError: No module named 'parcels_of_nobody'\n"
    )


@pytest.mark.parametrize("target", ["shop/__init__.py", "shop"])
def test_a_package_itself_may_have_the_tools(folder: Path, target: str) -> None:
    (folder / "shop" / "__init__.py").write_text("print = None\nfrom .parts import wait\n")
    ran = forked("check", target, "--format", "json", cwd=folder)
    found = [(one["where"], one["code"]) for one in ran.json["findings"]]
    assert found == [("shop/parts.py:3", "TH000"), ("shop/parts.py:7", "TH102")]


def test_a_file_of_a_package_finds_what_lies_beside_it_too(folder: Path) -> None:
    (folder / "shop" / "beside.py").write_text("NAME = 'beside'\n")
    text = "from beside import NAME\nfrom toolhaft import tool\n\nfind = tool(lambda: NAME, "
    (folder / "shop" / "own.py").write_text(text + "name=NAME, description='Find.')\n")
    ran = spawned("show", "shop/own.py", "--format", "json", cwd=folder)
    assert [one["name"] for one in ran.json] == ["beside"]


def test_a_package_that_shares_its_name_with_a_library_takes_nothing_from_it(
    tmp_path: Path,
) -> None:
    package = tmp_path / "email"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "tools.py").write_text(
        PARTS.replace("from toolhaft", "import email.message\nfrom toolhaft")
    )
    ran = spawned("check", "email/tools.py", "--format", "json", cwd=tmp_path)
    assert [one["where"] for one in ran.json["findings"]] == [
        "email/tools.py:4",
        "email/tools.py:8",
    ]
