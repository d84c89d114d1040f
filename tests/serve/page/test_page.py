"""The page tells its data to who has its token, and a foreign page can neither call nor decide."""

from __future__ import annotations

import asyncio
import itertools
import json
import sqlite3
from pathlib import Path
from typing import Any, Final

import pytest
from starlette.testclient import TestClient

from toolhaft import Context, Image, Report, Toolset, tool
from toolhaft.serve import asgi
from toolhaft.serve.app import App
from toolhaft.serve.approvers import Decider
from toolhaft.serve.catalogue import Catalogue
from toolhaft.serve.options import Options
from toolhaft.serve.page.assets import load_assets
from toolhaft.serve.page.history import History
from toolhaft.serve.page.options import OneTimeCode, PageOptions, Saving
from toolhaft.serve.sealing import Sealing
from toolhaft.serve.state import State

TOKEN: Final = "page-token-of-the-tests"
HOSTILE: Final = "<img src=x onerror=alert(1)>\u202e</script>"
MOST_BYTES: Final = 70_000
TYPES: Final = {
    b"/": "text/html; charset=utf-8",
    b"/inbox": "text/html; charset=utf-8",
    b"css": "text/css; charset=utf-8",
    b"js": "text/javascript; charset=utf-8",
}


@tool(examples=[{"n": 2}])
def double(n: int, report: Report) -> dict[str, int]:
    """Twice a number."""
    report(1, 2, "half")
    return {"twice": 2 * n}


@tool(annotations={"readOnlyHint": True})
def picture(caption: str = "") -> list[str | Image]:
    """Draw something."""
    return [caption or HOSTILE, Image(b"png", "image/png")]


@tool(requires_approval=True)
def pay(amount: int, to: str = "ann") -> str:
    """Pay somebody."""
    return f"{amount} to {to}"


TOOLS: Final = Toolset([double, picture, pay])


class Browser:
    """A client that speaks as the page does."""

    def __init__(self, app: App, token: str = TOKEN, **headers: str) -> None:
        self.client = TestClient(app, base_url="http://localhost:80")
        self.headers = {"authorization": f"Bearer {token}", **headers}

    def get(self, path: str) -> Any:
        answer = self.client.get(f"/page/data/{path}", headers=self.headers)
        return answer.json() if answer.status_code == 200 else answer.status_code

    def post(self, path: str, data: Any) -> Any:
        answer = self.client.post(f"/page/data/{path}", json=data, headers=self.headers)
        return answer.json() if answer.status_code == 200 else answer.status_code

    def call(self, name: str, text: str) -> list[dict[str, Any]]:
        asked = {"tool": name, "text": text}
        answer = self.client.post("/page/data/call", json=asked, headers=self.headers)
        assert answer.status_code == 200, answer.text
        return [json.loads(line) for line in answer.text.splitlines()]


def page(tmp_path: Path, tools: Toolset = TOOLS, **options: Any) -> App:
    state = options.pop("state", str(tmp_path / "state"))
    return asgi(tools, page=True, token=TOKEN, state=state, **options)


@pytest.mark.requirement("serve-page")
def test_the_page_does_not_start_without_a_token_that_nobody_guesses() -> None:
    with pytest.raises(ValueError, match="pass token= too"):
        asgi(TOOLS, page=True)
    with pytest.raises(ValueError, match="at least 16 characters"):
        asgi(TOOLS, page=True, token="short")
    assert TestClient(asgi(TOOLS), base_url="http://localhost:80").get("/").status_code == 404


@pytest.mark.requirement("serve-page")
def test_every_file_comes_with_the_policy_and_tells_nothing_of_the_tools(tmp_path: Path) -> None:
    client = TestClient(page(tmp_path), base_url="http://localhost:80")
    for path in load_assets():
        answer = client.get(path.decode())
        policy = answer.headers["content-security-policy"].split("; ")
        assert answer.status_code == 200
        assert {"default-src 'none'", "frame-ancestors 'none'", "trusted-types 'none'"} <= {*policy}
        assert not any("unsafe" in directive or "http" in directive for directive in policy)
        assert "double" not in answer.text
        assert answer.headers["x-frame-options"] == "DENY"
        assert answer.headers["content-type"] == TYPES[path.rpartition(b".")[2]]
    assert client.post("/").status_code == 405
    missing = client.get("/page/secrets.py")
    assert (missing.status_code, missing.json()["detail"]) == (404, "the page has no such file")
    assert client.get("/page/../app.py").status_code == 404


