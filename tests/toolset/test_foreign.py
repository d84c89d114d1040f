"""Tools of any shape join a toolset: what they are stays, and what they raise is understood."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from toolhaft import (
    DefinitionError,
    Err,
    Ok,
    ToolError,
    ToolInputInvalid,
    ToolOutputInvalid,
    Toolset,
    standard_schema,
    tool,
)
from toolhaft.spec import Issue, standard_tool
from toolhaft.toolset.collect import NotCollected

pytestmark = pytest.mark.requirement("standard-tools")


class ToolValidationError(Exception):
    """Of another copy of the specification."""

    def __init__(self, target: str) -> None:
        super().__init__("refused")
        self.target, self.issues = target, (Issue("too far", ("city",), "value"),)


def shaped(execute: Any, **fields: Any) -> Any:
    schema = standard_schema({"type": "object", "properties": {"city": {"type": "string"}}})
    shape = {"name": "far", "title": None, "description": "Far.", "output_schema": None}
    return SimpleNamespace(**{**shape, "input_schema": schema, "execute": execute, **fields})


async def later(arguments: Any, context: Any = None) -> Any:
    return arguments["city"], context


@pytest.mark.parametrize(
    ("execute", "expected"),
    [
        (lambda arguments: arguments["city"], "Oslo"),
        (lambda arguments, context: f"{arguments['city']} {context}", "Oslo ann"),
        (lambda *both: len(both), 2),
        (later, ["Oslo", "ann"]),
        (lambda arguments: arguments["city"].upper(), "OSLO"),
    ],
    ids=["one", "two", "any", "async", "sync"],
)
def test_an_execute_may_be_sync_or_async_and_take_one_argument_or_two(
    execute: Any, expected: Any
) -> None:
    tools = Toolset([shaped(execute)])
    here = tools.call_sync("far", {"city": "Oslo"}, context="ann")
    in_a_loop = asyncio.run(tools.call("far", {"city": "Oslo"}, context="ann"))
    for outcome in (here, in_a_loop):
        assert isinstance(outcome, Ok)
        assert outcome.json == expected


@pytest.mark.parametrize("is_async", [False, True])
@pytest.mark.parametrize("target", ["input", "output"])
def test_what_a_foreign_tool_refuses_is_a_refusal_with_its_issues(
    target: str, is_async: bool
) -> None:
    def refuse(arguments: Any) -> Any:
        raise ToolValidationError(target)

    async def refuse_later(arguments: Any) -> Any:
        raise ToolValidationError(target)

    tools = Toolset([shaped(refuse_later if is_async else refuse)])
    outcome = tools.call_sync("far", {"city": "Oslo"})
    assert isinstance(outcome, Err)
    expected = {"input": ("invalid_input", "none"), "output": ("output_invalid", "done")}
    assert (outcome.kind, outcome.effect) == expected[target]
    shown = {"input": "city: too far", "output": "an entry: too far"}
    assert [str(issue) for issue in outcome.issues] == [shown[target]]
    kind: Any = {"input": ToolInputInvalid, "output": ToolOutputInvalid}[target]
    with pytest.raises(kind) as raised:
        tools["far"].execute_sync({"city": "Oslo"})
    assert raised.value.issues == outcome.issues


def test_any_other_exception_of_a_foreign_tool_is_a_masked_crash() -> None:
    def crash(arguments: Any) -> Any:
        raise KeyError("secret")

    tools = Toolset([shaped(crash)])
    outcome = tools.call_sync("far", {"city": "Oslo"})
    assert isinstance(outcome, Err)
    assert (outcome.kind, "secret" in outcome.text) == ("runtime_error", False)
    with pytest.raises(KeyError, match="secret"):
        tools["far"].execute_sync({"city": "Oslo"})


@pytest.mark.parametrize("given", [3, {"type": "object"}, int])
def test_the_reference_builder_refuses_what_cannot_check(given: Any) -> None:
    with pytest.raises(TypeError) as raised:
        standard_tool(name="t", description="d", execute=len, input_schema=given)
    assert str(raised.value) == ("t: not a StandardSchema; toolhaft.standard_schema(...) makes one")
    built = standard_tool(
        name="t", description="d", execute=lambda n: n + 1, input_schema=standard_schema(int)
    )
    assert asyncio.run(built.execute(2)) == 3


# ------------------------------------------------------------------------------ standard_schema


def test_a_schema_of_any_type_is_written_in_every_dialect_of_schemas() -> None:
    schema = standard_schema(list[int])
    assert (schema.version, schema.validate([1]).value) == (1, [1])  # type: ignore[union-attr]
    for target in ("draft-2020-12", "draft-07", "openapi-3.0", "openapi-3.1"):
        assert schema.json_schema(target=target)["items"] == {"type": "integer"}
    with pytest.raises(Exception, match="openai is no dialect of schemas"):
        schema.json_schema(target="openai")
    with pytest.raises(DefinitionError, match="no validator owns"):
        standard_schema(object())


# ----------------------------------------------------------------------------------- formatted


def say(result: Any) -> str:
    return f"<{result}>"


@tool(
    annotations={"readOnlyHint": True},
    provider_options={"openai": {"defer_loading": True}},
    strict="prefer",
    requires_approval=lambda arguments: arguments["n"] > 10,
)
def double(n: int) -> int:
    """Twice a number."""
    if n == 0:
        raise ToolError("nothing to double")
    if n < 0:
        raise KeyError("secret")
    return 2 * n


def test_a_formatted_tool_in_a_toolset_keeps_what_the_tool_was() -> None:
    kept = Toolset([double.formatted(say)])["double"]
    assert (kept.annotations, kept.provider_options, kept.strict) == (
        double.annotations,
        double.provider_options,
        double.strict,
    )
    assert kept.output_schema is None
    waiting = kept.call_sync({"n": 11})
    assert isinstance(waiting, Err)
    assert waiting.kind == "approval_required"
    assert waiting.prepared is not None
    assert waiting.prepared.call_sync().text == "<22>"


@pytest.mark.usefixtures("known_error_ids")
@pytest.mark.parametrize("in_loop", [False, True])
@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"n": "2"}, "<4>"),
        ({"n": 0}, "<nothing to double>"),
        (
            {"n": -1},
            "<double: runtime_error: The tool failed (id 000000000000).",
        ),
        ({}, "Please rewrite the input with valid arguments. Errors: n: required"),
    ],
    ids=["output", "author", "crash", "invalid"],
)
def test_a_format_sees_the_output_the_authors_words_or_a_masked_crash(
    arguments: Any, text: str, in_loop: bool
) -> None:
    tools = Toolset([double.formatted(say)])
    if in_loop:
        outcome = asyncio.run(tools.call("double", arguments))
    else:
        outcome = tools.call_sync("double", arguments)
    assert outcome.text.startswith(text)


def test_a_format_may_be_async_and_what_it_raises_is_a_crash_of_its_own() -> None:
    async def say_later(result: Any) -> str:
        return f"({result})"

    def fail(result: Any) -> str:
        raise KeyError("secret")

    assert Toolset([double.formatted(say_later)]).call_sync("double", {"n": 1}).text == "(2)"
    failed = Toolset([double.formatted(fail)]).call_sync("double", {"n": 1})
    assert isinstance(failed, Err)
    assert (failed.kind, failed.effect, "secret" in failed.text) == (
        "runtime_error",
        "unknown",
        False,
    )
    unfit = Toolset([double.formatted(lambda result: object())]).call_sync("double", {"n": 1})
    assert isinstance(unfit, Err)
    assert unfit.kind == "output_invalid"


def test_execute_of_a_formatted_tool_masks_a_crash_and_has_the_references_default() -> None:
    plain: Any = double.formatted()
    assert asyncio.run(plain.execute({"n": 2}, None)) == 4
    assert asyncio.run(plain.execute({"n": 0}, None)) == {"error": "nothing to double"}
    crashed = asyncio.run(plain.execute({"n": -1}, None))
    assert "secret" not in crashed["error"]
    again: Any = double.formatted(say)
    assert asyncio.run(again.formatted(str).execute({"n": 2}, None)) == "4"


# ---------------------------------------------------------------------------------- collecting


class Client:
    """An API that holds tools besides those it defines."""

    def __init__(self) -> None:
        self.token = "t"
        self.held = tool(lambda: "held", name="held", description="Held.")
        self.shaped = shaped(lambda arguments: arguments)
        self.written = double.formatted(say)
        self.again = self.held

    @tool
    def look(self, city: str) -> str:
        """Look."""
        return self.token + city

    @tool
    @classmethod
    def make(cls) -> str:
        """Make."""
        return cls.__name__


def test_a_toolset_of_an_object_has_what_it_defines_and_what_it_holds() -> None:
    tools = Toolset.of(Client())
    assert sorted(each.name for each in tools) == ["double", "far", "held", "look", "make"]
    assert tools.call_sync("look", {"city": "x"}).text == "tx"
    assert isinstance(tools.call_sync("double", {"n": 1}), Ok)
    assert tools.not_collected == ()


def test_a_toolset_of_a_class_says_which_methods_it_leaves_out_and_why() -> None:
    tools = Toolset.of(Client)
    assert [each.name for each in tools] == ["make"]
    reason = "a method needs its object; pass an instance instead of the class"
    assert tools.not_collected == (NotCollected("look", reason),)
