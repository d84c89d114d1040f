"""`Export`: a toolset as one target takes it, and that target's calls run and answered.

`Toolset.export` makes it. Every step of a turn is a method of its own; `answer` takes them all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from toolhaft import providers
from toolhaft.call import feedback
from toolhaft.call.outcome import Err, Ok, ToolCall
from toolhaft.call.rules import Rules
from toolhaft.names import NameMap

if TYPE_CHECKING:
    from toolhaft.tools import AnyTool
    from toolhaft.toolset import Toolset

__all__ = ["Answer", "Export", "Problem"]

NO_OBJECT = ("the root of a schema is an object", 'write "type": "object" at its root')
CANCELLED = "The call was cancelled before it finished. It may still have taken effect."


class Problem(NamedTuple):
    """Why a tool is left out of an export: where in its schema, which rule, and how to mend it."""

    tool: str
    pointer: str
    rule: str
    fix: str


class Answer:
    """What came of the calls of one response, and the messages that go on from there.

    `results` is one for each call, in the request's order, as the target takes it; `outcomes`
    the same for the program.
    """

    __slots__ = ("_reply", "_turn", "outcomes", "results")

    def __init__(
        self, turn: list[Any], reply: list[Any], results: list[Any], outcomes: list[Ok[Any] | Err]
    ) -> None:
        self._turn = turn
        self._reply = reply
        self.results = results
        self.outcomes = outcomes

    @property
    def messages(self) -> list[Any]:
        """The model's turn as it was received, then the results: append them all."""
        return [*self._turn, *self._reply]

    @property
    def done(self) -> bool:
        """Whether there was nothing to answer: the model called no tool."""
        return not self.outcomes

    def __repr__(self) -> str:
        return f"Answer(outcomes={self.outcomes!r})"


