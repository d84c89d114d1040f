"""The error of a command whose input cannot be used."""

from __future__ import annotations

import click

from toolhaft.call.tracebacks import format_traceback
from toolhaft.errors import DefinitionError
from toolhaft.loading.faults import MOST_REASONS, LoadError, one_line

__all__ = ["TRACEBACK", "Unusable", "show_traceback"]


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


TRACEBACK = "toolhaft.cli.traceback"


def show_traceback(error: Unusable | LoadError) -> None:
    """Write the traceback of the module's own error, if --traceback asks for it."""
    is_wanted = click.get_current_context().meta.get(TRACEBACK)
    cause: BaseException | None = error
    while isinstance(cause, Unusable | LoadError):
        cause = cause.__context__
    if is_wanted and cause is not None:
        click.echo(format_traceback(cause), err=True, nl=False)
