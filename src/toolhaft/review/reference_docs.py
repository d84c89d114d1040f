"""Reference pages of tools: Markdown, one file a tool, and one HTML page that holds everything.

The HTML needs nothing from elsewhere: no script, no font, no image. It is readable on a phone, in
light and dark.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any, Final, NamedTuple

from toolhaft.definition import names
from toolhaft.jsonio import jsontext
from toolhaft.lowering.loss import Loss, Problem
from toolhaft.lowering.plan import Declaration, plan
from toolhaft.schema.summary import type_of
from toolhaft.tools.tool import AnyTool
from toolhaft.toolset.toolset import Toolset

__all__ = ["TARGETS", "html_page", "markdown_pages"]

TARGETS: Final = ("anthropic", "gemini", "openai")


class Part(NamedTuple):
    """One part of a page: `title`, `heading`, `text`, `table`, `code` or `list`, and its words."""

    kind: str
    held: Any


class Row(NamedTuple):
    """One parameter, however deep: its path, type, whether it must be there, and what is said."""

    path: str
    type: str
    required: bool
    description: str
    constraints: str


def markdown_pages(tools: Toolset, targets: Sequence[str] = TARGETS) -> dict[str, str]:
    """Write a page for each tool and an index, by file name.

    >>> from toolhaft import Toolset, tool
    >>> @tool
    ... def double(n: int) -> int:
    ...     "Twice a number."
    ...     return 2 * n
    >>> list(markdown_pages(Toolset([double])))
    ['double.md', 'index.md']
    """
    pages = {_file(one): _markdown(_parts(one, targets)) for one in _ordered(tools)}
    listed = [f"- [{one.name}]({_file(one)}): {_first(one)}" for one in _ordered(tools)]
    return {**pages, "index.md": "\n".join(["# Tools", "", *listed, ""])}


def html_page(tools: Toolset, targets: Sequence[str] = TARGETS) -> str:
    """Write all tools as one HTML document."""
    ordered = _ordered(tools)
    links = "".join(f'<li><a href="#{_anchor(one)}">{escape(one.name)}</a></li>' for one in ordered)
    sections = "".join(
        f'<section id="{_anchor(one)}">{_html(_parts(one, targets))}</section>' for one in ordered
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Tools</title><style>{STYLE}</style></head><body><h1>Tools</h1>"
        f"<nav><ul>{links}</ul></nav><main>{sections}</main></body></html>\n"
    )


def _ordered(tools: Toolset) -> list[AnyTool]:
    return sorted(tools, key=lambda one: one.name)


def _file(one: AnyTool) -> str:
    """A file name that every system takes: `/` and `:` may stand in a tool's name."""
    return "".join(c if c.isalnum() or c in "-_." else "_" for c in one.name) + ".md"


def _anchor(one: AnyTool) -> str:
    return _file(one).removesuffix(".md")


def _first(one: AnyTool) -> str:
    return names.escape_text(one.description.strip().partition("\n")[0], 120)


def _parts(one: AnyTool, targets: Sequence[str]) -> Iterator[Part]:
    """What is to be said of a tool, in order."""
    yield Part("title", one.name if not one.title else f"{one.name} ({one.title})")
    yield Part("text", one.description.strip())
    hints = [f"{key}: {value}" for key, value in (one.annotations or {}).items()]
    if hints:
        yield Part("list", hints)
    schema = one.input_schema.json_schema()
    rows = list(_rows(schema, ""))
    yield Part("heading", "Parameters")
    yield Part("table", rows) if rows else Part("text", "None.")
    for example in one.examples or ():
        yield Part("code", json.dumps(example, indent=2, ensure_ascii=False))
    output = one.output_schema
    if output is not None:
        shown = output.json_schema(mode="output")
        yield Part("heading", "Result")
        results = list(_rows(shown, ""))
        yield Part("table", results) if results else Part("text", f"{type_of(shown)}.")
    yield from _losses(one, targets)


def _rows(node: Any, at: str, depth: int = 0) -> Iterator[Row]:
    """Every property of an object, its own properties after it; a reference names its type."""
    if not isinstance(node, dict) or depth > MOST_LEVELS:
        return
    required = node.get("required", ())
    for name, inner in node.get("properties", {}).items():
        path = f"{at}{name}"
        words = inner if isinstance(inner, dict) else {}
        yield Row(
            path, type_of(inner), name in required, words.get("description", ""), _bounds(words)
        )
        yield from _rows(inner, f"{path}.", depth + 1)
        yield from _rows(words.get("items"), f"{path}[].", depth + 1)


