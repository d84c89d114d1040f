"""Side by side: typed answers of real types, asked for by toolhaft, instructor and Pydantic AI.

    make peers-answers        (in environments of their own)

The types are pydantic models of 300 real schemas: 150 of recorded tools, whose answers are the
arguments that models wrote, and 150 of MCP servers and of JSONSchemaBench, whose answers are drawn.
OpenAI's client stands before a scripted model that keeps to the schema that it is sent. It refuses
a strict schema outside the documented subset, as the service does. If the schema has no place for
the answer, the answer cannot be said. The model makes one slip in its first answer, and none once
it is told.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import logging
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, create_model

from toolhaft import Toolset
from toolhaft.agent_loop import Finished, run_sync
from toolhaft.lowering import lint
from toolhaft.schema.checker import Checker
from toolhaft.schema.generate import NoValue, Values

DATA = Path(__file__).parents[2] / "shared" / "data"
TYPES = 300
QUESTION = [{"role": "user", "content": "Answer."}]
SCALARS = {"string": str, "integer": int, "number": float, "boolean": bool}


class Unsaid(Exception):
    """The schema that was sent has no place for the answer."""


class Refused(Exception):
    """The schema that was sent is one that the service refuses."""


class Case(NamedTuple):
    """A type, the answer that is meant, and what is written for it by toolhaft's schema."""

    model: type[BaseModel]
    meant: dict[str, Any]


# ---------------------------------------------------------------------------------------- types


def type_of(schema: Any, name: str) -> Any:
    """Return the Python type that an author would write for a schema; raises KeyError if none."""
    if "enum" in schema:
        return Literal[tuple(schema["enum"])]
    if schema.get("type") == "array":
        return list[type_of(schema.get("items", {}), name)]  # type: ignore[misc]
    if schema.get("type") == "object" and schema.get("properties"):
        return model_of(schema, name)
    if schema.get("type") == "object":
        return dict[str, type_of(schema.get("additionalProperties") or {}, name)]  # type: ignore[misc]
    return SCALARS[schema["type"]] if "type" in schema else Any


def model_of(schema: Any, name: str) -> type[BaseModel]:
    """Return a pydantic model: an optional field is None if it is not given."""
    required = set(schema.get("required", ()))
    fields: dict[str, Any] = {}
    for place, (key, node) in enumerate(schema["properties"].items()):
        tp = type_of(node, f"{name}_{place}")
        described = {"alias": key, "description": node.get("description")}
        if key in required:
            fields[f"field_{place}"] = (tp, Field(**described))
        else:
            fields[f"field_{place}"] = (tp | None, Field(None, **described))
    create: Any = create_model
    model: type[BaseModel] = create(name, __config__=ConfigDict(extra="forbid"), **fields)
    return model


def recorded() -> Iterator[tuple[Any, Any]]:
    """Yield the schemas of recorded tools, each with the arguments of a call."""
    schemas = {row["id"]: row["inputSchema"] for row in rows("tools_for_calls.jsonl.gz")}
    for call in rows("calls_valid.jsonl.gz"):
        yield schemas.pop(call["tool_id"], None), json.loads(call["arguments_text"])


def drawn() -> Iterator[tuple[Any, Any]]:
    """Yield the schemas of real MCP tools and of JSONSchemaBench, whose answers are drawn."""
    for row in rows("tools_mcp.jsonl.gz"):
        yield row["inputSchema"], None
    for row in rows("schemas_jsonschemabench.jsonl.gz"):
        yield row["schema"], None


def rows(name: str) -> Iterator[Any]:
    """Yield the rows of a corpus."""
    with gzip.open(DATA / name, "rt") as lines:
        yield from map(json.loads, lines)


