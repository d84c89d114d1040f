"""`toolhaft call`: one call of one tool, as a model would make it."""

from __future__ import annotations

import shlex
import shutil
import sys
from typing import Any, Final

import click

from toolhaft.batch.calls import Call
from toolhaft.batch.job import process_call
from toolhaft.batch.record import Record
from toolhaft.call import feedback
from toolhaft.cli.batch_show import describe_repair
from toolhaft.cli.errors import Unusable
from toolhaft.cli.options import (
    FILE,
    complete_tools,
    context_option,
    format_option,
    require_context,
)
from toolhaft.cli.source import load
from toolhaft.cli.stdout import reserve_stdout
from toolhaft.cli.terminal import draws, escape, write_json
from toolhaft.definition import names
from toolhaft.jsonio import jsontext
from toolhaft.loading.source import Source
from toolhaft.schema.document.references import merged_with_target
from toolhaft.schema.summary import shape_of
from toolhaft.tools.tool import AnyTool

__all__ = ["call"]

READINGS: Final = frozenset({"number_text", "boolean_text", "json_text", "python_literal"})
MOST_CHARS: Final = 4_000
PAIRS: Final = "arguments are written KEY=TEXT or KEY:=JSON"


class WithPages(click.Command):
    """A command whose help, asked for after a tool's name, is the page of that tool."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        tools, name, *_ = (*(text for text in args if text[:1] != "-"), "", "")
        if name and not set(args).isdisjoint(ctx.help_option_names):
            show_page(tools, name)
            ctx.exit()
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            if error.possibilities:
                raise
            problem = f"no such option {error.option_name}"
            raise click.UsageError(f"{problem}; {PAIRS}, such as city=Paris", ctx) from None


@click.command(cls=WithPages, short_help="Call one tool as a model would.")
@click.argument("tools", metavar="TOOLS", type=FILE)
@click.argument("name", metavar="NAME", default="", shell_complete=complete_tools)
@click.argument("pairs", nargs=-1, metavar="[KEY=TEXT | KEY:=JSON]...")
@click.option("--json", "raw", metavar="TEXT", help="The arguments as JSON text; - reads stdin.")
@context_option
@format_option("The text for the model, or the whole outcome as JSON.")
def call(
    tools: str, name: str, pairs: tuple[str, ...], raw: str | None, context: Any, shape: str
) -> None:
    """Call the tool NAME of TOOLS as a model would, and print what the model reads.

    A value given as KEY=TEXT is text, which is read as the type that the tool's schema asks for;
    KEY:=JSON is a JSON value:

        toolhaft call tools.py get_weather city=Paris days=2 units:='["C"]'

    Add a tool's name before --help to see its parameters.

    Exit codes: 0 the call ran (or is valid, if the tools cannot run), 1 it is invalid or failed,
    2 usage.
    """
    if not name:
        listed = ", ".join(tool.name for tool, _ in load(tools).tools)
        raise Unusable(f"{tools}: missing tool name; available: {listed}")
    if raw is not None and pairs:
        raise click.UsageError("give KEY=TEXT pairs or --json, not both")
    arguments = _arguments(pairs) if raw is None else _text(raw)
    with reserve_stdout() as out:
        source = load(tools)
        tool = _find_tool(source, name)
        if source.runs:
            require_context([tool], context)
        if source.lacks:
            click.echo(f"toolhaft: not run: {source.lacks}", err=True)
        record = process_call(tool, Call(None, name, arguments), runs=source.runs, context=context)
        record = _without_readings(record, pairs)
        text = _write_record(record, shape)
        # A program receives a tool's result unchanged, but a terminal must not obey its escapes.
        out.write(("\n".join(map(escape, text.split("\n"))) if draws(out) else text) + "\n")
    if shape == "text":
        _write_repairs(record)
    if record.kind == "approval_required":
        fix = "give its toolset an approve= that answers"
        click.echo(f"toolhaft: not run: the call needs approval; {fix}", err=True)
    if record.kind not in ("ok", "accepted"):
        sys.exit(1)


def _without_readings(record: Record, pairs: tuple[str, ...]) -> Record:
    """Leave out the readings of KEY=TEXT, which is text by the way it is typed."""
    typed = {pair.partition("=")[0] for pair in pairs}
    coercions = [
        coercion
        for coercion in record.coercions
        if not (coercion.rule in READINGS and len(coercion.path) == 1 and coercion.path[0] in typed)
    ]
    return record._replace(coercions=tuple(coercions))


def _write_repairs(record: Record) -> None:
    if record.admitted and record.coercions:
        repairs = ", ".join(map(describe_repair, record.coercions))
        click.echo(f"toolhaft: repaired {repairs}", err=True)


def show_page(tools: str, name: str) -> None:
    """Write the help of one tool, made from its schema."""
    with reserve_stdout() as out:
        tool = _find_tool(load(tools), name)
        width = shutil.get_terminal_size((80, 24)).columns
        out.write(write_page(tools, tool, min(width, 100)))


def _text(raw: str) -> str | bytes:
    return sys.stdin.buffer.read() if raw == "-" else raw


def _arguments(pairs: tuple[str, ...]) -> dict[str, Any]:
    arguments: dict[str, Any] = {}
    for pair in pairs:
        key, equals, text = pair.partition("=")
        is_json = key.endswith(":")
        key = key.removesuffix(":")
        if not equals or not key:
            raise click.UsageError(f"{PAIRS}, or all of them after --json")
        if key in arguments:
            raise click.UsageError(f"{key} is given twice")
        arguments[key] = _json(key, text) if is_json else text
    return arguments


def _json(key: str, text: str) -> Any:
    try:
        return jsontext.read(text)
    except jsontext.JsonSyntaxError as fault:
        raise click.UsageError(f"{key}: {fault.message}") from None


def _find_tool(source: Source, name: str) -> AnyTool:
    """Return the tool with a name, or the declaration with an id."""
    if name in source.ids:
        return source.ids[name]
    tools = [tool for tool, _ in source.tools if tool.name == name]
    if len(tools) > 1:
        ids = ", ".join(key for key, tool in source.ids.items() if tool.name == name)
        raise Unusable(f"{len(tools)} tools have the name; say the id of one: {ids}")
    if not tools:
        known = (tool.name for tool, _ in source.tools)
        raise Unusable(feedback.describe_unknown_tool(name, known))
    return tools[0]


def _write_record(record: Record, shape: str) -> str:
    if shape == "json":
        return write_json({k: v for k, v in record.row().items() if k not in ("line", "id")})
    if record.kind == "accepted":
        return f"accepted, not run: {write_json(record.row()['arguments'])}"
    return record.text or ""


def write_page(tools: str, tool: AnyTool, width: int) -> str:
    """Write the page as click writes the help of a command."""
    schema = tool.input_schema.json_schema()
    required = schema.get("required", ())
    parameters = schema.get("properties", {})
    page = click.HelpFormatter(width=width)
    pairs = [_example_of(name, parameters[name]) for name in parameters if name in required]
    page.write_usage(f"toolhaft call {shlex.quote(tools)} {tool.name}", " ".join(pairs))
    page.write_paragraph()
    with page.indentation():
        page.write_text("\n\n".join(map(_escape_line, tool.description.split("\n\n"))))
    for title, wanted in (("Required", True), ("Optional", False)):
        rows = [
            (_escape_line(name), _escape_line(_describe_parameter(node, schema)))
            for name, node in parameters.items()
            if (name in required) is wanted
        ]
        if rows:
            with page.section(title):
                page.write_dl(rows)
    return page.getvalue()


def _example_of(name: str, node: Any) -> str:
    """How a parameter is given: text as it is, all else as JSON."""
    is_text = isinstance(node, dict) and node.get("type") == "string"
    return _escape_line(f"{name}=TEXT" if is_text else f"{name}:=JSON")


def _describe_parameter(node: Any, schema: dict[str, Any]) -> str:
    """Return the shape of a parameter, its default, and its author's description."""
    merged = merged_with_target(schema, node)
    keywords = merged if isinstance(merged, dict) else {}
    default = f" [default: {jsontext.write(keywords['default'])}]" if "default" in keywords else ""
    description = str(keywords.get("description", "")).strip()
    details = f"; {description}" if description else ""
    return f"{shape_of(node, schema)}{default}{details}"


def _escape_line(text: str) -> str:
    return names.escape_text(" ".join(text.split()), MOST_CHARS)
