"""An idempotency key runs a call that acts once, and its answer is kept for a day."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import stat
import threading
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.serve.served import serve_in_child, served
from toolhaft import ToolError, Toolset, tool
from toolhaft.serve import asgi
from toolhaft.serve.state import KEPT_SECONDS, State, StateError

pytestmark = pytest.mark.requirement("serve-idempotency")


class Orders:
    """A tool that acts, one that only reads, and the record of their runs."""

    def __init__(self, log: Path | None = None) -> None:
        self.made: list[str] = []
        self.go_on = threading.Event()
        self.begun = threading.Event()

        @tool
        def order(item: str) -> str:
            """Order something."""
            self.made.append(item)
            if log is not None:
                with log.open("a") as lines:
                    lines.write(f"{item}\n")
            if item == "none":
                raise ToolError("sold out")
            if item == "slow":
                self.begun.set()
                self.go_on.wait(20)
            return f"order {len(self.made)}"

        @tool(annotations={"readOnlyHint": True})
        def count() -> int:
            """Count the orders."""
            self.made.append("count")
            return len(self.made)

        self.tools = Toolset([order, count])


def status_of(response: Any) -> tuple[int, str | None]:
    return response.status, response.headers.get("idempotency-key-status")


def test_the_same_key_gives_the_same_answer_and_runs_once(tmp_path: Path) -> None:
    orders, path = Orders(), tmp_path / "keys"
    with served(orders.tools, state=State(str(path))) as server:
        first = server.post("/tools/order", {"item": "tea"}, idempotency_key="k1")
        again = server.post("/tools/order", {"item": "tea"}, idempotency_key="k1")
        other = server.post("/tools/order", {"item": "tea"}, idempotency_key="k2")
    assert [status_of(first), status_of(again)] == [(200, "kept"), (200, "replayed")]
    assert (first.json, again.json, other.json) == ("order 1", "order 1", "order 2")
    assert orders.made == ["tea", "tea"]


def test_an_answer_outlives_the_server(tmp_path: Path) -> None:
    orders, path = Orders(), str(tmp_path / "keys")
    for _ in range(2):
        with served(orders.tools, state=(state := State(path))) as server:
            answer = server.post("/tools/order", {"item": "tea"}, idempotency_key="k1")
        state.close()
        assert answer.json == "order 1"
    assert orders.made == ["tea"]


def test_a_failure_that_may_have_acted_is_kept_too(tmp_path: Path) -> None:
    orders = Orders()
    with served(orders.tools, state=State(str(tmp_path / "keys"))) as server:
        first, again = (
            server.post("/tools/order", {"item": "none"}, idempotency_key="k") for _ in range(2)
        )
    assert (first.status, again.status, first.body) == (409, 409, again.body)
    assert again.headers["content-type"] == "application/problem+json"
    assert orders.made == ["none"]


def test_a_call_that_did_nothing_leaves_its_key_free(tmp_path: Path) -> None:
    orders = Orders()
    with served(orders.tools, state=State(str(tmp_path / "keys"))) as server:
        refused = server.post("/tools/order", {"item": 5}, idempotency_key="k")
        assert (refused.status, refused.headers["idempotency-key-status"]) == (422, "not-kept")
        options = {"idempotency_key": "k", "prefer": "handling=lenient"}
        lenient = server.post("/tools/order", {"item": 5}, **options)
        assert (lenient.status, lenient.headers["preference-applied"]) == (422, "handling=lenient")
        assert server.post("/tools/order", {"item": "tea"}, idempotency_key="k").json == "order 1"


def test_a_key_belongs_to_one_call(tmp_path: Path) -> None:
    orders = Orders()
    with served(orders.tools, state=State(str(tmp_path / "keys"))) as server:
        server.post("/tools/order", {"item": "tea"}, idempotency_key="k")
        other = server.post("/tools/order", {"item": "milk"}, idempotency_key="k")
        lenient = server.post(
            "/tools/order", {"item": "tea"}, idempotency_key="k", prefer="handling=lenient"
        )
        same = server.post("/tools/%6frder?x", {"item": "tea"}, idempotency_key="k", prefer="x")
    assert (other.status, lenient.status) == (422, 422)
    assert (status_of(same), orders.made) == ((200, "replayed"), ["tea"])


def user_of(request: Any) -> dict[str, str | None]:
    return {"user": request.headers.get("user")}


def answer_to(server: Any, user: str, **headers: str) -> tuple[int, str | None, Any]:
    response = server.post("/tools/order", {"item": "tea"}, user=user, **headers)
    is_problem = response.headers["content-type"] == "application/problem+json"
    return *status_of(response), response.json["kind"] if is_problem else response.json


def test_a_key_belongs_to_one_caller(tmp_path: Path) -> None:
    orders = Orders()
    with served(orders.tools, state=State(str(tmp_path / "keys")), context=user_of) as server:
        answers = [answer_to(server, user, idempotency_key="k") for user in ("ann", "bob", "ann")]
    assert answers == [
        (200, "kept", "order 1"),
        (200, "kept", "order 2"),
        (200, "replayed", "order 1"),
    ]


def test_a_caller_may_be_known_by_the_identity_of_its_context(tmp_path: Path) -> None:
    class User:
        def __init__(self, request: Any) -> None:
            self.identity = request.headers.get("user")

    orders = Orders()
    with served(orders.tools, state=State(str(tmp_path / "keys")), context=User) as server:
        answers = [answer_to(server, user, idempotency_key="k") for user in ("ann", "bob", "ann")]
    assert [text for _, _, text in answers] == ["order 1", "order 2", "order 1"]


def test_the_key_of_a_caller_that_nothing_tells_apart_is_refused(tmp_path: Path) -> None:
    orders = Orders()
    state = State(str(tmp_path / "keys"))
    with served(orders.tools, state=state, context=lambda request: object()) as server:
        answer = server.post("/tools/order", {"item": "tea"}, idempotency_key="k")
    assert (answer.status, orders.made) == (400, [])


@pytest.mark.parametrize(
    ("option", "refusal"),
    [("authorize", (403, None, "denied")), ("visible", (404, None, "unknown_tool"))],
)
def test_an_answer_is_replayed_only_to_who_may_make_the_call_now(
    tmp_path: Path, option: str, refusal: tuple[Any, ...]
) -> None:
    orders, permitted = Orders(), [True]
    options: Any = {option: lambda *_: permitted[0]}
    tools = Toolset(orders.tools, **options)
    with served(tools, state=State(str(tmp_path / "keys"))) as server:
        first = answer_to(server, "ann", idempotency_key="k")
        permitted[0] = False
        later = answer_to(server, "ann", idempotency_key="k")
        permitted[0] = True
        last = answer_to(server, "ann", idempotency_key="k")
    assert [first, later, last] == [
        (200, "kept", "order 1"),
        refusal,
        (200, "replayed", "order 1"),
    ]
    assert orders.made == ["tea"]


def test_a_key_whose_call_runs_is_not_run_again(tmp_path: Path) -> None:
    orders = Orders()
    answers: list[Any] = []
    with served(orders.tools, state=State(str(tmp_path / "keys"))) as server:

        def send() -> None:
            answers.append(server.post("/tools/order", {"item": "slow"}, idempotency_key="k"))

        thread = threading.Thread(target=send)
        thread.start()
        assert orders.begun.wait(10)
        assert server.post("/tools/order", {"item": "slow"}, idempotency_key="k").status == 409
        orders.go_on.set()
        thread.join()
    assert answers[0].json == "order 1"


def test_what_began_and_has_no_answer_may_have_acted(tmp_path: Path) -> None:
    """The server was killed: its file says that the call began, and nothing more."""
    orders, path = Orders(), str(tmp_path / "keys")
    with served(orders.tools, state=(state := State(path))) as server:
        server.post("/tools/order", {"item": "tea"}, idempotency_key="k")
    state.close()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE calls SET status = 0, body = x''")
    connection.close()
    with served(orders.tools, state=State(path)) as server:
        answer = server.post("/tools/order", {"item": "tea"}, idempotency_key="k")
    assert (answer.status, answer.json["effect"], answer.json["retryable"]) == (
        500,
        "unknown",
        False,
    )
    assert orders.made == ["tea"]


def test_a_day_later_the_key_is_free(tmp_path: Path) -> None:
    state = State(str(tmp_path / "keys"))
    assert state.begin(b"k", b"f", now=1_000.0) is None
    assert state.begin(b"k", b"f", now=1_000.0 + KEPT_SECONDS) is not None
    assert state.begin(b"k", b"f", now=2_000.0 + KEPT_SECONDS) is None


@pytest.mark.parametrize("path", ["/tools/order", "/tools/count", "/tools/none"])
def test_without_a_file_a_key_is_refused_and_not_documented(path: str) -> None:
    orders = Orders()
    with served(orders.tools) as server:
        answer = server.post(path, {"item": "tea"}, idempotency_key="k")
        document = server.request("GET", "/openapi.json").json
    assert (answer.status, answer.json["detail"], orders.made) == (
        400,
        "this server keeps no idempotency keys; start it with --state",
        [],
    )
    assert "Idempotency-Key" not in str(document)


def test_a_tool_that_only_reads_needs_no_key(tmp_path: Path) -> None:
    orders = Orders()
    with served(orders.tools, state=State(str(tmp_path / "keys"))) as server:
        counts = [server.post("/tools/count", {}, idempotency_key="k").json for _ in range(2)]
    assert counts == [1, 2]


@pytest.mark.parametrize("key", ["k" * 201, "kéy"])
def test_a_key_that_is_none_is_refused(tmp_path: Path, key: str) -> None:
    orders = Orders()
    with served(orders.tools, state=State(str(tmp_path / "keys"))) as server:
        assert server.post("/tools/order", {"item": "tea"}, idempotency_key=key).status == 400
    assert orders.made == []


def test_a_name_that_is_sqlites_own_is_a_file_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in (":memory:", "file:x"):
        State(name).close()
        assert Path(name).stat().st_size > 0


def test_the_file_is_its_owners_alone(tmp_path: Path) -> None:
    former = os.umask(0)
    try:
        path = tmp_path / "keys"
        state = State(str(path))
        state.begin(b"k", b"f", 0.0)
        modes = {stat.S_IMODE(one.stat().st_mode) for one in tmp_path.iterdir()}
    finally:
        os.umask(former)
    assert modes == {0o600}


def test_the_file_holds_neither_keys_nor_arguments(tmp_path: Path) -> None:
    orders = Orders()
    with served(orders.tools, state=State(str(tmp_path / "keys"))) as server:
        server.post("/tools/order", {"item": "hunter2"}, idempotency_key="my-secret-key")
    held = b"".join(one.read_bytes() for one in tmp_path.iterdir())
    assert b"hunter2" not in held
    assert b"my-secret-key" not in held


def make_other(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE mine (x)")
    connection.close()
    path.chmod(0o600)


def make_text(path: Path) -> None:
    path.write_text("text " * 200)
    path.chmod(0o600)


def make_open(path: Path) -> None:
    path.touch(0o644)


def make_link(path: Path) -> None:
    path.symlink_to("elsewhere")


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (make_other, "not a file of idempotency keys; name another"),
        (make_text, "not a file of idempotency keys, or damaged; name another"),
        (make_open, "others may read or write it; chmod 600 it"),
        (make_link, "not a regular file; name another"),
        (Path.mkdir, "not a regular file; name another"),
    ],
)
def test_another_file_is_refused_and_left_alone(tmp_path: Path, make: Any, reason: str) -> None:
    path = tmp_path / "keys"
    make(path)
    before = path.read_bytes() if path.is_file() else b""
    with pytest.raises(StateError, match=reason):
        State(str(path))
    assert (path.read_bytes() if path.is_file() else b"") == before


def test_a_forked_server_does_not_share_the_file_of_its_parent(tmp_path: Path) -> None:
    orders = Orders()
    app = asgi(orders.tools, state=str(tmp_path / "keys"))
    client = TestClient(app, base_url="http://localhost:80", headers={"idempotency-key": "k"})
    pid = os.fork()
    if pid == 0:
        ended_as_told = False
        try:
            answer = client.post("/tools/order", json={"item": "tea"})
            ended_as_told = answer.status_code == 503 and orders.made == []
        finally:
            os._exit(0 if ended_as_told else 1)
    assert os.waitpid(pid, 0) == (pid, 0)
    assert client.post("/tools/order", json={"item": "tea"}).json() == "order 1"


def serve_elsewhere(path: str, made: Path) -> tuple[int, Any]:
    """Serve the same tool in another process; return its id and how to reach it."""
    orders = Orders(log=made)
    return serve_in_child(lambda: served(orders.tools, state=State(path)))


def test_a_key_runs_once_in_all_processes_that_share_a_file(tmp_path: Path) -> None:
    path, made = str(tmp_path / "keys"), tmp_path / "made"
    pids, servers = zip(*[serve_elsewhere(path, made) for _ in range(3)], strict=True)
    try:
        answers = [
            server.post("/tools/order", {"item": "tea"}, idempotency_key="k") for server in servers
        ]
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
    assert [status_of(answer)[1] for answer in answers] == ["kept", "replayed", "replayed"]
    assert made.read_text() == "tea\n"


def test_a_call_of_a_busy_process_runs_and_that_of_a_killed_one_may_have_acted(
    tmp_path: Path,
) -> None:
    path, made = str(tmp_path / "keys"), tmp_path / "made"
    pid, server = serve_elsewhere(path, made)
    body = b'{"item": "slow"}'
    with server.connect() as connection, served(Orders().tools, state=State(path)) as other:
        head = server.head("POST", "/tools/order", body, idempotency_key="k")
        connection.sendall(head + body)
        while not made.exists():  # or until the minute of the child is over
            assert os.waitpid(pid, os.WNOHANG) == (0, 0)
        busy = other.post("/tools/order", {"item": "slow"}, idempotency_key="k")
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        dead = other.post("/tools/order", {"item": "slow"}, idempotency_key="k")
    assert (busy.status, dead.status, dead.json["effect"]) == (409, 500, "unknown")
    assert made.read_text() == "slow\n"


def test_a_call_with_a_key_outlives_its_client(tmp_path: Path) -> None:
    begun, release, done = (threading.Event() for _ in range(3))

    @tool
    async def wait() -> None:
        """Wait."""
        begun.set()
        await asyncio.to_thread(release.wait, 20)
        done.set()

    with served(Toolset([wait]), state=State(str(tmp_path / "keys"))) as server:
        with server.connect() as connection:
            connection.sendall(
                server.head("POST", "/tools/wait", b"{}", idempotency_key="k") + b"{}"
            )
            assert begun.wait(20)
        assert server.request("GET", "/health").status == 200
        release.set()
        assert done.wait(20)
