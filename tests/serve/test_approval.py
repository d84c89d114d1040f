"""A call that waits with a client continues once, as approved, for the user who approved."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pytest
from starlette.testclient import TestClient

from toolhaft import Toolset, tool
from toolhaft.serve import approval, asgi

pytestmark = pytest.mark.requirement("serve-approval")

META: Final = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
}
KEY: Final = b"k" * 32
ACCEPTED: Final = {"approval": {"action": "accept"}}
TEA: Final = {"item": "tea", "count": 2}
SEAL: Final = "the seal does not fit the text and the key."
EXPIRED: Final = f"{approval.EXPIRED}."


class Shop:
    """Tools of which one waits for approval, and the orders."""

    def __init__(self, **options: Any) -> None:
        self.ordered: list[str] = []
        self.options = options

        @tool(requires_approval=True)
        def order(item: str, count: int = 1) -> str:
            """Order something."""
            self.ordered.append(item)
            return f"{count} {item}"

        @tool
        def look(item: str, count: int = 1) -> str:
            """Look at something."""
            return f"{count} {item}"

        self.tools = Toolset([order, look, order.replace(name="order_again")], **options)

    def start(self, **options: Any) -> Client:
        """Start a server of these tools, as another process would."""
        return Client(asgi(self.tools, context=user_of, key=KEY, **options))


class Client:
    """Calls tools in the newest revision, as one user or another."""

    def __init__(self, app: Any) -> None:
        self._http = TestClient(app, base_url="http://localhost:80")

    def call(self, name: str, arguments: Any, user: str = "ann", **params: Any) -> Any:
        params |= {"name": name, "arguments": arguments, "_meta": META}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        headers = {
            "accept": "application/json, text/event-stream",
            "mcp-protocol-version": "2026-07-28",
            "mcp-method": "tools/call",
            "mcp-name": name,
            "user": user,
        }
        return self._http.post("/mcp", json=message, headers=headers).json()

    def ask(self, arguments: Any = TEA, user: str = "ann") -> str:
        """Call a tool that waits; return the state to go on with."""
        return str(self.call("order", arguments, user)["result"]["requestState"])

    def resume(
        self, state: str, name: str = "order", arguments: Any = TEA, user: str = "ann"
    ) -> str:
        """Continue an approved call; return its model's text."""
        answer = self.call(name, arguments, user, requestState=state, inputResponses=ACCEPTED)
        if "error" in answer:
            return str(answer["error"]["message"])
        return str(answer["result"]["content"][0]["text"])


def user_of(request: Any) -> dict[str, str]:
    return {"user": request.headers["user"]}


def refusal(reason: str) -> str:
    return f"This call cannot be resumed and was not run: {reason}"


def test_the_call_that_was_approved_runs_once() -> None:
    shop = Shop()
    client = shop.start()
    state = client.ask()
    assert client.resume(state) == "2 tea"
    assert client.resume(state) == "This call has been decided already and was not run again."
    assert shop.ordered == ["tea"]


@pytest.mark.parametrize("responses", [None, {}, {"other": {"action": "accept"}}])
def test_a_retry_without_an_answer_asks_again_and_decides_nothing(
    responses: Any, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "toolhaft.access")
    shop = Shop()
    client = shop.start()
    first = client.call("order", TEA)["result"]
    state = first["requestState"]
    again = client.call("order", TEA, requestState=state, inputResponses=responses)["result"]
    assert again == first
    logged = [record.access for record in caplog.records]  # type: ignore[attr-defined]
    assert [(one["tool"], one["kind"]) for one in logged] == [("order", "approval_required")] * 2
    assert shop.ordered == []
    assert client.resume(state) == "2 tea"


@pytest.mark.parametrize("action", ["decline", "cancel"])
def test_an_answer_that_is_no_consent_is_final(action: str) -> None:
    shop = Shop()
    client = shop.start()
    state = client.ask()
    answers = {"approval": {"action": action}}
    client.call("order", TEA, requestState=state, inputResponses=answers)
    assert client.resume(state) == "This call has been decided already and was not run again."
    assert shop.ordered == []


@pytest.mark.parametrize(
    "other",
    [
        {"name": "look"},
        {"name": "order_again"},
        {"arguments": {"item": "tea", "count": 3}},
        {"arguments": {}},
        {"user": "bob"},
    ],
)
def test_another_call_and_another_caller_cannot_go_on_with_it(other: Any) -> None:
    shop = Shop()
    client = shop.start()
    state = client.ask()
    assert client.resume(state, **other) == refusal(SEAL)
    assert shop.ordered == []
    assert client.resume(state) == "2 tea"


def test_a_tool_that_is_hidden_by_then_is_not_there() -> None:
    hidden: list[str] = []
    shop = Shop(visible=lambda one, _: one.name not in hidden)
    client = shop.start()
    state = client.ask()
    hidden += ["order", "order_again"]
    assert client.resume(state) == "There is no tool named order. Available tools: look."
    assert shop.ordered == []


def test_a_call_waits_no_longer_than_an_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    shop = Shop()
    client = shop.start()
    monkeypatch.setattr("toolhaft.serve.approval.time.time", lambda: 1_000_000_000.0)
    state = client.ask()
    monkeypatch.setattr("toolhaft.serve.approval.time.time", lambda: 1_000_003_600.0)
    assert client.resume(state) == refusal(EXPIRED)
    assert client.resume(state.replace("1000003600", "1000009999", 1)) == refusal(SEAL)
    monkeypatch.setattr("toolhaft.serve.approval.time.time", lambda: 1_000_003_599.0)
    assert client.resume(state) == "2 tea"


@pytest.mark.parametrize("state", ["", "x", "9" * 5_000, "9999999999 ", "٣ {}", "{}"])
def test_what_is_no_state_runs_nothing(state: str) -> None:
    shop = Shop()
    assert shop.start().resume(state).startswith(refusal(""))
    assert shop.ordered == []


def test_a_server_that_starts_later_with_the_file_does_not_run_it_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from toolhaft.call.once_token import SPENT
    from toolhaft.serve.state import State

    opened: list[State] = []

    class OpenedState(State):
        def __init__(self, path: str) -> None:
            super().__init__(path)
            opened.append(self)

    monkeypatch.setattr("toolhaft.serve.state.State", OpenedState)
    shop, path = Shop(), str(tmp_path / "state")
    first = shop.start(state=path)
    state = first.ask()
    assert first.resume(state) == "2 tea"
    opened[0].close()
    SPENT.nonces.clear()  # what only the first process knew
    later = shop.start(state=path)
    assert later.resume(state) == "This call has been decided already and was not run again."
    assert later.resume(later.ask()) == "2 tea"
    assert shop.ordered == ["tea", "tea"]


def test_nobody_goes_on_where_nothing_tells_callers_apart() -> None:
    shop = Shop()
    client = Client(asgi(shop.tools, context=lambda request: object(), key=KEY))
    result = client.call("order", TEA)["result"]
    assert (result["isError"], "requestState" in result) == (True, False)


def test_the_question_shows_what_a_reader_would_not_see() -> None:
    arguments = {"item": "tea\u202eevil\u2066\u200b\u2028\x1b[8m"}
    asked = Shop().start().call("order", arguments)["result"]["inputRequests"]
    message = asked["approval"]["params"]["message"]
    shown = r'{"item":"tea\u202eevil\u2066\u200b\u2028\u001b[8m","count":1}'
    assert message == f"Run order with {shown}?"
