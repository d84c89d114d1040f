"""Side by side: from_openapi and FastMCP's provider on the same real documents.

    make openapi      (in .venv-bench; the documents are in .openapi)

For each document: how many of its operations are tools, how many can say every parameter that is
declared, and the seconds until the tools are listed. Then the same calls through both: right ones,
which have to arrive as they were meant (read by tests/laws_of_openapi/reading.py), and wrong ones
(a required argument missing, one that there is not, one of another type, a path that would leave
its place), of which none should be sent. A right call that is refused is not wrong, but is counted.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, NamedTuple
from urllib.parse import unquote

import httpx2
from openapi_documents import documents

from tests.laws_of_openapi.reading import read_request
from tests.laws_of_openapi.server import Arrived
from toolhaft import DefinitionError, from_openapi
from toolhaft.schema.generate import NoValue, Values

METHODS = ("get", "put", "post", "delete", "patch", "options", "head", "trace")
SCALARS = ("string", "integer", "number", "boolean")
BASE = "http://server.test"
IGNORED = ("accept", "content-type", "authorization")


class Call(NamedTuple):
    """The meaning of a call: a value for each place and name, and the body."""

    operation: dict[str, Any]
    values: dict[tuple[str, str], Any]
    body: Any


class Side:
    """One way from a document to requests."""

    def __init__(self) -> None:
        self.arrived: list[Arrived] = []

    def record(self, request: Any) -> Any:
        target = request.url.raw_path.decode("ascii", "replace")
        headers = [(key.decode(), value.decode("latin-1")) for key, value in request.headers.raw]
        self.arrived.append(Arrived(request.method, target, headers, request.content))
        return httpx2.Response(200, json={})


class Ours(Side):
    """from_openapi."""

    name = "toolhaft"

    def __init__(self, document: dict[str, Any]) -> None:
        super().__init__()
        client = httpx2.Client(base_url=BASE, transport=httpx2.MockTransport(self.record))
        self.tools = from_openapi(document, client=client)
        self.plans: dict[str, Any] = {tool.name: tool.input_schema for tool in self.tools}
        self.by_place = {
            (adapter.plan.method.lower(), adapter.plan.path.path): self.tools[name]
            for name, adapter in self.plans.items()
        }

    def arguments(self, operation: dict[str, Any]) -> dict[tuple[str, str], str] | None:
        tool = self.by_place.get((operation["method"], operation["path"]))
        if tool is None:
            return None
        plan = self.plans[tool.name].plan
        named = {(p.place, p.name): p.argument for p in plan.parameters}
        return {**named, ("body", ""): "body"} if plan.body else named

    def call(self, operation: dict[str, Any], arguments: dict[str, Any]) -> None:
        self.by_place[operation["method"], operation["path"]].call_sync(arguments)


class FastMcp(Side):
    """FastMCP's provider."""

    name = "FastMCP"

    def __init__(self, document: dict[str, Any]) -> None:
        from fastmcp import FastMCP  # pyright: ignore[reportMissingImports] - in .venv-bench

        super().__init__()
        client = httpx2.AsyncClient(base_url=BASE, transport=httpx2.MockTransport(self.record))
        self.loop = asyncio.new_event_loop()
        self.server = FastMCP.from_openapi(document, client=client)
        listed: Any = self.loop.run_until_complete(self.server.list_tools())
        self.tools = {
            (route.method.lower(), route.path): (tool.name, route)
            for tool in listed
            if (route := tool._route)
        }

    def arguments(self, operation: dict[str, Any]) -> dict[tuple[str, str], str] | None:
        known = self.tools.get((operation["method"], operation["path"]))
        if known is None:
            return None
        return {
            (said["location"], said["openapi_name"]): argument
            for argument, said in known[1].parameter_map.items()
        }

    def call(self, operation: dict[str, Any], arguments: dict[str, Any]) -> None:
        name, _ = self.tools[operation["method"], operation["path"]]

        async def run() -> None:
            with suppress(Exception):  # an error; the request is recorded
                await self.server.call_tool(name, arguments)

        self.loop.run_until_complete(run())


# --------------------------------------------------------------------------------------- operations


