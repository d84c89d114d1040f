"""Toolsets: names that differ, faults all at once, calls by name."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.observers.recording import Recorder
from toolhaft import DefinitionError, Err, LoopGuard, Ok, ToolCall, ToolError, Toolset, tool
from toolhaft.schema.bounds import DefinitionLimits
from toolhaft.spec import Failure, Issue, Success, standard_tool


@tool
def add(a: int, b: int) -> int:
    """Add two whole numbers."""
    return a + b


@tool
async def fail(words: str) -> str:
    """Fail."""
    if words == "crash":
        raise RuntimeError(words)
    raise ToolError(words)


def halve(n: int) -> float:
    """Halve a number."""
    return n / 2


TOOLS = Toolset([add, fail, halve])


class Even:
    """A schema of another library."""

    version = 1
    vendor = "even"

    def validate(self, value: Any, /) -> Success[Any] | Failure:
        if isinstance(value, dict) and value.get("n", 1) % 2 == 0:
            return Success({"n": value["n"]})
        return Failure([Issue("expected an even number", ("n",), "value")])

    def json_schema(self, *, target: str = "", mode: str = "input") -> dict[str, Any]:
        return {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


def test_a_toolset_is_a_collection_of_tools_by_name() -> None:
    assert [one.name for one in TOOLS] == ["add", "fail", "halve"]
    assert len(TOOLS) == 3
    assert "add" in TOOLS
    assert "sub" not in TOOLS
    assert TOOLS["add"] is add
    assert repr(TOOLS) == "Toolset(['add', 'fail', 'halve'])"
    assert [one.name for one in TOOLS.select("h*", "fail")] == ["fail", "halve"]
    assert [one.name for one in TOOLS.prefix("math_")] == ["math_add", "math_fail", "math_halve"]
    assert [one.name for one in Toolset([add]) + Toolset([halve])] == ["add", "halve"]
    with pytest.raises(KeyError, match=r"no tool named ad; did you mean add\?"):
        TOOLS["ad"]
    with pytest.raises(KeyError, match="no tool named qwerty'"):
        TOOLS["qwerty"]


def test_calls_go_by_name() -> None:
    assert TOOLS.call_sync("halve", {"n": 3}).unwrap() == 1.5
    assert asyncio.run(TOOLS.call("add", '{"a": 1, "b": "2"}')).unwrap() == 3


@pytest.mark.requirement("pain-49")
def test_an_unknown_name_is_an_outcome_with_the_nearest_one() -> None:
    outcome = TOOLS.call_sync("ad", "{}")
    assert isinstance(outcome, Err)
    assert (outcome.kind, outcome.name, outcome.retryable) == ("unknown_tool", "ad", True)
    assert outcome.text == (
        "There is no tool named ad. Did you mean add? Available tools: add, fail, halve."
    )
    assert isinstance(asyncio.run(TOOLS.call("sub")), Err)
    assert Toolset().call_sync("add").text == "There is no tool named add."
    many = Toolset([add.replace(name=f"tool_{n:02}") for n in range(30)])
    assert many.call_sync("x").text.endswith("tool_19 (+10 more).")


class Hostile(str):
    """A name whose methods must not be called."""

    __slots__ = ()
    __hash__ = __str__ = __eq__ = None  # type: ignore[assignment]


@pytest.mark.requirement("pain-49")
@pytest.mark.parametrize("name", [None, 7, b"add", ["add"], {"add": 1}], ids=repr)
@pytest.mark.parametrize("observers", [[], [Recorder()]], ids=["plain", "observed"])
def test_a_name_that_is_no_text_names_no_tool(name: Any, observers: list[Any]) -> None:
    tools = Toolset([add], observers=observers)
    calls = [ToolCall("1", name, {}), ToolCall("2", "add", {"a": 1, "b": 2})]
    outcomes: list[Any] = [
        tools.call_sync(name, {}),
        tools.call_sync(name, {}, guard=LoopGuard(exempt=["x*"])),
        asyncio.run(tools.call(name, {})),
        tools.call_all_sync(calls)[0],
        asyncio.run(tools.call_all(calls))[0],
        tools.export("openai").call_all_sync(calls)[0],
    ]
    expected = ("unknown_tool", "", "none", "No tool is named. Available tools: add.")
    assert [(one.kind, one.name, one.effect, one.text) for one in outcomes] == [expected] * 6
    assert tools.call_all_sync(calls)[1].unwrap() == 3


@pytest.mark.requirement("pain-49")
def test_a_subclass_of_text_is_read_as_the_text_that_it_is() -> None:
    name: Any = Hostile("add")
    assert TOOLS.call_sync(name, {"a": 1, "b": 2}).unwrap() == 3
    assert asyncio.run(TOOLS.call(name, {"a": 1, "b": 2})).unwrap() == 3


CALLS = [
    ToolCall("1", "add", '{"a": 1, "b": 2}'),
    ToolCall("2", "add", '{"a": 1}'),
    ToolCall("3", "fail", {"words": "crash"}),
    ToolCall("4", "fail", {"words": "no such thing"}),
    ToolCall("5", "nothing", {}),
    ToolCall("6", "halve", {"n": 4}),
]


@pytest.mark.requirement("row-32")
def test_many_calls_give_one_outcome_each_in_their_order() -> None:
    kinds = ["ok", "invalid_input", "runtime_error", "tool_error", "unknown_tool", "ok"]
    for outcomes in (asyncio.run(TOOLS.call_all(CALLS)), TOOLS.call_all_sync(CALLS)):
        assert [one.kind if isinstance(one, Err) else "ok" for one in outcomes] == kinds
        assert [one.call_id for one in outcomes] == ["1", "2", "3", "4", "5", "6"]


def test_calls_side_by_side_wait_together() -> None:
    gate = asyncio.Event()

    @tool
    async def wait() -> str:
        "Wait."
        await gate.wait()
        return "released"

    @tool
    async def release() -> str:
        "Release."
        gate.set()
        return "done"

    calls = [ToolCall("1", "wait"), ToolCall("2", "release")]
    outcomes = asyncio.run(Toolset([wait, release]).call_all(calls))
    assert [one.text for one in outcomes] == ["released", "done"]


@pytest.mark.requirement("pain-28")
def test_one_tool_alone_is_no_list_of_tools() -> None:
    single: Any = add
    with pytest.raises(DefinitionError) as caught:
        Toolset(single)
    fault = "Toolset.tools: not a list of tools; pass a list, as in Toolset([tool])"
    assert str(caught.value) == fault


def test_names_that_read_the_same_are_refused_with_both_origins() -> None:
    twin = tool(halve, name="ADD")
    with pytest.raises(DefinitionError) as raised:
        Toolset([add, twin])
    (fault,) = raised.value.faults
    assert (fault.tool, fault.where, fault.reason) == ("ADD", "name", "reads the same as add")
    assert fault.fix.count("test_toolset.py") == 2


@pytest.mark.requirement("schema-bounds")
def test_a_description_may_be_as_long_as_the_limits_say() -> None:
    few = DefinitionLimits(max_description=20)
    assert Toolset([tool(halve, description="x" * 20)], limits=few)
    reason = "halve.description: longer than 20 characters; shorten it"
    with pytest.raises(DefinitionError, match=reason):
        Toolset([tool(halve, description="x" * 21)], limits=few)


def test_the_faults_of_all_tools_come_in_one_error() -> None:
    def one(a: complex) -> object:
        "One."
        return a

    def two(b: list[Any]) -> None:
        "Two."

    def three(c) -> None:  # type: ignore[no-untyped-def]
        "Three."

    with pytest.raises(DefinitionError) as raised:
        Toolset([one, two, three, 4, object()])  # type: ignore[list-item]
    assert {fault.tool for fault in raised.value.faults} == {"one", "three", "int", "object"}
    assert str(raised.value).count("\n") == len(raised.value.faults)


def test_limits_bound_what_may_join() -> None:
    with pytest.raises(DefinitionError, match="add"):
        Toolset([add], limits=DefinitionLimits(max_properties=1))


@pytest.mark.requirement("standard-tools-join")
def test_any_object_of_the_shape_is_a_member() -> None:
    async def execute(arguments: Any, context: Any) -> Any:
        return {"n": arguments["n"] // 2, "by": context}

    foreign = standard_tool(
        name="half.of", description="", execute=execute, title="Half", input_schema=Even()
    )
    tools = Toolset([foreign])
    assert tools["half.of"].title == "Half"
    outcome = tools.call_sync("half.of", '{"n": "4"}', context="ann")
    assert isinstance(outcome, Ok)
    assert outcome.value == {"n": 2, "by": "ann"}
    assert [(c.path, c.rule) for c in outcome.coercions] == [(("n",), "number_text")]
    refused = tools.call_sync("half.of", {"n": 3})
    assert isinstance(refused, Err)
    assert [(i.path, i.code) for i in refused.issues] == [(("n",), "value")]


@pytest.mark.requirement("standard-tools-join")
def test_a_formatted_tool_gives_what_its_format_makes_of_the_result() -> None:
    def half(n: int) -> int:
        """Half of a number."""
        return n // (n - 2) if n < 3 else n // 2

    words = tool(half).formatted(lambda r: "no" if isinstance(r, Exception) else f"it is {r}")
    tools = Toolset([words])
    assert tools["half"].output_schema is None
    assert tools.call_sync("half", '{"n": "4"}').unwrap() == "it is 2"
    assert tools.call_sync("half", {"n": 2}).unwrap() == "no"
    assert tools.call_sync("half", {"n": "x"}).text.endswith("n: expected integer, received string")


def test_a_foreign_tool_without_a_schema_takes_any_object() -> None:
    async def execute(arguments: Any, context: Any) -> Any:
        return [arguments, context]

    tools = Toolset([standard_tool(name="raw", description="Raw.", execute=execute)])
    assert tools.call_sync("raw", {"x": 1}).unwrap() == [{"x": 1}, None]
    assert tools["raw"].input_schema.json_schema() == {"type": "object", "properties": {}}


@pytest.mark.requirement("pain-13")
def test_a_guard_counts_the_calls_of_a_batch_in_their_order() -> None:
    again, other = ToolCall("1", "add", '{"a": 1, "b": 2}'), ToolCall("2", "halve", {"n": 4})
    unknown, invalid = ToolCall("3", "nothing"), ToolCall("4", "add", {"a": 1})
    calls = [again, again, other, again, again, again, *[unknown] * 3, *[invalid] * 3]
    expected = ["ok"] * 5 + ["loop", "unknown_tool", "unknown_tool", "loop"]
    expected += ["invalid_input", "invalid_input", "loop"]
    for outcomes in (
        asyncio.run(TOOLS.call_all(calls, guard=LoopGuard())),
        TOOLS.call_all_sync(calls, guard=LoopGuard()),
    ):
        assert [one.kind if isinstance(one, Err) else "ok" for one in outcomes] == expected
        assert [one.call_id for one in outcomes] == [call.id for call in calls]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"observers": Recorder()}, "observers: not a list; pass a list, as in observers=[...]"),
        ({"limiters": len}, "limiters: not a list; pass a list, as in limiters=[...]"),
        ({"authorize": True}, "authorize: not callable; pass a function"),
        ({"approve": True}, "approve: not callable; pass a function"),
        ({"visible": "ann"}, "visible: not callable; pass a function"),
        ({"results": "folder"}, "results: not a Store; pass Store(), or Store(path)"),
    ],
)
def test_a_wrong_option_of_a_toolset_is_told_when_it_is_made(
    options: dict[str, Any], said: str
) -> None:
    with pytest.raises(DefinitionError) as raised:
        Toolset([add], **options)
    assert str(raised.value) == f"Toolset.{said}"


def test_observers_see_what_a_guard_refuses_once() -> None:
    seen = Recorder()
    tools, again = Toolset([halve], observers=[seen]), ToolCall("1", "halve", {"n": 4})
    wire, unknown = tools.export("anthropic"), ToolCall("2", "nothing")
    guard = LoopGuard(limit=2)
    tools.call_all_sync([again, again], guard=guard)
    wire.call_all_sync([again, unknown, unknown], guard=guard)
    tools.call_sync("halve", {"n": 4}, guard=guard)
    assert asyncio.run(tools.call("halve", {"n": 4}, guard=guard)).call_id is None
    assert seen.kinds == [
        ("halve", "ok"),
        ("halve", "loop"),
        ("halve", "loop"),
        ("nothing", "unknown_tool"),
        ("nothing", "loop"),
        ("halve", "ok"),
        ("halve", "loop"),
    ]


def test_a_text_is_no_list_of_tools() -> None:
    wrong: Any = "add"
    with pytest.raises(DefinitionError) as raised:
        Toolset(wrong)
    assert [fault.reason for fault in raised.value.faults] == ["not a list of tools"]


def test_an_argument_that_is_passed_as_an_option_is_told_where_it_goes() -> None:
    said = r"a call has no option a; arguments are one object, such as \{'a': \.\.\.\}"
    wrong: Any = {"a": 1}
    with pytest.raises(TypeError, match=said):
        add.call_sync(**wrong)
    with pytest.raises(TypeError, match=said):
        Toolset([add]).call_sync("add", **wrong)
