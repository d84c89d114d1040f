"""To Python, and to frameworks that take functions, a tool is the function that it was."""

from __future__ import annotations

import abc
import asyncio
import copy
import doctest
import functools
import inspect
import pickle
import sys
import typing
import weakref
from collections.abc import Callable
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, ConfigDict, TypeAdapter

from toolhaft import Doc, Tool, Toolset, tool
from toolhaft.tools.tool import AnyTool

pytestmark = pytest.mark.requirement("tool-as-function")


def _lookup(city: Annotated[str, Doc("City")], days: int = 3) -> str:
    """Forecast for a city.

    >>> lookup("Oslo", days=1)
    'Oslo'
    """
    return city * days


async def _fetch(city: str) -> str:
    """Fetch."""
    return city


lookup = tool(_lookup, name="lookup")
fetch = tool(_fetch, name="fetch")


@tool
def found(n: int, *, twice: bool = False) -> int:
    """Found under its own name."""
    return n * (1 + twice)


class Client:
    """An API, one tool a method."""

    def __init__(self, token: str) -> None:
        self.token = token

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Client) and self.token == other.token

    __hash__ = None  # type: ignore[assignment]

    @tool
    def look(self, city: str) -> str:
        """Look."""
        return self.token + city

    @tool
    @classmethod
    def make(cls, n: int) -> str:
        """Make."""
        return cls.__name__ * n

    @tool
    @staticmethod
    def add(a: int, b: int) -> int:
        """Add."""
        return a + b


client = Client("t")
NAMES = ("__name__", "__qualname__", "__module__", "__doc__", "__annotations__", "__wrapped__")


def test_the_names_and_the_docstring_come_from_the_function() -> None:
    seen = {name: getattr(lookup, name) for name in NAMES}
    assert seen == {
        "__name__": "_lookup",
        "__qualname__": "_lookup",
        "__module__": __name__,
        "__doc__": _lookup.__doc__,
        "__annotations__": _lookup.__annotations__,
        "__wrapped__": _lookup,
    }
    assert (Client.look.__qualname__, client.look.__doc__) == ("Client.look", "Look.")


def test_the_class_of_tools_keeps_its_own_names() -> None:
    assert (Tool.__name__, Tool.__module__) == ("Tool", "toolhaft.tools.tool")
    assert str(Tool.__doc__).startswith("A tool, made with `tool`.")
    assert Tool.__annotations__ == {}
    assert lookup.__annotations__ == _lookup.__annotations__


@pytest.mark.parametrize(
    ("made", "signature"),
    [
        (lookup, inspect.signature(_lookup)),
        (Client.look, inspect.signature(inspect.unwrap(Client.look))),
        (client.look, "(city: 'str') -> 'str'"),
        (Client.make, "(n: 'int') -> 'str'"),
        (client.add, "(a: 'int', b: 'int') -> 'int'"),
        (tool(functools.partial(_lookup, "Oslo"), name="oslo"), "(*, days: 'int' = 3) -> 'str'"),
        (found.replace(timeout=1), "(n: 'int', *, twice: 'bool' = False) -> 'int'"),
    ],
    ids=["function", "in the class", "method", "class", "static", "partial", "replaced"],
)
def test_the_signature_is_that_of_the_function(made: AnyTool, signature: object) -> None:
    expected = str(signature).replace("(*, days", "(days")
    assert str(inspect.signature(made)).replace("(*, days", "(days") == expected


def test_its_types_source_and_arguments_are_read_like_the_functions() -> None:
    assert typing.get_type_hints(found) == {"n": int, "twice": bool, "return": int}
    assert inspect.getsource(found).startswith("@tool\ndef found(")
    assert inspect.getfullargspec(found).kwonlydefaults == {"twice": False}
    assert inspect.isroutine(found)


def test_the_coroutine_check_is_right() -> None:
    made = [lookup, fetch, client.look, tool(functools.partial(_fetch, "Oslo"), name="oslo")]
    assert [inspect.iscoroutinefunction(each) for each in made] == [False, True, False, True]
    assert asyncio.run(fetch("Oslo")) == "Oslo"


