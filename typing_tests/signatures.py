"""A decorated function keeps its signature, and the tool's output is what it returns."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Generic, Literal, TypeVar, assert_type

from toolhaft import Context, Doc, Injected, Toolset, tool
from toolhaft.spec import StandardSchema
from toolhaft.tools.tool import FreeTool, Tool

T = TypeVar("T")


@dataclass
class Request:
    user: str


# ------------------------------------------------------------------------------ functions


@tool
def add(a: int, b: Annotated[int, Doc("the other")] = 1) -> int:
    """d"""
    return a + b


assert_type(add(1, 2), int)
assert_type(add(1, b=2), int)
assert_type(add.execute_sync({"a": 1}), int)
assert_type(add.input_schema, StandardSchema[dict[str, Any]])
assert_type(add.output_schema, StandardSchema[int] | None)
add("x")  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
add()  # type: ignore[call-arg] # pyright: ignore[reportCallIssue]
add(1, c=2)  # type: ignore[call-arg] # pyright: ignore[reportCallIssue]


@tool
async def fetch(url: str, *, context: Context[Request], user: Injected[str]) -> list[str]:
    """d"""
    return [url, context.user, user]


async def awaits() -> None:
    assert_type(await fetch("u", context=Request("ann"), user="ann"), list[str])
    assert_type(await fetch.execute({"url": "u"}, Request("ann")), list[str])
    assert_type((await fetch.call({"url": "u"})).unwrap(), list[str])
    await fetch("u", context="ann", user="ann")  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]


@tool()
def empty() -> None:
    """d"""


assert_type(empty.execute_sync(), None)


@tool(name="named", coerce="lenient", timeout=None, parameters={"type": "object"}, omit=["m"])
def named(n: int, m: int = 1) -> str:
    """d"""
    return str(n + m)


assert_type(named(1), str)


@tool(name=5)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
def misnamed(n: int) -> str:
    """d"""
    return str(n)


@tool(output=None)
def undeclared(n: int) -> object:
    """d"""
    return n


assert_type(undeclared(1), object)


@tool(output={"type": "integer"})
def by_json_schema(n: int) -> int:
    """d"""
    return n


assert_type(by_json_schema(1), int)


@tool
def of_anything(n: int) -> Any:
    """d"""
    return n


assert_type(of_anything.execute_sync({"n": 1}), Any)


def plain(n: int, *, mode: Literal["a", "b"] = "a") -> float:
    """d"""
    return n + len(mode)


by_call = tool(plain, name="by_call", strict="prefer")
assert_type(by_call(1, mode="b"), float)
assert_type(by_call.execute_sync({"n": 1}), float)
by_call(1, mode="c")  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
assert_type(tool(partial(plain, 1), name="p").execute_sync(), float)
assert_type(by_call.replace(name="other")(1), float)


class Adder:
    def __call__(self, n: int) -> int:
        """d"""
        return n


assert_type(tool(Adder(), name="adder")(1), int)


# -------------------------------------------------------------------------------- methods


class Client:
    @tool
    def search(self, query: str) -> list[str]:
        """d"""
        return [query]

    @tool
    async def fetch(self, query: str) -> bytes:
        """d"""
        return query.encode()

    @tool
    @classmethod
    def made(cls, n: int) -> bool:
        """d"""
        return bool(n)

    @tool
    @staticmethod
    def free(n: int) -> int:
        """d"""
        return n

    @tool
    @staticmethod
    def constant() -> int:
        """d"""
        return 1

    @tool
    @staticmethod
    async def later(n: int) -> bytes:
        """d"""
        return bytes(n)

    @tool
    @staticmethod
    def of_any(given: Any) -> int:
        """d"""
        return len(given)

    @tool(input=Request)
    def whole(self, given: Request) -> str:
        """d"""
        return given.user


def given_the_first(n: int) -> int:
    """d"""
    return n


client = Client()
assert_type(client.search("q"), list[str])
assert_type(client.search.execute_sync({"query": "q"}), list[str])
assert_type(client.made(1), bool)
assert_type(Client.free(1), int)
assert_type(Client.free.execute_sync({"n": 1}), int)
assert_type(client.free.execute_sync({"n": 1}), int)
assert_type(client.whole(Request("ann")), str)
assert_type(client.whole.input_schema, StandardSchema[Request])
assert_type(tool(staticmethod(given_the_first))(1), int)
free: FreeTool[..., int, int, Any] = tool(staticmethod(given_the_first))
client.search(1)  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
client.whole("ann")  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]


# Both checkers show a decorator what is under `@staticmethod` or `@classmethod`, a plain function.
# The type of its first parameter decides whether it is bound.


class Inherits(Client): ...


for shop in (Client, Inherits):
    assert_type(shop.made(1), bool)
    assert_type(shop.free(1), int)
    assert_type(shop.constant(), int)
    assert_type(shop().made(1), bool)
    assert_type(shop().free(1), int)
    assert_type(shop().constant(), int)
    assert_type(shop().search("q"), list[str])
assert_type(Client.search(client, "q"), list[str])
assert_type(Inherits.search(Inherits(), "q"), list[str])
Client.made("x")  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
client.made("x")  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
Client.free("x")  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
client.free("x")  # type: ignore[arg-type] # pyright: ignore[reportArgumentType]
client.free(client, 1)  # type: ignore[call-arg, arg-type] # pyright: ignore[reportCallIssue]
# `Any` is the type of the object too.
client.of_any(1)  # type: ignore[call-arg] # pyright: ignore[reportCallIssue]


class Box(Generic[T]):
    @tool
    def put(self, n: T) -> T:
        """d"""
        return n

    @tool
    @classmethod
    def made(cls, n: int) -> int:
        """d"""
        return n


assert_type(Box[str]().put("q"), str)
assert_type(Box[str]().made(1), int)
assert_type(Box.made(1), int)


async def awaits_a_method() -> None:
    assert_type(await client.fetch("q"), bytes)
    assert_type(await Client.later(1), bytes)
    assert_type(await client.later(1), bytes)
    assert_type(await client.fetch.execute({"query": "q"}), bytes)


# ------------------------------------------------------------------------------- toolsets

tools = Toolset([add, fetch, client.search, plain])
assert_type(tools["add"], Tool[..., Any, Any, Any])
assert_type(tools + [by_call], Toolset)  # noqa: RUF005  the operator is the test
assert_type(len(tools), int)
assert_type("add" in tools, bool)
assert_type([one.name for one in tools], list[str])
Toolset([1])  # type: ignore[list-item] # pyright: ignore[reportArgumentType]
