"""Read which packages are installed beside toolhaft, and whether their versions fit."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, distribution
from typing import Final, NamedTuple

__all__ = ["Conflict", "Requirement", "State", "conflicts", "extras", "parse_requirement"]

# As `pip` writes it: name, versions in any order, a marker; what toolhaft requires names an extra.
WRITTEN: Final = re.compile(r"([A-Za-z0-9._-]+)(?:\[[^\]]*\])?\s*\(?([^;)]*)\)?\s*(?:;(.*))?")
EXTRA: Final = re.compile(r"""extra\s*==\s*['"]([\w-]+)['"]""")
CLAUSE: Final = re.compile(r"(>=|<=|==|!=|~=|>|<)\s*([\w.*]+)")
ALL: Final = "all"
COMPARED: Final[dict[str, Callable[[list[int], list[int]], bool]]] = {
    ">=": lambda a, b: a >= b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    "<": lambda a, b: a < b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}


class Requirement(NamedTuple):
    """A package at some versions, of an extra or not; `marked`: under another condition."""

    name: str
    versions: str
    extra: str | None = None
    marked: bool = False

    def accepts(self, version: str) -> bool:
        """Check whether an installed version is one of the versions."""
        return all(_fits(version, *clause) for clause in CLAUSE.findall(self.versions))


class State(NamedTuple):
    """A package of an extra, with its installed version, or None."""

    requirement: Requirement
    version: str | None

    @property
    def status(self) -> str:
        """`installed`, `missing`, or `too old` for this version of toolhaft."""
        if self.version is None:
            return "missing"
        return "installed" if self.requirement.accepts(self.version) else "too old"


class Conflict(NamedTuple):
    """An installed package that another one needs at other versions."""

    package: str
    version: str
    required_by: str
    versions: str


def parse_requirement(text: str) -> Requirement:
    """Parse a line of a package's metadata.

    >>> parse_requirement("mcp (>=2.3) ; extra == 'serve'")
    Requirement(name='mcp', versions='>=2.3', extra='serve', marked=False)
    """
    found = WRITTEN.match(text.strip())
    name, versions, marker = found.groups() if found else (text, "", None)
    extra = EXTRA.search(marker or "")
    marked = bool(EXTRA.sub("", marker or "").strip(" ()"))
    return Requirement(name, versions.strip(), extra and extra[1], marked)


def state_of(requirement: Requirement) -> State:
    """Look a package up."""
    try:
        return State(requirement, distribution(requirement.name).version)
    except PackageNotFoundError:
        return State(requirement, None)


def extras(package: str = "toolhaft") -> dict[str, list[State]]:
    """Return the packages of each extra but `all`, and of the core under an empty name."""
    found: dict[str, list[State]] = {"": []}
    for requirement in requirements(package):
        if requirement.extra != ALL:
            found.setdefault(requirement.extra or "", []).append(state_of(requirement))
    return found


def requirements(package: str) -> Iterator[Requirement]:
    """Yield what an installed package requires."""
    try:
        lines = distribution(package).requires
    except PackageNotFoundError:
        return
    yield from map(parse_requirement, lines or ())


def conflicts(states: dict[str, list[State]]) -> list[Conflict]:
    """Return where an installed package does not fit toolhaft, or a package that toolhaft names."""
    named = [state for group in states.values() for state in group]
    installed = dict.fromkeys(one.requirement.name for one in named if one.version)
    return [conflict for name in ("toolhaft", *installed) for conflict in _conflicts_of(name)]


def _conflicts_of(package: str) -> Iterator[Conflict]:
    for requirement in requirements(package):
        if requirement.extra is None and not requirement.marked:
            state = state_of(requirement)
            if state.version is not None and not requirement.accepts(state.version):
                yield Conflict(requirement.name, state.version, package, requirement.versions)


def _fits(version: str, operator: str, wanted: str) -> bool:
    have, bound = _release(version), _release(wanted.removesuffix(".*"))
    if operator == "~=":
        return have >= bound and have[: len(bound) - 1] == bound[:-1]
    if wanted.endswith(".*"):
        have = have[: len(bound)]
    size = max(len(have), len(bound))
    padded = [[*numbers, *[0] * (size - len(numbers))] for numbers in (have, bound)]
    return COMPARED[operator](padded[0], padded[1])


def _release(version: str) -> list[int]:
    """Return the numbers of a version, without what says that it is a preview.

    >>> _release("2.3.0rc1")
    [2, 3, 0]
    """
    found = re.match(r"(?:\d+!)?(\d+(?:\.\d+)*)", version)
    return [int(number) for number in found[1].split(".")] if found else []
