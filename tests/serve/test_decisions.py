"""A call that waits over HTTP runs once, as an approver saw it, for its caller alone."""

from __future__ import annotations

import os
import signal
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import pytest
from openapi_spec_validator import validate

from tests.serve.served import Address, Response, serve_in_child, served
from toolhaft import Context, Deny, Toolset, tool
from toolhaft.serve import asgi, decisions
from toolhaft.serve.approvers import Decider, one_approver
from toolhaft.serve.auth import Auth, OneToken
from toolhaft.serve.state import State

pytestmark = pytest.mark.requirement("serve-decisions")

TEA: Final = {"item": "tea", "count": 2}


class Shop:
    """Tools that wait for approval, the orders, and their callers."""

    def __init__(self, folder: Path, **options: Any) -> None:
        self.log = folder / "ordered"
        self.folder = folder

        @tool(requires_approval=True)
        def order(item: str, count: int = 1, *, user: Context[dict[str, str]]) -> str:
            """Order something."""
            with self.log.open("a") as log:
                log.write(f"{user['user']}: {count} {item}\n")
            if item == "hang":
                os.kill(os.getpid(), signal.SIGKILL)
            return f"{count} {item}"

        hidden = order.transform(hide={"count": 7}).replace(name="order_seven")
        self.tools = Toolset([order, hidden], **options)

    @property
    def ordered(self) -> list[str]:
        return self.log.read_text().splitlines() if self.log.exists() else []

    def serve(self, **options: Any) -> Any:
        """Serve the tools to users, who are known by a header, and to approvers likewise."""
        chosen = {
            "state": State(str(self.folder / "state")),
            "context": lambda request: {"user": request.headers.get("user", "")},
            "decider": Decider(lambda request: request.headers.get("approver"), again),
            **options,
        }
        return served(self.tools, **chosen)


def again(principal: dict[str, Any]) -> Any:
    return principal["identity"]


def ask(server: Address, arguments: Any = TEA, name: str = "order", **headers: str) -> Response:
    return server.post(f"/tools/{name}", arguments, **{"user": "ann", **headers})


def read(server: Address, path: str, **headers: str) -> Any:
    named: dict[str, Any] = {"user": "ann", **headers}
    answer = server.request("GET", path, **named)
    return answer.json if answer.status == 200 else answer.status


def decide(server: Address, path: str, decision: str, /, by: str = "bob", **more: Any) -> Response:
    """Decide a call as it is now."""
    known = read(server, path, approver=by)
    digest = known["prepared"]["digest"] if "prepared" in known else "x"
    return server.post(path, {"decision": decision, "digest": digest, **more}, approver=by)


def test_an_approved_call_runs_once_with_its_callers_context(tmp_path: Path) -> None:
    shop = Shop(tmp_path)
    with shop.serve() as server:
        asked = ask(server)
        path = asked.headers["location"]
        waiting = read(server, path)
        listed = read(server, "/approvals", approver="bob")["approvals"]
        decided = decide(server, path, "approve")
        twice = server.post(path, {"decision": "approve", "digest": "x"}, approver="bob")
        done = read(server, path)
        seen = read(server, path, approver="bob")
    assert (asked.status, asked.json["approval"]) == (202, path)
    prepared = asked.json["prepared"]
    assert waiting == {
        "id": path.rpartition("/")[2],
        "status": "waiting",
        "expires": waiting["expires"],
        "prepared": prepared,
    }
    assert [one["prepared"] for one in listed] == [prepared]
    assert (decided.status, decided.json["status"], decided.json["approver"]) == (
        200,
        "done",
        "bob",
    )
    assert twice.status == 409
    assert (done["status"], done["result"]) == ("done", "2 tea")
    assert (seen["status"], "result" in seen) == ("done", False)
    assert shop.ordered == ["ann: 2 tea"]


def test_a_denied_call_never_runs_and_its_caller_reads_why(tmp_path: Path) -> None:
    shop = Shop(tmp_path)
    with shop.serve() as server:
        path = ask(server).headers["location"]
        assert decide(server, path, "deny", reason="too\x1bmuch").status == 200
        known = read(server, path)
    assert (known["status"], known["reason"]) == ("denied", r"too\x1bmuch")
    assert shop.ordered == []


