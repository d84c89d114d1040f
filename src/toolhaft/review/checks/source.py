"""Where a tool's function stands in its file: for edits, and for comments that ignore a rule."""

from __future__ import annotations

import ast
import inspect
import linecache
import re
from textwrap import dedent
from types import FunctionType
from typing import Final, NamedTuple

__all__ = ["NOWHERE", "Ignore", "Source", "source_of"]

_IGNORE = re.compile(r"#\s*toolhaft:\s*ignore\[(?P<codes>[^\]]*)\]\s*(?P<reason>.*)")


class Ignore(NamedTuple):
    """A comment that silences rules for one tool, on one line."""

    line: int
    codes: tuple[str, ...]
    reason: str


class Source(NamedTuple):
    """The lines of one function, its decorators and the comments right above it, numbered."""

    path: str
    lines: tuple[tuple[int, str], ...]

    @property
    def ignores(self) -> tuple[Ignore, ...]:
        matches = ((number, _IGNORE.search(line)) for number, line in self.lines)
        return tuple(
            Ignore(number, _codes(match["codes"]), match["reason"].strip())
            for number, match in matches
            if match
        )

    @property
    def parameter_lines(self) -> dict[str, int]:
        """The line of each parameter in the file; empty if the lines are more than one function."""
        try:
            [function] = ast.parse(dedent("\n".join(line for _, line in self.lines))).body
        except (SyntaxError, ValueError):
            return {}
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            return {}
        declared = function.args
        first = self.lines[0][0] - 1
        return {
            argument.arg: first + argument.lineno
            for argument in (*declared.posonlyargs, *declared.args, *declared.kwonlyargs)
        }


NOWHERE: Final = Source("", ())


def source_of(function: FunctionType) -> Source:
    """Read the lines of a function from its file; one without a file has none."""
    try:
        lines, first = inspect.getsourcelines(function)
    except (OSError, TypeError):
        return NOWHERE
    path = function.__code__.co_filename
    while (above := linecache.getline(path, first - 1)).lstrip().startswith("#"):
        lines, first = [above, *lines], first - 1
    numbered = enumerate((line.rstrip("\n") for line in lines), first)
    return Source(path, tuple(numbered))


def _codes(text: str) -> tuple[str, ...]:
    return tuple(code.strip() for code in text.split(",") if code.strip())