def operations_of(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield each operation with its parameters, references followed."""
    for path, item in document["paths"].items():
        for method in METHODS:
            if method in item:
                node = item[method]
                listed = [*item.get("parameters", []), *node.get("parameters", [])]
                parameters = {
                    (p["in"], p["name"]): p for p in (_follow(document, each) for each in listed)
                }
                body = _follow(document, node.get("requestBody", {}))
                yield {"method": method, "path": path, "requestBody": body,
                       "parameters": list(parameters.values())}  # fmt: skip


def _follow(document: dict[str, Any], node: Any) -> Any:
    while isinstance(node, dict) and "$ref" in node:
        target: Any = document
        for step in node["$ref"].removeprefix("#/").split("/"):
            key = unquote(step).replace("~1", "/").replace("~0", "~")
            target = target[int(key) if isinstance(target, list) else key]
        node = target
    return node


def is_sayable(operation: dict[str, Any], arguments: Mapping[tuple[str, str], str] | None) -> bool:
    """Whether a tool has an argument of its own for every parameter, and one for the body."""
    if arguments is None:
        return False
    declared = [(p["in"], p["name"]) for p in operation["parameters"]]
    needed = [each for each in declared if each[0] != "header" or each[1].lower() not in IGNORED]
    has_body = bool(operation["requestBody"].get("content"))
    said = [place for place, _ in arguments]
    return all(each in arguments for each in needed) and (not has_body or "body" in said)


# -------------------------------------------------------------------------------------------- calls


def readable(document: dict[str, Any], operation: dict[str, Any]) -> dict[str, Any] | None:
    """Return an operation in the terms of the independent reader; None if it is beyond those."""
    parameters = []
    for parameter in operation["parameters"]:
        if parameter["in"] == "header" and parameter["name"].lower() in IGNORED:
            continue
        schema = _follow(document, parameter.get("schema"))
        kind = schema.get("type") if isinstance(schema, dict) else None
        items = _follow(document, schema.get("items", {})) if kind == "array" else {}
        if kind not in SCALARS and not (kind == "array" and items.get("type") in SCALARS):
            if parameter.get("required"):
                return None
            continue
        place = parameter["in"]
        style = parameter.get("style", {"query": "form", "cookie": "form"}.get(place, "simple"))
        explode = parameter.get("explode", style == "form")
        plain = {"type": kind, **({"items": items} if items else {})}
        parameters.append({**parameter, "style": style, "explode": explode, "schema": plain,
                           "whole": schema})  # fmt: skip
    content = operation["requestBody"].get("content") or {}
    if content and "application/json" not in content:
        if operation["requestBody"].get("required"):
            return None
        content = {}  # it is left out
    body = {"content": {"application/json": content["application/json"]}} if content else {}
    return {**operation, "parameters": parameters, "requestBody": body}


def draw(
    document: dict[str, Any], operation: dict[str, Any], ours: Ours, rng: random.Random
) -> Call:
    """Draw values of the parameters, and a body by the schema of our tool."""
    values = {}
    for parameter in operation["parameters"]:
        if parameter.get("required") or rng.randint(0, 1):
            schema = {**parameter["whole"]}
            if "items" in schema:
                schema["items"] = _follow(document, schema["items"])
                schema = {"minItems": 1, **schema}
            value = Values(schema, rng).valid()
            values[parameter["in"], parameter["name"]] = value
    body = None
    if operation["requestBody"]:
        schema = ours.by_place[operation["method"], operation["path"]].input_schema.json_schema()
        whole = {"$defs": schema.get("$defs", {}), **schema["properties"]["body"]}
        body = Values(whole, rng).valid()
    return Call(operation, values, body)


def arguments_for(call: Call, names: Mapping[tuple[str, str], str]) -> dict[str, Any] | None:
    """Name the arguments of a call as a side does, or return None if it has no name for one."""
    arguments: dict[str, Any] = {}
    for place, value in call.values.items():
        if place not in names:
            return None
        arguments[names[place]] = value
    if not call.operation["requestBody"]:
        return arguments
    if ("body", "") in names:
        return {**arguments, "body": call.body}
    fields = {key: name for (place, key), name in names.items() if place == "body"}
    if not isinstance(call.body, dict) or not call.body.keys() <= fields.keys():
        whole = [name for (place, _), name in names.items() if place == "body"]
        return {**arguments, whole[0]: call.body} if len(whole) == 1 else None
    return {**arguments, **{fields[key]: value for key, value in call.body.items()}}


def judge(side: Side, call: Call, names: Mapping[tuple[str, str], str]) -> str:
    """Make a valid call: it arrives right or wrong, is rejected, or cannot be expressed."""
    arguments = arguments_for(call, names)
    if arguments is None:
        return "unsayable"
    side.arrived.clear()
    side.call(call.operation, arguments)  # type: ignore[attr-defined]
    if not side.arrived:
        return "refused"
    try:
        values, body = read_request(side.arrived[0], call.operation)
    except (AssertionError, ValueError, KeyError, TypeError):
        return "wrong"
    return "right" if (values, body) == (call.values, call.body) else "wrong"


def wrong_calls(call: Call) -> Iterator[tuple[str, Call, dict[str, Any]]]:
    """Yield a valid call with each kind of fault, with further arguments beside it."""
    yield "unknown argument", call, {"no_such_argument": 1}
    for parameter in call.operation["parameters"]:
        place = (parameter["in"], parameter["name"])
        rest = {key: value for key, value in call.values.items() if key != place}
        if parameter.get("required"):
            yield "missing argument", call._replace(values=rest), {}
        spoiled: Any = {"an": ["object"]}
        yield "another type", call._replace(values={**rest, place: spoiled}), {}
        if place[0] == "path" and parameter["schema"]["type"] == "string":
            # GitHub's document marks some that are several segments.
            inner = () if parameter.get("x-multi-segment") else ("a/b",)
            for escape in ("", "..", "%2e%2e", "../../admin", *inner):
                yield "path left", call._replace(values={**rest, place: escape}), {}
        if place[0] == "header" and parameter["schema"]["type"] == "string":
            yield "header left", call._replace(values={**rest, place: "a\r\nX-Evil: 1"}), {}


def compare(name: str, document: dict[str, Any], calls: int) -> list[str]:
    """Return the lines of one document."""
    everything = list(operations_of(document))
    lines, sides = [], []
    for kind in (Ours, FastMcp):
        started = time.perf_counter()
        try:
            side: Any = kind(document)
        except (DefinitionError, ValueError, TypeError, KeyError) as error:
            lines.append(f"| {name} | {kind.name} | fails: {type(error).__name__} |")
            continue
        seconds = time.perf_counter() - started
        sayable = sum(is_sayable(each, side.arguments(each)) for each in everything)
        sides.append((side, seconds, len(list(side.tools)), sayable))
    drawn = list(_draw_calls(document, everything, sides[0][0], calls))
    for side, seconds, tools, sayable in sides:
        right: Counter[str] = Counter()
        wrong: Counter[str] = Counter()
        tried = 0
        for call in drawn:
            names = side.arguments(call.operation)
            if names is None:
                right["unsayable"] += 1
                continue
            right[judge(side, call, names)] += 1
            for fault, spoiled, further in wrong_calls(call):
                arguments = arguments_for(spoiled, names)
                if arguments is None:
                    continue
                tried += 1
                side.arrived.clear()
                side.call(call.operation, {**arguments, **further})
                wrong[fault] += len(side.arrived)
        sent = ", ".join(f"{fault} {count}" for fault, count in wrong.items() if count) or "none"
        lines.append(
            f"| {name} | {side.name} | {len(everything)} | {tools} | {sayable} | {seconds:.1f} "
            f"| {right['right']} | {right['wrong']} | {right['refused']} | {right['unsayable']} "
            f"| {wrong.total()} of {tried} ({sent}) |"
        )
    return lines


def _draw_calls(
    document: dict[str, Any], everything: list[dict[str, Any]], ours: Ours, count: int
) -> Iterator[Call]:
    rng = random.Random(1)  # noqa: S311 - the same calls in every run
    left = count
    for operation in rng.sample(everything, len(everything)):
        plain = readable(document, operation)
        if plain is None or (operation["method"], operation["path"]) not in ours.by_place:
            continue
        try:
            call = draw(document, plain, ours, rng)
        except (NoValue, ValueError, KeyError, RecursionError):
            continue
        yield call
        left -= 1
        if not left:
            return


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("documents", nargs="*")
    parser.add_argument("--calls", type=int, default=40)
    options = parser.parse_args()
    logging.disable()
    sys.setrecursionlimit(5_000)
    print("| document | library | operations | tools | sayable | import, s | arrive right | wrong "
          "| refused | unsayable | wrong calls sent |")  # fmt: skip
    print("|---" * 11 + "|")
    for name, document in documents(*options.documents):
        for line in compare(name, document, options.calls):
            print(line, flush=True)


if __name__ == "__main__":
    main()
