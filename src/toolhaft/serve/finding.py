"""The deferred tools that clients of MCP find, in the revisions that have sessions.

A session lists a deferred tool once its own search has found it, and is notified that its list has
changed. A client without a session, which any process may answer, is shown every tool.
"""

from __future__ import annotations

import weakref
from typing import Any

from toolhaft.call.outcome import Err, Ok
from toolhaft.serve.offering import is_newest
from toolhaft.toolset.deferral import names_of
from toolhaft.toolset.export import Export
from toolhaft.toolset.internals import is_search

__all__ = ["FoundTools"]


class FoundTools:
    """The names of the tools that each session has found, for as long as the session lasts."""

    def __init__(self) -> None:
        # A session is known by the introduction of its client, which the SDK keeps for it.
        self._names: dict[int, list[str]] = {}

    def of(self, context: Any) -> list[str] | None:
        """Return the names that the session of a request has found; None if there is no session."""
        client = context.session.client_params
        if client is None or is_newest(context):
            return None
        key = id(client)
        if key not in self._names:
            self._names[key] = []
            weakref.finalize(client, self._names.pop, key, None).atexit = False
        return self._names[key]

    async def add(self, context: Any, wire: Export, outcome: Ok[Any] | Err) -> None:
        """Add what a call has found, and notify the client if its list has changed."""
        from mcp.types import ToolListChangedNotification

        known = self.of(context)
        if known is None or not is_search(wire, outcome):
            return
        new = [name for name in names_of(outcome) if name not in known]
        if new:
            known += new
            # On the stream of the call, so that it comes before the result, and needs no other.
            changed = ToolListChangedNotification()
            await context.session.send_notification(changed, context.request_id)
