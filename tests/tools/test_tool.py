"""Tools: their attributes, how they bind, and both ways to call them."""

from __future__ import annotations

import asyncio
import functools
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field
from typing_extensions import TypedDict, Unpack

from toolhaft import (
    Context,
    ContextMissing,
    DefinitionError,
    Doc,
    Err,
    Injected,
    Ok,
    ToolError,
    ToolInputInvalid,
    Toolset,
    tool,
)
from toolhaft.testing import assert_conforms


class Request:
    """A caller's own object."""

    user = "ann"


class Weather(BaseModel):
    city: str
    degrees: float


@tool(title="Weather", annotations={"readOnlyHint": True}, metadata={"team": ["a"]})
async def get_weather(
    city: Annotated[str, Doc("City name, e.g. Paris")],
    units: Literal["C", "F"] = "C",
    days: Annotated[int, Field(ge=1, le=14)] = 3,
    *,
    context: Context[Request],
    user: Injected[str],
) -> Weather:
    """Current weather for a city.

    Args:
        units: Celsius or Fahrenheit.
    """
    assert isinstance(context, Request)
    return Weather(city=f"{city} for {user} in {units}", degrees=days)


def test_a_tool_describes_itself_without_running() -> None:
    assert (get_weather.name, get_weather.title) == ("get_weather", "Weather")
    assert get_weather.description == "Current weather for a city."
    assert get_weather.annotations == {"readOnlyHint": True}
    assert get_weather.injects == ("user",)
    assert repr(get_weather) == "Tool('get_weather')"
    assert "test_tool.py" in get_weather.origin
    assert get_weather.input_schema.json_schema() == {
        "type": "object",
        "properties": {
            "city": {"description": "City name, e.g. Paris", "type": "string"},
            "units": {
                "description": "Celsius or Fahrenheit.",
                "default": "C",
                "enum": ["C", "F"],
                "type": "string",
            },
            "days": {"default": 3, "maximum": 14, "minimum": 1, "type": "integer"},
        },
        "required": ["city"],
        "additionalProperties": False,
    }


def test_data_read_from_a_tool_are_a_fresh_copy() -> None:
    found: Any = get_weather.metadata
    found["team"].append("b")
    assert get_weather.metadata == {"team": ["a"]}


def test_a_tool_is_still_its_function() -> None:
    made = asyncio.run(get_weather(city="Paris", context=Request(), user="ann"))
    assert made == Weather(city="Paris for ann in C", degrees=3)


def test_execute_returns_the_value_or_raises() -> None:
    made = asyncio.run(get_weather.execute({"city": "Paris"}, Request()))
    assert made == Weather(city="Paris for ann in C", degrees=3)
    with pytest.raises(ToolInputInvalid, match=r"^input validation failed: city: required$") as e:
        asyncio.run(get_weather.execute({}, Request()))
    assert (e.value.tool, e.value.target) == ("get_weather", "input")
    assert e.value.__cause__ is e.value.__context__ is None
    assert get_weather.execute_sync({"city": "Rome"}, Request()).city == "Rome for ann in C"


def test_a_handlers_exception_passes_through_execute_as_it_is() -> None:
    error = ToolError("no")

    @tool
    def fail() -> str:
        "Fail."
        raise error

    with pytest.raises(ToolError) as raised:
        fail.execute_sync({})
    assert raised.value is error


