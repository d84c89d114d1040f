"""The reference builder does what the TypeScript reference's own tests pin down."""

from __future__ import annotations

import ast
import asyncio
import json
import subprocess
import sys
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pydantic
import pytest

from toolhaft import spec
from toolhaft.spec import (
    BuiltTool,
    Failure,
    Issue,
    Mode,
    StandardSchema,
    StandardTool,
    Success,
    ToolValidationError,
    standard_tool,
    with_formatted_output,
)

SPEC = Path(spec.__file__)
CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


class Fields:
    """A schema written by hand: an object with one field of one type; other keys are dropped."""

    version = 1
    vendor = "test"

    def __init__(self, name: str, kind: type, json_schema: dict[str, Any] | None = None) -> None:
        self.name, self.kind, self.emitted = name, kind, json_schema or {}

    def validate(self, value: object, /) -> Success[dict[str, Any]] | Failure:
        found = value.get(self.name) if isinstance(value, dict) else None
        if not isinstance(found, self.kind):
            return Failure([Issue(f"expected {self.kind.__name__}", (self.name,), "type")])
        return Success({self.name: found})

    def json_schema(self, *, target: str = "draft-2020-12", mode: Mode = "input") -> dict[str, Any]:
        return {"$comment": f"{target} {mode}", **self.emitted}


class Later(Fields):
    """The same, but the answer must be awaited."""

    async def validate(self, value: object, /) -> Success[dict[str, Any]] | Failure:  # type: ignore[override]
        await asyncio.sleep(0)
        return Fields.validate(self, value)


class Refuses(Fields):
    """Refuses everything with the issues it was given."""

    def __init__(self, *issues: Issue) -> None:
        super().__init__("", object)
        self.issues = issues

    def validate(self, value: object, /) -> Failure:
        return Failure(self.issues)


city = Fields("city", str, CITY)
celsius = Fields("celsius", int)


def ask(tool: StandardTool[Any, Any], *arguments: Any) -> Any:
    """Call `execute` as a consumer does, or with fewer arguments where the tool allows it."""
    call: Callable[..., Awaitable[Any]] = tool.execute

    async def awaited() -> Any:
        return await call(*arguments)

    return asyncio.run(awaited())


def weather(handler: Callable[..., Any] | None = None) -> BuiltTool:
    return standard_tool(
        name="get_weather",
        description="Current temperature for a city",
        execute=handler or (lambda _: {"celsius": 21}),
        input_schema=city,
        output_schema=celsius,
    )


def public(tool: object) -> list[str]:
    return sorted(name for name in vars(tool) if not name.startswith("_"))


# ------------------------------------------------------------------------------- shape


@pytest.mark.requirement("spec-01")
def test_a_built_tool_has_the_six_fields_and_nothing_else() -> None:
    six = ["description", "execute", "input_schema", "name", "output_schema", "title"]
    assert public(weather()) == six
    assert public(with_formatted_output(weather())) == six


@pytest.mark.requirement("spec-02")
def test_a_title_passes_through_and_is_none_when_not_given() -> None:
    titled = standard_tool(name="t", title="Titled", description="d", execute=int.__call__)
    assert (titled.title, weather().title) == ("Titled", None)


@pytest.mark.requirement("spec-03")
def test_tools_of_different_types_share_a_list() -> None:
    echo = standard_tool(name="echo", description="d", execute=lambda text: text)
    tools: list[StandardTool[Any, Any]] = [weather(), echo, with_formatted_output(echo)]
    assert [tool.name for tool in tools] == ["get_weather", "echo", "echo"]


@pytest.mark.requirement("spec-04")
def test_a_tool_can_be_read_without_running_it() -> None:
    tool = weather(lambda _: pytest.fail("ran"))
    assert (tool.name, tool.description) == ("get_weather", "Current temperature for a city")
    assert (tool.input_schema, tool.output_schema) == (city, celsius)


# ------------------------------------------------------------------------------- execute


@pytest.mark.requirement("spec-05")
def test_a_valid_call_returns_the_output() -> None:
    assert ask(weather(), {"city": "Paris"}, None) == {"celsius": 21}


@pytest.mark.requirement("spec-06")
@pytest.mark.parametrize("arguments", [(), (None,), (None, None)])
def test_a_handler_of_nothing_runs_with_or_without_arguments(arguments: tuple[None, ...]) -> None:
    now = standard_tool(name="now", description="d", execute=lambda: "noon")
    assert ask(now, *arguments) == "noon"


