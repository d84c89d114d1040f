"""Import the module or the file that has the tools, past definitions that cannot be.

The folder of a file (for a module's name, the current folder) goes to the end of `sys.path`: the
tools can import what lies beside them, and nothing there can take the place of the standard
library or of an installed package.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Generator
from contextlib import contextmanager
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, module_from_spec
from itertools import takewhile
from pathlib import Path
from threading import current_thread, main_thread
from types import ModuleType

from toolhaft.cli.faults import list_faulty, place_of
from toolhaft.cli.loading import PastFaults, past_faults
from toolhaft.cli.stdout import detect_output
from toolhaft.cli.unusable import Broken, Faulty, Unusable, name_near_file, one_line
from toolhaft.errors import DefinitionError

__all__ = ["import_target"]

MOST_SECONDS = 30.0


def import_target(target: str) -> tuple[ModuleType, list[Faulty]]:
    """Import a module by its name or its file; give it with the tools in it that cannot be.

    Raises:
        Unusable: with the reason; Broken where the module's own code is at fault.
    """
    faulty: list[Faulty] = []
    if target.endswith(".py") and not Path(target).is_file():
        raise Unusable(f"{target}: there is no such file{name_near_file(target, '*.py')}")
    try:
        with detect_output() as heard, _time_limit(target):
            module = (
                _import_file(target, faulty)
                if target.endswith(".py")
                else _import_by_name(target, faulty)
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


def _import_by_name(target: str, faulty: list[Faulty]) -> ModuleType:
    _add_to_path(Path.cwd())
    with past_faults(target.partition(".")[0], target, faulty):
        try:
            return import_module(target)
        except ModuleNotFoundError as error:
            if not f"{target}.".startswith(f"{error.name}."):
                raise  # it is what the module needs that is not there
            raise Unusable(
                f"{target}: there is no such module{name_near_file(target, '*.py')}"
            ) from None


def _import_file(target: str, faulty: list[Faulty]) -> ModuleType:
    path = Path(target).resolve()
    _add_to_path(path.parent)
    module = _import_from_package(path, target, faulty)
    if module is not None:
        return module
    # A name of its own: a file json.py must not become the module json.
    name = f"_tools_{path.stem.replace('.', '_')}"
    loader = PastFaults(name, str(path), target, faulty)
    spec = ModuleSpec(name, loader, origin=str(path))
    spec.has_location = True
    module = sys.modules[name] = module_from_spec(spec)
    loader.exec_module(module)
    return module


def _import_from_package(path: Path, target: str, faulty: list[Faulty]) -> ModuleType | None:
    """Import a file of a package under its name there, so that relative imports find the rest.

    None where the file is in no package, or where its name stands for another module.
    """
    folders = list(takewhile(lambda folder: (folder / "__init__.py").is_file(), path.parents))
    if not folders:
        return None
    package = folders[-1]
    parts = path.relative_to(package.parent).with_suffix("").parts
    name = ".".join(part for part in parts if part != "__init__")
    _add_to_path(package.parent)
    with past_faults(package.name, target, faulty):
        try:
            spec = find_spec(name)
        except ModuleNotFoundError as error:
            if not f"{name}.".startswith(f"{error.name}."):
                raise  # it is what the package needs that is not there
            return None
        if spec is None or spec.origin is None or Path(spec.origin).resolve() != path:
            return None
        return import_module(name)


def _add_to_path(folder: Path) -> None:
    if str(folder) not in sys.path:
        sys.path.append(str(folder))


def _reason(error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return "it calls sys.exit"
    return one_line(f"{type(error).__name__}: {error}")