def test_a_tool_is_referred_to_weakly() -> None:
    gone = weakref.ref(tool(_lookup, name="gone"))
    assert weakref.ref(lookup)() is lookup
    assert gone() is None


def test_a_copy_of_a_tool_is_the_tool() -> None:
    assert (copy.copy(lookup), copy.deepcopy({"t": lookup})) == (lookup, {"t": lookup})
    assert copy.deepcopy(lookup) is lookup
    assert copy.copy(client.look) == client.look
    assert copy.deepcopy(Client.make) == Client.make


def test_a_deep_copy_of_a_method_is_that_of_the_copied_object() -> None:
    owner, look = copy.deepcopy((client, client.look))
    assert look == owner.look
    assert owner is not client
    assert (look("x"), look.call_sync({"city": "x"}).text) == ("tx", "tx")


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_tool_that_is_found_under_its_name_is_pickled_by_reference(protocol: int) -> None:
    for made in (found, Client.look, Client.add):
        assert pickle.loads(pickle.dumps(made, protocol)) is made
    assert pickle.loads(pickle.dumps(Client.make, protocol)) == Client.make
    assert pickle.loads(pickle.dumps(client.look, protocol))("x") == "tx"


def _deny(arguments: Any, context: Any) -> bool:
    return bool(arguments and context)


@pytest.mark.parametrize(
    "made",
    [
        lookup,
        found.replace(timeout=1),
        found.transform(describe={"n": "How many."}),
        Toolset([found], authorize=_deny)["found"],
        client.look.replace(timeout=1),
        Toolset([client.look], authorize=_deny)["look"],
        Toolset([client.look], limit=1)["look"],
        tool(lambda: 1, name="one", description="One."),
    ],
    ids=["other name", "options", "derived", "asks", "method", "asks too", "bounded", "lambda"],
)
def test_no_tool_is_pickled_as_another_one(made: AnyTool) -> None:
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(made)


def test_a_framework_may_note_something_on_a_tool_as_on_a_function() -> None:
    made: Any = tool(_lookup, name="lookup")
    made.__framework_mark__ = made.route = "/lookup"
    assert (made.__framework_mark__, made.route) == ("/lookup", "/lookup")


@pytest.mark.parametrize("name", ["timeout", "name", "call", "requires_approval", "_compile"])
def test_the_parts_of_a_tool_cannot_be_set(name: str) -> None:
    made: Any = tool(_lookup, name="lookup")
    with pytest.raises(AttributeError) as error:
        setattr(made, name, True)
    assert str(error.value) == f"{name}: a tool is immutable; make another by replace(...)"


def test_a_missing_attribute_raises_as_for_any_object() -> None:
    made: Any = lookup
    with pytest.raises(AttributeError) as error:
        _ = made.nmae
    assert str(error.value) == "'Tool' object has no attribute 'nmae'"


def test_doctest_finds_and_runs_the_examples_of_a_tool() -> None:
    module = sys.modules[__name__]
    examples = doctest.DocTestFinder().find(module, __name__, extraglobs={"lookup": lookup})
    [example] = [each for each in examples if each.name == f"{__name__}.lookup"]
    assert doctest.DocTestRunner().run(example) == doctest.TestResults(0, 1)


def test_functools_takes_a_tool() -> None:
    wrapper: Callable[..., int] = functools.wraps(found)(lambda n: found(n) + 1)
    assert (wrapper.__name__, wrapper(1)) == ("found", 2)
    assert functools.partial(found, 2)(twice=True) == 4
    cached = functools.cache(found)
    assert (cached(3), cached(3), cached.cache_info().hits) == (3, 3, 1)
    wrapped = tool(wrapper, name="wrapped")
    assert wrapped.call_sync({"n": 1}).unwrap() == 2