@pytest.mark.requirement("spec-07")
def test_without_schemas_everything_passes_as_it_is() -> None:
    given = object()
    assert ask(standard_tool(name="echo", description="d", execute=lambda v: v), given) is given


@pytest.mark.requirement("spec-08")
def test_the_handler_gets_the_validated_input_and_the_caller_the_validated_output() -> None:
    seen: list[object] = []

    def handler(arguments: dict[str, Any]) -> dict[str, Any]:
        seen.append(arguments)
        return {"celsius": 21, "debug": "dropped"}

    assert ask(weather(handler), {"city": "Paris", "extra": 1}) == {"celsius": 21}
    assert seen == [{"city": "Paris"}]


@pytest.mark.requirement("spec-09", "spec-10")
def test_invalid_input_raises_before_the_handler_runs() -> None:
    with pytest.raises(ToolValidationError) as caught:
        ask(weather(lambda _: pytest.fail("ran")), {"city": 123})
    assert str(caught.value) == "input validation failed: city: expected str"
    assert (caught.value.target, caught.value.issues[0].path) == ("input", ("city",))
    assert (caught.value.__cause__, caught.value.__context__) == (None, None)


@pytest.mark.requirement("spec-11")
def test_invalid_output_raises_the_same_error() -> None:
    with pytest.raises(ToolValidationError) as caught:
        ask(weather(lambda _: {"celsius": "hot"}), {"city": "Paris"})
    assert str(caught.value) == "output validation failed: celsius: expected int"
    assert (caught.value.target, caught.value.tool) == ("output", "get_weather")


@pytest.mark.requirement("spec-12")
@pytest.mark.parametrize("error", [ValueError("kaboom"), KeyboardInterrupt()])
def test_what_the_handler_raises_passes_unchanged(error: BaseException) -> None:
    async def handler(_: object) -> None:
        raise error

    with pytest.raises(type(error)) as caught:
        ask(standard_tool(name="boom", description="d", execute=handler))
    assert caught.value is error


@pytest.mark.requirement("spec-13")
def test_validators_may_be_asynchronous() -> None:
    tool = standard_tool(
        name="echo",
        description="d",
        execute=lambda arguments: arguments,
        input_schema=Later("city", str),
        output_schema=Later("city", str),
    )
    assert ask(tool, {"city": "Paris", "extra": 1}) == {"city": "Paris"}
    with pytest.raises(ToolValidationError, match=r"^input validation failed: city: expected str$"):
        ask(tool, {"city": 1})


class Service:
    def __init__(self) -> None:
        self.calls = 0

    def count(self, _: object) -> int:
        self.calls += 1
        return self.calls


@pytest.mark.requirement("spec-14")
def test_a_method_keeps_its_object_through_the_builder_and_the_formatter() -> None:
    service = Service()
    tool = standard_tool(name="count", description="d", execute=service.count)
    assert [ask(tool, 0), ask(with_formatted_output(tool), 0)] == [1, 2]


class Handwritten:
    """A tool of the right shape that knows nothing of the builder."""

    name = "count"
    title = None
    description = "Counts its calls."
    input_schema: StandardSchema[Any] | None = city
    output_schema: StandardSchema[Any] | None = None

    def __init__(self) -> None:
        self.contexts: list[object] = []

    async def execute(self, _input: Any, context: Any, /) -> int:
        self.contexts.append(context)
        return len(self.contexts)


@pytest.mark.requirement("spec-14", "spec-32")
def test_any_object_of_the_shape_can_be_formatted_and_keeps_its_fields() -> None:
    tool = Handwritten()
    formatted = with_formatted_output(tool, str)
    assert [ask(formatted, {}, "first"), ask(formatted, {}, "second")] == ["1", "2"]
    assert tool.contexts == ["first", "second"]
    for field in ("name", "title", "description", "input_schema", "output_schema"):
        assert getattr(formatted, field) is getattr(tool, field)


CALLED_AS_WRITTEN: dict[str, tuple[Any, object]] = {
    "the input": (lambda given: given, "i"),
    "both": (lambda given, context: (given, context), ("i", "c")),
    "any number": (lambda *given: given, ("i", "c")),
    "an optional context": (lambda given, context="unset": (given, context), ("i", "c")),
    "a further default": (lambda given, context, more=3: (given, context, more), ("i", "c", 3)),
    "a keyword": (lambda given, *, context: (given, context), ("i", "c")),
    "an optional keyword": (lambda given, *, context=None: (given, context), ("i", "c")),
    "a keyword alone": (lambda *, context: context, "c"),
    "an optional keyword of another name": (lambda given, *, more=3: (given, more), ("i", 3)),
    "keywords": (lambda given, **named: (given, named), ("i", {"context": "c"})),
    "nothing": (lambda: "nothing", "nothing"),
    "a context that is bound": (
        partial(lambda given, context: (given, context), context=1),
        ("i", 1),
    ),
    "a method of a builtin": (dict[str, object]().get, "c"),
}


