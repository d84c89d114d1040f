"""Tools over HTTP: `GET /tools`, `GET /tools/NAME`, `POST /tools/NAME`, `GET /openapi.json`.

The body is the arguments, the answer the result or a problem. The published document rules: nothing
is repaired unless the request asks for it (`Prefer: handling=lenient`), and a body of null is none.
"""

from __future__ import annotations

from typing import Any, Final

from toolhaft.call import feedback
from toolhaft.call.call_options import CallOptions
from toolhaft.call.outcome import Err, Ok
from toolhaft.call.types import ToolCall
from toolhaft.serve.access import Access
from toolhaft.serve.catalogue import Catalogue
from toolhaft.serve.connection import CLIENT_GONE, WhileConnected
from toolhaft.serve.context import Caller
from toolhaft.serve.decisions import Decisions
from toolhaft.serve.document import About, describe, is_read_only, write_openapi
from toolhaft.serve.guard import require_json
from toolhaft.serve.idempotency import Idempotency, KeyedCall
from toolhaft.serve.limits import Limits
from toolhaft.serve.request import READING, Head, read_body, require_method, unquote
from toolhaft.serve.responses import (
    Receive,
    Refused,
    Response,
    Send,
    nobody_decides,
    respond,
    respond_json,
    to_response,
    waiting_response,
)
from toolhaft.spec import Issue
from toolhaft.toolset.internals import dispatch_of
from toolhaft.toolset.toolset import Toolset

__all__ = ["TOOL", "HttpTools"]

TOOL: Final = b"/tools/"
NO_OBJECT: Final = (Issue("expected object, received null", (), "type", "object", "null"),)
LENIENT: Final = (b"preference-applied", b"handling=lenient")


class HttpTools:
    """The part of the server that speaks plain HTTP."""

    def __init__(
        self,
        catalogue: Catalogue,
        about: About,
        limits: Limits,
        keys: Idempotency,
        decisions: Decisions | None,
        *,
        token: bool,
    ) -> None:
        self._decisions = decisions
        self._catalogue = catalogue
        self._about = about
        self._limits = limits
        self._keys = keys
        self._needs_token = token

    async def answer(
        self, head: Head, receive: Receive, send: Send, caller: Caller, access: Access
    ) -> None:
        """Answer one request that the guard let pass.

        Raises:
            Refused: There is no such path (404) or method (405), or the body cannot be read.
        """
        if head.path.startswith(TOOL):
            await self._answer_tool(head, receive, send, caller, access)
        elif head.path == b"/tools":
            require_method(head, *READING)
            tools = self._catalogue.view("list", _list, caller.context)
            await respond_json(send, tools)
        elif head.path == b"/openapi.json":
            require_method(head, *READING)
            document = self._catalogue.view("openapi", self._document, caller.context)
            servers = {"servers": [{"url": head.root}]} if head.root else {}
            await respond_json(send, {**document, **servers})
        else:
            raise Refused(404, "nothing is served here; tools are under /tools")

    def _document(self, tools: Toolset) -> dict[str, Any]:
        return write_openapi(
            tools,
            self._about,
            needs_token=self._needs_token,
            keeps_keys=self._keys.are_kept,
            decides=self._decisions is not None,
        )

    async def _answer_tool(
        self, head: Head, receive: Receive, send: Send, caller: Caller, access: Access
    ) -> None:
        require_method(head, "POST", *READING)
        segment = head.path[len(TOOL) :]
        name = None if b"/" in segment else unquote(segment)
        if name is None:
            raise Refused(404, "no tool has such a name; see /tools")
        if head.method != "POST":
            await self._describe_tool(name, send, caller.context)
            return
        require_json(head)
        body = await read_body(head, receive, self._limits)
        is_kept = b"idempotency-key" in head.headers
        answer: Response | None = None
        async with WhileConnected(receive, is_kept=is_kept) as client:
            answer = await self._call(name, head, body, caller, access)
        if answer is None or client.is_gone:
            access.status = CLIENT_GONE
            return
        await respond(send, answer.status, answer.body, answer.media_type, answer.headers)

    async def _describe_tool(self, name: str, send: Send, context: Any) -> None:
        tools = self._catalogue.tools
        tool = dispatch_of(tools).find_visible(name, context)
        if tool is None:
            raise Refused(404, _unknown(name, tools.visible_to(context)))
        await respond_json(send, describe(tool))

    async def _call(
        self, name: str, head: Head, body: bytes, caller: Caller, access: Access
    ) -> Response:
        """Call a tool, at most once for an idempotency key."""
        context = caller.context
        preferences = head.get(b"prefer")
        is_lenient = preferences is not None and _prefers_lenient(preferences)
        tools = self._catalogue.tools if is_lenient else self._catalogue.strict
        # Before any other check: to this caller a hidden tool does not exist.
        tool = dispatch_of(tools).find_visible(name, context)
        key = head.get(b"idempotency-key")
        call = ToolCall(
            *(None, name, body), principal=caller.principal, key=caller.key_of(name, key)
        )

        async def run() -> tuple[Response, bool]:
            if tool is not None and not is_lenient and body and body.strip() in (b"", b"null"):
                text = feedback.describe_invalid(NO_OBJECT)
                err = Err("invalid_input", text, CallOptions(name), NO_OBJECT)
                outcome: Ok[Any] | Err = dispatch_of(tools).record_refusal(call, err, context)
            else:
                outcome = await dispatch_of(tools).run(call, None, context)
            access.note(None if tool is None else name, outcome)
            if isinstance(outcome, Err) and outcome.prepared is not None:
                return await self._wait(outcome, caller)
            did_nothing = isinstance(outcome, Err) and outcome.effect == "none"
            return _to_answer(outcome, lenient=is_lenient), did_nothing

        async def refuse() -> Response | None:
            err = None if tool is None else await tool.refusal(body, context=context)
            if err is None:
                return None
            outcome = dispatch_of(tools).record_refusal(call, err, context)
            return _to_answer(outcome, lenient=is_lenient)

        if key is not None:
            self._keys.check(key, caller.owner)
        if key is None or tool is None or is_read_only(tool):
            answer, _ = await run()
            return answer
        content = b"\0".join([name.encode(), b"lenient" if is_lenient else b"", body])
        return await self._keys.run_once(key, KeyedCall(caller.owner, content, run, refuse))

    async def _wait(self, err: Err, caller: Caller) -> tuple[Response, bool]:
        """Keep a call that waits for a person; return whether nothing was kept."""
        assert err.prepared is not None  # noqa: S101  the call waits
        if self._decisions is None:
            return nobody_decides(err), True
        try:
            path = await self._decisions.store(err.prepared, caller)
        except Refused as refused:
            problem = refused.problem
            body = problem.content
            return Response(problem.status, body, problem.media_type, problem.headers), True
        return waiting_response(err, path), False


def _to_answer(outcome: Ok[Any] | Err, *, lenient: bool) -> Response:
    response = to_response(outcome)
    return response.marked(LENIENT) if lenient else response


def _prefers_lenient(preferences: bytes) -> bool:
    """Whether the first preference for the handling is lenient (RFC 7240)."""
    for preference in preferences.lower().split(b","):
        name, _, value = preference.partition(b";")[0].partition(b"=")
        if name.strip() == b"handling":
            return value.strip().strip(b'"') == b"lenient"
    return False


def _list(tools: Toolset) -> dict[str, Any]:
    return {"tools": [describe(tool) for tool in sorted(tools, key=lambda tool: tool.name)]}


def _unknown(name: str, tools: Toolset) -> str:
    return feedback.describe_unknown_tool(name, (tool.name for tool in tools))
