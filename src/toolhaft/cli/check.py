"""`toolhaft check`: find mistakes in definitions before a model sees them."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path

import click

from toolhaft.cli.completion import FILE, complete_codes
from toolhaft.cli.findings import write as draw
from toolhaft.cli.format_option import format_option
from toolhaft.cli.offers import load_offers
from toolhaft.cli.sinks import track
from toolhaft.cli.source import load
from toolhaft.cli.stdout import reserve_stdout
from toolhaft.cli.targets import TARGET
from toolhaft.cli.terminal import draws
from toolhaft.cli.unusable import Unusable
from toolhaft.loading.source import Source
from toolhaft.review import checks
from toolhaft.review.checks import config, fixing
from toolhaft.review.checks.config import Config
from toolhaft.review.checks.finding import Finding
from toolhaft.review.checks.formats import FORMATS, writer
from toolhaft.review.checks.subject import Subject

__all__ = ["check"]

FAILING = ("error", "warning")


@click.command(short_help="Find mistakes in tool definitions.")
@click.argument("tools", metavar="TOOLS...", type=FILE, nargs=-1, required=True)
@click.option("--fix", is_flag=True, help="Apply safe fixes.")
@click.option(
    "--select",
    metavar="CODES",
    shell_complete=complete_codes,
    multiple=True,
    help="Only these rules, by code or its beginning: TH1, TH202.",
)
@click.option(
    "--target",
    "targets",
    multiple=True,
    type=TARGET,
    help="Check what this target rejects or loses; may be repeated.",
)
@click.option(
    "--agreement",
    is_flag=True,
    help="Test validators with values that their schemas accept or reject (TH7).",
)
@format_option("The output format.", FORMATS)
def check(
    tools: tuple[str, ...],
    *,
    fix: bool,
    select: tuple[str, ...],
    targets: tuple[str, ...],
    agreement: bool,
    shape: str,
) -> None:
    """Apply the rules of `docs/rules.md` to the tools of each TOOLS.

    `[tool.toolhaft]` in pyproject.toml selects rules, names targets and ignores findings, each with
    a reason. A comment in a tool ignores a finding too: `# toolhaft: ignore[TH201] why`.

    Exit codes: 0 nothing but advice, 1 errors or warnings, 2 usage.
    """
    with reserve_stdout() as out:
        settings = replace(_settings(select, targets), agreement=agreement)
        sources = {target: load(target, tolerant=True) for target in tools}
        subjects = [
            Subject(tool, where, source.is_code)
            for source in sources.values()
            for tool, where in source.tools
        ]
        findings = [
            finding
            for target, source in sources.items()
            for finding in _faulty_declarations(target, source)
        ]
        findings += checks.check(subjects, settings, partial(track, label="checking"))
        for source in sources.values():
            findings += _check_offers(source, settings)
        if fix:
            findings = _apply_fixes(findings)
        write = draw if shape == "text" and draws(out) else writer(shape)
        out.write(write(findings, subjects))
    if any(finding.severity in FAILING for finding in findings):
        sys.exit(1)


def _settings(select: Iterable[str], targets: tuple[str, ...]) -> Config:
    """The project's configuration, with what the command line says in its place."""
    try:
        settings = config.read_config(Path.cwd())
    except config.ConfigError as error:
        raise Unusable(str(error)) from None
    codes = tuple(code for option in select for code in option.replace(",", " ").split())
    known = ("TH000", "TH001", "TH002", *checks.rules())
    for code in codes:
        if not any(rule_code.startswith(code) for rule_code in known):
            raise Unusable(f"--select: no rule begins with {code}; docs/rules.md lists them")
    return replace(settings, select=codes or settings.select, targets=targets or settings.targets)


def _faulty_declarations(target: str, source: Source) -> list[Finding]:
    """Return a finding for each reason why a declaration is not a tool."""
    return [
        Finding(
            "TH000",
            "error",
            str(declaration.name or ("the module" if source.is_code else "a declaration")),
            "",
            reason.removeprefix(str(declaration.name)).lstrip(".: "),
            "correct it; the rest is checked once it can be imported",
            declaration.where or target,
        )
        for declaration in source.faulty
        for reason in declaration.reasons
    ]


def _check_offers(source: Source, settings: Config) -> list[Finding]:
    """Apply the rules to the resources and prompts of a module; no provider is sent them."""
    try:
        offers = load_offers(source)
    except Unusable as error:
        where = getattr(source.module, "__file__", None) or "the module"
        fix = "correct it; what the module offers is checked then"
        return [Finding("TH000", "error", "the module", "", error.message, fix, where)]
    settings = replace(settings, targets=(), agreement=False)
    kinds = {"resource": offers.resource_tools, "prompt": offers.prompt_tools}
    return [
        finding._replace(tool=f"{kind} {finding.tool}")
        for kind, tools in kinds.items()
        for finding in checks.check([Subject(one, one.origin) for one in tools], settings)
        # The variables of an address have no descriptions that a client reads.
        if kind == "prompt" or not finding.pointer.startswith("/input")
    ]


def _apply_fixes(findings: list[Finding]) -> list[Finding]:
    """Apply the safe edits; give the findings that are left."""
    try:
        count = fixing.apply(finding.edit for finding in findings if finding.edit is not None)
    except OSError as error:
        raise Unusable(f"--fix: {error.filename}: cannot be written: {error.strerror}") from None
    click.echo(f"toolhaft: fixed {count}", err=True)
    return [finding for finding in findings if finding.edit is None]
