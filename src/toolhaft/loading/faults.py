"""Why tools cannot be loaded: which tools, the reasons for each, and their places."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from traceback import walk_tb
from typing import Any, NamedTuple

from toolhaft.definition import names
from toolhaft.errors import DefinitionError

__all__ = ["Faulty", "LoadError", "list_faulty", "name_near_file", "one_line", "place_of"]
__all__ += ["show_place"]

OURS = Path(__file__).parents[1]
MOST_CHARS = 300
MOST_REASONS = 20


class Faulty(NamedTuple):
    """A tool that cannot be loaded: its name and id, the reasons, and `file:line` if known.

    `is_call` marks a row of a file of declarations that reads as a call of a tool.
    """

    name: Any
    id: Any
    reasons: list[str]
    is_call: bool = False
    where: str = ""


class LoadError(ImportError):
    """Tools cannot be loaded; each line of the message is a reason, with its place.

    `faulty` lists the tools, or the module, whose own code is wrong.
    """

    def __init__(self, *reasons: str, faulty: Sequence[Faulty] = ()) -> None:
        lines = [line for reason in reasons for line in reason.split("\n")]
        super().__init__("\n".join(names.escape_text(line, 10 * len(line) + 1) for line in lines))
        self.faulty = tuple(faulty)

    @classmethod
    def of_faulty(cls, faulty: Sequence[Faulty]) -> LoadError:
        """List the first reasons of several faulty tools."""
        reasons = [
            f"{tool.where}: {reason}" if tool.where else reason
            for tool in faulty
            for reason in tool.reasons
        ]
        more = [f"and {len(reasons) - MOST_REASONS:,} more"] if len(reasons) > MOST_REASONS else []
        return cls(*reasons[:MOST_REASONS], *more, faulty=faulty)


def list_faulty(where: str, error: DefinitionError) -> list[Faulty]:
    """List the faults of a definition by tool, all at one place."""
    by_tool: dict[str, list[str]] = {}
    for fault in error.faults:
        by_tool.setdefault(fault.tool, []).append(one_line(str(fault)))
    return [Faulty(name, None, reasons, where=where) for name, reasons in by_tool.items()]


def place_of(error: BaseException, target: str) -> str:
    """Return `file:line` of the user's code that an error went through last, else the target."""
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
    """Write a place as `file:line`, relative to the current folder if it is below it."""
    return f"{path.removeprefix(f'{Path.cwd()}/')}:{line}"


def _folder_of(target: str) -> Path:
    """Return the folder of the user's code: for a file in a package, the package's own folder."""
    if not target.endswith(".py"):
        return Path.cwd()
    folder = Path(target).resolve().parent
    while (folder / "__init__.py").is_file():
        folder = folder.parent
    return folder


def name_near_file(target: str, pattern: str) -> str:
    """Suggest another file of the folder; empty if no name is near."""
    folder = Path(target).parent
    files = (str(folder / path.name) for path in sorted(folder.glob(pattern)))
    near = names.nearest(target, files)
    return f"; did you mean {near}?" if near else ""


def one_line(text: str) -> str:
    """Write a text of any length as one short line."""
    words = " ".join(text.split())
    return words if len(words) <= MOST_CHARS else words[: MOST_CHARS - 1] + "…"
