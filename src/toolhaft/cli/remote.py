"""`--headers` and `--base-url`: how every command that takes TOOLS reaches servers and APIs.

Headers come from a file, so that a token is neither in the history of a shell nor in the list of
processes; they are sent to the server that TOOLS names, and are no argument of any tool.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, Final

import click

from toolhaft.cli.errors import Unusable
from toolhaft.cli.options import FILE, read_private_file

__all__ = ["OPTIONS", "base_url", "headers", "reject_unused"]

HEADERS: Final = "toolhaft.headers"
BASE_URL: Final = "toolhaft.base_url"
# The beginnings of targets for which each option has a meaning.
USES: Final = {
    HEADERS: ("--headers", ("mcp+http:", "mcp+https:", "openapi:")),
    BASE_URL: ("--base-url", ("openapi:",)),
}
LINE: Final = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\x20-\x7e]*[\x21-\x7e])")


def headers() -> dict[str, str]:
    """Return the headers to send."""
    headers_by_name: dict[str, str] = click.get_current_context().meta.get(HEADERS) or {}
    return headers_by_name


def base_url() -> str | None:
    """Return the address of the API, or None if it is the document's."""
    address: str | None = click.get_current_context().meta.get(BASE_URL)
    return address


def reject_unused(targets: Iterable[str]) -> None:
    """Refuse an option that none of the tools of a command has a use for.

    Raises:
        Unusable: with what it is for.
    """
    targets = list(targets)
    settings = click.get_current_context().meta
    for key, (option, prefixes) in USES.items():
        if key in settings and not any(target.startswith(prefixes) for target in targets):
            raise Unusable(f"{option}: only for tools of {', '.join(prefixes)}")


def _read_headers(path: str) -> dict[str, str]:
    """Read lines of `NAME: VALUE` from a file that nobody else on the machine can read."""
    text = read_private_file("--headers", path)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    pairs = [LINE.fullmatch(line) for line in lines]
    wrong = [str(number) for number, pair in enumerate(pairs, 1) if pair is None]
    if wrong or not pairs:
        where = f"line {', '.join(wrong)}: " if wrong else ""
        raise Unusable(f"--headers {path}: {where}expected lines of NAME: VALUE")
    return {pair[1]: pair[2] for pair in pairs if pair is not None}


def _keep(key: str, read: Callable[[str], Any]) -> Callable[..., None]:
    """Keep an option's value for the function that loads the tools."""

    def callback(ctx: click.Context, param: click.Parameter, value: str | None) -> None:  # noqa: ARG001 - click's signature
        if value is not None:
            ctx.meta[key] = read(value)

    return callback


OPTIONS: Final = (
    click.Option(
        ["--headers"],
        metavar="FILE",
        type=FILE,
        expose_value=False,
        callback=_keep(HEADERS, _read_headers),
        help="Send the headers in this file, NAME: VALUE a line, to the server or API of TOOLS.",
    ),
    click.Option(
        ["--base-url"],
        metavar="URL",
        expose_value=False,
        callback=_keep(BASE_URL, str),
        help="The address of the API, if it is not the one in the OpenAPI document.",
    ),
)