@pytest.mark.requirement("spec-arguments")
@pytest.mark.parametrize(
    ("handler", "expected"), CALLED_AS_WRITTEN.values(), ids=CALLED_AS_WRITTEN.keys()
)
def test_a_handler_is_called_with_what_it_takes(handler: Any, expected: object) -> None:
    assert ask(standard_tool(name="t", description="d", execute=handler), "i", "c") == expected


REFUSED: dict[str, Any] = {
    "three": lambda given, context, more: None,
    "a keyword of another name": lambda given, *, more: None,
    "an input by its name": lambda *, given, context: None,
    "no signature": int,
    "no function": 3,
}


@pytest.mark.requirement("spec-arguments")
@pytest.mark.parametrize("handler", REFUSED.values(), ids=REFUSED.keys())
def test_a_handler_of_anything_else_is_refused_when_the_tool_is_made(handler: Any) -> None:
    with pytest.raises(TypeError) as raised:
        standard_tool(name="t", description="d", execute=handler)
    expected = "t: execute takes neither (input, context) nor fewer of them"
    assert str(raised.value) == expected


class Unmade(Fields):
    """A class of schemas is not one of them."""


NO_SCHEMAS: dict[str, Any] = {
    "a pydantic model": type("Model", (pydantic.BaseModel,), {}),
    "a TypeAdapter": pydantic.TypeAdapter(int),
    "a type": int,
    "a JSON Schema": {"type": "object"},
    "a number": 3,
    "a class of schemas": Unmade,
}


@pytest.mark.requirement("spec-schemas")
@pytest.mark.parametrize("given", NO_SCHEMAS.values(), ids=NO_SCHEMAS.keys())
@pytest.mark.parametrize("side", ["input", "output"])
def test_what_is_no_schema_is_refused_with_the_function_that_makes_one(
    given: Any, side: str
) -> None:
    with pytest.raises(TypeError) as raised:
        standard_tool(name="t", description="d", execute=len, **{f"{side}_schema": given})
    expected = f"t: {side}_schema: not a StandardSchema; pass standard_schema(x)"
    assert str(raised.value) == expected


class Carrier:
    __standard_schema__ = city


@pytest.mark.parametrize("carrier", [Carrier, Carrier()])
def test_a_schema_may_be_carried_by_a_class_or_an_instance(carrier: Any) -> None:
    tool = standard_tool(
        name="t",
        description="d",
        execute=lambda arguments: arguments,
        input_schema=carrier,
        output_schema=carrier,
    )
    assert (tool.input_schema, tool.output_schema) == (city, city)
    assert ask(tool, {"city": "Paris"}) == {"city": "Paris"}


# ------------------------------------------------------------------------------- messages


@pytest.mark.requirement("spec-15")
def test_a_message_joins_issues_and_writes_paths_with_dots() -> None:
    issues = Issue("bad leaf", ("a", "b", 0)), Issue("bad all over")
    tool = standard_tool(
        name="t", description="d", execute=lambda: 1, input_schema=Refuses(*issues)
    )
    with pytest.raises(ToolValidationError) as caught:
        ask(tool)
    assert str(caught.value) == "input validation failed: a.b.0: bad leaf; bad all over"


@pytest.mark.requirement("spec-16")
def test_the_error_carries_tool_target_and_issues() -> None:
    error = ToolValidationError("t", "output", iter([Issue("bad")]))
    assert type(error).__name__ == "ToolValidationError"
    assert (error.tool, error.target, error.issues) == ("t", "output", (Issue("bad"),))


# ------------------------------------------------------------------------------- context


@pytest.mark.requirement("spec-17", "spec-18")
def test_the_context_reaches_the_handler_as_the_same_object_and_is_never_validated() -> None:
    seen: list[object] = []
    context = object()

    def handler(_: object, given: object) -> dict[str, int]:
        seen.append(given)
        return {"celsius": 1}

    tool = weather(handler)
    ask(tool, {"city": "Paris"}, context)
    ask(with_formatted_output(tool), {"city": "Paris"}, context)
    assert [found is context for found in seen] == [True, True]
    assert tool.input_schema is not None
    assert tool.input_schema.json_schema()["properties"] == {"city": {"type": "string"}}


