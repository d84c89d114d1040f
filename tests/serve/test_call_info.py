"""Facts that a served tool has of its call: the authenticated client, and a key."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken

from tests.serve.served import served
from tests.serve.test_auth import RESOURCE, Verifier
from toolhaft import CallInfo, Toolset, tool
from toolhaft.serve.auth import Auth, name_principal
from toolhaft.serve.state import State

pytestmark = [pytest.mark.requirement("call-info"), pytest.mark.requirement("call-key")]
TOKEN: dict[str, Any] = {"authorization": "Bearer right"}


class Shown:
    """Tools that show what they know of their call."""

    def __init__(self) -> None:
        self.seen: list[CallInfo] = []

        @tool
        def act(call: CallInfo) -> None:
            """Act."""
            self.seen.append(call)

        reading = act.replace(name="read", annotations={"readOnlyHint": True})
        asking = act.replace(name="ask", requires_approval=True)
        self.tools = Toolset([act, reading, asking], approve=lambda _: True)


def auth() -> Auth:
    return Auth(Verifier(), resource=RESOURCE, scopes=["call"])


def test_over_http_the_client_is_known_by_its_token() -> None:
    shown = Shown()
    with served(shown.tools, auth=auth()) as server:
        for name in ("act", "read", "ask"):
            assert server.request("POST", f"/tools/{name}", **TOKEN).status == 200
    assert [call.tool for call in shown.seen] == ["act", "read", "ask"]
    assert {call.principal for call in shown.seen} == {"client sub=ann"}
    assert {(call.id, call.origin, call.attempt) for call in shown.seen} == {(None, "direct", 1)}


def test_without_tokens_there_is_no_principal() -> None:
    shown = Shown()
    with served(shown.tools) as server:
        server.request("POST", "/tools/act")
    assert [call.principal for call in shown.seen] == [None]


def test_an_idempotency_key_gives_one_key_for_a_caller_and_a_tool(tmp_path: Path) -> None:
    def user_of(request: Any) -> dict[str, str | None]:
        return {"user": request.headers.get("user")}

    shown = Shown()
    requests = [
        ("read", "ann", "k"), ("read", "ann", "k"), ("act", "ann", "k"), ("act", "bob", "k"),
        ("act", "ann", "other"), ("act", "ann", ""), ("act", "ann", ""),
    ]  # fmt: skip
    with served(shown.tools, context=user_of, state=State(str(tmp_path / "keys"))) as server:
        for name, user, key in requests:
            headers: Any = {"idempotency_key": key} if key else {}
            assert server.request("POST", f"/tools/{name}", user=user, **headers).status == 200
    keys = [call.key for call in shown.seen]
    assert keys[0] == keys[1]
    assert len({*keys}) == len(keys) - 1
    assert "k" not in keys


def test_a_program_is_no_caller_over_http_and_mcp() -> None:
    ran: list[str] = []

    @tool(allowed_callers={"programmatic"})
    def act() -> None:
        """Act."""
        ran.append("act")

    with served(Toolset([act])) as server:
        refused = server.request("POST", "/tools/act", b'{"caller": {"type": "program"}}')
        assert (refused.status, refused.json["kind"]) == (403, "denied")

        async def call() -> Any:
            from mcp import Client

            async with Client(f"{server.url}/mcp") as client:
                return await client.call_tool("act", {})

        assert asyncio.run(call()).is_error
    assert ran == []


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_over_mcp_the_client_is_known_by_its_token(mode: Any) -> None:
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client
    from mcp.shared._httpx_utils import create_mcp_http_client

    shown = Shown()

    async def call(url: str) -> None:
        async with create_mcp_http_client(headers=TOKEN) as http:
            transport = streamable_http_client(url, http_client=http)
            async with Client(transport, mode=mode) as client:
                await client.call_tool("act", {})

    with served(shown.tools, auth=auth()) as server:
        asyncio.run(call(f"{server.url}/mcp"))
    [info] = shown.seen
    assert (info.id, info.origin) == (None, "direct")
    assert info.principal == "client sub=ann"


@pytest.mark.parametrize(
    ("client", "subject", "issuer", "principal"),
    [
        ("app", None, None, "app"),
        ("app", "ann", "https://login.example", "app sub=ann iss=https://login.example"),
        ("app sub=ann", None, None, "app%20sub=ann"),
        ("app%20sub=ann", None, None, "app%2520sub=ann"),
        ("äpp", "", None, "%C3%A4pp sub="),
        ("https://app.example/id.json", "\n", None, "https://app.example/id.json sub=%0A"),
    ],
)
def test_the_key_of_a_principal_is_read_in_one_way(
    client: str, subject: str | None, issuer: str | None, principal: str
) -> None:
    claims = None if issuer is None else {"iss": issuer}
    token = AccessToken(token="t", client_id=client, scopes=[], subject=subject, claims=claims)
    assert name_principal({"user": AuthenticatedUser(token)}) == principal
