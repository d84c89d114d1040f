"""Refuse wrong options of `asgi` and `mount` when the program starts, and not at a request."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from toolhaft.serve.auth import Auth

if TYPE_CHECKING:
    from toolhaft.serve.app import Options

__all__ = ["require_options"]

SCOPES: Final = ("private", "public")


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_milliseconds(value: Any) -> bool:
    return type(value) is int and value >= 0


# Whether a value can be used, and what to pass; None is one that is not given.
KINDS: Final[dict[str, tuple[Callable[[Any], bool], str]]] = {
    "name": (_is_text, "a text"),
    "version": (_is_text, "a text"),
    "instructions": (_is_text, "a text"),
    "auth": (lambda value: isinstance(value, Auth), "an Auth of toolhaft.serve.auth"),
    "stateless": (lambda value: isinstance(value, bool), "True or False"),
    "ttl_ms": (_is_milliseconds, "a whole number of milliseconds, 0 or more"),
    "cache_scope": (lambda value: value in SCOPES, '"private" or "public"'),
    "context": (callable, "a function of the request"),
    "lifespan": (callable, "an async context manager without arguments"),
    "approver": (callable, "a function of the request"),
    "context_of_principal": (callable, "a function of the principal"),
}


def require_options(options: Options) -> None:
    """Check what the annotations of options say, for programs that no type checker reads.

    Raises:
        TypeError: names the option, and what to pass.
    """
    decider = options.decider
    given = {
        **options.about._asdict(),
        "auth": options.auth,
        "stateless": options.stateless,
        "ttl_ms": options.caching.ttl_ms,
        "cache_scope": options.caching.scope,
        "context": options.context,
        "lifespan": options.lifespan,
        "approver": None if decider is None else decider.approver,
        "context_of_principal": None if decider is None else decider.context_of,
    }
    for name, value in given.items():
        is_right, what = KINDS[name]
        if value is not None and not is_right(value):
            raise TypeError(f"{name}: expected {what}")
