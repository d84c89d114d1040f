"""No value of a model, and no word of an exception, is in a text, a repr, a log or a trace.

The only place for a traceback is the log, under the id that the outcome has.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import attrs
import marshmallow
import msgspec
import pytest
import voluptuous
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from marshmallow import validate
from pydantic import BaseModel, Field, field_validator

from tests.share import share
from toolhaft import Err, LoopGuard, ToolCall, Toolset, schema_of, tool
from toolhaft.observers.audit import AuditLog
from toolhaft.observers.logging import Logging
from toolhaft.observers.opentelemetry import OpenTelemetry
from toolhaft.tools.tool import AnyTool

SECRET = "sk-SECRET-LEAKME-42"
FIELDS: dict[str, Any] = {
    "n": {"type": "integer", "maximum": 9},
    "kind": {"enum": ["a", "b"]},
    "tags": {"type": "array", "items": {"type": "string", "maxLength": 3}},
}
SCHEMA = {"type": "object", "properties": FIELDS, "required": ["n"], "additionalProperties": False}


class Model(BaseModel, extra="forbid"):
    n: Annotated[int, Field(le=9)]
    kind: str = Field("a", pattern="^[ab]$")
    tags: list[Annotated[str, Field(max_length=3)]] = []

    @field_validator("kind")
    @classmethod
    def known(cls, value: str) -> str:
        """Refuse in words that quote the value."""
        if value == "b":
            raise ValueError(f"{value} is not known")
        return value


class Struct(msgspec.Struct, forbid_unknown_fields=True):
    n: Annotated[int, msgspec.Meta(le=9)]
    kind: Annotated[str, msgspec.Meta(pattern="^[ab]$")] = "a"
    tags: list[Annotated[str, msgspec.Meta(max_length=3)]] = []


@attrs.define
class Class:
    n: int
    kind: str = attrs.field(default="a", validator=attrs.validators.in_(["a", "b"]))
    tags: list[str] = attrs.field(factory=list)


@dataclass
class Data:
    n: int
    kind: str = "a"


class Marsh(marshmallow.Schema):
    n = marshmallow.fields.Integer(required=True, strict=True)
    kind = marshmallow.fields.String(validate=validate.OneOf(["a", "b"]))


def refuse(value: Any) -> Any:
    """Refuse in words that quote everything."""
    raise ValueError(f"cannot take {value}")


def crash(value: Any) -> Any:
    """Fail in words that quote everything."""
    raise RuntimeError(f"{SECRET} {value}")


INPUTS: dict[str, Any] = {
    "pydantic": Model,
    "msgspec": Struct,
    "attrs": Class,
    "dataclass": Data,
    "marshmallow": Marsh(),
    "voluptuous": voluptuous.Schema({voluptuous.Required("n"): int, "kind": str}),
    "schema": SCHEMA,
    "own": schema_of(validate=refuse, vendor="own", json_schema=SCHEMA),
}


def tools() -> list[AnyTool]:
    """Every vendor's tools: one handler fails in one way, another returns its input."""
    made = [tool(crash, name=f"{name}-crash", input=given) for name, given in INPUTS.items()]
    made += [
        tool(lambda value: {"n": SECRET, "kind": value}, name=f"{name}-result",
             description="R.", input=given, output=SCHEMA)
        for name, given in INPUTS.items()
    ]  # fmt: skip
    denied: Any = lambda arguments, _: refuse(arguments)  # noqa: E731
    return [*made, tool(crash, name="denied", input=SCHEMA, authorize=denied)]


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The tools with every observer that there is, none of which may show a value."""
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    path: Path = tmp_path_factory.mktemp("audit") / "log"
    audit = AuditLog(path)
    telling: list[Any] = [Logging(), OpenTelemetry(provider.get_tracer("test")), audit]
    yield Toolset(tools(), observers=telling), exporter, path
    audit.close()


SENT: dict[str, Any] = {
    "n": st.sampled_from([1, 10, 1.5, SECRET, None, [SECRET], {"x": SECRET}, True]),
    "kind": st.sampled_from(["a", "b", SECRET, 5, [SECRET]]),
    "tags": st.sampled_from([[], ["x"], [SECRET], SECRET, f'["{SECRET}"]', {"x": SECRET}]),
    "other": st.sampled_from([SECRET, {"deep": SECRET}]),
}
ARGUMENTS = st.fixed_dictionaries({}, optional=SENT)
RAW = ARGUMENTS | ARGUMENTS.map(json.dumps) | ARGUMENTS.map(repr) | st.just(f'{{"n": "{SECRET}')


def chained(error: BaseException) -> str:
    """All that an exception would show, with those behind it."""
    shown = [error, error.__cause__, error.__context__]
    return " ".join(f"{one!s} {one!r} {vars(one) if one else ''}" for one in shown)


@pytest.mark.requirement("hostile-leaks")
@settings(max_examples=share(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(raw=RAW)
def test_no_vendor_and_no_kind_of_failure_tells_a_value(
    watched: Any, raw: Any, caplog: pytest.LogCaptureFixture
) -> None:
    toolset, exporter, path = watched
    for one in toolset:
        caplog.clear()
        with caplog.at_level(logging.DEBUG):
            outcome = toolset.call_sync(one.name, raw, guard=LoopGuard())
            wire = toolset.export("openai", strict="prefer")
            over = wire.call_sync(ToolCall("c", wire.tools[0]["name"], raw))
        told = [outcome.text, str(outcome.content), repr(outcome), repr(outcome.coercions)]
        told += [over.text, repr(over), *(record.getMessage() for record in caplog.records)]
        told += [str(getattr(record, "tool_call", "")) for record in caplog.records]
        assert isinstance(outcome, Err)
        # The one place for a traceback is the record with the id.
        ids = {outcome.error_id, over.error_id if isinstance(over, Err) else None}
        for record in caplog.records:
            assert record.exc_info is None or any(str(one) in record.getMessage() for one in ids)
        assert not [text for text in told if SECRET in text]
    assert SECRET not in "".join(span.to_json() for span in exporter.get_finished_spans())
    exporter.clear()
    assert SECRET not in path.read_text()


def raised(run: Callable[[Any], Any], data: Any) -> Exception | None:
    try:
        run(data)
    except Exception as error:  # noqa: BLE001  whatever it is, it is looked at
        return error
    return None


def awaited(one: AnyTool) -> Callable[[Any], Any]:
    return lambda data: asyncio.run(one.execute(data))


@pytest.mark.requirement("hostile-leaks")
@settings(max_examples=share(40))
@given(data=ARGUMENTS)
def test_what_execute_raises_has_no_value_behind_it(data: Any) -> None:
    for one in tools():
        for error in (raised(one.execute_sync, data), raised(awaited(one), data)):
            if type(error) is RuntimeError:
                continue  # the handler's own, as it is
            assert error is not None
            assert SECRET not in chained(error)
            assert (error.__cause__, error.__context__) == (None, None)
