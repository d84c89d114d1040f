"""Serve the warehouse over MCP, on both revisions, with routes of FastAPI beside it.

uvicorn --app-dir examples/stock_service service:app     # /mcp, /stock/tea and /tools/set_stock
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI, HTTPException, Request
from fastapi.responses import JSONResponse
from mcp import MCPError
from mcp.server.lowlevel import Server
from mcp.types import CallToolRequestParams, CallToolResult, ListToolsResult
from stock import TOOLS, stock_of

from toolhaft import ToolError

NEW, OLD = (TOOLS.export(revision) for revision in ("mcp", "mcp-2025-11-25"))


async def list_tools(context: Any, _params: Any) -> ListToolsResult:
    """Answer `tools/list` in the revision that the client agreed on."""
    wire = NEW if context.protocol_version >= "2026-07-28" else OLD
    return ListToolsResult.model_validate(wire.request)


async def call_tool(context: Any, params: CallToolRequestParams) -> CallToolResult:
    """Answer `tools/call`."""
    wire = NEW if context.protocol_version >= "2026-07-28" else OLD
    [result] = (await wire.answer(params)).results
    if "code" in result:  # an unknown tool is an error of the protocol
        raise MCPError(**result)
    return CallToolResult.model_validate(result)


server: Server[Any] = Server("warehouse", on_list_tools=list_tools, on_call_tool=call_tool)
mcp = server.streamable_http_app(stateless_http=True)


@asynccontextmanager
async def lifespan(_app: FastAPI) -> AsyncGenerator[None]:
    """Start and stop what the protocol's server needs."""
    async with mcp.router.lifespan_context(mcp):
        yield


app = FastAPI(title="warehouse", lifespan=lifespan)

# A tool is still the function that it was, so it is a route as it stands: FastAPI checks its calls.
app.get("/stock/{item}")(stock_of)


@app.exception_handler(ToolError)
async def not_found(_request: Request, error: Exception) -> JSONResponse:
    """Return the message that the tool raises when it is called as a function."""
    return JSONResponse({"detail": str(error)}, 404)


@app.post("/tools/{name}")
async def call(name: str, request: Request) -> Any:
    """Run a tool on a JSON body that toolhaft checks."""
    outcome = await TOOLS.call(name, await request.body())
    if not outcome:
        status = 404 if outcome.kind == "unknown_tool" else 422
        raise HTTPException(status, outcome.text)
    return outcome.json


app.mount("/", mcp)
