"""The guard against loops: which calls are the same, and the outcome of the third."""

from __future__ import annotations

import asyncio
import json
from random import Random
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, field_serializer

from toolhaft import Err, LoopGuard, Toolset, tool
from toolhaft.errors import ToolLoop
from toolhaft.jsonio.canonical import canonical

EQUAL = ['{"q": "x", "n": 1}', {"n": 1.0, "q": "x"}, "{'q': 'x', 'n': 1}", b' {"n":1,"q":"x"} ']


class Query(BaseModel):
    q: str


class Sealed(Query):
    """A query that cannot be written down."""

    @field_serializer("q")
    def broken(self, q: str) -> str:
        raise OSError(q)


@tool(input=Query)
def search(query: Query) -> str:
    """Search."""
    return query.q


def refusals(guard: LoopGuard, *calls: tuple[str, Any]) -> list[bool]:
    return [guard.check_sync(name, raw) is not None for name, raw in calls]


@pytest.mark.requirement("pain-13")
@pytest.mark.requirement("row-46")
@pytest.mark.parametrize("third", EQUAL)
def test_the_third_equal_call_in_a_row_is_refused_however_it_is_spelt(third: Any) -> None:
    guard = LoopGuard()
    assert refusals(guard, ("f", EQUAL[0]), ("f", EQUAL[1])) == [False, False]
    before, refused, after = guard.tripped, guard.check_sync("f", third), guard.tripped
    assert (before, after) == (False, True)
    assert isinstance(refused, Err)
    assert (refused.kind, refused.name, refused.effect, refused.retryable) == (
        "loop",
        "f",
        "none",
        False,
    )
    assert refused.text == (
        "The same call was made 3 times in a row and was not run again; the result would not "
        "change. Use other arguments or another tool, or explain the obstacle to the user."
    )
    assert refusals(guard, ("f", third)) == [True]


@pytest.mark.requirement("row-46")
def test_another_call_in_between_starts_anew() -> None:
    again, other = ("f", {"n": 1}), ("f", {"n": 2})
    calls = [again, again, other, again, again, ("g", {"n": 1}), again, again, again]
    assert refusals(LoopGuard(), *calls) == [False] * 8 + [True]


@pytest.mark.parametrize(
    "raw",
    [
        '{"q": "x',
        b"\xff",
        "[1]",
        [1],
        None,
        {"q": object()},
        Query(q="x"),
        Sealed(q="x"),
        {"q": "\ud800"},
        {"n": 10**400},
    ],
)
def test_calls_that_cannot_be_read_count_too(raw: Any) -> None:
    assert refusals(LoopGuard(), *[("f", raw)] * 3) == [False, False, True]


def test_calls_that_cannot_be_read_are_told_apart() -> None:
    unlike: list[tuple[Any, Any]] = [('{"q": "x', '{"q": "y'), ([1], [2])]
    unlike.append((Query(q="x"), Query(q="y")))
    for one, other in unlike:
        calls = [("f", one), ("f", one), ("f", other)]
        assert refusals(LoopGuard(), *calls) == [False] * 3


def test_the_limit_is_the_hosts_choice() -> None:
    assert refusals(LoopGuard(limit=2), *[("f", None)] * 2) == [False, True]
    assert refusals(LoopGuard(limit=1), ("f", None)) == [True]
    with pytest.raises(ValueError, match="limit: less than 1"):
        LoopGuard(limit=0)


def test_forgetting_starts_anew() -> None:
    guard = LoopGuard(limit=2)
    refusals(guard, ("f", None))
    guard.reset()
    assert refusals(guard, ("f", None), ("f", None)) == [False, True]


@pytest.mark.parametrize("exempt", [("poll_*",), ["other", "poll_job"], "poll_*"])
def test_tools_that_poll_may_repeat_themselves(exempt: Any) -> None:
    guard = LoopGuard(exempt=exempt)
    assert refusals(guard, *[("poll_job", None)] * 5) == [False] * 5
    assert refusals(guard, *[("f", None)] * 3) == [False, False, True]


class Seen(NamedTuple):
    name: str
    arguments: Any


def test_a_key_says_what_makes_calls_equal_and_which_do_not_count() -> None:
    seen: list[Seen] = []

    def key(name: str, arguments: Any) -> Any:
        seen.append(Seen(name, arguments))
        return None if name == "wait" else (name, arguments.get("path"))

    guard = LoopGuard(key=key)
    calls = [("read", '{"path": "a", "line": 1}'), ("read", {"path": "a", "line": 2})]
    assert refusals(guard, *calls, ("wait", None), *calls, calls[0]) == [False] * 5 + [True]
    assert seen[0] == Seen("read", {"path": "a", "line": 1})


