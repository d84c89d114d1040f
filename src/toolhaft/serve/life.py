"""The lifespan of a server: an async context manager of the program.

It is entered when the server starts, or by the first request where an application that does not
pass on its own start has mounted the server; and left when the server ends.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any, Final, TypeAlias

from toolhaft.call import report
from toolhaft.errors import ToolhaftError
from toolhaft.serve.context import ContextOf

__all__ = ["Life", "LifeFailed", "Lifespan", "with_life"]

Lifespan: TypeAlias = Callable[[], AbstractAsyncContextManager[Any]]

BOTH: Final = 2


class LifeFailed(ToolhaftError):
    """The lifespan failed, and the id under which the log has the reason."""

    def __init__(self, error_id: str) -> None:
        self.error_id = error_id
        super().__init__(f"the lifespan of the server failed (id {error_id})")


class Life:
    """Enters a lifespan once for each loop, in a task of its own, and leaves it there.

    `check` is given what it yields, and raises where the tools need something else.
    """

    def __init__(self, lifespan: Lifespan, check: Callable[[Any], object]) -> None:
        self._lifespan = lifespan
        self._check = check
        self._loop: asyncio.AbstractEventLoop | None = None
        self._entered: asyncio.Future[Any]
        self._stop: asyncio.Event
        self._task: asyncio.Task[None]

    async def enter(self) -> Any:
        """Return what the lifespan yields.

        Raises:
            LifeFailed: The lifespan or the check failed.
        """
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._loop, self._entered, self._stop = loop, loop.create_future(), asyncio.Event()
            self._task = loop.create_task(self._run())
        return await asyncio.shield(self._entered)

    async def _run(self) -> None:
        try:
            async with self._lifespan() as value:
                self._check(value)
                self._entered.set_result(value)
                await self._stop.wait()
        except Exception as error:  # noqa: BLE001  the program's own lifespan
            failed = LifeFailed(report.log_part("the lifespan", error))
            if self._entered.done():
                raise failed from None
            self._entered.set_exception(failed)

    async def leave(self) -> None:
        """Leave the lifespan, if it was entered.

        Raises:
            LifeFailed: The lifespan failed to end.
        """
        if self._loop is asyncio.get_running_loop():
            self._stop.set()
            self._loop = None
            if not (self._entered.done() and self._entered.exception()):
                await self._task


def with_life(function: ContextOf | None, value: Any) -> ContextOf:
    """Return a function of the request that makes contexts with what a lifespan yields.

    Without a function of the program, that is the context.
    """
    if function is None:
        return lambda _: value
    parameters = inspect.signature(function).parameters.values()
    positional = [
        one for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)
    ]
    takes_any = any(one.kind is one.VAR_POSITIONAL for one in parameters)
    if len(positional) < BOTH and not takes_any:
        return function
    return lambda request: function(request, value)
