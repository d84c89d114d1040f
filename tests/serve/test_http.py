"""Tools over plain HTTP: the body is the arguments, the answer the result or a problem."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from openapi_spec_validator import validate
from starlette.testclient import TestClient

from tests.serve.served import Address, Transfers, read_response, served
from toolhaft import Context, Err, Injected, Report, ToolError, Toolset, from_json, tool
from toolhaft.observers.details import CallStarted
from toolhaft.observers.limits import RateLimit
from toolhaft.serve import asgi
from toolhaft.serve.limits import LIMITS, Limits
from toolhaft.serve.server import bind, make_server
from toolhaft.serve.state import State


@tool(annotations={"readOnlyHint": True}, title="Weather")
def weather(city: str, days: int = 1) -> dict[str, int]:
    """Say how warm it will be."""
    return {"days": days}


@tool
def status() -> str:
    """Say how things are."""
    return "fine"


@tool
def fails(how: str) -> None:
    """Fail."""
    if how == "words":
        raise ToolError("sold out")
    if how == "gone":
        raise ToolError("no such order", status=410)
    if how == "moved":
        raise ToolError("moved", status=301)
    raise RuntimeError("the password is hunter2")


@tool(requires_approval=True)
def order(item: str, count: int = 1) -> str:
    """Order something."""
    return f"{count} {item}"


@tool(timeout=0.01)
async def sleeps() -> None:
    """Take too long."""
    import asyncio

    await asyncio.Event().wait()


@tool
def wrong() -> int:
    """Give what it does not declare."""
    return "text"  # type: ignore[return-value]


def nobody(*_: Any) -> bool:
    return False


TOOLS = Toolset([weather, status, fails, order, sleeps, wrong])


@pytest.fixture(scope="module")
def server() -> Iterator[Address]:
    with served(TOOLS + Toolset([status.replace(name="denied")], authorize=nobody)) as address:
        yield address


def test_a_call_is_answered_with_its_result_as_json(server: Address) -> None:
    response = server.post("/tools/weather", {"city": "Paris", "days": 3})
    assert (response.status, response.json) == (200, {"days": 3})
    assert response.headers["content-type"] == "application/json"


def test_a_refused_call_is_a_problem_with_its_issues(server: Address) -> None:
    response = server.post("/tools/weather", {"city": 5})
    assert response.status == 422
    assert response.headers["content-type"] == "application/problem+json"
    assert response.json == {
        "title": "Unprocessable Content",
        "status": 422,
        "detail": "Please rewrite the input with valid arguments. "
        "Errors: city: expected string, received integer",
        "kind": "invalid_input",
        "effect": "none",
        "retryable": False,
        "error_id": None,
        "issues": [
            {
                "code": "type",
                "expected": "string",
                "message": "expected string, received integer",
                "path": ["city"],
                "received": "integer",
            }
        ],
    }


@pytest.mark.requirement("serve-status")
@pytest.mark.parametrize(
    ("path", "arguments", "status", "kind", "effect"),
    [
        ("weather", {"city": 5}, 422, "invalid_input", "none"),
        ("wether", {}, 404, "unknown_tool", "none"),
        ("denied", {}, 403, "denied", "none"),
        ("order", {"item": "tea"}, 403, "approval_required", "none"),
        ("fails", {"how": "words"}, 409, "tool_error", "unknown"),
        ("fails", {"how": "gone"}, 410, "tool_error", "unknown"),
        ("fails", {"how": "moved"}, 500, "runtime_error", "unknown"),
        ("fails", {"how": "crash"}, 500, "runtime_error", "unknown"),
        ("wrong", {}, 500, "output_invalid", "done"),
        ("sleeps", {}, 504, "timeout", "unknown"),
    ],
)
def test_each_kind_of_outcome_has_its_status(
    server: Address, path: str, arguments: Any, status: int, kind: str, effect: str
) -> None:
    response = server.post(f"/tools/{path}", arguments)
    found = (response.status, response.json["kind"], response.json["effect"])
    assert found == (status, kind, effect)
    assert "hunter2" not in response.body.decode()


@pytest.mark.requirement("serve-status")
def test_a_caller_that_comes_too_often_reads_when_to_come_again() -> None:
    class Full:
        def admit(self, call: CallStarted) -> Err | None:
            return call.refusal("overloaded", "all lines are busy")

    rate = RateLimit(1, seconds=60, clock=lambda: 0.0)
    answers = []
    for limiter in (rate, Full()):
        with served(Toolset([status], limiters=[limiter])) as server:
            answers += [server.post("/tools/status", {}) for _ in range(2)]
    found = [(one.status, one.headers.get("retry-after")) for one in answers]
    assert found == [(200, None), (429, "60"), (503, "1"), (503, "1")]
    assert answers[1].json["retryable"] is True


def test_text_that_stops_is_truncated(server: Address) -> None:
    response = server.request("POST", "/tools/weather", b'{"city": "Par')
    assert (response.status, response.json["kind"]) == (422, "truncated")


@pytest.mark.requirement("serve-document-rules")
def test_nothing_is_repaired_unless_the_request_asks_for_it(server: Address) -> None:
    arguments = {"city": "Paris", "days": "3"}
    assert server.post("/tools/weather", arguments).status == 422
    lenient = server.post("/tools/weather", arguments, prefer="handling=lenient")
    assert (lenient.status, lenient.json) == (200, {"days": 3})
    assert lenient.headers["preference-applied"] == "handling=lenient"


@pytest.mark.requirement("serve-document-rules")
@pytest.mark.parametrize(
    ("preferences", "status"),
    [
        (['handling="lenient"'], 200),
        (["Handling=Lenient; x=1"], 200),
        (["respond-async, handling = lenient"], 200),
        (["handling=lenient", "respond-async"], 200),
        (["respond-async", "handling=lenient"], 200),
        (["handling=strict, handling=lenient"], 422),
        (["handling=lenient", "handling=strict"], 200),
        (["nothandling=lenient"], 422),
        (["handling"], 422),
        (["handling=lenientx"], 422),
    ],
)
def test_a_preference_is_read_as_http_has_it(
    server: Address, preferences: list[str], status: int
) -> None:
    body = b'{"city": "Paris", "days": "3"}'
    lines = "".join(f"prefer: {preference}\r\n" for preference in preferences)
    head = server.head("POST", "/tools/weather", body)[:-2] + lines.encode() + b"\r\n"
    assert server.send(head + body).status == status


@pytest.mark.requirement("serve-document-rules")
@pytest.mark.parametrize("body", [b"null", b" null\n", b" ", b"[]", b'"{}"', b"5"])
def test_a_body_that_is_no_object_is_refused(server: Address, body: bytes) -> None:
    response = server.request("POST", "/tools/status", body)
    assert (response.status, response.json["kind"]) == (422, "invalid_input")


def test_no_body_at_all_is_no_arguments(server: Address) -> None:
    assert server.request("POST", "/tools/status").json == "fine"
    assert server.request("POST", "/tools/weather").status == 422


def test_a_tool_and_the_list_of_tools_can_be_read(server: Address) -> None:
    described = server.request("GET", "/tools/weather").json
    assert described == {
        "name": "weather",
        "title": "Weather",
        "description": "Say how warm it will be.",
        "inputSchema": weather.input_schema.json_schema(),
        "outputSchema": {"type": "object", "additionalProperties": {"type": "integer"}},
        "annotations": {"readOnlyHint": True},
    }
    listed = server.request("GET", "/tools").json["tools"]
    assert [one["name"] for one in listed] == [
        "denied", "fails", "order", "sleeps", "status", "weather", "wrong",
    ]  # fmt: skip
    assert described in listed


@pytest.mark.requirement("serve-openapi")
def test_the_openapi_document_is_valid(server: Address) -> None:
    document = server.request("GET", "/openapi.json").json
    validate(document)
    post = document["paths"]["/tools/weather"]["post"]
    assert (post["summary"], post["requestBody"]["required"]) == ("Weather", True)
    assert document["paths"]["/tools/status"]["post"]["requestBody"]["required"] is False


@pytest.mark.parametrize(
    ("method", "path", "allow"),
    [
        ("DELETE", "/tools/weather", "POST, GET, HEAD"),
        ("POST", "/tools", "GET, HEAD"),
        ("OPTIONS", "/openapi.json", "GET, HEAD"),
        ("PUT", "/health", "GET, HEAD"),
        ("PUT", "/mcp", "POST"),
    ],
)
def test_a_path_says_which_methods_it_takes(
    server: Address, method: str, path: str, allow: str
) -> None:
    response = server.request(method, path, b"x", content_type="text/plain")
    assert (response.status, response.headers["allow"]) == (405, allow)


@pytest.mark.parametrize("path", ["/", "/x", "/tools/", "/tools/a/b", "/tools/%ff", "/TOOLS"])
def test_other_paths_are_not_found(server: Address, path: str) -> None:
    assert server.request("GET", path).status == 404


def test_a_name_is_decoded_once() -> None:
    declared = {"name": "a/b", "description": "Do.", "inputSchema": {"type": "object"}}
    with served(from_json([declared], call=lambda *_: "done")) as server:
        assert server.request("POST", "/tools/a%2Fb").json == "done"
        assert server.request("POST", "/tools/a/b").status == 404
        assert server.request("POST", "/tools/a%252Fb").status == 404
        assert server.request("POST", "/tools%2fa%2fb").status == 404
        paths = server.request("GET", "/openapi.json").json["paths"]
        assert sorted(paths) == ["/tools", "/tools/a%2Fb"]


def test_the_context_is_made_from_the_request() -> None:
    @tool
    def who(*, context: Context[dict[str, str]], user: Injected[str]) -> list[str]:
        """Say who asks."""
        return [context["user"], user]

    async def context_of(request: Any) -> dict[str, str]:
        from starlette.exceptions import HTTPException

        if "user" not in request.headers:
            raise HTTPException(401, "say who you are")
        return {"user": request.headers["user"]}

    with served(Toolset([who]), context=context_of) as server:
        assert server.request("POST", "/tools/who", user="ann").json == ["ann", "ann"]
        refused = server.request("POST", "/tools/who")
        assert (refused.status, refused.json["detail"]) == (401, "say who you are")


def test_a_target_may_name_the_host_that_is_served(server: Address) -> None:
    own = server.request("GET", f"{server.url}/tools/weather")
    other = server.request("GET", "http://other.example/tools/weather")
    assert (own.status, other.status) == (200, 404)


def test_a_context_refuses_with_any_status_detail_and_headers() -> None:
    from fastapi import HTTPException

    def refuse(request: Any) -> None:
        raise HTTPException(520, {"why": "closed"}, {"Retry-After": "60"})

    with served(TOOLS, context=refuse) as server:
        refused = server.request("GET", "/tools")
    assert refused.json == {"title": "Refused", "status": 520, "detail": '{"why":"closed"}'}
    assert refused.headers["retry-after"] == "60"


@pytest.mark.parametrize(
    ("status", "detail", "headers"),
    [
        (401, "no", {"X-Why": "a\r\nX-Other: b"}),
        (401, "no", {"X-Why\r\nX-Other": "b"}),
        (401, "no", {"X-Why": "\N{EURO SIGN}"}),
        (401, "no", {"Retry-After": 60}),
        (401, "no", {"Content-Length": "1"}),
        (401, "\ud800", None),
        (401, {"why": object()}, None),
        (200, "done", None),
        ("401", "no", None),
        (1000, "no", None),
    ],
)
def test_a_refusal_that_no_response_can_hold_is_a_failure_of_the_context(
    status: Any, detail: Any, headers: Any
) -> None:
    from fastapi import HTTPException

    def refuse(request: Any) -> None:
        raise HTTPException(status, detail, headers)

    with served(TOOLS, context=refuse) as server:
        refused = server.request("GET", "/tools")
    assert (refused.status, set(refused.json)) == (500, {"title", "status", "detail"})
    assert refused.json["detail"].startswith("the context of the request failed (id ")
    assert "x-other" not in refused.headers


@pytest.mark.parametrize(
    "raised", [SystemExit, KeyboardInterrupt, GeneratorExit, asyncio.CancelledError]
)
def test_a_context_that_asks_to_end_the_program_lets_nothing_run(
    raised: type[BaseException],
) -> None:
    async def end(request: Any) -> Any:
        raise raised

    with served(TOOLS, context=end) as server:
        refused = server.request("GET", "/tools")
    assert refused.json["detail"].startswith("the context of the request failed (id ")


def test_a_context_that_fails_lets_nothing_run() -> None:
    transfers = Transfers()

    def broken(request: Any) -> Any:
        raise KeyError("secret")

    with served(transfers.tools, context=broken) as server:
        response = server.post("/tools/transfer", {"account": "A", "amount": 1})
    assert (response.status, transfers.ran) == (500, [])
    assert "secret" not in response.body.decode()


def test_health_and_readiness_are_told() -> None:
    with served(Toolset()) as server:
        assert server.request("GET", "/health").json == {"status": "ok"}
        assert server.request("GET", "/ready").json == {"status": "ok"}


def test_progress_goes_nowhere_over_plain_http() -> None:
    @tool
    def slow(report: Report) -> str:
        """Report."""
        report(1, 2)
        return "done"

    with served(Toolset([slow])) as server:
        assert server.request("POST", "/tools/slow").json == "done"


@pytest.mark.requirement("serve-visible")
@pytest.mark.parametrize("path", ["order", "place"])
def test_a_hidden_tool_is_answered_as_one_that_is_not_there(path: str, tmp_path: Path) -> None:
    requests: list[tuple[str, bytes, dict[str, str]]] = [
        ("GET", b"", {}),
        ("DELETE", b"", {}),
        ("POST", b"", {}),
        ("POST", b"null", {}),
        ("POST", b"{", {"prefer": "handling=lenient"}),
        ("POST", b"{}", {"idempotency_key": "k" * 201}),
        ("POST", b"{}", {"idempotency_key": "k"}),
        ("POST", b"{}", {"content_type": "text/plain"}),
    ]

    def answers(tools: Toolset) -> list[tuple[int, dict[str, str], bytes]]:
        with served(tools, state=State(str(tmp_path / f"keys{len(tools)}"))) as server:
            responses = [
                server.request(method, f"/tools/{path}", body, **headers)
                for method, body, headers in requests
            ]
        return [(one.status, {**one.headers, "date": ""}, one.body) for one in responses]

    hidden = order.replace(name=path)
    hiding = Toolset([weather, hidden], visible=lambda one, _: one.name != path)
    assert answers(hiding) == answers(Toolset([weather]))


@pytest.mark.requirement("serve-drain")
def test_a_call_that_outlasts_the_drain_is_a_problem_that_says_so() -> None:
    begun, ends = threading.Event(), threading.Event()

    @tool
    def waits() -> str:
        """Wait."""
        begun.set()
        ends.wait(30)
        return "waited"

    with served(Toolset([waits]), limits=Limits(drain_seconds=0.1)) as address:
        connection = address.connect()
        connection.sendall(address.head("POST", "/tools/waits", b"{}") + b"{}")
        assert begun.wait(20)
    response = read_response(connection)
    ends.set()
    connection.close()
    assert (response.status, response.json["kind"], response.json["effect"]) == (
        504,
        "timeout",
        "unknown",
    )


@pytest.mark.requirement("serve-drain")
def test_a_connection_whose_call_ends_in_the_drain_is_said_to_close() -> None:
    @tool
    def stops() -> str:
        """Have the server stop."""
        app.draining = True
        return "stopped"

    app = asgi([stops])
    answer = TestClient(app, base_url="http://localhost:80").post("/tools/stops")
    assert (answer.json(), answer.headers["connection"]) == ("stopped", "close")


@pytest.mark.requirement("serve-drain")
def test_a_server_that_is_told_to_stop_while_it_starts_ends() -> None:
    async def start(scope: Any, receive: Any, send: Any) -> None:
        server.handle_exit(signal.SIGTERM, None)
        await asyncio.sleep(0)
        await app(scope, receive, send)

    app = asgi([status])
    server = make_server(app, LIMITS, lambda: None)
    server.config.app = start
    thread = threading.Thread(target=server.run, args=([bind("127.0.0.1", 0)],), daemon=True)
    thread.start()
    thread.join(20)
    assert not thread.is_alive()


def test_what_a_handler_raises_is_a_problem_though_it_is_a_ctrl_c() -> None:
    @tool
    def interrupts() -> None:
        """Raise what Ctrl-C raises."""
        raise KeyboardInterrupt

    with served(Toolset([interrupts])) as address:
        responses = [address.post("/tools/interrupts", {}) for _ in range(2)]
    for response in responses:
        assert (response.status, response.json["kind"], response.json["effect"]) == (
            500,
            "runtime_error",
            "unknown",
        )


@pytest.mark.requirement("row-33")
def test_a_handler_that_declares_itself_quick_runs_in_the_loop_and_others_do_not() -> None:
    async def loop() -> int:
        """Return the thread of the loop."""
        return threading.get_ident()

    def quick() -> int:
        """Return the thread of the handler."""
        return threading.get_ident()

    tools = [tool(loop), tool(quick, offload=False), tool(quick, name="slow")]
    with served(Toolset(tools)) as server:
        threads = {one.name: server.request("POST", f"/tools/{one.name}").json for one in tools}
    assert threads["quick"] == threads["loop"] != threads["slow"]
