"""The access log: one line for each request, without anything that a client wrote.

Its logger is `toolhaft.access`. A record has its facts as `access`, for formatters that write JSON.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from hashlib import sha256
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

from toolhaft.call.outcome import Err, Ok
from toolhaft.definition.names import escape_text
from toolhaft.serve.respond import Scope

if TYPE_CHECKING:
    from toolhaft.serve.context import Caller

__all__ = ["ACCESS", "MEASURES", "Access", "name_caller"]

LOG: Final = logging.getLogger("toolhaft.access")
ACCESS: Final = "toolhaft.access"  # where a scope has the record of its request
# Probes come every few seconds.
PROBES: Final = ("/health", "/ready")
REFUSED: Final = 400
MOST_NAME_CHARS: Final = 64
DIGITS: Final = 8
# Are given each request that ended: metrics.
MEASURES: Final[list[Callable[[Access], object]]] = []


class Access:
    """One request: what is known of it when it ends."""

    __slots__ = (
        "_begun",
        "caller",
        "error_id",
        "kind",
        "method",
        "reason",
        "route",
        "seconds",
        "status",
        "tool",
    )

    def __init__(self, method: str) -> None:
        self.method = method
        self.route = "-"
        self.tool: str | None = None
        self.kind: str | None = None
        self.error_id: str | None = None
        self.caller: str | None = None
        self.reason: str | None = None
        self.status = 0
        self.seconds = 0.0
        self._begun = perf_counter()

    @classmethod
    def of(cls, scope: Scope | None) -> Access:
        """Return the record of a request; a new one where there is none, as over stdio."""
        known = None if scope is None else scope.get(ACCESS)
        return known if isinstance(known, Access) else cls("MCP")

    def note(self, tool: str | None, outcome: Ok[Any] | Err) -> None:
        """Note how a call ended; `tool` is None where its name is the client's alone."""
        self.tool = tool
        self.kind, self.error_id = "ok", None
        if isinstance(outcome, Err):
            self.kind, self.error_id = outcome.kind, outcome.error_id

    def write(self) -> None:
        """Write the line, and measure the request."""
        self.seconds = perf_counter() - self._begun
        for measure in MEASURES:
            measure(self)
        level = logging.INFO
        if self.reason is not None:
            level = logging.WARNING
        elif self.route in PROBES and self.status < REFUSED:
            level = logging.DEBUG
        if LOG.isEnabledFor(level):
            line = " ".join(f"{value}" for value in self._words())
            LOG.log(level, "%s", line, extra={"access": self._facts()})

    def _words(self) -> list[object]:
        """List the parts of the line that are known."""
        named = {"caller": self.caller, "id": self.error_id}
        words = [self.method, self.route, self.tool, self.status or None, self.kind]
        words += [f"{1000 * self.seconds:.1f} ms"]
        words += [f"{name}={value}" for name, value in named.items() if value is not None]
        words += [] if self.reason is None else [f"({self.reason})"]
        return [word for word in words if word is not None]

    def _facts(self) -> dict[str, object]:
        facts = {
            "method": self.method,
            "route": self.route,
            "tool": self.tool,
            "kind": self.kind,
            "status": self.status or None,
            "milliseconds": round(1000 * self.seconds, 3),
            "error_id": self.error_id,
            "caller": self.caller,
            "reason": self.reason,
        }
        return {name: value for name, value in facts.items() if value is not None}


def name_caller(caller: Caller) -> str | None:
    """Name a caller for people: by the identity of its context, else of its token, else a digest.

    None where nothing tells callers apart.
    """
    identity = caller.identity
    if isinstance(identity, str):
        return escape_text(identity, MOST_NAME_CHARS)
    if caller.token_owner:
        return escape_text(caller.token_owner, MOST_NAME_CHARS)
    if caller.context is None or caller.owner is None:
        return None
    return "#" + sha256(caller.owner).hexdigest()[:DIGITS]
