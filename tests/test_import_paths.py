"""Whatever the README, the documentation and the examples import goes on being there."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import Final

import pytest

import toolhaft

ROOT: Final = Path(__file__).parents[1]
# Every path that a released page or example has used; none is ever taken out.
PATHS: Final[dict[str, tuple[str, ...]]] = {
    "toolhaft": tuple(toolhaft.__all__),
    "toolhaft.agent_loop": ("Called", "Event", "Finished", "Streamed", "run"),
    "toolhaft.call.progress": ("Progress", "report_to", "report_to_async"),
    "toolhaft.content": ("Audio", "File", "Image", "ResourceLink"),
    "toolhaft.errors": ("ToolError", "ToolhaftError", "WireError"),
    "toolhaft.lowering": ("Lowered", "lower"),
    "toolhaft.observers": ("Finish",),
    "toolhaft.observers.audit": ("AuditLog",),
    "toolhaft.observers.details": ("CallDetails", "CallStarted"),
    "toolhaft.observers.limits": ("RateLimit",),
    "toolhaft.observers.logging": ("Logging",),
    "toolhaft.observers.opentelemetry": ("OpenTelemetry",),
    "toolhaft.observers.structlog": ("Structlog",),
    "toolhaft.spec": ("Failure", "Issue", "StandardSchema", "StandardTool", "Success"),
    "toolhaft.testing": ("ScriptedModel", "arguments_for", "assert_conforms", "mutations_of"),
    "toolhaft.toolset.answers": ("Answer",),
    "toolhaft.toolset.export": ("Export",),
}
IMPORT: Final = re.compile(r"^\s*from (toolhaft[\w.]*) import \(?([\w, ]+)", re.MULTILINE)


@pytest.mark.parametrize("module", PATHS)
def test_a_documented_path_has_its_names(module: str) -> None:
    there = importlib.import_module(module)
    assert [name for name in PATHS[module] if not hasattr(there, name)] == []


def test_every_import_of_the_pages_and_examples_is_a_documented_path() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "examples").rglob("*.py")]
    used = {
        (module, name.strip())
        for page in pages
        for module, names in IMPORT.findall(page.read_text(encoding="utf-8"))
        for name in names.split(",")
        if name.strip()
    }
    known = {(module, name) for module, names in PATHS.items() for name in names}
    assert sorted(used - known) == []