@pytest.mark.requirement("serve-page")
def test_the_files_fetch_nothing_make_no_markup_and_are_small() -> None:
    loaded = load_assets()
    scripts = {path: asset.content.decode() for path, asset in loaded.items() if b"." in path}
    assert sum(len(text.encode()) for text in scripts.values()) <= MOST_BYTES
    for text in scripts.values():
        for word in (
            "innerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            "://",
            "import(",
        ):
            assert word not in text.replace("https://example.org", "")


@pytest.mark.requirement("serve-page")
def test_data_need_the_token_of_the_page(tmp_path: Path) -> None:
    app = page(tmp_path)
    paths = ["tools", "tools/double", "survey", "history", "history/1", "approvals/x", "nothing"]
    for token in ("", "wrong", TOKEN[:-1]):
        stranger = Browser(app, token)
        assert {stranger.get(path) for path in paths} == {401}
        assert {stranger.post(path, {}) for path in ("call", "save", "wire")} == {401}
    assert Browser(app).get("nothing") == 404
    assert Browser(app).get("inbox") == 404


@pytest.mark.requirement("serve-page")
def test_no_foreign_page_can_call_whatever_it_sends(tmp_path: Path) -> None:
    client = TestClient(page(tmp_path), base_url="http://localhost:80")
    body = json.dumps({"tool": "pay", "text": "{}"})
    hosts = ["localhost", "localhost.evil.example", "127.0.0.1@evil.example"]
    origins = [None, "null", "https://evil.example", "http://localhost:81", "http://localhost"]
    sites = [None, "cross-site", "same-site", "none", "same-origin"]
    types = ["application/json", "text/plain"]
    for host, origin, site, kind in itertools.product(hosts, origins, sites, types):
        named = {"host": host, "origin": origin, "sec-fetch-site": site, "content-type": kind}
        sent = {name: value for name, value in named.items() if value is not None}
        assert client.post("/page/data/call", content=body, headers=sent).status_code >= 400, sent
        is_ours = host == "localhost" and origin in (None, "http://localhost")
        is_ours &= origin is not None or site in (None, "none", "same-origin")
        with_token = {**sent, "authorization": f"Bearer {TOKEN}"}
        status = client.post("/page/data/wire", content=body, headers=with_token).status_code
        assert (status == 422) == (is_ours and kind == "application/json"), sent


@pytest.mark.requirement("serve-page")
def test_a_link_of_another_site_opens_the_page_in_a_window_and_nothing_else(tmp_path: Path) -> None:
    client = TestClient(page(tmp_path), base_url="http://localhost:80")
    sites, modes = ["cross-site", "same-site"], ["navigate", "cors", "no-cors", "nested-navigate"]
    targets = ["document", "iframe", "frame", "embed", "object", "empty", "script"]
    paths = ["/", "/inbox", "/page/app.js", "/page/data/tools", "/tools", "/approvals"]
    for path, site, mode, kind in itertools.product(paths, sites, modes, targets):
        sent = {"sec-fetch-site": site, "sec-fetch-mode": mode, "sec-fetch-dest": kind}
        is_visit = path in ("/", "/inbox") and (mode, kind) == ("navigate", "document")
        answer = client.get(path, headers=sent)
        assert answer.status_code == (200 if is_visit else 403), (path, sent)
        if is_visit:
            assert client.post(path, headers=sent).status_code == 403
            assert client.get(path, headers={**sent, "host": "evil.example"}).status_code == 421