def test_a_context_that_lacks_something_is_the_callers_mistake(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with pytest.raises(ContextMissing, match="get_weather: the context has no user"):
        get_weather.execute_sync({"city": "Paris"}, {})
    outcome = get_weather.call_sync({"city": "Paris"}, context=None)
    assert isinstance(outcome, Err)
    assert (outcome.kind, outcome.effect) == ("runtime_error", "none")
    assert "without user in its context" in caplog.text
    with pytest.raises(ContextMissing):
        Toolset([get_weather]).check_context({})
    Toolset([get_weather]).check_context({"user": "ann"})


@pytest.mark.requirement("context-missing-early")
def test_a_context_that_is_not_passed_is_another_thing_than_none() -> None:
    @tool
    def attributed(n: int, caller: Context[Any], *, user: Injected[str]) -> str:
        "Do."
        return f"{caller} {user} {n}"

    @tool
    def optional(n: int, caller: Context[Any] = None, *, user: Injected[str] = "guest") -> str:
        "Do."
        return f"{caller} {user} {n}"

    tools = Toolset([attributed])
    with pytest.raises(ContextMissing) as raised:
        tools.check_context()
    fields = raised.value.as_json()
    assert fields == {
        "error": "ContextMissing",
        "message": "attributed: no context was passed, and caller, user needs one; pass context=",
        "tool": "attributed",
        "names": ["caller", "user"],
        "is_given": False,
    }
    with pytest.raises(ContextMissing, match="attributed: the context has no user; pass it in"):
        tools.check_context(None)
    tools.check_context({"user": "ann"})
    Toolset([optional]).check_context()


def test_an_injected_default_is_used() -> None:
    @tool
    def who(user: Injected[str] = "nobody") -> str:
        "Who."
        return user

    assert who.call_sync({}).unwrap() == "nobody"
    assert who.call_sync({}, context={"user": "ann"}).unwrap() == "ann"


class GitHub:
    def __init__(self, org: str) -> None:
        self.org = org

    @tool
    def get_repo(self, name: str) -> str:
        """Get a repository."""
        return f"{self.org}/{name}"

    @tool
    @staticmethod
    def status() -> str:
        """Say how it goes."""
        return "fine"

    @tool
    @classmethod
    def kind(cls) -> str:
        """Say what it is."""
        return cls.__name__

    borrowed = get_weather


class Enterprise(GitHub):
    status = None  # type: ignore[assignment]


def test_a_tool_of_a_class_binds_like_a_method() -> None:
    one, two = GitHub("a"), GitHub("b")
    assert one.get_repo("x") == "a/x"
    assert two.get_repo.call_sync({"name": "x"}).unwrap() == "b/x"
    assert one.get_repo == one.get_repo
    assert hash(one.get_repo) == hash(one.get_repo)
    assert one.get_repo != two.get_repo
    assert one.get_repo != "get_repo"
    loose: Any = one  # to pyright a decorated staticmethod is a plain function
    free = loose.status
    assert free() == free.call_sync({}).unwrap() == "fine"
    assert Enterprise("c").kind.call_sync({}).unwrap() == "Enterprise"
    assert GitHub.kind.call_sync({}).unwrap() == "GitHub"
    borrowed: Any = one.borrowed
    assert borrowed is get_weather


class Meter:
    def __init__(self) -> None:
        self.n = 0

    @tool
    def add(self, n: int) -> int:
        "Add."
        self.n += n
        return self.n

    @tool(limit=1, timeout=9)
    def add_in_turn(self, n: int) -> int:
        "Add."
        return self.add(n)

    @tool
    def fail(self, n: int) -> int:
        "Fail."
        raise ToolError(f"{self.n} and not {n}")


def test_a_method_runs_for_its_own_object_whatever_way_its_call_takes() -> None:
    one, two = Meter(), Meter()
    assert [one.add.call_sync(raw).unwrap() for raw in ({"n": 1}, '{"n": 2}', {"n": "3"})] == [
        *(1, 3, 6)
    ]
    assert two.add.call_sync({"n": "x"}).kind == "invalid_input"  # type: ignore[union-attr]
    assert [one.add_in_turn.call_sync(raw).unwrap() for raw in ({"n": 1}, {"n": "1"})] == [7, 8]
    assert asyncio.run(one.add.call({"n": 2})).unwrap() == 10
    kept = one.add
    assert [kept.call_sync({"n": 1}).unwrap(), kept.execute_sync({"n": 1})] == [11, 12]
    assert kept.call_sync({"n": 1}).unwrap() == 13
    assert one.fail.call_sync({"n": 1}).text == "13 and not 1"
    assert (one.n, two.n) == (13, 0)


def test_an_object_returns_its_tools_as_a_set() -> None:
    tools = Toolset.of(GitHub("a"))
    assert [one.name for one in tools] == ["get_repo", "status", "kind", "get_weather"]
    assert tools.call_sync("get_repo", {"name": "x"}).unwrap() == "a/x"
    assert "status" not in Toolset.of(Enterprise("c"))


def test_an_unbound_method_raises_that_it_needs_its_object() -> None:
    with pytest.raises(DefinitionError, match="get_repo: a method needs its object; take it from"):
        GitHub.get_repo.call_sync({"name": "x"})
    with pytest.raises(DefinitionError, match="above @staticmethod, @tool needs none"):
        Toolset([GitHub.get_repo])


@pytest.mark.requirement("pain-42")
def test_partials_and_callable_objects_are_tools() -> None:
    class Greeter:
        """Greets."""

        def __call__(self, name: str) -> str:
            """Greet."""
            return f"hello {name}"

    def join(left: str, right: str) -> str:
        """Join."""
        return left + right

    half = tool(functools.partial(join, "a"), name="half")
    assert half.call_sync({"right": "b"}).unwrap() == "ab"
    assert tool(Greeter(), name="greet").call_sync({"name": "x"}).unwrap() == "hello x"
    with pytest.raises(DefinitionError, match="a lambda has no name; pass name="):
        tool(lambda: 1, description="x")
    with pytest.raises(DefinitionError, match="a callable object has no name; pass name="):
        tool(Greeter())


def test_positional_only_parameters_arrive_in_place() -> None:
    @tool
    def f(a: int, b: int = 2, /, c: int = 3) -> list[int]:
        "F."
        return [a, b, c]

    assert f.call_sync({"a": 1}).unwrap() == [1, 2, 3]
    assert f.call_sync({"a": 1, "c": 9}).unwrap() == [1, 2, 9]


@pytest.mark.requirement("pain-83")
def test_a_mutable_default_is_not_shared_and_the_callers_data_not_changed() -> None:
    @tool
    def f(x: list[int] = [], y: list[int] = [0]) -> list[int]:  # noqa: B006
        "F."
        x.append(1)
        y.append(2)
        return x + y

    sent: dict[str, Any] = {"y": [5]}
    assert f.call_sync(sent).unwrap() == [1, 5, 2]
    assert f.call_sync(sent).unwrap() == [1, 5, 2]
    assert sent == {"y": [5]}
    assert f.call_sync().unwrap() == [1, 0, 2]


class Options(TypedDict, total=False):
    """Named options."""

    depth: int
    label: Annotated[str, Doc("What to call it")]


def test_unpacked_keywords_are_parameters() -> None:
    @tool
    def f(name: str, **options: Unpack[Options]) -> str:
        "F."
        return f"{name} {sorted(options)}"

    schema = f.input_schema.json_schema()
    assert schema["properties"] == {
        "name": {"type": "string"},
        "depth": {"type": "integer"},
        "label": {"description": "What to call it", "type": "string"},
    }
    assert schema["required"] == ["name"]
    assert f.call_sync({"name": "x", "depth": "3"}).unwrap() == "x ['depth']"


@pytest.mark.requirement("pain-41")
def test_awkward_parameter_names_arrive() -> None:
    @tool
    def f(
        model_config: str, model_dump: str, schema: str, json: str, self_: str, class_: str,
        _x: str, args: str, kwargs: str,
    ) -> str:  # fmt: skip
        "F."
        return model_config + model_dump + schema + json + self_ + class_ + _x + args + kwargs

    names = ["model_config", "model_dump", "schema", "json", "self_", "class_", "_x"]
    sent = {name: str(n) for n, name in enumerate([*names, "args", "kwargs"])}
    assert f.call_sync(sent).unwrap() == "012345678"


def test_an_omitted_parameter_keeps_its_default() -> None:
    @tool(omit=("session",))
    def f(q: str, session: object = None) -> str:
        "F."
        return f"{q} {session}"

    assert list(f.input_schema.json_schema()["properties"]) == ["q"]
    assert f.call_sync({"q": "x"}).unwrap() == "x None"


class Search(BaseModel):
    query: str
    limit: int = 5


def test_input_hands_over_one_object() -> None:
    @tool(input=Search, name="search")
    def search(query: Search, *, user: Injected[str]) -> str:
        "Search."
        return f"{user}: {query.query} {query.limit}"

    assert search.call_sync({"query": "x"}, context={"user": "ann"}).unwrap() == "ann: x 5"
    by_object: Any = search.call_sync(Search(query="y", limit=1), context={"user": "b"})  # type: ignore[arg-type]
    assert by_object.unwrap() == "b: y 1"
    outcome = search.call_sync({"query": "x", "page": 2}, context={"user": "ann"})
    assert isinstance(outcome, Ok)
    assert [(c.path, c.rule) for c in outcome.coercions] == [(("page",), "vendor_ignored")]


def test_a_json_schema_is_an_input_too() -> None:
    schema = {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}
    echo = tool(lambda arguments: arguments, name="echo", description="Echo.", input=schema)
    assert echo.input_schema.json_schema() == schema
    assert echo.call_sync('{"x": 1, "y": 2}').unwrap() == {"x": 1, "y": 2}
    schema["required"] = ["y"]
    assert echo.call_sync({"x": 1}).unwrap() == {"x": 1}


def test_a_root_that_is_no_object_is_wrapped_as_value() -> None:
    @tool(input=list[int])
    def total(numbers: list[int]) -> int:
        "Add."
        return sum(numbers)

    assert total.input_schema.json_schema() == {
        "type": "object",
        "properties": {"value": {"type": "array", "items": {"type": "integer"}}},
        "required": ["value"],
        "additionalProperties": False,
    }
    assert total.call_sync({"value": [1, 2]}).unwrap() == 3
    assert total.call_sync({"value": "[1, 2]"}).unwrap() == 3
    outcome = total.call_sync({"value": [1, "x"], "more": 1})
    assert isinstance(outcome, Err)
    assert [(i.path, i.code) for i in outcome.issues] == [
        (("value", 1), "type"),
        (("more",), "extra"),
    ]


def test_parameters_win_over_the_signature_and_both_hold() -> None:
    declared = {
        "type": "object",
        "properties": {"n": {"type": "integer", "maximum": 10}},
        "required": ["n"],
        "additionalProperties": False,
    }

    @tool(parameters=declared)
    def f(n: Annotated[int, Field(ge=5)], user: Injected[str] = "x") -> int:
        "F."
        return n

    assert f.input_schema.json_schema() == declared
    assert f.call_sync({"n": "7"}).unwrap() == 7
    for wrong in (11, 4):
        outcome = f.call_sync({"n": wrong})
        assert isinstance(outcome, Err)
        assert [(i.path, i.code) for i in outcome.issues] == [(("n",), "value")]


@pytest.mark.requirement("pain-63")
def test_parameters_and_handler_must_agree() -> None:
    declared = {"type": "object", "properties": {"a": {"type": "integer"}}}

    @tool(parameters=declared)
    def f(b: int) -> int:
        "F."
        return b

    with pytest.raises(DefinitionError) as raised:
        Toolset([f])
    assert [(fault.where, fault.reason) for fault in raised.value.faults] == [
        ("b", "required, but parameters= does not declare it"),
        ("a", "declared in parameters=, but the handler does not take it"),
    ]


def test_replace_returns_another_tool() -> None:
    other = get_weather.replace(name="forecast", timeout=2)
    assert (other.name, get_weather.name) == ("forecast", "get_weather")
    assert other.description == get_weather.description
    with pytest.raises(DefinitionError, match="timeout: not a positive number"):
        get_weather.replace(timeout=-1)


def test_formatted_returns_a_standard_tool() -> None:
    as_text: Any = get_weather.formatted(lambda r: f"<{r}>" if isinstance(r, Exception) else r.city)
    assert as_text.name == "get_weather"
    assert asyncio.run(as_text.execute({"city": "Paris"}, Request())) == "Paris for ann in C"
    refused = asyncio.run(as_text.execute({}, Request()))
    assert refused == "<input validation failed: city: required>"


def test_an_option_that_does_not_exist_is_a_type_error() -> None:
    with pytest.raises(TypeError, match=r"tool\(\) has no option timout; did you mean timeout\?"):
        tool(timout=3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"replace\(\) has no option qwerty$"):
        get_weather.replace(qwerty=3)  # type: ignore[call-arg]


def test_a_tool_is_not_made_of_a_tool() -> None:
    given: list[Any] = [get_weather, functools.partial(get_weather, "Paris")]
    for again in given:
        with pytest.raises(DefinitionError, match=r"get_weather: already a tool; use its replace"):
            tool(again, name="x", description="X.")


@pytest.mark.requirement("no-introspection")
def test_a_call_does_no_introspection(monkeypatch: pytest.MonkeyPatch) -> None:
    @tool
    def f(n: int, m: list[int] = []) -> int:  # noqa: B006
        "F."
        return n + len(m)

    def never(*_: object, **__: object) -> None:
        raise AssertionError("introspection on a call")

    assert f.call_sync({"n": 1}).unwrap() == 1
    for place in ("inspect.signature", "inspect.isawaitable", "typing.get_type_hints"):
        monkeypatch.setattr(place, never)
    assert f.call_sync({"n": "1", "m": "[1]"}).unwrap() == 2
    assert isinstance(f.call_sync({}), Err)
    assert asyncio.run(f.call('{"n": 1}')).unwrap() == 1


@pytest.mark.requirement("pain-77")
def test_a_second_call_does_no_work_on_schemas(monkeypatch: pytest.MonkeyPatch) -> None:
    properties: dict[str, Any] = {
        "n": {"type": "integer", "maximum": 9},
        "tags": {"type": "array"},
    }
    schema: dict[str, Any] = {"type": "object", "properties": properties, "required": ["n"]}
    made = tool(lambda arguments: arguments["n"], name="f", description="F.", input=schema)
    raws: list[Any] = [{"n": 1}, '{"n": "2", "tags": "[1]"}', {"n": 10}, {}]
    first = [made.call_sync(raw).text for raw in raws]

    def never(*_: object, **__: object) -> None:
        raise AssertionError("work on a schema in a second call")

    for place in ("toolhaft.schema.normalise.normalise", "jsonschema_rs.Draft202012Validator"):
        monkeypatch.setattr(place, never)
    properties["n"]["maximum"] = 99
    assert [made.call_sync(raw).text for raw in raws] == first
    assert made.input_schema.json_schema()["properties"]["n"] == {"type": "integer", "maximum": 9}


@pytest.mark.requirement("pain-84")
def test_a_number_has_the_type_of_its_annotation() -> None:
    @tool(output=None)
    def kinds(whole: int = 0, real: float = 0.0) -> list[str]:
        "Say what came."
        return [type(whole).__name__, type(real).__name__]

    assert kinds.call_sync({"whole": 5.0, "real": 120}).unwrap() == ["int", "float"]
    assert kinds.call_sync('{"whole": 5.0, "real": 120}').coercions == ()
    for wrong in ({"whole": 5.5}, {"whole": True}, {"real": False}):
        refused = kinds.call_sync(wrong)
        assert isinstance(refused, Err)
        assert [issue.code for issue in refused.issues] == ["type"]


@pytest.mark.requirement("pain-73")
def test_a_tool_is_called_as_a_function_and_tried_as_a_tool() -> None:
    @tool
    def add(a: int, b: int) -> int:
        "Add."
        return a + b

    assert add(1, 2) == 3
    assert add.call_sync({"a": 1, "b": 2}).unwrap() == 3
    assert_conforms(add)
