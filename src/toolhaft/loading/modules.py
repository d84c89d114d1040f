"""Import a module of tools by its name or its file, past definitions that are wrong.

A file is imported as it is now, under a name by which its classes and its package are found again.
Its folder, and for a module's name the current one, goes to the end of `sys.path`. So tools can
import their neighbours, and none of these replaces the standard library or an installed package.
"""

from __future__ import annotations
import __future__

import ast
import sys
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import find_spec, module_from_spec
from itertools import takewhile
from pathlib import Path
from types import ModuleType

from toolhaft.call.interrupts import raise_interrupt
from toolhaft.errors import DefinitionError
from toolhaft.loading.faults import (
    Faulty,
    LoadError,
    list_faulty,
    name_near_file,
    one_line,
    place_of,
)

__all__ = ["ModuleImport", "add_to_path"]


class ModuleImport:
    """The import of one module: `faulty` lists the definitions in it that are wrong.

    Raises:
        LoadError: from `run`, if no such module, or if its own code fails.
    """

    def __init__(self, target: str) -> None:
        self.target = target
        self.faulty: list[Faulty] = []
        self.names: list[str] = []

    def run(self) -> ModuleType:
        """Import the module, whose file ends in `.py` or which is named as in Python."""
        is_file = self.target.endswith(".py")
        if is_file and not Path(self.target).is_file():
            near = name_near_file(self.target, "*.py")
            raise LoadError(f"{self.target}: no such file{near}")
        try:
            return self._import_file(Path(self.target)) if is_file else self._import_by_name()
        except LoadError:
            raise
        except BaseException as error:  # noqa: BLE001 - the module's own code runs here
            self.forget()
            raise_interrupt(error)
            raise LoadError.of_faulty(self._list_faults(error)) from None

    def forget(self) -> None:
        """Remove the modules from `sys.modules`, because definitions are missing in them."""
        for name in self.names:
            sys.modules.pop(name, None)

    def _list_faults(self, error: BaseException) -> list[Faulty]:
        where = place_of(error, self.target)
        if isinstance(error, DefinitionError):
            return list_faulty(where, error)
        reason = one_line(f"{type(error).__name__}: {error}")
        if isinstance(error, SystemExit):
            reason = "it calls sys.exit"
        return [*self.faulty, Faulty("", None, [f"cannot be imported: {reason}"], where=where)]

    def _import_by_name(self) -> ModuleType:
        add_to_path(Path.cwd())
        with self._loading_package(self.target.partition(".")[0]):
            try:
                return import_module(self.target)
            except ModuleNotFoundError as error:
                if not f"{self.target}.".startswith(f"{error.name}."):
                    raise  # a dependency of the module is missing
                near = name_near_file(self.target, "*.py")
                raise LoadError(f"{self.target}: no such module{near}") from None

    def _import_file(self, file: Path) -> ModuleType:
        path = file.resolve()
        add_to_path(path.parent)
        module = self._import_from_package(path)
        if module is not None:
            return module
        # A name of its own: a file json.py must not become the module json.
        name = f"_tools_{path.stem.replace('.', '_')}"
        loader = PastFaults(name, str(path), self)
        spec = ModuleSpec(name, loader, origin=str(path))
        spec.has_location = True
        module = sys.modules[name] = module_from_spec(spec)
        loader.exec_module(module)
        return module

    def _import_from_package(self, path: Path) -> ModuleType | None:
        """Import a file of a package under its name there, so that relative imports work.

        None if the file is in no package, or if its name stands for another module.
        """
        folders = list(takewhile(lambda folder: (folder / "__init__.py").is_file(), path.parents))
        if not folders:
            return None
        package = folders[-1]
        parts = path.relative_to(package.parent).with_suffix("").parts
        name = ".".join(part for part in parts if part != "__init__")
        add_to_path(package.parent)
        with self._loading_package(package.name):
            try:
                spec = find_spec(name)
            except ModuleNotFoundError as error:
                if not f"{name}.".startswith(f"{error.name}."):
                    raise  # a dependency of the package is missing
                return None
            if spec is None or spec.origin is None or Path(spec.origin).resolve() != path:
                return None
            return import_module(name)

    @contextmanager
    def _loading_package(self, package: str) -> Generator[None]:
        """Load the modules of a package past faulty definitions within the block."""
        finder = _Finder(self, package)
        sys.meta_path.insert(0, finder)
        try:
            yield
        finally:
            sys.meta_path.remove(finder)


def add_to_path(folder: Path) -> None:
    """Append a folder to `sys.path`, so that installed modules come first."""
    if str(folder) not in sys.path:
        sys.path.append(str(folder))


class _Finder(MetaPathFinder):
    """Find the modules of one package, to be loaded past faulty definitions."""

    def __init__(self, module_import: ModuleImport, package: str) -> None:
        self.module_import = module_import
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
            spec.loader = PastFaults(fullname, spec.loader.path, self.module_import)
        return spec


class PastFaults(SourceFileLoader):
    """Run a file as it is now, statement by statement, past definitions that are wrong.

    Cached bytecode is distinguished from its file by seconds and size only.
    """

    def __init__(self, name: str, path: str, module_import: ModuleImport) -> None:
        super().__init__(name, path)
        self.module_import = module_import

    def exec_module(self, module: ModuleType) -> None:
        self.module_import.names.append(module.__name__)
        faulty = self.module_import.faulty
        tree = ast.parse(self.get_data(self.path), self.path)
        vars(module)["__doc__"] = ast.get_docstring(tree, clean=False)
        flags = _future_flags(tree)
        for statement in _single_statements(tree):
            part = ast.Module([statement], [])
            code = compile(part, self.path, "exec", flags=flags, dont_inherit=True)
            try:
                exec(code, vars(module))  # noqa: S102 - it is the user's own module
            except DefinitionError as error:
                faulty += list_faulty(place_of(error, self.module_import.target), error)
            except (NameError, ImportError) as error:
                if not faulty or isinstance(error, ModuleNotFoundError):
                    raise  # else it may name a faulty definition


def _single_statements(tree: ast.Module) -> Iterator[ast.stmt]:
    """List the statements of a module; an import of several names once for each name."""
    for statement in tree.body:
        if isinstance(statement, ast.ImportFrom):
            for alias in statement.names:
                imported = ast.ImportFrom(statement.module, [alias], statement.level)
                yield ast.copy_location(imported, statement)
        else:
            yield statement


def _future_flags(tree: ast.Module) -> int:
    names = {
        alias.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module == "__future__"
        for alias in node.names
    }
    return sum(
        getattr(__future__, name).compiler_flag for name in names if hasattr(__future__, name)
    )