def cases() -> Iterator[Case]:
    """Yield the types: as many of recorded calls as of schemas whose answers are drawn."""
    yield from islice(filter(None, map(case_of, recorded())), TYPES // 2)
    yield from islice(filter(None, map(case_of, drawn())), TYPES - TYPES // 2)


def case_of(found: tuple[Any, Any]) -> Case | None:
    """Return the model of a schema with the answer, if both can be had."""
    schema, meant = found
    if not schema or not schema.get("properties"):
        return None
    try:
        model = model_of(schema, "Answer")
        if meant is None:
            seed = Random(json.dumps(schema))  # noqa: S311  a reproducible value
            meant = Values(model.model_json_schema(), seed).valid()
        model.model_validate_json(json.dumps(meant), strict=True)
    except (KeyError, TypeError, ValueError, AttributeError, NoValue):
        return None
    return Case(model, meant) if meant else None


def is_meant(case: Case, value: Any) -> bool:
    """Whether an object says what was meant, no more and no less; instructor's is of a subclass."""
    meant = case.model.model_validate_json(json.dumps(case.meant), strict=True)
    return bool(value.model_dump() == meant.model_dump())


# ---------------------------------------------------------------------------------------- the model

Slip = Callable[[str, dict[str, Any]], str]


def as_it_is(text: str, schema: dict[str, Any]) -> str:
    """Make no slip."""
    del schema
    return text


def fenced(text: str, schema: dict[str, Any]) -> str:
    """Put the answer into a code fence."""
    del schema
    return f"```json\n{text}\n```"


def in_prose(text: str, schema: dict[str, Any]) -> str:
    """Write words before the answer."""
    del schema
    return f"Here is the answer: {text}"


def numbers_as_text(text: str, schema: dict[str, Any]) -> str:
    """Write the numbers as text."""
    del schema
    data = json.loads(text)
    return json.dumps({k: str(v) if type(v) in (int, float) else v for k, v in data.items()})


def one_left_out(text: str, schema: dict[str, Any]) -> str:
    """Leave out a field that the type requires."""
    data = json.loads(text)
    data.pop(next(iter(schema.get("required", ())), None), None)
    return json.dumps(data)


SLIPS: dict[str, Slip] = {
    "none": as_it_is,
    "a fence": fenced,
    "prose": in_prose,
    "numbers as text": numbers_as_text,
    "one left out": one_left_out,
}


class Scripted:
    """The service: a model that says what is meant, by the schema that it is sent."""

    def __init__(self, case: Case, slip: Slip, put: Callable[[Any], Any] | None) -> None:
        self.case, self.slip, self.put = case, slip, put
        self.requests, self.strict = 0, False

    def __call__(self, request: Any) -> dict[str, Any]:
        body = json.loads(request.content)
        self.requests += 1
        tools = body.get("tools") or []
        form = (body.get("response_format") or {}).get("json_schema")
        wanted = form or (tools[0]["function"] if tools else None)
        if wanted is None:
            raise Unsaid
        schema = wanted.get("schema") or wanted.get("parameters") or {}
        strict = bool(wanted.get("strict"))
        if strict and lint(schema, "openai-chat", True):
            raise Refused
        text = json.dumps(self._say(schema))
        if self.requests == 1:
            text = self.slip(text, self.case.model.model_json_schema())
            self.strict = strict
        return _completion(text, None if form else wanted["name"])

    def _say(self, schema: dict[str, Any]) -> Any:
        if self.put is not None:
            return self.put(self.case.meant)
        absent = dict.fromkeys(set(schema.get("required", ())) - self.case.meant.keys())
        said = {**self.case.meant, **absent}
        if not Checker(schema).is_valid(said):
            raise Unsaid
        return said


def _completion(text: str, name: str | None) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if name is not None:
        function = {"name": name, "arguments": text}
        calls = [{"id": "call_1", "type": "function", "function": function}]
        message = {"role": "assistant", "content": None, "tool_calls": calls}
    reason = "stop" if name is None else "tool_calls"
    choice = {"index": 0, "finish_reason": reason, "message": message}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    head = {"id": "1", "object": "chat.completion", "created": 0, "model": "gpt-5"}
    return {**head, "choices": [choice], "usage": usage}


# ---------------------------------------------------------------------------------------- libraries


Ask = Callable[[Case, Slip], tuple[Any, Scripted]]


def ours(case: Case, slip: Slip) -> tuple[Any, Scripted]:
    """Ask by a run."""
    wire = Toolset().export("openai-chat", output=case.model)
    final: Any = wire._final
    service = Scripted(case, slip, final.planned.lowered.lens.put)
    openai: Any = import_module("openai")
    client = openai.OpenAI(
        api_key="x", http_client=_http(openai.DefaultHttpxClient, service), max_retries=0
    )
    messages = list(QUESTION)
    *_, last = run_sync(client, model="gpt-5", messages=messages, tools=wire)
    assert isinstance(last, Finished)
    assert last.output is not None
    return last.output.unwrap(), service


def with_instructor(mode: str) -> Ask:
    """Ask by instructor's client, in one of its modes."""

    def ask(case: Case, slip: Slip) -> tuple[Any, Scripted]:
        service = Scripted(case, slip, None)
        instructor, openai = import_module("instructor"), import_module("openai")
        client = instructor.from_openai(
            openai.OpenAI(
                api_key="x", http_client=_http(openai.DefaultHttpxClient, service), max_retries=0
            ),
            mode=getattr(instructor.Mode, mode),
        )
        create = client.chat.completions.create
        value = create(
            model="gpt-5", messages=list(QUESTION), response_model=case.model, max_retries=4
        )
        return value, service

    return ask


def with_pydantic_ai(*, native: bool) -> Ask:
    """Ask by an agent of Pydantic AI, in the provider's form or by its output tool."""

    def ask(case: Case, slip: Slip) -> tuple[Any, Scripted]:
        service = Scripted(case, slip, None)
        ai, openai = import_module("pydantic_ai"), import_module("openai")
        provider = import_module("pydantic_ai.providers.openai").OpenAIProvider
        chat = import_module("pydantic_ai.models.openai").OpenAIChatModel
        http = _http(openai.DefaultAsyncHttpxClient, service)
        client = openai.AsyncOpenAI(api_key="x", http_client=http, max_retries=0)
        output = ai.NativeOutput(case.model) if native else case.model
        agent = ai.Agent(
            chat("gpt-5", provider=provider(openai_client=client)), output_type=output, retries=4
        )
        return asyncio.run(agent.run("Answer.")).output, service

    return ask


def _http(client: Any, service: Scripted) -> Any:
    """Return the SDK's own HTTP client with the service behind it."""
    plain = client.__mro__[1]
    http = import_module(plain.__module__.partition(".")[0])
    transport = http.MockTransport(lambda request: http.Response(200, json=service(request)))
    return plain(transport=transport)


LIBRARIES: dict[str, tuple[str, Ask]] = {
    "toolhaft": ("openai", ours),
    "Pydantic AI, tool output": ("pydantic_ai", with_pydantic_ai(native=False)),
    "Pydantic AI, native output": ("pydantic_ai", with_pydantic_ai(native=True)),
    "instructor, TOOLS": ("instructor", with_instructor("TOOLS")),
    "instructor, JSON_SCHEMA": ("instructor", with_instructor("JSON_SCHEMA")),
}


def cause_of(error: BaseException) -> BaseException:
    """Return the first exception of a chain."""
    while (before := error.__cause__ or error.__context__) is not None:
        error = before
    return error


def row(found: list[Case], ask: Ask, slip: Slip) -> str:
    """Write the figures of one library and slip."""
    said = strict = right = requests = 0
    for case in found:
        try:
            value, service = ask(case, slip)
        except Exception as error:  # noqa: BLE001  each library raises errors of its own
            said += not isinstance(cause_of(error), Unsaid | Refused)
            continue
        said += 1
        strict += service.strict
        right += is_meant(case, value)
        requests += service.requests
    each = f"{requests / right:.2f}" if right else "-"
    return f"{said} | {strict} | {right} | {each}"


def main() -> None:
    """Print the table of the libraries that are installed."""
    logging.disable(logging.CRITICAL)
    found = list(cases())
    print(f"{len(found)} types\n\n| library | slip | said | strict | right | requests |")
    print("|---|---|---:|---:|---:|---:|")
    for name, (module, ask) in LIBRARIES.items():
        for slip_name, slip in SLIPS.items() if find_spec(module) else ():
            print(f"| {name} | {slip_name} | {row(found, ask, slip)} |", flush=True)


if __name__ == "__main__":
    main()
