"""Packages that are missing or too old for serving are one line with the command that helps."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from toolhaft import Toolset
from toolhaft.serve import asgi, extra

ROOT = Path(__file__).parents[2]
FIX = "pip install 'toolhaft[serve]'"


@pytest.mark.requirement("serve-extra")
@pytest.mark.parametrize(
    ("version", "fault"),
    [("1.28.0", "mcp 1.28.0 is too old: 2.3 or newer is read"), (None, "mcp is not installed")],
)
def test_an_application_needs_a_new_mcp_in_one_sentence(
    monkeypatch: pytest.MonkeyPatch, version: str | None, fault: str
) -> None:
    extra.require_extra.cache_clear()
    monkeypatch.setattr("toolhaft.vendors.versions.installed_version", lambda _: version)
    with pytest.raises(ImportError) as raised:
        asgi(Toolset())
    assert str(raised.value) == f"toolhaft.serve: {fault}: {FIX}"


def test_the_oldest_versions_are_those_of_the_extra() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    assert {f"{name}>={oldest}" for name, oldest in extra.OLDEST.items()} <= {
        *extras["serve"],
        *extras["mcp"],
    }
