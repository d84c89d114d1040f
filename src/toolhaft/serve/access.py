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
from toolhaft.serve.responses import Scope

if TYPE_CHECKING:
    from toolhaft.serve.context import Caller

__all__ = ["ACCESS", "LOG", "MEASURES", "Access", "name_caller"]

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
    """One request: the facts about it when it ends."""

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
        """Return the record of a request; a new one if there is none, as over stdio."""
        known = None if scope is None else scope.get(ACCESS)
        return known if isinstance(known, Access) else cls("MCP")

    def note(self, tool: str | None, outcome: Ok[Any] | Err) -> None:
        """Note how a call ended; `tool` is None if its name is the client's alone."""
        self.tool = tool
        self.kind, self.error_id = "ok", None
        if isinstance(outcome, Err):
            self.kind, self.error_id = outcome.kind, outcome.error_id

    def write(self) -> None:
        """Write the line, and measure the request."""
        self.seconds = perf_counter() - self._begun
        for measure in MEASURES:
            measure(self)
        level = self.level
        if LOG.isEnabledFor(level):
            LOG.log(level, "%s", self.line, extra={"access": self.facts})

    @property
    def level(self) -> int:
        """The level of the line: a refusal is a warning, a probe that succeeds for debugging."""
        if self.reason is not None:
            return logging.WARNING
        if self.status < REFUSED and self.route in PROBES:
            return logging.DEBUG
        return logging.INFO

    @property
    def line(self) -> str:
        """The facts that are known, for people."""
        words = [self.method, self.route]
        if self.tool is not None:
            words.append(self.tool)
        if self.status:
            words.append(str(self.status))
        if self.kind is not None:
            words.append(self.kind)
        words.append(f"{1000 * self.seconds:.1f} ms")
        if self.caller is not None:
            words.append(f"caller={self.caller}")
        if self.error_id is not None:
            words.append(f"id={self.error_id}")
        if self.reason is not None:
            words.append(f"({self.reason})")
        return " ".join(words)

    @property
    def facts(self) -> dict[str, object]:
        """The facts that are known, for formatters that write JSON."""
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

    None if nothing tells callers apart.
    """
    if caller.context is None and not caller.token_owner:
        return None
    identity = caller.identity
    if isinstance(identity, str):
        return escape_text(identity, MOST_NAME_CHARS)
    if caller.token_owner:
        return escape_text(caller.token_owner, MOST_NAME_CHARS)
    if caller.context is None or caller.owner is None:
        return None
    return "#" + sha256(caller.owner).hexdigest()[:DIGITS]
