"""The page: anybody who reaches the server can read its files, but its data need its token.

A browser's navigation can send no token, so the files reveal nothing of the tools; the token is in
the fragment of the address, which no browser sends. The inbox needs an approver's token instead.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final
from urllib.parse import parse_qs

from toolhaft.call.types import ToolCall
from toolhaft.definition.targets import TARGETS
from toolhaft.jsonio import jsontext
from toolhaft.serve.access import Access, name_caller
from toolhaft.serve.auth import OneToken
from toolhaft.serve.catalogue import Catalogue
from toolhaft.serve.context import Caller
from toolhaft.serve.decisions import Decisions
from toolhaft.serve.document import About
from toolhaft.serve.guard import require_json
from toolhaft.serve.limits import Limits
from toolhaft.serve.page.assets import DOCUMENTS, load_assets, respond_asset
from toolhaft.serve.page.calls import Calls
from toolhaft.serve.page.history import History, name_person
from toolhaft.serve.page.options import PageOptions
from toolhaft.serve.page.views import (
    View,
    describe_tool,
    list_tools,
    read_inbox,
    survey,
    view_target,
)
from toolhaft.serve.request import READING, Head, read_body, require_method, unquote
from toolhaft.serve.responses import Receive, Refused, Scope, Send, respond_json
from toolhaft.serve.state import State
from toolhaft.tools.tool import AnyTool
from toolhaft.toolset.internals import dispatch_of

__all__ = ["Page"]

PREFIX: Final = b"/page/"
WINDOW: Final = b"navigate", b"document"  # as browsers say what opens a page
DATA: Final = b"/page/data/"
WHO: Final = "page"  # the caller of its calls, where the program's context names none
DEPTH: Final = 60
NOT_SAVED: Final = "tests are saved where the server was started by toolhaft serve --open"
FIRST: Final = 50  # so many calls of the inbox, where the page asks for no other number
MOST_DIGITS: Final = 18  # no row of SQLite has a longer number
AskCaller = Callable[[Scope | None], Awaitable[Caller]]


class Page:
    """The part of a server that people use in a browser.

    Raises:
        ValueError: The token can be guessed.
    """

    def __init__(
        self,
        options: PageOptions,
        catalogue: Catalogue,
        about: About,
        limits: Limits,
        state: State | None,
        decisions: Decisions | None,
        ask_caller: AskCaller,
    ) -> None:
        options.check()
        self._key, self._token = options.token, OneToken(options.token)
        self._code = options.code
        self._saving = options.saving
        self._catalogue = catalogue
        self._about = about
        self._limits = limits
        self._decisions = decisions
        self._ask_caller = ask_caller
        self._history = History(state if options.history else None, options.redact)
        self._calls = Calls(catalogue, self._history, decisions)
        self._assets = load_assets()

    def has(self, path: bytes) -> bool:
        """Whether a path is one of the page."""
        return path in self._assets or path.startswith(PREFIX)

    def is_visited(self, head: Head) -> bool:
        """Whether a person opens it in a window, perhaps by a link of another site."""
        is_window = (head.get(b"sec-fetch-mode"), head.get(b"sec-fetch-dest")) == WINDOW
        return is_window and head.method in READING and head.path in DOCUMENTS

    async def answer(
        self, head: Head, scope: Scope, receive: Receive, send: Send, access: Access
    ) -> None:
        """Answer a request for one of its paths.

        Raises:
            Refused: The request is wrong, or its sender may not make it.
        """
        asset = self._assets.get(head.path)
        access.route = head.path.decode() if asset is not None else "/page/data"
        if asset is not None:
            require_method(head, *READING)
            await respond_asset(send, asset, has_body=head.method == "GET")
            return
        if not head.path.startswith(DATA):
            raise Refused(404, "the page has no such file")
        part, _, rest = head.path[len(DATA) :].partition(b"/")
        query = _query(scope)
        if part == b"open":
            require_method(head, "POST")
            await respond_json(send, self._open((await self._read(head, receive)).get("code")))
            return
        if part == b"inbox":
            access.caller = await self._answer_inbox(head, scope, send, query)
            return
        self._require_token(head)
        caller = (await self._ask_caller(scope))._replace(principal=WHO, token_owner=WHO)
        access.caller = name_caller(caller)
        if head.method == "POST":
            asked = await self._read(head, receive)
            await self._answer_post(part, asked, caller, receive, send, access)
            return
        require_method(head, "POST", *READING)
        if part == b"approvals":
            await self._answer_approval(head, rest, receive, send, caller)
            return
        await respond_json(send, await self._answer_get(part, rest, query, caller))

    def _open(self, code: Any) -> dict[str, str]:
        """Exchange the code of the address that a browser was started with for the token."""
        if self._code is None or not self._code.spend(code):
            raise Refused(403, "this link was used before, or is too old; use the printed one")
        return {"token": self._key}

    def _require_token(self, head: Head) -> None:
        scheme, _, token = (head.get(b"authorization") or b"").partition(b" ")
        sent = token.strip().decode("latin-1")
        if scheme.lower() != b"bearer" or not self._token.matches(sent):
            challenge = b"www-authenticate", b"Bearer"
            words = "the page needs its token; open the address that the server printed"
            raise Refused(401, words, challenge)

    async def _answer_get(
        self, part: bytes, rest: bytes, query: Mapping[str, str], caller: Caller
    ) -> dict[str, Any]:
        view = self._catalogue.view
        if part == b"tools" and not rest:
            listed = view("page", list_tools, caller.context)
            return {**listed, **self._facts()}
        if part == b"version":
            return {"version": self._version}
        if part == b"tools":
            tool = self._find(unquote(rest), caller)
            return await asyncio.to_thread(describe_tool, tool)
        if part == b"survey":
            target = query.get("target", "openai")
            if target not in TARGETS:
                raise Refused(422, "no such target")
            make: Callable[[Any], Any] = lambda tools: survey(tools, target)  # noqa: E731
            return {"tools": await asyncio.to_thread(view, ("page", target), make, caller.context)}
        if part == b"history":
            return await self._read_history(rest, query, name_person(caller))
        raise Refused(404, "the page has no such data")

    async def _answer_post(
        self,
        part: bytes,
        asked: Mapping[str, Any],
        caller: Caller,
        receive: Receive,
        send: Send,
        access: Access,
    ) -> None:
        if part == b"save":
            if self._saving is None:
                raise Refused(403, NOT_SAVED)
            await respond_json(send, await asyncio.to_thread(self._saving.save, asked))
            return
        name = asked.get("tool")
        if part == b"wire":
            tool = self._find(name, caller)
            target = View.read(asked)
            if target is None:
                raise Refused(422, "no such target or mode")
            await respond_json(send, await asyncio.to_thread(view_target, tool, target))
            return
        if part != b"call":
            raise Refused(404, "the page has no such data")
        text = asked.get("text")
        if not isinstance(name, str) or not isinstance(text, str):
            raise Refused(422, "send a tool, and the text of its arguments")
        call = ToolCall(*(None, name, text), principal=caller.principal)
        await self._calls.answer(call, caller, receive, send, access)

    @property
    def _version(self) -> str:
        """A text that differs once the tools were loaded again."""
        return str(id(self._catalogue.tools))

    def _facts(self) -> dict[str, Any]:
        """Return what this server is, and what can be done here."""
        return {
            "server": self._about.name,
            "version": self._version,
            "keeps": self._history.is_kept,
            "saves": self._saving is not None,
            "decides": self._decisions is not None,
        }

    def _find(self, name: Any, caller: Caller) -> AnyTool:
        dispatch = dispatch_of(self._catalogue.tools)
        tool = dispatch.find_visible(name, caller.context) if isinstance(name, str) else None
        if tool is None:
            raise Refused(404, "no tool has this name; it may have changed")
        return tool

    async def _read_history(
        self, rest: bytes, query: Mapping[str, str], caller: str
    ) -> dict[str, Any]:
        """Read the calls of a caller; calls of others are unknown."""
        try:
            if not rest:
                before = _number(query.get("before"))
                return await self._history.list_rows(caller, before, query.get("tool"))
            number = _number(rest.decode("latin-1"))
            row = None if number is None else await self._history.find(number, caller)
        except sqlite3.Error:
            raise Refused(500, "the history cannot be read: its file may be damaged") from None
        if row is None:
            raise Refused(404, "no such call; it may have expired")
        return row

    async def _answer_approval(
        self, head: Head, id: bytes, receive: Receive, send: Send, caller: Caller
    ) -> None:
        """Report to the page the end of a call of its own that waits."""
        if self._decisions is None:
            raise Refused(404, "nobody decides calls here")
        head.path = b"/approvals/" + id
        await self._decisions.answer(head, receive, send, caller, None)

    async def _answer_inbox(
        self, head: Head, scope: Scope, send: Send, query: Mapping[str, str]
    ) -> str:
        require_method(head, *READING)
        if self._decisions is None:
            raise Refused(404, "nobody decides calls here; start with --approver-token-file")
        approver = await self._decisions.who_decides(scope)
        if approver is None:
            challenge = b"www-authenticate", b"Bearer"
            raise Refused(401, "the inbox needs an approver's token", challenge)
        most = _number(query.get("most"))
        most = FIRST if most is None else most
        inbox = await read_inbox(self._decisions, self._catalogue, query.get("version"), most)
        await respond_json(send, {**inbox, "approver": approver, "server": self._about.name})
        return approver

    async def _read(self, head: Head, receive: Receive) -> Mapping[str, Any]:
        """Read the body of a request.

        Raises:
            Refused: It is no JSON object.
        """
        require_json(head)
        body = await read_body(head, receive, self._limits)
        try:
            asked = jsontext.read(body, max_bytes=len(body) + 1, max_depth=DEPTH)
        except jsontext.JsonSyntaxError as fault:
            raise Refused(422, f"the body is no JSON: {fault.message}") from None
        if not isinstance(asked, dict):
            raise Refused(422, "the body must be an object")
        return asked


def _number(sent: str | None) -> int | None:
    """Read a number of a request; None for what is none."""
    is_number = sent is not None and sent.isdecimal() and len(sent) <= MOST_DIGITS
    return int(sent) if sent and is_number else None


def _query(scope: Scope) -> dict[str, str]:
    sent = scope.get("query_string", b"").decode("latin-1")
    return {name: values[-1] for name, values in parse_qs(sent).items()}
