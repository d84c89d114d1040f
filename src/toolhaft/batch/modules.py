"""Import a file of tools, under a name by which its classes and its package are found again.

The folder of the file goes to the end of `sys.path`: the tools can import what lies beside them,
and nothing there can take the place of the standard library or of an installed package.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import find_spec, module_from_spec
from itertools import takewhile
from pathlib import Path
from types import ModuleType
from typing import TypeAlias

__all__ = ["MakeLoader", "add_to_path", "import_file", "loading_by"]

# Makes the loader of a module from its name and its file.
MakeLoader: TypeAlias = Callable[[str, str], Loader]


def import_file(file: Path, make_loader: MakeLoader = SourceFileLoader) -> ModuleType:
    """Import a file as it is now; one of a package under its name there."""
    path = file.resolve()
    add_to_path(path.parent)
    module = _import_from_package(path, make_loader)
    if module is not None:
        return module
    # A name of its own: a file json.py must not become the module json.
    name = f"_tools_{path.stem.replace('.', '_')}"
    loader = make_loader(name, str(path))
    spec = ModuleSpec(name, loader, origin=str(path))
    spec.has_location = True
    module = sys.modules[name] = module_from_spec(spec)
    loader.exec_module(module)
    return module


def _import_from_package(path: Path, make_loader: MakeLoader) -> ModuleType | None:
    """Import a file of a package under its name there, so that relative imports find the rest.

    None where the file is in no package, or where its name stands for another module.
    """
    folders = list(takewhile(lambda folder: (folder / "__init__.py").is_file(), path.parents))
    if not folders:
        return None
    package = folders[-1]
    parts = path.relative_to(package.parent).with_suffix("").parts
    name = ".".join(part for part in parts if part != "__init__")
    add_to_path(package.parent)
    with loading_by(make_loader, package.name):
        try:
            spec = find_spec(name)
        except ModuleNotFoundError as error:
            if not f"{name}.".startswith(f"{error.name}."):
                raise  # a dependency of the package is missing
            return None
        if spec is None or spec.origin is None or Path(spec.origin).resolve() != path:
            return None
        return import_module(name)


def add_to_path(folder: Path) -> None:
    """Append a folder to `sys.path`, so that installed modules come first."""
    if str(folder) not in sys.path:
        sys.path.append(str(folder))


class _Finder(MetaPathFinder):
    """Find the modules of one package, to be run by another loader."""

    def __init__(self, make_loader: MakeLoader, package: str) -> None:
        self.make_loader = make_loader
        self.package = package

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: ModuleType | None = None,  # noqa: ARG002 - importlib's signature
    ) -> ModuleSpec | None:
        if fullname.partition(".")[0] != self.package:
            return None
        spec = PathFinder.find_spec(fullname, path)
        if spec is not None and type(spec.loader) is SourceFileLoader:
            spec.loader = self.make_loader(fullname, spec.loader.path)
        return spec


@contextmanager
def loading_by(make_loader: MakeLoader, package: str) -> Generator[None]:
    """Import modules of a package by another loader within the block."""
    finder = _Finder(make_loader, package)
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