class Export:
    """A toolset in one target's wire format.

    `tools` is the declarations, in name order; `request` the parameters that go with a request,
    the tools included. `problems` names the tools that the target cannot take and that were
    therefore left out. Calls and outcomes are matched by the wire's names and ids.

    >>> from toolhaft import Toolset, tool
    >>> @tool
    ... def double(n: int) -> int:
    ...     "Twice a number."
    ...     return 2 * n
    >>> wire = Toolset([double]).export("anthropic")
    >>> call = {"type": "tool_use", "id": "toolu_1", "name": "double", "input": {"n": 4}}
    >>> answer = wire.answer_sync({"role": "assistant", "content": [call]})
    >>> answer.results
    [{'type': 'tool_result', 'tool_use_id': 'toolu_1', 'content': '8', 'is_error': False}]
    >>> [message["role"] for message in answer.messages], answer.done
    (['assistant', 'user'], False)
    """

    __slots__ = ("_names", "_provider", "_toolset", "losses", "problems", "target", "tools")

    def __init__(self, toolset: Toolset, target: str, /) -> None:
        self.target = target
        self._toolset = toolset
        self._provider = providers.for_target(target)
        schemas = {one.name: one.input_schema.json_schema() for one in toolset}
        self.problems = tuple(
            Problem(name, "", *NO_OBJECT)
            for name, schema in schemas.items()
            if schema.get("type") != "object"
        )
        self.losses: tuple[Any, ...] = ()
        spoilt = {problem.tool for problem in self.problems}
        self._names = NameMap(
            [name for name in schemas if name not in spoilt], self._provider.names
        )
        self.tools: list[Any] = [
            self._declaration(wire_name, toolset[name], schemas[name])
            for wire_name, name in sorted(self._names.originals.items())
        ]

    @property
    def request(self) -> dict[str, Any]:
        """The parameters that go with a request, as in `create(model=..., **wire.request)`."""
        return self._provider.request(self.tools)

    def calls(self, response: Any, /) -> list[ToolCall]:
        """Read the calls of a response, under the target's names.

        Raises:
            WireError: The response is not in the target's shape, or two calls have one id.
        """
        return self._provider.calls(response)

    async def call(self, call: ToolCall, /, *, context: Any = None) -> Ok[Any] | Err:
        """Run one call; an unknown name is an outcome too."""
        [outcome] = await self.call_all([call], context=context)
        return outcome

    def call_sync(self, call: ToolCall, /, *, context: Any = None) -> Ok[Any] | Err:
        """Do as `call` does, without a loop."""
        [outcome] = self.call_all_sync([call], context=context)
        return outcome

    async def call_all(
        self, calls: Sequence[ToolCall], /, *, context: Any = None
    ) -> list[Ok[Any] | Err]:
        """Run calls side by side: one outcome for each, in their order, with its `call_id`."""
        outcomes = await self._toolset.call_all(self._known(calls), context=context)
        return self._in_order(calls, outcomes)

    def call_all_sync(
        self, calls: Sequence[ToolCall], /, *, context: Any = None
    ) -> list[Ok[Any] | Err]:
        """Run calls one after the other, without a loop."""
        outcomes = self._toolset.call_all_sync(self._known(calls), context=context)
        return self._in_order(calls, outcomes)

    def result(self, outcome: Ok[Any] | Err, /) -> dict[str, Any]:
        """Write the outcome of a call as the target takes it."""
        known = outcome.name in self._toolset
        return self._provider.result(outcome, self._toolset[outcome.name] if known else None)

    async def answer(self, response: Any, /, *, context: Any = None) -> Answer:
        """Run every call of a response: one result for each, in their order.

        Raises:
            WireError: The response is not in the target's shape; then nothing was run.
        """
        outcomes = await self.call_all(self.calls(response), context=context)
        return self._answer(response, outcomes)

    def answer_sync(self, response: Any, /, *, context: Any = None) -> Answer:
        """Do as `answer` does, without a loop."""
        outcomes = self.call_all_sync(self.calls(response), context=context)
        return self._answer(response, outcomes)

    def unanswered(self, response: Any, /) -> Answer:
        """Answer every call of a response as cancelled, so that the conversation can go on.

        For a turn whose `answer` was cancelled from outside; nothing is run.
        """
        return self._answer(response, [self._cancelled(call) for call in self.calls(response)])

    def _answer(self, response: Any, outcomes: list[Ok[Any] | Err]) -> Answer:
        results = [self.result(outcome) for outcome in outcomes]
        reply = self._provider.reply(response, results)
        return Answer(self._provider.turn(response), reply, results, outcomes)

    def _known(self, calls: Sequence[ToolCall]) -> list[ToolCall]:
        originals = self._names.originals
        return [
            ToolCall(call.id, originals[call.name], call.arguments)
            for call in calls
            if call.name in originals
        ]

    def _in_order(
        self, calls: Sequence[ToolCall], outcomes: list[Ok[Any] | Err]
    ) -> list[Ok[Any] | Err]:
        """Put the outcomes of unknown names between those of the known ones."""
        known = iter(outcomes)
        return [
            next(known) if call.name in self._names.originals else self._unknown(call)
            for call in calls
        ]

    def _unknown(self, call: ToolCall) -> Err:
        text = feedback.unknown_tool(call.name, self._names.originals)
        return _labelled(Err("unknown_tool", text, Rules(call.name)), call)

    def _cancelled(self, call: ToolCall) -> Err:
        name = self._names.originals.get(call.name, call.name)
        return _labelled(Err("runtime_error", CANCELLED, Rules(name), effect="unknown"), call)

    def _declaration(self, name: str, tool: AnyTool, schema: dict[str, Any]) -> dict[str, Any]:
        options = (tool.provider_options or {}).get(self.target, {})
        return _merged(self._provider.declare(name, tool, schema), options)


def _merged(declared: dict[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """Add an author's options to a declaration, objects into objects."""
    merged = dict(declared)
    for key, value in options.items():
        inner = merged.get(key)
        if isinstance(inner, dict) and isinstance(value, Mapping):
            merged[key] = _merged(inner, value)
        else:
            merged[key] = value
    return merged


def _labelled(outcome: Err, call: ToolCall) -> Err:
    outcome.call_id = call.id
    return outcome
