"""Packages that are missing or too old for serving are one line with the command that helps."""

from __future__ import annotations

import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

from toolhaft import Toolset
from toolhaft.serve import asgi, extra

ROOT = Path(__file__).parents[2]


@pytest.mark.requirement("serve-extra")
@pytest.mark.parametrize(
    ("version", "fault"),
    [
        ("2.1.1", "mcp 2.1.1 is too old: 2.3 or newer is read: pip install 'mcp>=2.3'"),
        (None, "mcp is not installed: pip install 'toolhaft[serve]'"),
    ],
)
def test_an_application_needs_a_new_mcp_in_one_sentence(
    monkeypatch: pytest.MonkeyPatch, version: str | None, fault: str
) -> None:
    extra.require_extra.cache_clear()
    for module in ("vendors.versions", "serve.extra"):
        monkeypatch.setattr(f"toolhaft.{module}.installed_version", {"mcp": version}.get)
    with pytest.raises(ImportError) as raised:
        asgi(Toolset())
    assert str(raised.value) == f"toolhaft.serve: {fault}"


@pytest.mark.requirement("serve-extra")
@pytest.mark.parametrize("module", ["protocol", "server"])
def test_what_runs_in_uvicorn_names_the_extra_where_that_is_missing(
    monkeypatch: pytest.MonkeyPatch, module: str
) -> None:
    for name in list(sys.modules):
        if name.partition(".")[0] == "uvicorn":
            monkeypatch.setitem(sys.modules, name, None)
    for name in ("protocol", "server"):
        monkeypatch.delitem(sys.modules, f"toolhaft.serve.{name}", raising=False)
    monkeypatch.setattr("toolhaft.vendors.versions.installed_version", lambda _: None)
    monkeypatch.setattr("toolhaft.serve.extra.installed_version", lambda _: None)
    with pytest.raises(ImportError) as raised:
        import_module(f"toolhaft.serve.{module}")
    fault = "uvicorn is not installed: pip install 'toolhaft[serve]'"
    assert str(raised.value) == f"toolhaft.serve: {fault}"


def test_the_oldest_versions_are_those_of_the_extra() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    asked = {f"{name}>={oldest}" for name, oldest in extra.OLDEST.items() if name != "mcp"}
    assert asked <= {*extras["serve"]}


def test_no_extra_asks_for_an_mcp_that_popular_frameworks_do_not_allow() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["optional-dependencies"]["mcp"] == ["mcp>=1.30"]
    assert extra.OLDEST["mcp"] == "2.3"
