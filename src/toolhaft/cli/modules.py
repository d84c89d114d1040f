"""Import the module or the file that has the tools, past definitions that cannot be.

The folder of a file (for a module's name, the current folder) goes to the end of `sys.path`: the
tools can import what lies beside them, and nothing there can take the place of the standard
library or of an installed package.
"""

from __future__ import annotations
import __future__

import ast
import signal
import sys
from collections.abc import Generator
from contextlib import contextmanager
from importlib import import_module
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import module_from_spec
from pathlib import Path
from threading import current_thread, main_thread
from traceback import walk_tb
from types import ModuleType

from toolhaft.cli.stdout import detect_output
from toolhaft.cli.unusable import Broken, Faulty, Unusable, one_line
from toolhaft.errors import DefinitionError

__all__ = ["import_target", "list_faulty", "show_place"]

MOST_SECONDS = 30.0
OURS = Path(__file__).parents[1]


def import_target(target: str) -> tuple[ModuleType, list[Faulty]]:
    """Import a module by its name or its file; give it with the tools in it that cannot be.

    Raises:
        Unusable: with the reason; Broken where the module's own code is at fault.
    """
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
        return show_place(error.filename, error.lineno)
    folder = Path(target).resolve().parent if target.endswith(".py") else Path.cwd()
    places = [
        (frame.f_code.co_filename, line)
        for frame, line in walk_tb(error.__traceback__)
        if Path(frame.f_code.co_filename).is_relative_to(folder)
        and "site-packages" not in frame.f_code.co_filename
        and not Path(frame.f_code.co_filename).is_relative_to(OURS)
    ]
    return show_place(*places[-1]) if places else target


def show_place(path: str, line: int) -> str:
    """Write a place as `file:line`, below the current folder by what leads there from it."""
    return f"{path.removeprefix(f'{Path.cwd()}/')}:{line}"
