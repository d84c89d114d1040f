"""The oldest versions that the package asks for are those that `make compat` tests."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]
ASKED = [
    *PROJECT["dependencies"],
    *(asked for name in EXTRAS for asked in EXTRAS[name] if name != "all"),
]
PINNED = re.findall(r"^[^#\s].*$", (ROOT / "constraints/floors.txt").read_text(), re.MULTILINE)
PAGE = (ROOT / "docs/decisions/0014-floors.md").read_text(encoding="utf-8")


def test_every_floor_is_pinned_where_it_is_tested() -> None:
    assert sorted(asked.replace(">=", "==") for asked in ASKED) == sorted(PINNED)


@pytest.mark.parametrize("asked", ASKED)
def test_a_dependency_has_a_floor_and_no_ceiling(asked: str) -> None:
    assert re.fullmatch(r"[A-Za-z_-]+>=[\d.]+", asked)


def test_the_page_about_floors_has_a_reason_for_each() -> None:
    rows = dict(re.findall(r"^\| ([\w-]+) ([\d.]+) \| [^|]+ \|$", PAGE, re.MULTILINE))
    assert rows == dict(pinned.split("==") for pinned in PINNED)
