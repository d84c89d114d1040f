"""The results of a batch: its summary, commands to try next, and the report of `--report`."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from textwrap import fill
from typing import NamedTuple, Self

import click

from toolhaft.batch import inputs
from toolhaft.batch.pieces import STDIN
from toolhaft.batch.receipt import Receipt
from toolhaft.batch.record import Record
from toolhaft.batch.report.data import to_json
from toolhaft.batch.report.html import to_html
from toolhaft.batch.report.read import NotItsOutput, tally_run
from toolhaft.batch.report.tally import Tally
from toolhaft.batch.report.text import to_text
from toolhaft.batch.summary import NamedLine, Summary
from toolhaft.cli.batch_errors import readable
from toolhaft.cli.batch_options import Options
from toolhaft.cli.errors import Unusable
from toolhaft.cli.terminal import write_json
from toolhaft.loading.faults import one_line

__all__ = ["Reporting", "next_steps", "write_report"]

WIDTH = 80
NAME = "toolhaft"


class Reporting(NamedTuple):
    """A report on the output, and on the output of another run, which comes first."""

    options: Options
    target: Path
    others: tuple[Tally, ...] = ()

    @classmethod
    def of(cls, options: Options, target: str | None, against: str | None) -> Self | None:
        """Check the options of a report; return None without one, or if a finished run wrote it.

        Raises:
            Unusable: It cannot be made of these options.
        """
        if target is None:
            if against is not None:
                raise Unusable("--against needs --report")
            return None
        if options.output in {None, STDIN} or STDIN in options.calls:
            raise Unusable("--report needs calls from files, and -o with a file for the rows")
        if not target.endswith((".html", ".json")):
            raise Unusable(f"{target}: expected a file with the ending .html or .json")
        if Path(target).exists():
            output = Path(options.output or "").resolve()
            if options.resume and Receipt.read(output) is not None:
                return None  # the finished run wrote it
            raise Unusable(f"{target}: already exists; name another file, or remove it")
        # Now, so that its faults are found before a long run.
        others = () if against is None else (_tally(options, Path(against)),)
        return cls(options, Path(target), others)

    def write(self) -> None:
        """Write the report, and its main figures to standard error.

        Raises:
            Unusable: A file cannot be read, written, or is no output for these calls.
        """
        report = to_json([*self.others, _tally(self.options, Path(self.options.output or ""))])
        is_page = self.target.suffix == ".html"
        text = to_html(report, f"Calls of {Path(self.options.tools).name}") if is_page else None
        try:
            written = self.target.with_name(f".{self.target.name}.part")
            written.write_text(text or write_json(report) + "\n", encoding="utf-8")
            written.replace(self.target)  # it appears whole, whenever the run is killed
        except OSError as error:
            raise Unusable(f"{self.target}: cannot be written: {error.strerror}") from None
        if self.options.shape == "text":
            click.echo(to_text(report), err=True)


def _tally(options: Options, run: Path) -> Tally:
    """Count the outcomes of a run.

    Raises:
        Unusable: A file cannot be read, or is no output for these calls.
    """
    paths = _find_calls(options)
    with readable(str(run)):
        try:
            return tally_run(paths, run, options.reading_job(), run.name)
        except NotItsOutput as error:
            raise Unusable(f"{run}: {error}") from None


def _find_calls(options: Options) -> list[str]:
    """Find the files of calls, and check that they can be read.

    Raises:
        Unusable: One is not there, or cannot be read.
    """
    with readable(" ".join(options.calls)):
        paths = inputs.expand(options.calls)
    for path in paths:
        with readable(path):
            inputs.require_readable(path)
    return paths


def write_report(summary: Summary, seconds: float) -> str:
    """Write the summary as a few aligned lines."""
    return "\n".join(
        fill(text, WIDTH, initial_indent=f"{title:<14}", subsequent_indent=" " * 14)
        for title, text in _lines(summary, seconds)
    )


def _lines(summary: Summary, seconds: float) -> Iterator[tuple[str, str]]:
    counts = summary.as_json()
    rate = summary.rows / max(seconds, 1e-9)
    yield "calls", f"{summary.rows:,} in {seconds:.2f} s ({rate:,.0f} a second)"
    yield "accepted", f"{summary.accepted:,}, of them {counts['accepted_as_sent']:,} as sent"
    yield "repaired", _count_text(summary.repaired, counts["repaired_by_rule"])
    yield "refused", _count_text(summary.refused, counts["refused_by_code"])
    yield "unknown tool", _name_lines(counts["unknown_tool"], summary.named["unknown_tool"])
    yield "not a call", _name_lines(counts["invalid_rows"], summary.named["invalid"])
    if counts["ran"]:
        yield "ran", _count_text(summary.ran.total(), counts["ran"])


def _count_text(total: int, parts: Mapping[str, int]) -> str:
    listed = ", ".join(f"{name} {count:,}" for name, count in parts.items())
    return f"{total:,} ({listed})" if listed else f"{total:,}"


def _name_lines(total: int, lines: Sequence[NamedLine]) -> str:
    """Write how many rows there are, and where the first ones stand."""
    named = [f"{one_line(line.file)}:{line.line} {line.reason or ''}".strip() for line in lines]
    more = ["..."] if total > len(lines) else []
    return f"{total:,} ({', '.join([*named, *more])})" if total else "0"


def next_steps(tools: str, calls: str, example: Record | None) -> str:
    """Write three commands to try next, as they can be typed."""
    program, quoted, rows = _program(), shlex.quote(tools), shlex.quote(calls)
    steps = [("see the tools", f"{program} show {quoted}")]
    if example is not None and example.call is not None:
        arguments = shlex.quote(write_json(example.row()["arguments"]))
        call = f"{program} call {quoted} {shlex.quote(example.call.name)} --json {arguments}"
        steps.append(("make a call yourself", call))
    steps.append(("keep every outcome", f"{program} batch {quoted} {rows} -o outcomes.jsonl"))
    return "\n".join(["Try next:", *(f"  {purpose}:\n    {command}" for purpose, command in steps)])


def _program() -> str:
    """The name that starts this program: its path, unless it is on PATH."""
    path = Path(sys.argv[0])
    if path.name != NAME or shutil.which(NAME) == str(path.absolute()):
        return NAME
    return shlex.quote(sys.argv[0])
