"""Reading handlers: parameters, what is bound, and where types are found."""

from __future__ import annotations

import functools
from typing import Any

import pytest

from toolhaft.definition import signature
from toolhaft.definition.signature import MISSING, Handler, Parameter, UnnamedFault


def weather(city: str, units: str = "C", /, *, days: int = 3) -> str:
    return f"{city} {units} {days}"


class Client:
    def method(self, repo: str) -> str:
        return repo

    async def __call__(self, repo: str) -> str:
        return repo


def handler(fn: Any) -> Handler:
    found = signature.read_handler(fn)
    assert found is not None
    return found


def names(fn: Any) -> list[str]:
    return [one.name for one in handler(fn).parameters]


def test_parameters_are_read_with_their_defaults_and_kinds() -> None:
    assert handler(weather).parameters == (
        Parameter("city", "str", MISSING, positional_only=True),
        Parameter("units", "str", "C", positional_only=True),
        Parameter("days", "int", 3, positional_only=False),
    )


@pytest.mark.requirement("pain-42")
@pytest.mark.parametrize(
    ("fn", "expected"),
    [
        (Client().method, ["repo"]),
        (Client.method, ["repo"]),
        (Client(), ["repo"]),
        (functools.partial(weather, "Paris"), ["units", "days"]),
        (functools.partial(weather, days=1), ["city", "units"]),
        (functools.partial(functools.partial(weather, "Paris"), "F"), ["days"]),
        (staticmethod(weather), ["city", "units", "days"]),
    ],
)
def test_self_and_bound_arguments_do_not_show(fn: Any, expected: list[str]) -> None:
    assert names(fn) == expected


def test_a_wrapper_shows_the_signature_of_what_it_wraps() -> None:
    @functools.wraps(weather)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return weather(*args, **kwargs)

    found = handler(wrapper)
    assert names(wrapper) == ["city", "units", "days"]
    assert found.call is wrapper
    assert found.faults == ()


def test_a_sync_wrapper_of_a_coroutine_function_is_awaited() -> None:
    async def inner(x: int) -> int:
        return x

    @functools.wraps(inner)
    def wrapper(x: int) -> Any:
        return inner(x)

    assert handler(wrapper).asynchronous
    assert handler(Client()).asynchronous
    assert not handler(weather).asynchronous


LISTED = [lambda given: given for _ in range(1)]


def test_only_a_function_of_a_class_body_binds() -> None:
    assert handler(Client.method).binds
    assert not handler(Client().method).binds
    assert not handler(weather).binds
    assert not handler(LISTED[0]).binds
    of_class: Any = classmethod
    assert handler(of_class(Client.method)).binds
    assert not handler(staticmethod(Client.method)).binds


def test_a_callable_without_a_python_function_is_not_a_handler() -> None:
    assert signature.read_handler(print) is None
    assert signature.read_handler(Client) is None
    assert signature.read_handler(3) is None


def test_keywords_are_found_behind_every_other_parameter() -> None:
    def each(a: int, /, b: int, *c: int, d: int, **e: float) -> None: ...
    def some(a: int, *, d: int, **e: float) -> None: ...

    assert (handler(each).keywords, handler(some).keywords) == ("float", "float")


def test_every_flaw_is_listed() -> None:
    def crooked(a, *args: int, **kwargs) -> Any:  # type: ignore[no-untyped-def]
        yield a

    assert handler(crooked).faults == (
        UnnamedFault(
            "args",
            "*args have no place in a JSON object",
            "take one list parameter; give a decorator's wrapper functools.wraps",
        ),
        UnnamedFault("**", "**kwargs without declared keys", "annotate them Unpack[TypedDict]"),
        UnnamedFault("", "a generator has no single result", "return a list"),
        UnnamedFault("a", "the parameter has no annotation", "annotate it with its type"),
    )
