"""Calls of a toolset that keeps long results: each outcome is looked at before anybody sees it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from toolhaft.call import report, workers
from toolhaft.call.feedback import ignored_note
from toolhaft.call.internals import keep_result
from toolhaft.call.interrupts import raise_interrupt
from toolhaft.call.outcome import Err, KeptOk, Ok
from toolhaft.call.parts import ContentParts
from toolhaft.call.permission import NOBODY, Permission
from toolhaft.call.prepared import Prepared
from toolhaft.tools.internals import call_options_of
from toolhaft.toolset.dispatch import Dispatch
from toolhaft.toolset.results.kept import has_room_for
from toolhaft.toolset.results.reading import READ_RESULT, write_slice
from toolhaft.toolset.results.store import LEAST_CHARACTERS, Store

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolhaft.call.once_token import Used
    from toolhaft.call.types import ToolCall
    from toolhaft.observers.call_observers import CallObservers
    from toolhaft.tools.tool import AnyTool

__all__ = ["KeepingDispatch"]


class KeepingDispatch(Dispatch):
    """Runs calls, and keeps the results that are too long for a model."""

    __slots__ = ("_store",)

    def __init__(
        self, tools: Mapping[str, AnyTool], observers: CallObservers | None, store: Store
    ) -> None:
        super().__init__(tools, observers)
        self._store = store

    async def _call(
        self, tool: AnyTool | None, call: ToolCall, context: Any, permission: Permission
    ) -> Ok[Any] | Err:
        outcome = self._attach(await super()._call(tool, call, context, permission))
        if not self._is_long(outcome):
            return outcome
        kept = await workers.run_in_thread(partial(self._keep, outcome, context), None)
        return kept if isinstance(kept, Ok) else outcome

    def _call_sync(
        self, tool: AnyTool | None, call: ToolCall, context: Any, permission: Permission
    ) -> Ok[Any] | Err:
        outcome = self._attach(super()._call_sync(tool, call, context, permission))
        return self._keep(outcome, context)

    def prepare(self, call: ToolCall, context: Any) -> Prepared[Any] | Err:
        """Check a call as `run` does, and run nothing."""
        return self._keep_later(super().prepare(call, context))

    def restore(
        self,
        data: dict[str, Any],
        used: Used | None,
        target: str | None = None,
        permission: Permission = NOBODY,
    ) -> Prepared[Any] | Err:
        """Restore a stored call of a tool, if that is still the same."""
        return self._keep_later(super().restore(data, used, target, permission))

    def _keep_later(self, prepared: Prepared[Any] | Err) -> Prepared[Any] | Err:
        if isinstance(prepared, Prepared):
            keep_result(prepared, self._keep)
        return prepared

    def _attach(self, outcome: Ok[Any] | Err) -> Ok[Any] | Err:
        """Have the result of a call that waits for a person looked at when it runs."""
        if isinstance(outcome, Err) and outcome.prepared is not None:
            keep_result(outcome.prepared, self._keep)
        return outcome

    def _keep(self, outcome: Ok[Any] | Err, context: Any) -> Ok[Any] | Err:
        """Keep a result that is too long; without a key or a place for it, it is cut as ever."""
        if isinstance(outcome, Err) or not self._is_long(outcome):
            return outcome
        try:
            handle, kept = self._store.keep(_kept_part(outcome), outcome.name, context)
        except BaseException as error:  # noqa: BLE001  the program's own key, or a full disk
            raise_interrupt(error)
            report.log_crash(outcome.name, error)
            return outcome
        limit, note = self._limit(outcome), ignored_note(outcome.coercions, self._limit(outcome))
        beginning = write_slice(kept, handle, 0, kept.facts.total, limit - len(note))
        return KeptOk(outcome, beginning + note)

    def _is_long(self, outcome: Ok[Any] | Err) -> bool:
        if isinstance(outcome, Err) or outcome.name == READ_RESULT:
            return False
        limit = self._limit(outcome)
        return limit >= LEAST_CHARACTERS and not has_room_for(_kept_part(outcome), limit)

    def _limit(self, outcome: Ok[Any]) -> int:
        limit = call_options_of(self._tools[outcome.name]).max_result_chars
        return self._store.max_result_chars if limit is None else limit


def _kept_part(ok: Ok[Any]) -> Any:
    """Return the text or the data of a result; of content, its texts."""
    shown = KeptOk.shown_of(ok)
    if type(shown) is not ContentParts:
        return shown
    return "\n".join(part for part in shown.items if isinstance(part, str))