@pytest.mark.requirement("serve-page")
def test_the_page_sees_what_a_caller_of_its_context_may_see(tmp_path: Path) -> None:
    tools = Toolset([double, pay], visible=lambda tool, context: tool.name != context)
    app = page(tmp_path, tools, context=lambda request: request.headers.get("hides"))
    browser = Browser(app, hides="pay")
    assert [one["name"] for one in browser.get("tools")["tools"]] == ["double"]
    assert browser.get("survey").keys() == {"tools"}
    assert browser.get("tools/pay") == 404
    assert browser.post("wire", {"tool": "pay", "target": "openai"}) == 404
    assert browser.call("pay", "{}")[-1]["outcome"]["kind"] == "unknown_tool"


@pytest.mark.requirement("serve-page")
def test_a_tool_is_shown_with_its_examples_and_its_findings(tmp_path: Path) -> None:
    browser = Browser(page(tmp_path))
    listed = browser.get("tools")
    assert [(one["name"], one["acts"], one["waits"]) for one in listed["tools"]] == [
        ("double", True, False),
        ("pay", True, True),
        ("picture", False, False),
    ]
    shown = browser.get("tools/double")
    assert shown["examples"] == [{"n": 2}]
    assert [one["code"] for one in shown["findings"]] == ["TH102"]
    survey = browser.get("survey?target=anthropic")["tools"]
    assert survey["double"]["warning"] == 1
    assert survey["double"]["tokens"] > 20
    assert browser.get("survey?target=nobody") == 422


@pytest.mark.requirement("serve-page")
def test_each_target_shows_its_declaration_its_losses_and_the_call(tmp_path: Path) -> None:
    browser = Browser(page(tmp_path))
    asked = {"tool": "pay", "target": "openai", "strict": "prefer", "text": '{"amount": 3}'}
    strict = browser.post("wire", asked)
    assert strict["strict"] == [True]
    assert strict["declaration"]["parameters"]["required"] == ["amount", "to"]
    assert "/properties/to" in [loss["pointer"] for loss in strict["losses"]]
    [item] = strict["call"]["output"]
    assert json.loads(item["arguments"]) == {"amount": 3, "to": None}
    plain = {**asked, "target": "anthropic", "strict": False}
    assert browser.post("wire", plain)["call"] == {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "model",
        "content": [{"type": "tool_use", "id": "call_1", "name": "pay", "input": {"amount": 3}}],
        "stop_reason": "tool_use",
        "stop_sequence": None,
    }
    for target in browser.get("tools")["targets"]:
        assert browser.post("wire", {**asked, "target": target})["declaration"] is not None
    assert browser.post("wire", {**asked, "strict": False})["strict"] == [False]
    assert browser.post("wire", {"tool": "pay", "target": "openai"})["strict"] == [False]
    assert browser.post("wire", {**asked, "text": "[1]"})["call"] is None
    for target in ("nobody", ["openai"], None):
        assert browser.post("wire", {**asked, "target": target}) == 422


@pytest.mark.requirement("serve-page")
def test_a_call_tells_its_progress_and_its_outcome_in_all_parts(tmp_path: Path) -> None:
    progress, shown = Browser(page(tmp_path)).call("double", '{"n": "9007199254740993"}')
    assert progress == {"progress": {"done": 1, "total": 2, "message": "half"}}
    outcome = shown["outcome"]
    assert outcome["value"] == {"twice": 18014398509481986}
    words = "text was read as a number"
    assert outcome["coercions"] == [{"path": ["n"], "rule": "number_text", "words": words}]
    assert shown["exports"] == {
        "curl": 'curl "$ADDRESS/tools/double" -H "Prefer: handling=lenient" '
        """--json '{"n": "9007199254740993"}'""",
        "Python": """outcome = tools.call_sync('double', '{"n": "9007199254740993"}')""",
        "JSONL": '{"name":"double","arguments":{"n":"9007199254740993"}}',
    }
    assert outcome["text"] == '{"twice":18014398509481986}'
    assert outcome["content"] == []
    assert (outcome["effect"], shown["caller"], shown["kept"]) == ("done", "page", True)
    assert shown["recorded"] == {
        "name": "double",
        "arguments": {"n": "9007199254740993"},
        "kind": "ok",
        "json": {"twice": 18014398509481986},
        "repairs": [[["n"], "number_text"]],
    }


