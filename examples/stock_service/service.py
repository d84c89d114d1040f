"""Serve the warehouse over MCP, on both revisions, and over HTTP, beside routes of FastAPI.

uvicorn --app-dir examples/stock_service service:app     # /agent/mcp, /agent/tools, /stock/tea
"""

from __future__ import annotations

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from stock import TOOLS, stock_of

from toolhaft import ToolError
from toolhaft.serve import mount

app = FastAPI(title="warehouse")

# A tool is still the function that it was, so it is a route as it stands: FastAPI checks its calls.
app.get("/stock/{item}")(stock_of)


@app.exception_handler(ToolError)
async def not_found(_request: Request, error: Exception) -> JSONResponse:
    """Return the message that the tool raises when it is called as a function."""
    return JSONResponse({"detail": str(error)}, 404)


mount(app, TOOLS, "/agent", name="warehouse")
