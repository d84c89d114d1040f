"""With tokens, nobody else calls; a client learns where tokens come from."""

from __future__ import annotations

import time
from typing import Any, Final

import pytest
from mcp.server.auth.provider import AccessToken

from tests.serve.served import Response, Transfers, served
from toolhaft import Context, Toolset, tool
from toolhaft.serve.auth import Auth, OneToken

pytestmark = pytest.mark.requirement("serve-auth")

RIGHT: Final = {"account": "A", "amount": 1}
RESOURCE: Final = "https://tools.example/mcp"


class Verifier:
    """Knows tokens by what they are for."""

    async def verify_token(self, token: str) -> AccessToken | None:
        known: dict[str, dict[str, Any]] = {
            "right": {},
            "late": {"expires_at": int(time.time()) - 1},
            "elsewhere": {"resource": "https://other.example/mcp"},
            "less": {"scopes": []},
        }
        if token not in known:
            return None
        fields: dict[str, Any] = {"scopes": ["call"], "resource": RESOURCE, "subject": "ann"}
        fields |= known[token]
        return AccessToken(token=token, client_id="client", **fields)


def challenge(response: Response) -> tuple[int, str]:
    return response.status, response.headers["www-authenticate"]


@pytest.mark.parametrize("path", ["/tools", "/tools/transfer", "/openapi.json", "/mcp", "/none"])
@pytest.mark.parametrize(
    "sent",
    ["", "Bearer", "Bearer wrong", "Basic s3cret", "Bearer s3cretx", "s3cret", "Bearer \xff"],
)
def test_without_the_token_nothing_is_told(path: str, sent: str) -> None:
    transfers = Transfers()
    with served(transfers.tools, auth=Auth(OneToken("s3cret"))) as server:
        for method in ("GET", "POST"):
            answered = server.request(method, path, b"{}", authorization=sent)
            assert answered.status == 401
            assert answered.headers["www-authenticate"].startswith("Bearer")
            assert "transfer" not in answered.body.decode()
        assert server.request("GET", "/health").status == 200


def test_with_the_token_tools_are_called() -> None:
    transfers = Transfers()
    with served(transfers.tools, auth=Auth(OneToken("s3cret"))) as server:
        answered = server.post("/tools/transfer", RIGHT, authorization="bearer s3cret")
        two = server.head("GET", "/tools", authorization="Bearer s3cret")
        two = two[:-2] + b"authorization: Bearer s3cret\r\n\r\n"
        assert server.send(two).status == 400
        document = server.request("GET", "/openapi.json", authorization="Bearer s3cret").json
    assert (answered.status, transfers.ran) == (200, [RIGHT])
    assert document["security"] == [{"token": []}]


def test_a_verifier_decides_and_says_where_tokens_come_from() -> None:
    @tool
    def who(*, context: Context[str]) -> str:
        """Say who asks."""
        return context

    auth = Auth(
        Verifier(),
        resource=RESOURCE,
        authorization_servers=["https://auth.example"],
        scopes=["call"],
    )

    def context_of(request: Any) -> str:
        return str(request.scope["user"].access_token.subject)

    with served(Toolset([who]), auth=auth, context=context_of) as server:
        told = {
            token: server.request("POST", "/tools/who", authorization=f"Bearer {token}")
            for token in ("right", "late", "elsewhere", "less", "none")
        }
        nothing = server.request("POST", "/tools/who")
        path = "/.well-known/oauth-protected-resource/mcp"
        metadata = server.request("GET", path).json
    where = f'resource_metadata="https://tools.example{path}", scope="call"'
    assert (told["right"].status, told["right"].json) == (200, "ann")
    for token in ("late", "elsewhere", "none"):
        assert challenge(told[token]) == (401, f'Bearer error="invalid_token", {where}')
    assert challenge(told["less"]) == (403, f'Bearer error="insufficient_scope", {where}')
    assert challenge(nothing) == (401, f"Bearer {where}")
    assert metadata == {
        "resource": RESOURCE,
        "authorization_servers": ["https://auth.example"],
        "bearer_methods_supported": ["header"],
        "scopes_supported": ["call"],
    }
