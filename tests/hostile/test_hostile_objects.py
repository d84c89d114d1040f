"""Objects that raise at every access: an outcome for each, wherever they occur.

Proxies really do so: one for a request raises if there is no request, even when its class is read.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NoReturn

import attrs
import msgspec
import pytest
from pydantic import BaseModel

from toolhaft import Err, LoopGuard, Ok, ToolCall, ToolError, Toolset, tool
from toolhaft.observers.details import unredacted
from toolhaft.observers.logging import Logging
from toolhaft.tools.tool import AnyTool


def asked(*_: Any, **__: Any) -> NoReturn:
    raise RuntimeError("asked")


class Proxy:
    """Stands for nothing."""

    __getattribute__ = asked


class Classless:
    """Raises for `isinstance`."""

    locals()["__class__"] = property(asked)


class Meta(type):
    """A class that raises too."""

    __instancecheck__ = __subclasscheck__ = __eq__ = __repr__ = asked
    __hash__ = asked
    locals()["__name__"] = property(asked)


class Odd(metaclass=Meta):
    """Its class cannot be named."""


class Nothing:
    """Cannot be compared, shown or counted."""

    __eq__ = __repr__ = __str__ = __bool__ = __len__ = __iter__ = asked
    __hash__ = asked


class Map(dict[str, Any]):
    __getitem__ = __iter__ = get = items = keys = values = __len__ = __contains__ = asked
    __eq__ = __repr__ = copy = asked


class Items(list[Any]):
    __getitem__ = __iter__ = __len__ = __eq__ = __repr__ = copy = asked


class Text(str):
    __slots__ = ()
    __eq__ = __repr__ = __str__ = __len__ = encode = strip = lstrip = startswith = asked
    __hash__ = asked


class Number(int):
    __eq__ = __lt__ = __gt__ = __int__ = __index__ = __repr__ = asked
    __hash__ = asked


class Abstract(Mapping[str, Any]):
    __getitem__ = __iter__ = __len__ = asked


class Pretender:
    """Says that it is a dict."""

    __class__ = dict  # type: ignore[assignment]


CYCLE: dict[str, Any] = {}
CYCLE["n"] = CYCLE

OBJECTS: dict[str, Any] = {
    "proxy": Proxy(),
    "classless": Classless(),
    "odd": Odd(),
    "odd class": Odd,
    "nothing": Nothing(),
    "map": Map(n=1),
    "items": Items([1]),
    "text": Text("1"),
    "number": Number(1),
    "abstract": Abstract(),
    "view": MappingProxyType(Abstract()),
    "pretender": Pretender(),
    "cycle": CYCLE,
    "generator": (one for one in "ab"),
    "bytearray": bytearray(b"{}"),
    "exception": ValueError("asked"),
}
# Objects that are read by the methods of their base, and then are like any other.
READ = {"text", "number"}
each_object = pytest.mark.parametrize("name", OBJECTS)


class Model(BaseModel):
    n: int


class Struct(msgspec.Struct):
    n: int


@attrs.define
class Class:
    n: int


def take(n: int) -> int:
    """Take a number."""
    return n


def given(value: Any) -> None:
    """Take a whole."""
    del value


SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}}
TOOLS = Toolset(
    [
        take,
        tool(given, name="model", input=Model),
        tool(given, name="struct", input=Struct),
        tool(given, name="attrs", input=Class),
        tool(given, name="schema", input=SCHEMA),
        tool(take, name="held", requires_approval=True),
    ],
    observers=[Logging(values=unredacted)],
)
# An adapter reads the class of such an object, and the caller gets an error.
BROKEN = {"invalid_input", "runtime_error"}


def told(outcome: Ok[Any] | Err) -> str:
    """The kind of an outcome, once it has shown all that it has."""
    assert isinstance(outcome.text, str)
    assert isinstance(outcome.content, str)
    assert repr(outcome)
    return outcome.kind if isinstance(outcome, Err) else "ok"


@pytest.fixture(autouse=True)
def _logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "toolhaft.calls")


Door = Callable[[AnyTool, Any], Ok[Any] | Err]
WIRE = TOOLS.export("openai", strict="prefer")
DOORS: list[Door] = [
    lambda one, raw: one.call_sync(raw),
    lambda one, raw: asyncio.run(one.call(raw)),
    lambda one, raw: TOOLS.call_sync(one.name, raw, guard=LoopGuard()),
    lambda one, raw: asyncio.run(TOOLS.call_all([ToolCall("1", one.name, raw)]))[0],
    lambda one, raw: WIRE.call_sync(ToolCall("1", one.name, raw)),
]


@pytest.mark.requirement("hostile-objects")
@pytest.mark.parametrize("door", DOORS)
@each_object
def test_arguments_are_asked_nothing(name: str, door: Door) -> None:
    found = OBJECTS[name]
    for one in TOOLS:
        assert told(door(one, found)) in BROKEN | ({"ok"} if name == "abstract" else set())
        inside = told(door(one, {"n": found}))
        expected = {"ok", "approval_required"} if name in READ else BROKEN
        assert inside in expected, (one.name, inside)


@pytest.mark.requirement("hostile-objects")
@pytest.mark.parametrize("output", [None, {"type": "object"}])
@pytest.mark.parametrize("rendered", [False, True])
@each_object
def test_results_are_asked_nothing(name: str, output: Any, rendered: bool) -> None:
    options: dict[str, Any] = {"render": lambda value: value} if rendered else {}
    one = tool(lambda _: OBJECTS[name], name="t", description="T.", input=SCHEMA, output=output)
    tools = Toolset([one.replace(**options)], observers=[Logging(values=unredacted)])
    passes = {"text", "number"} if output is None else set()
    for outcome in (tools.call_sync("t"), asyncio.run(tools.call("t"))):
        kind = told(outcome)
        assert kind == "ok" if name in passes else kind in {"output_invalid", "runtime_error"}
        assert isinstance(outcome, Ok) or outcome.effect == "done"


class Lies(Exception):
    __class__ = KeyboardInterrupt  # type: ignore[assignment]


class Silent(Exception):
    __getattribute__ = asked


class Nameless(Exception):
    locals()["__class__"] = property(asked)
    __str__ = __repr__ = asked


class Stops(ToolError):
    def __str__(self) -> str:
        raise SystemExit(3)


class Says(ToolError):
    def __str__(self) -> str:
        return Text("closed")


@pytest.mark.requirement("hostile-objects")
@pytest.mark.parametrize("error", [Lies, Silent, Nameless, Stops, Says])
@pytest.mark.parametrize("options", [{}, {"timeout": 60}, {"limit": 1}])
def test_exceptions_are_asked_nothing(
    error: type[Exception], options: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging.getLogger("toolhaft"), "disabled", True)

    def here() -> None:
        """Raise."""
        raise error("x")

    async def later() -> None:
        """Raise later."""
        raise error("x")

    for one in (tool(here, **options), tool(later, **options)):
        for outcome in (one.call_sync(), asyncio.run(one.call())):
            words = told(outcome), type(outcome.text), outcome.text == "closed"
            says = error is Says
            assert words == ("tool_error" if says else "runtime_error", str, says)


@pytest.mark.requirement("hostile-objects")
@each_object
def test_what_callbacks_answer_is_asked_nothing(name: str) -> None:
    answer = OBJECTS[name]
    held = tool(take, requires_approval=True)
    refused = [
        tool(take, authorize=lambda *_: answer).call_sync({"n": 1}),
        held.call_sync({"n": 1}, approve=lambda _: answer),
        TOOLS.call_sync("take", {"n": 1}, guard=LoopGuard(limit=1, on_loop=lambda *_: answer)),
    ]
    assert list(map(told, refused)) == ["denied", "denied", "loop"]
    guard = LoopGuard(key=lambda *_: answer)
    kinds = [told(TOOLS.call_sync("take", {"n": 1}, guard=guard)) for _ in range(3)]
    assert kinds == ["ok", "ok", "loop"]
