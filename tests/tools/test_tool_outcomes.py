"""The outcomes of a call: the value, an error, a crash, and the model's text of each."""

from __future__ import annotations

import asyncio
import pickle
from typing import Any

import msgspec
import pytest
from pydantic import BaseModel

from toolhaft import Err, Injected, Ok, ToolError, ToolOutputInvalid, ToolRefused, tool
from toolhaft.errors import CallFailed, ToolTimeout


class Weather(BaseModel):
    city: str
    degrees: float


class Search(BaseModel):
    query: str
    limit: int = 5


class Struct(msgspec.Struct):
    city: str


def test_a_timeout_is_reported_with_its_effect() -> None:
    @tool(timeout=0.05)
    async def slow() -> str:
        "Slow."
        await asyncio.sleep(10)
        return "late"

    outcome = slow.call_sync()
    assert isinstance(outcome, Err)
    assert (outcome.kind, outcome.effect, outcome.retryable) == ("timeout", "unknown", False)
    assert outcome.text == (
        "The tool did not finish within 0.05 seconds and may have taken effect: "
        "do not repeat the call."
    )
    with pytest.raises(ToolTimeout) as raised:
        slow.execute_sync()
    assert raised.value.effect == "unknown"
    assert isinstance(raised.value, ToolRefused)


@pytest.mark.parametrize("hints", [{}, {"readOnlyHint": True}, {"idempotentHint": True}])
def test_retryable_agrees_with_the_text(hints: Any) -> None:
    @tool(annotations=hints)
    def crashes() -> str:
        "Crash."
        raise RuntimeError

    @tool(annotations=hints, timeout=0.01)
    async def slow() -> str:
        "Slow."
        await asyncio.Event().wait()
        return "late"

    @tool(annotations=hints)
    def needs(user: Injected[str]) -> str:
        "Need what the context lacks."
        return user

    outcomes = [one.call_sync() for one in (crashes, slow, needs)]
    outcomes += [pickle.loads(pickle.dumps(one)) for one in outcomes]
    told = ["You may try once more." in one.text for one in outcomes if isinstance(one, Err)]
    assert told == [bool(hints), bool(hints), True] * 2
    assert [one.retryable for one in outcomes if isinstance(one, Err)] == told


@pytest.mark.requirement("pain-54")
def test_a_handlers_own_timeout_error_is_a_crash() -> None:
    @tool(timeout=5)
    async def fails() -> str:
        "Fails."
        raise TimeoutError("mine")

    outcome = fails.call_sync()
    assert isinstance(outcome, Err)
    assert outcome.kind == "runtime_error"
    with pytest.raises(TimeoutError, match="mine"):
        fails.execute_sync()


@pytest.mark.requirement("pain-55")
def test_cancellation_of_the_caller_passes_and_the_handlers_own_does_not() -> None:
    @tool
    async def cancels() -> str:
        "Cancel."
        raise asyncio.CancelledError

    @tool
    async def waits() -> str:
        "Wait."
        await asyncio.sleep(10)
        return "late"

    async def main() -> Any:
        own = await cancels.call()
        task = asyncio.ensure_future(waits.call())
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return own

    own = asyncio.run(main())
    assert (own.kind, own.effect) == ("runtime_error", "unknown")


@pytest.mark.parametrize("error", [SystemExit(2), BaseException("x"), StopIteration()])
def test_any_exception_of_a_handler_is_its_failure(error: BaseException) -> None:
    @tool
    def exits() -> str:
        "Exit."
        raise error

    outcome = exits.call_sync()
    assert isinstance(outcome, Err)
    assert outcome.kind == "runtime_error"
    assert isinstance(asyncio.run(exits.call()), Err)


def test_a_keyboard_interrupt_passes_through() -> None:
    @tool
    def interrupted() -> str:
        "Stop."
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted.call_sync()
    with pytest.raises(KeyboardInterrupt):
        interrupted.replace(timeout=5).call_sync()


def test_named_exceptions_have_the_authors_message() -> None:
    class Missing(LookupError): ...

    @tool(errors={LookupError: "no such place"})
    def find() -> str:
        "Find."
        raise Missing

    outcome = find.call_sync()
    assert isinstance(outcome, Err)
    assert (outcome.kind, outcome.text) == ("tool_error", "no such place")
    with pytest.raises(ToolError, match="no such place"):
        outcome.unwrap()


