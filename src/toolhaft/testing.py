"""Test tools without a model: promises to check, values to try, recorded calls, and a script.

from toolhaft.testing import arguments_for, assert_conforms, mutations_of

def test_my_tool() -> None:
    assert_conforms(my_tool)

@given(arguments_for(my_tool)) def test_it_answers(arguments): ...
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from toolhaft.agents.scripted import WRITERS
from toolhaft.agents.scripted.writer import Data, Said
from toolhaft.call.outcome import Err, Ok
from toolhaft.call.recorded import summarise
from toolhaft.call.types import ToolCall
from toolhaft.definition.targets import TARGETS
from toolhaft.jsonio import jsontext
from toolhaft.packages import naming_extra
from toolhaft.providers.ending import Usage
from toolhaft.review.agreement import WIDENED, Agreement, audit_agreement
from toolhaft.review.exceptions import NO_ARGUMENTS
from toolhaft.schema.checker import Checker
from toolhaft.schema.generate import NoValue, Values
from toolhaft.schema.mutate import FORMAT, Mutation, mutations
from toolhaft.tools.internals import boundary_of
from toolhaft.tools.tool import AnyTool
from toolhaft.toolset.toolset import Toolset

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

__all__ = [
    "Played",
    "ScriptedModel",
    "ScriptedTurn",
    "agreement",
    "arguments_for",
    "assert_conforms",
    "assert_plays",
    "mutations_of",
    "record",
]


def assert_conforms(
    tool: AnyTool,
    /,
    *,
    targets: Sequence[str] = tuple(TARGETS),
    values: int = 100,
    seed: int = 0,
    exceptions: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Check that a tool keeps its promises, without running its handler.

    Its schema and its validator agree, its examples are valid, and the targets accept it. A value
    may be rejected for a reason that no JSON Schema states, such as the digits of a `Decimal`:
    `agreement(tool).excepted` lists where.

    Args:
        tool: The tool.
        targets: The targets to export it to.
        values: How many values to generate from the schema.
        seed: The seed of the values.
        exceptions: Places where validators of your own reject values of the schema, each with the
            reason, such as `{"input/days": "no holidays"}`; `*` is any item of a list. A place
            where nothing is rejected fails the check.

    Raises:
        AssertionError: Lists every failed check.
        DefinitionError: The tool is defined incorrectly.

    >>> from toolhaft import tool
    >>> @tool(examples=[{"n": 2}])
    ... def double(n: int) -> int:
    ...     "Twice a number."
    ...     return 2 * n
    >>> assert_conforms(double)
    """
    faults = [*_examples(tool), *_exports(tool, targets)]
    audit = agreement(tool, values=values, seed=seed)
    refused = {one.place for one in audit.disagreements if one.kind == "refused"}
    faults += [
        str(one)
        for one in audit.disagreements
        if one.kind != "refused" or one.place not in exceptions
    ]
    faults += [
        f"{place}: an exception, but nothing is refused there"
        for place in exceptions
        if place not in refused
    ]
    if faults:
        raise AssertionError("\n".join([f"{tool.name} does not hold:", *faults]))


def _examples(tool: AnyTool) -> Iterator[str]:
    for place, example in enumerate(tool.examples or ()):
        prepared = boundary_of(tool.replace(coerce="none")).check(example)
        if isinstance(prepared, Err):
            yield f"example {place}: {prepared.text}"


def _exports(tool: AnyTool, targets: Iterable[str]) -> Iterator[str]:
    for target in targets:
        wire = Toolset([tool]).export(target, strict="prefer")
        yield from (
            f"{target}: {problem}" for problem in wire.problems if problem.severity == "error"
        )
        yield from (f"{target}: {loss}" for loss in wire.losses if loss.kind == "narrowed")


