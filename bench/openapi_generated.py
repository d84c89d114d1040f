"""Generated OpenAPI documents whose operations share components, and what importing them takes.

    PYTHONPATH=src:.:bench python bench/openapi_generated.py [OPERATIONS ...] [--use]

A document is a service of many resources. Components are of several sizes; resources refer to those
near them, so that an operation reaches a few components or hundreds. Some components contain
themselves, some hold patterns or unions, and some are malformed, so that a few operations are
rejected. The figures are CPU time and growth of memory, in one process: of the import, and with
`--use` of one call of each tool as well. `from_json` imports the same schemas as definitions that
each have their own copy of the components.
"""

from __future__ import annotations

import argparse
import gc
import json
import random
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any, Final

from toolhaft import from_json, from_openapi
from toolhaft.imports.imported import Imported

__all__ = ["Client", "declarations", "document", "import_json", "import_openapi", "use"]

# Components to an operation.
SHARE: Final = 0.44
# How many components are in one group, whose members refer to each other.
GROUPS: Final = (60, 520, 20, 110, 150, 20)
# One component of so many is malformed.
MALFORMED: Final = 110
LISTS: Final = 0.4
UNIONS: Final = 13
WORDS: Final = ("alpha", "bravo", "carbon", "delta", "ember", "fjord", "garnet", "harbor")
METHODS: Final = ("get", "post", "put", "patch", "delete")
SCALARS: Final[tuple[dict[str, Any], ...]] = (
    {"type": "string", "description": "A name that people know."},
    {"type": "string", "format": "date-time"},
    {"type": "string", "pattern": "^[a-z]{2}_[0-9]+$"},
    {"type": "string", "pattern": "^[0-9a-f]{24}$", "maxLength": 24},
    {"type": "string", "enum": ["open", "closed", "pending"]},
    {"type": "integer", "minimum": 0, "maximum": 1_000_000},
    {"type": "number"},
    {"type": "boolean", "default": False},
    {"type": "array", "items": {"type": "string"}, "maxItems": 50},
    {"type": "object", "additionalProperties": {"type": "string"}},
)


class Client:
    """A client that answers every request with an empty object."""

    base_url = "https://service.test"

    def request(self, method: str, url: str, **options: Any) -> Any:
        """Answer."""
        del method, url, options
        return self

    status_code = 200
    headers: Final = {"content-type": "application/json"}
    content = b"{}"


def document(operations: int, seed: int = 1) -> dict[str, Any]:
    """Make a document of so many operations."""
    draw = random.Random(seed)  # noqa: S311 - nothing secret
    count = max(20, int(operations * SHARE))
    groups = _groups(count)
    by_component = [group for group in groups for _ in group]
    schemas = {_name(at): _component(draw, at, group) for group in groups for at in group}
    paths: dict[str, Any] = {}
    for number in range(operations):
        method = METHODS[number % len(METHODS)]
        path = paths.setdefault(f"/resources/{number // len(METHODS)}/{{id}}", {})
        path[method] = _operation(draw, number, method, draw.choice(by_component))
    return {
        "openapi": "3.1.0",
        "info": {"title": "generated", "version": "1"},
        "paths": paths,
        "components": {"schemas": schemas},
    }


def _name(at: int) -> str:
    return f"{WORDS[at % len(WORDS)].title()}{at}"


def _ref(at: int) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{_name(at)}"}


def _groups(count: int) -> list[range]:
    """Divide so many components into groups."""
    groups: list[range] = []
    start = 0
    while start < count:
        size = GROUPS[len(groups) % len(GROUPS)]
        groups.append(range(start, min(count, start + size)))
        start += size
    return groups


def _component(draw: random.Random, at: int, group: range) -> dict[str, Any]:
    """Make one component: an enum, a malformed object, or one with few properties or many."""
    if at % 11 == 0:
        return {"type": "string", "enum": [f"{word}_{at}" for word in WORDS]}
    if at % MALFORMED == MALFORMED - 1:
        return {"type": "object", "required": "id", "properties": {"id": {"type": "strin"}}}
    properties = {
        f"{draw.choice(WORDS)}_{number}": dict(draw.choice(SCALARS))
        for number in range(draw.choice((1, 2, 2, 3, 4, 12)))
    }
    sound = [each for each in group if each % MALFORMED != MALFORMED - 1]
    for each in draw.choices(sound, k=draw.choice((0, 1, 2, 3))):
        node = {"type": "array", "items": _ref(each)} if draw.random() < LISTS else _ref(each)
        properties[f"to_{each}"] = node
    if at % UNIONS == 1:  # two branches that a constant distinguishes
        properties["either"] = {"oneOf": [
            {"type": "object", "properties": {"kind": {"const": kind}, "of": {"type": "string"}},
             "required": ["kind"]} for kind in ("one", "other")
        ] + [{"type": "null"}]}  # fmt: skip
        properties["maybe"] = {"anyOf": [_ref(draw.choice(sound)), {"type": "null"}]}
    names = list(properties)
    return {
        "type": "object",
        "description": f"A resource of the service, number {at}.",
        "properties": properties,
        "required": sorted(draw.sample(names, min(2, len(names)))),
    }


