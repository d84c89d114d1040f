"""How findings are written: one function `write(findings, tools, tokens)` a file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Final, TypeAlias

from toolhaft.review.checks.finding import Finding
from toolhaft.review.checks.subject import Subject

__all__ = ["FORMATS", "Writer", "writer"]

Writer: TypeAlias = Callable[[Sequence[Finding], Sequence[Subject]], str]

FORMATS: Final = ("text", "json", "github", "sarif")


def writer(name: str) -> Writer:
    """Return the writer of a format, and import no other."""
    module = {"json": "json_report"}.get(name, name)
    write: Writer = import_module(f"{__name__}.{module}").write
    return write