def test_an_edited_call_runs_as_it_was_edited_and_keeps_what_is_hidden(tmp_path: Path) -> None:
    shop = Shop(tmp_path)
    with shop.serve() as server:
        path, first = (ask(server).headers["location"] for _ in range(2))
        wrong = decide(server, path, "edit", arguments={"item": 5})
        right = decide(server, path, "edit", arguments={"item": "coffee"})
        seven = ask(server, {"item": "tea"}, "order_seven").headers["location"]
        other = decide(server, seven, "edit", arguments={"item": "cake", "count": 1})
        hidden = decide(server, seven, "edit", arguments={"item": "cake", "count": 7})
        noted = decide(server, first, "edit", arguments={"item": "milk"}, notify_model=True)
        told = read(server, first)
        quiet = read(server, path)
    assert (wrong.status, right.status, hidden.status, noted.status) == (422, 200, 200, 200)
    assert (other.status, other.json["detail"].partition("Errors: ")[2]) == (
        422, "count: hidden, and stays as it is",
    )  # fmt: skip
    assert (told["decision"], told["note"]) == (
        "edit",
        "A person changed these arguments before the call ran: item, count.",
    )
    assert "note" not in quiet
    assert shop.ordered == ["ann: 1 coffee", "ann: 7 cake", "ann: 1 milk"]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"null",
        b'{"decision": "approve"}',
        b'{"decision": "run", "digest": "x"}',
        b'{"decision": ["approve"], "digest": "x"}',
        b'{"decision": "deny", "decision": "approve", "digest": "x"}',
        b'{"decision": "approve", "digest": 5}',
        b'{"decision": "approve", "digest": "x", "arguments": {}}',
        b'{"decision": "approve", "digest": "x", "approver": "ann"}',
        b'{"decision": "edit", "digest": "x", "arguments": []}',
        b'{"decision": "deny", "digest": "x", "reason": 5}',
        b'{"decision": "deny", "digest": "x", "notify_model": true}',
        b'{"decision": "edit", "digest": "x", "arguments": {}, "notify_model": 1}',
        b'{"decision": "deny", "digest": "x", "reason": "' + b"x" * 501 + b'"}',
        b"[" * 10_000,
    ],
)
def test_what_is_no_decision_decides_nothing(tmp_path: Path, body: bytes) -> None:
    shop = Shop(tmp_path)
    with shop.serve() as server:
        path = ask(server).headers["location"]
        answer = server.request("POST", path, body, approver="bob", content_type="application/json")
        assert answer.status == 422
        assert read(server, path)["status"] == "waiting"
    assert shop.ordered == []


def test_an_old_digest_and_a_late_decision_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = Shop(tmp_path)
    with shop.serve() as server:
        path = ask(server).headers["location"]
        old = {"decision": "approve", "digest": "0" * 64}
        assert server.post(path, old, approver="bob").status == 409
        monkeypatch.setattr(decisions, "WAITS_SECONDS", 0)
        late = ask(server).headers["location"]
        assert read(server, late)["status"] == "expired"
        assert decide(server, late, "approve").status == 409
        assert decide(server, path, "approve").status == 200
    assert shop.ordered == ["ann: 2 tea"]


def test_nobody_decides_or_reads_the_calls_of_others(tmp_path: Path) -> None:
    shop = Shop(tmp_path)
    with shop.serve() as server:
        path = ask(server).headers["location"]
        body = {"decision": "approve", "digest": read(server, path)["prepared"]["digest"]}
        assert server.post(path, body, user="ann").status == 403
        assert server.post(path, body, user="eve").status == 404
        assert read(server, path, user="eve") == 404
        assert read(server, "/approvals") == 403
        others = ("/approvals/", "/approvals/x", f"{path}/", f"{path}%00", "/approvals/%2e%2e")
        assert [read(server, other, approver="bob") for other in others] == [404] * len(others)
        assert server.request("DELETE", path, approver="bob").status == 405
        assert server.request("PUT", "/approvals", approver="bob").status == 405
    assert shop.ordered == []


