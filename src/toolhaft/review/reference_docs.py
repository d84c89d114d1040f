"""Reference pages of tools: Markdown, one file a tool, and one HTML page that holds everything.

The HTML needs nothing from elsewhere: no script, no font, no image. It is readable on a phone, in
light and dark.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape as escape_html
from typing import Any, Final, NamedTuple

from toolhaft.definition import names
from toolhaft.jsonio import jsontext
from toolhaft.lowering.loss import Loss, Problem
from toolhaft.lowering.plan import plan
from toolhaft.review.markdown import cell, code_span, json_block, prose
from toolhaft.schema.summary import type_of
from toolhaft.tools.tool import AnyTool
from toolhaft.toolset.planning import declare
from toolhaft.toolset.toolset import Toolset

__all__ = ["TARGETS", "html_page", "markdown_pages"]

TARGETS: Final = ("anthropic", "gemini", "openai")


class Part(NamedTuple):
    """One part of a page: `title`, `heading`, `text`, `table`, `code` or `list`, and its words."""

    kind: str
    value: Any


class Row(NamedTuple):
    """One parameter, however deep: its path, type, whether it is required, and its description."""

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
    files = _files(tools)
    pages = {files[tool.name]: _markdown(_parts(tool, targets)) for tool in _ordered(tools)}
    listed = [f"- [{tool.name}]({files[tool.name]}): {_first(tool)}" for tool in _ordered(tools)]
    return {**pages, "index.md": "\n".join(["# Tools", "", *listed, ""])}


def html_page(tools: Toolset, targets: Sequence[str] = TARGETS) -> str:
    """Write all tools as one HTML document."""
    ordered = _ordered(tools)
    anchors = {name: file.removesuffix(".md") for name, file in _files(tools).items()}
    links = "".join(
        f'<li><a href="#{anchors[tool.name]}">{escape(tool.name)}</a></li>' for tool in ordered
    )
    sections = "".join(
        f'<section id="{anchors[tool.name]}">{_html(_parts(tool, targets))}</section>'
        for tool in ordered
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Tools</title><style>{STYLE}</style></head><body><h1>Tools</h1>"
        f"<nav><ul>{links}</ul></nav><main>{sections}</main></body></html>\n"
    )


def _ordered(tools: Toolset) -> list[AnyTool]:
    return sorted(tools, key=lambda tool: tool.name)


# File names that every system takes; a tool's name may contain `/` and `:`.
FILES: Final = names.NameRule("[A-Za-z0-9_.-]", 128, "[A-Za-z0-9_-]")


def _files(tools: Toolset) -> dict[str, str]:
    """Return the name of each tool's page, beside the index."""
    keys = {
        tool.name: f"{tool.name}/" if tool.name.lower() == "index" else tool.name for tool in tools
    }
    wires = names.NameMap(keys.values(), FILES).wires
    return {name: f"{wires[key]}.md" for name, key in keys.items()}


def _first(tool: AnyTool) -> str:
    return cell(names.escape_text(tool.description.strip().partition("\n")[0], 120))


def _parts(tool: AnyTool, targets: Sequence[str]) -> Iterator[Part]:
    """Yield the parts of a tool's page, in order."""
    yield Part("title", tool.name if not tool.title else f"{tool.name} ({tool.title})")
    yield Part("text", tool.description.strip())
    hints = [f"{key}: {value}" for key, value in (tool.annotations or {}).items()]
    if hints:
        yield Part("list", hints)
    schema = tool.input_schema.json_schema()
    rows = list(_rows(schema, ""))
    yield Part("heading", "Parameters")
    yield Part("table", rows) if rows else Part("text", "None.")
    types = schema.get("$defs", {})
    yield from _types(types)
    for example in tool.examples or ():
        yield Part("code", json_block(example, indent=2))
    output = tool.output_schema
    if output is not None:
        output_schema = output.json_schema(mode="output")
        yield Part("heading", "Result")
        yield _properties(output_schema)
        result_types = output_schema.get("$defs", {}).items()
        yield from _types({name: node for name, node in result_types if types.get(name) != node})
    if tool.source is not None:
        yield Part("heading", "Sent as")
        yield Part("code", json_block(tool.source, indent=2))
    yield from _losses(tool, targets)


def _types(definitions: Mapping[str, Any]) -> Iterator[Part]:
    """Yield the parts that describe the types that references name."""
    for name, node in definitions.items():
        yield Part("heading", type_of({"$ref": name}))
        yield _properties(node)


