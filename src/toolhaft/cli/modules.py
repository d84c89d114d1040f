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

from toolhaft.cli.stdout import overheard
from toolhaft.cli.unusable import Unusable, one_line
from toolhaft.definition import names
from toolhaft.errors import DefinitionError
from toolhaft.tools.tool import Tool
from toolhaft.toolset.toolset import Toolset

__all__ = ["toolset_of"]

T = TypeVar("T")

MOST_SECONDS = 30.0


def toolset_of(target: str, name: str | None) -> Toolset:
    """Give the toolset of a module: the one that is named, its only one, or all of its tools.

    Raises:
        Unusable: with the reason.
    """
    module = _imported(target)
    try:
        if name is not None:
            return _named(module, target, name)
        return _only(module, target)
    except DefinitionError as error:
        raise Unusable.defined(target, error) from None


def _imported(target: str) -> ModuleType:
    if target.endswith(".py") and not Path(target).is_file():
        raise Unusable(f"{target}: there is no such file")
    try:
        with overheard() as heard, _in_time(target):
            module = _from_file(target) if target.endswith(".py") else _by_name(target)
    except Unusable:
        raise
    except DefinitionError as error:
        raise Unusable.defined(target, error) from None
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the module's own code runs here
        raise Unusable(f"{target}: cannot be imported: {_reason(error)}") from None
    if heard.anything:
        raise Unusable(f"{target}: prints while it is imported; remove that or use stderr")
    return module


@contextmanager
def _in_time(target: str) -> Generator[None]:
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


def _by_name(target: str) -> ModuleType:
    _reachable(Path.cwd())
    return import_module(target)


def _from_file(target: str) -> ModuleType:
    path = Path(target).resolve()
    _reachable(path.parent)
    # A name of its own: a file json.py must not become the module json.
    name = f"_tools_{path.stem.replace('.', '_')}"
    loader = _FromSource(name, str(path))
    spec = ModuleSpec(name, loader, origin=str(path))
    spec.has_location = True
    module = sys.modules[name] = module_from_spec(spec)
    loader.exec_module(module)
    return module


def _reachable(folder: Path) -> None:
    if str(folder) not in sys.path:
        sys.path.append(str(folder))


def _reason(error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return "it calls sys.exit"
    return one_line(f"{type(error).__name__}: {error}")


def _named(module: ModuleType, target: str, name: str) -> Toolset:
    found: Any = getattr(module, name, None)
    if found is None:
        near = names.nearest(name, vars(module))
        hint = f"; did you mean {near}?" if near else ""
        raise Unusable(f"{target}: has no {name}{hint}")
    if isinstance(found, Toolset):
        return found
    return Toolset(found if isinstance(found, list | tuple) else [found])


def _only(module: ModuleType, target: str) -> Toolset:
    values = list(vars(module).values())
    sets = _distinct(one for one in values if isinstance(one, Toolset))
    if len(sets) > 1:
        raise Unusable(f"{target}: has {len(sets)} toolsets; say which, as in {target}:name")
    tools = _distinct(one for one in values if isinstance(one, Tool))
    if not sets and not tools:
        raise Unusable(
            f"{target}: has no tools; make one with @tool, or name a list: {target}:name"
        )
    return sets[0] if sets else Toolset(tools)


def _distinct(values: Iterable[T]) -> list[T]:
    """Each object once, whatever the number of its names."""
    return list({id(value): value for value in values}.values())
