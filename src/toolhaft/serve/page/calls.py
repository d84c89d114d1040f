"""Run a call of the page: the text as a model would send it, and the outcome in all its parts.

The answer is JSON lines, so that progress arrives while the call runs; the last line is the
outcome. A person who leaves or cancels closes the connection, which cancels the handler.
"""

from __future__ import annotations

import shlex
from math import isfinite
from time import perf_counter
from typing import Any, Final
from urllib.parse import quote

from toolhaft.call import feedback
from toolhaft.call.outcome import Err, Ok
from toolhaft.call.progress import Progress, report_to_async
from toolhaft.call.recorded import summarise
from toolhaft.call.types import ToolCall
from toolhaft.content import block
from toolhaft.jsonio import jsontext
from toolhaft.serve.access import Access
from toolhaft.serve.catalogue import Catalogue
from toolhaft.serve.connection import CLIENT_GONE, WhileConnected
from toolhaft.serve.context import Caller
from toolhaft.serve.decisions import Decisions
from toolhaft.serve.page.history import History, name_person
from toolhaft.serve.responses import ALWAYS, NOBODY, Receive, Refused, Send
from toolhaft.toolset.internals import dispatch_of

__all__ = ["Calls"]

LINES: Final = b"application/jsonl"
# Each repair in words.
REPAIRS: Final = {
    "number_text": "text was read as a number",
    "boolean_text": "text was read as true or false",
    "json_text": "text was read as JSON",
    "python_literal": "Python was read as JSON",
    "double_encoded": "JSON inside a text was read",
    "enum_case": "another case of a listed value",
    "null_absent": "null was left out",
    "empty_absent": "an empty text was left out",
    "scalar_to_list": "one value was read as a list",
    "comma_list": "words between commas were read as a list",
    "none_text": "the text None was left out",
    "undeclared_dropped": "a key that is not declared was dropped",
    "ignored": "a key that is not declared was ignored",
    "vendor_ignored": "the validator ignored a key",
    "vendor": "the validator accepted it by its own rules",
}


class Calls:
    """Runs calls, keeps them in the history, and tells their outcome."""

    def __init__(self, catalogue: Catalogue, history: History, decisions: Decisions | None) -> None:
        self._catalogue = catalogue
        self._history = history
        self._decisions = decisions

    async def answer(
        self, call: ToolCall, caller: Caller, receive: Receive, send: Send, access: Access
    ) -> None:
        """Run a call and answer in lines."""
        lines = _Lines(send)
        async with WhileConnected(receive, is_kept=False) as client:
            await lines.write(await self._run(call, caller, lines, access))
        if client.is_gone:
            access.status = CLIENT_GONE
            return
        await lines.end()

    async def _run(
        self, call: ToolCall, caller: Caller, lines: _Lines, access: Access
    ) -> dict[str, Any]:
        sent = call.arguments
        who = name_person(caller)
        number = await self._history.begin(call.name, who, sent)
        begun = perf_counter()
        async with report_to_async(lines.report):
            outcome = await dispatch_of(self._catalogue.tools).run(call, None, caller.context)
        seconds = perf_counter() - begun
        access.note(call.name if call.name in self._catalogue.tools else None, outcome)
        shown = {
            "id": number,
            "outcome": _describe(outcome),
            "seconds": seconds,
            "caller": who,
            "recorded": {"name": call.name, "arguments": _plain(sent), **summarise(outcome)},
            "exports": write_exports(call),
            "approval": await self._wait(outcome, caller),
        }
        is_kept = await self._history.finish(number, call.name, shown)
        return {**shown, "kept": is_kept}

    async def _wait(self, outcome: Ok[Any] | Err, caller: Caller) -> dict[str, Any] | None:
        """Keep a call that waits for an approver; say where, or why not."""
        if isinstance(outcome, Ok) or outcome.prepared is None:
            return None
        if self._decisions is None:
            return {"path": None, "why": NOBODY}
        try:
            return {"path": await self._decisions.store(outcome.prepared, caller), "why": None}
        except Refused as refused:
            return {"path": None, "why": refused.problem.detail}


class _Lines:
    """The lines of one answer."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._is_started = False

    async def write(self, data: Any) -> None:
        if not self._is_started:
            self._is_started = True
            headers = [(b"content-type", LINES), *ALWAYS]
            await self._send({"type": "http.response.start", "status": 200, "headers": headers})
        line = jsontext.write(data).encode() + b"\n"
        await self._send({"type": "http.response.body", "body": line, "more_body": True})

    async def report(self, progress: Progress) -> None:
        """Write a report of the handler, but for numbers that JSON cannot hold."""
        _, done, total, text = progress
        if not isfinite(done):
            return
        known = +total if total is not None and isfinite(total) else None
        message = None if text is None else feedback.describe_author_error(text)
        await self.write({"progress": {"done": +done, "total": known, "message": message}})

    async def end(self) -> None:
        await self._send({"type": "http.response.body", "body": b"", "more_body": False})


def _describe(outcome: Ok[Any] | Err) -> dict[str, Any]:
    """Write an outcome as JSON data, with the text of the model and the parts of content."""
    content = outcome.content
    parts = () if isinstance(content, str) else content
    repairs = [
        {**coercion.as_json(), "words": REPAIRS[coercion.rule]} for coercion in outcome.coercions
    ]
    told = {"text": outcome.text, "content": [block(part) for part in parts], "coercions": repairs}
    if isinstance(outcome, Ok):
        return {**outcome.as_json(), **told, "effect": "done", "issues": []}
    return {**outcome.as_json(), **told}


def _plain(sent: Any) -> Any:
    """Return arguments as data where no digit is lost by that, else the text as it was sent."""
    try:
        data, exact = jsontext.read(sent), jsontext.read(sent, decimals=True)
    except jsontext.JsonSyntaxError:
        return sent
    is_kept = isinstance(data, dict) and jsontext.write_exact(exact) == jsontext.write(data)
    return data if is_kept else sent


def write_exports(call: ToolCall) -> dict[str, str]:
    """Write a call for other places: a shell, a program, and a file of `toolhaft batch`."""
    path = f"$ADDRESS/tools/{quote(call.name, safe='')}"
    sent = shlex.quote(str(call.arguments))
    line = {"name": call.name, "arguments": _plain(call.arguments)}
    return {
        "curl": f'curl "{path}" -H "Prefer: handling=lenient" --json {sent}',
        "Python": f"outcome = tools.call_sync({call.name!r}, {call.arguments!r})",
        "JSONL": jsontext.write(line),
    }
