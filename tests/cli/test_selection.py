"""Which tools of a module the command line takes, and its report on the tools it leaves out."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import Run

pytestmark = pytest.mark.requirement("cli-left-out")

MODULE = """
from typing import Any

from toolhaft import tool


class Shop:
    def __init__(self, town):
        self.town = town
        self.near = plain.replace(name="near")

    @tool
    def hours(self, day: str = "Monday") -> str:
        "When the shop is open."
        return self.town

    @tool
    @staticmethod
    def add(a: int) -> int:
        "Add."
        return a


class Foreign:
    name, title, description = "foreign", None, "Of another library."
    input_schema = output_schema = None

    def execute(self, arguments):
        return 1


class Nothing:
    "Has no tools."


@tool
def plain(a: int) -> int:
    "Plain."
    return a


shop = Shop("Oslo")
foreign = Foreign()
short = plain.replace(name="short").formatted(str)
pair = [plain, plain.replace(name="other")]
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "found.py"
    path.write_text(MODULE)
    return path


def test_tools_of_every_shape_are_found_and_left_out_ones_are_reported(
    run: Run, path: Path
) -> None:
    ran = run("show", str(path), "--format", "json")
    assert {one["name"]: one["defined"] for one in ran.json} == {
        "plain": f"{path}:36",
        "foreign": f"{path}:28",
        "short": f"{path}:36",
    }
    assert ran.err.splitlines() == [
        f"toolhaft: left out: hours, add, near of shop: name it to have them: {path}:shop",
        f"toolhaft: left out: other of pair: name it to have them: {path}:pair",
    ]


@pytest.mark.parametrize(
    ("name", "tools", "left_out"),
    [
        ("shop", ["hours", "add", "near"], []),
        ("Shop", ["add"], ["Shop.hours: a method needs its object; pass an instance"]),
        ("pair", ["plain", "other"], []),
        ("foreign", ["foreign"], []),
        ("short", ["short"], []),
    ],
)
def test_an_object_a_class_or_a_list_is_named(
    run: Run, path: Path, name: str, tools: list[str], left_out: list[str]
) -> None:
    ran = run("show", f"{path}:{name}", "--format", "json")
    assert [one["name"] for one in ran.json] == tools
    lines = ran.err.splitlines()
    assert len(lines) == len(left_out)
    assert all(reason in line for reason, line in zip(left_out, lines, strict=True))


def test_a_module_without_own_tools_is_reported_with_the_tools_of_others(
    run: Run, tmp_path: Path, path: Path
) -> None:
    assert run("show", f"{path}:Nothing").err == (
        f"error: {path}: Nothing is a class without tools; name a tool or an object\n"
    )
    other = tmp_path / "only.py"
    other.write_text(MODULE.replace("@tool\ndef plain", "def plain").split("foreign =")[0])
    text = other.read_text().replace('plain.replace(name="near")', "tool(plain)")
    other.write_text(text)
    ran = run("check", str(other))
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == f"error: {other}: has no tools of its own; say whose: {other}:shop\n"


def test_a_foreign_tool_with_a_schema_that_is_none_is_a_fault_of_the_module(
    run: Run, tmp_path: Path
) -> None:
    path = tmp_path / "odd.py"
    path.write_text(
        MODULE.replace(
            "input_schema = output_schema = None", "input_schema = 3\n    output_schema = None"
        )
    )
    ran = run("check", str(path), "--format", "json")
    [finding] = [one for one in ran.json["findings"] if one["code"] == "TH000"]
    assert (finding["tool"], ran.code) == ("foreign", 1)
    assert "give a StandardSchema" in finding["message"]


PROXIES = """
from unittest.mock import MagicMock

from toolhaft import Toolset, tool


class Proxy:
    "Stands for what is there within a request alone, as Flask's do."

    def __getattr__(self, name):
        raise RuntimeError("outside of a request")

    @property
    def __class__(self):
        raise RuntimeError("outside of a request")

    def __eq__(self, other):
        raise RuntimeError("outside of a request")

    __hash__ = None


request = Proxy()
database = MagicMock()
holder = [request, database]


@tool
def only(n: int) -> int:
    "Say a number."
    return n
"""


def test_proxies_and_mocks_beside_tools_are_none(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "web.py"
    path.write_text(PROXIES)
    ran = run("show", str(path), "--format", "json")
    assert ([one["name"] for one in ran.json], ran.err) == (["only"], "")
    path.write_text(f"{PROXIES}\nfirst, second = Toolset([only]), Toolset([only])\n")
    said = f"{path}: has 2 toolsets; say which: {path}:first, {path}:second"
    assert run("show", str(path)) == (2, "", f"error: {said}\n")
