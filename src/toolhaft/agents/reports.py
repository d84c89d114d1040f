"""Pass on what handlers report while the calls of a turn run."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Coroutine
from typing import Any, TypeAlias

from toolhaft.agents.events import Reported
from toolhaft.call.progress import Progress, report_also_to
from toolhaft.toolset.answers import Answer

__all__ = ["start_answer", "yield_reports"]

Reports: TypeAlias = "asyncio.Queue[Reported | None]"


def start_answer(
    answering: Coroutine[Any, Any, Answer],
) -> tuple[asyncio.Task[Answer], Reports]:
    """Begin to answer a turn; return it with the queue of what its handlers report."""
    loop, reports = asyncio.get_running_loop(), asyncio.Queue[Reported | None]()

    def tell(progress: Progress) -> None:
        loop.call_soon_threadsafe(reports.put_nowait, Reported(progress))

    with report_also_to(tell):
        answer = asyncio.ensure_future(answering)
    # After all earlier reports: both go through the loop.
    answer.add_done_callback(lambda _: loop.call_soon(reports.put_nowait, None))
    return answer, reports


async def yield_reports(
    answering: asyncio.Task[Answer], reports: Reports
) -> AsyncGenerator[Reported]:
    """Yield what handlers report until the turn is answered; end them where nobody listens."""
    try:
        while (event := await reports.get()) is not None:
            yield event
    finally:
        if not answering.done():
            answering.cancel()
            await asyncio.wait({answering})