def _properties(node: Any) -> Part:
    rows = list(_rows(node, ""))
    return Part("table", rows) if rows else Part("text", f"{type_of(node)}.")


def _rows(node: Any, prefix: str, depth: int = 0) -> Iterator[Row]:
    """Every property of an object, its own properties after it; a reference names its type."""
    if not isinstance(node, dict) or depth > MOST_LEVELS:
        return
    required = node.get("required", ())
    for name, inner in node.get("properties", {}).items():
        path = f"{prefix}{name}"
        keywords = inner if isinstance(inner, dict) else {}
        yield Row(
            path,
            type_of(inner),
            name in required,
            keywords.get("description", ""),
            _bounds(keywords),
        )
        yield from _rows(inner, f"{path}.", depth + 1)
        yield from _rows(keywords.get("items"), f"{path}[].", depth + 1)


MOST_LEVELS = 8
BOUNDS: Final = (
    "default", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
    "minLength", "maxLength", "pattern", "format", "minItems", "maxItems", "uniqueItems",
)  # fmt: skip


def _bounds(node: Mapping[str, Any]) -> str:
    return ", ".join(f"{key} {jsontext.write(node[key])}" for key in BOUNDS if key in node)


def _losses(tool: AnyTool, targets: Sequence[str]) -> Iterator[Part]:
    """List what each target cannot express of the tool."""
    declared = declare(tool)
    for target in targets:
        planned = plan([declared], target)
        lines = [*map(_problem, planned.problems), *map(_loss, planned.losses)]
        if lines:
            yield Part("heading", f"Lost for {target}")
            yield Part("list", lines)


def _problem(problem: Problem) -> str:
    return f"{problem.pointer or 'the whole'}: {problem.reason}; {problem.fix}"


def _loss(loss: Loss) -> str:
    return f"{loss.pointer or 'the whole'}: {loss.keyword} is {loss.kind}; {loss.detail}"


# ------------------------------------------------------------------------------- Markdown


def _markdown(parts: Iterator[Part]) -> str:
    return "\n\n".join(_as_markdown(part) for part in parts) + "\n"


def _as_markdown(part: Part) -> str:
    if part.kind == "title":
        return f"# {cell(part.value)}"
    if part.kind == "heading":
        return f"## {cell(part.value)}"
    if part.kind == "code":
        return str(part.value)
    if part.kind == "list":
        return "\n".join(f"- {cell(item)}" for item in part.value)
    if part.kind == "table":
        rows = (" | ".join(_cells(row)) for row in part.value)
        return "\n".join(
            ["| | type | required | |", "|---|---|---|---|", *(f"| {r} |" for r in rows)]
        )
    return prose(str(part.value))


def _cells(row: Row) -> tuple[str, str, str, str]:
    description = "; ".join(text for text in (row.description, row.constraints) if text)
    required = "yes" if row.required else "no"
    return code_span(row.path), cell(row.type), required, cell(description)


# ------------------------------------------------------------------------------- HTML


def escape(text: str) -> str:
    """Write a text in HTML, and out what a reader cannot see."""
    lines = (names.escape_text(line, 10 * len(line) + 1) for line in text.split("\n"))
    return escape_html("\n".join(lines))


def _html(parts: Iterator[Part]) -> str:
    return "".join(map(_as_html, parts))


def _as_html(part: Part) -> str:
    if part.kind == "title":
        return f"<h2>{escape(part.value)}</h2>"
    if part.kind == "heading":
        return f"<h3>{escape(part.value)}</h3>"
    if part.kind == "code":
        code = part.value.removeprefix("```json\n").removesuffix("\n```")
        return f"<pre>{escape(code)}</pre>"
    if part.kind == "list":
        return f"<ul>{''.join(f'<li>{escape(item)}</li>' for item in part.value)}</ul>"
    if part.kind == "table":
        return f"<dl>{''.join(map(_entry, part.value))}</dl>"
    paragraphs = str(part.value).split("\n\n")
    return "".join(f"<p>{escape(paragraph)}</p>" for paragraph in paragraphs)


def _entry(row: Row) -> str:
    """A list of terms, not a table: it fits a phone."""
    optional = "" if row.required else " <small>optional</small>"
    description = "".join(
        f"<p>{escape(text)}</p>" for text in (row.description, row.constraints) if text
    )
    term = f"<code>{escape(row.path)}</code> <span>{escape(row.type)}</span>{optional}"
    return f"<dt>{term}</dt><dd>{description}</dd>"


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
