"""Faults of a user's module: which tools cannot be, and where in the user's code."""

from __future__ import annotations

from pathlib import Path
from traceback import walk_tb

from toolhaft.cli.unusable import Faulty, one_line
from toolhaft.errors import DefinitionError

__all__ = ["list_faulty", "place_of", "show_place"]

OURS = Path(__file__).parents[1]


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
    folder = _folder_of(target)
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


def _folder_of(target: str) -> Path:
    """Give the folder that has the user's code: of a file in a package, the package's own."""
    if not target.endswith(".py"):
        return Path.cwd()
    folder = Path(target).resolve().parent
    while (folder / "__init__.py").is_file():
        folder = folder.parent
    return folder
