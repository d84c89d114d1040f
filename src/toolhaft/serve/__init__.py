"""Serve tools over MCP and HTTP: as an ASGI application, inside another one, or over stdio."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Final, Literal, ParamSpec, TypeVar

if TYPE_CHECKING:
    from toolhaft.serve.app import App
    from toolhaft.serve.approvers import ApproverOf, ContextOfPrincipal
    from toolhaft.serve.auth import Auth
    from toolhaft.serve.context import ContextOf
    from toolhaft.serve.life import Lifespan
    from toolhaft.serve.offers import Prompt, Resource
    from toolhaft.serve.page.options import PageOptions, Redact
    from toolhaft.toolset.members import Member
    from toolhaft.toolset.toolset import Toolset

__all__ = ["asgi", "mount", "prompt", "resource"]

P = ParamSpec("P")
R = TypeVar("R")

# A path below the root of an application.
PLACE: Final = r"(/(?!\.\.?(?:/|$))[^/]+)+/?"


def asgi(
    tools: Toolset | Iterable[Member],
    *,
    name: str = "tools",
    version: str | None = None,
    instructions: str | None = None,
    hosts: Iterable[str] = (),
    auth: Auth | None = None,
    context: ContextOf | None = None,
    state: str | None = None,
    key: bytes | None = None,
    stateless: bool = True,
    resources: Iterable[Resource[..., Any]] = (),
    prompts: Iterable[Prompt[..., Any]] = (),
    ttl_ms: int = 0,
    cache_scope: Literal["private", "public"] = "private",
    lifespan: Lifespan | None = None,
    approver: ApproverOf | None = None,
    context_of_principal: ContextOfPrincipal | None = None,
    page: bool = False,
    token: str | None = None,
    history: bool = True,
    redact: Redact | None = None,
) -> App:
    """Return an ASGI application of the tools: MCP at `/mcp`, HTTP at `/tools`.

    Args:
        tools: A toolset or a list of tools.
        name: The name of the server.
        version: Its version; that of toolhaft by default.
        instructions: How a model should use the tools, in a sentence or more.
        hosts: The host names, with port, that clients send; loopback names are always accepted.
        auth: Which callers are accepted; see `toolhaft.serve.auth.Auth`.
        context: A function of the request that returns the context of a call.
        state: The path of a file that stores idempotency keys and approved calls, for all
            processes that serve the tools. Without it, each process runs an approved call once.
        key: A secret that seals calls which wait for approval, also in the file of `state`; all
            processes that serve the same clients must share it. By default that file has it.
        stateless: Whether MCP clients of the revision 2025-11-25 have no sessions, so that any
            process can answer them. With `stateless=False` their users can be asked for approval,
            and each client must reach the same process again.
        resources: What `resource` made, for MCP clients to read.
        prompts: What `prompt` made, for the people who use MCP clients.
        ttl_ms: For how many milliseconds an MCP client may keep lists and resources.
        cache_scope: Whether a cache may share them between users ("public").
        lifespan: A function that returns an async context manager, entered while the server runs.
            What it yields is passed to `context` after the request, and is the context without it.
        approver: A function of a request to `/approvals` that returns the name of the approver who
            sent it, or None. With it and `state`, calls that need approval wait for a decision.
        context_of_principal: A function that makes the context of a caller again for a call that
            waited, from `{"client": ..., "identity": ..., "principal": ...}`.
        page: Whether people can use the page of the server, at its root, and its inbox.
        token: The bearer token of the page, which opens it to anybody who has it.
        history: Whether the calls of the page are kept in the file of `state`, for thirty days.
        redact: A function of a tool's name and of its arguments or outcome, as JSON data, that
            returns what the history keeps of them.

    Raises:
        DefinitionError: A tool is defined incorrectly.
        ContextMissing: A tool needs something that only `context` can supply.
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
    from toolhaft.serve.extra import require_extra

    require_extra()
    from toolhaft.serve.app import App
    from toolhaft.serve.approvers import Decider
    from toolhaft.serve.catalogue import Catalogue
    from toolhaft.serve.document import About
    from toolhaft.serve.mcp_offers import Caching
    from toolhaft.serve.offers import Offers
    from toolhaft.serve.options import Options
    from toolhaft.serve.state import State
    from toolhaft.toolset.toolset import Toolset

    toolset = tools if isinstance(tools, Toolset) else Toolset(tools)
    offers = Offers(toolset, resources, prompts)
    if context is None and lifespan is None:
        toolset.check_context()
        offers.check_context()
    opened = None if state is None else State(state)
    if approver is None and context_of_principal is not None:
        raise ValueError("context_of_principal: nobody decides calls; pass approver= too")
    decider = None if approver is None else Decider(approver, context_of_principal)
    options = Options(
        about=About(name, version, instructions),
        hosts=hosts,
        auth=auth,
        context=context,
        state=opened,
        key=key,
        stateless=stateless,
        decider=decider,
        lifespan=lifespan,
        offers=offers,
        caching=Caching(ttl_ms, cache_scope),
        page=_page_options(token, history=history, redact=redact) if page else None,
    )
    return App(Catalogue(toolset), options)


def _page_options(token: str | None, *, history: bool, redact: Redact | None) -> PageOptions:
    """Return the options of the page.

    Raises:
        ValueError: There is no token.
    """
    from toolhaft.serve.page.options import PageOptions

    if token is None:
        raise ValueError("page: anybody who opens it can call tools; pass token= too")
    return PageOptions(token, history, redact)


