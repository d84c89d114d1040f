"""Outcomes narrow by truth, by class and by pattern; any object of a protocol's shape fits it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Coroutine
from dataclasses import dataclass
from typing import Any, Literal, assert_never, assert_type

from toolhaft import Answer, Err, Export, Ok, Prepared, Tool, Toolset, standard_schema, tool
from toolhaft.agent_loop import Event, Finished, run
from toolhaft.spec import Failure, Issue, Mode, StandardSchema, StandardTool, Success
from toolhaft.testing import ScriptedModel
from toolhaft.tools.formatted import FormattedTool


@tool
def add(a: int, b: int = 1) -> int:
    """d"""
    return a + b


# ------------------------------------------------------------------------------- outcomes

outcome = add.call_sync('{"a": 1}')
assert_type(outcome, Ok[int] | Err)
assert_type(outcome.unwrap(), int)
assert_type(outcome.text, str)


def by_truth() -> int:
    if outcome:
        assert_type(outcome, Ok[int])
        return outcome.value
    assert_type(outcome, Err)
    assert_type(outcome.issues, tuple[Issue, ...])
    return len(outcome.issues)


def by_class() -> int:
    if isinstance(outcome, Err):
        assert_type(outcome.effect, Literal["none", "done", "unknown"])
        return 0
    assert_type(outcome, Ok[int])
    return outcome.value


def by_pattern() -> int:
    match outcome:
        case Ok(value):
            assert_type(value, int)
            return value
        case Err("invalid_input", issues):
            assert_type(issues, tuple[Issue, ...])
            return 0
        case Err():
            return 1
        case _:
            assert_never(outcome)


def a_kind_that_there_is_not(err: Err) -> bool:
    return err.kind == "invalid"  # type: ignore[comparison-overlap] # pyright: ignore[reportUnnecessaryComparison]


def without_a_look() -> int:
    return outcome.value  # type: ignore[union-attr] # pyright: ignore[reportAttributeAccessIssue]


prepared = add.prepare({"a": 1})
assert_type(prepared, Prepared[int] | Err)


async def prepared_runs() -> int:
    if not prepared:
        assert_type(prepared, Err)
        return 0
    assert_type(prepared, Prepared[int])
    assert_type(await prepared.call(), Ok[int] | Err)
    return (await prepared.call()).unwrap()


# ------------------------------------------------------------------------------ formatted


def shown(result: int | Exception) -> str:
    return str(result)


async def shown_later(result: int | Exception) -> bytes:
    return str(result).encode()


as_text = add.formatted(shown)
assert_type(as_text, FormattedTool[dict[str, Any], str])
assert_type(as_text.execute_sync({"a": 1}), str)
standard: StandardTool[dict[str, Any], str] = as_text
assert_type(add.formatted(shown_later), FormattedTool[dict[str, Any], bytes])
add.formatted(len)  # type: ignore[arg-type] # pyright: ignore[reportCallIssue, reportArgumentType]


# ------------------------------------------------------------------------------ protocols


class Later:
    """A schema that answers later."""

    version: Literal[1] = 1
    vendor: Literal["later"] = "later"

    async def validate(self, value: object, /) -> Success[int] | Failure:
        return Success(len(str(value)))

    def json_schema(self, *, target: str = "", mode: Mode = "input") -> dict[str, Any]:
        return {"target": target, "mode": mode}


@dataclass(frozen=True)
class FrozenTool:
    name: str
    title: str | None
    description: str
    input_schema: StandardSchema[int] | None
    output_schema: None = None

    async def execute(self, input: Any, context: Any = None, /) -> int:
        return len(str((input, context)))


class LiteralTool:
    """A plain class whose attributes are literals."""

    name: Literal["plain"] = "plain"
    title: None = None
    description: Literal["d"] = "d"
    input_schema: None = None
    output_schema: None = None

    def execute(self, input: Any = None, context: Any = None, /) -> Coroutine[Any, Any, str]:
        raise NotImplementedError


class NoTool:
    name = "x"


schema: StandardSchema[int] = Later()
frozen: StandardTool[int, int] = FrozenTool("t", None, "d", Later())
literal: StandardTool[Any, str] = LiteralTool()
made: StandardTool[dict[str, Any], int] = add
any_tool: Tool[..., Any, Any, Any] = add
none: StandardTool[Any, Any] = NoTool()  # type: ignore[assignment] # pyright: ignore[reportAssignmentType]
wrong: StandardSchema[str] = Later()  # type: ignore[assignment] # pyright: ignore[reportAssignmentType]


@tool(input=Later())
async def by_a_late_schema(given: int) -> str:
    """d"""
    return str(given)


assert_type(by_a_late_schema.input_schema, StandardSchema[int])
tools = Toolset([add, frozen, literal, as_text])
assert_type(tools.call_sync("add", {"a": 1}), Ok[Any] | Err)


# ------------------------------------------------------------------------------- final answers


@dataclass
class Invoice:
    number: str


tools = Toolset([add])
assert_type(tools.export("openai"), Export[Any])
assert_type(tools.export("openai", strict="prefer"), Export[Any])
assert_type(tools.export("openai", output=Invoice, context=1), Export[Invoice])
assert_type(tools.export("openai", output=list[Invoice] | None), Export[list[Invoice] | None])
assert_type(tools.export("openai", output=standard_schema(Invoice)), Export[Any])
assert_type(tools.export("openai", output={"type": "object"}), Export[Any])


def typed_answer(wire: Export[Invoice], response: object) -> str:
    answer = wire.answer_sync(response)
    assert_type(answer, Answer[Invoice])
    assert_type(answer.output, Ok[Invoice] | Err | None)
    return answer.output.value.number if answer.output else ""


def typed_events(last: Finished[Invoice]) -> None:
    wire = tools.export("openai", output=Invoice)
    typed = run(ScriptedModel(), model="m", messages=[], tools=wire, temperature=0)
    assert_type(typed, AsyncGenerator[Event[Invoice]])
    untyped = run(ScriptedModel(), model="m", messages=[], tools=tools, output=Invoice)
    assert_type(untyped, AsyncGenerator[Event])
    assert_type(last.output, Ok[Invoice] | Err | None)
    assert_type(last.answer.output, Ok[Invoice] | Err | None)
