"""Serve tools over MCP and HTTP: as an ASGI application, inside another one, or over stdio."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toolhaft.serve.app import App
    from toolhaft.serve.auth import Auth
    from toolhaft.serve.context import ContextOf
    from toolhaft.toolset.toolset import Toolset

__all__ = ["asgi", "mount"]


def asgi(
    tools: Toolset,
    *,
    title: str = "tools",
    hosts: Iterable[str] = (),
    auth: Auth | None = None,
    context: ContextOf | None = None,
    state: str | None = None,
    key: bytes | None = None,
) -> App:
    """Make an ASGI application of tools: MCP at `/mcp`, HTTP at `/tools`.

    It answers to loopback names at its own port, and to `hosts`, each spelled exactly as clients
    send it. `auth` says whose tokens count; `context` makes the context of a call from the request;
    `state` is a file for idempotency keys; `key` seals the calls that wait with a client, which
    processes that serve the same clients must share.

    Raises:
        StateError: The file cannot be used.

    >>> from toolhaft import Toolset
    >>> def add(a: int, b: int) -> int:
    ...     "Add two whole numbers."
    ...     return a + b
    >>> app = asgi(Toolset([add]))
    >>> from starlette.testclient import TestClient
    >>> client = TestClient(app, base_url="http://localhost:80")
    >>> client.post("/tools/add", json={"a": 1, "b": 2}).json()
    3
    """
    from toolhaft.serve.app import App, Options
    from toolhaft.serve.catalogue import Catalogue
    from toolhaft.serve.state import State

    kept = None if state is None else State(state)
    return App(Catalogue(tools), Options(title, hosts, auth, context, kept, key))


def mount(app: Any, tools: Toolset, path: str = "/", **options: Any) -> App:
    """Mount tools in a Starlette or FastAPI application; the options are those of `asgi`.

    >>> from starlette.applications import Starlette
    >>> from toolhaft import Toolset
    >>> app = Starlette()
    >>> mounted = mount(app, Toolset(), "/ours", title="ours")
    >>> from starlette.testclient import TestClient
    >>> TestClient(app, base_url="http://localhost:80").get("/ours/tools").json()
    {'tools': []}
    """
    served = asgi(tools, **options)
    app.mount(path, served)
    return served
