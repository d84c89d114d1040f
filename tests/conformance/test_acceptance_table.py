"""The acceptance table: real models' arguments, and the required outcomes."""

from __future__ import annotations

import asyncio
import logging
import time
from contextvars import ContextVar
from typing import Any

import pytest

from toolhaft import Coercion, Err, Injected, Ok, Prepared, ToolError, Toolset, tool
from toolhaft.tools.tool import AnyTool

REQUEST_ID: ContextVar[str] = ContextVar("request_id", default="none")


def taking(annotation: Any, *default: Any, name: str = "n") -> AnyTool:
    """A tool with one parameter that returns its handler's argument."""

    namespace: dict[str, Any] = {"annotation": annotation, "default": default[0] if default else 0}
    tail = " = default" if default else ""
    exec(f"def f({name}: annotation{tail}): 'A tool.'; return {name}", namespace)
    made: AnyTool = tool(namespace["f"], output=None)
    return made


def given(one: AnyTool, raw: Any, context: Any = None) -> Any:
    outcome = one.call_sync(raw, context=context)
    assert isinstance(outcome, Ok), outcome
    return outcome.value


def refused(one: AnyTool, raw: Any, context: Any = None) -> list[tuple[Any, str]]:
    outcome = one.call_sync(raw, context=context)
    assert isinstance(outcome, Err), outcome
    assert outcome.kind == "invalid_input"
    return [(issue.path, issue.code) for issue in outcome.issues]


@pytest.mark.requirement("row-01")
def test_a_list_sent_as_json_text_is_read() -> None:
    outcome = taking(list[str], name="tags").call_sync({"tags": '["a","b"]'})
    assert isinstance(outcome, Ok)
    assert outcome.value == ["a", "b"]
    assert outcome.coercions == (Coercion(("tags",), "json_text"),)


@pytest.mark.requirement("row-03")
@pytest.mark.parametrize(
    "text", ['{"a":1}', "[1]", "null", "true", "12345", "1e5", "58aa9efd", '"q"', " ", ""]
)
@pytest.mark.parametrize("annotation", [str, str | None])
def test_text_for_a_string_stays_as_it_is(annotation: Any, text: str) -> None:
    outcome = taking(annotation, name="c").call_sync({"c": text})
    assert isinstance(outcome, Ok)
    assert (outcome.value, outcome.coercions) == (text, ())


@pytest.mark.requirement("row-06")
@pytest.mark.requirement("pain-22")
@pytest.mark.parametrize("raw", ["", None, "  ", "{}", "null", b"", {}])
def test_nothing_is_no_arguments(raw: Any) -> None:
    @tool
    def now() -> str:
        "The time."
        return "noon"

    outcome = now.call_sync(raw)
    assert isinstance(outcome, Ok)
    assert (outcome.value, dict(outcome.arguments)) == ("noon", {})


@pytest.mark.requirement("row-07")
@pytest.mark.requirement("pain-22")
def test_nothing_where_something_is_required_names_what_is_missing() -> None:
    assert refused(taking(int, name="a"), "") == [(("a",), "missing")]


@pytest.mark.requirement("row-08")
def test_a_double_encoded_object_is_unwrapped_once() -> None:
    outcome = taking(int, name="a").call_sync('"{\\"a\\":1}"')
    assert isinstance(outcome, Ok)
    assert (outcome.value, outcome.coercions) == (1, (Coercion((), "double_encoded"),))
    for text in ('"hello"', "[1]", "5"):
        assert refused(taking(int, name="a"), text) == [((), "type")]


@pytest.mark.requirement("row-10")
@pytest.mark.requirement("pain-11")
def test_text_that_stops_is_truncated_and_runs_nothing() -> None:
    ran = []

    @tool
    def write(path: str, content: str) -> None:
        "Write a file."
        ran.append(path)

    outcome = write.call_sync('{"path":"a","content":"hel')
    assert isinstance(outcome, Err)
    assert (outcome.kind, outcome.retryable, ran) == ("truncated", True, [])
    assert "cut off" in outcome.text


@pytest.mark.requirement("row-13")
def test_null_for_a_defaulted_parameter_is_its_default() -> None:
    outcome = taking(int, 3).call_sync({"n": None})
    assert isinstance(outcome, Ok)
    assert (outcome.value, outcome.coercions) == (3, (Coercion(("n",), "null_absent"),))


@pytest.mark.requirement("row-14")
def test_null_where_null_is_declared_is_null() -> None:
    assert given(taking(int | None, 3), {"n": None}) is None


