"""All imports of the README, the documentation and the examples keep working."""

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
    "toolhaft.agent_loop": (
        "Called",
        "Event",
        "Finished",
        "Streamed",
        "Usage",
        "run",
        "run_sync",
    ),
    "toolhaft.batch": ("gate", "gates", "output_schema", "reward", "rewards", "tools_digest"),
    "toolhaft.call.progress": ("Progress", "report_to", "report_to_async"),
    "toolhaft.content": ("Audio", "File", "Image", "ResourceLink"),
    "toolhaft.errors": ("ToolError", "ToolhaftError", "WireError"),
    "toolhaft.frameworks.agent_framework": ("from_agent_framework", "to_agent_framework"),
    "toolhaft.frameworks.agno": ("from_agno", "to_agno"),
    "toolhaft.frameworks.anthropic": ("from_anthropic", "to_anthropic"),
    "toolhaft.frameworks.fastmcp": ("from_fastmcp", "to_fastmcp"),
    "toolhaft.frameworks.google_adk": ("from_google_adk", "to_google_adk"),
    "toolhaft.frameworks.haystack": ("from_haystack", "to_haystack"),
    "toolhaft.frameworks.langchain": ("from_langchain", "to_langchain"),
    "toolhaft.frameworks.llamaindex": ("from_llamaindex", "to_llamaindex"),
    "toolhaft.frameworks.llm": ("from_llm", "to_llm"),
    "toolhaft.frameworks.openai_agents": ("from_openai_agents", "to_openai_agents"),
    "toolhaft.frameworks.pydantic_ai": ("from_pydantic_ai", "to_pydantic_ai"),
    "toolhaft.frameworks.strands": ("from_strands", "to_strands"),
    "toolhaft.lowering": ("Lowered", "lower"),
    "toolhaft.observers": ("Finish",),
    "toolhaft.observers.audit": ("AuditLog",),
    "toolhaft.observers.details": ("CallDetails", "CallStarted"),
    "toolhaft.observers.limits": ("RateLimit",),
    "toolhaft.observers.logging": ("Logging",),
    "toolhaft.observers.opentelemetry": ("OpenTelemetry",),
    "toolhaft.observers.structlog": ("Structlog",),
    "toolhaft.serve": ("asgi", "mount", "prompt", "resource"),
    "toolhaft.serve.auth": ("Auth",),
    "toolhaft.spec": ("Failure", "Issue", "StandardSchema", "StandardTool", "Success"),
    "toolhaft.testing": (
        "ScriptedModel",
        "ScriptedTurn",
        "agreement",
        "arguments_for",
        "assert_conforms",
        "mutations_of",
    ),
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
