"""`--context`: the value that handlers get from the calling program, and never from the model."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import click

from toolhaft.cli.unusable import Unusable
from toolhaft.definition.options import UNSET
from toolhaft.jsonio import jsontext
from toolhaft.tools.tool import AnyTool

__all__ = ["context_option", "require_context"]


def _object(ctx: click.Context, param: click.Parameter, text: str | None) -> Any:  # noqa: ARG001 - click's signature
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
    callback=_object,
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