@pytest.mark.requirement("row-15")
def test_null_for_a_required_parameter_is_refused() -> None:
    assert refused(taking(int), {"n": None}) == [(("n",), "type")]


@pytest.mark.requirement("row-17")
def test_booleans_are_read_from_true_and_false_only() -> None:
    one = taking(bool, name="b")
    assert given(one, {"b": "false"}) is False
    assert given(one, {"b": "TRUE"}) is True
    for wrong in ("no", "0", 0, 1, "", "yes"):
        assert refused(one, {"b": wrong}) == [(("b",), "type")]


@pytest.mark.requirement("row-18")
def test_whole_numbers_are_read_from_exact_text_only() -> None:
    one = taking(int)
    for right, number in [("42", 42), ("42.0", 42), (5.0, 5), ("-7", -7)]:
        value = given(one, {"n": right})
        assert (value, type(value)) == (number, int)
    for wrong in ("4_2", "NaN", True, 5.5, "", " 5", "0x2a", "4e1", "\u0665", "5.5"):
        assert refused(one, {"n": wrong}) == [(("n",), "type")]


@pytest.mark.requirement("numbers-alike")
@pytest.mark.parametrize("schema", ["signature", "json schema"])
def test_whole_floats_are_integers_where_integers_are_declared(schema: str) -> None:
    declared = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    by_schema = tool(lambda arguments: arguments["n"], name="f", description="F.", input=declared)
    one = taking(int) if schema == "signature" else by_schema
    for policy in ("safe", "none"):
        value = given(one.replace(coerce=policy), {"n": 5.0})
        assert (value, type(value)) == (5, int)
        assert refused(one.replace(coerce=policy), {"n": 1e300}) == [(("n",), "type")]
        assert refused(one.replace(coerce=policy), '{"n": 9007199254740992.0}') == [
            (("n",), "type")
        ]


@pytest.mark.requirement("row-19")
@pytest.mark.requirement("pain-25")
def test_large_whole_numbers_stay_exact() -> None:
    one = taking(int, name="id")
    assert given(one, {"id": "1234567890123456789"}) == 1234567890123456789
    assert given(one, '{"id":1234567890123456789}') == 1234567890123456789
    assert refused(one, '{"id":1234567890123456789.0}') == [(("id",), "type")]


@pytest.mark.requirement("row-21")
def test_an_unknown_key_is_refused_with_what_there_is() -> None:
    @tool
    def read_doc(topic: str = "", path_of: str = "") -> str:
        "Read."
        return topic + path_of

    outcome = read_doc.call_sync({"topci": "x"})
    assert isinstance(outcome, Err)
    assert [(issue.path, issue.code) for issue in outcome.issues] == [(("topci",), "extra")]
    assert outcome.text.endswith("Errors: topci: unknown (did you mean topic?)")
    told = taking(str, "", name="topic").call_sync({"path": "x"}).text
    assert "path" in told
    assert "topic" in told


@pytest.mark.requirement("row-22")
def test_a_wrapped_call_gets_a_hint_to_unwrap_it() -> None:
    outcome = taking(str, name="a").call_sync({"name": "f", "arguments": {"a": "x"}})
    assert isinstance(outcome, Err)
    assert "arguments: unknown; send its members at the top level" in outcome.text


@pytest.mark.requirement("row-23")
def test_the_model_cannot_supply_what_the_caller_does() -> None:
    seen = []

    @tool
    def find(q: str, user: Injected[str]) -> str:
        "Find."
        seen.append(user)
        return q

    assert refused(find, {"q": "x", "user": "admin"}, {"user": "ann"}) == [(("user",), "extra")]
    assert seen == []
    assert given(find, {"q": "x"}, {"user": "ann"}) == "x"
    assert seen == ["ann"]
    assert "user" not in str(Toolset([find]).export("openai").tools)


@pytest.mark.requirement("row-25")
def test_no_value_is_echoed_anywhere(caplog: pytest.LogCaptureFixture) -> None:
    @tool
    def login(password: str, n: int) -> str:
        "Log in."
        return password[:0] + str(n)

    outcome = login.call_sync({"password": "hunter2", "n": "hunter3"})
    assert isinstance(outcome, Err)
    assert [issue.path for issue in outcome.issues] == [("n",)]
    with pytest.raises(Exception, match="expected integer") as raised:
        outcome.unwrap()
    told = [outcome.text, repr(outcome), repr(outcome.issues), str(raised.value), caplog.text]
    assert raised.value.__cause__ is raised.value.__context__ is None
    assert not [text for text in told if "hunter" in text]