def test_a_type_adapter_takes_a_tool_as_the_function_and_a_field_takes_it_as_an_object() -> None:
    function: Any = found
    assert TypeAdapter(function).json_schema()["required"] == ["n"]

    class Holder(BaseModel):
        model_config = ConfigDict(arbitrary_types_allowed=True)
        kept: Tool[..., Any, Any, Any]

    assert Holder(kept=function).kept is function


# --------------------------------------------------------------- frameworks that take callables


def test_a_tool_of_an_abstract_method_is_abstract() -> None:
    class Shop(abc.ABC):
        @tool
        @abc.abstractmethod
        def hours(self, day: str) -> str:
            "When the shop is open."

    made: Any = Shop
    with pytest.raises(TypeError, match="abstract"):
        made()


@pytest.mark.requirement("tool-in-frameworks")
def test_fastapi_serves_a_tool_as_a_route_and_injects_one() -> None:
    fastapi = pytest.importorskip("fastapi", reason="fastapi is not a dependency of the tests")
    testclient = pytest.importorskip("fastapi.testclient", reason="it needs httpx")
    app = fastapi.FastAPI()
    for path, made in {"/lookup": lookup, "/fetch": fetch, "/look": client.look}.items():
        app.get(path)(made)
    served = testclient.TestClient(app)
    answers = [served.get(path).json() for path in ("/lookup?city=a", "/fetch?city=b")]
    assert [*answers, served.get("/look?city=c").json()] == ["aaa", "b", "tc"]
    assert served.get("/lookup").status_code == 422
    described = app.openapi()["paths"]["/look"]["get"]
    assert (described["summary"], described["description"]) == ("Look", "Look.")


@pytest.mark.requirement("tool-in-frameworks")
def test_typer_makes_a_command_of_a_tool() -> None:
    typer = pytest.importorskip("typer", reason="typer is not a dependency of the tests")
    testing = pytest.importorskip("typer.testing", reason="typer is not a dependency")
    app = typer.Typer()
    ran: list[object] = []
    app.command("found")(found)
    app.command("look")(client.look)
    app.callback()(lambda: ran.append("app"))
    assert testing.CliRunner().invoke(app, ["found", "2", "--twice"]).exit_code == 0
    assert "Look." in testing.CliRunner().invoke(app, ["look", "--help"]).output


@pytest.mark.requirement("tool-in-frameworks")
def test_fastmcp_takes_tools() -> None:
    fastmcp = pytest.importorskip("fastmcp", reason="fastmcp is not a dependency of the tests")
    server = fastmcp.FastMCP("weather")
    for made in (found, fetch, client.look):
        server.tool(made)

    async def talk() -> tuple[set[str], list[object]]:
        async with fastmcp.Client(server) as caller:
            names = {listed.name for listed in await caller.list_tools()}
            calls = [("found", {"n": 2}), ("_fetch", {"city": "a"}), ("look", {"city": "b"})]
            return names, [(await caller.call_tool(*call)).data for call in calls]

    assert asyncio.run(talk()) == ({"found", "_fetch", "look"}, [2, "a", "tb"])


@pytest.mark.requirement("tool-in-frameworks")
def test_the_official_mcp_server_takes_tools() -> None:
    server_module = pytest.importorskip("mcp.server", reason="the mcp SDK is not installed")
    server = server_module.MCPServer("weather")
    for made in (found, fetch, client.look):
        server.add_tool(made)
    listed = asyncio.run(server.list_tools())
    assert {each.name: each.description for each in listed} == {
        "found": "Found under its own name.",
        "_fetch": "Fetch.",
        "look": "Look.",
    }


@pytest.mark.requirement("tool-in-frameworks")
def test_langchain_and_openai_agents_take_tools() -> None:
    langchain = pytest.importorskip("langchain_core.tools", reason="langchain is not installed")
    assert langchain.tool(found).invoke({"n": 2}) == 2
    structured = langchain.StructuredTool.from_function(coroutine=fetch)
    assert asyncio.run(structured.ainvoke({"city": "a"})) == "a"
    agents = pytest.importorskip("agents", reason="openai-agents is not installed")
    assert agents.function_tool(fetch).name == "_fetch"
