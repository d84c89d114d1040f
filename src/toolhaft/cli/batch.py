"""`toolhaft batch`: recorded calls, one a line, checked, repaired, refused and run."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, closing
from time import perf_counter
from typing import Any, TextIO

import click

from toolhaft.batch.calls import FIELDS, Fields
from toolhaft.batch.job import Job, NotJsonLines, UnknownFields
from toolhaft.batch.lines import MAX_LINE_BYTES
from toolhaft.batch.record import Record
from toolhaft.batch.summary import Summary
from toolhaft.cli.context import context_option, require_context
from toolhaft.cli.interrupts import INTERRUPTED, catch_interrupts
from toolhaft.cli.reading import Reading
from toolhaft.cli.report import next_steps, write_report
from toolhaft.cli.sinks import Sink, draw_table, log_failures, save_rows, show_progress
from toolhaft.cli.source import Source, load
from toolhaft.cli.stdout import reserve_stdout
from toolhaft.cli.terminal import write_json
from toolhaft.cli.unusable import Unusable, one_line
from toolhaft.definition import names

__all__ = ["batch"]


@click.command(short_help="Check recorded calls, one a line, and run them if asked.")
@click.argument("tools", metavar="TOOLS")
@click.argument("calls", metavar="CALLS")
@click.option("-o", "--output", metavar="OUT", help="Write one row for each line; - is stdout.")
@click.option(
    "--execute/--dry-run", help="Run the calls that pass, or only check them.", show_default=True
)
@click.option("--show", is_flag=True, help="Print a table of what happened to each call.")
@click.option("--check", is_flag=True, help="Exit with 1 when a call was refused or failed.")
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
@click.option("--log", metavar="FILE", help="Append the tracebacks of failed tools to a file.")
@click.option(
    "--format",
    "shape",
    type=click.Choice(["text", "json"]),
    default="text",
    help="The summary: text on stderr, or JSON on stdout (on stderr with -o -).",
)
def batch(
    tools: str,
    calls: str,
    output: str | None,
    execute: bool,
    show: bool,
    check: bool,
    name_field: str | None,
    arguments_field: str | None,
    id_field: str | None,
    tool_id_field: str | None,
    max_line_bytes: int,
    context: Any,
    log: str | None,
    shape: str,
) -> None:
    """Check every call of CALLS against TOOLS; with --execute, run those that pass.

    CALLS has one JSON object a line (.gz is read too; - is stdin): a call as OpenAI, Anthropic
    and MCP clients deliver it, or a plain row with name, arguments and id. A line without a call
    is one row of the kind invalid, and the rest goes on. The same input gives the same rows, but
    for the ids under which failures are logged.

    Refusing calls is what this is for, so the exit code is 0 all the same; --check makes it 1.
    Ctrl-C ends it after the call at hand: rows, table and summary have what was done, and the
    exit code is 130.
    """
    fields = _fields(name=name_field, arguments=arguments_field, id=id_field, tool_id=tool_id_field)
    with reserve_stdout() as out, log_failures(log):
        job = _job(load(tools), fields, context, max_line_bytes, execute=execute)
        with closing(Reading(calls)) as reading:
            sinks = [draw_table(out)] if show else []
            sinks += [save_rows(output, calls, out)] if output else []
            if not show and reading.size and sys.stderr.isatty():
                sinks.append(show_progress(reading))
            summary, started = Summary(), perf_counter()
            interrupted = _send_records(_records(job, reading), summary.add, sinks)
            seconds = perf_counter() - started
        out.flush()
        _write_summary(summary, seconds, shape, sys.stderr if output == "-" else out)
    if show:
        click.echo("\n" + next_steps(tools, calls, summary.example), err=True)
    if interrupted:
        click.echo("toolhaft: interrupted", err=True)
        sys.exit(INTERRUPTED)
    if check and not summary.clean:
        sys.exit(1)


def _fields(**chosen: str | None) -> Fields:
    return FIELDS._replace(**{key: (name,) for key, name in chosen.items() if name is not None})


def _job(source: Source, fields: Fields, context: Any, limit: int, *, execute: bool) -> Job:
    runs = source.runs and execute
    if runs:
        require_context((tool for tool, _ in source.tools), context)
    return Job(source.catalogue(), fields, runs, context, limit)


def _records(job: Job, reading: Reading) -> Iterator[Record]:
    try:
        return job.records(reading.lines(job.max_line_bytes))
    except NotJsonLines as error:
        reason = f"not JSON Lines: none of its first lines is a JSON object ({error})"
        raise Unusable(f"{reading.target}: {reason}") from None
    except UnknownFields as error:
        unknown, present = (_listed(fields) for fields in (error.unknown, error.present))
        reason = f"none of its first rows has the field {unknown}; they have {present}"
        raise Unusable(f"{reading.target}: {reason}") from None


def _listed(fields: list[str]) -> str:
    return one_line(", ".join(map(names.escape_text, fields)))


def _send_records(
    records: Iterator[Record], count: Sink, sinks: Sequence[AbstractContextManager[Sink]]
) -> bool:
    """Send every record to every sink, as it comes; say whether Ctrl-C came before the last."""
    with catch_interrupts() as interrupts, ExitStack() as stack:
        everywhere = [count, *map(stack.enter_context, sinks)]
        for record in interrupts.stop_between(records):
            for sink in everywhere:
                sink(record)
    return interrupts.seen


def _write_summary(summary: Summary, seconds: float, shape: str, out: TextIO) -> None:
    if shape == "text":
        click.echo(write_report(summary, seconds), err=True)
        return
    timing = {"seconds": round(seconds, 3), "calls_per_second": round(summary.rows / seconds)}
    out.write(write_json({**summary.as_json(), **timing}) + "\n")
