"""A result that a tool's author returned by mistake is in no text, repr, log or wire result.

A secret is in a value, in a key of a map, in a part that is not JSON, in content, or in a message
of a validator or a serializer.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import attrs
import msgspec
import pytest
from pydantic import BaseModel, field_serializer, field_validator

from toolhaft import Err, Image, Issue, ToolCall, Toolset, tool
from toolhaft.spec import standard_tool

pytestmark = pytest.mark.requirement("texts-results")

SECRET = "zq85153029wk"
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "stock": {"type": "object", "additionalProperties": {"type": "integer"}},
    },
}
WRONG: dict[str, Any] = {"name": 5, "stock": {"nuts": 1, SECRET: SECRET}}
AT = [
    "name: expected string, received integer",
    "stock, 2nd entry: expected integer, received string",
]


class Model(BaseModel):
    name: str
    stock: dict[str, int] = {}

    @field_validator("name")
    @classmethod
    def known(cls, name: str) -> str:
        """Refuse a name in words that quote it."""
        if name.startswith(SECRET):
            raise ValueError(f"{name.upper()} ({name[:9]}) is no name")
        return name


class Writing(BaseModel):
    name: str

    @field_serializer("name")
    def write(self, name: str) -> str:
        """Fail with the value in the words."""
        raise ValueError(f"cannot write {name}")


class Struct(msgspec.Struct):
    name: str
    stock: dict[str, int] = {}


@attrs.define
class Attrs:
    name: str
    stock: dict[str, int] = attrs.Factory(dict)


class Quoting:
    def __repr__(self) -> str:
        return SECRET


RETURNED: dict[str, tuple[Any, Any, list[str]]] = {
    "schema": (SCHEMA, WRONG, AT),
    "pydantic": (Model, WRONG, AT),
    "pydantic object": (Model, Model.model_construct(**WRONG), AT),
    "msgspec": (Struct, WRONG, AT),
    "msgspec object": (Struct, Struct(**WRONG), AT),
    "attrs object": (Attrs, Attrs(**WRONG), AT),
    "validator": (Model, {"name": SECRET}, ["name: …) is no name"]),
    "list": (
        list[int],
        [SECRET] * 300,
        [f"{n}: expected integer, received string" for n in range(64)],
    ),
    "no JSON": (
        None,
        {SECRET: Quoting()},
        ["an entry: expected plain JSON data, received Quoting"],
    ),
    "content": (
        None,
        [Image(b"x", "image/png"), {SECRET: SECRET}, f"{SECRET}\ud800"],
        ["1: expected text or content", "2: lone surrogate in a text"],
    ),
}


def returning(value: Any, output: Any) -> Any:
    """Make a tool that returns a value whatever its arguments."""
    return tool(
        lambda _: value, name="f", description="A tool.", input={"type": "object"}, output=output
    )


def everything(outcome: Err) -> str:
    """Return every text of an outcome that a person may read."""
    with pytest.raises(Exception, match="output validation failed") as raised:
        outcome.unwrap()
    return f"{outcome.text} {outcome!r} {raised.value} {raised.value!r}".casefold()


@pytest.mark.parametrize("name", RETURNED)
def test_an_invalid_result_is_located_and_none_of_it_is_shown(
    name: str, caplog: pytest.LogCaptureFixture
) -> None:
    output, value, expected = RETURNED[name]
    one = returning(value, output)
    outcome = one.call_sync({})
    assert isinstance(outcome, Err)
    assert (outcome.kind, [str(issue) for issue in outcome.issues]) == ("output_invalid", expected)
    assert SECRET not in everything(outcome)
    assert all(len(record.getMessage()) <= 5_000 for record in caplog.records)
    for target in "openai", "anthropic", "mcp":
        wire = Toolset([one]).export(target)
        there = wire.call_sync(ToolCall("c", "f", "{}"))
        assert SECRET not in json.dumps(wire.result(there), default=str).casefold()
        assert len(there.text) <= 700
    assert not any(SECRET in record.getMessage().casefold() for record in caplog.records)


def test_the_key_of_a_result_is_in_the_path_alone() -> None:
    outcome = returning(WRONG, SCHEMA).call_sync({})
    assert isinstance(outcome, Err)
    assert [issue.as_json()["path"] for issue in outcome.issues] == [["name"], ["stock", SECRET]]


def test_a_serializer_that_fails_is_not_quoted(caplog: pytest.LogCaptureFixture) -> None:
    outcome = returning(Writing(name=SECRET), Writing).call_sync({})
    assert isinstance(outcome, Err)
    assert SECRET not in f"{outcome.text} {outcome!r}"
    assert not any(SECRET in record.getMessage() for record in caplog.records)


class ToolValidationError(Exception):
    """Of another copy of the specification."""

    def __init__(self, target: str, *issues: Issue) -> None:
        super().__init__(SECRET)
        self.target, self.issues = target, issues


def foreign(refuse: Callable[..., Any]) -> Any:
    """Make a tool of the shape alone."""
    own = standard_tool(name="f", description="A tool.", execute=refuse)
    fields = {"title": None, "input_schema": None, "output_schema": None}
    return SimpleNamespace(name=own.name, description=own.description, execute=refuse, **fields)


@pytest.mark.parametrize("target", ["input", "output"])
def test_a_foreign_tool_that_quotes_what_it_refuses_is_masked(
    target: str, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(arguments: Any) -> Any:
        quoted = Issue(f"{SECRET} is taken", ("stock", SECRET))
        raise ToolValidationError(target, quoted, Issue("expected integer", (SECRET,), "type"))

    outcome = Toolset([foreign(refuse)]).call_sync("f", {"n": SECRET} if target == "input" else {})
    assert isinstance(outcome, Err)
    shown = f"{outcome.text} {outcome!r} {[str(issue) for issue in outcome.issues]}"
    assert SECRET not in shown
    assert not any(SECRET in record.getMessage() for record in caplog.records)


def test_a_stored_refusal_keeps_its_places_in_words() -> None:
    pay = tool(lambda _: "", name="pay", description="Pay.", input=SCHEMA, requires_approval=True)
    wire = Toolset([returning(WRONG, SCHEMA), pay]).export("anthropic")
    blocks: list[dict[str, Any]] = [
        {"type": "tool_use", "id": name, "name": name, "input": {}} for name in ("f", "pay")
    ]
    response = {"id": "m", "role": "assistant", "content": blocks, "stop_reason": "tool_use"}
    answer = wire.answer_sync(response)
    resumed = wire.resume_sync(answer.to_json(key="k" * 32), {"pay": True}, key="k" * 32)
    stored = resumed.outcomes[0]
    assert isinstance(stored, Err)
    assert [str(issue) for issue in stored.issues] == AT
    assert stored.issues == answer.outcomes[0].issues  # type: ignore[union-attr]  # it is an Err