def test_an_approver_does_not_decide_its_own_call(tmp_path: Path) -> None:
    """Whatever part of its context names it, and however long or odd the name is."""
    shop = Shop(tmp_path)
    long = "b" * 100
    context = lambda request: {"user": "x", "identity": request.headers.get("user", "")}  # noqa: E731
    named = {"context": context}
    for options, name, by in (
        ({}, "bob", "bob"),
        (named, "bob", "BOB"),
        (named, long, long),
        ({"context": lambda _: {"user": "x", "id": 7}}, "bob", "7"),
    ):
        with shop.serve(**options) as server:
            path = ask(server, user=name).headers["location"]
            assert decide(server, path, "approve", by=by).status == 403
            assert decide(server, path, "deny", by="carol").status == 200


def test_a_caller_that_lost_its_permission_is_denied(tmp_path: Path) -> None:
    permitted = [True]
    shop = Shop(tmp_path, authorize=lambda _: permitted[0] or Deny("not any more"))
    with shop.serve() as server:
        path = ask(server).headers["location"]
        permitted[0] = False
        assert decide(server, path, "approve").json["status"] == "denied"
        assert read(server, path)["problem"]["kind"] == "denied"
    assert shop.ordered == []


def test_a_key_opens_one_approval(tmp_path: Path) -> None:
    shop = Shop(tmp_path)
    with shop.serve() as server:
        first = ask(server, idempotency_key="k")
        again = ask(server, idempotency_key="k")
        decide(server, first.headers["location"], "approve")
        last = ask(server, idempotency_key="k")
    assert {one.headers["location"] for one in (first, again, last)} == {first.headers["location"]}
    assert shop.ordered == ["ann: 2 tea"]


def test_a_caller_has_at_most_a_hundred_calls_that_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(decisions, "MOST_WAITING", 2)
    shop = Shop(tmp_path)
    with shop.serve() as server:
        statuses = [ask(server).status for _ in range(3)]
        assert [*statuses, ask(server, user="eve").status] == [202, 202, 429, 202]


def test_calls_that_another_key_sealed_do_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(decisions, "MOST_WAITING", 1)
    shop = Shop(tmp_path)
    with shop.serve(key=b"a" * 32) as server:
        assert [ask(server).status, ask(server).status] == [202, 429]
    with shop.serve(key=b"b" * 32) as server:
        assert [ask(server).status, ask(server).status] == [202, 429]


def test_what_was_decided_is_forgotten_but_for_the_result(tmp_path: Path) -> None:
    shop = Shop(tmp_path)
    with shop.serve() as server:
        path = ask(server).headers["location"]
        decide(server, path, "approve")
    assert rows(tmp_path, "call, shown, principal") == [(b"", b"", b"")]


def test_without_an_approver_a_call_that_needs_one_is_denied(tmp_path: Path) -> None:
    shop = Shop(tmp_path)
    with shop.serve(decider=None) as server:
        answer = ask(server)
        assert server.request("GET", "/approvals", user="ann").status == 404
        document = server.request("GET", "/openapi.json").json
    assert (answer.status, answer.json["kind"]) == (403, "approval_required")
    assert "nobody can give it here" in answer.json["detail"]
    assert "/approvals" not in document["paths"]
    assert "202" not in document["paths"]["/tools/order"]["post"]["responses"]


def test_the_document_has_the_approvals(tmp_path: Path) -> None:
    with Shop(tmp_path).serve() as server:
        document = server.request("GET", "/openapi.json").json
    validate(document)
    assert set(document["paths"]) >= {"/approvals", "/approvals/{id}"}
    assert "202" in document["paths"]["/tools/order"]["post"]["responses"]


def test_a_token_for_approvers_calls_nothing_and_the_other_decides_nothing(tmp_path: Path) -> None:
    shop = Shop(tmp_path)
    decider = Decider(one_approver("approver-token"), lambda _: {"user": "x"})
    token = {"authorization": "Bearer caller-token", "user": "ann"}
    approver = {"authorization": "Bearer approver-token"}
    with shop.serve(auth=Auth(OneToken("caller-token")), decider=decider) as server:
        assert ask(server, **approver).status == 401
        path = ask(server, **token).headers["location"]
        body = {"decision": "approve", "digest": read(server, path, **token)["prepared"]["digest"]}
        assert server.post(path, body, **token).status == 403
        assert server.post(path, body).status == 401
        assert server.post(path, body, **approver).status == 200


