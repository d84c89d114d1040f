"""Send requests by the program's own client, and check that it leaves their address alone."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import Any, Final
from urllib.parse import urlsplit

from toolhaft.call.invalid import ForeignFailure, ForeignTimeout
from toolhaft.definition.signature import MISSING, Handler, read_handler
from toolhaft.errors import DefinitionError, Fault
from toolhaft.imports.openapi.document import Refused
from toolhaft.imports.openapi.parameters import Sent, sent_as
from toolhaft.imports.openapi.paths import ABSOLUTE
from toolhaft.imports.openapi.requests import Request

__all__ = ["Client", "ClientError", "telling_failures"]

CLIENT: Final = "pass a client that has request(method, url, headers=, content=), as httpx has"
PROBE: Final = "probe=a%2Cb,c"
ANYTHING: Final = "*/*"
LEAKS: Final = "follows redirects, and takes its credentials to other hosts"
NO_REDIRECTS: Final = "pass a client with follow_redirects=False"
# Headers of a client that do not identify the sender.
HARMLESS: Final = frozenset(
    {"accept", "accept-encoding", "accept-language", "connection", "content-type", "user-agent"}
)
# Headers that are always the request's, whatever the client's defaults are.
OF_A_REQUEST: Final = frozenset({"content-type", "cookie"})
# Base classes of timeouts: of httpx, and of the standard library.
TIMEOUTS: Final = frozenset({"TimeoutException", "TimeoutError"})
# The same for refused and lost connections; whether the request arrived is unknown.
UNCONNECTED: Final = frozenset({"TransportError", "ConnectionError"})


class ClientError(Exception):
    """The client would send, or has sent, a request to another address than the one meant."""


class Client:
    """A client of httpx or with its `request`, sync or async; authentication is its own affair.

    Raises:
        DefinitionError: It is none, or it changes the addresses that it is given.
    """

    def __init__(self, client: Any) -> None:
        request = getattr(client, "request", None)
        handler = read_handler(request)
        if isinstance(client, type) or not callable(request) or not _takes_content(handler):
            raise DefinitionError([Fault("client", "", "cannot send a request", CLIENT)])
        self.client = client
        self.request = request
        self.is_async = handler is not None and handler.asynchronous
        self._build = getattr(client, "build_request", None)
        if self._leaks():
            raise DefinitionError([Fault("client", "follow_redirects", LEAKS, NO_REDIRECTS)])

    def _leaks(self) -> bool:
        """Check whether a redirect to another host would take credentials along.

        Libraries drop `Authorization` on the way to another origin, but no header of another name.
        """
        if not getattr(self.client, "follow_redirects", False):
            return False
        has_auth = getattr(self.client, "auth", None) is not None
        return has_auth or any(
            place == "cookie" or name not in HARMLESS for place, name in self.own_parameters()
        )

    def own_headers(self) -> set[str]:
        """Return the headers that the client sends with every request, as servers compare them."""
        headers = getattr(self.client, "headers", None) or {}
        names = {sent_as("header", str(name))[1] for name in headers}
        return names - {"accept"} if headers.get("accept", ANYTHING) == ANYTHING else names

    def own_parameters(self) -> set[Sent]:
        """Return the headers and cookies that the client sends by itself."""
        cookies = getattr(self.client, "cookies", None) or ()
        return {("header", name) for name in self.own_headers()} | {
            sent_as("cookie", str(name)) for name in cookies
        }

    @property
    def base_url(self) -> str | None:
        """The address that the client itself is set to, if any."""
        url = getattr(self.client, "base_url", None)
        return str(url) or None if url is not None else None

    def normalise(self, base_url: str) -> str:
        """Return an address as the client writes it; check that the client changes nothing else.

        Raises:
            Refused: The client cannot send to it.
        """
        if self._build is None:
            return base_url
        try:
            address = str(self._build("GET", f"{base_url}/?{PROBE}").url)
        except Exception:  # noqa: BLE001 - each library has its own classes
            raise Refused("servers", "no address for the client", ABSOLUTE) from None
        base, slash, query = address.rpartition("/?")
        if not slash or not query.startswith(PROBE):
            reason = "replaces the query of a request by its own params"
            fix = "give them by its auth, not by params="
            raise DefinitionError([Fault("client", "params", reason, fix)])
        # The host may be spelled otherwise, and a default port left out.
        if urlsplit(base)[::2] != urlsplit(base_url)[::2]:
            raise DefinitionError([Fault("client", "", "changes the address of a request", CLIENT)])
        return base

    def send(self, request: Request) -> Any:
        """Send a request, and give the response or what gives it when it is awaited.

        Raises:
            ClientError: The client changes the address; nothing was sent.
        """
        method, url, headers, content = request
        if self._leaks():
            raise ClientError("the client follows redirects with its credentials")
        cookies = ""
        if self._build is not None:
            built = self._build(method, url)
            cookies = built.headers.get("cookie", "")
            if not _is_same(str(built.url), url):
                raise ClientError("the client changes the address of the request")
        headers = self._beside_own(headers, cookies)
        return self.request(method, url, headers=headers, content=content)

    def _beside_own(self, headers: Mapping[str, str], cookies: str) -> dict[str, str]:
        """Leave out headers that the client has by now, and merge cookies.

        A header of cookies would replace that of the client's jar.
        """
        own = self.own_headers() - OF_A_REQUEST
        beside = {
            name: text for name, text in headers.items() if sent_as("header", name)[1] not in own
        }
        if cookies and "Cookie" in beside:
            taken = {_cookie_name(each) for each in cookies.split(";")}
            pairs = beside["Cookie"].split("; ")
            added = [each for each in pairs if _cookie_name(each) not in taken]
            beside["Cookie"] = "; ".join([cookies, *added])
        return beside

    @staticmethod
    def check(response: Any, request: Request) -> None:
        """Check where a request went, before a redirect that the client followed.

        Raises:
            ClientError: It went to another address.
        """
        first = next(iter(getattr(response, "history", None) or ()), response)
        sent = getattr(getattr(first, "request", None), "url", None)
        if sent is not None and not _is_same(str(sent), request.url):
            raise ClientError("the client changed the address of the request")


@contextmanager
def telling_failures(tool: str) -> Generator[None]:
    """Translate timeouts and lost connections of a client, known by the names of their classes.

    Raises:
        ForeignTimeout: The client waited as long as it allows.
        ForeignFailure: There was no connection, or it was lost.
    """
    try:
        yield
    except Exception as error:
        kinds = {kind.__name__ for kind in type(error).__mro__}
        if kinds & TIMEOUTS:
            reason = "no answer within the client's own time"
            raise ForeignTimeout(tool, reason, "unknown") from None
        if kinds & UNCONNECTED:
            raise ForeignFailure(f"no connection: {type(error).__name__}: {error}") from None
        raise


def _takes_content(handler: Handler | None) -> bool:
    """Whether a request may have `content=`; of what is no Python function, nothing is known."""
    if handler is None or handler.keywords is not MISSING:
        return True
    return any(parameter.name == "content" for parameter in handler.parameters)


def _cookie_name(pair: str) -> str:
    return pair.partition("=")[0].strip().lower()


def _is_same(sent: str, meant: str) -> bool:
    """Whether an address is the one meant; the client's auth may have added to its query."""
    return sent == meant or sent.startswith(f"{meant}{'&' if '?' in meant else '?'}")