def test_the_text_of_a_model_is_sent_as_it_is(tmp_path: Path) -> None:
    browser = Browser(page(tmp_path))
    texts = {'{"n": 1': "truncated", '{"n": 1, "n": 2}': "invalid_input", '{"n": 1.10}': None}
    for text, kind in texts.items():
        [shown] = browser.call("double", text)
        assert kind is None or shown["outcome"]["kind"] == kind
        assert shown["recorded"]["arguments"] == text


def test_images_come_as_data_and_hostile_texts_as_text(tmp_path: Path) -> None:
    [shown] = Browser(page(tmp_path)).call("picture", "{}")
    text, image = shown["outcome"]["content"]
    assert text == {"type": "text", "text": HOSTILE}
    assert image == {"type": "image", "data": "cG5n", "mimeType": "image/png"}


def test_a_call_that_waits_says_that_nobody_decides(tmp_path: Path) -> None:
    [shown] = Browser(page(tmp_path)).call("pay", '{"amount": 1}')
    assert shown["approval"]["path"] is None
    assert "nobody can give it here" in shown["approval"]["why"]


@pytest.mark.requirement("serve-page")
def test_the_code_that_a_browser_is_started_with_opens_the_page_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    code = OneTimeCode()
    browser = Browser(App(Catalogue(TOOLS), Options(page=PageOptions(TOKEN, code=code))), "")
    for wrong in ("", code.text[:-1], None, 5):
        assert browser.post("open", {"code": wrong}) == 403
    assert browser.get("open") == 405
    assert browser.post("open", {"code": code.text}) == {"token": TOKEN}
    assert browser.post("open", {"code": code.text}) == 403
    late = OneTimeCode()
    monkeypatch.setattr("toolhaft.serve.page.options.monotonic", lambda: float("inf"))
    assert not late.spend(late.text)


def test_a_page_without_a_code_is_opened_by_its_token_alone(tmp_path: Path) -> None:
    assert Browser(page(tmp_path)).post("open", {"code": None}) == 403


# ------------------------------------------------------------------------------------- the inbox


@pytest.mark.requirement("serve-page")
def test_the_inbox_is_an_approvers_alone_and_shows_what_changed(tmp_path: Path) -> None:
    known = {"approver-of-the-tests": "bob"}

    def approver(request: Any) -> str | None:
        return known.get(request.headers.get("authorization", "").removeprefix("Bearer "))

    app = page(tmp_path, approver=approver)
    browser, bob = Browser(app), Browser(app, "approver-of-the-tests")
    first = browser.call("pay", '{"amount": 1}')[-1]["approval"]["path"]
    browser.call("pay", '{"amount": 2}')
    assert browser.get("inbox") == 401
    assert bob.get("tools") == 401
    inbox = bob.get("inbox")
    one, two = inbox["calls"]
    assert one["prepared"]["arguments"] == {"amount": 1, "to": "ann"}
    assert (one["earlier"], two["earlier"]) == (None, one["prepared"]["arguments"])
    assert inbox["tools"]["pay"]["inputSchema"]["required"] == ["amount"]
    assert bob.get(f"inbox?version={inbox['version']}")["unchanged"] is True
    decision = {"decision": "approve", "digest": one["prepared"]["digest"]}
    refused = browser.client.post(first, json=decision, headers=browser.headers)
    assert refused.status_code == 404  # to the page's token, no such call exists
    decided = bob.client.post(first, json=decision, headers=bob.headers)
    assert decided.json()["status"] == "done"
    result = browser.get(f"approvals/{first.rpartition('/')[2]}")
    assert (result["status"], result["result"]) == ("done", "1 to ann")


