"""Check who may speak to the server: exact hosts and origins, and how a body must be declared.

A page in a browser can send requests to a server on the same machine, under a host name that it
controls (DNS rebinding) or across origins. Nothing is answered before these checks, the health of
the server included.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from toolhaft.serve.request import READING, Head
from toolhaft.serve.responses import Refused, Scope

__all__ = ["HOST_FORM", "Guard", "is_host", "require_json"]

HOST: Final = re.compile(r"([a-z0-9_.-]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?", re.IGNORECASE)
ADDRESS: Final = re.compile(rb"([0-9]{1,3}(\.[0-9]{1,3}){3}|\[[0-9a-f:.]+\])(:[0-9]{1,5})?")
PROBES: Final = (b"/health", b"/ready")
LOOPBACK: Final = ("127.0.0.1", "localhost", "[::1]")
DEFAULT_PORTS: Final = (None, 80, 443)
# Fetch Metadata: a page of this origin, or no page at all.
SAME_SITE: Final = (None, b"same-origin", b"none")
JSON_TYPE: Final = re.compile(rb'application/json(?: *; *charset="?utf-8"?)?', re.IGNORECASE)


HOST_FORM: Final = (
    "give a name, and a port where clients send one, as in tools.example:8000; no scheme, no path"
)


def is_host(text: object) -> bool:
    """Whether a text can be the Host of a request.

    >>> is_host("tools.example:8000"), is_host("http://tools.example/")
    (True, False)
    """
    return isinstance(text, str) and HOST.fullmatch(text) is not None


class Guard:
    """The hosts that a server answers to: loopback names at its own port, and the given ones.

    A given host means itself alone: `tools.example` is not `tools.example:8000`. Origins belong to
    the same hosts.

    Raises:
        TypeError: The hosts are one text.
        ValueError: One of them is no host.
    """

    def __init__(self, hosts: Iterable[str] = ()) -> None:
        if isinstance(hosts, str):
            raise TypeError('hosts is one text; pass a list, as in hosts=["tools.example"]')
        hosts = list(hosts)
        for place, host in enumerate(hosts):
            if not is_host(host):
                raise ValueError(f"hosts[{place}]: not a host; {HOST_FORM}")
        self._given = frozenset(host.lower().encode() for host in hosts)
        # By the port of the request, which an embedded application learns only from it.
        self._hosts: dict[int | None, frozenset[bytes]] = {}

    def check(self, head: Head, scope: Scope, *, is_visit: bool = False) -> None:
        """Check the host, the length and the origin of a request.

        A person who follows a link of another site is let in where `is_visit` is set.

        Raises:
            Refused: Its host is not served (421), its length is doubtful (400), or it comes from a
                page of another site (403).
        """
        port = (scope.get("server") or ("", None))[1]
        hosts = self._hosts.get(port) or self._hosts_at(port)
        headers = head.headers
        host = headers.get(b"host", b"").lower()
        if host not in hosts and not _is_probe(head, host):
            raise Refused(421, "this host is not served here; name it in hosts= or --allow-host")
        if b"transfer-encoding" in headers:
            if b"content-length" in headers:
                raise Refused(400, "the body has two lengths; send one")
            if scope.get("http_version") == "1.0":  # RFC 9112, 6.1
                raise Refused(400, "HTTP/1.0 has no chunked bodies; send content-length")
        origin = headers.get(b"origin")
        if origin is not None and not self._is_own(origin.lower(), hosts):
            raise Refused(403, "a page of this origin may not call tools; name its host in hosts=")
        if not is_visit and origin is None and headers.get(b"sec-fetch-site") not in SAME_SITE:
            raise Refused(403, "a page of another site may not call tools; serve it from here")

    def _hosts_at(self, port: int | None) -> frozenset[bytes]:
        names = {f"{name}:{port}".encode() for name in LOOPBACK}
        if port in DEFAULT_PORTS:
            names |= {name.encode() for name in LOOPBACK}
        self._hosts[port] = self._given | names
        return self._hosts[port]

    @staticmethod
    def _is_own(origin: bytes, hosts: frozenset[bytes]) -> bool:
        scheme, separator, host = origin.partition(b"://")
        return bool(separator) and scheme in (b"http", b"https") and host in hosts


def _is_probe(head: Head, host: bytes) -> bool:
    """Check for a probe of health by an address, which no page can rebind to this server."""
    is_health = head.path in PROBES and head.method in READING
    return is_health and ADDRESS.fullmatch(host) is not None


def require_json(head: Head) -> None:
    """Require that a body is declared to be JSON, which no form of a web page can.

    Raises:
        Refused: It is something else (415).
    """
    declared = head.get(b"content-type")
    if declared is None and not head.has_body:
        return
    if declared is None or not JSON_TYPE.fullmatch(declared):
        raise Refused(415, "the body must be JSON: send content-type: application/json")
    if head.get(b"content-encoding") not in (None, b"identity"):
        raise Refused(415, "the body must not be compressed: send no content-encoding")
