"""Reload a served module when its files change, and tell connected clients."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from toolhaft.call import report
from toolhaft.serve.catalogue import Catalogue
from toolhaft.serve.mcp_offers import Offering
from toolhaft.serve.offers import Offers
from toolhaft.toolset.toolset import Toolset

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

__all__ = ["Loaded", "Reload", "Reloader"]

SECONDS: Final = 0.5
LOG: Final = logging.getLogger("toolhaft.serve")


class Loaded(NamedTuple):
    """The tools and offers of a module."""

    tools: Toolset
    offers: Offers

    def combined(self, others: Toolset) -> Loaded:
        """Return the same, with the callbacks of another toolset too."""
        tools = self.tools + others
        return Loaded(tools, self.offers.without((), tools))


class Reload(NamedTuple):
    """Which files the tools come from, and how to load them again.

    `load` returns None if they cannot be loaded: then the former ones are still served.
    """

    files: Callable[[], Iterable[Path]]
    load: Callable[[], Loaded | None]


class Reloader:
    """Looks at files twice a second; loads their module again, and tells the clients."""

    def __init__(self, catalogue: Catalogue, reload: Reload) -> None:
        from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler

        self._catalogue = catalogue
        self._files, self._load = reload
        self._offering: Offering | None = None
        self._bus = InMemorySubscriptionBus()
        # Newer clients wait here for changes.
        self.listen = ListenHandler(self._bus)
        self._sessions: list[Any] = []  # of older clients
        self._seen = self._stamp()

    def watch(self, server: Server[Any], offering: Offering) -> None:
        """Replace what is offered too, and tell older clients, which do not subscribe to changes.

        Their sessions are remembered.
        """
        self._offering = offering
        from mcp.types import NotificationParams

        async def note(context: Any, _params: Any) -> None:
            self._sessions.append(context.session)

        server.add_notification_handler("notifications/initialized", NotificationParams, note)

    async def run(self) -> None:
        """Check the files twice a second until cancelled."""
        while True:
            await asyncio.sleep(SECONDS)
            await self.look()

    async def look(self) -> bool:
        """Load the tools again if a file changed; True where that replaced them."""
        stamp = self._stamp()
        if stamp == self._seen:
            return False
        self._seen = stamp
        loaded = self._load()
        if loaded is None:
            LOG.warning("reload: the files cannot be loaded; the former tools are served")
            return False
        LOG.info("reload: %d tools are served", len(loaded.tools))
        self._catalogue.replace(loaded.tools)
        if self._offering is not None:
            self._offering.replace(loaded.offers)
        await self._tell()
        return True

    def _stamp(self) -> dict[Path, tuple[int, int]]:
        """Return the time and the size of each file, by which changes are seen."""
        stamp: dict[Path, tuple[int, int]] = {}
        for path in self._files():
            try:
                status = path.stat()
            except OSError:  # it is being written anew
                continue
            stamp[path] = status.st_mtime_ns, status.st_size
        return stamp

    async def _tell(self) -> None:
        from mcp.server.subscriptions import (
            PromptsListChanged,
            ResourcesListChanged,
            ToolsListChanged,
        )

        for change in (ToolsListChanged(), ResourcesListChanged(), PromptsListChanged()):
            await self._bus.publish(change)
        for session in list(self._sessions):
            try:
                await session.send_tool_list_changed()
                await session.send_resource_list_changed()
                await session.send_prompt_list_changed()
            except Exception as error:  # noqa: BLE001  a client that went away
                self._sessions.remove(session)
                report.log_part("telling a client of other tools", error)
