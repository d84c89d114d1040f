"""Tools that are written in Python: import a module or a file, and find them in it.

The folder of a file (for a module's name, the current folder) goes to the end of `sys.path`: the
tools can import what lies beside them, and nothing there can take the place of the standard
library or of an installed package.
"""

from __future__ import annotations
import __future__

import ast
import signal
import sys
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import module_from_spec
from pathlib import Path
from threading import current_thread, main_thread
from traceback import walk_tb
from types import ModuleType
from typing import Any, TypeVar

from toolhaft.cli.stdout import detect_output
from toolhaft.cli.unusable import Broken, Faulty, Unusable, one_line
from toolhaft.definition import names
from toolhaft.errors import DefinitionError
from toolhaft.toolset.collect import is_tool
from toolhaft.toolset.toolset import Toolset

__all__ = ["toolset_of"]

T = TypeVar("T")

MOST_SECONDS = 30.0
OURS = Path(__file__).parents[1]


def toolset_of(target: str, name: str | None) -> tuple[Toolset, list[Faulty]]:
    """Give the toolset of a module: the one that is named, its only one, or all of its tools.

    Tools that cannot be are given apart, and do not spoil the others.

    Raises:
        Unusable: with the reason; Broken where the module's own code is at fault.
    """
    module, faulty = _import_target(target)
    if name is not None:
        return _toolset_named(module, target, name, faulty)
    return _only_toolset(module, target, faulty)


def _import_target(target: str) -> tuple[ModuleType, list[Faulty]]:
    faulty: list[Faulty] = []
    if target.endswith(".py") and not Path(target).is_file():
        raise Unusable(f"{target}: there is no such file")
    try:
        with detect_output() as heard, _time_limit(target):
            module = (
                _import_file(target, faulty) if target.endswith(".py") else _import_by_name(target)
            )
    except Unusable:
        raise
    except DefinitionError as error:
        raise Broken(list_faulty(place_of(error, target), error)) from None
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the module's own code runs here
        reason = f"cannot be imported: {_reason(error)}"
        raise Broken([*faulty, Faulty("", None, [reason], where=place_of(error, target))]) from None
    if heard.anything:
        raise Unusable(f"{target}: prints while it is imported; remove that or use stderr")
    return module, faulty


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
        for statement in tree.body:
            part = ast.Module([statement], [])
            code = compile(part, self.path, "exec", flags=flags, dont_inherit=True)
            try:
                exec(code, vars(module))  # noqa: S102 - it is the user's own module
            except DefinitionError as error:
                self.faulty += list_faulty(place_of(error, self.target), error)
            except NameError:
                if not self.faulty:  # it may name one of those
                    raise


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


def _import_by_name(target: str) -> ModuleType:
    _add_to_path(Path.cwd())
    return import_module(target)


def _import_file(target: str, faulty: list[Faulty]) -> ModuleType:
    path = Path(target).resolve()
    _add_to_path(path.parent)
    # A name of its own: a file json.py must not become the module json.
    name = f"_tools_{path.stem.replace('.', '_')}"
    loader = _FromSource(name, str(path), target, faulty)
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


def list_faulty(where: str, error: DefinitionError) -> list[Faulty]:
    """Give the faults of a definition by tool, all at one place."""
    by_tool: dict[str, list[str]] = {}
    for fault in error.faults:
        by_tool.setdefault(fault.tool, []).append(one_line(str(fault)))
    return [Faulty(name, None, reasons, where=where) for name, reasons in by_tool.items()]


def place_of(error: BaseException, target: str) -> str:
    """Give `file:line` of the user's code that an error went through last, else the target."""
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        return _place(error.filename, error.lineno)
    folder = Path(target).resolve().parent if target.endswith(".py") else Path.cwd()
    places = [
        (frame.f_code.co_filename, line)
        for frame, line in walk_tb(error.__traceback__)
        if Path(frame.f_code.co_filename).is_relative_to(folder)
        and "site-packages" not in frame.f_code.co_filename
        and not Path(frame.f_code.co_filename).is_relative_to(OURS)
    ]
    return _place(*places[-1]) if places else target


def _place(path: str, line: int) -> str:
    return f"{path.removeprefix(f'{Path.cwd()}/')}:{line}"


def _toolset_named(
    module: ModuleType, target: str, name: str, faulty: list[Faulty]
) -> tuple[Toolset, list[Faulty]]:
    value: Any = getattr(module, name, None)
    if value is None:
        if faulty:  # it stands for one of them, or has one
            raise Broken(faulty)
        near = names.nearest(name, vars(module))
        hint = f"; did you mean {near}?" if near else ""
        raise Unusable(f"{target}: has no {name}{hint}")
    if isinstance(value, Toolset):
        return value, faulty
    return _join(target, value if isinstance(value, list | tuple) else [value], faulty)


def _only_toolset(
    module: ModuleType, target: str, faulty: list[Faulty]
) -> tuple[Toolset, list[Faulty]]:
    values = list(vars(module).values())
    sets = _distinct(value for value in values if isinstance(value, Toolset))
    if len(sets) > 1:
        listed = [name for name, value in vars(module).items() if isinstance(value, Toolset)]
        which = ", ".join(f"{target}:{one_line(name)}" for name in listed)
        raise Unusable(f"{target}: has {len(sets)} toolsets; say which: {which}")
    tools = _distinct(value for value in values if is_tool(value))
    if sets:
        return sets[0], faulty
    if not tools and faulty:
        raise Broken(faulty)
    if not tools:
        raise Unusable(
            f"{target}: has no tools; make one with @tool, or name a list: {target}:name"
        )
    return _join(target, tools, faulty)


def _join(target: str, tools: Sequence[Any], faulty: list[Faulty]) -> tuple[Toolset, list[Faulty]]:
    """Join the tools that can be; faults of the others show when their types are resolved."""
    try:
        return Toolset(tools), faulty
    except DefinitionError as error:
        whole = error
    good: list[Any] = []
    for tool in tools:
        try:
            Toolset([tool])
            good.append(tool)
        except DefinitionError as error:
            where = getattr(tool, "origin", target)
            faulty += list_faulty(_place(*_split(where)), error)
    try:
        return Toolset(good), faulty
    except DefinitionError:  # they do not go together
        raise Broken([*faulty, *list_faulty(target, whole)]) from None


def _split(where: str) -> tuple[str, int]:
    path, _, line = where.rpartition(":")
    return (path, int(line)) if line.isdecimal() else (where, 1)


def _distinct(values: Iterable[T]) -> list[T]:
    """Each object once, whatever the number of its names."""
    return list({id(value): value for value in values}.values())
