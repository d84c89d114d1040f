"""Tools inside of another application, and without a server of their own."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

import pytest
from fastapi import FastAPI
from mcp import Client
from starlette.applications import Starlette
from starlette.testclient import TestClient

from toolhaft import Context, ContextMissing, DefinitionError, Injected, Toolset, tool
from toolhaft.observers.opentelemetry import OpenTelemetry
from toolhaft.serve import asgi, mount
from toolhaft.serve.auth import Auth, OneToken


@tool
def add(a: int, b: int) -> int:
    """Add two whole numbers."""
    return a + b


ACCEPT = {"accept": "application/json, text/event-stream"}
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
CALL = {"name": "add", "arguments": {"a": 1, "b": 2}, "_meta": META}
MESSAGE = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": CALL}
MODERN = {"mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "add"}


@pytest.mark.requirement("serve-embedded")
@pytest.mark.parametrize("make", [Starlette, FastAPI])
@pytest.mark.parametrize("path", ["/inner", "/in/ner/"])
def test_an_application_has_tools_under_a_path(make: Any, path: str) -> None:
    app = make()
    mount(app, Toolset([add]), path, name="inner")
    prefix = path.rstrip("/")
    for _ in range(2):  # an application may be started again
        with TestClient(app, base_url="http://localhost:80") as client:
            assert client.post(f"{prefix}/tools/add", json={"a": 1, "b": 2}).json() == 3
            called = client.post(f"{prefix}/mcp", json=MESSAGE, headers={**ACCEPT, **MODERN})
            assert called.json()["result"]["structuredContent"] == 3
            assert client.get(f"{prefix}/tools").json()["tools"][0]["name"] == "add"


@pytest.mark.requirement("serve-embedded")
def test_sessions_begin_again_where_what_held_them_ended() -> None:
    app = asgi([add])

    def end_sessions() -> None:
        app._mcp._task.cancel()

    with TestClient(app, base_url="http://localhost:80") as client:
        statuses = []
        for _ in range(2):
            called = client.post("/mcp", json=MESSAGE, headers={**ACCEPT, **MODERN})
            statuses.append(called.status_code)
            assert client.portal is not None
            client.portal.call(end_sessions)
    assert statuses == [200, 200]


@pytest.mark.requirement("serve-embedded")
def test_a_mounted_application_announces_metadata_that_it_serves() -> None:
    larger = Starlette()
    resource = "https://localhost/inner/mcp"
    mount(larger, [add], "/inner", auth=Auth(OneToken("s3cret"), resource=resource))
    client = TestClient(larger, base_url="http://localhost:80")
    challenge = client.post("/inner/mcp", json=MESSAGE).headers["www-authenticate"]
    announced = challenge.removeprefix('Bearer resource_metadata="https://localhost').rstrip('"')
    assert client.get(announced).json()["resource"] == resource


@pytest.mark.requirement("serve-embedded")
def test_a_mount_path_may_need_percent_encoding() -> None:
    larger = Starlette()
    mount(larger, [add], "/our käse")
    client = TestClient(larger, base_url="http://localhost:80")
    path = "/our%20k%C3%A4se"
    assert client.post(f"{path}/tools/add", json={"a": 1, "b": 2}).json() == 3
    assert client.get(f"{path}/openapi.json").json()["servers"] == [{"url": path}]


@pytest.mark.requirement("serve-embedded")
def test_the_document_of_a_mounted_application_says_where_it_is() -> None:
    app = Starlette()
    mount(app, Toolset([add]), "/inner")
    served = asgi([add])
    documents = [
        TestClient(one, base_url="http://localhost:80").get(path).json()
        for one, path in ((app, "/inner/openapi.json"), (served, "/openapi.json"))
    ]
    assert [document.get("servers") for document in documents] == [[{"url": "/inner"}], None]
    assert "/tools/add" in documents[0]["paths"]


@tool
def needs(user: Injected[str]) -> str:
    """Say who asks."""
    return user


@tool
def attributed(city: str, caller: Context[str]) -> str:
    """Say who asks about a city."""
    return f"{caller}: {city}"


@tool
def anonymous(caller: Context[str | None] = None) -> str:
    """Say who asks, if anybody is known."""
    return caller or "nobody"


@pytest.mark.requirement("serve-embedded")
@pytest.mark.parametrize(
    ("tools", "options", "error", "words"),
    [
        (add, {}, DefinitionError, "not a list of tools; pass a list, as in Toolset"),
        (
            [needs],
            {},
            ContextMissing,
            "needs: no context was passed, and user needs one; pass context=",
        ),
        (
            [add, attributed],
            {},
            ContextMissing,
            "attributed: no context was passed, and caller needs one; pass context=",
        ),
        (
            [needs, attributed],
            {"context": None},
            ContextMissing,
            "needs: no context was passed, and user needs one",
        ),
        ([add], {"hosts": "tools.example"}, TypeError, "hosts is one text; pass a list"),
        ([add], {"hosts": ["a", "http://a/"]}, ValueError, r"hosts\[1\]: not a host; give a name"),
        ([add], {"hosts": ["*"]}, ValueError, r"hosts\[0\]: not a host; give a name"),
        (
            [add],
            {"context": {"user": "ann"}},
            TypeError,
            "context: expected a function of the request",
        ),
        ([add], {"key": b"short"}, ValueError, "key is short; pass at least 32 random bytes"),
        ([add], {"key": "k" * 32}, TypeError, "key is not bytes; pass os.urandom"),
    ],
)
def test_what_cannot_be_served_is_told_at_the_start(
    tools: Any, options: Any, error: type[Exception], words: str
) -> None:
    for make in (asgi, partial(mount, Starlette())):
        with pytest.raises(error, match=words):
            make(tools, **options)


@pytest.mark.requirement("context-missing-early")
def test_a_tool_that_takes_a_context_is_served_with_a_function_that_makes_one() -> None:
    app = asgi([attributed, anonymous], context=lambda _: None)
    with TestClient(app, base_url="http://localhost:80") as client:
        assert client.post("/tools/attributed", json={"city": "Oslo"}).json() == "None: Oslo"
    with TestClient(asgi([anonymous]), base_url="http://localhost:80") as client:
        assert client.post("/tools/anonymous", json={}).json() == "nobody"


@pytest.mark.requirement("context-missing-early")
def test_an_mcp_server_of_a_tool_that_takes_a_context_needs_a_function_that_makes_one() -> None:
    with pytest.raises(ContextMissing, match="attributed: no context was passed, and caller"):
        Toolset([attributed]).as_mcp_server()
    assert Toolset([attributed]).as_mcp_server(context=lambda _: "ann") is not None


@pytest.mark.requirement("serve-embedded")
def test_two_applications_are_not_mounted_at_one_path() -> None:
    app = Starlette()
    mount(app, [add], "/inner")
    mount(app, [add], "/other")
    with pytest.raises(ValueError, match="something is mounted there already; choose another"):
        mount(app, [add], "/inner/")


@pytest.mark.requirement("serve-embedded")
def test_a_host_that_is_not_served_says_how_to_serve_it() -> None:
    answer = TestClient(asgi([add]), base_url="http://tools.example").get("/tools")
    words = "this host is not served here; name it in hosts= or --allow-host"
    assert (answer.status_code, answer.json()["detail"]) == (421, words)


@pytest.mark.requirement("serve-embedded")
def test_an_application_answers_to_the_hosts_that_it_was_given() -> None:
    app = asgi(Toolset([add]), hosts=["tools.example"])
    statuses = [
        TestClient(app, base_url=f"http://{host}").get("/tools").status_code
        for host in ("tools.example", "testserver", "TOOLS.example")
    ]
    assert statuses == [200, 421, 200]
    origin = {"origin": "https://tools.example"}
    assert TestClient(app, base_url="http://tools.example").get("/tools", headers=origin).is_success


@pytest.mark.requirement("serve-embedded")
def test_tools_are_a_server_of_the_official_sdk() -> None:
    @tool
    def who(*, context: Context[Any]) -> str:
        """Say who asks."""
        return str(context)

    async def talk() -> Any:
        server = Toolset([who]).as_mcp_server("ours", context=lambda request: request)
        async with Client(server) as client:
            return (await client.call_tool("who", {})).structured_content

    assert asyncio.run(talk()) == "None"


@pytest.mark.requirement("serve-embedded")
def test_a_request_to_a_transport_of_the_sdk_has_the_context_of_its_caller() -> None:
    @tool
    def who(*, context: Context[Any]) -> str:
        """Say who asks."""
        return str(context)

    def context_of(request: Any) -> str:
        return "local" if request is None else str(request.headers["user"])

    def shown(_: Any, user: Any) -> bool:
        return bool(user != "bob")

    tools = Toolset([who], visible=shown)
    app = tools.as_mcp_server(context=context_of).streamable_http_app(json_response=True)
    params = {"name": "who", "arguments": {}, "_meta": META}
    headers = {**ACCEPT, **MODERN, "mcp-name": "who"}
    with TestClient(app, base_url="http://127.0.0.1:8000") as client:
        answers = [
            client.post(
                "/mcp", json={**MESSAGE, "params": params}, headers={**headers, "user": user}
            ).json()
            for user in ("ann", "bob")
        ]
    assert answers[0]["result"]["structuredContent"] == "ann"
    assert answers[1]["error"]["message"] == "There is no tool named who."


@pytest.mark.requirement("serve-visible")
def test_a_tool_that_is_shown_no_more_while_a_list_is_made_is_in_no_later_list() -> None:
    answers = iter([True, False, True, True])
    client = TestClient(
        asgi(Toolset([add], visible=lambda *_: next(answers))), base_url="http://localhost:80"
    )
    lists = [client.get("/tools").json()["tools"] for _ in range(2)]
    assert [len(tools) for tools in lists] == [0, 1]


@pytest.mark.parametrize("root", ["/api", "/api/"])
@pytest.mark.parametrize("target", [b"/api/tools/add", b"http://localhost/api/tools/add"])
def test_an_application_behind_a_path_is_asked_by_it(root: str, target: bytes) -> None:
    app = asgi(Toolset([add]))

    async def behind(scope: Any, receive: Any, send: Any) -> None:
        await app(scope | {"root_path": root, "raw_path": target}, receive, send)

    client = TestClient(behind, base_url="http://localhost:80")
    assert client.post("/tools/add", json={"a": 1, "b": 2}).json() == 3


@pytest.mark.requirement("serve-trace")
def test_a_call_is_part_of_the_trace_that_its_request_names() -> None:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    observer = OpenTelemetry(provider.get_tracer("test"))
    client = TestClient(asgi(Toolset([add], observers=[observer])), base_url="http://localhost:80")
    trace = {"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}
    arguments = {"a": 1, "b": 2}
    assert client.post("/tools/add", json=arguments, headers=trace).json() == 3
    called = client.post("/mcp", json=MESSAGE, headers={**ACCEPT, **MODERN, **trace})
    assert called.json()["result"]["structuredContent"] == 3
    assert client.post("/tools/add", json=arguments).json() == 3
    spans = exporter.get_finished_spans()
    traces = [f"{span.context.trace_id:032x}" for span in spans if span.context]
    assert traces[:2] == ["0af7651916cd43dd8448eb211c80319c"] * 2
    assert traces[2] not in traces[:2]


@pytest.mark.requirement("serve-embedded")
@pytest.mark.parametrize(("origin", "status"), [("app.example", 200), ("evil.example", 403)])
def test_a_page_of_a_named_host_calls_tools_through_cors(origin: str, status: int) -> None:
    from starlette.middleware.cors import CORSMiddleware

    app = asgi([add], hosts=["testserver", "app.example"])
    page = CORSMiddleware(app, allow_origins=["https://app.example"], allow_methods=["POST"])
    headers = {"origin": f"https://{origin}", "sec-fetch-site": "cross-site"}
    called = TestClient(page).post("/tools/add", json={"a": 1, "b": 2}, headers=headers)
    allowed = called.headers.get("access-control-allow-origin")
    assert (called.status_code, allowed) == (status, headers["origin"] if status == 200 else None)
