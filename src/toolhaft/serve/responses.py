"""Responses: JSON, problem details (RFC 9457), and the status of each kind of outcome.

A problem's `detail` is the text that the model reads. Its `kind`, `effect`, `issues` and `error_id`
come from the outcome, and `retryable` is true if the same request may succeed later.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from http import HTTPStatus
from typing import Any, Final, NamedTuple, TypeAlias

from toolhaft.call.internals import view_of
from toolhaft.call.outcome import Err, Ok
from toolhaft.jsonio import jsondata, jsontext

__all__ = [
    "PROBLEM_JSON",
    "STATUS_OF",
    "STOPPED",
    "Problem",
    "Receive",
    "Refused",
    "Response",
    "Scope",
    "Send",
    "respond",
    "respond_json",
    "respond_problem",
]

__all__ += ["location_of", "nobody_decides", "problem_of", "to_response", "waiting_response"]

JSON: Final = b"application/json"
PROBLEM_JSON: Final = b"application/problem+json"
# After these a part of the body may be unread, and looks like the next request.
CLOSING: Final = frozenset({400, 408, 413})
# Titles as in RFC 9110, which Python has from 3.13 on.
TITLES: Final[Mapping[int, str]] = {
    **{status.value: status.phrase for status in HTTPStatus},
    413: "Content Too Large",
    422: "Unprocessable Content",
}
STATUS_OF: Final[Mapping[str, int]] = {
    "invalid_input": 422,
    "truncated": 422,
    "unknown_tool": 404,
    "denied": 403,
    "approval_required": 202,
    "tool_error": 409,
    "loop": 409,
    "overloaded": 503,  # by a limiter that knows for how long: 429
    "timeout": 504,
    "runtime_error": 500,
    "output_invalid": 500,
}


class Problem(NamedTuple):
    """A status, its detail as text, further members, and headers of the response."""

    status: int
    detail: str
    members: Mapping[str, Any] = {}
    headers: tuple[tuple[bytes, bytes], ...] = ()

    @property
    def body(self) -> dict[str, Any]:
        """The problem details; the title is that of the status."""
        title = TITLES.get(self.status, "Refused")  # a program may have a status of its own
        return {"title": title, "status": self.status, "detail": self.detail, **self.members}

    @property
    def content(self) -> bytes:
        """The problem details as JSON text."""
        return jsontext.write(self.body).encode()

    @property
    def media_type(self) -> bytes:
        """The type of the content; a status that is no failure (a waiting call) is plain JSON."""
        return PROBLEM_JSON if self.status >= HTTPStatus.BAD_REQUEST else JSON

    @property
    def closes(self) -> bool:
        """Whether the connection cannot be used again."""
        return self.status in CLOSING


# To a model, retryable means that it may write the call anew: the same one is refused again.
REWRITTEN: Final = frozenset({"invalid_input", "truncated", "unknown_tool"})
# Of a capacity that is used up, nobody knows for how long.
CAPACITY_SECONDS: Final = 1.0

NOBODY: Final = (
    "This call needs the approval of a person, and nobody can give it here: it was not run. "
    "Start the server with --state and --approver-token-file, or give the toolset approve=."
)
STOPPED: Final = Problem(
    504,
    "The server stopped before this call ended: it may have taken effect. "
    "Find out before you send it again.",
    {"kind": "timeout", "effect": "unknown", "retryable": False},
)


class Refused(Exception):
    """A request that is answered with a problem before any tool runs."""

    def __init__(self, status: int, detail: str, *headers: tuple[bytes, bytes]) -> None:
        self.problem = Problem(status, detail, headers=headers)
        super().__init__(detail)


class Response(NamedTuple):
    """A whole response."""

    status: int
    body: bytes
    media_type: bytes
    headers: tuple[tuple[bytes, bytes], ...] = ()

    def marked(self, header: tuple[bytes, bytes]) -> Response:
        return self._replace(headers=(*self.headers, header))


def to_response(outcome: Ok[Any] | Err) -> Response:
    """Write an outcome as a response: the result's data, or a problem."""
    if isinstance(outcome, Ok):
        return Response(200, jsontext.write(outcome.json).encode(), JSON)
    problem = problem_of(outcome)
    return Response(problem.status, problem.content, problem.media_type, problem.headers)


def waiting_response(err: Err, path: str) -> Response:
    """Write the response of a call that waits where its caller finds it again."""
    problem = problem_of(err)
    problem = problem._replace(members={**problem.members, "approval": path})
    header = b"location", path.encode()
    return Response(problem.status, problem.content, problem.media_type, (header,))


def location_of(body: bytes) -> tuple[bytes, bytes]:
    """Return the header of a call that waits, from the body of its response."""
    return b"location", str(jsontext.read(body)["approval"]).encode()


def nobody_decides(err: Err) -> Response:
    """Write the response of a call that needs a person, if there is none."""
    problem = problem_of(err)._replace(status=403, detail=NOBODY)
    return Response(problem.status, problem.content, problem.media_type)


def problem_of(err: Err) -> Problem:
    """Write the outcome of a call that failed as a problem.

    >>> from toolhaft import Toolset
    >>> problem_of(Toolset().call_sync("ad")).body
    {'title': 'Not Found', 'status': 404, 'detail': 'There is no tool named ad.', \
'kind': 'unknown_tool', 'effect': 'none', 'retryable': False, 'error_id': None, 'issues': []}
    """
    members: dict[str, Any] = {
        "kind": err.kind,
        "effect": err.effect,
        "retryable": err.retryable and err.kind not in REWRITTEN,
        "error_id": err.error_id,
        "issues": [issue.as_json() for issue in err.issues],
    }
    if err.prepared is not None:
        members["prepared"] = {
            "name": err.prepared.name,
            "arguments": jsondata.to_json_data(view_of(err.prepared).shown),
            "digest": err.prepared.digest,
        }
    status = err.status or STATUS_OF[err.kind]
    if err.kind != "overloaded":
        return Problem(status, err.text, members)
    seconds = CAPACITY_SECONDS if err.retry_after is None else err.retry_after
    header = b"retry-after", str(max(1, math.ceil(seconds))).encode()
    return Problem(status if err.retry_after is None else 429, err.text, members, (header,))


Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Header: TypeAlias = tuple[bytes, bytes]

# Answers are not to be cached, and no browser may take one for a page or a script.
ALWAYS: Final[tuple[Header, ...]] = (
    (b"cache-control", b"no-store"),
    (b"x-content-type-options", b"nosniff"),
)


async def respond(
    send: Send, status: int, body: bytes, media_type: bytes = JSON, headers: tuple[Header, ...] = ()
) -> None:
    """Write a whole response."""
    length = (b"content-length", str(len(body)).encode())
    written = [(b"content-type", media_type), length, *ALWAYS, *headers]
    await send({"type": "http.response.start", "status": status, "headers": written})
    await send({"type": "http.response.body", "body": body})


async def respond_json(send: Send, data: Any, status: int = 200) -> None:
    """Write JSON data."""
    await respond(send, status, jsontext.write(data).encode())


async def respond_problem(send: Send, problem: Problem) -> None:
    """Write a problem."""
    await respond(send, problem.status, problem.content, problem.media_type, problem.headers)