def test_a_key_that_breaks_is_logged_and_the_arguments_decide(
    caplog: pytest.LogCaptureFixture,
) -> None:
    guard = LoopGuard(key=lambda name, arguments: arguments["path"])
    assert refusals(guard, *[("f", {"n": 1})] * 3) == [False, False, True]
    assert [record.getMessage().partition(" (")[0] for record in caplog.records] == [
        "tool f failed"
    ] * 3


def test_the_host_is_asked_and_may_let_the_call_run() -> None:
    asked: list[Any] = []

    def on_loop(name: str, arguments: Any, count: int) -> bool:
        asked.append((name, arguments, count))
        return True

    guard = LoopGuard(on_loop=on_loop)
    assert refusals(guard, *[("f", '{"n": 1}')] * 5) == [False] * 5
    assert asked == [("f", {"n": 1}, 3)]
    assert refusals(guard, ("f", '{"n": 1}')) == [False]
    assert len(asked) == 2


@pytest.mark.parametrize("answer", [False, None, 1, "yes"])
def test_only_true_lets_a_call_run(answer: Any) -> None:
    guard = LoopGuard(on_loop=lambda *_: answer)
    assert refusals(guard, *[("f", None)] * 3) == [False, False, True]


def test_a_host_that_breaks_permits_nothing(caplog: pytest.LogCaptureFixture) -> None:
    def sync(name: str, arguments: Any, count: int) -> bool:
        raise RuntimeError("mine")

    async def later(name: str, arguments: Any, count: int) -> bool:
        raise RuntimeError("mine")

    for on_loop in (sync, later):
        guard = LoopGuard(limit=1, on_loop=on_loop)
        assert refusals(guard, ("f", None)) == [True]
        assert asyncio.run(guard.check("f")) is not None
    assert [str((record.exc_info or (0, 0))[1]) for record in caplog.records] == ["mine"] * 4


def test_the_host_may_take_its_time() -> None:
    async def on_loop(name: str, arguments: Any, count: int) -> bool:
        await asyncio.sleep(0)
        return name == "f"

    async def main() -> list[bool]:
        guard = LoopGuard(limit=1, on_loop=on_loop)
        return [await guard.check(name) is None for name in ("f", "g")]

    assert asyncio.run(main()) == [True, False]
    assert refusals(LoopGuard(limit=1, on_loop=on_loop), ("f", None), ("g", None)) == [False, True]


def test_a_tool_and_a_toolset_take_a_guard() -> None:
    tools = Toolset([search])
    raw = '{"q": "x"}'
    guard = LoopGuard()
    outcomes = [
        search.call_sync(raw, guard=guard),
        asyncio.run(search.call(raw, guard=guard)),
        search.call_sync(raw, guard=guard),
        asyncio.run(search.call(raw, guard=guard)),
        tools.call_sync("search", raw, guard=guard),
        asyncio.run(tools.call("search", raw, guard=guard)),
    ]
    assert [getattr(one, "kind", "ok") for one in outcomes] == ["ok"] * 2 + ["loop"] * 4
    with pytest.raises(ToolLoop) as raised:
        outcomes[2].unwrap()
    assert raised.value.effect == "none"


def test_a_key_is_given_arguments_that_cannot_be_read_as_they_came() -> None:
    guard = LoopGuard(key=lambda name, arguments: arguments)
    assert refusals(guard, ("f", "[1"), ("g", "[1"), ("f", "[1")) == [False, False, True]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.text(st.characters(codec="utf-8")), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip
OBJECTS = st.dictionaries(st.text(st.characters(codec="utf-8")), JSON, max_size=4)


def shuffled(data: Any, random: Random) -> Any:
    if isinstance(data, list):
        return [shuffled(item, random) for item in data]
    if not isinstance(data, dict):
        return data
    items = [(key, shuffled(value, random)) for key, value in data.items()]
    random.shuffle(items)
    return dict(items)


@given(OBJECTS, st.randoms(use_true_random=False), st.sampled_from([None, 2]))
def test_neither_the_order_of_keys_nor_the_spelling_makes_a_difference(
    data: Any, random: Any, indent: int | None
) -> None:
    guard = LoopGuard()
    text = json.dumps(shuffled(data, random), indent=indent)
    spellings = [data, text, text.encode()]
    random.shuffle(spellings)
    assert refusals(guard, *[("f", raw) for raw in spellings]) == [False, False, True]


@given(OBJECTS, OBJECTS)
def test_calls_are_told_apart_as_their_canonical_texts_are(one: Any, other: Any) -> None:
    tripped = refusals(LoopGuard(limit=2), ("f", one), ("f", json.dumps(other)))[1]
    assert tripped == (canonical(one) == canonical(other))
