"""Options that several commands take, and their values: files, targets, formats, contexts."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import click
from click.shell_completion import CompletionItem

from toolhaft.cli.errors import Unusable
from toolhaft.definition import names
from toolhaft.definition.options import UNSET
from toolhaft.definition.targets import TARGETS
from toolhaft.jsonio import jsontext

if TYPE_CHECKING:
    from toolhaft.tools.tool import AnyTool

__all__ = [
    "FILE",
    "FILE_PATH",
    "TARGET",
    "complete_codes",
    "complete_tools",
    "context_option",
    "format_option",
    "read_private_file",
    "require_context",
]

F = TypeVar("F", bound=Callable[..., Any])

# A name of any file; the command itself reports one that it cannot use.
FILE = click.Path(readable=False)
FILE_PATH = click.Path(readable=False, path_type=Path)


def complete_tools(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """List the names of the tools in TOOLS, with the first line of each description."""
    from toolhaft.loading.faults import LoadError
    from toolhaft.loading.source import load_tools

    del param
    try:
        tools = [tool for tool, _ in load_tools(ctx.params["tools"], tolerant=True).tools]
    except (LoadError, KeyError, OSError):
        return []
    return [
        CompletionItem(tool.name, help=tool.description.partition("\n")[0])
        for tool in tools
        if tool.name.startswith(incomplete)
    ]


def complete_codes(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """List the codes of rules, the last one of several included."""
    from toolhaft.review import checks

    del ctx, param
    *before, last = incomplete.split(",")
    start = "".join(f"{code}," for code in before)
    rules: Any = checks.rules()
    return [
        CompletionItem(f"{start}{code}", help=rule.title)
        for code, rule in rules.items()
        if code.startswith(last)
    ]


def format_option(
    description: str | None = None, formats: Sequence[str] = ("text", "json")
) -> Callable[[F], F]:
    """Add `--format` to a command, as the parameter `shape`; the first format is the default."""
    return click.option(
        "--format",
        "shape",
        type=click.Choice(formats),
        default=formats[0],
        help=description,
    )


if TYPE_CHECKING:
    Choice: TypeAlias = click.Choice[str]
else:
    Choice = click.Choice  # takes no type before click 8.2


class _Target(Choice):
    def get_metavar(self, *_: Any, **__: Any) -> str:
        """Return a word for the help: all names in one would be wider than a terminal."""
        return "TARGET"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        near = names.nearest(str(value), TARGETS)
        if value not in TARGETS and near is not None:
            written = names.escape_text(str(value), 60)
            self.fail(f"{written} is not a target; did you mean {near}?", param, ctx)
        return super().convert(value, param, ctx)


TARGET = _Target(list(TARGETS))


def _read_context(ctx: click.Context, param: click.Parameter, text: str | None) -> Any:  # noqa: ARG001 - click's signature
    if text is None:
        return None
    try:
        data = jsontext.read(text)
    except jsontext.JsonSyntaxError as fault:
        raise click.BadParameter(fault.message) from None
    if not isinstance(data, dict):
        raise click.BadParameter("expected a JSON object")
    return data


context_option = click.option(
    "--context",
    metavar="JSON",
    callback=_read_context,
    help="The context of the call, a JSON object. Injected parameters read its keys.",
)


def require_context(tools: Iterable[AnyTool], context: Any, fix: str = "") -> None:
    """Reject tools that need something the context lacks; None is the context of no `--context`.

    `fix` says what else could supply it.

    Raises:
        Unusable: names what is missing.
    """
    for tool in tools:
        missing = tool.missing(UNSET if context is None else context)
        if missing:
            words = f"{tool.name} needs {', '.join(missing)} from --context"
            raise Unusable(f"{words}; {fix}" if fix else words)


def read_private_file(option: str, path: str) -> str:
    """Return the ASCII text of a file, which the group of a file of root's may read too.

    So Kubernetes mounts a secret for another user; PostgreSQL has the same rule for its keys.

    Raises:
        Unusable: It cannot be read, or others may read it too.
    """
    try:
        status = Path(path).stat()
        text = Path(path).read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not ASCII text"
        raise Unusable(f"{option} {path}: {reason}") from None
    others = 0o037 if status.st_uid == 0 else 0o077
    if os.name == "posix" and stat.S_IMODE(status.st_mode) & others:
        raise Unusable(f"{option} {path}: others may read it; chmod 600 it")
    return text