def resource(
    uri: str,
    *,
    name: str | None = None,
    title: str | None = None,
    description: str | None = None,
    mime_type: str | None = None,
    timeout: float | None = None,
    limit: int | None = None,
    authorize: Callable[..., Any] | None = None,
    errors: dict[type[Exception], str] | None = None,
) -> Callable[[Callable[P, R]], Resource[P, R]]:
    """Return a decorator that offers what a function returns as a resource of an MCP server.

    The variables of the address are the arguments of the function, each of one segment, and are
    validated like arguments of a tool. `toolhaft serve` finds the resources of its module.

    Args:
        uri: The address, such as "orders://{id}".
        name: The name; by default that of the function.
        title: A title for people.
        description: What it is; by default the function's docstring.
        mime_type: The type of the contents; by default that of what is returned.
        timeout: See `toolhaft.tool`, like the options that follow.
        limit: See `toolhaft.tool`.
        authorize: See `toolhaft.tool`.
        errors: See `toolhaft.tool`.

    Raises:
        DefinitionError: The function or the address is defined incorrectly.

    >>> @resource("orders://{id}")
    ... def order(id: int) -> str:
    ...     "An order."
    ...     return f"order {id}"
    >>> order(3), order.uri.match("orders://3")
    ('order 3', {'id': '3'})
    """
    from toolhaft.serve.offers import Resource

    options = _given(
        name=name,
        title=title,
        description=description,
        timeout=timeout,
        limit=limit,
        authorize=authorize,
        errors=errors,
    )
    return lambda function: Resource(function, uri, mime_type, **options)


def prompt(
    *,
    name: str | None = None,
    title: str | None = None,
    description: str | None = None,
    timeout: float | None = None,
    limit: int | None = None,
    authorize: Callable[..., Any] | None = None,
    errors: dict[type[Exception], str] | None = None,
) -> Callable[[Callable[P, R]], Prompt[P, R]]:
    """Return a decorator that offers the messages which a function returns as a prompt.

    It returns a text or content such as an `Image`, which is the user's, or a list of these and of
    `Message`s of `toolhaft.serve.offers`.

    Args:
        name: The name; by default that of the function.
        title: A title for people.
        description: What it is for; by default the function's docstring.
        timeout: See `toolhaft.tool`, like the options that follow.
        limit: See `toolhaft.tool`.
        authorize: See `toolhaft.tool`.
        errors: See `toolhaft.tool`.

    Raises:
        DefinitionError: The function is defined incorrectly.

    >>> @prompt()
    ... def review(code: str) -> str:
    ...     "Review code."
    ...     return f"Review this code: {code}"
    >>> review("x = 1")
    'Review this code: x = 1'
    """
    from toolhaft.serve.offers import Prompt

    options = _given(
        name=name,
        title=title,
        description=description,
        timeout=timeout,
        limit=limit,
        authorize=authorize,
        errors=errors,
    )
    return lambda function: Prompt(function, **options)


def _given(**options: Any) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def mount(
    app: Any,
    tools: Toolset | Iterable[Member],
    path: str = "/agent",
    *,
    name: str = "tools",
    version: str | None = None,
    instructions: str | None = None,
    hosts: Iterable[str] = (),
    auth: Auth | None = None,
    context: ContextOf | None = None,
    state: str | None = None,
    key: bytes | None = None,
    stateless: bool = True,
    resources: Iterable[Resource[..., Any]] = (),
    prompts: Iterable[Prompt[..., Any]] = (),
    ttl_ms: int = 0,
    cache_scope: Literal["private", "public"] = "private",
    lifespan: Lifespan | None = None,
    approver: ApproverOf | None = None,
    context_of_principal: ContextOfPrincipal | None = None,
    page: bool = False,
    token: str | None = None,
    history: bool = True,
    redact: Redact | None = None,
) -> App:
    """Mount tools in a Starlette or FastAPI application.

    Args:
        app: The application.
        tools: A toolset or a list of tools.
        path: The path at which the tools are mounted.
        name: See `asgi`, like the other options.
        version: See `asgi`.
        instructions: See `asgi`.
        hosts: See `asgi`.
        auth: See `asgi`.
        context: See `asgi`.
        state: See `asgi`.
        key: See `asgi`.
        stateless: See `asgi`.
        resources: See `asgi`.
        prompts: See `asgi`.
        ttl_ms: See `asgi`.
        cache_scope: See `asgi`.
        lifespan: See `asgi`.
        approver: See `asgi`.
        context_of_principal: See `asgi`.
        page: See `asgi`.
        token: See `asgi`.
        history: See `asgi`.
        redact: See `asgi`.

    Returns:
        The application that was mounted.

    Raises:
        ValueError: Something is mounted at the path, or it is none, such as `/`, where the tools
            would answer in place of the application's own routes.
        DefinitionError, ContextMissing, StateError, TypeError: See `asgi`.

    >>> from starlette.applications import Starlette
    >>> from toolhaft import Toolset
    >>> app = Starlette()
    >>> mounted = mount(app, Toolset(), "/ours", name="ours")
    >>> from starlette.testclient import TestClient
    >>> TestClient(app, base_url="http://localhost:80").get("/ours/tools").json()
    {'tools': []}
    """
    from starlette.routing import Mount

    if not re.fullmatch(PLACE, str(path)):
        raise ValueError('path: not a place below the application; pass one such as "/agent"')
    if any(isinstance(route, Mount) and route.path == path.rstrip("/") for route in app.routes):
        raise ValueError("path: something is mounted there already; choose another")
    served = asgi(
        tools,
        name=name,
        version=version,
        instructions=instructions,
        hosts=hosts,
        auth=auth,
        context=context,
        state=state,
        key=key,
        stateless=stateless,
        resources=resources,
        prompts=prompts,
        ttl_ms=ttl_ms,
        cache_scope=cache_scope,
        lifespan=lifespan,
        approver=approver,
        context_of_principal=context_of_principal,
        page=page,
        token=token,
        history=history,
        redact=redact,
    )
    app.mount(path, served)
    return served