@pytest.mark.requirement("serve-page")
def test_the_inbox_shows_as_many_calls_as_are_asked_for_and_opens_no_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("toolhaft.serve.decisions.MOST_WAITING", 1000)
    app = page(tmp_path, approver=lambda request: request.headers.get("x-approver"))
    browser, bob = Browser(app), Browser(app, **{"x-approver": "bob"})
    browser.call("pay", '{"amount": 0}')
    with sqlite3.connect(tmp_path / "state") as connection:
        [row] = connection.execute("SELECT * FROM approvals").fetchall()
        marks = ",".join("?" * len(row))
        copies = [(f"copy {n}", *row[1:7], row[7] + n, *row[8:]) for n in range(1, 1000)]
        connection.executemany(f"INSERT INTO approvals VALUES ({marks})", copies)
    another_key = bob.get("inbox")  # each is sealed for one id
    assert (another_key["waiting"], len(another_key["calls"])) == (1, 1)
    opened: list[str] = []
    unseal = Sealing.open

    def count(self: Sealing, sealed: bytes, place: str) -> str | None:
        part = place.rpartition(" ")[2]
        opened.extend([place] if part == "shown" else [])
        return unseal(self, sealed, f"{row[0]} {part}")

    monkeypatch.setattr(Sealing, "open", count)
    first = bob.get("inbox")
    assert (first["waiting"], len(first["calls"]), len(opened)) == (1000, 50, 50)
    assert bob.get(f"inbox?version={first['version']}")["unchanged"] is True
    assert len(opened) == 50
    assert bob.get(f"inbox?version={first['version']}&most=100")["waiting"] == 1000
    assert len(opened) == 150
    for wrong in ("-1", "", "x", "9" * 30):
        assert bob.get(f"inbox?most={wrong}")["version"] == first["version"]


@pytest.mark.requirement("serve-page")
def test_a_damaged_call_hides_no_others_from_the_inbox(tmp_path: Path) -> None:
    app = page(tmp_path, approver=lambda request: request.headers.get("x-approver"))
    browser, bob = Browser(app), Browser(app, **{"x-approver": "bob"})
    paths = [browser.call("pay", f'{{"amount": {n}}}')[-1]["approval"]["path"] for n in range(3)]
    first, second, _ = (path.rpartition("/")[2] for path in paths)
    with sqlite3.connect(tmp_path / "state") as connection:
        connection.execute("UPDATE approvals SET caller = x'ff' WHERE id = ?", (first,))
        connection.execute("UPDATE approvals SET shown = 'text' WHERE id = ?", (second,))
    shown = [(call["caller"], call["prepared"]["arguments"]) for call in bob.get("inbox")["calls"]]
    assert shown == [("\ufffd", {"amount": 0, "to": "ann"}), ("page", {"amount": 2, "to": "ann"})]


@pytest.mark.requirement("serve-page")
def test_a_full_disk_is_reported_to_the_caller_and_to_the_approver(tmp_path: Path) -> None:
    state = State(str(tmp_path / "state"))
    decider = Decider(lambda request: request.headers.get("x-approver"))
    options = Options(page=PageOptions(TOKEN), state=state, decider=decider)
    app = App(Catalogue(TOOLS), options)
    browser, bob = Browser(app), Browser(app, **{"x-approver": "bob"})
    first = browser.call("pay", '{"amount": 1}')[-1]["approval"]["path"]
    state.connection.execute("PRAGMA query_only=ON")  # as on a full disk: no write succeeds
    shown = browser.call("pay", '{"amount": 2}')[-1]
    assert (shown["outcome"]["effect"], shown["kept"]) == ("none", False)
    assert shown["approval"]["path"] is None
    assert "was not stored, nor run" in shown["approval"]["why"]
    [call] = bob.get("inbox")["calls"]
    decision = {"decision": "approve", "digest": call["prepared"]["digest"]}
    assert bob.client.post(first, json=decision, headers=bob.headers).status_code == 507
    state.connection.execute("PRAGMA query_only=OFF")
    assert bob.client.post(first, json=decision, headers=bob.headers).json()["status"] == "done"


# ----------------------------------------------------------------------------- history and tests


