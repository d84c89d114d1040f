"""The child process of a tool with `isolation="process"`: it runs one handler, once.

The request is JSON text on standard input, and the answer is written to the original standard
output; the handler's own output goes to standard error.
"""

from __future__ import annotations

import os
import sys
from datetime import datetime
from functools import partial
from importlib import import_module
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import module_from_spec
from typing import Any

from toolhaft.call import feedback
from toolhaft.call.boundary import Boundary
from toolhaft.call.parts import ContentParts
from toolhaft.call.process import MAX_BYTES, MAX_DEPTH, find_imported, import_name
from toolhaft.call.results import InvalidResult
from toolhaft.definition.call_info import CallInfo
from toolhaft.errors import OWN_STATUSES, ToolError
from toolhaft.jsonio import jsontext
from toolhaft.spec import Issue
from toolhaft.tools.decorator import tool
from toolhaft.tools.internals import boundary_of
from toolhaft.tools.tool import AnyTool, Tool

__all__ = ["answer", "main"]

MOST_TRACE_CHARS = 20_000
CONTENT = Issue("content does not cross from a process; return JSON, and use render=", (), "type")
TOO_LONG = Issue(f"longer than {MAX_BYTES} bytes as JSON", (), "value")


def main() -> None:
    """Answer the one request on standard input."""
    answer_descriptor = os.dup(1)
    if hasattr(os, "register_at_fork"):  # a fork of the handler must not hold the answer open
        os.register_at_fork(after_in_child=partial(os.close, answer_descriptor))
    os.dup2(2, 1)
    text = sys.stdin.buffer.read()
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    request = jsontext.read(text, max_bytes=len(text), max_depth=MAX_DEPTH)
    text = jsontext.write(answer(request)).encode()
    if len(text) > MAX_BYTES:
        text = jsontext.write(_invalid_answer([TOO_LONG])).encode()
    with os.fdopen(answer_descriptor, "wb") as answer_file:
        answer_file.write(text)


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Run the handler that a request names, and give the answer."""
    try:
        _load(request["handler"].partition(":")[0], request["file"])
        info = request.get("info") and _read_info(request["info"])
        return _answer(_boundary(request["handler"]), request["arguments"], info)
    except BaseException as error:  # noqa: BLE001  the handler runs here
        return {"raised": _describe_exception(error)}


def _read_info(data: dict[str, Any]) -> CallInfo:
    deadline = data["deadline"] and datetime.fromisoformat(data["deadline"])
    fields: dict[str, Any] = {**data, "deadline": deadline}
    return CallInfo(**fields)


def _answer(boundary: Boundary, arguments: Any, info: CallInfo | None) -> dict[str, Any]:
    try:
        if boundary.asynchronous or boundary.awaits:
            import asyncio

            data = asyncio.run(_run_awaited(boundary, arguments, info))
        else:
            data = _run(boundary, arguments, info)
    except InvalidResult as error:
        return _invalid_answer(boundary.results.shown_issues(error))
    return _invalid_answer([CONTENT]) if isinstance(data, ContentParts) else {"value": data}


def _run(boundary: Boundary, arguments: Any, info: CallInfo | None) -> Any:
    args, kwargs = boundary.binder.bind(boundary.pipeline.adapter.construct(arguments), None, info)
    return boundary.results.check(boundary.function(*args, **kwargs))[1]


async def _run_awaited(boundary: Boundary, arguments: Any, info: CallInfo | None) -> Any:
    value = await boundary.pipeline.adapter.construct_awaited(arguments)
    args, kwargs = boundary.binder.bind(value, None, info)
    result = boundary.function(*args, **kwargs)
    checked = await boundary.results.check_awaited(
        await result if boundary.asynchronous else result
    )
    return checked[1]


def _load(module: str, file: str | None) -> None:
    """Import a module, from its file where its name cannot be imported here."""
    try:
        import_module(module)
    except ModuleNotFoundError as error:
        if file is None or not f"{module}.".startswith(f"{error.name}."):
            raise
        _load_file(module, file)


def _load_file(module: str, file: str) -> None:
    loader = SourceFileLoader(module, file)
    loaded = sys.modules[module] = module_from_spec(ModuleSpec(module, loader, origin=file))
    loader.exec_module(loaded)


def _boundary(handler_name: str) -> Boundary:
    handler: Any = find_imported(handler_name)
    if isinstance(handler, Tool):
        return boundary_of(handler).handler_boundary
    wrapped: AnyTool = tool(handler, name="tool", description="A handler by itself.")
    return boundary_of(wrapped)


def _invalid_answer(issues: Any) -> dict[str, Any]:
    fields = [
        [
            *(issue.message, list(issue.path), issue.code, issue.expected, issue.received),
            *(issue.vendor_code, dict(issue.facts)),
        ]
        for issue in issues
    ]
    return {"misfit": fields}


def _describe_exception(error: BaseException) -> dict[str, Any]:
    from traceback import format_exception

    words: str | None = None
    status: Any = None
    if issubclass(type(error), ToolError):
        words = feedback.describe_author_error(str(error))
        status = vars(error).get("status")
    trace = "".join(format_exception(error))[-MOST_TRACE_CHARS:]
    return {
        "kinds": [import_name(kind) for kind in type(error).__mro__],
        "words": words,
        "status": status if type(status) is int and status in OWN_STATUSES else None,
        "trace": trace.encode("utf-8", "replace").decode(),
    }
