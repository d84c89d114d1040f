"""Secrets planted in 20,000 wrong calls stay out of texts, reprs, logs and results on the wire.

A secret stands in a value, a key of a map, a nested part, a list of 300, an exception, or in what a
validator quotes, strips or repeats. Keys of open maps are in `Issue.path` and `as_json` alone.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from random import Random
from typing import Annotated, Any

import msgspec
import pytest
from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from tests.share import share
from toolhaft import Err, ToolCall, Toolset, schema_of, tool
from toolhaft.tools.tool import AnyTool

CALLS = 20_000
# In `make test`; `make thorough` makes all of them.
FEW = 500
FIELDS: dict[str, Any] = {
    "name": {"type": "string", "maxLength": 12},
    "size": {"type": "integer", "maximum": 9},
    "kind": {"enum": ["plain", "fancy"]},
    "tags": {"type": "array", "items": {"type": "string", "pattern": "^[a-z]{1,6}$"}},
    "stock": {"type": "object", "additionalProperties": {"type": "integer"}},
    "codes": {
        "type": "object",
        "propertyNames": {"pattern": "^[a-z]{1,4}$"},
        "additionalProperties": {"type": "object", "additionalProperties": {"type": "boolean"}},
    },
    "to": {
        "anyOf": [
            {"type": "object", "properties": {"mail": {"type": "string"}}, "required": ["mail"]},
            {"type": "object", "properties": {"desk": {"type": "integer"}}, "required": ["desk"]},
            {"type": "integer"},
        ]
    },
}
SCHEMA = {
    "type": "object",
    "properties": FIELDS,
    "required": ["name"],
    "additionalProperties": False,
}


def quote(name: str, stock: Any) -> str:
    """Reject a value in words that quote, strip, repeat and cut it."""
    text = name.strip()
    part = text[: max(len(text) - 3, 4)]
    return f"{name!r} ({text.upper()}, {part}) is no name among {stock}: {text}{text}"


class Model(BaseModel):
    model_config = ConfigDict(extra="forbid")
    name: str
    size: Annotated[int, Field(le=9)] = 1
    tags: list[str] = []
    stock: dict[str, Any] = {}

    @field_validator("tags")
    @classmethod
    def known(cls, tags: list[str]) -> list[str]:
        """Refuse tags in words that quote all of them."""
        if tags:
            raise ValueError(f"no such tags: {tags}, {' '.join(tags)}")
        return tags

    @model_validator(mode="after")
    def refused(self) -> Model:
        """Refuse everything, and quote it."""
        raise ValueError(quote(self.name, self.stock))


class Struct(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    stock: dict[str, Any] = {}
    tags: list[str] = []

    def __post_init__(self) -> None:
        raise ValueError(quote(self.name, self.stock))


def refuse(value: Any) -> Any:
    """Refuse as a validator of one's own does, with the data in the words."""
    raise ValueError(quote(str(value.get("name")), value))


def crash(value: Any) -> Any:
    """Fail with the value in the words of the exception."""
    raise RuntimeError(quote("crash", value))


def tools() -> list[AnyTool]:
    """Tools that refuse by schema, by an author's code, and by a crash."""
    given: dict[str, Any] = {
        "schema": SCHEMA,
        "pydantic": Model,
        "msgspec": Struct,
        "own": schema_of(
            validate=refuse,
            vendor="own",
            json_schema={"type": "object", "properties": {"name": {"type": "string"}}},
        ),
    }
    return [
        tool(crash, name=name, description="A tool.", input=input_)
        for name, input_ in given.items()
    ]