@pytest.mark.requirement("page-history")
def test_calls_are_kept_the_newest_first_and_read_again_whole(tmp_path: Path) -> None:
    browser = Browser(page(tmp_path))
    shown = browser.call("double", '{"n": 1}')[-1]
    browser.call("double", '{"n": ')
    rows = browser.get("history")["rows"]
    assert [(row["kind"], row["preview"]) for row in rows] == [
        ("truncated", '{"n": '),
        ("ok", '{"n": 1}'),
    ]
    read = browser.get(f"history/{rows[1]['id']}")
    del shown["kept"]
    assert (read["sent"], read["shown"]) == ('{"n": 1}', shown)
    assert (tmp_path / "state").stat().st_mode & 0o777 == 0o600
    assert browser.get("history?tool=pay")["rows"] == []
    assert browser.get("history/99") == 404


@pytest.mark.requirement("page-history")
def test_a_page_of_the_history_ends_with_the_cursor_of_the_next(tmp_path: Path) -> None:
    browser = Browser(page(tmp_path))
    with sqlite3.connect(tmp_path / "state") as connection:
        connection.executemany(
            "INSERT INTO history (begun, tool, caller, sent, process, digest) "
            "VALUES (1e12, ?, 'page', '', 1, x'')",
            [("double",)] * 150,
        )
    first = browser.get("history")
    second = browser.get(f"history?before={first['next']}")
    third = browser.get(f"history?before={second['next']}")
    pages = [first, second, third]
    assert [len(one["rows"]) for one in pages] == [50, 50, 50]
    assert third["next"] is None


@pytest.mark.requirement("page-history")
def test_a_damaged_row_is_told_apart(tmp_path: Path) -> None:
    browser = Browser(page(tmp_path))
    for n in range(4):
        browser.call("double", f'{{"n": {n}}}')
    with sqlite3.connect(tmp_path / "state") as connection:
        connection.execute("UPDATE history SET sent = '{}' WHERE id = 1")
        damaged = "UPDATE history SET outcome = CAST(x'ff7b' AS TEXT) WHERE id = 2"
        connection.execute(damaged)
        # Of another type: one flipped bit of a row turns a text into bytes.
        connection.execute("UPDATE history SET tool = x'ff' WHERE id = 3")
    kinds = [row["kind"] for row in browser.get("history")["rows"]]
    assert kinds == ["ok", "damaged", "damaged", "damaged"]
    read = browser.get("history/2")
    assert (read["sent"], read["shown"]) == ('{"n": 1}', None)


@pytest.mark.requirement("page-history")
def test_the_calls_of_another_caller_are_unknown(tmp_path: Path) -> None:
    for key in ("identity", "user"):

        def context(request: Any, key: str = key) -> dict[str, str]:
            return {key: request.headers["x-user"]}

        app = page(tmp_path, context=context, state=str(tmp_path / key))
        ann, eve = Browser(app, **{"x-user": "ann"}), Browser(app, **{"x-user": "eve"})
        number = ann.call("double", '{"n": 1}')[-1]["id"]
        assert (eve.get("history")["rows"], eve.get(f"history/{number}")) == ([], 404)
        assert [row["id"] for row in ann.get("history")["rows"]] == [number]
        assert ann.get(f"history/{number}")["sent"] == '{"n": 1}'


@pytest.mark.requirement("page-history")
def test_a_row_with_a_number_that_no_row_has_is_unknown(tmp_path: Path) -> None:
    browser = Browser(page(tmp_path))
    assert [browser.get(f"history/{n}") for n in ("9" * 20, "9" * 5000, "-1", "x")] == [404] * 4
    assert browser.get(f"history?before={'9' * 5000}") == {"rows": [], "next": None}


@pytest.mark.requirement("page-history")
def test_a_call_that_has_not_ended_runs_while_its_process_does(tmp_path: Path) -> None:
    async def kinds() -> list[str]:
        state = State(str(tmp_path / "state"))
        history = History(state, None)
        await history.begin("double", "page", "{}")
        before = await history.list_rows("page", None, None)
        state.owner.running.clear()  # as after a restart
        after = await history.list_rows("page", None, None)
        return [row["kind"] for row in (*before["rows"], *after["rows"])]

    assert asyncio.run(kinds()) == ["running", "unknown"]


