"""Chooses tests that reach the line of a mutant, the likeliest to fail first."""

from __future__ import annotations

import ast
import json
import re
from collections import defaultdict
from pathlib import Path
from typing import Any, Final, NamedTuple

from tests.mutation import tree

__all__ = ["Chosen", "Tests"]

# The seconds that the tests of one mutant may take, as they took when they were mapped.
BUDGET: Final = 20.0


class Chosen(NamedTuple):
    """The tests of a mutant, in their order, and the seconds that they take."""

    names: list[str]
    seconds: float


class Tests:
    """Which lines every test reaches, read from the maps."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.lines: defaultdict[str, defaultdict[int, set[str]]]
        self.lines = defaultdict(lambda: defaultdict(set))
        for path in sorted(tree.MAPS.glob("*.json")):
            self._read(json.loads(path.read_text(encoding="utf-8")))
        traced = {
            name for lines in self.lines.values() for names in lines.values() for name in names
        }
        # Laws, of which no line is measured: they are tests of the module that their file mirrors.
        self.laws = self.seconds.keys() - traced

    def _read(self, one: dict[str, Any]) -> None:
        self.seconds |= one["seconds"]
        for path, lines in one["lines"].items():
            for line, names in lines.items():
                self.lines[path][int(line)].update(names)

    def of(self, path: str, line: int) -> Chosen:
        """Choose tests that reach a line, and the laws of its module.

        Of one that runs at the import, choose tests that reach its module or have a word of it.
        """
        lines = self.lines[path]
        text = (tree.SOURCE / path).read_text(encoding="utf-8").splitlines()[line - 1]
        words = words_of(f"{path} {text}")
        reached = statement(tree.SOURCE / path, line)
        names = set[str]().union(*(lines.get(number, ()) for number in reached or lines))
        names |= {name for name in self.laws if name.startswith(f"{mirrored(path)}::")}
        if not reached:
            names |= {name for name in self.seconds if _has_word(name, words)}
        return self._within_budget(path, names & self.seconds.keys(), words)

    def _within_budget(self, path: str, names: set[str], words: set[str]) -> Chosen:
        """Order tests: of the module's own file, of a word of the line, then the quickest ones.

        The words are looked for in parameters: of a table, each line has tests of its own.
        """
        mirror = mirrored(path)
        files = defaultdict[str, list[str]](list)
        for name in sorted(names, key=lambda name: self.seconds[name]):
            file = name.partition("::")[0]
            files["" if file != mirror and _has_word(name, words) else file].append(name)
        chosen: list[str] = []
        seconds = 0.0
        for file in sorted(
            files, key=lambda file: (file != mirror, file != "", self._mean(files[file]))
        ):
            for name in files[file]:
                if seconds + self.seconds[name] <= BUDGET:
                    chosen.append(name)
                    seconds += self.seconds[name]
        return Chosen(chosen, seconds)

    def _mean(self, names: list[str]) -> float:
        return sum(self.seconds[name] for name in names) / len(names)


def _has_word(name: str, words: set[str]) -> bool:
    """Check whether the parameters of a test have one of the words."""
    return not words.isdisjoint(words_of(name.partition("[")[2]))


def words_of(text: str) -> set[str]:
    """Return the words of a text, by which tests and lines are matched."""
    return set(re.findall(r"[a-z]{3,}", text.lower())) - {"toolhaft", "dialects", "true", "false"}


def mirrored(path: str) -> str:
    """Return the file of a module's own tests."""
    module = Path(path).relative_to("toolhaft")
    return (Path("tests") / module.with_name(f"test_{module.name}")).as_posix()


def statement(path: Path, line: int) -> range:
    """Return the lines of the statement at a line of a function; of a compound one, of its head."""
    found = range(0)
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, functions) and node.body[0].lineno <= line <= (node.end_lineno or 0):
            for one in ast.walk(node):
                if isinstance(one, ast.stmt) and line in (head := _head(one)):
                    found = head
    return found


def _head(node: ast.stmt) -> range:
    body = getattr(node, "body", None)
    last = body[0].lineno - 1 if body else node.end_lineno or node.lineno
    return range(node.lineno, max(last, node.lineno) + 1)
