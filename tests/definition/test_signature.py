"""Reading handlers: parameters, what is bound, and where types are found."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

import pytest

from toolhaft.definition import signature
from toolhaft.definition.signature import MISSING, Handler, Parameter, UnnamedFault, Unresolved

if TYPE_CHECKING:
    from decimal import Decimal


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


def test_what_holds_no_python_function_is_not_a_handler() -> None:
    assert signature.read_handler(print) is None
    assert signature.read_handler(Client) is None
    assert signature.read_handler(3) is None


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


@pytest.mark.requirement("pain-39")
def test_local_and_forward_references_resolve() -> None:
    class Local: ...

    def define() -> Handler:
        class Inner: ...

        def uses(a: Local, b: Inner, c: list[Later]) -> None: ...

        read = handler(uses)

        class Later: ...

        assert Later is not None
        return read

    read = define()
    types = signature.types_of(read, {"a", "b", "c"})
    assert types["a"] is Local
    assert types["b"].__name__ == "Inner"
    assert types["c"].__args__[0].__name__ == "Later"


@pytest.mark.requirement("pain-39")
def test_every_name_that_means_nothing_is_named() -> None:
    def crooked(a: Decimal, b: Nowhere, c: int) -> None: ...  # type: ignore[name-defined]  # noqa: F821

    with pytest.raises(Unresolved) as raised:
        signature.types_of(handler(crooked), {"a", "b", "c"})
    assert raised.value.faults == [
        UnnamedFault(
            name,
            f"the annotation names {missing}, which is not defined at run time",
            f"import {missing} outside `if TYPE_CHECKING`",
        )
        for name, missing in [("a", "Decimal"), ("b", "Nowhere")]
    ]


def test_an_annotation_that_cannot_be_read_is_a_flaw() -> None:
    def crooked(a: 1 / 0) -> None: ...  # type: ignore[valid-type]

    with pytest.raises(Unresolved) as raised:
        signature.types_of(handler(crooked), {"a"})
    assert raised.value.faults == [
        UnnamedFault("a", "the annotation cannot be read (ZeroDivisionError)", "correct it")
    ]