@pytest.mark.requirement("page-history")
def test_a_redactor_decides_what_is_kept_and_one_that_fails_keeps_nothing(tmp_path: Path) -> None:
    def redact(name: str, data: Any) -> Any:
        if data == {"n": 2}:
            raise ValueError("secret")
        return {"kind": "kept", "tool": name}

    browser = Browser(page(tmp_path, redact=redact))
    browser.call("double", '{"n": 1}')
    browser.call("double", '{"n": 2}')
    two, one = browser.get("history")["rows"]
    assert (one["preview"], two["preview"]) == (
        '{"kind":"kept","tool":"double"}',
        '"[the redactor failed]"',
    )
    shown = browser.get("history/1")["shown"]
    assert (shown["recorded"], shown["exports"]) == (None, {})
    assert shown["outcome"] == {"value": {"kind": "kept", "tool": "double"}, "kind": "ok"}
    assert b'"n"' not in (tmp_path / "state").read_bytes()


@pytest.mark.requirement("page-history")
def test_a_ctrl_c_in_a_redactor_is_no_failure_of_it(tmp_path: Path) -> None:
    def redact(name: str, data: Any) -> Any:
        raise KeyboardInterrupt

    async def begin() -> None:
        await History(State(str(tmp_path / "state")), redact).begin("double", "page", "{}")

    with pytest.raises(KeyboardInterrupt):
        asyncio.run(begin())


@pytest.mark.requirement("page-history")
def test_no_history_is_kept_where_it_is_off_or_there_is_no_file(tmp_path: Path) -> None:
    for app in (page(tmp_path, history=False), page(tmp_path, state=None)):
        browser = Browser(app)
        assert browser.call("double", '{"n": 1}')[-1]["kept"] is False
        assert browser.get("tools")["keeps"] is False
        assert browser.get("history") == {"rows": [], "next": None}


@pytest.mark.requirement("page-history")
def test_a_call_runs_and_says_so_where_the_history_cannot_be_written(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    browser = Browser(page(tmp_path))
    with sqlite3.connect(tmp_path / "state") as connection:
        connection.execute("DROP TABLE history")
    shown = browser.call("double", '{"n": 1}')[-1]
    assert (shown["outcome"]["kind"], shown["kept"]) == ("ok", False)
    assert "the history" in caplog.text
    assert browser.get("history") == 500


@pytest.mark.requirement("page-saved")
def test_a_call_is_saved_once_as_a_line(tmp_path: Path) -> None:
    path = tmp_path / "new" / "tests" / "tools.calls.jsonl"
    options = PageOptions(TOKEN, saving=Saving(path, "tools.py"))
    browser = Browser(App(Catalogue(TOOLS), Options(page=options)))
    recorded = browser.call("double", '{"n": 1}')[-1]["recorded"]
    assert browser.post("save", recorded)["is_new"] is True
    assert browser.post("save", recorded)["is_new"] is False
    path.write_text(path.read_text().rstrip())
    assert browser.post("save", {**recorded, "kind": "denied"})["is_new"] is True
    one, two = map(json.loads, path.read_text().splitlines())
    assert one == {"tools": "tools.py", **recorded}
    assert two["kind"] == "denied"
    for wrong in ({}, {"name": 1, "arguments": {}, "kind": "ok"}, {**recorded, "tools": "/etc"}):
        assert browser.post("save", wrong) == 422


@pytest.mark.requirement("page-saved")
def test_nothing_is_saved_where_the_server_was_not_started_for_it(tmp_path: Path) -> None:
    assert Browser(page(tmp_path)).post("save", {"name": "x"}) == 403


@pytest.mark.requirement("serve-page")
def test_a_handler_knows_the_page_as_its_caller(tmp_path: Path) -> None:
    @tool
    def who(context: Context[Any]) -> str:
        """Tell who calls."""
        return str(context)

    app = page(tmp_path, Toolset([who]), context=lambda request: {"identity": "ann"})
    [shown] = Browser(app).call("who", "{}")
    assert (shown["outcome"]["value"], shown["caller"]) == ("{'identity': 'ann'}", "ann")
