"""Run a module as it is now, statement by statement, past faulty definitions."""

from __future__ import annotations
import __future__

import ast
from collections.abc import Iterator
from importlib.machinery import SourceFileLoader
from types import ModuleType

from toolhaft.cli.faults import list_faulty, place_of
from toolhaft.cli.unusable import Faulty
from toolhaft.errors import DefinitionError

__all__ = ["PastFaults"]


class PastFaults(SourceFileLoader):
    """Run the file as it is now, statement by statement, past definitions that cannot be.

    Cached bytecode is told from a file by seconds and size alone.
    """

    def __init__(self, name: str, path: str, target: str, faulty: list[Faulty]) -> None:
        super().__init__(name, path)
        self.target = target
        self.faulty = faulty

    def exec_module(self, module: ModuleType) -> None:
        tree = ast.parse(self.get_data(self.path), self.path)
        vars(module)["__doc__"] = ast.get_docstring(tree, clean=False)
        flags = _future_flags(tree)
        for statement in _single_statements(tree):
            part = ast.Module([statement], [])
            code = compile(part, self.path, "exec", flags=flags, dont_inherit=True)
            try:
                exec(code, vars(module))  # noqa: S102 - it is the user's own module
            except DefinitionError as error:
                self.faulty += list_faulty(place_of(error, self.target), error)
            except (NameError, ImportError) as error:
                if not self.faulty or isinstance(error, ModuleNotFoundError):
                    raise  # else it may name one of those


def _single_statements(tree: ast.Module) -> Iterator[ast.stmt]:
    """Give the statements of a module; an import of names one by one, for one may be faulty."""
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
