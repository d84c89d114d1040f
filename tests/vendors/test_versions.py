"""A library that is too old, or a lookalike, is reported with a fix."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from toolhaft import DefinitionError, Toolset, tool, vendors
from toolhaft.vendors import versions
from toolhaft.vendors.adapter import NoVendor

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture
def unremembered() -> Iterator[None]:
    versions.require_library.cache_clear()
    yield
    versions.require_library.cache_clear()


def test_the_oldest_versions_match_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = [
        one for name in versions.OLDEST for one in project["optional-dependencies"].get(name, ())
    ]
    listed = dict(one.split(">=") for one in (*project["dependencies"], *extras))
    assert {name: listed[name] for name in versions.OLDEST} == versions.OLDEST


@pytest.mark.requirement("pain-75")
@pytest.mark.usefixtures("unremembered")
@pytest.mark.parametrize("name", versions.OLDEST)
@pytest.mark.parametrize(
    ("version", "reason"),
    [
        ("0.1.9rc1", "{} 0.1.9rc1 is too old: {} or newer is read"),
        (None, "{} is not installed"),
    ],
)
def test_a_library_that_is_too_old_fails_with_the_line_to_run(
    name: str, version: str | None, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(versions, "installed_version", lambda _: version)
    oldest = versions.OLDEST[name]
    with pytest.raises(NoVendor) as raised:
        versions.require_library(name)
    assert raised.value.reason == reason.format(name, oldest)
    assert raised.value.fix == f"run pip install '{name}>={oldest}'"


@pytest.mark.parametrize("name", versions.OLDEST)
def test_the_installed_libraries_are_new_enough(name: str) -> None:
    versions.require_library(name)
    assert versions.installed_version(name) is not None


def test_a_vendor_that_is_not_ours_has_its_own_versions() -> None:
    versions.require_library("standard-schema")


def test_a_copy_without_a_package_is_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.metadata

    def missing(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "version", missing)
    monkeypatch.setitem(sys.modules, "marshmallow", SimpleNamespace())
    assert versions.installed_version("marshmallow") == versions.OLDEST["marshmallow"]
    monkeypatch.delitem(sys.modules, "marshmallow")
    assert versions.installed_version("marshmallow") is None


OLD = """
import msgspec
msgspec.__version__ = "0.18.6"
from toolhaft import DefinitionError, Toolset, tool
class In(msgspec.Struct):
    n: int
handlers = [lambda: None, lambda given: None]
for schema in ({"input": In, "output": None}, {"output": In}):
    try:
        Toolset([tool(handlers.pop(), name="t", description="d", **schema)])
    except DefinitionError as error:
        print(error)
"""


def test_a_library_whose_import_is_blocked_has_the_version_of_its_package(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stated = versions.installed_version("pydantic")
    monkeypatch.setitem(sys.modules, "pydantic", cast("Any", None))
    assert versions.installed_version("pydantic") == stated


@pytest.mark.requirement("pain-75")
def test_an_old_library_is_a_fault_of_the_definition() -> None:
    done = subprocess.run([sys.executable, "-c", OLD], capture_output=True, text=True, check=True)
    reason = "msgspec 0.18.6 is too old: 0.19 or newer is read"
    first, second = done.stdout.splitlines()
    assert first == f"t.input: {reason}; run pip install 'msgspec>=0.19'"
    assert reason in second


@pytest.mark.requirement("pain-75")
def test_an_adapter_is_found_by_the_objects_own_module() -> None:
    """A successor of a library with classes of the same names is another library."""

    class Schema:
        def __init__(self, schema: Any) -> None:
            self.schema, self.extra = schema, 0

        def __call__(self, data: Any) -> Any:
            return data

    Schema.__module__ = "probatio.schema"
    assert vendors.find_owner(Schema({"x": int})) is None
    made = tool(
        lambda given: given, name="t", description="d", input=Schema({"x": int}), output=None
    )
    with pytest.raises(DefinitionError, match=r"no validator owns a .*Schema; .*parameters="):
        Toolset([made])
