"""The `toolhaft` command: it knows its subcommands by name and loads the one that is used."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from functools import wraps
from importlib import import_module
from typing import Any, NoReturn

import click

from toolhaft.cli.errors import TRACEBACK, Unusable, asks_for_json, report_error, show_traceback
from toolhaft.cli.interrupts import INTERRUPTED
from toolhaft.cli.remote import OPTIONS, reject_unused
from toolhaft.definition import names
from toolhaft.errors import DefinitionError
from toolhaft.jsonio.primitives import native

__all__ = ["app"]

VERSION = f"%(prog)s, version %(version)s, {'native' if native else 'pure'}"
COMMANDS = {
    "audit": "Verify an audit log.",
    "batch": "Check recorded calls, and run them with --execute.",
    "call": "Call one tool as a model would.",
    "check": "Find mistakes in tool definitions.",
    "diff": "Show changes between two versions of tools, and flag breaking ones.",
    "docs": "Write reference pages for tools.",
    "doctor": "Show what is installed, and what conflicts.",
    "export": "Print tools in the format of a provider.",
    "init": "Create a tool module, its test and a pre-commit hook.",
    "lock": "Write a lock file of tool definitions, or check tools against it.",
    "manifest": "Keep the list of tools in a file up to date.",
    "serve": "Serve tools over MCP and HTTP.",
    "show": "List tools and their parameters.",
    "stubs": "Write typed functions by which a program calls tools.",
}

# Arguments that name tools, of one version or of two.
ARGUMENTS = frozenset({"tools", "old", "new"})


def _ask_for_traceback(ctx: click.Context, param: click.Parameter, is_wanted: bool) -> None:  # noqa: ARG001 - click's signature
    ctx.meta[TRACEBACK] = is_wanted


TRACEBACK_OPTION = click.Option(
    ["--traceback"],
    is_flag=True,
    expose_value=False,
    callback=_ask_for_traceback,
    help="Show the traceback of an error in the tools' code.",
)


def _reach_tools(command: click.Command) -> None:
    """Add the options for tools of servers and documents to a command that takes tools."""
    run: Any = command.callback

    @wraps(run)
    def run_checked(*args: Any, **values: Any) -> Any:
        reject_unused(_targets(values))
        return run(*args, **values)

    command.callback = run_checked
    command.params += OPTIONS


def _targets(values: dict[str, Any]) -> Iterator[str]:
    """Yield each TOOLS of a command line; some commands take several."""
    for name in ARGUMENTS & values.keys():
        yield from [values[name]] if isinstance(values[name], str) else values[name]


class Commands(click.Group):
    """Subcommands that lie in `toolhaft.cli.<name>`, under that name."""

    def main(self, args: Sequence[str] | None = None, *rest: Any, **extra: Any) -> NoReturn:
        """Run the program; every error has one form, and Ctrl-C an exit code of its own."""
        arguments = sys.argv[1:] if args is None else list(args)
        code: Any
        try:
            code = super().main(arguments, *rest, **{**extra, "standalone_mode": False})
        except click.ClickException as error:
            report_error(error, as_json=asks_for_json(arguments))
            code = error.exit_code
        except DefinitionError as error:  # of tools that cannot stand in one set
            unusable = Unusable.from_definition_error(error)
            report_error(unusable, as_json=asks_for_json(arguments))
            code = unusable.exit_code
        except click.Abort:
            report_error(Unusable("interrupted"), as_json=asks_for_json(arguments))
            code = INTERRUPTED
        sys.exit(code or 0)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command, and show the traceback of an error if the user requested it."""
        try:
            return super().invoke(ctx)
        except Unusable as error:
            show_traceback(error)
            raise

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; for a misspelt one, say which is near."""
        name = args[0]
        near = None if name in COMMANDS else names.nearest(name, COMMANDS)
        if near is not None and not name.startswith("-"):
            raise Unusable(f"no such command {name}; did you mean {near}?")
        return super().resolve_command(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = getattr(import_module(f"toolhaft.cli.{cmd_name}"), cmd_name)
        if TRACEBACK_OPTION not in command.params:
            if not ARGUMENTS.isdisjoint(param.name for param in command.params):
                _reach_tools(command)
            command.params.append(TRACEBACK_OPTION)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's signature
        """Write the list of commands without loading them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="toolhaft", message=VERSION)
def app() -> None:
    """Inspect, call, check and serve tools for language models.

    TOOLS is a module (package.module) or a file (path.py, or path.py:name for one of several
    toolsets). It may also be an MCP server ("mcp+stdio:COMMAND", mcp+https://ADDRESS) or an OpenAPI
    document (openapi:FILE). Of a JSON file of tool definitions from OpenAI, Anthropic or MCP
    (.json, .jsonl, .jsonl.gz), calls are checked but cannot run.

    Exit codes: 0 ok, 1 findings, 2 usage, 130 interrupted.
    """
