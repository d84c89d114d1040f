"""Describe the tools to HTTP clients: one tool as JSON, all of them as an OpenAPI 3.1 document."""

from __future__ import annotations

from typing import Any, Final

from toolhaft.review.openapi import write_document
from toolhaft.serve.idempotency import KEY_PATTERN
from toolhaft.serve.problems import PROBLEM_JSON, STATUS_OF
from toolhaft.tools.tool import AnyTool
from toolhaft.toolset.export import Export
from toolhaft.toolset.toolset import Toolset

__all__ = ["describe", "is_read_only", "write_openapi"]

# The statuses of the guard and of the limits of a body, which come before a tool.
GUARDED: Final = (400, 403, 408, 413, 415, 421)
LENIENT: Final = {
    "name": "Prefer",
    "in": "header",
    "description": "handling=lenient repairs arguments by the tool's own policy.",
    "schema": {"type": "string"},  # an unknown preference is ignored (RFC 7240, 2)
}
KEY: Final = {
    "name": "Idempotency-Key",
    "in": "header",
    "description": "The same key and body give the same answer for 24 hours, and run once.",
    "schema": {"type": "string", "pattern": KEY_PATTERN},
}
PROBLEM: Final = {
    "type": "object",
    "description": "Problem details (RFC 9457); kind and the rest are there if a tool was called.",
    "required": ["title", "status", "detail"],
    "properties": {
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "The text for the model."},
        "kind": {"enum": sorted(STATUS_OF)},
        "effect": {"enum": ["none", "done", "unknown"]},
        "retryable": {"type": "boolean"},
        "error_id": {"type": ["string", "null"]},
        "issues": {"type": "array", "items": {"type": "object"}},
        "prepared": {"type": "object", "description": "The call that waits for a person."},
    },
}


def is_read_only(tool: AnyTool) -> bool:
    """Whether the author says that a call changes nothing."""
    return (tool.annotations or {}).get("readOnlyHint") is True


def describe(tool: AnyTool) -> dict[str, Any]:
    """Describe one tool under its own name, with the fields that MCP has."""
    output = tool.output_schema
    described = {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": tool.input_schema.json_schema(),
        "outputSchema": None if output is None else output.json_schema(mode="output"),
        "annotations": tool.annotations,
    }
    return {field: value for field, value in described.items() if value is not None}


def write_openapi(tools: Toolset, title: str, *, needs_token: bool) -> dict[str, Any]:
    """Write the OpenAPI document of everything that can be called."""
    wire = Export(tools, "openapi-3.1")
    # By their own names: in a path, any name can be quoted.
    own = [
        {**declaration, "name": wire.originals[declaration["name"]]} for declaration in wire.tools
    ]
    document = write_document(own, title)
    by_name = {tool.name: tool for tool in tools}
    for path in document["paths"].values():
        name = path["post"]["operationId"]
        _complete_post(path["post"], by_name[name])
        path["get"] = _get(f"describe_{name}", "The tool itself.")
    document["paths"]["/tools"] = {"get": _get("list_tools", "All tools.")}
    components = document.setdefault("components", {})
    components["responses"] = {
        "problem": {
            "description": "The error, and whether the tool may have acted.",
            "content": {PROBLEM_JSON.decode(): {"schema": PROBLEM}},
        }
    }
    if needs_token:
        components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        document["security"] = [{"token": []}]
    return document


def _complete_post(post: dict[str, Any], tool: AnyTool) -> None:
    """Add what is the server's: headers, every other answer, and whether the body may be empty."""
    post["summary"] = tool.title or tool.name
    post["requestBody"]["required"] = bool(tool.input_schema.json_schema().get("required"))
    post["parameters"] = [LENIENT] if is_read_only(tool) else [LENIENT, KEY]
    post["responses"]["202"] = _answer("The call waits for a person.", PROBLEM)
    if "content" not in post["responses"]["200"]:
        post["responses"]["200"] = _answer("The result of the tool.", {})
    statuses = {*GUARDED, *STATUS_OF.values()} - {202}
    post["responses"] |= _problems(statuses)


def _get(operation: str, description: str) -> dict[str, Any]:
    answer = _answer(description, {"type": "object"})
    responses = {"200": answer, **_problems({400, 403, 404, 421})}
    return {"operationId": operation, "description": description, "responses": responses}


def _problems(statuses: set[int]) -> dict[str, Any]:
    problem = {"$ref": "#/components/responses/problem"}
    return {str(status): problem for status in sorted({401, 503, *statuses})}


def _answer(description: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": description, "content": {"application/json": {"schema": schema}}}
