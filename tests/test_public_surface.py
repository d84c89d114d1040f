"""Each name has one public place: the module that defines it, and `toolhaft` for the chosen few."""

from __future__ import annotations

import ast
import importlib
import inspect
from collections.abc import Iterable, Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

import toolhaft
from toolhaft import LoopGuard, Prepared, Tool, Toolset
from toolhaft.toolset.answers import Answer
from toolhaft.toolset.export import Export

PACKAGE = Path(toolhaft.__file__).parent


def module_name(path: Path) -> str:
    steps = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(steps).removesuffix(".__init__")


# Documented names of modules that have moved; tests/test_import_paths.py holds them.
KEPT = {"toolhaft.agent_loop"}
MODULES = {
    name: path for path in sorted(PACKAGE.rglob("*.py")) if (name := module_name(path)) not in KEPT
}
BELOW = sorted(MODULES.keys() - {"toolhaft"})


def exported(module: str) -> list[str]:
    return list(importlib.import_module(module).__all__)


def defined(statements: Iterable[ast.stmt]) -> Iterator[str]:
    """Names that a module's own statements bind, imports left out."""
    for node in statements:
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name
        elif isinstance(node, ast.Assign):
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id
        elif isinstance(node, ast.If | ast.Try):
            yield from defined([*node.body, *node.orelse])


def test_every_module_exports_only_what_it_defines() -> None:
    assert {module: wrong for module in BELOW if (wrong := wrongly_exported(module))} == {}


def wrongly_exported(module: str) -> list[str]:
    """Return the exported names that are private, exported twice or defined elsewhere."""
    names = exported(module)
    own = set(defined(ast.parse(MODULES[module].read_text(encoding="utf-8")).body))
    return [one for one in names if one not in own or one[0] == "_" or names.count(one) > 1]


@pytest.mark.parametrize("name", toolhaft.__all__)
def test_a_public_name_comes_from_exactly_one_module(name: str) -> None:
    sources = [module for module in BELOW if name in exported(module)]
    assert len(sources) == 1
    assert getattr(toolhaft, name) is getattr(importlib.import_module(sources[0]), name)


@pytest.mark.requirement("sync-twins")
@pytest.mark.parametrize("kind", [Answer, Export, LoopGuard, Prepared, Tool, Toolset])
def test_every_async_method_has_a_sync_twin_that_takes_the_same(kind: type) -> None:
    def taken(method: Any) -> list[tuple[Any, ...]]:
        parameters = inspect.signature(method).parameters.values()
        return [(one.name, one.kind, one.default) for one in parameters]

    for name, method in inspect.getmembers(kind, inspect.iscoroutinefunction):
        if not name.startswith("_"):
            assert taken(getattr(kind, f"{name}_sync")) == taken(method)


def test_the_front_door_has_at_most_40_names_and_lists_them_all() -> None:
    assert len(toolhaft.__all__) <= 40
    assert set(toolhaft.__all__) <= set(dir(toolhaft))
    assert sorted(toolhaft.__all__) == list(toolhaft.__all__)


def test_the_package_knows_its_version() -> None:
    assert toolhaft.__version__ == metadata.version("toolhaft")


@pytest.mark.parametrize(("name", "home"), toolhaft.MOVED.items())
def test_a_name_that_has_moved_still_works_with_a_warning(name: str, home: str) -> None:
    module = importlib.import_module(f"toolhaft.{home}")
    with pytest.warns(DeprecationWarning, match=f"import it from toolhaft.{home}"):
        assert getattr(toolhaft, name) is getattr(module, name)