def agreement(tool: AnyTool, /, *, values: int = 200, seed: int = 0) -> Agreement:
    """Compare a tool's schemas with what its validator accepts, without running its handler.

    Args:
        tool: The tool.
        values: How many values to generate from the schema, each with up to ten changes.
        seed: The seed of the values.

    Returns:
        An `Agreement`, which is true if values were tried and all verdicts agree.

    Raises:
        DefinitionError: The tool's types cannot be resolved, or no supported validator owns them.

    >>> from toolhaft import tool
    >>> @tool
    ... def double(n: int) -> int:
    ...     "Twice a number."
    ...     return 2 * n
    >>> found = agreement(double)
    >>> bool(found), found.disagreements, found.values
    (True, (), 200)
    """
    return audit_agreement(tool, values, seed)


def arguments_for(tool: AnyTool, /) -> SearchStrategy[dict[str, Any]]:
    """Return a Hypothesis strategy of arguments that the tool's schema accepts.

    Args:
        tool: The tool.

    Raises:
        ModuleNotFoundError: Hypothesis is not installed.

    >>> from hypothesis import find
    >>> from toolhaft import tool
    >>> @tool
    ... def double(n: int) -> int:
    ...     "Twice a number."
    ...     return 2 * n
    >>> list(find(arguments_for(double), lambda arguments: True))
    ['n']
    """
    with naming_extra("toolhaft.testing", "hypothesis", "hypothesis"):
        from hypothesis import assume
        from hypothesis import strategies as st

    schema = tool.input_schema.json_schema()

    @st.composite
    def draw_arguments(draw: Any) -> dict[str, Any]:
        source = Values(schema, draw(st.randoms(use_true_random=False)))
        try:
            value: dict[str, Any] = source.valid()
        except NoValue:
            assume(condition=False)
        return value

    return draw_arguments()


class Wrong(NamedTuple):
    """Arguments that a schema rejects because of one change.

    Attributes:
        path: The place of the change, as a tuple of keys and indexes.
        change: The kind of change.
        arguments: All arguments, with the change.
    """

    path: tuple[str | int, ...]
    change: str
    arguments: Any


def mutations_of(tool: AnyTool, /, *, count: int = 100, seed: int = 0) -> Iterator[Wrong]:
    """Yield invalid arguments: valid ones with a single change that the tool's schema rejects.

    The tool may still repair some of them. Changes that mean no change to the tool are left out: a
    text without its `format`, what a validator of yours accepts beside the schema, and what is read
    as no arguments if none are needed.

    Args:
        tool: The tool.
        count: How many valid arguments to change.
        seed: The seed; the same seed yields the same arguments.

    >>> from toolhaft import tool
    >>> @tool
    ... def double(n: int) -> int:
    ...     "Twice a number."
    ...     return 2 * n
    >>> "type" in {wrong.change for wrong in mutations_of(double, count=20)}
    True
    """
    random = Random(seed)  # noqa: S311 - values to try, not secrets
    schema = tool.input_schema.json_schema()
    source, checker = Values(schema, random), Checker(schema)
    boundary = boundary_of(tool.replace(coerce="none"))

    def is_mistake(mutation: Mutation) -> bool:
        """Whether a change that the schema rejects is one for the tool, too."""
        if mutation.change == FORMAT:
            return False
        if not isinstance(mutation.value, dict) and mutation.value in NO_ARGUMENTS:
            return not checker.is_valid({})
        coercions = boundary.check(mutation.value).coercions
        return all(coercion.rule != WIDENED for coercion in coercions)

    for _ in range(count):
        try:
            value = source.valid()
        except NoValue:
            return
        mutation = next(filter(is_mistake, mutations(checker, value, random)), None)
        if mutation is not None:
            yield Wrong(mutation.path, mutation.change, mutation.value)


# ------------------------------------------------------------------------------- recorded calls


class Played(NamedTuple):
    """A recorded call whose outcome has changed.

    Attributes:
        line: The line of the record.
        tool: The name of the tool.
        then: The recorded outcome.
        now: The outcome now.
    """

    line: int
    tool: str
    then: dict[str, Any]
    now: dict[str, Any]


