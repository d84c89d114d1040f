"""Exceptions of an author's objects in odd places are outcomes, in C and in Python alike."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from typing import Annotated, Any, NoReturn

import pytest
from pydantic import AfterValidator, BaseModel

from toolhaft import Err, Tool, tool

PAIRS = {
    "type": "object",
    "properties": {
        "x": {"type": "array", "items": {"type": "integer"}, "uniqueItems": True},
    },
    "required": ["x"],
    "additionalProperties": False,
}


def whole(called: Tool[Any]) -> Callable[[Any], Any]:
    """Return the call of a tool on the code path in Python, whichever the tool uses."""
    boundary: Any = called._compile()
    return lambda raw: boundary.run_whole_sync(raw, None, boundary.to_outcome)


class Lying(Exception):
    """An exception whose class cannot be read."""

    @property  # type: ignore[misc]
    def __class__(self) -> NoReturn:  # type: ignore[override]
        raise LookupError


def refuse(value: int) -> NoReturn:
    raise Lying


class Refused(BaseModel):
    n: Annotated[int, AfterValidator(refuse)]


@pytest.mark.parametrize("way", [whole, lambda called: called.call_sync])
def test_an_exception_that_lies_about_its_class_is_a_crash(way: Any) -> None:
    def read(refused: Refused) -> None: ...

    called = tool(read, name="read", description="Read.", input=Refused)
    called.call_sync({"n": "no"})
    outcome = way(called)({"n": 1})
    assert isinstance(outcome, Err)
    assert (outcome.kind, outcome.effect) == ("runtime_error", "none")


@pytest.mark.parametrize("way", [whole, lambda called: called.call_sync])
def test_so_is_one_of_the_validator_of_a_result(way: Any) -> None:
    def give() -> Any:
        return {"n": 1}

    called = tool(give, name="give", description="Give.", output=Refused)
    called.call_sync({"n": 1})
    outcome = way(called)({})
    assert isinstance(outcome, Err)
    assert (outcome.kind, outcome.effect) == ("runtime_error", "done")


class Key(str):
    """A key that is found where another is looked for, and raises when it is compared."""

    __slots__ = ()
    armed = False

    def __hash__(self) -> int:
        return hash("a")

    def __eq__(self, other: object) -> bool:
        if Key.armed:
            raise LookupError
        return self is other


@pytest.mark.parametrize("way", [whole, lambda called: called.call_sync])
def test_a_key_that_raises_while_a_result_is_copied_is_a_crash(
    way: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def give() -> Any:
        first: Any = Key("b")
        members: dict[Any, Any] = {first: 0, "a": {}}
        del members[first]
        members[Key("c")] = 1
        monkeypatch.setattr(Key, "armed", True)
        return members

    called = tool(give, name="give", description="Give.")
    outcome = way(called)({})
    assert isinstance(outcome, Err)
    assert (outcome.kind, outcome.effect) == ("runtime_error", "done")


@pytest.mark.parametrize("way", [whole, lambda called: called.call_sync])
def test_a_keyboard_interrupt_during_the_look_runs_nothing(way: Any) -> None:
    ran: list[Any] = []

    def read(arguments: dict[str, Any]) -> None:
        ran.append(arguments)

    called = tool(read, name="read", description="Read.", input=PAIRS)
    call = way(called)
    call({"x": [1, 2]})
    before = signal.signal(signal.SIGINT, signal.default_int_handler)

    def interrupt(frame: Any, event: str, arg: Any) -> None:
        if event == "call" and frame.f_code.co_filename.endswith("shape.py"):
            sys.setprofile(None)
            signal.raise_signal(signal.SIGINT)

    sys.setprofile(interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            call({"x": [1, 2]})
    finally:
        sys.setprofile(None)
        signal.signal(signal.SIGINT, before)
    assert len(ran) == 1


def test_shared_rows_that_multiply_are_too_many_values() -> None:
    row = {str(number): number for number in range(1000)}
    called = tool(lambda: [row] * 5000, name="give", description="Give.")
    outcome = called.call_sync({})
    assert isinstance(outcome, Err)
    assert outcome.kind == "output_invalid"
    assert [issue.message for issue in outcome.issues] == ["more than 524288 values"]


@pytest.mark.parametrize("way", [whole, lambda called: called.call_sync])
def test_a_flat_object_may_have_as_many_keys_as_data_have_values(way: Any) -> None:
    def give() -> dict[str, int]:
        return {str(number): number for number in range(600_000)}

    outcome = way(tool(give, name="give", description="Give."))({})
    assert isinstance(outcome, Err)
    assert outcome.kind == "output_invalid"
