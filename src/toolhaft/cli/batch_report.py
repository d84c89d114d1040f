"""`--report`: the outcomes of a batch as a page, as JSON and on the terminal."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple, Self

import click

from toolhaft.batch import inputs
from toolhaft.batch.pieces import STDIN
from toolhaft.batch.receipt import Receipt
from toolhaft.batch.report.data import to_json
from toolhaft.batch.report.html import to_html
from toolhaft.batch.report.read import NotItsOutput, tally_run
from toolhaft.batch.report.tally import Tally
from toolhaft.batch.report.text import to_text
from toolhaft.cli.batch_options import Options
from toolhaft.cli.reading import readable
from toolhaft.cli.terminal import write_json
from toolhaft.cli.unusable import Unusable

__all__ = ["Reporting"]


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
