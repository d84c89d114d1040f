"""The Model Context Protocol, from the side of a server.

A response is here what comes in: a `tools/call` request as JSON-RPC, as the SDK's object, or its
`params` alone. `request` is the result of `tools/list`, a result is a `CallToolResult`; messages
are JSON-RPC responses where the request has an id, else the results alone.

Read on 2026-11-20 from the specification, revisions 2025-11-25 and 2026-07-28, and mcp 2.3.0. An
unknown tool is a protocol error and no result, so it is written as JSON-RPC's error object
(`{"code": -32602, "message": ...}`); everything else that fails is a result with `isError`, which
has no structured content. Through 2025-11-25 output schemas and structured content must be
objects: others are shown there as `{"value": ...}`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Final, NoReturn

from toolhaft.call.outcome import Err, Ok
from toolhaft.content import block
from toolhaft.errors import ToolhaftError, WireError
from toolhaft.lowering.plan import PlannedTool
from toolhaft.providers.provider import Provider
from toolhaft.providers.response import FoundCall, Part
from toolhaft.schema.wrapping import wrap_as_property
from toolhaft.tools.tool import AnyTool

__all__ = ["PROVIDERS"]

INVALID_PARAMS = -32602
ROOT = "value"
COMPLETE = {"resultType": "complete"}
# The SDK's default for caching a list of tools: the readers, and the time.
UNCACHED = {"ttlMs": 0, "cacheScope": "private"}


class MCP(Provider):
    """The revision 2026-07-28."""

    target = "mcp"
    defers = False
    marks: ClassVar[dict[str, Any]] = COMPLETE

    def declare(self, tool: AnyTool, planned: PlannedTool) -> dict[str, Any]:
        declaration = {
            "name": planned.wire_name,
            "title": tool.title,
            "description": planned.description or None,
            "inputSchema": planned.schema,
            "outputSchema": self.output(tool),
            "annotations": tool.annotations,
        }
        return {key: value for key, value in declaration.items() if value is not None}

    def request(
        self, tools: list[Any], *, strict: bool, final: str | None = None
    ) -> dict[str, Any]:
        del strict, final
        return {"tools": tools, **COMPLETE, **UNCACHED}

    def find_calls(self, response: Part) -> Iterator[FoundCall]:
        if response.get("method") not in (None, "tools/call"):
            raise WireError(self.target, "method", "another method; expected tools/call")
        params = response if response.get("params") is None else response.part("params")
        call_id = response.get("id")
        if not isinstance(call_id, int | str | None):
            raise response.wrong("id", "text or a whole number")
        call_text = None if call_id is None else str(call_id)
        yield FoundCall("id", call_text, params.text("name"), params.get("arguments"))

    def fold(self) -> NoReturn:
        raise ToolhaftError(f"{self.target}: a call comes whole; give the request itself to answer")

    def turn(self, response: Any) -> list[Any]:
        del response
        return []

    def result(self, outcome: Ok[Any] | Err, name: str, tool: AnyTool | None) -> dict[str, Any]:
        del name
        if isinstance(outcome, Err) and outcome.kind == "unknown_tool":
            return {"code": INVALID_PARAMS, "message": outcome.text}
        content_parts = outcome.content
        content = [
            block(part)
            for part in ((content_parts,) if isinstance(content_parts, str) else content_parts)
        ]
        result = {"content": content, "isError": not outcome}
        if isinstance(outcome, Ok) and tool is not None and tool.output_schema is not None:
            result["structuredContent"] = self.structured(outcome.json, tool)
        return {**result, **self.marks}

    def reply(self, reply_to: Any, turn: list[Any], results: list[Any]) -> list[Any]:
        del turn
        if reply_to is None:
            return results
        return [{"jsonrpc": "2.0", "id": reply_to, _member(result): result} for result in results]

    def output(self, tool: AnyTool) -> dict[str, Any] | None:
        """The declared output, as this revision takes it."""
        schema = tool.output_schema
        return None if schema is None else schema.json_schema(mode="output")

    def structured(self, data: Any, tool: AnyTool) -> Any:
        """A result's data, as the declared output says."""
        del tool
        return data


class MCP20251125(MCP):
    """The revision 2025-11-25: objects only, and no marks on results.

    A session leaves out deferred tools until it has found them; without one, every tool is listed.
    """

    target = "mcp-2025-11-25"
    marks: ClassVar[dict[str, Any]] = {}

    def __init__(self, *, defers: bool = False) -> None:
        self.defers = defers

    def in_session(self) -> Provider:
        return MCP20251125(defers=True)

    def request(
        self, tools: list[Any], *, strict: bool, final: str | None = None
    ) -> dict[str, Any]:
        del strict, final
        return {"tools": tools}

    def output(self, tool: AnyTool) -> dict[str, Any] | None:
        schema = super().output(tool)
        if schema is None or schema.get("type") == "object":
            return schema
        return wrap_as_property(schema, ROOT)

    def structured(self, data: Any, tool: AnyTool) -> Any:
        schema = super().output(tool) or {}
        return data if schema.get("type") == "object" else {ROOT: data}


def _member(result: dict[str, Any]) -> str:
    return "error" if "code" in result else "result"


PROVIDERS: Final = {provider.target: provider for provider in (MCP(), MCP20251125())}
