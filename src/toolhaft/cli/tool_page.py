"""The help of one tool: its purpose, how to call it, and each parameter, from its schema."""

from __future__ import annotations

import shlex
from typing import Any

import click

from toolhaft.definition import names
from toolhaft.jsonio import jsontext
from toolhaft.schema.document.references import merged_with_target
from toolhaft.schema.summary import shape_of
from toolhaft.tools.tool import AnyTool

__all__ = ["write_page"]

MOST_CHARS = 4_000


def write_page(tools: str, tool: AnyTool, width: int) -> str:
    """Write the page as click writes the help of a command."""
    schema = tool.input_schema.json_schema()
    required = schema.get("required", ())
    parameters = schema.get("properties", {})
    page = click.HelpFormatter(width=width)
    pairs = [_example(name, parameters[name]) for name in parameters if name in required]
    page.write_usage(f"toolhaft call {shlex.quote(tools)} {tool.name}", " ".join(pairs))
    page.write_paragraph()
    with page.indentation():
        page.write_text("\n\n".join(map(_escape, tool.description.split("\n\n"))))
    for title, wanted in (("Required", True), ("Optional", False)):
        rows = [
            (_escape(name), _escape(_describe(node, schema)))
            for name, node in parameters.items()
            if (name in required) is wanted
        ]
        if rows:
            with page.section(title):
                page.write_dl(rows)
    return page.getvalue()


def _example(name: str, node: Any) -> str:
    """How a parameter is given: text as it is, all else as JSON."""
    is_text = isinstance(node, dict) and node.get("type") == "string"
    return _escape(f"{name}=TEXT" if is_text else f"{name}:=JSON")


def _describe(node: Any, schema: dict[str, Any]) -> str:
    """Return the shape of a parameter, its default, and its author's description."""
    merged = merged_with_target(schema, node)
    keywords = merged if isinstance(merged, dict) else {}
    default = f" [default: {jsontext.write(keywords['default'])}]" if "default" in keywords else ""
    description = str(keywords.get("description", "")).strip()
    details = f"; {description}" if description else ""
    return f"{shape_of(node, schema)}{default}{details}"


def _escape(text: str) -> str:
    return names.escape_text(" ".join(text.split()), MOST_CHARS)
