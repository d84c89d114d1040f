"""`toolhaft show`: the tools, their parameters and where they are defined."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any, TextIO

import click

from toolhaft import jsontext
from toolhaft.cli.source import Source, load
from toolhaft.cli.stdout import reserved
from toolhaft.tools import AnyTool

__all__ = ["show"]

MOST_CHOICES = 6


@click.command(short_help="List tools and their parameters.")
@click.argument("tools", metavar="TOOLS")
@click.option(
    "--format",
    "shape",
    type=click.Choice(["table", "json"]),
    default="table",
    help="A table to read, or JSON with the whole schemas.",
)
def show(tools: str, shape: str) -> None:
    """List the tools of TOOLS, their parameters and where they are defined.

    Exit codes: 0 ok, 1 a declaration is faulty and left out, 2 usage.
    """
    with reserved() as out:
        source = load(tools)
        if shape == "json":
            out.write(jsontext.write([_facts(one, where) for one, where in source.tools]) + "\n")
        else:
            _draw(source, out)
    if source.faulty:
        sys.exit(1)


def _facts(one: AnyTool, where: str) -> dict[str, Any]:
    output = one.output_schema
    return {
        "name": one.name,
        "title": one.title,
        "description": one.description,
        "annotations": one.annotations,
        "input_schema": one.input_schema.json_schema(),
        "output_schema": None if output is None else output.json_schema(mode="output"),
        "vendor": one.input_schema.vendor,
        "injects": list(one.injects),
        "defined": where,
    }


def _draw(source: Source, out: TextIO) -> None:
    from rich.table import Table
    from rich.text import Text

    from toolhaft.cli.drawing import console

    table = Table(show_lines=True)
    for title in ("tool", "parameters", "defined"):
        table.add_column(title, overflow="fold")
    for one, where in source.tools:
        about = Text.assemble((one.name, "bold"), "\n", (one.description.partition("\n")[0], "dim"))
        schema = one.input_schema.json_schema()
        table.add_row(about, Text("\n".join(_parameters(schema))), Text(where))
    console(out).print(table)


def _parameters(schema: dict[str, Any]) -> Iterator[str]:
    """One line for each parameter: its name, its type, and its default where it has one."""
    required = schema.get("required", ())
    for name, node in schema.get("properties", {}).items():
        optional = "" if name in required else "?"
        default = ""
        if isinstance(node, dict) and "default" in node:
            default = f" = {jsontext.write(node['default'])}"
        yield f"{name}{optional}: {_type(node)}{default}"


def _type(node: Any) -> str:
    """Say a schema in a few words.

    >>> _type({"type": "array", "items": {"enum": ["C", "F"]}})
    'array of ("C" | "F")'
    >>> _type({"type": "integer", "minimum": 1, "maximum": 14})
    'integer from 1 to 14'
    """
    if not isinstance(node, dict):
        return "any"
    branches = node.get("anyOf") or node.get("oneOf")
    if choices := _choices(node):
        return " | ".join(choices)
    if branches:
        return " | ".join(map(_type, branches))
    if "$ref" in node:
        return str(node["$ref"]).rpartition("/")[2]
    return _plain_type(node)


def _choices(node: dict[str, Any]) -> list[str]:
    members = node.get("enum") or ([node["const"]] if "const" in node else [])
    more = ["..."] if len(members) > MOST_CHOICES else []
    return [*map(jsontext.write, members[:MOST_CHOICES]), *more]


def _plain_type(node: dict[str, Any]) -> str:
    kind = node.get("type", "any")
    words = " | ".join(kind) if isinstance(kind, list) else str(kind)
    for keyword, word in (("minimum", "from"), ("maximum", "to")):
        if keyword in node:
            words += f" {word} {node[keyword]}"
    if kind != "array" or "items" not in node:
        return words
    items = _type(node["items"])
    return f"array of ({items})" if " | " in items else f"array of {items}"
