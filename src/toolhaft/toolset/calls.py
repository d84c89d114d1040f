"""The calls of a toolset: by name, one or many, or from the text of one that waited."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from toolhaft.call.permission import NOBODY, Permission, PermissionOptions
from toolhaft.call.types import ToolCall, read_name
from toolhaft.definition.keyword_options import show_options
from toolhaft.tools.internals import call_permitted, call_permitted_sync

if TYPE_CHECKING:
    from collections.abc import Mapping

    from typing_extensions import Unpack

    from toolhaft.call.loop_guard import LoopGuard
    from toolhaft.call.once_token import Used
    from toolhaft.call.outcome import Err, Ok
    from toolhaft.call.prepared import Prepared
    from toolhaft.call.signing import Key
    from toolhaft.definition.predicates import Authorize
    from toolhaft.tools.tool import AnyTool, Raw
    from toolhaft.toolset.dispatch import Dispatch, GuardedCall

__all__ = ["ToolCalls"]


class ToolCalls:
    """The methods that call the tools of a toolset."""

    __slots__ = ("_dispatch", "_unobserved")

    if TYPE_CHECKING:
        _dispatch: Dispatch
        _unobserved: Mapping[str, AnyTool]

    @show_options(PermissionOptions)
    async def call(
        self,
        name: str,
        raw: Raw = None,
        /,
        *,
        context: Any = None,
        guard: LoopGuard | None = None,
        **asking: Unpack[PermissionOptions],
    ) -> Ok[Any] | Err:
        """Run a call of a tool by its name; never raises `Exception`.

        Args:
            name: The name of the tool. An unknown name is an outcome too.
            raw: The arguments as raw text, bytes or a dict.
            context: The context of the call, passed to the handler and to `authorize`.
            guard: A `LoopGuard` for the conversation.
            authorize: A further check, after the tool's and the toolset's.
            approve: A callback that decides a call which needs approval, instead of the toolset's.

        Returns:
            `Ok` with the result, or `Err`.
        """
        if type(name) is not str:
            name = read_name(name)
        permission = Permission.of(**asking) if asking else NOBODY
        if guard is not None and (refused := await guard.check(name, raw)) is not None:
            return self._dispatch.record_refusal(ToolCall(None, name, raw), refused, context)
        tool = self._unobserved.get(name)
        if tool is None:
            return await self._dispatch.run(ToolCall(None, name, raw), None, context, permission)
        return await call_permitted(tool, raw, context, permission)

    @show_options(PermissionOptions)
    def call_sync(
        self,
        name: str,
        raw: Raw = None,
        /,
        *,
        context: Any = None,
        guard: LoopGuard | None = None,
        **asking: Unpack[PermissionOptions],
    ) -> Ok[Any] | Err:
        """Like `call`, but synchronous, with the same arguments."""
        if type(name) is not str:
            name = read_name(name)
        permission = Permission.of(**asking) if asking else NOBODY
        if guard is not None and (refused := guard.check_sync(name, raw)) is not None:
            return self._dispatch.record_refusal(ToolCall(None, name, raw), refused, context)
        tool = self._unobserved.get(name)
        if tool is None:
            return self._dispatch.run_sync(ToolCall(None, name, raw), None, context, permission)
        if permission is not NOBODY:
            return call_permitted_sync(tool, raw, context, permission)
        return tool.call_sync(raw, context=context)

    @show_options(PermissionOptions)
    async def call_all(
        self,
        calls: Sequence[ToolCall],
        /,
        *,
        context: Any = None,
        guard: LoopGuard | None = None,
        **asking: Unpack[PermissionOptions],
    ) -> list[Ok[Any] | Err]:
        """Run calls concurrently.

        A tool with `parallel=False` runs alone: after all calls before it, and before all after it.
        A guard checks every call before the first one runs.

        Args:
            calls: The calls.
            context: The context of the call, passed to the handler and to `authorize`.
            guard: A `LoopGuard` for the conversation.
            authorize: A further check, after the tool's and the toolset's.
            approve: A callback that decides a call which needs approval, instead of the toolset's.

        Returns:
            One outcome for each call, in their order, with its `call_id`.
        """
        permission = Permission.of(**asking)
        guarded: list[GuardedCall] = [(call, None) for call in calls]
        if guard is not None:
            guarded = [(call, await guard.check(call.name, call.arguments)) for call in calls]
        return await self._dispatch.run_all(guarded, context, permission)

    @show_options(PermissionOptions)
    def call_all_sync(
        self,
        calls: Sequence[ToolCall],
        /,
        *,
        context: Any = None,
        guard: LoopGuard | None = None,
        **asking: Unpack[PermissionOptions],
    ) -> list[Ok[Any] | Err]:
        """Like `call_all`, but one call after the other, with the same arguments."""
        permission = Permission.of(**asking)
        guarded: list[GuardedCall] = [(call, None) for call in calls]
        if guard is not None:
            guarded = [(call, guard.check_sync(call.name, call.arguments)) for call in calls]
        return self._dispatch.run_all_sync(guarded, context, permission)

    def prepare(self, call: ToolCall, /, context: Any = None) -> Prepared[Any] | Err:
        """Validate a call without running it.

        Args:
            call: The call. A tool that is not visible counts as unknown.
            context: The context of the call.

        Returns:
            The prepared call, or an `Err` with its issues.
        """
        return self._dispatch.prepare(call, context)

    def resume(
        self,
        text: str | bytes,
        /,
        *,
        key: Key = None,
        used: Used | None = None,
        authorize: Authorize[Any] | None = None,
    ) -> Prepared[Any] | Err:
        """Restore a call that `Prepared.to_json` stored, in this process or another one.

        Call the result to run it; `authorize` runs again. A callback that was passed to the first
        call does not travel with the text. The call is denied if the text was changed, if the key
        does not fit, if the tool has changed, or if the call was made before.

        A process knows only what it ran itself. If several processes may resume the same text, pass
        `used`, which marks the call in a store that they share. With Redis: `lambda nonce: not
        store.set(nonce, 1, nx=True)`.

        Args:
            text: The text that `Prepared.to_json` returned.
            key: The secret that was passed to `to_json`.
            used: A function of the call's nonce, called just before the handler. It marks the nonce
                as used in one step, and returns False the first time.
            authorize: A further check, after the tool's and the toolset's.

        Returns:
            The prepared call, or an `Err` of the kind "denied".
        """
        from toolhaft.call.restoring import read_text

        data = read_text(text, key)
        if not isinstance(data, dict):
            return self._dispatch.record_refusal(ToolCall(None, "", None), data)
        return self._dispatch.restore(data, used, permission=Permission.of(authorize))