# ------------------------------------------------------------------------------- JSON Schema


@pytest.mark.requirement("spec-20")
def test_the_json_schema_is_read_from_the_tool() -> None:
    schema = weather().input_schema
    assert schema is not None
    emitted = schema.json_schema(target="draft-07", mode="output")
    assert emitted == {"$comment": "draft-07 output", **CITY}


class PydanticCity(pydantic.BaseModel):
    city: str


class MsgspecCity(msgspec.Struct):
    city: str


class ByPydantic(Fields):
    vendor = "pydantic"

    def validate(self, value: object, /) -> Success[Any] | Failure:
        try:
            return Success(PydanticCity.model_validate(value))
        except pydantic.ValidationError as error:
            return Failure(Issue("wrong", each["loc"]) for each in error.errors())


class ByMsgspec(Fields):
    vendor = "msgspec"

    def validate(self, value: object, /) -> Success[Any] | Failure:
        try:
            return Success(msgspec.convert(value, MsgspecCity))
        except msgspec.ValidationError as error:
            return Failure([Issue("wrong", [str(error).rpartition("$.")[2].rstrip("`")])])


@pytest.mark.requirement("spec-21")
@pytest.mark.parametrize("schema", [ByPydantic("", str, CITY), ByMsgspec("", str, CITY)])
def test_a_tool_looks_and_acts_alike_whatever_the_validator(schema: Fields) -> None:
    tool = standard_tool(
        name="t", description="d", execute=lambda given: given.city, input_schema=schema
    )
    assert tool.input_schema is not None
    assert tool.input_schema.json_schema() == city.json_schema()
    assert ask(tool, {"city": "Paris"}) == "Paris"
    with pytest.raises(ToolValidationError, match=r"^input validation failed: city: wrong$"):
        ask(tool, {"city": 1})


@pytest.mark.requirement("spec-22", "spec-39")
def test_a_tool_without_input_has_no_schema_and_leaves_the_empty_object_to_its_consumer() -> None:
    tool = standard_tool(name="now", description="d", execute=lambda: "noon")
    assert (tool.input_schema, tool.output_schema) == (None, None)
    assert ask(tool) == "noon"


# ------------------------------------------------------------------------------- formatting


@pytest.mark.requirement("spec-23", "spec-29", "spec-30")
def test_by_default_success_is_the_output_and_failure_is_an_error_as_data() -> None:
    def handler(arguments: dict[str, Any]) -> dict[str, Any]:
        if arguments["city"] == "Atlantis":
            raise LookupError("no such place")
        return {"celsius": 21 if arguments["city"] == "Paris" else "hot"}

    tool = with_formatted_output(weather(handler))
    assert ask(tool, {"city": "Paris"}) == {"celsius": 21}
    assert ask(tool, {"city": 1}) == {"error": "input validation failed: city: expected str"}
    wrong = {"error": "output validation failed: celsius: expected int"}
    assert ask(tool, {"city": "Rome"}) == wrong
    assert ask(tool, {"city": "Atlantis"}) == {"error": "no such place"}


def in_words(result: dict[str, int] | Exception) -> str:
    return f"failed: {result}" if isinstance(result, Exception) else f"{result['celsius']} degrees"


async def in_words_later(result: dict[str, int] | Exception) -> str:
    await asyncio.sleep(0)
    return in_words(result)


@pytest.mark.requirement("spec-24", "spec-25")
@pytest.mark.parametrize("format", [in_words, in_words_later])
def test_a_format_gets_the_output_or_the_exception_and_is_awaited(format: Any) -> None:
    tool = with_formatted_output(weather(), format)
    assert ask(tool, {"city": "Paris"}) == "21 degrees"
    assert ask(tool, {"city": 1}) == "failed: input validation failed: city: expected str"


@pytest.mark.requirement("spec-26", "spec-27")
@pytest.mark.parametrize("later", [False, True])
@pytest.mark.parametrize("place", ["Paris", 1])
def test_a_format_runs_once_and_what_it_raises_passes(later: bool, place: object) -> None:
    seen: list[object] = []
    error = RuntimeError("the format broke")

    def fails(result: object) -> None:
        seen.append(result)
        raise error

    async def fails_later(result: object) -> None:
        fails(result)

    tool = with_formatted_output(weather(), fails_later if later else fails)
    with pytest.raises(RuntimeError) as caught:
        ask(tool, {"city": place})
    assert caught.value is error
    assert len(seen) == 1
    assert error not in seen


