"""A conversation ends by itself where a model repeats itself, or never sends right arguments."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from toolhaft import Context, Injected, LoopGuard, Toolset, tool
from toolhaft.agent_loop import Called, Finished, run, run_sync
from toolhaft.errors import ContextMissing, ToolhaftError
from toolhaft.testing import ScriptedModel

RUNS: list[int] = []


@tool
def transfer(amount: int) -> str:
    """Send money."""
    RUNS.append(amount)
    raise RuntimeError("the line is down")


@tool
def double(n: int) -> int:
    """Double a number."""
    return 2 * n


def converse(*turns: Any, **options: Any) -> tuple[Finished, list[str]]:
    """Run a script; give how it ended, and the kind of each call's outcome."""

    async def main() -> tuple[Finished, list[str]]:
        kinds: list[str] = []
        messages = [{"role": "user", "content": "Please."}]
        events = run(
            ScriptedModel(*turns),
            model="m",
            messages=messages,
            tools=Toolset([transfer, double]),
            **options,
        )
        async for event in events:
            if isinstance(event, Called):
                kinds.append(getattr(event.outcome, "kind", "ok"))
            elif isinstance(event, Finished):
                return event, kinds
        raise AssertionError(kinds)

    return asyncio.run(main())


@pytest.mark.requirement("loop-endings")
def test_a_crashed_call_that_is_repeated_runs_twice_and_ends_the_run() -> None:
    RUNS.clear()
    finished, kinds = converse(*[("transfer", {"amount": 5})] * 4, "Done.")
    assert (finished.reason, RUNS) == ("loop", [5, 5])
    assert kinds == ["runtime_error", "runtime_error", "loop", "loop"]


@pytest.mark.requirement("loop-endings")
def test_a_model_that_heeds_the_guard_goes_on() -> None:
    turns = [("double", {"n": 1})] * 3
    finished, kinds = converse(*turns, ("double", {"n": 2}), "Four.")
    assert (finished.reason, kinds) == ("done", ["ok", "ok", "loop", "ok"])


@pytest.mark.requirement("loop-endings")
def test_wrong_arguments_in_a_row_end_the_run() -> None:
    wrong = [("double", {"n": f"x{number}"}) for number in range(9)]
    finished, kinds = converse(*wrong, "Sorry.")
    assert (finished.reason, kinds) == ("invalid", ["invalid_input"] * 5)
    finished, kinds = converse(*wrong[:3], ("halve", {}), "Sorry.", max_invalid=4)
    assert (finished.reason, kinds[-1]) == ("invalid", "unknown_tool")
    finished, kinds = converse(*wrong, "Sorry.", max_invalid=None)
    assert (finished.reason, len(kinds)) == ("done", 9)


@tool
def sign(text: str, author: Context[Any]) -> str:
    """Sign a text."""
    return f"{text} ({author})"


@tool
def publish(text: str, *, editor: Injected[str]) -> str:
    """Publish a text."""
    return f"{text} ({editor})"


@pytest.mark.requirement("context-missing-early")
@pytest.mark.parametrize(
    ("signing", "options", "words"),
    [
        (sign, {}, "sign: no context was passed, and author needs one; pass context="),
        (publish, {}, "publish: no context was passed, and editor needs one; pass context="),
        (publish, {"context": None}, "publish: the context has no editor; pass it in context"),
    ],
)
def test_a_run_that_lacks_its_context_does_not_ask_the_model(
    signing: Any, options: Any, words: str
) -> None:
    model = ScriptedModel("Never asked.")
    for tools in (Toolset([double, signing]), Toolset([signing]).export("openai-chat")):
        messages: list[Any] = [{"role": "user", "content": "Please."}]
        events = run_sync(model, model="m", messages=messages, tools=tools, **options)
        with pytest.raises(ContextMissing) as raised:
            next(events)
        assert (str(raised.value), len(messages)) == (words, 1)
    assert model.requests == []


@pytest.mark.requirement("context-missing-early")
@pytest.mark.parametrize("context", [None, "ann"])
def test_none_that_is_passed_to_a_run_is_its_context(context: Any) -> None:
    messages: list[Any] = [{"role": "user", "content": "Please."}]
    events = run_sync(
        ScriptedModel(("sign", {"text": "Hello"}), "Done."),
        model="m",
        messages=messages,
        tools=Toolset([sign]),
        context=context,
    )
    texts = [event.outcome.text for event in events if isinstance(event, Called)]
    assert texts == [f"Hello ({context})"]


@pytest.mark.requirement("loop-endings")
@pytest.mark.parametrize("period", [2, 3])
def test_calls_that_are_repeated_in_turn_end_the_run(period: int) -> None:
    cycle = [("double", {"n": n}) for n in range(period)]
    finished, kinds = converse(*cycle * 4, "Done.", max_turns=20)
    assert finished.reason == "loop"
    assert kinds == ["ok"] * (3 * period) + ["loop", "loop"]
    [outcome] = finished.answer.outcomes
    assert outcome.text.startswith(
        f"The same {period} calls were made {(3 * period + 2) // period} times in turn and this one"
        " was not run again;"
    )


@pytest.mark.requirement("loop-endings")
def test_calls_in_turn_that_do_not_repeat_are_no_loop() -> None:
    guard = LoopGuard(limit=2)
    names = ["read", "edit", "read", "run", "read", "edit", "read", "edit", "read"]
    assert [guard.check_sync(name) is None for name in names] == [True] * 8 + [False]
    stored = LoopGuard.from_json(guard.to_json(), limit=3)
    assert [stored.check_sync(name) is None for name in ("edit", "read")] == [True, False]


@pytest.mark.requirement("loop-endings")
def test_a_right_call_starts_the_count_anew() -> None:
    wrong, right = ("double", {"n": "x"}), ("double", {"n": 1})
    finished, _ = converse(wrong, right, wrong, right, "Two.", max_invalid=2)
    assert finished.reason == "done"


@pytest.mark.requirement("loop-endings")
def test_a_guard_goes_on_counting_in_another_request() -> None:
    guard = LoopGuard()
    assert LoopGuard.from_json(guard.to_json()).check_sync("double", {"n": 1}) is None
    guard.check_sync("double", {"secret": "hush"})
    guard.check_sync("double", {"secret": "hush"})
    text = guard.to_json()
    assert "hush" not in text
    later = LoopGuard.from_json(LoopGuard.from_json(text).to_json())
    refused = later.check_sync("double", '{"secret": "hush"}')
    assert refused is not None
    assert (refused.kind, later.tripped) == ("loop", True)
    assert LoopGuard.from_json(text, limit=9).check_sync("double", {"secret": "hush"}) is None
    assert LoopGuard.from_json(text).check_sync("double", {"n": 2}) is None


@pytest.mark.requirement("loop-endings")
@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        '{"recent": []}',
        '{"recent": [], "repeats": [0]}',
        '{"recent": [1], "repeats": [0, 0, 0]}',
        '{"recent": ["x"], "repeats": [-1, 0, 0]}',
        '{"recent": ["x"], "repeats": [true, 0, 0]}',
        '{"recent": ["a", "b", "c", "d"], "repeats": [0, 0, 0]}',
    ],
)
def test_what_no_guard_has_written_is_refused(text: str) -> None:
    with pytest.raises(ToolhaftError, match="from_json: no state of a guard"):
        LoopGuard.from_json(text)
