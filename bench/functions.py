"""Any shape of fields as parameters of a function, for `tool` to read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import iscoroutinefunction
from typing import Any

from floors import REQUIRED, Declared

__all__ = ["function_of"]


def function_of(
    fields: Mapping[str, Declared], run: Callable[..., Any], returns: Any = None
) -> Any:
    """Make a function whose parameters are the fields, and which calls another with them."""
    defaults = {key: one.default for key, one in fields.items() if one.default is not REQUIRED}
    listed = ", ".join(f"{key}=_defaults[{key!r}]" if key in defaults else key for key in fields)
    waits = "async " if iscoroutinefunction(run) else ""
    body = f"return {'await ' if waits else ''}_run({', '.join(f'{key}={key}' for key in fields)})"
    source = f"{waits}def run({listed}):\n    'Run.'\n    {body}"
    names: dict[str, Any] = {"_run": run, "_defaults": defaults}
    exec(compile(source, "<bench>", "exec", dont_inherit=True), names)  # noqa: S102  our own text
    made: Any = names["run"]
    made.__annotations__ = {key: one.annotated for key, one in fields.items()}
    made.__annotations__["return"] = returns or Any
    return made