MCP: Final = {
    "mcp_protocol_version": "2026-07-28",
    "mcp_method": "tools/call",
    "mcp_name": "order",
    "accept": "application/json, text/event-stream",
}


def test_what_the_user_of_an_mcp_client_accepts_is_no_approval(tmp_path: Path) -> None:
    shop = Shop(tmp_path)
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
    }
    accepted = {"requestState": "x", "inputResponses": {"approval": {"action": "accept"}}}
    with shop.serve() as server:
        for more in ({}, accepted):
            params = {"name": "order", "arguments": TEA, "_meta": meta, **more}
            message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
            answer = server.post("/mcp", message, user="ann", **MCP)
            result = answer.json["result"]
            path = result["content"][1]["text"].removeprefix("Its state is at ").rstrip(".")
            assert (result["isError"], "requestState" in result) == (True, False)
            assert read(server, path)["status"] == "waiting"
    assert shop.ordered == []


def test_of_many_decisions_at_once_one_counts(tmp_path: Path) -> None:
    shop = Shop(tmp_path)
    with shop.serve() as first, shop.serve() as second, ThreadPoolExecutor(8) as pool:
        path = ask(first).headers["location"]
        digest = read(second, path)["prepared"]["digest"]
        body = {"decision": "approve", "digest": digest}
        servers = [first, second] * 8
        statuses = pool.map(lambda one: one.post(path, body, approver="bob").status, servers)
        assert sorted(statuses) == [200] + [409] * 15
    assert shop.ordered == ["ann: 2 tea"]


def test_a_call_whose_process_was_killed_is_unknown_and_never_runs_again(tmp_path: Path) -> None:
    shop = Shop(tmp_path)
    pid, other = serve_in_child(shop.serve)
    path = ask(other, {"item": "hang"}).headers["location"]
    decide(other, path, "approve")
    os.waitpid(pid, 0)
    with shop.serve() as server:
        assert read(server, path)["status"] == "unknown"
        assert decide(server, path, "approve").status == 409
    assert shop.ordered == ["ann: 1 hang"]


def test_a_full_disk_is_reported_and_loses_no_call_that_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*arguments: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    shop = Shop(tmp_path)
    state = State(str(tmp_path / "state"))
    with shop.serve(state=state) as server:
        path = ask(server).headers["location"]
        state.connection.execute("PRAGMA query_only=ON")  # as on a full disk: no write succeeds
        answers = [ask(server), decide(server, path, "approve"), decide(server, path, "deny")]
        assert [one.status for one in answers] == [507] * 3
        assert [one.json["detail"].split(",")[0] for one in answers] == [
            "this call needs approval and was not stored",
            "nothing was decided",
            "nothing was decided",
        ]
        state.connection.execute("PRAGMA query_only=OFF")
        assert shop.ordered == []
        assert read(server, path)["status"] == "waiting"
        monkeypatch.setattr(State, "finish_waiting", full)
        unfinished = decide(server, path, "approve")
        assert unfinished.status == 507
        assert unfinished.json["detail"].startswith("the decision was carried out")
        assert read(server, path)["status"] == "unknown"
        assert decide(server, path, "approve").status == 409
    assert shop.ordered == ["ann: 2 tea"]


def test_a_damaged_file_is_reported(tmp_path: Path) -> None:
    shop = Shop(tmp_path)
    state = State(str(tmp_path / "state"))
    with shop.serve(state=state) as server:
        path = ask(server).headers["location"]
        state.connection.execute("DROP TABLE approvals")
        answers = [server.request("GET", one, approver="bob") for one in (path, "/approvals")]
        words = "the calls that wait cannot be read: the state file may be damaged"
        assert [(one.status, one.json["detail"]) for one in answers] == [(500, words)] * 2
        assert server.request("GET", "/health").status == 200