@pytest.mark.requirement("spec-28")
def test_a_format_may_raise_some_errors_again_and_say_others_as_data() -> None:
    def selective(result: object) -> object:
        if isinstance(result, Exception) and not isinstance(result, ToolValidationError):
            raise result
        return type(result).__name__

    def handler(_: object) -> None:
        raise ConnectionError("no database")

    tool = with_formatted_output(weather(handler), selective)
    assert ask(tool, {"city": 1}) == "ToolValidationError"
    with pytest.raises(ConnectionError, match="no database"):
        ask(tool, {"city": "Paris"})


@pytest.mark.requirement("spec-31")
@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(2), asyncio.CancelledError()])
def test_only_exceptions_are_formatted_not_an_interrupt_or_a_cancellation(
    error: BaseException,
) -> None:
    async def handler() -> None:
        raise error

    tool = with_formatted_output(standard_tool(name="t", description="d", execute=handler))
    with pytest.raises(type(error)):
        ask(tool)


@pytest.mark.requirement("spec-33")
def test_the_neutral_tool_stays_as_it_was_and_consumers_format_independently() -> None:
    neutral = weather()
    before = dict(vars(neutral))
    words, plain = with_formatted_output(neutral, in_words), with_formatted_output(neutral)
    assert ask(words, {"city": "Paris"}) == "21 degrees"
    assert ask(plain, {"city": "Paris"}) == {"celsius": 21}
    assert vars(neutral) == before
    with pytest.raises(ToolValidationError):
        ask(neutral, {"city": 1})


def sorted_keys(result: dict[str, int] | Exception) -> list[str]:
    return [] if isinstance(result, Exception) else sorted(result)


@pytest.mark.requirement("spec-34")
def test_formatting_a_formatted_tool_replaces_the_format() -> None:
    tool = with_formatted_output(with_formatted_output(weather(), in_words), sorted_keys)
    assert ask(tool, {"city": "Paris"}) == ["celsius"]
    again = with_formatted_output(with_formatted_output(tool, in_words))
    assert ask(again, {"city": "Paris"}) == {"celsius": 21}


def as_mcp(result: object) -> dict[str, Any]:
    """Write an MCP result, as a consumer would (MCP 2025-11-25, tools/call)."""
    if isinstance(result, Exception):
        return {"content": [{"type": "text", "text": str(result)}], "isError": True}
    text = result if isinstance(result, str) else json.dumps(result)
    written: dict[str, Any] = {"content": [{"type": "text", "text": text}]}
    return written | ({"structuredContent": result} if isinstance(result, dict) else {})


@pytest.mark.requirement("spec-35", "spec-36")
def test_an_mcp_format_gives_structured_content_for_objects_and_an_error_for_failures() -> None:
    tool = with_formatted_output(weather(), as_mcp)
    assert ask(tool, {"city": "Paris"}) == {
        "content": [{"type": "text", "text": '{"celsius": 21}'}],
        "structuredContent": {"celsius": 21},
    }
    wrong = "input validation failed: city: expected str"
    assert ask(tool, {"city": 1}) == {"content": [{"type": "text", "text": wrong}], "isError": True}
    greet = standard_tool(name="greet", description="d", execute=lambda: "hello")
    only_text = {"content": [{"type": "text", "text": "hello"}]}
    assert ask(with_formatted_output(greet, as_mcp)) == only_text


# ------------------------------------------------------------------------------- adapters


@pytest.mark.requirement("spec-37")
def test_one_schema_serves_several_tools() -> None:
    first, second = weather(), weather(lambda given: {"celsius": len(given["city"])})
    assert first.input_schema is second.input_schema
    assert [ask(tool, {"city": "Rome"}) for tool in (first, second)] == [
        {"celsius": 21},
        {"celsius": 4},
    ]


class Caller:
    """A remote procedure as a client sees it."""

    def __init__(self) -> None:
        self.seen: list[object] = []

    def weather(self, given: object) -> dict[str, int]:
        self.seen.append(given)
        return {"celsius": 21}


@pytest.mark.requirement("spec-40")
def test_a_bare_method_acts_as_its_wrapped_form_and_the_context_stays_out() -> None:
    caller = Caller()

    def wrapped(given: object) -> dict[str, int]:
        return caller.weather(given)

    for handler in (caller.weather, wrapped):
        assert ask(weather(handler), {"city": "Paris"}, "context") == {"celsius": 21}
    assert caller.seen == [{"city": "Paris"}] * 2


