"""Import the module or the file that has the tools, past definitions that cannot be.

For a module's name, the current folder goes to the end of `sys.path`, as that of a file does.
"""

from __future__ import annotations

import signal
from collections.abc import Generator
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from threading import current_thread, main_thread
from types import ModuleType

from toolhaft.batch.modules import MakeLoader, add_to_path, import_file, loading_by
from toolhaft.call.interrupts import raise_interrupt
from toolhaft.cli.faults import list_faulty, place_of
from toolhaft.cli.loading import PastFaults
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
    make_loader = partial(PastFaults, target=target, faulty=faulty)
    if target.endswith(".py") and not Path(target).is_file():
        raise Unusable(f"{target}: there is no such file{name_near_file(target, '*.py')}")
    try:
        with detect_output() as heard, _time_limit(target):
            module = (
                import_file(Path(target), make_loader)
                if target.endswith(".py")
                else _import_by_name(target, make_loader)
            )
    except Unusable:
        raise
    except DefinitionError as error:
        raise Broken(list_faulty(place_of(error, target), error)) from None
    except BaseException as error:  # noqa: BLE001 - the module's own code runs here
        raise_interrupt(error)
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


def _import_by_name(target: str, make_loader: MakeLoader) -> ModuleType:
    add_to_path(Path.cwd())
    with loading_by(make_loader, target.partition(".")[0]):
        try:
            return import_module(target)
        except ModuleNotFoundError as error:
            if not f"{target}.".startswith(f"{error.name}."):
                raise  # it is what the module needs that is not there
            raise Unusable(
                f"{target}: there is no such module{name_near_file(target, '*.py')}"
            ) from None


def _reason(error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return "it calls sys.exit"
    return one_line(f"{type(error).__name__}: {error}")
