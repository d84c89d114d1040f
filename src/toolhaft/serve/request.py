"""The head and the body of a request, read once and strictly."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Generator
from functools import partial
from typing import Any, Final, Generic, TypeVar
from urllib.parse import quote, unquote_to_bytes

from toolhaft.serve.limits import Limits
from toolhaft.serve.responses import Receive, Refused, Scope

__all__ = ["READING", "Begun", "Head", "read_body", "replay", "require_method", "unquote"]

READING: Final = ("GET", "HEAD")

# Headers that may stand only once: two parties of a connection could each read another one.
SINGLE: Final = frozenset(
    {
        b"authorization",
        b"content-encoding",
        b"content-length",
        b"content-type",
        b"host",
        b"idempotency-key",
        b"mcp-protocol-version",
        b"mcp-session-id",
        b"origin",
        b"sec-fetch-site",
        b"transfer-encoding",
    }
)
# Read and thrown away before a body that is too long is refused, so that its sender, which may
# look for the answer only when all is sent, is still there to read it.
DISCARDED_BYTES: Final = 8 << 20


class Head:
    """Method, path and headers: `path` is the raw one, below `root`, where the app is mounted."""

    __slots__ = ("headers", "method", "path", "root")

    def __init__(self, scope: Scope) -> None:
        self.method: str = scope["method"]
        root = scope.get("root_path", "").rstrip("/")
        self.root: str = quote(root)
        self.headers: dict[bytes, bytes] = {}
        headers = self.headers
        for name, value in scope["headers"]:
            if name not in headers:
                headers[name] = value.strip()
            elif name in SINGLE:
                raise Refused(400, f"the header {name.decode()} is sent twice; send it once")
            else:  # one list in several lines (RFC 9110, 5.3)
                headers[name] += b", " + value.strip()
        # A target may have scheme and host too (RFC 9112, 3.2.2): only if they are the header's.
        origin = b"http://" + headers.get(b"host", b"")
        # Some ASGI servers have no raw path, only the decoded one.
        sent: bytes = scope.get("raw_path") or scope["path"].encode()
        self.path: bytes = _path_below(root, sent.removeprefix(origin))

    def get(self, name: bytes) -> bytes | None:
        return self.headers.get(name)

    @property
    def has_body(self) -> bool:
        """Whether a body is announced."""
        length = self.headers.get(b"content-length", b"0")
        return length != b"0" or b"transfer-encoding" in self.headers


def require_method(head: Head, *methods: str) -> None:
    """Require one of the methods of a path.

    Raises:
        Refused: It is another one (405).
    """
    if head.method not in methods:
        allowed = ", ".join(methods)
        raise Refused(405, f"this path takes {allowed}", (b"allow", allowed.encode()))


def _path_below(root: str, sent: bytes) -> bytes:
    """Remove the mount point from a raw path: servers give the mount point decoded."""
    sent_root = b"/".join(sent.split(b"/", root.count("/") + 1)[: root.count("/") + 1])
    return sent[len(sent_root) :] if root and unquote(sent_root) == root else sent


def unquote(segment: bytes) -> str | None:
    """Return one segment of a raw path as text, or None if it is not UTF-8."""
    try:
        return unquote_to_bytes(segment).decode()
    except UnicodeDecodeError:
        return None


async def read_body(head: Head, receive: Receive, limits: Limits) -> bytes:
    """Read the whole body, in time and within the limit.

    Raises:
        Refused: It is too long (413), too slow (408), or the client went away (400).
    """
    if not head.has_body:
        return b""
    reading = Begun(_read_within(receive, limits.body_bytes))
    try:
        if reading.is_done:  # most bodies come with their head, and cost no timer
            body = reading.result
        else:
            async with asyncio.timeout(limits.body_seconds):
                body = await reading
    except TimeoutError:
        raise Refused(408, f"the body took longer than {limits.body_seconds:g} seconds") from None
    if body is None:
        raise Refused(413, f"the body is longer than {limits.body_bytes:,} bytes; send less")
    return body


async def _read_within(receive: Receive, limit: int) -> bytes | None:
    """Read a body; None for one that is longer than the limit."""
    chunks: list[bytes] = []
    length, more = 0, True
    while more and length <= limit + DISCARDED_BYTES:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Refused(400, "the client went away before its body was whole")
        chunk = message.get("body", b"")
        length += len(chunk)
        if length <= limit:
            chunks.append(chunk)
        more = message.get("more_body", False)
    return b"".join(chunks) if length <= limit else None


def replay(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that delivers a body which was read already, then the data after it."""
    pending = [body]

    async def receive_again() -> Any:
        if pending:
            return {"type": "http.request", "body": pending.pop(), "more_body": False}
        return await receive()

    return receive_again


T = TypeVar("T")


class Begun(Generic[T]):
    """Runs a coroutine as far as it goes without waiting; await it for the rest.

    >>> async def answer() -> int:
    ...     return 42
    >>> begun = Begun(answer())
    >>> begun.is_done, begun.result
    (True, 42)
    """

    __slots__ = ("_awaited", "_coroutine", "is_done", "result")

    def __init__(self, coroutine: Coroutine[Any, Any, T]) -> None:
        self._coroutine = coroutine
        self.is_done = False
        self.result: T
        self._step(partial(coroutine.send, None))

    def _step(self, step: Callable[[], Any]) -> None:
        try:
            self._awaited = step()
        except StopIteration as done:
            self.is_done, self.result = True, done.value

    def __await__(self) -> Generator[Any, Any, T]:
        """Wait for what the coroutine waits for, and run the rest of it."""
        while not self.is_done:
            try:
                sent = yield self._awaited
            except BaseException as error:  # noqa: BLE001  a cancellation, which the coroutine gets
                self._step(partial(self._coroutine.throw, error))
            else:
                self._step(partial(self._coroutine.send, sent))
        return self.result
