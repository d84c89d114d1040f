"""`toolhaft check`: find mistakes in definitions before a model sees them."""

from __future__ import annotations

import linecache
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from textwrap import wrap
from typing import Final

import click

from toolhaft.cli.errors import Unusable
from toolhaft.cli.options import FILE, TARGET, complete_codes, format_option
from toolhaft.cli.source import load, load_offers
from toolhaft.cli.stdout import reserve_stdout
from toolhaft.cli.terminal import draws, escape, fold, screen_width, style, track
from toolhaft.definition import names
from toolhaft.loading.source import Source
from toolhaft.review import checks
from toolhaft.review.checks import config
from toolhaft.review.checks.config import Config
from toolhaft.review.checks.finding import Finding, apply_edits
from toolhaft.review.checks.formats import FORMATS, count_findings
from toolhaft.review.checks.subject import Subject
from toolhaft.review.places import describe_place

__all__ = ["check"]

FAILING = ("error", "warning")
COLOURS: Final = {"error": "red", "warning": "yellow", "advice": "cyan"}
ORDER: Final = tuple(COLOURS)
BEFORE: Final = 16  # characters of a line that stand before a parameter far to the right


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
@format_option("The output format.", [*FORMATS])
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
        write = draw if shape == "text" and draws(out) else FORMATS[shape]
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
        fix = "correct it; its resources and prompts are checked then"
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
        count = apply_edits(finding.edit for finding in findings if finding.edit is not None)
    except OSError as error:
        raise Unusable(f"--fix: {error.filename}: cannot be written: {error.strerror}") from None
    click.echo(f"toolhaft: fixed {count}", err=True)
    return [finding for finding in findings if finding.edit is None]


def draw(findings: Sequence[Finding], subjects: Sequence[Subject]) -> str:
    """Write a paragraph for each thing that is wrong, and a line that counts them."""
    width = screen_width()
    groups: dict[tuple[str, str, str], list[Finding]] = {}
    for finding in sorted(findings, key=lambda finding: ORDER.index(finding.severity)):
        groups.setdefault((finding.code, finding.message, finding.fix), []).append(finding)
    paragraphs = ["\n".join(_lines(group, width)) for group in groups.values()]
    return "\n\n".join([*paragraphs, count_findings(findings, subjects)]) + "\n"


def _lines(group: Sequence[Finding], width: int) -> Iterator[str]:
    first = group[0]
    times = f" ({len(group)} times)" if len(group) > 1 else ""
    colour = COLOURS[first.severity]
    head = f"{first.severity}[{first.code}]"
    title = wrap(escape(f"{head} {first.message}{times}"), width, subsequent_indent="  ")
    yield style(head, colour, bold=True) + style(title[0][len(head) :], bold=True)
    yield from (style(more, bold=True) for more in title[1:])
    yield from fold(style("    -->", "blue"), _place(first), width)
    yield from _excerpt(first, width, colour)
    for other in group[1:]:
        yield from fold("    and", _place(other), width)
    fixable = " [--fix]" if any(finding.edit for finding in group) else ""
    yield from fold(style("    fix", "green"), f"{first.fix}{fixable}", width)


def _place(finding: Finding) -> str:
    return f"{finding.where} {describe_place(finding.tool, finding.pointer)}"


def _excerpt(finding: Finding, width: int, colour: str) -> Iterator[str]:
    """Yield the line of source, cut to the part with the parameter if it is long."""
    path, line = finding.place
    source = linecache.getline(path, line).rstrip() if path.endswith(".py") else ""
    if not source:
        return
    gutter = f"{line:>5} | "
    room = max(width - len(gutter), 1)
    source = source.expandtabs()
    parameter = re.search(rf"\b{re.escape(_parameter(finding))}\b", source)
    if parameter is not None and parameter.end() >= room:
        source = "…" + source[max(parameter.start() - BEFORE, 0) :]
    yield style(gutter, "blue") + style(names.escape_text(source, room), colour)


def _parameter(finding: Finding) -> str:
    """Return the parameter that a finding is about, or the tool's name for the whole tool."""
    _, is_parameter, path = finding.pointer.partition("/input/properties/")
    return path.split("/")[0] if is_parameter else finding.tool