def planted(random: Random, secret: str, *, on_wire: bool) -> dict[str, Any]:
    """Draw wrong arguments with the secret somewhere.

    Objects are closed on the wire: there the name of an undeclared key is shown.
    """
    padded = random.choice((secret, f"  {secret} ", f"{secret}\n", secret.upper(), f"x-{secret}"))
    draws: list[Callable[[], tuple[str, Any]]] = [
        lambda: ("name", padded),
        lambda: ("size", padded),
        lambda: ("kind", padded),
        lambda: ("tags", [padded] * random.choice((1, 2, 300))),
        lambda: ("tags", [f"{secret}{n}" for n in range(300)]),
        lambda: ("stock", {padded: "many"}),
        lambda: ("stock", {padded: {secret: [secret]}}),
        lambda: ("codes", {padded: {secret: 1}}),
        lambda: ("codes", {"ab": {secret: secret}}),
        lambda: ("to", {"mail": [padded], "desk" if on_wire else secret: 1}),
        lambda: ("to", {secret: padded}),
        lambda: ("to", [[padded], {secret: secret}]),
    ]
    made = dict(draw() for draw in random.sample(draws, random.randint(1, 3)))
    return {"name": padded, **made} if random.random() < 0.6 else made


@pytest.fixture(scope="module")
def called() -> Callable[[AnyTool, dict[str, Any], bool], tuple[Err, str]]:
    """Calls a tool directly or through a strict wire; gives the outcome and the wire's result."""
    wires = {one.name: Toolset([one]).export("openai", strict="prefer") for one in tools()}

    def call(one: AnyTool, arguments: dict[str, Any], on_wire: bool) -> tuple[Err, str]:
        outcome = one.call_sync(arguments)
        if on_wire:
            call = ToolCall("c", one.name, json.dumps(arguments))
            outcome = wires[one.name].call_sync(call)
        assert isinstance(outcome, Err)
        outcome.call_id = "c"
        return outcome, str(wires[one.name].result(outcome)).casefold()

    return call


def shown(outcome: Err) -> str:
    """Return every text of an outcome that a person may read without its path."""
    try:
        outcome.unwrap()
    except Exception as error:  # noqa: BLE001 - each kind has its own
        raised = f"{error} {error!r}"
    messages = [issue.message for issue in outcome.issues]
    strings = [f"{issue} {issue!r}" for issue in outcome.issues]
    return "\n".join([outcome.text, repr(outcome), raised, *messages, *strings]).casefold()


@pytest.mark.unmeasured
@pytest.mark.requirement("texts-secrets")
def test_no_planted_secret_is_in_what_anybody_reads(
    called: Callable[..., tuple[Err, str]], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    random = Random(7)
    everyone = tools()
    for number in range(CALLS if share(CALLS) == CALLS else FEW):
        secret = f"zq{random.randrange(10**8):08}wk"
        on_wire = number % 3 == 0
        arguments = planted(random, secret, on_wire=on_wire)
        outcome, result = called(random.choice(everyone), arguments, on_wire)
        assert secret not in shown(outcome), (arguments, shown(outcome))
        assert secret not in result
        assert len(outcome.text) <= 700
        logged = [record.getMessage().casefold() for record in caplog.records]
        assert not any(secret in message for message in logged)
        caplog.clear()


@pytest.mark.requirement("texts-secrets")
def test_the_key_of_an_open_map_is_in_the_path_alone() -> None:
    one = tool(crash, name="f", description="A tool.", input=SCHEMA)
    outcome = one.call_sync(
        {"name": "a", "stock": {"nuts": 1, "hush": "x"}, "codes": {"HUSH9": {}}}
    )
    assert isinstance(outcome, Err)
    assert [issue.path for issue in outcome.issues] == [("stock", "hush"), ("codes", "HUSH9")]
    assert [issue.as_json()["path"] for issue in outcome.issues] == [
        ["stock", "hush"],
        ["codes", "HUSH9"],
    ]
    assert "hush" not in shown(outcome)
    assert outcome.text.endswith(
        "Errors: stock, 2nd entry: expected integer, received string; "
        "codes, 1st entry: keys must match ^[a-z]{1,4}$"
    )


@pytest.mark.requirement("texts-secrets")
def test_an_undeclared_key_of_a_closed_object_is_shown_by_its_name() -> None:
    one = tool(crash, name="f", description="A tool.", input=SCHEMA)
    outcome = one.call_sync({"name": "a", "nmae\n": 1})
    assert outcome.text.endswith("Errors: nmae\\n: unknown (did you mean name?)") or (
        outcome.text.endswith("Errors: nmae\\n: unknown")
    )
