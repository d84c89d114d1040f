"""Make tools, use them and drop them, without the collector: `python -m tests.call.freed [TOOLS]`.

What stays is printed for each kind of tool: objects of toolhaft's own types for each tool. Classes
of validator libraries hold themselves, so that the declared types are made once.
"""

from __future__ import annotations

import gc
import sys
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Literal

import attrs
import httpx
import marshmallow
import msgspec
import voluptuous
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from toolhaft import Err, Ok, Toolset, from_json, from_openapi, tool
from toolhaft.tools.tool import AnyTool

__all__ = ["KINDS", "left_over", "use", "watching"]

MADE = count()


class Leaf(BaseModel):
    kind: Literal["leaf"]
    size: int = Field(default_factory=MADE.__next__)


class Branch(BaseModel):
    kind: Literal["branch"]
    nodes: list[Leaf | Branch] = []


class Model(BaseModel):
    n: int
    tree: Leaf | Branch | None = None


class Struct(msgspec.Struct):
    n: int
    inner: Struct | None = None
    made: list[int] = msgspec.field(default_factory=list)


@attrs.define
class Class:
    n: int
    made: list[int] = attrs.field(factory=list)


@dataclass
class Data:
    n: int
    made: list[int] = field(default_factory=list)


class Keys(TypedDict):
    n: int


class Fields(marshmallow.Schema):
    n = marshmallow.fields.Integer(required=True, strict=True)


NODE = {
    "type": "object",
    "properties": {"next": {"$ref": "#/$defs/node"}, "m": {"type": "integer"}},
}
SCHEMA = {
    "type": "object",
    "properties": {"n": {"type": "integer"}, "tree": {"$ref": "#/$defs/node"}},
    "required": ["n"],
    "$defs": {"node": NODE},
}
OPERATION = {
    "operationId": "count",
    "summary": "Count.",
    "parameters": [
        {"name": "n", "in": "query", "required": True, "schema": {"type": "integer"}},
    ],
    "requestBody": {
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/node"}}}
    },
    "responses": {"200": {"description": "It is counted."}},
}
NODE_OF_DOCUMENT = {
    "type": "object",
    "properties": {"next": {"$ref": "#/components/schemas/node"}, "m": {"type": "integer"}},
}
DOCUMENT = {
    "openapi": "3.1.0",
    "info": {"title": "Counting", "version": "1"},
    "servers": [{"url": "https://example.com"}],
    "paths": {"/count": {"post": OPERATION}},
    "components": {"schemas": {"node": NODE_OF_DOCUMENT}},
}


CLIENT = httpx.Client(transport=httpx.MockTransport(lambda _: httpx.Response(200, json=1)))


def give(held: Any) -> int:
    """Give a number, whatever came."""
    del held
    return 1


def of_type(tp: Any, **options: Any) -> Callable[[], AnyTool]:
    return lambda: tool(give, input=tp, name="count", **options)


def of_signature() -> AnyTool:
    def count_things(n: int, things: list[Model] | None = None) -> dict[str, int]:
        "Count the things."
        del things
        return {"n": n}

    return tool(count_things, name="count")


def of_document() -> AnyTool:
    return from_openapi(DOCUMENT, client=CLIENT)["count"]


def of_declaration() -> AnyTool:
    declared = {"name": "count", "description": "Count.", "inputSchema": SCHEMA}
    return from_json([declared], call=lambda name, arguments: 1)["count"]


KINDS: dict[str, Callable[[], AnyTool]] = {
    "pydantic": of_type(Model),
    "msgspec": of_type(Struct),
    "attrs": of_type(Class),
    "dataclass": of_type(Data),
    "TypedDict": of_type(Keys),
    "marshmallow": of_type(Fields),
    "voluptuous": of_type(voluptuous.Schema({voluptuous.Required("n"): int})),
    "JSON Schema": of_type(SCHEMA),
    "signature": of_signature,
    "asking": of_type(Model, requires_approval=True),
    "declaration": of_declaration,
    "document": of_document,
}


def use(made: AnyTool) -> None:
    """Call a tool in several ways, have it refuse, and export it."""
    tools = Toolset([made])
    for arguments in ({"n": 1}, '{"n": 1}', {"n": 1.0}, {"n": "1"}):
        outcome = tools.call_sync("count", arguments)
        if isinstance(outcome, Err) and outcome.prepared is not None:
            outcome = outcome.prepared.call_sync()
        assert isinstance(outcome, Ok), outcome
    wrong: Any
    for wrong in ({"n": "no"}, {"tree": {"kind": "branch", "nodes": [1]}}, '{"n": '):
        assert isinstance(tools.call_sync("count", wrong), Err)
    for target in ("openai", "anthropic", "gemini", "mcp"):
        tools.export(target)


@contextmanager
def watching() -> Generator[None]:
    """Collect what is there already, and then nothing."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def left_over(make: Callable[[], AnyTool], tools: int) -> Counter[str]:
    """Count the objects of toolhaft's own types that tools leave behind."""
    for _ in range(2):  # caches fill at the first use
        use(make())
    with watching():
        before = _own_objects()
        for _ in range(tools):
            use(make())
        return _own_objects() - before


def _own_objects() -> Counter[str]:
    kinds = [f"{type(each).__module__}.{type(each).__qualname__}" for each in gc.get_objects()]
    return Counter(kind for kind in kinds if kind.startswith("toolhaft."))


def main() -> int:
    tools = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    left = {name: left_over(make, tools) for name, make in KINDS.items()}
    for name, counts in left.items():
        print(f"{name:12} {counts.total() / tools:8.2f}", *counts.most_common(4))  # noqa: T201
    return int(any(left.values()))


if __name__ == "__main__":
    sys.exit(main())
