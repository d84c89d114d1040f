"""Tools of any shape join a toolset: their attributes stay, and their exceptions are understood."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
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
from toolhaft.spec import Issue, standard_tool, with_formatted_output
from toolhaft.toolset.members import NotCollected

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


async def later_by_name(arguments: Any, *, context: Any) -> Any:
    return arguments["city"], context


@pytest.mark.parametrize(
    ("execute", "expected"),
    [
        (lambda arguments: arguments["city"], "Oslo"),
        (lambda arguments, context: f"{arguments['city']} {context}", "Oslo ann"),
        (lambda *both: len(both), 2),
        (later, ["Oslo", "ann"]),
        (lambda arguments: arguments["city"].upper(), "OSLO"),
        (lambda: "Rome", "Rome"),
        (lambda arguments, *, context: [arguments["city"], context], ["Oslo", "ann"]),
        (lambda *, context=None: context, "ann"),
        (later_by_name, ["Oslo", "ann"]),
    ],
    ids=["one", "two", "any", "async", "sync", "none", "keyword", "keyword alone", "async keyword"],
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


@pytest.mark.parametrize(
    "execute", [lambda arguments, *, region: region, lambda one, two, three: one, int, None]
)
def test_an_execute_of_other_arguments_is_refused_when_it_joins(execute: Any) -> None:
    with pytest.raises(DefinitionError) as raised:
        Toolset([shaped(execute)])
    expected = "far.execute: needs other arguments; take (input, context), or fewer of them"
    assert str(raised.value) == expected


@pytest.mark.parametrize("absent", ["input_schema", "output_schema", "title"])
def test_what_is_optional_may_be_absent(absent: str) -> None:
    member = shaped(lambda arguments: "Oslo")
    delattr(member, absent)
    outcome = Toolset([member]).call_sync("far")
    assert (outcome.text, bool(outcome)) == ("Oslo", True)
    written: Any = with_formatted_output(member, say)
    assert getattr(written, absent) is None


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


def test_the_reference_builder_takes_a_schema_of_any_type() -> None:
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
    with pytest.raises(Exception, match="openai: not a dialect of schemas"):
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


# The results of `formatted` and its companion of the specification, outside of a toolset and in
# one.
WRITTEN: dict[str, Callable[..., Any]] = {
    "formatted": lambda made: made.formatted(),
    "in a toolset": lambda made: Toolset([made.formatted()])[made.name],
    "by its companion": lambda made: Toolset([with_formatted_output(made)])[made.name],
}


def both(written: Any, *arguments: Any) -> Any:
    """Return the result of `execute` and its twin, once."""
    first, second = asyncio.run(written.execute(*arguments)), written.execute_sync(*arguments)
    assert first == second
    return first


@pytest.mark.requirement("formatted-tools")
@pytest.mark.usefixtures("known_error_ids")
@pytest.mark.parametrize("write", WRITTEN.values(), ids=WRITTEN.keys())
def test_a_formatted_tool_shows_no_crash_and_has_the_references_default(
    write: Callable[..., Any],
) -> None:
    plain = write(double)
    assert both(plain, {"n": 2}, None) == 4
    assert both(plain, {"n": 0}, None) == {"error": "nothing to double"}
    crash = "The tool failed (id 000000000000). You may try once more."
    assert both(plain, {"n": -1}, None) == {"error": f"double: runtime_error: {crash}"}


@pytest.mark.requirement("formatted-tools")
@pytest.mark.parametrize("format", [None, say])
def test_the_companion_of_a_foreign_tool_shows_no_crash_in_a_toolset(format: Any) -> None:
    def crash(arguments: Any) -> Any:
        raise KeyError("secret")

    neutral = standard_tool(name="far", description="Far.", execute=crash)
    for member in (neutral, shaped(crash)):
        outcome = Toolset([with_formatted_output(member, format)]).call_sync("far")
        assert isinstance(outcome, Ok)
        assert "The tool failed (id " in outcome.text
        assert "secret" not in outcome.text


def test_formatting_again_replaces_the_format() -> None:
    again = double.formatted(say).formatted(str)
    assert both(again, {"n": 2}) == "4"
    assert both(Toolset([with_formatted_output(again, say)])["double"], {"n": 2}) == "<4>"


@dataclass
class Town:
    name: str
    founded: date


@tool
def town(name: str) -> Town:
    """Find a town."""
    return Town(name, date(1048, 1, 1))


@pytest.mark.requirement("formatted-tools")
@pytest.mark.parametrize("format", [None, lambda found: found, lambda found: {"it": found}])
def test_a_formatted_tool_gives_json_data(format: Any) -> None:
    oslo = {"name": "Oslo", "founded": "1048-01-01"}
    expected = {"it": oslo} if format and isinstance(format(0), dict) else oslo
    assert both(town.formatted(format), {"name": "Oslo"}) == expected
    outcome = Toolset([town.formatted(format)]).call_sync("town", {"name": "Oslo"})
    assert isinstance(outcome, Ok)
    assert outcome.json == expected


@pytest.mark.requirement("formatted-tools")
def test_what_a_format_gives_that_is_no_json_is_an_invalid_output() -> None:
    written = double.formatted(lambda result: object())
    with pytest.raises(ToolOutputInvalid, match="expected plain JSON data, received object"):
        asyncio.run(written.execute({"n": 1}))
    with pytest.raises(ToolOutputInvalid, match="expected plain JSON data, received object"):
        written.execute_sync({"n": 1})


def test_what_a_format_raises_passes() -> None:
    def fail(result: Any) -> str:
        raise LookupError("the format broke")

    with pytest.raises(LookupError, match="the format broke"):
        double.formatted(fail).execute_sync({"n": 1})


@pytest.mark.requirement("formatted-tools")
def test_an_async_format_is_awaited_without_a_loop_too() -> None:
    async def say_later(result: Any) -> str:
        return f"({result})"

    assert both(double.formatted(say_later), {"n": 1}) == "(2)"


@tool
def count(stock: dict[str, int]) -> dict[str, int]:
    """Count a stock."""
    return dict.fromkeys(stock, "secret")  # type: ignore[arg-type]


@pytest.mark.requirement("formatted-tools")
@pytest.mark.parametrize("format", [None, say])
def test_the_issues_that_a_format_sees_are_within_the_bounds_of_texts(format: Any) -> None:
    written = count.formatted(format)
    refused = str(both(written, {f"secret_{n}": {"many": n} for n in range(99)}))
    assert len(refused) < 720
    assert "input validation failed: " in refused


@pytest.mark.requirement("formatted-tools")
def test_no_key_of_an_open_map_is_shown_to_a_format() -> None:
    assert both(count.formatted(), {"stock": {"key": "many"}}) == {
        "error": "input validation failed: stock, 1st entry: expected integer, received string"
    }
    assert both(count.formatted(), {"stock": {"key": 1}}) == {
        "error": "output validation failed: 1st entry: expected integer, received string"
    }


# ---------------------------------------------------------------------------------- collecting


class Client:
    """An API that has tools as attributes beside its methods."""

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
