"""The gate: other libraries' validators, also those that answer later or break."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from toolhaft import Err, Ok, Prepared, Toolset, tool
from toolhaft.spec import Failure, Issue, Success

SHAPE = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


class Later:
    """A schema that answers later."""

    version = 1
    vendor = "later"

    async def validate(self, value: Any, /) -> Success[Any] | Failure:
        await asyncio.sleep(0)
        if value["n"] > 0:
            return Success(value["n"])
        return Failure([Issue(f"{value['n']} is not positive", ("n",))])

    def json_schema(self, *, target: str = "", mode: str = "input") -> dict[str, Any]:
        return SHAPE


class Broken(Later):
    """A schema with a bug."""

    def validate(self, value: Any, /) -> Any:
        raise KeyError("bug")


def take(value: Any) -> Any:
    """Give back what came."""
    return value


LATER: Any = tool(take, input=Later(), name="later")
BROKEN: Any = tool(take, input=Broken(), name="broken")


@pytest.mark.requirement("gate-awaits")
def test_a_validator_that_answers_later_is_awaited_by_both_doors() -> None:
    assert asyncio.run(LATER.call('{"n": "3"}')).unwrap() == 3
    assert LATER.call_sync({"n": 3}).unwrap() == 3
    prepared = LATER.prepare({"n": 3})
    assert isinstance(prepared, Prepared)
    assert (prepared.name, prepared.coercions) == ("later", ())
    assert asyncio.run(prepared.call()).unwrap() == 3
    assert asyncio.run(prepared.call()).text.startswith("This call has been decided already")
    for wrong in ({"n": -3}, '{"n": "-3"}'):
        refused = LATER.call_sync(wrong)
        assert isinstance(refused, Err)
        assert [(i.path, i.message) for i in refused.issues] == [(("n",), "… is not positive")]
    assert isinstance(LATER.call_sync({}), Err)


@pytest.mark.requirement("gate-broken-validator")
def test_a_validator_that_breaks_is_a_runtime_error(caplog: pytest.LogCaptureFixture) -> None:
    for outcome in (
        BROKEN.call_sync({"n": 1}),
        asyncio.run(BROKEN.call({"n": 1})),
        BROKEN.prepare({"n": 1}),
        BROKEN.replace(timeout=5).call_sync({"n": 1}),
    ):
        assert isinstance(outcome, Err)
        assert (outcome.kind, outcome.effect) == ("runtime_error", "none")
        assert "bug" not in outcome.text
    assert "KeyError" in caplog.text


def test_a_prepared_call_keeps_what_was_checked() -> None:
    sent: dict[str, Any] = {"n": 1}

    @tool
    def f(n: int) -> int:
        "F."
        return n

    prepared = f.prepare(sent)
    assert isinstance(prepared, Prepared)
    sent["n"] = 2
    assert repr(prepared) == "Prepared(name='f', coercions=())"
    assert bool(prepared)
    assert prepared.call_sync().unwrap() == 1


def test_both_doors_give_the_same_outcome_for_every_spelling() -> None:
    @tool
    def f(n: int, s: str = "x") -> list[Any]:
        "F."
        return [n, s]

    spellings: list[Any] = ['{"n": 1}', b'{"n": 1}', {"n": 1}, "{'n': 1}", '"{\\"n\\": 1}"']
    for raw in spellings:
        sync, later = f.call_sync(raw), asyncio.run(f.call(raw))
        assert isinstance(sync, Ok)
        assert isinstance(later, Ok)
        assert sync.value == later.value == [1, "x"]
        assert sync.coercions == later.coercions


def test_a_sync_handler_may_stay_on_the_loop() -> None:
    import threading

    @tool(offload=False)
    def where() -> int:
        "Where."
        return threading.get_ident()

    async def main() -> tuple[int, int]:
        return (await where.call()).unwrap(), threading.get_ident()

    here, there = asyncio.run(main())
    assert here == there


def test_an_overloaded_pool_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    from toolhaft.call import workers

    monkeypatch.setattr(workers, "POOL", workers.Pool(size=0))
    outcome = tool(take, input=SHAPE, timeout=1).call_sync({"n": 1})
    assert isinstance(outcome, Err)
    assert (outcome.kind, outcome.effect, outcome.retryable) == ("overloaded", "none", True)


def test_a_widening_validator_is_recorded() -> None:
    from pydantic import BaseModel, field_validator

    class Lines(BaseModel):
        lines: list[str]

        @field_validator("lines", mode="before")
        @classmethod
        def split(cls, value: Any) -> Any:
            return value.split("\n") if isinstance(value, str) else value

    @tool(input=Lines)
    def count(value: Lines) -> int:
        "Count."
        return len(value.lines)

    outcome = count.call_sync({"lines": "a\nb"})
    assert isinstance(outcome, Ok)
    assert outcome.value == 2
    assert [(c.path, c.rule) for c in outcome.coercions] == [(("lines",), "vendor")]
    assert Toolset([count]).call_sync("count", {"lines": ["a"]}).unwrap() == 1