def test_an_endless_time_in_the_file_is_no_error(tmp_path: Path) -> None:
    shop = Shop(tmp_path)
    state = State(str(tmp_path / "state"))
    with shop.serve(state=state) as server:
        path = ask(server).headers["location"]
        state.connection.execute("UPDATE approvals SET until = 9e999")
        assert server.request("GET", path, approver="bob").json["status"] == "waiting"
        assert len(server.request("GET", "/approvals", approver="bob").json["approvals"]) == 1


def test_options_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    shop = Shop(tmp_path)
    approver = lambda request: "bob"  # noqa: E731
    state = str(tmp_path / "state")
    context = lambda request: {"user": "ann"}  # noqa: E731
    with pytest.raises(ValueError, match="calls wait in a file; pass state="):
        asgi(shop.tools, approver=approver, context=context)
    with pytest.raises(ValueError, match="order: it may wait for approval and uses the caller's"):
        asgi(shop.tools, approver=approver, state=state, context=context)
    with pytest.raises(ValueError, match="nobody decides calls; pass approver= too"):
        asgi(shop.tools, context_of_principal=again, state=state, context=context)


def rows(folder: Path, columns: str) -> list[Any]:
    connection = sqlite3.connect(folder / "state")
    found = connection.execute(f"SELECT {columns} FROM approvals").fetchall()
    connection.close()
    return found


def test_the_file_tells_nothing_of_a_call_that_waits_or_was_made(tmp_path: Path) -> None:
    shop = Shop(tmp_path)
    with shop.serve(key=b"k" * 32) as server:
        for item in ("hunter2", "hunter3"):
            path = ask(server, {"item": item}, idempotency_key=item).headers["location"]
        decide(server, path, "approve")
        files = {one: one.read_bytes() for one in tmp_path.glob("state*")}
        replayed = ask(server, {"item": "hunter2"}, idempotency_key="hunter2")
    assert {oct(one.stat().st_mode & 0o777) for one in files} == {"0o600"}
    assert [file.name for file, data in files.items() if b"hunter" in data or b"ann" in data] == []
    assert (replayed.status, "prepared" in replayed.json) == (202, False)


def test_what_another_key_sealed_is_not_read(tmp_path: Path) -> None:
    shop = Shop(tmp_path)
    with shop.serve(key=b"k" * 32) as server:
        path = ask(server).headers["location"]
    with shop.serve(key=b"l" * 32) as server:
        assert read(server, "/approvals", approver="bob") == {"approvals": []}
        assert read(server, path) == 409
        body = {"decision": "approve", "digest": rows(tmp_path, "digest")[0][0]}
        assert server.post(path, body, approver="bob").status == 409
    assert shop.ordered == []


def test_what_has_expired_is_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decisions, "WAITS_SECONDS", 0)
    with Shop(tmp_path).serve() as server:
        path = ask(server).headers["location"]
    with Shop(tmp_path).serve() as server:
        assert read(server, path)["status"] == "expired"
    assert rows(tmp_path, "status, call, shown, principal") == [("expired", b"", b"", b"")]


def test_a_call_of_a_tool_that_is_gone_can_still_be_denied(tmp_path: Path) -> None:
    shop = Shop(tmp_path)
    with shop.serve() as server:
        path = ask(server).headers["location"]
    shop.tools = Toolset([])
    with shop.serve() as server:
        assert decide(server, path, "approve").status == 409
        assert decide(server, path, "deny", reason="too late").status == 200
        assert read(server, path)["status"] == "denied"


def test_a_caller_without_a_context_can_be_denied_but_not_served(tmp_path: Path) -> None:
    def gone(principal: Any) -> Any:
        raise LookupError(principal["principal"])

    shop = Shop(tmp_path)
    with shop.serve(
        decider=Decider(lambda request: request.headers.get("approver"), gone)
    ) as server:
        path = ask(server).headers["location"]
        assert decide(server, path, "approve").status == 500
        assert read(server, path)["status"] == "waiting"
        assert decide(server, path, "deny").status == 200
    assert shop.ordered == []
