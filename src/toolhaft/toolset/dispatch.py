"""The way of a toolset's calls: each finds its tool, and whoever watches is told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextvars import copy_context
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from toolhaft.call import feedback
from toolhaft.call.call_options import CallOptions
from toolhaft.call.outcome import Err, Ok
from toolhaft.call.types import ToolCall
from toolhaft.tools.tool import AnyTool

if TYPE_CHECKING:
    from toolhaft.call.once_token import Used
    from toolhaft.call.prepared import Prepared
    from toolhaft.observers.call_observers import CallObservers

__all__ = ["Asked", "Dispatch"]

# A call, and the outcome that it has already where a guard refused it.
Asked: TypeAlias = tuple[ToolCall, Err | None]


class Dispatch:
    """Runs calls by name, alone or many at a time."""

    __slots__ = ("_alone", "_tools", "_watch")

    def __init__(self, tools: Mapping[str, AnyTool], watch: CallObservers | None) -> None:
        self._tools = tools
        self._watch = watch
        self._alone: frozenset[str] | None = None

    async def run_all(self, asked: list[Asked], context: Any) -> list[Ok[Any] | Err]:
        """Run calls side by side, but for tools that run alone; outcomes in the calls' order."""
        import asyncio

        outcomes: list[Ok[Any] | Err] = []
        for together in self._stages(asked):
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self.run(*one, context)) for one in together]
            outcomes += [task.result() for task in tasks]
        return outcomes

    def run_all_sync(self, asked: list[Asked], context: Any) -> list[Ok[Any] | Err]:
        """Run calls one after the other, without a loop."""
        # Each in a copy of the caller's contextvars, as a task has: none sees what others set.
        return [copy_context().run(self.run_sync, *one, context) for one in asked]

    def _stages(self, asked: list[Asked]) -> Iterator[list[Asked]]:
        """What runs together; a tool that is not parallel is a stage by itself."""
        if self._alone is None:
            tools = self._tools.items()
            self._alone = frozenset(name for name, one in tools if not one.rules.parallel)
        together: list[Asked] = []
        for one in asked:
            if one[0].name not in self._alone:
                together.append(one)
                continue
            yield together
            yield [one]
            together = []
        yield together

    async def run(self, one: ToolCall, refused: Err | None, context: Any) -> Ok[Any] | Err:
        """Run one call, unless it has its outcome already."""
        if refused is not None:
            return self.refused(one, refused)
        if self._watch is None:
            return _labelled(await self._found(one, context), one)
        with self._watch.over(one, self._described(one.name)) as seen:
            limited = seen.refused
            outcome = await self._found(one, context) if limited is None else limited
            seen.outcome = self._followed(_labelled(outcome, one), one)
        return outcome

    def run_sync(self, one: ToolCall, refused: Err | None, context: Any) -> Ok[Any] | Err:
        """Do as `run` does, without a loop."""
        if refused is not None:
            return self.refused(one, refused)
        if self._watch is None:
            return _labelled(self._found_sync(one, context), one)
        with self._watch.over(one, self._described(one.name)) as seen:
            limited = seen.refused
            outcome = self._found_sync(one, context) if limited is None else limited
            seen.outcome = self._followed(_labelled(outcome, one), one)
        return outcome

    async def _found(self, one: ToolCall, context: Any) -> Ok[Any] | Err:
        found = self._tools.get(one.name)
        if found is None:
            return self._unknown(one.name)
        return await found.call(one.arguments, context=context)

    def _found_sync(self, one: ToolCall, context: Any) -> Ok[Any] | Err:
        found = self._tools.get(one.name)
        if found is None:
            return self._unknown(one.name)
        return found.call_sync(one.arguments, context=context)

    def _unknown(self, name: str) -> Err:
        known = self._tools  # looked through when somebody reads the text: there may be thousands
        return Err(
            "unknown_tool", lambda _: feedback.describe_unknown_tool(name, known), CallOptions(name)
        )

    def refused(self, call: ToolCall, err: Err) -> Err:
        """Give a call an outcome that was certain before it could reach a tool."""
        _labelled(err, call)
        if self._watch is not None:
            with self._watch.over(call, self._described(call.name), err) as seen:
                seen.outcome = err
        return err

    def restored(
        self, data: dict[str, Any], used: Used | None, target: str | None
    ) -> Prepared[Any] | Err:
        """Give a call back that was written down, to its tool if that is still the same."""
        from toolhaft.call.restoring import to_refusal

        name = str(data.get("name", ""))
        found = self._tools.get(name)
        gone = to_refusal(CallOptions(name), "its tool is not there")
        made = gone if found is None else found.restored(data, used)
        if isinstance(made, Err):
            call_id = data.get("call_id")
            return self.refused(ToolCall(call_id and str(call_id), name), made)
        self.follow(made, target)
        return made

    def _followed(self, outcome: Ok[Any] | Err, one: ToolCall) -> Ok[Any] | Err:
        if isinstance(outcome, Err) and outcome.prepared is not None:
            self.follow(outcome.prepared, one.target)
        return outcome

    def follow(self, prepared: Prepared[Any], target: str | None = None) -> None:
        """Have the run of a call that waits for a person observed too."""
        if self._watch is not None:
            description = self._described(prepared.name)
            prepared.observed = partial(self._watch.approved, description, target)

    def _described(self, name: str) -> str | None:
        found = self._tools.get(name)
        return None if found is None else found.description


def _labelled(outcome: Ok[Any] | Err, call: ToolCall) -> Ok[Any] | Err:
    outcome.call_id = call.id
    if call.coercions:
        outcome.coercions = call.coercions + outcome.coercions
    if isinstance(outcome, Err) and outcome.prepared is not None:
        outcome.prepared.call_id = call.id
        outcome.prepared.coercions = outcome.coercions
    return outcome
