"""The oldest versions that the package allows are the ones that `make compat` tests."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from toolhaft.frameworks.hosts import HOSTS
from toolhaft.serve.extra import OLDEST

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]
# Of frameworks, and of Ray, the oldest that counts is the one that has an environment of its own.
HOSTED = {host.extra: f"{host.package}>={host.oldest}" for host in HOSTS.values()}
ASKED = [
    *PROJECT["dependencies"],
    *(
        asked
        for name in EXTRAS
        for asked in EXTRAS[name]
        if name not in {"all", "ray", *HOSTED}
        and not asked.startswith("toolhaft[")  # another extra
    ),
]
# Serving needs a newer mcp than the extra asks for, and the other tests run with that one.
OLD_CLIENT, SERVING = "mcp>=1.30", f"mcp>={OLDEST['mcp']}"
PINNED = re.findall(r"^[^#\s].*$", (ROOT / "constraints/floors.txt").read_text(), re.MULTILINE)
PAGE = (ROOT / "docs/decisions/0014-floors.md").read_text(encoding="utf-8")


def test_every_floor_is_pinned_where_it_is_tested() -> None:
    used = [SERVING if asked == OLD_CLIENT else asked for asked in ASKED]
    assert sorted(asked.replace(">=", "==") for asked in used) == sorted(PINNED)
    compat = (ROOT / ".ci/compat.py").read_text(encoding="utf-8")
    assert f'("{OLD_CLIENT.replace(">=", "==")}",)' in compat


def test_each_host_has_an_extra_with_the_version_that_its_file_asks_for() -> None:
    assert {name: EXTRAS[name] for name in HOSTED} == {name: [HOSTED[name]] for name in HOSTED}


@pytest.mark.parametrize("asked", [*ASKED, *HOSTED.values()])
def test_a_dependency_has_a_floor_and_no_ceiling(asked: str) -> None:
    assert re.fullmatch(r"[A-Za-z_-]+>=[\d.]+", asked)


def test_the_page_about_floors_has_a_reason_for_each() -> None:
    rows = dict(re.findall(r"^\| ([\w-]+) ([\d.]+) \| [^|]+ \|$", PAGE, re.MULTILINE))
    assert rows == dict(pinned.split("==") for pinned in PINNED)
