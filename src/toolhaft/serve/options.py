"""The options of an application, checked when the program starts rather than at a request."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from toolhaft.serve.approvers import Decider
from toolhaft.serve.auth import Auth
from toolhaft.serve.context import ContextOf
from toolhaft.serve.document import About
from toolhaft.serve.life import Lifespan
from toolhaft.serve.limits import LIMITS, Limits
from toolhaft.serve.mcp_offers import CACHING, Caching
from toolhaft.serve.offers import Offers
from toolhaft.serve.reload import Reload
from toolhaft.serve.state import State

if TYPE_CHECKING:
    from toolhaft.serve.page.options import PageOptions

__all__ = ["Options", "require_options"]

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


class Options(NamedTuple):
    """The settings of a served application besides its tools.

    `about` is what it tells of itself; `hosts` are names besides the loopback ones; `key` seals
    what waits with a client; `reload` says which files to watch, and how to load the tools again;
    `is_ready`, whether they can work;
    `stateless`, whether older clients of MCP have no sessions.
    """

    about: About = About()
    hosts: Iterable[str] = ()
    auth: Auth | None = None
    context: ContextOf | None = None
    state: State | None = None
    key: bytes | None = None
    limits: Limits = LIMITS
    reload: Reload | None = None
    is_ready: Callable[[], Awaitable[bool]] | None = None
    stateless: bool = True
    decider: Decider | None = None
    lifespan: Lifespan | None = None
    offers: Offers | None = None
    caching: Caching = CACHING
    page: PageOptions | None = None


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
