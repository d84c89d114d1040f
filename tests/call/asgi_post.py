"""One request to an ASGI application, without a server or a client library around it."""

from __future__ import annotations

import asyncio
from typing import Any

__all__ = ["post"]


async def post(app: Any, path: str, body: bytes) -> tuple[int, bytes]:
    """Post JSON, and return the status and the body of the answer; the client stays connected."""
    sent: list[Any] = []
    messages = [{"type": "http.request", "body": body}]

    async def receive() -> Any:
        return messages.pop() if messages else await asyncio.Event().wait()

    async def send(message: Any) -> None:
        sent.append(message)

    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"host", b"localhost"),
    ]
    scope = {
        "type": "http",
        "method": "POST",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "scheme": "http",
        "http_version": "1.1",
        "headers": headers,
        "client": ("127.0.0.1", 1),
        "server": ("localhost", 80),
    }
    await app(scope, receive, send)
    return sent[0]["status"], sent[1]["body"]
