"""`toolhaft doctor`: what is installed, which extras fit, and what conflicts."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterator
from typing import Any

import click

import toolhaft
from toolhaft.cli.format_option import format_option
from toolhaft.cli.installation import Conflict, State, conflicts, extras
from toolhaft.cli.unusable import Unusable
from toolhaft.definition import names
from toolhaft.jsonio import jsontext
from toolhaft.jsonio.primitives import native

__all__ = ["doctor"]


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
