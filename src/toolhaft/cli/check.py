"""`toolhaft check`: find what is wrong with definitions before a model sees them."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import click

from toolhaft.cli.source import Source, load
from toolhaft.cli.stdout import reserved
from toolhaft.cli.unusable import Unusable
from toolhaft.lowering import TARGETS
from toolhaft.review import checks
from toolhaft.review.checks import config, fixing
from toolhaft.review.checks.config import Config
from toolhaft.review.checks.finding import Finding
from toolhaft.review.checks.formats import FORMATS, writer
from toolhaft.review.checks.subject import Subject

__all__ = ["check"]

GRAVE = ("error", "warning")


@click.command(short_help="Find what is wrong with definitions.")
@click.argument("tools", metavar="TOOLS")
@click.option("--fix", is_flag=True, help="Mend what can be mended for certain.")
@click.option(
    "--select",
    metavar="CODES",
    multiple=True,
    help="Only these rules, by code or its beginning: TH1, TH202.",
)
@click.option(
    "--target",
    "targets",
    multiple=True,
    type=click.Choice(list(TARGETS)),
    help="Check what this target refuses or loses; may be repeated.",
)
@click.option(
    "--agreement",
    is_flag=True,
    help="Try values of each schema on its validator as well, and changes to them (TH7).",
)
@click.option(
    "--format", "shape", type=click.Choice(FORMATS), default="text", help="How to say it."
)
def check(
    tools: str,
    *,
    fix: bool,
    select: tuple[str, ...],
    targets: tuple[str, ...],
    agreement: bool,
    shape: str,
) -> None:
    """Apply the rules of `docs/rules.md` to the tools of TOOLS.

    The project's `[tool.toolhaft]` in pyproject.toml selects rules, names targets, and lets
    findings be, each with a reason; so does a comment in a tool: `# toolhaft: ignore[TH201] why`.

    Exit codes: 0 nothing but advice, 1 errors or warnings, 2 usage.
    """
    with reserved() as out:
        settings = replace(_settings(select, targets), agreement=agreement)
        source = load(tools)
        subjects = [Subject(one, where, source.runs) for one, where in source.tools]
        findings = [*_faulty(tools, source), *checks.check(subjects, settings)]
        if fix:
            findings = _mended(findings)
        out.write(writer(shape)(findings, subjects))
    if any(one.severity in GRAVE for one in findings):
        sys.exit(1)


def _settings(select: Iterable[str], targets: tuple[str, ...]) -> Config:
    """The project's configuration, with what the command line says in its place."""
    try:
        settings = config.read(Path.cwd())
    except config.ConfigError as error:
        raise Unusable(str(error)) from None
    codes = tuple(code for one in select for code in one.replace(",", " ").split())
    known = ("TH000", "TH001", "TH002", *checks.rules())
    for code in codes:
        if not any(one.startswith(code) for one in known):
            raise Unusable(f"--select: no rule begins with {code}; docs/rules.md lists them")
    return replace(settings, select=codes or settings.select, targets=targets or settings.targets)


def _faulty(target: str, source: Source) -> list[Finding]:
    """The declarations that no tool could be made of."""
    return [
        Finding("TH000", "error", str(one.name), "", reason, "see there", target)
        for one in source.faulty
        for reason in one.reasons
    ]


def _mended(findings: list[Finding]) -> list[Finding]:
    """Apply the safe edits; what they mended is no finding any more."""
    try:
        done = fixing.apply(one.edit for one in findings if one.edit is not None)
    except OSError as error:
        raise Unusable(f"--fix: {error.filename}: cannot be written: {error.strerror}") from None
    click.echo(f"toolhaft: mended {done}", err=True)
    return [one for one in findings if one.edit is None]