def record(
    tools: Toolset, calls: Iterable[ToolCall], path: str | Path, /, *, context: Any = None
) -> list[Ok[Any] | Err]:
    """Run calls, and write each with its outcome as a line of JSON for `assert_plays`.

    A line has `name`, `arguments`, `kind`, the codes and places of the issues, the rules of the
    repairs, and the result as `json`. Texts with error ids are left out.

    Args:
        tools: The toolset.
        calls: The calls to run.
        path: The file to write.
        context: The context of the calls.

    Returns:
        The outcomes, in the order of the calls.
    """
    listed = list(calls)
    outcomes = tools.call_all_sync(listed, context=context)
    lines = (
        {"name": call.name, "arguments": _as_text(call.arguments), **summarise(outcome)}
        for call, outcome in zip(listed, outcomes, strict=True)
    )
    Path(path).write_text("".join(f"{jsontext.write(line)}\n" for line in lines), encoding="utf-8")
    return outcomes


def _as_text(arguments: Any) -> Any:
    return arguments.decode("utf-8", "replace") if isinstance(arguments, bytes) else arguments


def assert_plays(tools: Toolset, path: str | Path, /, *, context: Any = None) -> None:
    """Run recorded calls again, and check that each has the recorded outcome.

    Args:
        tools: The toolset.
        path: The file that `record` wrote.
        context: The context of the calls.

    Raises:
        AssertionError: Lists the calls with another outcome, by line.
        ValueError: A line is not a recorded call.
    """
    different = list(_play(tools, Path(path), context))
    if different:
        lines = (
            f"line {played.line} ({played.tool}): {played.then} became {played.now}"
            for played in different
        )
        raise AssertionError("\n".join([f"{path}:", *lines]))


def _play(tools: Toolset, path: Path, context: Any) -> Iterator[Played]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            data = jsontext.read(line)
            name, arguments = data.pop("name"), data.pop("arguments")
        except (jsontext.JsonSyntaxError, KeyError, AttributeError, TypeError):
            raise ValueError(f"{path}:{number}: not a recorded call") from None
        now = summarise(tools.call_sync(name, arguments, context=context))
        if now != data:
            yield Played(number, name, data, now)


# ------------------------------------------------------------------------------- a scripted model

# A call as a model makes it: a tool's name and the arguments, as JSON data or as text.
ScriptedCall: TypeAlias = tuple[str, Any]


@dataclass(frozen=True, slots=True)
class ScriptedTurn:
    """One turn of a `ScriptedModel` in all its parts.

    Attributes:
        text: What the model says.
        calls: The calls that it makes, each as `(name, arguments)`.
        usage: The tokens that the response reports; None for a response that reports none.
        stop: Why the model stopped, in the provider's own words, such as `max_tokens` or `SAFETY`;
            by default what goes with the turn.

    >>> ScriptedTurn("It is", stop="max_tokens").usage
    Usage(input=0, output=0, cached=None, reasoning=None)
    """

    text: str = ""
    calls: Sequence[ScriptedCall] = ()
    usage: Usage | None = Usage(0, 0)  # noqa: RUF009  it cannot be changed
    stop: str | None = None


