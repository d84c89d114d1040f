"""Importing toolhaft costs next to nothing: only itself and the standard library, no asyncio."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path

import pytest

import toolhaft

ROOT = Path(__file__).parent.parent
# Without `site` no .pth file runs, so every module in the answer was loaded by the statement; the
# third-party packages are still on the path, so importing one would succeed.
SCRIPT = """
import sys
sys.path[:0] = {path!r}
before = set(sys.modules)
{statement}
loaded = set(sys.modules) - before
import json
print(json.dumps(sorted(loaded)))
"""


def loaded_by(statement: str) -> list[str]:
    """Names of the modules that a statement loads in an interpreter that has loaded nothing."""
    path = [str(ROOT / "src"), sysconfig.get_path("purelib"), sysconfig.get_path("platlib")]
    script = SCRIPT.format(path=path, statement=statement)
    command = [sys.executable, "-I", "-S", "-c", script]
    child = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (child.returncode, child.stderr) == (0, "")
    return list(json.loads(child.stdout))


def third_party(modules: list[str]) -> list[str]:
    packages = {name.partition(".")[0] for name in modules}
    return sorted(packages - sys.stdlib_module_names - {"toolhaft"})


@pytest.mark.requirement("import-standard-library-only")
def test_importing_toolhaft_loads_only_the_standard_library_and_no_asyncio() -> None:
    loaded = loaded_by("import toolhaft")
    assert "toolhaft" in loaded
    assert third_party(loaded) == []
    assert "asyncio" not in loaded


@pytest.mark.requirement("import-standard-library-only")
@pytest.mark.parametrize("name", toolhaft.__all__)
def test_a_public_name_loads_only_the_standard_library_and_no_asyncio(name: str) -> None:
    loaded = loaded_by(f"from toolhaft import {name}")
    assert third_party(loaded) == []
    assert "asyncio" not in loaded


@pytest.mark.requirement("import-light")
def test_defining_tools_loads_neither_vendors_nor_schemas_nor_inspect() -> None:
    loaded = loaded_by("from toolhaft import tool, Toolset")
    late = {"inspect", "dataclasses", "decimal", "datetime", "logging", "threading", "contextvars"}
    late |= {"toolhaft.call.boundary", "toolhaft.call.outcome", "toolhaft.toolset.dispatch"}
    assert [name for name in loaded if name in late or name.startswith("toolhaft.vendors")] == []


def test_a_third_party_import_would_be_seen() -> None:
    assert "msgspec" in third_party(loaded_by("import msgspec"))


def imported_packages(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    return {name.partition(".")[0] for name in names}


def test_the_import_contract_names_every_third_party_package_that_src_imports() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    [contract] = [contract for contract in contracts if contract["type"] == "forbidden"]
    imported = set().union(*map(imported_packages, (ROOT / "src").rglob("*.py")))
    newer = {"annotationlib"}  # of the standard library since Python 3.14
    outside = imported - sys.stdlib_module_names - newer - {"toolhaft"}
    assert sorted(outside - set(contract["forbidden_modules"])) == []