@pytest.mark.requirement("spec-41")
def test_a_layer_below_validates_again_for_itself() -> None:
    inner = weather()
    outer = standard_tool(name="outer", description="d", execute=inner.execute)
    assert ask(outer, {"city": "Paris"}) == {"celsius": 21}
    with pytest.raises(ToolValidationError) as caught:
        ask(outer, {"city": 1})
    assert caught.value.tool == "get_weather"


# ------------------------------------------------------------------------------- results


def test_results_compare_by_content_and_show_no_value() -> None:
    issue = Issue("required", ("city",), "missing")
    assert Success({"key": "secret"}) == Success({"key": "secret"})
    assert Success(1) != Success(2)
    assert Failure([issue]) == Failure((Issue("required", ("city",), "missing"),))
    assert Failure([issue]) != Success((issue,))
    assert len({issue, Issue("required", ("city",), "missing"), Issue("required")}) == 2
    assert repr(Success({"key": "secret"})) == "Success()"
    assert repr(Failure([Issue("a", ("b", 0))])) == "Failure(Issue('custom', 'b.0: a'))"


def test_results_narrow_by_truth_and_by_match() -> None:
    results: list[Success[int] | Failure] = [Success(1), Success(0), Failure([])]
    assert [bool(result) for result in results] == [True, True, False]
    values: list[object] = []
    for result in results:
        match result:
            case Success(value):
                values.append(value)
            case Failure(issues):
                values.append(issues)
    assert values == [1, 0, ()]


def test_results_have_no_room_for_anything_else() -> None:
    for result in (Success(1), Failure([]), Issue("a")):
        assert not hasattr(result, "__dict__")


# ------------------------------------------------------------------------------- the file

SCRIPT = """
import sys
sys.path.insert(0, sys.argv[1])
before = set(sys.modules)
import spec
loaded = set(sys.modules) - before
assert not {"asyncio", "inspect", "toolhaft"} & loaded, loaded

class Number:
    version, vendor = 1, "test"
    def validate(self, value, /):
        return spec.Success(value) if type(value) is int else spec.Failure([spec.Issue("no", "n")])
    def json_schema(self, *, target="draft-2020-12", mode="input"):
        return {"type": "integer"}

import asyncio
double = spec.standard_tool(
    name="double", description="d", execute=lambda n: n * 2, input_schema=Number()
)
shown = spec.with_formatted_output(double)
print(asyncio.run(double.execute(21)), asyncio.run(shown.execute("x")))
"""


@pytest.mark.requirement("spec-stands-alone")
def test_the_file_works_alone_in_an_empty_folder(tmp_path: Path) -> None:
    (tmp_path / "spec.py").write_bytes(SPEC.read_bytes())
    command = [sys.executable, "-I", "-S", "-c", SCRIPT, str(tmp_path)]
    child = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (child.stdout, child.stderr) == (
        "42 {'error': 'input validation failed: n: no'}\n",
        "",
    )


@pytest.mark.requirement("spec-stands-alone")
def test_the_file_stays_under_200_lines_and_imports_the_standard_library_only() -> None:
    text = SPEC.read_text(encoding="utf-8")
    assert len(text.splitlines()) < 200
    nodes = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom)]
    assert not any(isinstance(node, ast.Import) for node in ast.walk(ast.parse(text)))
    packages = {str(node.module).partition(".")[0] for node in nodes}
    assert packages <= sys.stdlib_module_names


def test_two_copies_of_the_file_work_together(tmp_path: Path) -> None:
    (tmp_path / "their_spec.py").write_bytes(SPEC.read_bytes())
    sys.path.insert(0, str(tmp_path))
    try:
        import their_spec as other  # type: ignore[import-not-found]
    finally:
        sys.path.remove(str(tmp_path))

    class Theirs(Fields):
        def validate(self, value: object, /) -> Any:
            result = super().validate(value)
            return other.Success(result.value) if result else other.Failure(result.issues)

    tool = standard_tool(
        name="t", description="d", execute=lambda given: given, input_schema=Theirs("city", str)
    )
    assert ask(tool, {"city": "Paris"}) == {"city": "Paris"}
    formatted = with_formatted_output(other.with_formatted_output(tool, str))
    assert ask(formatted, {"city": "Paris"}) == {"city": "Paris"}
    assert ask(formatted, {}) == {"error": "input validation failed: city: expected str"}
