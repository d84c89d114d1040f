"""Write paths as a model reads them: declared keys by name, entries of open maps by ordinal.

Items of lists have their zero-based index. The keys of open maps are shown where the author of a
tool chose so.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, TypeAlias

from toolhaft.definition import names
from toolhaft.jsonio import jsontext
from toolhaft.schema.document.places import PlaceIndex, PlaceSchemas
from toolhaft.schema.issues import with_facts
from toolhaft.spec import Issue, Path

__all__ = ["Locator", "locate", "ordinal", "show_path", "value_at"]

# A model reads these; the keys of all others are hidden too.
MOST_LOCATED = 200
# The same place in the checked data, and in the arguments as sent, which number the entries.
Sources: TypeAlias = tuple[Any, ...]
# The most characters of a key that are shown, and of each end of a longer one.
MOST_STEP_CHARS = 40
# How many paths are remembered: an array may have as many as a caller thinks of places.
MOST_PLAIN = 1_024
END_CHARS = 18


def value_at(data: Any, path: Path) -> Any:
    """Return the value at `path`, or None if the data has no such place."""
    for step in path:
        try:
            data = data[step]
        except (KeyError, IndexError, TypeError):
            return None
    return data


class Locator:
    """Writes the places of issues in words; made once for each tool.

    It remembers the paths that are their own words, as nearly all are. With `keys`, the keys of
    open maps are shown.
    """

    def __init__(self, places: PlaceIndex, *, keys: bool = False) -> None:
        self.places = places
        self.keys = keys
        self._plain: set[tuple[Path, str]] = set()

    def locate(self, issues: Iterable[Issue], data: Any, *, sent: Any = None) -> tuple[Issue, ...]:
        """Add the place in words to each issue whose path has keys that no text must show.

        Entries are counted in the arguments `sent`, if the data were made from them.
        """
        located = tuple(issues)
        for issue in located:
            if (issue.path, issue.code) not in self._plain or "key" in issue.facts:
                return self._locate(located, (data, sent))
        return located

    def _locate(self, issues: Iterable[Issue], sources: Sources) -> tuple[Issue, ...]:
        writer = _PathWriter(self.places, sources, keys=self.keys)
        located = [
            writer.locate(issue) if number < MOST_LOCATED else writer.locate_roughly(issue)
            for number, issue in enumerate(issues)
        ]
        for issue in located:
            if "place" not in issue.facts and "key" not in issue.facts:
                if len(self._plain) >= MOST_PLAIN:
                    self._plain.clear()
                self._plain.add((issue.path, issue.code))
        return tuple(located)


def locate(issues: Iterable[Issue], places: PlaceIndex, data: Any) -> tuple[Issue, ...]:
    """Write the places of issues in words once."""
    return Locator(places).locate(issues, data)


def show_path(issue: Issue, places: PlaceIndex, data: Any = None) -> str:
    """Write an issue's path: dotted, an entry of an open map by its ordinal in the data.

    >>> show_path(Issue("required", ("tags", 0)), PlaceIndex({"properties": {"tags": {}}}))
    'tags.0'
    >>> show_path(Issue("no", ("b",)), PlaceIndex({"type": "object"}), {"a": 1, "b": 2})
    '2nd entry'
    """
    return _PathWriter(places, (data,)).write(issue)


class _Level(NamedTuple):
    """The text before a step, and its schemas."""

    text: str
    is_entry: bool
    schemas: PlaceSchemas


class _PathWriter:
    """Writes the paths of one call's issues; common outer parts are read once."""

    def __init__(self, places: PlaceIndex, sources: Sources, *, keys: bool = False) -> None:
        self.keys = keys
        self.sources = sources
        root = _Level("", is_entry=False, schemas=places.whole())
        self.levels: dict[Path, _Level] = {(): root}
        self.beginnings: dict[str | int, str] = {}
        self.numbers: dict[Path, dict[str, int]] = {}

    def locate(self, issue: Issue) -> Issue:
        """Return the issue with its place in words, unless the words are the path itself."""
        text = self.write(issue)
        return issue if text == _dotted(issue.path) else with_facts(issue, place=text)

    def locate_roughly(self, issue: Issue) -> Issue:
        """Return the issue with the first step of its place, for the many that nobody reads."""
        path = issue.path
        if not path:
            return issue
        first = path[0]
        if first not in self.beginnings:
            self.beginnings[first] = self.step((), first)[0]
        return with_facts(issue, place=self.beginnings[first] + ("…" if path[1:] else ""))

    def write(self, issue: Issue) -> str:
        """Write the path; the name of a missing or an undeclared key is no secret."""
        path = issue.path
        if not path:
            return ""
        is_named = issue.code == "missing" or (issue.code == "extra" and "key" not in issue.facts)
        return self.step(path[:-1], path[-1], is_named=is_named)[0]

    def step(self, outer: Path, step: str | int, *, is_named: bool = False) -> tuple[str, bool]:
        """Write a path up to one step; give it with whether the step is an entry."""
        level = self.level(outer)
        if isinstance(step, int):
            return _join(level.text, ", " if level.is_entry else ".", str(step)), False
        declared = level.schemas.names
        if is_named or step in declared:
            separator = ", " if level.is_entry else "."
            return _join(level.text, separator, _shorten(step, declared)), False
        if self.keys:
            return f"{level.text}[{jsontext.write(_shorten(step, ()))}]", False
        number = self.number(outer, step)
        return _join(level.text, ", ", f"{ordinal(number)} entry" if number else "an entry"), True

    def level(self, path: Path) -> _Level:
        level = self.levels.get(path)
        if level is None:
            text, is_entry = self.step(path[:-1], path[-1])
            outer = self.levels[path[:-1]]
            level = _Level(text, is_entry, outer.schemas.step(path[-1]))
            self.levels[path] = level
        return level

    def number(self, outer: Path, key: str) -> int | None:
        """Return the number of an entry, counted from one in the order that was sent."""
        if outer not in self.numbers:
            around = [value_at(source, outer) for source in self.sources]
            objects = [source for source in around if isinstance(source, dict)]
            numbered = [(name, at) for keys in objects for at, name in enumerate(keys, 1)]
            self.numbers[outer] = dict(numbered)
        return self.numbers[outer].get(key)


def ordinal(number: int) -> str:
    """Write a number as an ordinal.

    >>> [ordinal(number) for number in (1, 2, 3, 4, 11, 13, 22, 101)]
    ['1st', '2nd', '3rd', '4th', '11th', '13th', '22nd', '101st']
    """
    is_teen = number % 100 in (11, 12, 13)
    return f"{number}{'th' if is_teen else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


def _dotted(path: Path) -> str:
    return ".".join(map(str, path))


def _join(outer: str, separator: str, text: str) -> str:
    return f"{outer}{separator}{text}" if outer else text


def _shorten(name: str, siblings: Iterable[str]) -> str:
    """Write a key on one line; of a long one what tells it from its siblings."""
    text = names.escape_text(name, len(name) * 10)
    if len(text) <= MOST_STEP_CHARS:
        return text
    others = [other for other in siblings if other != name]
    head, tail = text[:END_CHARS], text[-END_CHARS:]
    if not any(other.startswith(head) and other.endswith(tail) for other in others):
        return f"{head}…{tail}"
    windows = [text[at : at + 2 * END_CHARS] for at in range(0, len(text), END_CHARS)]
    telling = (window for window in windows if not any(window in other for other in others))
    return f"…{next(telling, windows[0])}…"
