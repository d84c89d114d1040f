"""Make the application that `toolhaft serve` runs by its options."""

from __future__ import annotations

from functools import partial
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from toolhaft.cli.errors import Unusable
from toolhaft.cli.options import read_private_file, require_context
from toolhaft.cli.serve_logging import start_logging
from toolhaft.cli.serve_options import Asked
from toolhaft.cli.serve_page import Links, default_state, make_page
from toolhaft.cli.serve_tools import list_files, load_again, load_served, verify_served
from toolhaft.cli.source import load_offers
from toolhaft.loading.faults import one_line
from toolhaft.loading.modules import add_to_path
from toolhaft.tools.internals import may_wait
from toolhaft.toolset.toolset import Toolset

if TYPE_CHECKING:
    from toolhaft.serve.app import App
    from toolhaft.serve.approvers import Decider
    from toolhaft.serve.auth import Auth
    from toolhaft.serve.context import ContextOf
    from toolhaft.serve.reload import Loaded
    from toolhaft.serve.state import State

__all__ = ["make_app", "name_server", "own_decider"]

FEWEST_TOKEN_CHARS: Final = 16
APPROVER: Final = "--approver-token-file"
CONTEXT: Final = (
    "a Context is your own object for each call, unlike FastMCP's: name a function of the request, "
    "or yield it from lifespan() of the module (progress: a Report parameter)"
)


class Made(NamedTuple):
    """An application, how many tools it has, and the links of its page."""

    app: App
    tools: int
    links: Links | None


def make_app(asked: Asked) -> Made:
    """Load the tools and make their application.

    Raises:
        Unusable: Something that was named cannot be used.
    """
    from toolhaft.serve.app import App
    from toolhaft.serve.catalogue import Catalogue
    from toolhaft.serve.document import About
    from toolhaft.serve.mcp_offers import Caching
    from toolhaft.serve.options import Options
    from toolhaft.serve.reload import Reload

    source = load_served(asked.tools)
    start_logging(asked.log_level, asked.log_format)
    observers = _observers()
    toolset, offers = verify_served(source.toolset + observers, load_offers(source), asked.lock)
    _require_shared_state(asked, toolset)
    lifespan = getattr(source.module, "lifespan", None)
    has_context = asked.context_of is not None or lifespan is not None

    def load_changed() -> Loaded | None:
        changed = load_again(asked.tools, has_context=has_context)
        return None if changed is None else changed.combined(observers)

    if not has_context:
        require_context((*toolset, *offers.tools), None, CONTEXT)
    state = _open_state(asked.state or (default_state(asked.tools) if asked.open else None))
    page, links = (None, None) if not asked.open or state is None else make_page(asked, state)
    decider = _decider(asked, toolset)
    if decider is None and links is not None and links.inbox is not None:
        decider = own_decider(links.inbox, toolset)
        links = links._replace(inbox=links.inbox if decider else None)
    files = Reload(partial(list_files, asked.tools), load_changed)
    options = Options(
        about=About(asked.name or name_server(asked.tools), asked.version, asked.instructions),
        hosts=asked.hosts,
        context=_load_context(asked.context_of),
        lifespan=lifespan,
        caching=Caching(asked.ttl_ms, asked.cache_scope),
        offers=offers,
        limits=asked.limits,
        auth=_read_auth(asked.token_file),
        key=_key_of(asked.approver_token_file),
        state=state,
        reload=files if asked.reload else None,
        is_ready=source.is_ready,
        decider=decider,
        page=page,
        stateless=not (asked.sessions or asked.reload),
    )
    return Made(App(Catalogue(toolset), options), len(toolset), links)


def _observers() -> Toolset:
    """Return no tools, with the observers that the environment of OpenTelemetry asks for."""
    from toolhaft.serve.telemetry import TelemetryError, start_telemetry

    try:
        return Toolset(observers=start_telemetry())
    except TelemetryError as error:
        raise Unusable(str(error)) from None


def _require_shared_state(asked: Asked, tools: Toolset) -> None:
    """Refuse workers that each would let an approved call run once."""
    waiting = [tool.name for tool in tools if may_wait(tool)]
    if asked.workers > 1 and waiting and asked.state is None:
        raise Unusable(
            f"--workers {asked.workers}: calls of {waiting[0]} may wait for approval, which the "
            "workers share in a file; give --state FILE"
        )


def _load_context(target: str | None) -> ContextOf | None:
    """Load the function that makes contexts."""
    return None if target is None else _load_function("--context", target)


def _load_function(option: str, target: str) -> Any:
    module, colon, name = target.partition(":")
    if not colon or not name.isidentifier():
        raise Unusable(f"{option} {target}: expected package.module:function")
    add_to_path(Path.cwd())
    try:
        function: Any = getattr(import_module(module), name, None)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - the module's own code runs here
        raise Unusable(
            f"{option} {target}: {one_line(f'{type(error).__name__}: {error}')}"
        ) from None
    if not callable(function):
        raise Unusable(f"{option} {target}: no such function")
    return function


def _open_state(path: str | None) -> State | None:
    from toolhaft.serve.state import State, StateError

    try:
        return None if path is None else State(path)
    except StateError as error:
        raise Unusable(f"--state {error}") from None


def name_server(target: str) -> str:
    """Name the server as the module; a server or a document of others has no name."""
    return Path(target.partition(".py:")[0]).stem if "+" not in target else "tools"


def _read_auth(path: str | None) -> Auth | None:
    """Read the token to ask for."""
    from toolhaft.serve.auth import Auth, OneToken

    return None if path is None else Auth(OneToken(_read_token("--token-file", path)))


def _key_of(approver_token_file: str | None) -> bytes | None:
    """Make the key of what waits for a decision, which the file that keeps it does not hold."""
    if approver_token_file is None:
        return None
    return sha256(_read_token(APPROVER, approver_token_file).encode()).digest()


def _read_token(option: str, path: str) -> str:
    """Read a token from a file that nobody else on the machine can read."""
    token = read_private_file(option, path).strip()
    if len(token) < FEWEST_TOKEN_CHARS or not token.isprintable() or " " in token:
        expected = f"one line of at least {FEWEST_TOKEN_CHARS} characters without spaces"
        raise Unusable(f"{option} {path}: expected {expected}")
    return token


def _decider(asked: Asked, tools: Toolset) -> Decider | None:
    """Read who decides calls that wait; never a caller."""
    from toolhaft.serve.approvers import Decider, fault_of_context, one_approver

    if asked.approver_token_file is None:
        return None
    token = _read_token(APPROVER, asked.approver_token_file)
    if asked.token_file is not None and token == _read_token("--token-file", asked.token_file):
        raise Unusable(f"{APPROVER}: callers have this token; make another one for approvers")
    context_of: Any = None
    if asked.context_of_principal is not None:
        context_of = _load_function("--context-of-principal", asked.context_of_principal)
    decider = Decider(one_approver(token), context_of)
    if (fault := fault_of_context(tools, decider)) is not None:
        raise Unusable(fault)
    return decider


def own_decider(token: str, tools: Toolset) -> Decider | None:
    """Let the person who started the page decide calls, where no caller has a context."""
    from toolhaft.serve.approvers import Decider, fault_of_context, one_approver

    decider = Decider(one_approver(token))
    return None if fault_of_context(tools, decider) else decider
