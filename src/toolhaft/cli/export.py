"""`toolhaft export`: the tools as a target takes them, and what is lost on the way."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, NamedTuple, TextIO

import click

from toolhaft.cli.options import FILE, TARGET, format_option
from toolhaft.cli.source import load
from toolhaft.cli.stdout import reserve_stdout
from toolhaft.cli.terminal import fold, screen_width, write_json
from toolhaft.definition.targets import TARGETS
from toolhaft.lowering.loss import Loss, LoweringUnsupported, Problem
from toolhaft.review.openapi import write_document
from toolhaft.review.places import describe_place
from toolhaft.toolset.toolset import Toolset

__all__ = ["export"]

DOCUMENTS = "openapi-3.1"


@click.command(short_help="Print tools in the format of a provider.")
@click.argument("tools", metavar="TOOLS", type=FILE)
@click.option(
    "--target",
    required=True,
    type=TARGET,
    help=f"The provider or protocol: {', '.join(TARGETS)}.",
)
@click.option(
    "--strict",
    type=click.Choice(["prefer", "require"]),
    help="Use the target's strict mode if a tool fits it, or require it.",
)
@format_option(
    "The payload alone, losses on standard error; or one object with all three.",
    ("payload", "json"),
)
@click.option(
    "--document", is_flag=True, help="For openapi-3.1: a whole OpenAPI document, one path a tool."
)
def export(tools: str, target: str, strict: Any, shape: str, *, document: bool) -> None:
    """Print the tools of TOOLS as the parameters of a request to one target.

    Exit codes: 0 ok, 1 a value cannot be expressed or a tool is rejected, 2 usage. With --strict
    require, no payload is printed if a tool cannot be strict.
    """
    if document and target != DOCUMENTS:
        raise click.UsageError(f"--document goes with --target {DOCUMENTS}")
    with reserve_stdout() as out:
        source = load(tools)
        try:
            wire = Toolset(tool for tool, _ in source.tools).export(target, strict=strict or False)
            result = _Exported(target, wire.request, wire.losses, wire.problems)
        except LoweringUnsupported as refused:
            result = _Exported(target, None, (), (refused.problem,))
        if document and result.request is not None:
            title = Path(tools).name.partition(".")[0]
            result = result._replace(request=write_document(result.request["tools"], title))
        if shape == "json":
            out.write(write_json(result.facts) + "\n")
        else:
            if result.request is not None:
                out.write(write_json(result.request, indent=2) + "\n")
            _write_notes(result, sys.stderr)
    narrowed = any(loss.kind == "narrowed" for loss in result.losses)
    rejected_some = any(problem.severity == "error" for problem in result.problems)
    if narrowed or rejected_some or source.faulty:
        sys.exit(1)


class _Exported(NamedTuple):
    """The results of one export."""

    target: str
    request: dict[str, Any] | None
    losses: tuple[Loss, ...]
    problems: tuple[Problem, ...]

    @property
    def facts(self) -> dict[str, Any]:
        return {
            **self._asdict(),
            "losses": [loss._asdict() for loss in self.losses],
            "problems": [problem._asdict() for problem in self.problems],
        }


def _write_notes(exported: _Exported, err: TextIO) -> None:
    """Write each loss and each problem; nothing if there are none."""
    notes: list[tuple[str, str, str, str]] = [
        (x.kind, x.tool, x.pointer, f"{x.keyword}: {x.detail}") for x in exported.losses
    ]
    notes += [(x.severity, x.tool, x.pointer, f"{x.reason}; {x.fix}") for x in exported.problems]
    width = screen_width()
    for kind, tool, pointer, words in notes:
        place = describe_place(tool, f"/input{pointer}")
        err.writelines(f"{line}\n" for line in fold(f"{kind:<11}", f"{place}: {words}", width, 12))
