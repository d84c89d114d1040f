"""Serve tools over MCP and HTTP: as an ASGI application, inside another one, or over stdio."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toolhaft.serve.app import App
    from toolhaft.serve.auth import Auth
    from toolhaft.serve.context import ContextOf
    from toolhaft.toolset.members import Member
    from toolhaft.toolset.toolset import Toolset

__all__ = ["asgi", "mount"]


def asgi(
    tools: Toolset | Iterable[Member],
    *,
    title: str = "tools",
    hosts: Iterable[str] = (),
    auth: Auth | None = None,
    context: ContextOf | None = None,
    state: str | None = None,
    key: bytes | None = None,
) -> App:
    """Make an ASGI application of a toolset or a list of tools: MCP at `/mcp`, HTTP at `/tools`.

    It answers to loopback names at its own port, and to `hosts`, each spelled exactly as clients
    send it. `auth` says whose tokens count; `context` makes the context of a call from the request;
    `state` is a file for idempotency keys, and for the approved calls that were made; `key` seals
    the calls that wait with a client, which processes that serve the same clients must share.
    Without `state` each of these processes runs such a call once.

    Raises:
        DefinitionError: The tools are no tools.
        ContextMissing: A tool needs what only `context` can give.
        StateError: The file cannot be used.
        TypeError, ValueError: Another option cannot be used.

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
    from toolhaft.toolset.toolset import Toolset

    toolset = tools if isinstance(tools, Toolset) else Toolset(tools)
    if context is None:
        toolset.check_context()
    opened = None if state is None else State(state)
    return App(Catalogue(toolset), Options(title, hosts, auth, context, opened, key))


def mount(app: Any, tools: Toolset | Iterable[Member], path: str = "/", **options: Any) -> App:
    """Mount tools in a Starlette or FastAPI application; the options are those of `asgi`.

    Raises:
        ValueError: Something is mounted at the path.
        DefinitionError, ContextMissing, StateError, TypeError: As `asgi` does.

    >>> from starlette.applications import Starlette
    >>> from toolhaft import Toolset
    >>> app = Starlette()
    >>> mounted = mount(app, Toolset(), "/ours", title="ours")
    >>> from starlette.testclient import TestClient
    >>> TestClient(app, base_url="http://localhost:80").get("/ours/tools").json()
    {'tools': []}
    """
    from starlette.routing import Mount

    if any(isinstance(route, Mount) and route.path == path.rstrip("/") for route in app.routes):
        raise ValueError("path: something is mounted there already; choose another")
    served = asgi(tools, **options)
    app.mount(path, served)
    return served
