"""The options of `toolhaft serve`, and which of them contradict each other."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from toolhaft.cli.unusable import Unusable

if TYPE_CHECKING:
    from toolhaft.serve.limits import Limits

__all__ = ["Asked", "refuse_combinations"]

LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")


class Asked(NamedTuple):
    """The options of one command line; a worker gets the same as JSON."""

    tools: str
    stdio: bool
    host: str
    port: int
    hosts: Sequence[str]
    token_file: str | None
    state: str | None
    context_of: str | None
    lock: str | None
    reload: bool
    workers: int
    sessions: bool
    drain_delay: float
    ttl_ms: int
    cache_scope: Literal["private", "public"]
    name: str | None
    version: str | None
    instructions: str | None
    approver_token_file: str | None
    context_of_principal: str | None
    log_level: str
    log_format: str
    print_config: str | None
    open: bool
    history: bool

    @property
    def limits(self) -> Limits:
        """The limits of the server."""
        from toolhaft.serve.limits import LIMITS

        return LIMITS._replace(drain_delay=self.drain_delay)


# Options that do nothing over stdio, such as a token that no client sends.
HTTP_ALONE: Final = {
    "host": "--host",
    "port": "--port",
    "hosts": "--allow-host",
    "token_file": "--token-file",
    "workers": "--workers",
    "sessions": "--sessions",
    "drain_delay": "--drain-delay",
    "approver_token_file": "--approver-token-file",
    "open": "--open",
}


def refuse_combinations(asked: Asked, is_given: Callable[[str], bool]) -> None:
    """Reject options that contradict each other; `is_given` finds the command line's options.

    Raises:
        Unusable: names two of them.
    """
    for name, option in HTTP_ALONE.items():
        if asked.stdio and is_given(name):
            raise Unusable(f"{option}: cannot be used with --stdio; give one of them")
    if asked.host not in LOOPBACK and not (asked.hosts and asked.token_file):
        needs = "--allow-host, the name it is reached by, and --token-file"
        raise Unusable(f"--host {asked.host}: others can reach the server there; give {needs}")
    if not isfinite(asked.drain_delay):
        raise Unusable("--drain-delay: not a number of seconds; give one from 0 to 300")
    if asked.lock is not None and asked.reload:
        raise Unusable("--lock and --reload: changed tools would not match the lock; give one")
    if asked.approver_token_file is not None and asked.state is None and not asked.open:
        raise Unusable("--approver-token-file: calls wait in a file; give --state FILE too")
    if asked.context_of_principal is not None and asked.approver_token_file is None:
        raise Unusable("--context-of-principal: nobody decides calls; give --approver-token-file")
    if is_given("history") and not asked.open:
        raise Unusable("--no-history: only the page keeps a history; give --open too")
    _refuse_for_workers(asked)


def _refuse_for_workers(asked: Asked) -> None:
    if asked.workers == 1:
        return
    count = f"--workers {asked.workers}"
    if os.name != "posix":
        raise Unusable(f"{count}: this system cannot share a socket among workers; leave it out")
    if asked.reload:
        raise Unusable(f"{count} and --reload: only one process can reload; give one")
    if asked.open:
        raise Unusable(f"{count} and --open: the page shows one process; give one")
    if asked.sessions:
        raise Unusable(f"{count} and --sessions: a session belongs to one process; give one")
