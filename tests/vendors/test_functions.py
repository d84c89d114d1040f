"""`schema_of`: a function and the JSON Schema of what it takes."""

from __future__ import annotations

import asyncio
import enum
from typing import Any, assert_type

import pytest
from pydantic import TypeAdapter

from toolhaft import DefinitionError, Err, Issue, Toolset, schema_of, tool
from toolhaft.spec import Failure, StandardSchema, Success
from toolhaft.tools.tool import AnyTool

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"n": {"type": "integer"}},
    "required": ["n"],
}


class Parity(enum.Enum):
    EVEN = 0
    ODD = 1


def even(data: Any) -> int:
    if data["n"] % 2:
        raise ValueError(f"{data['n']} is odd")
    return int(data["n"])


async def even_later(data: Any) -> int:
    await asyncio.sleep(0)
    return even(data)


def placed(data: Any) -> Success[int] | Failure:
    if data["n"] % 2:
        return Failure([Issue("odd", ["n"], "value")])
    return Success(data["n"])


async def placed_later(data: Any) -> Success[int] | Failure:
    return placed(data)


def made(validate: Any = even, **given: Any) -> StandardSchema[Any]:
    options: dict[str, Any] = {"vendor": "mine", "json_schema": SCHEMA, **given}
    return schema_of(validate=validate, **options)


def handler(schema: Any, **options: Any) -> AnyTool:
    def given(n: Any) -> str:
        return repr(n)

    return tool(given, name="t", description="d", input=schema, **options)


def issues(schema: Any, raw: Any) -> list[tuple[str, tuple[Any, ...], str]]:
    outcome = handler(schema).call_sync(raw)
    assert isinstance(outcome, Err)
    assert outcome.kind == "invalid_input"
    return [(one.code, one.path, one.message) for one in outcome.issues]


@pytest.mark.requirement("vendor-schema-of")
@pytest.mark.parametrize("validate", [even, even_later, placed, placed_later])
def test_the_function_makes_the_value_and_the_schema_goes_out_as_it_is(validate: Any) -> None:
    checked = handler(made(validate))
    assert checked.call_sync({"n": 4}).unwrap() == "4"
    assert checked.call_sync({"n": "4"}).unwrap() == "4"
    assert asyncio.run(checked.call({"n": 4})).unwrap() == "4"
    assert checked.input_schema.json_schema() == SCHEMA
    assert checked.input_schema.vendor == "mine"


@pytest.mark.requirement("vendor-schema-of")
@pytest.mark.parametrize("validate", [even, even_later])
def test_the_words_of_a_value_error_are_shown_without_the_value(validate: Any) -> None:
    assert issues(made(validate), {"n": 3}) == [("custom", (), "… is odd")]


@pytest.mark.requirement("vendor-schema-of")
@pytest.mark.parametrize("validate", [placed, placed_later])
def test_a_failure_names_its_place(validate: Any) -> None:
    assert issues(made(validate), {"n": 3}) == [("value", ("n",), "odd")]


@pytest.mark.requirement("vendor-schema-of")
@pytest.mark.parametrize("validate", [even, even_later])
def test_the_function_sees_only_what_fits_the_schema(validate: Any) -> None:
    assert issues(made(validate), {"n": "x"}) == [
        ("type", ("n",), "expected integer, received string")
    ]
    assert issues(made(validate), {}) == [("missing", ("n",), "required")]


def test_a_librarys_report_is_not_shown_as_it_names_the_programs_classes() -> None:
    strict: Any = TypeAdapter(dict[str, bool])
    assert issues(made(strict.validate_python), {"n": 3}) == [("custom", (), "not accepted")]

    def silent(data: Any) -> Any:
        raise ValueError

    assert issues(made(silent), {"n": 3}) == [("custom", (), "not accepted")]


@pytest.mark.requirement("vendor-author-bug")
@pytest.mark.parametrize("error", [KeyError("n"), TypeError("x"), ZeroDivisionError()])
def test_any_other_exception_is_a_bug_of_the_tool(error: Exception) -> None:
    def broken(data: Any) -> Any:
        raise error

    outcome = handler(made(broken)).call_sync({"n": 1})
    assert isinstance(outcome, Err)
    assert (outcome.kind, outcome.error_id is None) == ("runtime_error", False)


def test_an_object_with_a_value_or_issues_of_its_own_is_a_value() -> None:
    checked = made(lambda data: Parity(data["n"] % 2))
    result = checked.validate({"n": 3})
    assert isinstance(result, Success)
    assert result.value is Parity.ODD


def test_a_coroutine_of_a_plain_function_is_an_error_where_nothing_can_wait() -> None:
    schema = made(lambda data: even_later(data))  # noqa: PLW0108 - no coroutine function
    with pytest.raises(TypeError, match="mine: validate is asynchronous; use the async methods"):
        schema.validate({"n": 4})


def plainly_later(data: Any) -> Any:
    """Return an awaitable, which cannot be known before the call."""
    return even_later(data)


def found() -> Any:
    return {"n": 4}


async def found_later() -> Any:
    return {"n": 4}