MOST_LEVELS = 8
BOUNDS: Final = (
    "default", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
    "minLength", "maxLength", "pattern", "format", "minItems", "maxItems", "uniqueItems",
)  # fmt: skip


def _bounds(node: Mapping[str, Any]) -> str:
    return ", ".join(f"{key} {jsontext.write(node[key])}" for key in BOUNDS if key in node)


def _losses(one: AnyTool, targets: Sequence[str]) -> Iterator[Part]:
    """What each target cannot be told of the tool."""
    schema = one.input_schema.json_schema()
    declared = Declaration(one.name, one.description, schema)
    for target in targets:
        planned = plan([declared], target)
        said = [*map(_problem, planned.problems), *map(_loss, planned.losses)]
        if said:
            yield Part("heading", f"Lost for {target}")
            yield Part("list", said)


def _problem(found: Problem) -> str:
    return f"{found.pointer or 'the whole'}: {found.reason}; {found.fix}"


def _loss(found: Loss) -> str:
    return f"{found.pointer or 'the whole'}: {found.keyword} is {found.kind}; {found.detail}"


# ------------------------------------------------------------------------------- Markdown


def _markdown(parts: Iterator[Part]) -> str:
    return "\n\n".join(_as_markdown(part) for part in parts) + "\n"


def _as_markdown(part: Part) -> str:
    if part.kind == "title":
        return f"# {part.held}"
    if part.kind == "heading":
        return f"## {part.held}"
    if part.kind == "code":
        return f"```json\n{part.held}\n```"
    if part.kind == "list":
        return "\n".join(f"- {one}" for one in part.held)
    if part.kind == "table":
        rows = (" | ".join(map(_cell, _cells(row))) for row in part.held)
        return "\n".join(
            ["| | type | required | |", "|---|---|---|---|", *(f"| {r} |" for r in rows)]
        )
    return str(part.held)


def _cells(row: Row) -> tuple[str, str, str, str]:
    words = "; ".join(text for text in (row.description, row.constraints) if text)
    return f"`{row.path}`", row.type, "yes" if row.required else "no", words


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


# ------------------------------------------------------------------------------- HTML


def _html(parts: Iterator[Part]) -> str:
    return "".join(map(_as_html, parts))


def _as_html(part: Part) -> str:
    if part.kind == "title":
        return f"<h2>{escape(part.held)}</h2>"
    if part.kind == "heading":
        return f"<h3>{escape(part.held)}</h3>"
    if part.kind == "code":
        return f"<pre>{escape(part.held)}</pre>"
    if part.kind == "list":
        return f"<ul>{''.join(f'<li>{escape(one)}</li>' for one in part.held)}</ul>"
    if part.kind == "table":
        return f"<dl>{''.join(map(_entry, part.held))}</dl>"
    paragraphs = str(part.held).split("\n\n")
    return "".join(f"<p>{escape(one)}</p>" for one in paragraphs)


def _entry(row: Row) -> str:
    """A list of terms, not a table: it fits a phone."""
    needed = "" if row.required else " <small>optional</small>"
    words = "".join(f"<p>{escape(one)}</p>" for one in (row.description, row.constraints) if one)
    term = f"<code>{escape(row.path)}</code> <span>{escape(row.type)}</span>{needed}"
    return f"<dt>{term}</dt><dd>{words}</dd>"


STYLE: Final = (
    ":root{color-scheme:light dark}"
    "body{font:1rem/1.5 system-ui,sans-serif;max-width:50rem;margin:0 auto;padding:1rem;"
    "overflow-wrap:anywhere}"
    "code,pre{font-family:ui-monospace,monospace;font-size:.9em}"
    "pre{overflow-x:auto;padding:.75rem;border:1px solid #8886;border-radius:.4rem}"
    "section{border-top:1px solid #8886;padding-top:.5rem;margin-top:2rem}"
    "dt{margin-top:.75rem}dt span{opacity:.75}dd{margin:0 0 0 1rem}dd p{margin:.2rem 0}"
    "nav ul{padding-left:1.2rem}a{color:LinkText}"
)
