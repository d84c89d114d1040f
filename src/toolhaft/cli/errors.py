"""The errors of commands: one line each, or one JSON object with `--format json`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import click

from toolhaft.call.tracebacks import format_traceback
from toolhaft.cli.terminal import write_json
from toolhaft.definition import names
from toolhaft.errors import DefinitionError
from toolhaft.loading.faults import MOST_REASONS, LoadError, one_line

__all__ = ["TRACEBACK", "Unusable", "asks_for_json", "report_error", "show_traceback"]

TRACEBACK = "toolhaft.cli.traceback"
# A group without a command, from click 8.2 on; the message is the help, which has many lines.
NO_COMMAND: Any = getattr(click.exceptions, "NoArgsIsHelpError", ())


class Unusable(click.ClickException):
    """Wrong input: each reason is one line on standard error, and the exit code is 2."""

    exit_code = 2

    def __init__(self, *reasons: str) -> None:
        super().__init__("\n".join(reasons))

    @classmethod
    def from_definition_error(cls, error: DefinitionError, where: str = "") -> Unusable:
        """Report the first faults of a definition, each on its own line."""
        start = f"{where}: " if where else ""
        reasons = [f"{start}{one_line(str(fault))}" for fault in error.faults[:MOST_REASONS]]
        more = len(error.faults) - MOST_REASONS
        return cls(*reasons, *[f"and {more:,} more"] * (more > 0))


def show_traceback(error: Unusable | LoadError) -> None:
    """Write the traceback of the module's own error, if --traceback asks for it."""
    is_wanted = click.get_current_context().meta.get(TRACEBACK)
    cause: BaseException | None = error
    while isinstance(cause, Unusable | LoadError):
        cause = cause.__context__
    if is_wanted and cause is not None:
        click.echo(format_traceback(cause), err=True, nl=False)


def asks_for_json(arguments: Sequence[str]) -> bool:
    """Check whether a command line has `--format json`.

    Errors are reported before the options are parsed, too.

    >>> asks_for_json(["show", "--format", "json"]), asks_for_json(["show", "json"])
    (True, False)
    """
    return "--format=json" in arguments or ("--format", "json") in pairwise(arguments)


def report_error(error: click.ClickException, *, as_json: bool) -> None:
    """Write an error to standard error, as `error: <subject> <problem>; <fix>` or as JSON."""
    if isinstance(error, NO_COMMAND):
        error.show()
        return
    reasons = list(_reasons(error))
    if as_json:
        problems = [_split_reason(reason) for reason in reasons]
        others = {"more": problems[1:]} if problems[1:] else {}
        click.echo(write_json({**problems[0], **others}), err=True)
        return
    for reason in reasons:
        click.echo(f"error: {names.escape_text(reason, 10 * len(reason) + 1)}", err=True)


def _split_reason(reason: str) -> dict[str, str | None]:
    problem, _, fix = reason.partition("; ")
    return {"error": problem, "fix": fix or None}


def _reasons(error: click.ClickException) -> Iterator[str]:
    if isinstance(error, Unusable):
        yield from error.message.split("\n")
        return
    problem = " ".join(error.format_message().split()).rstrip(".")
    problem = problem[:1].lower() + problem[1:]
    context = error.ctx if isinstance(error, click.UsageError) else None
    fix = "" if context is None else f"see {context.command_path} --help"
    if isinstance(error, click.NoSuchOption):
        problem = f"no such option {error.option_name}"
        fix = f"did you mean {error.possibilities[0]}?" if error.possibilities else fix
    yield f"{problem}; {fix}" if fix and "; " not in problem else problem