@pytest.mark.requirement("vendor-awaitable-validate")
@pytest.mark.parametrize("validate", [even_later, plainly_later])
@pytest.mark.parametrize("options", [{}, {"timeout": 5}, {"authorize": lambda *_: True}])
def test_a_caller_with_a_loop_waits_for_arguments(validate: Any, options: dict[str, Any]) -> None:
    checked = handler(made(validate), **options)
    assert asyncio.run(checked.call({"n": "4"})).unwrap() == "4"
    assert asyncio.run(checked.execute({"n": 4})) == "4"
    outcome = asyncio.run(checked.call({"n": 3}))
    assert isinstance(outcome, Err)
    assert [str(one) for one in outcome.issues] == ["… is odd"]


@pytest.mark.requirement("vendor-awaitable-validate")
@pytest.mark.parametrize("validate", [even_later, plainly_later])
@pytest.mark.parametrize("fn", [found, found_later])
def test_a_caller_with_a_loop_waits_for_the_check_of_a_result(validate: Any, fn: Any) -> None:
    checked: AnyTool = tool(fn, name="t", description="d", output=made(validate, dump=numbered))
    assert asyncio.run(checked.call()).unwrap() == 4
    assert asyncio.run(checked.replace(render=str).call()).text == "4"
    odd = checked.replace(output=made(refusing_later))
    assert asyncio.run(odd.call()).text.startswith("The tool ran, but its result was not valid")


def numbered(value: int) -> Any:
    return {"n": value}


async def refusing_later(data: Any) -> int:
    raise ValueError("never")


@pytest.mark.requirement("vendor-awaitable-validate")
def test_a_root_that_is_no_object_is_awaited_as_well() -> None:
    async def half(data: Any) -> int:
        return int(data) // 2

    assert handler(made(half, json_schema={"type": "integer"})).call_sync({"value": 8}).text == "4"


@pytest.mark.requirement("vendor-awaitable-validate")
def test_without_a_loop_it_is_an_error_with_a_fix(
    caplog: pytest.LogCaptureFixture,
) -> None:
    checked = handler(made(plainly_later))
    with pytest.raises(TypeError, match="validate is asynchronous; use the async methods"):
        checked.execute_sync({"n": 4})
    outcomes: list[Any] = [checked.call_sync({"n": 4}), checked.prepare({"n": 4})]
    assert [(one.kind, one.effect) for one in outcomes] == [("runtime_error", "none")] * 2
    assert "use the async methods" in caplog.text


@pytest.mark.requirement("row-45")
@pytest.mark.requirement("vendor-schema-of")
@pytest.mark.parametrize(
    ("json_schema", "reason"),
    [
        (None, "missing"),
        ({}, "it is empty"),
        ({"type": "whole"}, "malformed type"),
    ],
)
def test_the_schema_is_read_at_the_definition(json_schema: Any, reason: str) -> None:
    with pytest.raises(DefinitionError) as caught:
        made(json_schema=json_schema)
    assert str(caught.value) == (
        f"schema_of(mine).json_schema: {reason}; "
        "give the JSON Schema of what the function takes as json_schema="
    )


def by_mode(mode: str) -> dict[str, Any]:
    return SCHEMA if mode == "input" else {"type": "string"}


def test_the_schema_may_differ_for_input_and_output_and_a_value_may_be_dumped() -> None:
    schema = made(json_schema=by_mode, dump=str)
    assert schema.json_schema(mode="input") == SCHEMA
    assert schema.json_schema(mode="output") == {"type": "string"}
    assert vars(schema).get("dump", getattr(schema, "dump"))(4) == "4"  # noqa: B009 - optional
    assert schema.json_schema(target="draft-07") == SCHEMA


def test_a_schema_function_without_a_schema_is_a_definition_error() -> None:
    with pytest.raises(DefinitionError, match="mine: its JSON Schema is empty"):
        Toolset([handler(made(json_schema=lambda mode: {}))])


def test_the_type_of_the_value_is_that_of_the_function() -> None:
    for schema in (
        assert_type(schema_of(validate=even, json_schema=SCHEMA), StandardSchema[int]),
        assert_type(schema_of(validate=even_later, json_schema=SCHEMA), StandardSchema[int]),
        assert_type(schema_of(validate=placed, json_schema=SCHEMA), StandardSchema[int]),
        assert_type(schema_of(validate=placed_later, json_schema=SCHEMA), StandardSchema[int]),
    ):
        assert schema.vendor == "custom"


def test_results_are_validated_and_dumped_too() -> None:
    schema = made(dump=lambda n: {"n": n})

    def run(value: Any) -> Any:
        def found() -> Any:
            return value

        return tool(found, name="t", description="d", output=schema).call_sync({})

    assert run({"n": 4}).json == {"n": 4}
    assert run({"n": 3}).kind == "output_invalid"
    as_it_is: Any = made(placed)
    assert as_it_is.dump(4) == 4


@pytest.mark.requirement("vendor-awaitable-validate")
def test_with_parameters_an_async_function_is_awaited_as_well() -> None:
    declared = {"type": "object", "properties": {"n": {"type": "integer", "minimum": 2}}}
    checked = handler(made(even_later), parameters=declared)
    assert checked.call_sync({"n": 4}).unwrap() == "4"
    outcome = checked.call_sync({"n": 1})
    assert isinstance(outcome, Err)
    assert [str(one) for one in outcome.issues] == ["n: expected at least 2"]
