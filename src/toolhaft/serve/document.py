"""Describe the tools to HTTP clients: one tool as JSON, all of them as an OpenAPI 3.1 document."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from toolhaft.review.openapi import write_document
from toolhaft.serve.idempotency import KEY_PATTERN
from toolhaft.serve.responses import PROBLEM_JSON, STATUS_OF
from toolhaft.spec import Mode, StandardSchema
from toolhaft.tools.internals import may_wait
from toolhaft.tools.tool import AnyTool
from toolhaft.toolset.toolset import Toolset
from toolhaft.vendors.adapter import Adapter

__all__ = ["About", "describe", "is_read_only", "write_openapi"]

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
PROBLEM: Final = {"$ref": "#/components/responses/problem"}
SCHEMAS: Final[dict[str, Any]] = {
    "Problem": {
        "type": "object",
        "description": "Problem details (RFC 9457); of a call they have its kind and the rest.",
        "required": ["title", "status", "detail"],
        "properties": {
            "title": {"type": "string"},
            "status": {"type": "integer"},
            "detail": {"type": "string", "description": "The text for the model."},
            "kind": {"type": "string", "enum": sorted(STATUS_OF)},
            "effect": {"type": "string", "enum": ["none", "done", "unknown"]},
            "retryable": {"type": "boolean"},
            "error_id": {"type": ["string", "null"]},
            "issues": {"type": "array", "items": {"$ref": "#/components/schemas/Issue"}},
            "prepared": {"$ref": "#/components/schemas/PreparedCall"},
            "approval": {"type": "string", "description": "Where the caller reads the decision."},
        },
    },
    "Issue": {
        "type": "object",
        "description": "One thing that is wrong with the arguments or the result.",
        "required": ["message", "path", "code"],
        "properties": {
            "message": {"type": "string"},
            "path": {"type": "array", "items": {"type": ["string", "integer"]}},
            "code": {"type": "string"},
            "expected": {"type": ["string", "null"]},
            "received": {"type": ["string", "null"]},
            "vendor_code": {"type": ["string", "null"]},
            "meant": {"type": "string", "description": "The name that an unknown one may mean."},
        },
    },
    "PreparedCall": {
        "type": "object",
        "description": "A call that waits for a person, with all defaults in its arguments.",
        "required": ["name", "arguments", "digest"],
        "properties": {
            "name": {"type": "string"},
            "arguments": {"type": "object"},
            "digest": {"type": "string"},
        },
    },
    "Tool": {
        "type": "object",
        "required": ["name", "description", "inputSchema"],
        "properties": {
            "name": {"type": "string"},
            "title": {"type": "string"},
            "description": {"type": "string"},
            "inputSchema": {"type": "object", "description": "A JSON Schema."},
            "outputSchema": {"type": "object", "description": "A JSON Schema."},
            "annotations": {"type": "object", "description": "Hints, as in MCP."},
        },
    },
    "Approval": {
        "type": "object",
        "description": "A call that waits for a person; its result is for its caller alone.",
        "required": ["id", "status", "expires"],
        "properties": {
            "id": {"type": "string"},
            "status": {
                "type": "string",
                "enum": ["waiting", "running", "done", "denied", "expired", "unknown"],
            },
            "expires": {"type": "integer", "description": "In seconds since 1970."},
            "caller": {"type": "string"},
            "decision": {"type": "string", "enum": ["approve", "deny", "edit"]},
            "approver": {"type": "string"},
            "note": {"type": "string", "description": "What an edit changed, for the model."},
            "reason": {"type": "string"},
            "prepared": {"$ref": "#/components/schemas/PreparedCall"},
            "result": {"description": "What the tool returned."},
            "problem": {"$ref": "#/components/schemas/Problem"},
        },
    },
    "ApprovalList": {
        "type": "object",
        "required": ["approvals"],
        "properties": {
            "approvals": {"type": "array", "items": {"$ref": "#/components/schemas/Approval"}}
        },
    },
    "Decision": {
        "type": "object",
        "required": ["decision", "digest"],
        "additionalProperties": False,
        "properties": {
            "decision": {"type": "string", "enum": ["approve", "deny", "edit"]},
            "digest": {"type": "string", "description": "That of the call as it was read."},
            "arguments": {"type": "object", "description": "For edit, and for edit alone."},
            "reason": {"type": "string", "maxLength": 500},
            "notify_model": {
                "type": "boolean",
                "description": "For edit: whether the caller reads which arguments changed.",
            },
        },
    },
    "ToolList": {
        "type": "object",
        "required": ["tools"],
        "properties": {"tools": {"type": "array", "items": {"$ref": "#/components/schemas/Tool"}}},
    },
}


FOR_DECISIONS: Final = ("Approval", "ApprovalList", "Decision")


class About(NamedTuple):
    """The description of a server: its name, its version, and how a model should use it."""

    name: str = "tools"
    version: str | None = None
    instructions: str | None = None


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


def write_openapi(
    tools: Toolset, about: About, *, needs_token: bool, keeps_keys: bool, decides: bool = False
) -> dict[str, Any]:
    """Write the OpenAPI document of everything that can be called."""
    ordered = sorted(tools, key=lambda tool: tool.name)
    document = write_document(map(_declare, ordered), about.name, about.version or "0", SCHEMAS)
    if about.instructions is not None:
        document["info"]["description"] = about.instructions
    for tool, path in zip(ordered, document["paths"].values(), strict=True):
        _complete_post(path["post"], tool, keeps_keys=keeps_keys)
        if decides and may_wait(tool):
            waits = _answer("The call waits for a person.", _ref("Problem"))
            waits["headers"] = {"Location": {"schema": {"type": "string"}}}
            path["post"]["responses"] |= {"202": waits, "507": PROBLEM}
        path["get"] = _get(f"describe_{tool.name}", "The tool itself.", "Tool")
    document["paths"]["/tools"] = {"get": _get("list_tools", "All tools.", "ToolList")}
    if decides:
        document["paths"] |= _approval_paths()
    components = document["components"]
    components["schemas"] |= {
        name: {**schema, "title": name}
        for name, schema in SCHEMAS.items()
        if decides or name not in FOR_DECISIONS
    }
    components["responses"] = {
        "problem": {
            "description": "The error, and whether the tool may have acted.",
            "content": {PROBLEM_JSON.decode(): {"schema": _ref("Problem")}},
        }
    }
    if needs_token:
        components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        document["security"] = [{"token": []}]
    return document


def _approval_paths() -> dict[str, Any]:
    """Describe how a call that waits is read and decided."""
    one = _get("read_approval", "A call that waits, or waited.", "Approval")
    body = {"required": True, "content": {"application/json": {"schema": _ref("Decision")}}}
    decide = {
        "operationId": "decide_approval",
        "description": "Decide a call that waits; for approvers.",
        "requestBody": body,
        "responses": {
            "200": _answer("The call, decided.", _ref("Approval")),
            **_problems({400, 403, 404, 408, 409, 413, 415, 421, 422, 500, 507}),
        },
    }
    part = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
    listed = _get("list_approvals", "The calls that wait; for approvers.", "ApprovalList")
    return {
        "/approvals": {"get": listed},
        "/approvals/{id}": {"parameters": [part], "get": one, "post": decide},
    }


def _declare(tool: AnyTool) -> dict[str, Any]:
    """Declare a tool by its own name, which any path can hold, with the types in its schemas."""
    output = tool.output_schema
    return {
        "name": tool.name,
        "description": tool.description,
        "parameters": _marked(tool.input_schema, "input"),
        "output": None if output is None else _marked(output, "output"),
    }


def _marked(schema: StandardSchema[Any], mode: Mode) -> dict[str, Any]:
    """Return a schema in which types have their names, where an adapter has written it."""
    if isinstance(schema, Adapter):
        marked: dict[str, Any] = schema.marked_schema(mode)
        return marked
    return schema.json_schema(mode=mode)


def _complete_post(post: dict[str, Any], tool: AnyTool, *, keeps_keys: bool) -> None:
    """Add what is the server's: headers, every other answer, and whether the body may be empty."""
    post["summary"] = tool.title or tool.name
    post["requestBody"]["required"] = bool(tool.input_schema.json_schema().get("required"))
    post["parameters"] = [LENIENT, KEY] if keeps_keys and not is_read_only(tool) else [LENIENT]
    if "content" not in post["responses"]["200"]:
        post["responses"]["200"] = _answer("The result of the tool.", {})
    statuses = {*GUARDED, *STATUS_OF.values(), 429} - {202}
    # Of the others, any may be a tool's own: ToolError(status=).
    post["responses"] |= {**_problems(statuses), "4XX": PROBLEM}


def _get(operation: str, description: str, schema: str) -> dict[str, Any]:
    answer = _answer(description, _ref(schema))
    responses = {"200": answer, **_problems({400, 403, 404, 421})}
    return {"operationId": operation, "description": description, "responses": responses}


def _problems(statuses: set[int]) -> dict[str, Any]:
    return {str(status): PROBLEM for status in sorted({401, 503, *statuses})}


def _answer(description: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": description, "content": {"application/json": {"schema": schema}}}


def _ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}"}
