"""A server on this machine that records what arrives, byte for byte."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

__all__ = ["Arrived", "recording_server"]


class Arrived(NamedTuple):
    """One request as it was on the wire."""

    method: str
    target: str
    headers: list[tuple[str, str]]
    body: bytes

    def header(self, name: str) -> str | None:
        values = [value for key, value in self.headers if key.lower() == name.lower()]
        assert len(values) < 2, f"{name} came twice"
        return values[0] if values else None


@contextmanager
def recording_server() -> Generator[tuple[str, list[Arrived]]]:
    """Serve on a free port; give the address, and the list that grows."""
    arrived: list[Arrived] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            body = self.rfile.read(length)
            arrived.append(Arrived(self.command, self.path, self.headers.items(), body))
            self.send_response(204)
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            pass

    for method in ("GET", "PUT", "POST", "DELETE", "PATCH", "QUERY"):
        setattr(Handler, f"do_{method}", Handler.answer)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", arrived
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