class ScriptedModel:
    """A model that follows a script: a client for `agent_loop.run` that needs no network.

    It answers with the objects of the target's SDK, streamed or not, so that its turns take the
    same code path as a real model's. If the SDK is not installed, it answers with dictionaries.

    Args:
        turns: The model's turns. Each is a text, a call as `(name, arguments)`, a list of calls, or
            a `ScriptedTurn`.
        target: The target whose format the model writes: any but MCP and the targets that are
            schemas only.
        sdk: Whether to use the objects of the SDK; False for dictionaries.

    Attributes:
        requests: The parameters of each request so far.

    Raises:
        ValueError: The target has no writer, or a turn is of another kind.
        AssertionError: A request was sent after the last turn.

    >>> import asyncio
    >>> from toolhaft import Toolset, tool
    >>> from toolhaft.agent_loop import run
    >>> @tool
    ... def double(n: int) -> int:
    ...     "Twice a number."
    ...     return 2 * n
    >>> async def conversation(client):
    ...     messages = [{"role": "user", "content": "Twice four, and twice five?"}]
    ...     tools = Toolset([double])
    ...     return [event async for event in run(client, model="m", messages=messages, tools=tools)]
    >>> client = ScriptedModel([("double", {"n": 4}), ("double", {"n": "5"})], "Eight and ten.")
    >>> events = asyncio.run(conversation(client))
    >>> [type(event).__name__ for event in events]
    ['ModelTurn', 'Called', 'Called', 'ModelTurn', 'Finished']
    >>> [one["output"] for one in client.requests[-1]["messages"][-2:]]
    ['8', '10']
    """

    def __init__(
        self,
        *turns: str | ScriptedCall | list[ScriptedCall] | ScriptedTurn,
        target: str = "openai",
        sdk: bool = True,
    ) -> None:
        if target not in WRITERS:
            raise ValueError(f"ScriptedModel: cannot write {target}; use one of {list(WRITERS)}")
        self.target = target
        self.requests: list[dict[str, Any]] = []
        self._writer = WRITERS[target]
        self._sdk = sdk
        self._turns = [_to_turn(number, turn) for number, turn in enumerate(turns, 1)]
        self._calls = 0

    async def __call__(self, **request: Any) -> Any:
        """Answer a request by the next turn: a response, or its events with `stream=True`."""
        place = len(self.requests)
        self.requests.append({**request, "messages": list(request["messages"])})
        if place == len(self._turns):
            raise AssertionError(f"the script has {place} turns, but the loop sent another request")
        said = self._say(place, request)
        if request.get("stream"):
            events = list(self._writer.events(said, request))
            return _stream([self._object(self._writer.to_event, event) for event in events])
        return self._object(self._writer.to_response, self._writer.response(said))

    def _say(self, place: int, request: Mapping[str, Any]) -> Said:
        turn, model = self._turns[place], str(request.get("model", "scripted"))
        calls = tuple(self._call(call) for call in turn.calls)
        texts = _custom_tools(request.get("tools") or ())
        return Said(place + 1, model, turn.text, calls, turn.usage, turn.stop, texts)

    def _call(self, written: ScriptedCall) -> ToolCall:
        self._calls += 1
        return ToolCall(f"call_{self._calls}", *written)

    def _object(self, make: Callable[[Data], Any], data: Data) -> Any:
        """Make the SDK's object of data, if there is an SDK and the script wants it."""
        if not self._sdk:
            return data
        try:
            return make(data)
        except ModuleNotFoundError:
            return data


def _custom_tools(tools: Iterable[Any]) -> frozenset[str]:
    """Return the names of the tools of a request that OpenAI's models call by a text."""
    names: set[str] = set()
    for tool in tools:
        if isinstance(tool, Mapping) and tool.get("type") == "custom":
            names.add(tool.get("custom", tool).get("name"))
        elif isinstance(tool, Mapping) and tool.get("type") == "namespace":
            inner = _custom_tools(tool.get("tools") or ())
            names |= inner | {f"{tool.get('name')}.{name}" for name in inner}
    return frozenset(names)


def _to_turn(number: int, turn: object) -> ScriptedTurn:
    """Read one turn of a script.

    Raises:
        ValueError: It is of another kind.
    """
    if isinstance(turn, str):
        return ScriptedTurn(turn)
    written: Any = turn.calls if isinstance(turn, ScriptedTurn) else turn
    calls = written if isinstance(turn, ScriptedTurn | list) else [written]
    if not isinstance(calls, list | tuple) or not all(map(_is_call, calls)):
        kinds = "a text, a call (name, arguments), a list of calls or a ScriptedTurn"
        raise ValueError(f"ScriptedModel: turn {number}: of another kind; pass {kinds}")
    return turn if isinstance(turn, ScriptedTurn) else ScriptedTurn(calls=calls)


def _is_call(written: object) -> bool:
    match written:
        case (str(), _):
            return isinstance(written, tuple)
        case _:
            return False


async def _stream(events: list[Any]) -> AsyncIterator[Any]:
    for event in events:
        yield event