def test_unwrap_raises_like_execute_or_names_the_log() -> None:
    @tool(output=Weather)
    def broken() -> Any:
        "Break."
        return {"city": 1}

    with pytest.raises(ToolOutputInvalid) as invalid:
        broken.execute_sync()
    assert {issue.path for issue in invalid.value.issues} == {("city",), ("degrees",)}
    assert (invalid.value.tool, invalid.value.target) == ("broken", "output")

    @tool
    def boom() -> str:
        "Boom."
        raise ValueError("secret")

    outcome = boom.call_sync()
    assert isinstance(outcome, Err)
    with pytest.raises(CallFailed) as raised:
        outcome.unwrap()
    assert raised.value.error_id == outcome.error_id
    assert "secret" not in str(raised.value)


def test_a_long_result_is_cut_with_its_size() -> None:
    @tool(max_result_chars=200)
    def long() -> str:
        "Long."
        return "x" * 1000

    outcome = long.call_sync()
    assert isinstance(outcome, Ok)
    assert len(outcome.text) == 200
    assert outcome.text.endswith("… (1000 characters in all)")
    assert len(outcome.value) == len(outcome.json) == 1000


def test_render_changes_what_the_model_reads_only() -> None:
    @tool(render=lambda value: f"{value['a']} apples")
    def count() -> dict[str, int]:
        "Count."
        return {"a": 3}

    outcome = count.call_sync()
    assert isinstance(outcome, Ok)
    assert (outcome.text, outcome.value, outcome.json) == ("3 apples", {"a": 3}, {"a": 3})


def test_a_rendering_that_fails_is_an_outcome_after_the_fact() -> None:
    @tool(render=lambda value: value["b"])
    def count() -> dict[str, int]:
        "Count."
        return {"a": 3}

    outcome = count.call_sync()
    assert isinstance(outcome, Err)
    assert (outcome.kind, outcome.effect) == ("runtime_error", "done")
    unwritable = count.replace(render=lambda value: object()).call_sync()
    assert isinstance(unwritable, Err)
    assert (unwritable.kind, unwritable.effect) == ("output_invalid", "done")


def test_objects_of_any_library_are_results_inside_a_declared_container() -> None:
    @tool
    def places() -> list[Any]:
        "Places."
        return [Search(query="x"), Struct("y"), 1]

    assert places.call_sync().text == '[{"query":"x","limit":5},{"city":"y"},1]'


def test_the_model_reads_which_keys_were_ignored() -> None:
    @tool(extra="ignore")
    def f(a: int = 1) -> int:
        "F."
        return a

    outcome = f.call_sync({"b": 2})
    assert isinstance(outcome, Ok)
    assert outcome.text == "1\n(ignored unknown arguments: b)"


def test_coercion_can_be_turned_off() -> None:
    @tool(coerce="none")
    def f(a: int) -> int:
        "F."
        return a

    assert f.call_sync({"a": 5.0}).unwrap() == 5
    for wrong in ({"a": "5"}, "{'a': 5}"):
        assert isinstance(f.call_sync(wrong), Err)


def test_an_authors_words_do_not_echo_the_refused_value() -> None:
    class Account(BaseModel):
        iban: str

        def model_post_init(self, context: Any, /) -> None:
            raise ValueError(f"{self.iban} is not on file, nor is {self.iban!r}")

    @tool(input=Account)
    def look_up(account: Account) -> str:
        "Look up."
        return account.iban

    outcome = look_up.call_sync({"iban": "hunter2"})
    assert isinstance(outcome, Err)
    assert [issue.code for issue in outcome.issues] == ["custom"]
    assert "hunter2" not in outcome.text
    assert "… is not on file, nor is '…'" in outcome.text


def test_a_rejection_can_be_had_without_a_run() -> None:
    ran: list[str] = []

    async def authorize(arguments: Any, context: Any) -> bool:
        return bool(context == "ann")

    @tool(authorize=authorize)
    def act(what: str) -> None:
        "Act."
        ran.append(what)

    cases: list[tuple[Any, str, str | None]] = [
        ({"what": "x"}, "ann", None),
        ({"what": "x"}, "bob", "denied"),
        ({"what": 5}, "ann", "invalid_input"),
    ]
    for raw, context, kind in cases:
        refusals = (
            act.refusal_sync(raw, context=context),
            asyncio.run(act.refusal(raw, context=context)),
        )
        kinds = [None if one is None else one.kind for one in refusals]
        assert kinds == [kind, kind]
    assert ran == []
