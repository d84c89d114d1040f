"""Clients: their required interface, and that they change no address."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import httpx
import httpx2
import pytest

from tests.imports.openapi.pets import BASE, Sent, failed, operation, parameter, response
from toolhaft import DefinitionError, from_openapi

DOCUMENT = operation(parameter("q", explode=False))


@pytest.mark.requirement("openapi-client")
def test_httpx_and_httpx2_are_used_alike_sync_and_async() -> None:
    for library in (httpx, httpx2):
        seen: list[str] = []

        def answer(request: Any, library: Any = library, seen: list[str] = seen) -> Any:
            seen.append(str(request.url))
            return library.Response(200, json={"ok": True})

        transport = library.MockTransport(answer)
        with library.Client(transport=transport) as client:
            tools = from_openapi(DOCUMENT, client=client)
            assert tools.call_sync("call", {"q": ["a,b", "c"]}).unwrap() == {"ok": True}
        tools = from_openapi(DOCUMENT, client=library.AsyncClient(transport=transport))
        assert asyncio.run(tools.call("call", {"q": "é"})).unwrap() == {"ok": True}
        assert seen == [f"{BASE}/things?q=a%2Cb,c", f"{BASE}/things?q=%C3%A9"]


@pytest.mark.requirement("openapi-client")
def test_anything_with_their_request_will_do() -> None:
    calls: list[Any] = []

    def request(method: str, url: str, *, headers: Any, content: Any) -> Any:
        calls.append((method, url, headers, content))
        return SimpleNamespace(status_code=200, headers={}, content=b"hello")

    tools = from_openapi(DOCUMENT, client=SimpleNamespace(request=request))
    assert tools.call_sync("call", {"q": 1}).unwrap() == "hello"
    assert calls == [("GET", f"{BASE}/things?q=1", {}, None)]


class Session:
    """A client of the shape of requests."""

    def request(self, method: str, url: str, headers: Any = None, data: Any = None) -> Any:
        raise AssertionError((method, url, headers, data))


def test_what_is_no_client_is_told_with_what_one_has() -> None:
    for client in (None, object(), httpx.Client, Session()):
        with pytest.raises(DefinitionError) as caught:
            from_openapi(DOCUMENT, client=client)
        assert str(caught.value) == (
            "client: cannot send a request; "
            "pass a client that has request(method, url, headers=, content=), as httpx has"
        )


@pytest.mark.requirement("openapi-secrets")
def test_the_client_authenticates_and_a_key_that_its_auth_adds_is_its_own() -> None:
    class Key(httpx.Auth):
        def auth_flow(self, request: httpx.Request) -> Any:
            request.url = request.url.copy_merge_params({"key": "S3CRET"})
            request.headers["authorization"] = "Bearer S3CRET"
            yield request

    sent = Sent()
    tools = from_openapi(operation(parameter("q")), client=sent.client(auth=Key()))
    tools.call_sync("call", {"q": "x"}).unwrap()
    assert sent.targets == ["GET /v1/things?q=x&key=S3CRET"]
    assert "S3CRET" not in str(tools["call"].input_schema.json_schema())


@pytest.mark.requirement("openapi-in-place")
def test_a_client_that_would_replace_the_query_is_refused_at_once() -> None:
    with pytest.raises(DefinitionError) as caught:
        from_openapi(DOCUMENT, client=Sent().client(params={"key": "S3CRET"}))
    assert str(caught.value) == (
        "client.params: replaces the query of a request by its own params; "
        "give them by its auth, not by params="
    )


@pytest.mark.requirement("openapi-in-place")
def test_a_client_that_changes_an_address_sends_nothing() -> None:
    class Careless(httpx.Client):
        """Changes a part of every address."""

        part: tuple[str, str] = ("", "")

        def build_request(self, method: str, url: Any, **options: Any) -> httpx.Request:
            return super().build_request(method, str(url).replace(*self.part), **options)

    sent = Sent()
    client = Careless(transport=httpx.MockTransport(sent))
    for part, reason in (
        (("%2C", ","), "replaces the query of a request"),
        (("/v1", "/v2"), "changes the address of a request"),
    ):
        client.part = part
        with pytest.raises(DefinitionError, match=reason):
            from_openapi(operation(), client=client)
    client.part = ("/things", "/admin")
    outcome = failed(from_openapi(operation(), client=client).call_sync("call"))
    assert (outcome.kind, sent.requests) == ("runtime_error", [])


@pytest.mark.requirement("openapi-in-place")
def test_where_a_request_went_is_checked_before_the_redirects() -> None:
    first = SimpleNamespace(request=SimpleNamespace(url="https://evil.test/"), history=[])
    redirected = SimpleNamespace(
        status_code=200,
        headers={},
        content=b"x",
        request=SimpleNamespace(url="https://elsewhere.test/"),
        history=[SimpleNamespace(request=SimpleNamespace(url=f"{BASE}/things"))],
    )
    tools = from_openapi(operation(), client=SimpleNamespace(request=lambda *_, **__: redirected))
    assert tools.call_sync("call").unwrap() == "x"
    tools = from_openapi(operation(), client=SimpleNamespace(request=lambda *_, **__: first))
    outcome = failed(tools.call_sync("call"))
    assert (outcome.kind, outcome.effect) == ("runtime_error", "unknown")


@pytest.mark.requirement("openapi-errors")
def test_a_timeout_of_the_client_is_one_of_the_call() -> None:
    def wait(request: httpx.Request) -> httpx.Response:
        raise httpx.ReadTimeout("S3CRET", request=request)

    client = httpx.AsyncClient(transport=httpx.MockTransport(wait))
    outcomes = [
        from_openapi(operation(), client=Sent(wait).client()).call_sync("call"),
        asyncio.run(from_openapi(operation(), client=client).call("call")),
    ]
    told = [(failed(one).kind, failed(one).effect, "S3CRET" in one.text) for one in outcomes]
    assert told == [("timeout", "unknown", False)] * 2


@pytest.mark.requirement("openapi-errors")
def test_without_a_connection_the_log_has_one_line(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused by api.test", request=request)

    outcome = failed(from_openapi(operation(), client=Sent(refuse).client()).call_sync("call"))
    assert (outcome.kind, outcome.effect) == ("runtime_error", "unknown")
    assert "api.test" not in outcome.text
    [record] = caplog.records
    assert record.exc_info is None
    assert "failed: no connection: ConnectError: refused by api.test" in record.getMessage()


def test_what_a_client_accepts_itself_stays() -> None:
    sent = Sent()
    document = operation(responses=response({}))
    for headers in ({}, {"accept": "application/vnd.own+json"}):
        client = sent.client(headers=headers)
        from_openapi(document, client=client).call_sync("call").unwrap()
    assert [request.headers["accept"] for request in sent.requests] == [
        "application/json",
        "application/vnd.own+json",
    ]


@pytest.mark.requirement("openapi-secrets")
def test_what_the_client_sends_with_every_request_is_no_argument() -> None:
    sent = Sent()
    client = sent.client(headers={"X-Tenant": "own"}, cookies={"session": "own"})
    document = operation(
        parameter("x-tenant", "header"),
        parameter("User_Agent", "header"),
        parameter("X-Other", "header"),
        parameter("Session", "cookie"),
        parameter("lang", "cookie"),
    )
    tools = from_openapi(document, client=client)
    assert [each.field for each in tools.left_out] == [
        "header x-tenant (the client's own)",
        "header User_Agent (the client's own)",
        "cookie Session (the client's own)",
    ]
    tools.call_sync("call", {"X-Other": "a", "lang": "b"}).unwrap()
    [request] = sent.requests
    assert (request.headers["x-tenant"], request.headers["x-other"]) == ("own", "a")
    assert request.headers.get_list("cookie") == ["session=own; lang=b"]


@pytest.mark.requirement("openapi-secrets")
@pytest.mark.parametrize("library", [httpx, httpx2])
def test_what_the_client_has_got_since_wins(library: Any) -> None:
    requests: list[Any] = []

    def answer(request: Any) -> Any:
        requests.append(request)
        return library.Response(204)

    client = library.Client(transport=library.MockTransport(answer))
    document = operation(
        parameter("X-Tenant", "header"),
        parameter("X_Tenant", "header"),
        parameter("session", "cookie"),
        parameter("a", "cookie"),
    )
    tools = from_openapi(document, client=client)
    client.headers["x-tenant"] = "own"
    client.cookies["session"] = "own"
    arguments = {"X-Tenant": "evil", "X_Tenant": "evil", "session": "evil", "a": "b"}
    tools.call_sync("call", arguments).unwrap()
    assert requests[0].headers.get_list("x-tenant") == ["own"]
    assert "x_tenant" not in requests[0].headers
    assert requests[0].headers.get_list("cookie") == ["session=own; a=b"]


def test_a_person_approves_the_arguments_that_are_sent() -> None:
    sent = Sent()
    tools = from_openapi(operation(parameter("q")), client=sent.client())
    seen: list[Any] = []

    def approve(prepared: Any) -> bool:
        seen.append(dict(prepared.arguments))
        return True

    asking = tools["call"].replace(requires_approval=True)
    refused = failed(asking.call_sync({"q": []}, approve=approve))
    assert (refused.kind, seen) == ("invalid_input", [])
    asking.call_sync({"q": "x"}, approve=approve).unwrap()
    assert (seen, sent.targets) == ([{"q": "x"}], ["GET /v1/things?q=x"])


@pytest.mark.requirement("openapi-redirects")
@pytest.mark.parametrize("library", [httpx, httpx2])
@pytest.mark.parametrize(
    "credentials",
    [
        {"headers": {"X-API-Key": "secret"}},
        {"headers": {"Authorization": "Bearer secret"}},
        {"cookies": {"session": "secret"}},
        {"auth": ("ann", "secret")},
    ],
)
def test_a_client_with_credentials_that_follows_redirects_is_rejected(
    library: Any, credentials: dict[str, Any]
) -> None:
    client = library.Client(base_url=BASE, follow_redirects=True, **credentials)
    with pytest.raises(DefinitionError) as caught:
        from_openapi(operation(), client=client)
    assert str(caught.value) == (
        "client.follow_redirects: follows redirects, and takes its credentials to other hosts; "
        "pass a client with follow_redirects=False"
    )


@pytest.mark.requirement("openapi-redirects")
def test_a_client_without_credentials_may_follow_redirects_until_it_has_some() -> None:
    client = httpx.Client(
        base_url=BASE,
        follow_redirects=True,
        headers={"User-Agent": "ours"},
        transport=httpx.MockTransport(lambda _: httpx.Response(204)),
    )
    [tool] = from_openapi(operation(), client=client)
    assert tool.call_sync({})
    client.headers["X-API-Key"] = "secret"
    outcome = tool.call_sync({})
    assert not outcome
    assert outcome.kind == "runtime_error"
