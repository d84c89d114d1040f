"""Dispatch the calls of a toolset to its tools, with observers around each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextvars import copy_context
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from toolhaft.call import feedback, report
from toolhaft.call.call_options import CallOptions
from toolhaft.call.internals import observe_run
from toolhaft.call.outcome import Err, Ok
from toolhaft.call.permission import NOBODY, Permission
from toolhaft.call.types import ToolCall
from toolhaft.definition.names import NameIndex
from toolhaft.tools.internals import (
    add_permission,
    call_options_of,
    call_permitted,
    call_permitted_sync,
    is_always_visible,
    prepare_call,
    restore_call,
)
from toolhaft.tools.tool import AnyTool

if TYPE_CHECKING:
    from toolhaft.call.once_token import Used
    from toolhaft.call.prepared import Prepared
    from toolhaft.observers.call_observers import CallObservers

__all__ = ["Dispatch", "GuardedCall", "with_call_fields"]

# A call, and its outcome where a guard refused it.
GuardedCall: TypeAlias = tuple[ToolCall, Err | None]


class Dispatch:
    """Runs calls by name, alone or many at a time."""

    __slots__ = ("_alone", "_hides", "_names", "_observers", "_tools")

    def __init__(self, tools: Mapping[str, AnyTool], observers: CallObservers | None) -> None:
        self._tools = tools
        self._observers = observers
        self._alone: frozenset[str] | None = None
        self._names: NameIndex | None = None
        self._hides = True

    async def run_all(
        self, calls: list[GuardedCall], context: Any, permission: Permission
    ) -> list[Ok[Any] | Err]:
        """Run calls side by side, but for tools that run alone; outcomes in the calls' order."""
        import asyncio

        outcomes: list[Ok[Any] | Err] = []
        for stage in self._stages(calls):
            ended: dict[int, Ok[Any] | Err] = {}
            try:
                async with asyncio.TaskGroup() as group:
                    for place, call in enumerate(stage):
                        running = self._run_into(ended, place, call, context, permission)
                        group.create_task(running)
            except BaseExceptionGroup as raised:  # a host's control flow, which steers by its type
                raise raised.exceptions[0] from None
            outcomes += [
                ended[place] if place in ended else _to_cancelled(call)
                for place, (call, _) in enumerate(stage)
            ]
        return outcomes

    async def _run_into(
        self,
        ended: dict[int, Ok[Any] | Err],
        place: int,
        call: GuardedCall,
        context: Any,
        permission: Permission,
    ) -> None:
        """Keep the outcome of a call: a task that its handler cancelled would lose it."""
        ended[place] = await self.run(*call, context, permission)

    def run_all_sync(
        self, calls: list[GuardedCall], context: Any, permission: Permission
    ) -> list[Ok[Any] | Err]:
        """Run calls one after the other, without a loop."""
        # Each in a copy of the caller's contextvars, as a task has: none sees what others set.
        run = self.run_sync
        return [copy_context().run(run, *call, context, permission) for call in calls]

    def _stages(self, calls: list[GuardedCall]) -> Iterator[list[GuardedCall]]:
        """Group the calls that run together; one of a tool that is not parallel runs alone."""
        if self._alone is None:
            tools = self._tools.items()
            self._alone = frozenset(
                name for name, tool in tools if not call_options_of(tool).parallel
            )
        stage: list[GuardedCall] = []
        for call in calls:
            if call[0].name not in self._alone:
                stage.append(call)
                continue
            yield stage
            yield [call]
            stage = []
        yield stage

    async def run(
        self, call: ToolCall, refused: Err | None, context: Any, permission: Permission = NOBODY
    ) -> Ok[Any] | Err:
        """Run one call, unless it has its outcome already; `permission` is needed too."""
        if refused is not None:
            return self.record_refusal(call, refused, context)
        tool = self.find_visible(call.name, context)
        if self._observers is None:
            return with_call_fields(await self._call(tool, call, context, permission), call)
        with self._observers.observe(call, tool, context=context) as observation:
            outcome: Ok[Any] | Err | None = observation.refused
            if outcome is None:
                outcome = await self._call(tool, call, context, permission)
            observation.outcome = with_call_fields(outcome, call)
            if isinstance(outcome, Err) and outcome.prepared is not None:
                self.observe_run(outcome.prepared, call.target)
        return outcome

    def run_sync(
        self, call: ToolCall, refused: Err | None, context: Any, permission: Permission = NOBODY
    ) -> Ok[Any] | Err:
        """Synchronous version of `run`."""
        if refused is not None:
            return self.record_refusal(call, refused, context)
        tool = self.find_visible(call.name, context)
        if self._observers is None:
            return with_call_fields(self._call_sync(tool, call, context, permission), call)
        with self._observers.observe(call, tool, context=context) as observation:
            outcome: Ok[Any] | Err | None = observation.refused
            if outcome is None:
                outcome = self._call_sync(tool, call, context, permission)
            observation.outcome = with_call_fields(outcome, call)
            if isinstance(outcome, Err) and outcome.prepared is not None:
                self.observe_run(outcome.prepared, call.target)
        return outcome

    async def _call(
        self, tool: AnyTool | None, call: ToolCall, context: Any, permission: Permission
    ) -> Ok[Any] | Err:
        if tool is None:
            return self._unknown(call.name, context)
        return await call_permitted(tool, call.arguments, context, permission, call)

    def _call_sync(
        self, tool: AnyTool | None, call: ToolCall, context: Any, permission: Permission
    ) -> Ok[Any] | Err:
        if tool is None:
            return self._unknown(call.name, context)
        return call_permitted_sync(tool, call.arguments, context, permission, call)

    def prepare(self, call: ToolCall, context: Any) -> Prepared[Any] | Err:
        """Check a call as `run` does, and run nothing."""
        tool = self.find_visible(call.name, context)
        if tool is None:
            return self._unknown(call.name, context)
        return prepare_call(tool, call, context)

    def find_visible(self, name: str, context: Any) -> AnyTool | None:
        """Find the tool that a caller in a context knows by a name."""
        tool = self._tools.get(name)
        return None if tool is None or not tool.is_visible(context) else tool

    def _unknown(self, name: str, context: Any) -> Err:
        def describe(_: object) -> str:  # called only when the text is read
            return feedback.describe_unknown_tool(name, self._names_visible(context))

        return Err("unknown_tool", describe, CallOptions(name))

    def _names_visible(self, context: Any) -> Iterable[str] | NameIndex:
        """Return the names that a caller in a context knows: there may be thousands."""
        if self._names is None:
            self._names = NameIndex(self._tools)
            self._hides = not all(map(is_always_visible, self._tools.values()))
        if not self._hides:
            return self._names
        return [name for name in self._names.names if self._tools[name].is_visible(context)]

    def record_refusal(self, call: ToolCall, err: Err, context: Any = None) -> Err:
        """Complete and observe the outcome of a call that was rejected before its tool."""
        with_call_fields(err, call)
        if self._observers is not None:
            tool = self.find_visible(call.name, context)
            with self._observers.observe(call, tool, err, context=context) as observation:
                observation.outcome = err
        return err

    def restore(
        self,
        data: dict[str, Any],
        used: Used | None,
        target: str | None = None,
        permission: Permission = NOBODY,
    ) -> Prepared[Any] | Err:
        """Restore a stored call of a tool, if that is still the same."""
        from toolhaft.call.restoring import to_refusal

        name = str(data.get("name", ""))
        tool = self._tools.get(name)
        prepared: Prepared[Any] | Err
        if tool is None:
            prepared = to_refusal(CallOptions(name), "its tool no longer exists")
        else:
            prepared = restore_call(add_permission(tool, permission), data, used)
        if isinstance(prepared, Err):
            call_id = data.get("call_id")
            call = ToolCall(call_id and str(call_id), name, caller=prepared.caller)
            return self.record_refusal(call, prepared)
        self.observe_run(prepared, target)
        return prepared

    def observe_run(self, prepared: Prepared[Any], target: str | None = None) -> None:
        """Have the later run of a call that waits for a person observed too."""
        if self._observers is not None:
            tool = self._tools[prepared.name]
            observe = partial(self._observers.observe_approved, tool, target)
            observe_run(prepared, observe)


def _to_cancelled(call: ToolCall) -> Err:
    """Make the outcome of a call whose task a handler cancelled, while its caller goes on."""
    from asyncio import CancelledError

    error_id = report.log_crash(call.name, CancelledError())
    text = feedback.describe_crash(error_id, "unknown", may_repeat=False)
    options = CallOptions(call.name)
    err = Err("runtime_error", text, options, effect="unknown", error_id=error_id)
    with_call_fields(err, call)
    return err


def with_call_fields(outcome: Ok[Any] | Err, call: ToolCall) -> Ok[Any] | Err:
    """Set the id of a call on its outcome, and the repairs made when the call was read."""
    outcome.call_id = call.id
    if call.caller is not None:
        outcome.caller = call.caller
    if call.coercions:
        outcome.coercions = call.coercions + outcome.coercions
    if isinstance(outcome, Err) and outcome.prepared is not None:
        outcome.prepared.call_id, outcome.prepared.caller = call.id, call.caller
        outcome.prepared.origin = call.origin
        outcome.prepared.coercions = outcome.coercions
    return outcome
