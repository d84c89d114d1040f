"""`toolhaft doctor`: the installed packages, the extras that they fit, and their conflicts."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution
from typing import Any, Final, NamedTuple

import click
from packaging.markers import Marker
from packaging.requirements import Requirement

import toolhaft
from toolhaft.cli.errors import Unusable
from toolhaft.cli.options import format_option
from toolhaft.definition import names
from toolhaft.jsonio import jsontext
from toolhaft.jsonio.primitives import native
from toolhaft.serve.extra import OLDEST

__all__ = ["doctor"]

ALL: Final = "all"
# The extras that are used with newer packages than they ask a resolver for.
USED: Final = {"serve": OLDEST}


@click.command(short_help="Show what is installed, and what conflicts.")
@click.argument("wanted", metavar="[EXTRAS]...", nargs=-1)
@format_option("The output format.")
def doctor(wanted: tuple[str, ...], shape: str) -> None:
    """Show the versions of toolhaft, of Python and of each extra's packages, and their conflicts.

    With EXTRAS, such as serve, the packages of these must be installed and fit.

    Exit codes: 0 ok, 1 a conflict, or a package of EXTRAS is missing or too old, 2 usage.
    """
    states = extras()
    for name in wanted:
        _require_extra(name, states)
    found = conflicts(states)
    lacking = {name: one for name in wanted for one in states[name] if one.status != "installed"}
    lines = [jsontext.write(as_json(states, found))] if shape == "json" else report(states, found)
    click.echo("\n".join(lines))
    for name, one in lacking.items():
        fix = f"toolhaft[{name}]" if one.version is None else f"{one.package}{one.needs}"
        click.echo(f"{name}: {describe(one)}; run pip install '{fix}'", err=True)
    if found or lacking:
        sys.exit(1)


def _require_extra(name: str, states: dict[str, list[State]]) -> None:
    if name and name in states:
        return
    near = names.nearest(name, [one for one in states if one])
    fix = f"did you mean {near}?" if near else "toolhaft doctor lists them"
    raise Unusable(f"no such extra {name}; {fix}")


def as_json(states: dict[str, list[State]], found: list[Conflict]) -> dict[str, Any]:
    """Return the report as JSON data."""
    return {
        "toolhaft": toolhaft.__version__,
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "system": platform.system(),
        "native": native,
        "extras": {
            name: [one._asdict() for one in group] for name, group in states.items() if name
        },
        "conflicts": [conflict._asdict() for conflict in found],
    }


def report(states: dict[str, list[State]], found: list[Conflict]) -> Iterator[str]:
    """Yield the lines of the report."""
    kind = "native" if native else "pure Python"
    python = f"{platform.python_implementation()} {platform.python_version()}"
    yield f"toolhaft {toolhaft.__version__} ({kind}), {python} on {platform.system()}"
    width = max(map(len, states))
    for name, group in sorted(states.items()):
        if name:
            yield f"  {name:{width}}  {', '.join(map(describe, group))}"
    for conflict in found:
        yield (
            f"conflict: {conflict.package} {conflict.version} is installed, "
            f"but {conflict.required_by} needs {conflict.package}{conflict.versions}"
        )
    if found:
        yield "Name these packages in one pip install, or install them in two environments."


def describe(state: State) -> str:
    """Describe a package of an extra in a few words."""
    if state.status == "installed":
        return f"{state.package} {state.version}"
    if state.status == "missing":
        return f"{state.package} is not installed"
    return f"{state.package} {state.version} is {state.status} (needs {state.needs})"


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