def _operation(draw: random.Random, number: int, method: str, group: range) -> dict[str, Any]:
    roots = draw.choices(group, k=3)
    operation: dict[str, Any] = {
        "operationId": f"{method}_{number}",
        "summary": f"Do {number}.",
        "parameters": [
            {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}},
            {"name": "limit", "in": "query", "schema": {"type": "integer", "minimum": 1}},
        ],
        "responses": {
            "200": {
                "description": "",
                "content": {
                    "application/json": {
                        "schema": {
                            "type": "object",
                            "properties": {"found": {"type": "array", "items": _ref(roots[0])}},
                        }
                    }
                },
            }
        },
    }
    if method in ("post", "put", "patch"):
        schema = {
            "type": "object",
            "properties": {
                "main": _ref(roots[1]),
                "rest": {"type": "array", "items": _ref(roots[2])},
            },
        }
        operation["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": schema}},
        }
    return operation


def declarations(tools: int, seed: int = 1) -> list[dict[str, Any]]:
    """Make definitions of MCP over the same components, of which each has what it reaches."""
    whole = document(tools, seed)
    schemas = whole["components"]["schemas"]
    listed = []
    for path in whole["paths"].values():
        for operation in path.values():
            body = operation.get("requestBody", {"content": {"application/json": {"schema": {}}}})
            properties = {"id": {"type": "string"}, "body": _media_schema(body)}
            answer = _media_schema(operation["responses"]["200"])
            listed.append({
                "name": operation["operationId"],
                "description": operation["summary"],
                "inputSchema": _with_definitions(
                    {"type": "object", "properties": properties}, schemas
                ),
                "outputSchema": _with_definitions(answer, schemas),
            })  # fmt: skip
    malformed = {name for name, node in schemas.items() if node.get("required") == "id"}
    return [each for each in listed if malformed.isdisjoint(each["inputSchema"].get("$defs", ()))
            and malformed.isdisjoint(each["outputSchema"].get("$defs", ()))]  # fmt: skip


def _media_schema(holder: Any) -> Any:
    return holder["content"]["application/json"]["schema"]


def _with_definitions(schema: dict[str, Any], schemas: dict[str, Any]) -> dict[str, Any]:
    """Copy a schema, with the components that it reaches as its definitions."""
    prefix = "#/components/schemas/"
    found = list(dict.fromkeys(_refs(schema, prefix)))
    for name in found:  # which grows meanwhile
        found += [each for each in dict.fromkeys(_refs(schemas[name], prefix)) if each not in found]
    whole = {**schema, **({"$defs": {name: schemas[name] for name in found}} if found else {})}
    copied: dict[str, Any] = json.loads(json.dumps(whole).replace(prefix, "#/$defs/"))
    return copied


def _refs(value: Any, prefix: str) -> list[str]:
    if isinstance(value, dict):
        own = [value["$ref"].removeprefix(prefix)] if "$ref" in value else []
        return own + [ref for each in value.values() for ref in _refs(each, prefix)]
    return [ref for each in value for ref in _refs(each, prefix)] if isinstance(value, list) else []


def import_openapi(whole: dict[str, Any], count: int | None = None) -> Imported:
    """Import a document, or as many of its operations, evenly chosen."""
    if count is None:
        return from_openapi(whole, client=Client())
    names = [node["operationId"] for path in whole["paths"].values() for node in path.values()]
    chosen = names[:: max(1, len(names) // count)][:count]
    return from_openapi(whole, client=Client(), select={"operations": chosen})


def import_json(listed: list[dict[str, Any]]) -> Imported:
    """Import definitions."""
    return from_json(listed, call=_answer)


def _answer(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    del name, arguments
    return {}


def use(tools: Imported) -> None:
    """Call each tool once with valid arguments."""
    for tool in tools:
        has_body = "body" in tool.input_schema.json_schema()["properties"]
        if not tool.call_sync({"id": "1", **({"body": {"rest": []}} if has_body else {})}):
            sys.exit(f"{tool.name}: the call failed")


def _resident() -> int:
    """Return the memory of the process, in MiB."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return pages * 4 >> 10


def _show(row: str, work: Callable[[], Imported], *, used: bool) -> None:
    """Measure one import, and one call of each of its tools."""
    before, start = _resident(), process_time()
    tools = work()
    spent = process_time() - start
    line = (
        f"{row:28} {len(tools):5} tools {spent:7.2f} s {1_000 * spent / len(tools):6.2f} ms a tool"
    )
    print(f"{line} {_resident() - before:5} MiB", end="", flush=True)
    if used:
        start = process_time()
        use(tools)
        print(f", used: {process_time() - start:7.2f} s {_resident() - before:5} MiB", end="")
    print(flush=True)


def main() -> None:
    """Print every figure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("operations", type=int, nargs="*", default=[200, 1_000, 2_000])
    parser.add_argument("--use", action="store_true", help="call each tool once as well")
    options = parser.parse_args()
    import_openapi(document(40))
    for size in options.operations:
        whole, listed = document(size), declarations(size)
        _show(f"select= of 50 of {size}", partial(import_openapi, whole, 50), used=False)
        _show(f"from_openapi, {size}", partial(import_openapi, whole), used=options.use)
        _show(f"from_json, {size}", partial(import_json, listed), used=False)


if __name__ == "__main__":
    main()
