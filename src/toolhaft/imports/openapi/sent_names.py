"""Refuse keys of objects that would be sent under the name of something else.

A key of an exploded object, of a querystring or of an open form is written as a name of its own. It
must not be one that a server reads as another parameter or property, as a key of the client's, or
as what the path's own query says; servers read `a[b]` and `a.b` as a part of `a`, and some `a.b` as
`a_b`, in capital or small letters, or no further than a null character.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple
from urllib.parse import unquote_plus

from toolhaft.imports.openapi.styles import Pairs
from toolhaft.spec import Path

__all__ = ["TAKEN", "Source", "find_clashes"]

TAKEN: Final = "has the name of something else that is sent; leave it out"
UNDERSCORED: Final = re.compile(r"[\[. ]")


class Source(NamedTuple):
    """A parameter, or a property of a form, and what it is written as.

    A key that the document does not declare owns no name; `path` is where its issue is.
    """

    path: Path
    name: str
    pairs: Pairs
    is_declared: bool = True
    is_deep: bool = False

    def owns(self, name: str) -> bool:
        """Whether a name is this source's by the document."""
        is_part = self.is_deep and name.startswith(f"{self.name}[")
        return self.is_declared and (name == self.name or is_part)

    def place(self, name: str) -> Path:
        """Return the place in the arguments of the key that is written as a name."""
        return self.path if name == self.name or self.owns(name) else (*self.path, name)


def find_clashes(sources: Iterable[Source], owned: Mapping[str, Path]) -> Iterator[Path]:
    """Yield the place of each key that is sent under another value's name.

    `owned` are the names in use, each with the path of its source; the path of a name of the client
    or of the path's own query is empty.
    """
    exact, others = dict(owned), _Names()
    for name, path in owned.items():
        others.add(name, path)
    for source in sources:
        for name in dict.fromkeys(unquote_plus(each) for each, _ in source.pairs):
            if source.owns(name):
                is_clash = exact.setdefault(name, source.path) != source.path
            else:
                is_clash = others.has(name, source.path)
                others.add(name, source.path)
            if is_clash:
                yield source.place(name)


class _Names:
    """The names of sources, and what servers may read them as."""

    def __init__(self) -> None:
        self.written: defaultdict[str, set[Path]] = defaultdict(set)
        self.read_as: defaultdict[str, set[Path]] = defaultdict(set)

    def add(self, name: str, path: Path) -> None:
        self.written[name.casefold()].add(path)
        for reading in _readings_of(name):
            self.read_as[reading].add(path)

    def has(self, name: str, path: Path) -> bool:
        """Whether a name of another source is read as this one, or this one as it."""
        known = [self.read_as.get(name.casefold(), ())]
        known += [self.written.get(reading, ()) for reading in _readings_of(name)]
        return any(other != path for paths in known for other in paths)


def _readings_of(name: str) -> set[str]:
    folded = name.strip().casefold()
    heads = {folded.partition(mark)[0] for mark in "[.\0"}
    return {name.casefold(), folded, *heads, UNDERSCORED.sub("_", folded)} - {""}
