"""Bearer tokens: the allowed callers, and where a client gets a token (RFC 6750, RFC 9728)."""

from __future__ import annotations

import hmac
import time
from collections.abc import Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, urlsplit

from toolhaft.serve.request import Head
from toolhaft.serve.responses import Refused, Scope

if TYPE_CHECKING:
    from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
    from mcp.server.auth.provider import AccessToken, TokenVerifier

__all__ = ["Auth", "OneToken", "name_principal", "name_token_owner"]

WELL_KNOWN: Final = "/.well-known/oauth-protected-resource"
# A text of these alone is a part of a principal as it is.
VISIBLE: Final = "".join(chr(code) for code in range(0x21, 0x7F) if chr(code) != "%")


class OneToken:
    """A verifier of one token, which stores only its digest."""

    def __init__(self, token: str) -> None:
        self._digest = sha256(token.encode()).digest()

    def matches(self, token: str) -> bool:
        """Compare a token with the accepted one, in a time that does not depend on it."""
        return hmac.compare_digest(sha256(token.encode()).digest(), self._digest)

    async def verify_token(self, token: str) -> AccessToken | None:
        from mcp.server.auth.provider import AccessToken

        if not self.matches(token):
            return None
        return AccessToken(token="", client_id="token", scopes=[])


class Auth:
    """Require a bearer token, and tell clients where to get one (RFC 6750, RFC 9728).

    Args:
        verifier: A token verifier of the MCP SDK.
        resource: The URL by which clients know the server. With it, only tokens made for it are
            accepted, and clients can read its metadata.
        authorization_servers: The addresses of the servers that issue tokens.
        scopes: The scopes that a token needs.

    >>> Auth(OneToken("s3cret"), resource="https://tools.example/mcp").metadata_path
    b'/.well-known/oauth-protected-resource/mcp'
    """

    def __init__(
        self,
        verifier: TokenVerifier,
        *,
        resource: str | None = None,
        authorization_servers: Sequence[str] = (),
        scopes: Sequence[str] = (),
    ) -> None:
        self._verifier = verifier
        self._resource = resource
        self._servers = list(authorization_servers)
        self._scopes = list(scopes)

    @property
    def metadata_path(self) -> bytes | None:
        """The path of the metadata of the resource; None without `resource`."""
        if self._resource is None:
            return None
        return (WELL_KNOWN + urlsplit(self._resource).path.rstrip("/")).encode()

    @property
    def metadata(self) -> dict[str, Any]:
        """The metadata of the resource, for a client that has no token yet."""
        scopes = {"scopes_supported": self._scopes} if self._scopes else {}
        methods = {"bearer_methods_supported": ["header"]}
        servers = {"authorization_servers": self._servers}
        return {"resource": self._resource, **servers, **methods, **scopes}

    async def require_user(self, head: Head) -> AuthenticatedUser:
        """Verify the token of a request, and return its owner.

        Args:
            head: The head of the request.

        Raises:
            Refused: There is no valid token (401), or it lacks a scope (403).
        """
        from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser

        scheme, _, token = (head.get(b"authorization") or b"").partition(b" ")
        if scheme.lower() != b"bearer" or not token:
            raise Refused(
                401, "no bearer token; send authorization: Bearer TOKEN", self._challenge(head)
            )
        access = await self._verifier.verify_token(token.strip().decode("latin-1"))
        if access is None or not self._counts(access):
            raise Refused(
                401,
                "the token is unknown or has expired; get a new one",
                self._challenge(head, "invalid_token"),
            )
        if not set(self._scopes) <= set(access.scopes):
            raise Refused(
                403,
                "the token lacks a scope; get one with all scopes",
                self._challenge(head, "insufficient_scope"),
            )
        return AuthenticatedUser(access)

    def _counts(self, access: AccessToken) -> bool:
        is_late = access.expires_at is not None and access.expires_at <= time.time()
        return not is_late and (self._resource is None or access.resource == self._resource)

    def _challenge(self, head: Head, error: str = "") -> tuple[bytes, bytes]:
        parts = [f'error="{error}"'] if error else []
        if self._resource is not None and self.metadata_path is not None:
            scheme, host, *_ = urlsplit(self._resource)
            # Below the mount point: the rest of the host may not be ours.
            url = f"{scheme}://{host}{head.root}{self.metadata_path.decode()}"
            parts.append(f'resource_metadata="{url}"')
        if self._scopes:
            parts.append(f'scope="{" ".join(self._scopes)}"')
        return b"www-authenticate", f"Bearer {', '.join(parts)}".strip().encode()


def name_token_owner(scope: Scope | None) -> str | None:
    """Return the owner of a request's token for people to read."""
    user = None if scope is None else scope.get("user")
    if user is None:
        return None
    from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser

    if not isinstance(user, AuthenticatedUser):
        return None
    token = user.access_token
    return getattr(token, "subject", None) or token.client_id


def name_principal(scope: Scope | None) -> str | None:
    """Return the key of the owner of a request's token: the client, its subject and its issuer.

    Each part stands without spaces, so that two owners never have one key: `app`, or
    `app sub=ann iss=https://login.example`. None without a token.
    """
    user = None if scope is None else scope.get("user")
    if user is None:
        return None
    from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
    from mcp.server.auth.provider import principal_components

    if not isinstance(user, AuthenticatedUser):  # a user of the outer application
        return None
    client, issuer, subject = principal_components(user.access_token)
    named = {"sub": subject, "iss": issuer}
    parts = [f"{name}={_quoted(part)}" for name, part in named.items() if part is not None]
    return " ".join([_quoted(client), *parts])


def _quoted(part: str) -> str:
    """Encode what is no visible character of ASCII, and the percent sign."""
    return quote(part, safe=VISIBLE, errors="surrogatepass")
