"""The option value that names a target; the error for a misspelt one suggests the nearest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import click

from toolhaft.definition import names
from toolhaft.definition.targets import TARGETS

__all__ = ["TARGET"]


if TYPE_CHECKING:
    Choice: TypeAlias = click.Choice[str]
else:
    Choice = click.Choice  # takes no type before click 8.2


class _Target(Choice):
    def get_metavar(self, *_: Any, **__: Any) -> str:
        """Return a word for the help: all names in one would be wider than a terminal."""
        return "TARGET"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        near = names.nearest(str(value), TARGETS)
        if value not in TARGETS and near is not None:
            written = names.escape_text(str(value), 60)
            self.fail(f"{written} is not a target; did you mean {near}?", param, ctx)
        return super().convert(value, param, ctx)


TARGET = _Target(list(TARGETS))
