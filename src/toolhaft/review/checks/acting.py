"""The rule for types whose validation looks at the file system."""

from __future__ import annotations

from collections.abc import Iterator

from toolhaft.review.checks.rule import Flag, rule
from toolhaft.review.checks.subject import Subject
from toolhaft.vendors.acting import FIX
from toolhaft.vendors.adapter import Adapter

__all__: list[str] = []


@rule("TH212", "warning")
def looking_types(subject: Subject) -> Iterator[Flag]:
    """Validation looks at the file system.

    Why: the error shows a caller which files exist, before the handler can reject the call.

    Bad:
        from pydantic import FilePath

        @tool
        def read(at: FilePath) -> str:
            "Read a file of the project."
            return at.read_text()

    Good:
        from pathlib import Path

        @tool
        def read(at: Path) -> str:
            "Read a file of the project."
            return at.read_text() if at.is_relative_to("project") else "no such file"
    """
    schema = subject.tool.input_schema
    for check in schema.acting_checks() if isinstance(schema, Adapter) else ():
        yield Flag("/input", f"{check.where}: {check.name} looks at the file system", FIX)
