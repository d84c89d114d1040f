"""Read which packages are installed beside toolhaft, and whether their versions fit."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution
from typing import Final, NamedTuple

from packaging.markers import Marker
from packaging.requirements import Requirement

from toolhaft.serve.extra import OLDEST

__all__ = ["Conflict", "State", "conflicts", "extras"]

ALL: Final = "all"
# The extras that are used with newer packages than they ask a resolver for.
USED: Final = {"serve": OLDEST}


class State(NamedTuple):
    """A package that is required at some versions, with its installed version, or None."""

    package: str
    needs: str
    version: str | None
    status: str  # `installed`, `missing` or `too old`


class Conflict(NamedTuple):
    """An installed package that another one needs at other versions."""

    package: str
    version: str
    required_by: str
    versions: str


def extras(package: str = "toolhaft") -> dict[str, list[State]]:
    """Return the packages of each extra but `all`, and of the core under an empty name."""
    try:
        named = distribution(package).metadata.get_all("Provides-Extra") or []
    except PackageNotFoundError:
        named = []
    own = [*_requirements(package)]
    return {"": [*map(_state_of, own)]} | {
        extra: [
            _state_of(_as_used(one, extra))
            for one in _requirements(package, extra)
            if one not in own
        ]
        for extra in named
        if extra != ALL
    }


def _as_used(requirement: Requirement, extra: str) -> Requirement:
    """Return a requirement with the version that is needed when the extra is used."""
    oldest = USED.get(extra, {}).get(requirement.name)
    return requirement if oldest is None else Requirement(f"{requirement.name}>={oldest}")


def conflicts(states: dict[str, list[State]]) -> list[Conflict]:
    """Return where an installed package does not fit toolhaft, or a package that toolhaft names."""
    named = [state for group in states.values() for state in group]
    installed = dict.fromkeys(one.package for one in named if one.version)
    return [conflict for name in ("toolhaft", *installed) for conflict in _conflicts_of(name)]


def _conflicts_of(package: str) -> Iterator[Conflict]:
    for state in map(_state_of, _requirements(package)):
        if state.version is not None and state.status != "installed":
            yield Conflict(state.package, state.version, package, state.needs)


def _requirements(package: str, extra: str = "") -> Iterator[Requirement]:
    """Yield what an installed package requires here, with one of its extras or without any."""
    try:
        lines = distribution(package).requires or ()
    except PackageNotFoundError:
        return
    for requirement in map(Requirement, lines):
        marker: Marker | None = requirement.marker
        if marker is None or marker.evaluate({"extra": extra}):
            yield requirement


def _state_of(requirement: Requirement) -> State:
    needs = str(requirement.specifier)
    try:
        version = distribution(requirement.name).version
    except PackageNotFoundError:
        return State(requirement.name, needs, None, "missing")
    fits = requirement.specifier.contains(version, prereleases=True)
    return State(requirement.name, needs, version, "installed" if fits else "too old")
