"""`toolhaft batch`: recorded calls, one a line, checked, repaired, refused and run."""

from __future__ import annotations

import sys
from time import perf_counter
from typing import Any, TextIO

import click

from toolhaft.batch.calls import FIELDS, Fields
from toolhaft.batch.lines import MAX_LINE_BYTES
from toolhaft.batch.pieces import STDIN
from toolhaft.batch.summary import Summary
from toolhaft.cli.batch_errors import log_failures
from toolhaft.cli.batch_options import Options
from toolhaft.cli.batch_report import Reporting, next_steps, write_report
from toolhaft.cli.batch_run import run_batch
from toolhaft.cli.errors import Unusable, report_error
from toolhaft.cli.options import FILE, context_option, format_option
from toolhaft.cli.stdout import reserve_stdout
from toolhaft.cli.terminal import write_json

__all__ = ["batch"]


@click.command(short_help="Check recorded calls, and run them with --execute.")
@click.argument("tools", metavar="TOOLS", type=FILE)
@click.argument("calls", metavar="CALLS...", nargs=-1, required=True, type=FILE)
@click.option(
    "-o", "--output", metavar="OUT", type=FILE, help="Write one row for each call; - is stdout."
)
@click.option("--resume", is_flag=True, help="Begin, continue, or end at once if all is done.")
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    help="Processes that check calls; one for less than 64 MB, otherwise one for each CPU.",
)
@click.option(
    "--engine",
    type=click.Choice(["local", "ray"]),
    default="local",
    show_default=True,
    help="Check calls on this machine, or on a Ray cluster that sees the same files.",
)
@click.option("--address", metavar="ADDRESS", help="With --engine ray: the address of the cluster.")
@click.option(
    "--execute/--dry-run", help="Run the calls that pass, or only check them.", show_default=True
)
@click.option(
    "--concurrency",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="With --execute: calls that run at the same time, in threads.",
)
@click.option(
    "--deadline",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="With --execute: the timeout of tools that have none.",
)
@click.option(
    "--report", "report_path", metavar="FILE", type=FILE, help="Write a report: .html or .json."
)
@click.option(
    "--against",
    metavar="ROWS",
    type=FILE,
    help="With --report: the output of another run on these calls.",
)
@click.option("--show", is_flag=True, help="Print what happened to each call.")
@click.option("--check", is_flag=True, help="Exit with 1 if a call is invalid or fails.")
@click.option("--name-field", metavar="FIELD", help="The field with the tool's name.")
@click.option("--arguments-field", metavar="FIELD", help="The field with the arguments.")
@click.option("--id-field", metavar="FIELD", help="The field with the call's own id.")
@click.option("--tool-id-field", metavar="FIELD", help="The field with the declaration's id.")
@click.option(
    "--max-line-bytes",
    type=click.IntRange(min=1),
    default=MAX_LINE_BYTES,
    show_default=True,
    help="A longer line is one invalid row.",
)
@context_option
@click.option(
    "--log", metavar="FILE", type=FILE, help="Append the tracebacks of failed tools to a file."
)
@format_option("The summary: text on stderr, or JSON on stdout (on stderr with -o -).")
def batch(
    report_path: str | None,
    against: str | None,
    check: bool,
    name_field: str | None,
    arguments_field: str | None,
    id_field: str | None,
    tool_id_field: str | None,
    log: str | None,
    **values: Any,  # the other fields of `Options`
) -> None:
    """Check every call of CALLS against TOOLS; with --execute, run the valid calls.

    CALLS are files, or patterns of files: JSON Lines (also .gz and .zst; - is stdin) or Parquet. A
    row is a call as OpenAI, Anthropic and MCP clients return it, an object with name, arguments and
    id, or a conversation with messages, in which every call counts. A line without a call becomes
    one row of the kind invalid; the summary names the first such lines and the first calls of
    unknown tools, and the exit code is 1. The same input gives the same rows, except for the ids
    under which failures are logged.

    An existing output is never overwritten. With --resume, a run that was cut off, even by a kill,
    continues after the last whole row, and a finished one ends at once with the same exit code; it
    may always be given if calls and output are files. A call that may have run and has no outcome
    is not run again, unless its tool is marked as idempotent.

    The exit code is 0 even if calls are invalid; --check makes it 1. Ctrl-C ends the run and the
    current call: rows and summary cover the calls so far, and the exit code is 130.
    """
    fields = _fields(name=name_field, arguments=arguments_field, id=id_field, tool_id=tool_id_field)
    options = Options(fields=fields, **values)
    with reserve_stdout() as out, log_failures(log):
        started = perf_counter()
        reporting = Reporting.of(options, report_path, against)
        summary, signal = run_batch(options, out)
        out.flush()
        seconds = perf_counter() - started
        if reporting is not None and not signal:
            reporting.write()
        _write_summary(
            summary, seconds, options.shape, sys.stderr if options.output == STDIN else out
        )
    if options.show:
        click.echo("\n" + next_steps(options.tools, options.calls[0], summary.example), err=True)
    if signal:
        report_error(Unusable("interrupted"), as_json=options.shape == "json")
        sys.exit(128 + signal)
    if not summary.placed or (check and not summary.clean):
        sys.exit(1)


def _fields(**chosen: str | None) -> Fields:
    return FIELDS._replace(**{key: (name,) for key, name in chosen.items() if name is not None})


def _write_summary(summary: Summary, seconds: float, shape: str, out: TextIO) -> None:
    if shape == "text":
        click.echo(write_report(summary, seconds), err=True)
        return
    timing = {"seconds": round(seconds, 3), "calls_per_second": round(summary.rows / seconds)}
    out.write(write_json({**summary.as_json(), **timing}) + "\n")