@pytest.mark.requirement("row-26")
def test_a_crash_is_masked_and_found_in_the_log_by_its_id(
    caplog: pytest.LogCaptureFixture,
) -> None:
    @tool
    def boom() -> str:
        "Fail."
        raise RuntimeError("S3CRET /home/x.py")

    outcome = boom.call_sync({})
    assert isinstance(outcome, Err)
    assert (outcome.kind, outcome.effect) == ("runtime_error", "unknown")
    assert outcome.error_id is not None
    assert outcome.error_id in outcome.text
    assert outcome.error_id in caplog.text
    assert "S3CRET" in caplog.text
    assert not [word for word in ("S3CRET", "RuntimeError", "/home") if word in outcome.text]


@pytest.mark.requirement("row-27")
def test_a_tool_error_is_told_in_its_own_words() -> None:
    @tool
    def order(number: int) -> str:
        "An order."
        raise ToolError(f"Order {number} not found")

    outcome = order.call_sync({"number": 7})
    assert isinstance(outcome, Err)
    assert (outcome.kind, outcome.text) == ("tool_error", "Order 7 not found")


@pytest.mark.requirement("row-28")
def test_many_equal_errors_become_one() -> None:
    parameters = ", ".join(f"field_{n}: int" for n in range(12))
    namespace: dict[str, Any] = {}
    exec(f"def many({parameters}): 'Many.'", namespace)
    wrong: dict[str, Any] = {f"field_{n}": "x" if n < 9 else n for n in range(12)}
    outcome = tool(namespace["many"]).call_sync(wrong)
    assert isinstance(outcome, Err)
    assert len(outcome.issues) == 9
    fields = ", ".join(f"field_{n}" for n in range(9))
    start = "Please rewrite the input with valid arguments. Errors: "
    assert outcome.text == f"{start}{fields}: expected integer, received string"


@pytest.mark.requirement("row-30")
def test_a_huge_value_makes_no_huge_text() -> None:
    outcome = taking(int).call_sync({"n": "x" * 20_000})
    assert len(outcome.text) < 700


@pytest.mark.requirement("row-33")
@pytest.mark.requirement("pain-56")
def test_a_sync_handler_blocks_no_loop_and_sees_context_variables() -> None:
    @tool
    def wait() -> str:
        "Wait."
        time.sleep(0.4)
        return REQUEST_ID.get()

    async def main() -> tuple[Any, int]:
        REQUEST_ID.set("r1")
        call, ticks = asyncio.ensure_future(wait.call({})), 0
        while not call.done():
            await asyncio.sleep(0.02)
            ticks += 1
        return (await call).unwrap(), ticks

    seen, ticks = asyncio.run(main())
    assert seen == "r1"
    assert ticks >= 10


@pytest.mark.requirement("row-34")
@pytest.mark.requirement("pain-18")
def test_a_result_that_breaks_its_schema_is_withheld(caplog: pytest.LogCaptureFixture) -> None:
    from typing import Literal

    from pydantic import BaseModel

    class Inner(BaseModel):
        s: Literal["a", "b"]

    @tool(output=Inner)
    def broken() -> Any:
        "Break."
        return {"s": "zzz"}

    with caplog.at_level(logging.ERROR, "toolhaft"):
        outcome = broken.call_sync({})
    assert isinstance(outcome, Err)
    assert (outcome.kind, outcome.effect) == ("output_invalid", "done")
    assert "/s" in caplog.text
    assert "zzz" not in caplog.text + outcome.text
    assert "/s" not in outcome.text


@pytest.mark.requirement("row-45")
def test_a_type_that_no_vendor_owns_is_a_definition_error() -> None:
    from toolhaft import DefinitionError

    class Opaque:
        def validate(self, value: object) -> object:
            return value

    @tool
    def uses(thing: Opaque) -> str:
        "Use."
        return str(thing)

    with pytest.raises(DefinitionError) as raised:
        Toolset([uses])
    (fault,) = raised.value.faults
    assert fault.tool == "uses"
    assert "Opaque" in fault.reason
    assert fault.fix


def test_prepare_stops_before_the_handler() -> None:
    ran: list[int] = []

    @tool
    def note(n: int, times: int = 2) -> int:
        "Note."
        ran.append(n)
        return n * times

    prepared = note.prepare('{"n": "4"}')
    assert isinstance(prepared, Prepared)
    assert (dict(prepared.arguments), prepared.json) == ({"n": 4, "times": 2}, {"n": 4})
    assert ran == []
    assert prepared.call_sync().unwrap() == 8
    second: Any = prepared.call_sync()
    assert (second.kind, ran) == ("denied", [4])
    assert isinstance(note.prepare("{}"), Err)
