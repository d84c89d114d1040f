"""The option value that names a target; of a misspelt one, the nearest is said."""

from __future__ import annotations

from typing import Any

import click

from toolhaft.definition import names
from toolhaft.lowering import TARGETS

__all__ = ["TARGET"]


class _Target(click.Choice[str]):
    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        near = names.nearest(str(value), TARGETS)
        if value not in TARGETS and near is not None:
            written = names.escape_text(str(value), 60)
            self.fail(f"{written} is no target; did you mean {near}?", param, ctx)
        return super().convert(value, param, ctx)


TARGET = _Target(list(TARGETS))
