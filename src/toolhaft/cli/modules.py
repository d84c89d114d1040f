"""Tools that are written in Python: import a module or a file, and find them in it.

The folder of a file (for a module's name, the current folder) goes to the end of `sys.path`: the
tools can import what lies beside them, and nothing there can take the place of the standard
library or of an installed package.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from importlib import import_module
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import module_from_spec
from pathlib import Path
from threading import current_thread, main_thread
from types import CodeType, ModuleType
from typing import Any, TypeVar

from toolhaft.cli.stdout import detect_output
from toolhaft.cli.unusable import Unusable, one_line
from toolhaft.definition import names
from toolhaft.errors import DefinitionError
from toolhaft.toolset.collect import is_tool
from toolhaft.toolset.toolset import Toolset

__all__ = ["toolset_of"]

T = TypeVar("T")

MOST_SECONDS = 30.0


def toolset_of(target: str, name: str | None) -> Toolset:
    """Give the toolset of a module: the one that is named, its only one, or all of its tools.

    Raises:
        Unusable: with the reason.
    """
    module = _import_target(target)
    try:
        if name is not None:
            return _toolset_named(module, target, name)
        return _only_toolset(module, target)
    except DefinitionError as error:
        raise Unusable.from_definition_error(target, error) from None


def _import_target(target: str) -> ModuleType:
    if target.endswith(".py") and not Path(target).is_file():
        raise Unusable(f"{target}: there is no such file")
    try:
        with detect_output() as heard, _time_limit(target):
            module = _import_file(target) if target.endswith(".py") else _import_by_name(target)
    except Unusable:
        raise
    except DefinitionError as error:
        raise Unusable.from_definition_error(target, error) from None
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the module's own code runs here
        raise Unusable(f"{target}: cannot be imported: {_reason(error)}") from None
    if heard.anything:
        raise Unusable(f"{target}: prints while it is imported; remove that or use stderr")
    return module


@contextmanager
def _time_limit(target: str) -> Generator[None]:
    """End an import that takes for ever, where the system can interrupt one."""
    if not hasattr(signal, "setitimer") or current_thread() is not main_thread():
        yield
        return

    def late(*_: object) -> None:
        raise Unusable(f"{target}: importing it takes longer than {MOST_SECONDS:g} seconds")

    former = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, MOST_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, former)


class _FromSource(SourceFileLoader):
    """Compile the file as it is now: cached bytecode is told from it by seconds and size alone."""

    def get_code(self, fullname: str) -> CodeType:  # noqa: ARG002 - the signature of a loader
        return self.source_to_code(self.get_data(self.path), self.path)


def _import_by_name(target: str) -> ModuleType:
    _add_to_path(Path.cwd())
    return import_module(target)


def _import_file(target: str) -> ModuleType:
    path = Path(target).resolve()
    _add_to_path(path.parent)
    # A name of its own: a file json.py must not become the module json.
    name = f"_tools_{path.stem.replace('.', '_')}"
    loader = _FromSource(name, str(path))
    spec = ModuleSpec(name, loader, origin=str(path))
    spec.has_location = True
    module = sys.modules[name] = module_from_spec(spec)
    loader.exec_module(module)
    return module


def _add_to_path(folder: Path) -> None:
    if str(folder) not in sys.path:
        sys.path.append(str(folder))


def _reason(error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return "it calls sys.exit"
    return one_line(f"{type(error).__name__}: {error}")


def _toolset_named(module: ModuleType, target: str, name: str) -> Toolset:
    value: Any = getattr(module, name, None)
    if value is None:
        near = names.nearest(name, vars(module))
        hint = f"; did you mean {near}?" if near else ""
        raise Unusable(f"{target}: has no {name}{hint}")
    if isinstance(value, Toolset):
        return value
    return Toolset(value if isinstance(value, list | tuple) else [value])


def _only_toolset(module: ModuleType, target: str) -> Toolset:
    values = list(vars(module).values())
    sets = _distinct(value for value in values if isinstance(value, Toolset))
    if len(sets) > 1:
        listed = [name for name, value in vars(module).items() if isinstance(value, Toolset)]
        which = ", ".join(f"{target}:{one_line(name)}" for name in listed)
        raise Unusable(f"{target}: has {len(sets)} toolsets; say which: {which}")
    tools = _distinct(value for value in values if is_tool(value))
    if not sets and not tools:
        raise Unusable(
            f"{target}: has no tools; make one with @tool, or name a list: {target}:name"
        )
    return sets[0] if sets else Toolset(tools)


def _distinct(values: Iterable[T]) -> list[T]:
    """Each object once, whatever the number of its names."""
    return list({id(value): value for value in values}.values())
