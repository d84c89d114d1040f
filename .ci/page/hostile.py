"""What others write is text, and no page but this one can call or decide."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from driver import Failed, Run, Served, served
from playwright.sync_api import BrowserContext, Page

MARKUP = "<img src=x onerror=alert(1)><script>alert(2)</script>"
BIDI = "\u202e"
SVG = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(3)"><script>alert(4)</script></svg>'
SOURCE = f'''
from typing import Annotated
from toolhaft import Doc, File, Image, tool

MARKUP, BIDI, SVG = {MARKUP!r}, {BIDI!r}, {SVG!r}

@tool(title=MARKUP, examples=[{{"text": MARKUP}}])
def echo(text: Annotated[str, Doc(MARKUP)] = MARKUP) -> dict[str, str]:
    """{MARKUP} is what this describes."""
    return {{text: text * 3, MARKUP: "x" * 2_000_000}}

@tool
def files(kind: str) -> list[str | Image | File]:
    """Send files."""
    return [
        MARKUP, Image(SVG.encode(), "image/svg+xml"), Image(b"no image", "image/png"),
        File(MARKUP.encode(), "text/html"), File(SVG.encode(), "image/svg+xml"),
    ]

@tool(requires_approval=True)
def pay(to: str, amount: int = 1) -> str:
    """Pay somebody."""
    return f"paid {{to}}"
'''
# Elements that would be markup of a text, and attributes that would run.
MADE = """() => [...document.querySelectorAll(
    "script, iframe, object, embed, svg, form, [onerror]")]
    .filter((one) => !one.src?.endsWith("/page/app.js")).map((one) => one.outerHTML)"""


def hostile(run: Run) -> None:
    """Names, descriptions, arguments, results and files are shown as text."""
    with served(SOURCE) as server, run.view(expected=("Failed to load resource",)) as context:
        page = context.new_page()
        page.goto(server.page)
        page.click(".tools a:has-text('echo')")
        page.get_by_label("text", exact=True).fill(MARKUP + BIDI)
        page.locator(".run .primary").first.click()
        page.wait_for_selector(".good")
        if f"{MARKUP}\\u{{202e}}" not in page.locator(".outcome").inner_text():
            raise Failed("a character that turns the text is not shown")
        page.goto(f"{server.base}#/tools/files")
        page.get_by_label("kind", exact=True).fill("all")
        page.locator(".run .primary").first.click()
        page.wait_for_selector(".good")
        require_text(page)
        for path in ("#/history", "#/tools/echo"):
            page.goto(server.base + path)
            page.wait_for_selector("h1")
            require_text(page)
        wait_for_hostile(context, server, page)


def require_text(page: Page) -> None:
    """Check that no text became an element."""
    made = page.evaluate(MADE)
    if made:
        raise Failed(f"a text became an element: {made}")


def wait_for_hostile(context: BrowserContext, server: Served, page: Page) -> None:
    """A call that waits is shown as it is, too."""
    page.goto(f"{server.base}#/tools/pay")
    page.get_by_label("to", exact=True).fill(MARKUP + BIDI)
    page.locator(".run .primary").first.click()
    page.wait_for_selector(".outcome .note")
    inbox = context.new_page()
    inbox.goto(server.inbox)
    inbox.wait_for_selector("article")
    if f"{MARKUP}\\u{{202e}}" not in inbox.locator("article").inner_text():
        raise Failed("an approver does not see what is asked")
    require_text(inbox)


# Of another site, and of the same site: a server at another port of this machine.
NAMES = ("evil.example", "127.0.0.1", "localhost")
# What a page of another origin tries: each answer must be unreadable, or refused.
TRIES = """async ([base, token, path]) => {
    const body = JSON.stringify({tool: "pay", text: '{"to": "eve"}', decision: "approve"});
    const types = ["application/json", "text/plain", "application/x-www-form-urlencoded"];
    const found = [];
    for (const mode of ["cors", "no-cors"]) for (const type of types)
        for (const headers of [{}, {authorization: `Bearer ${token}`}])
            for (const credentials of ["omit", "include"]) {
                const asked = {method: "POST", mode, credentials, body,
                    headers: {"content-type": type, ...headers}};
                const answer = await fetch(base + path, asked).catch(() => null);
                if (answer && answer.type !== "opaque") found.push([mode, type, answer.status]);
            }
    const read = await fetch(base + "page/data/tools").catch(() => null);
    if (read) found.push(["read", read.status]);
    return found;
}"""


def foreign(run: Run) -> None:
    """A page of another origin can neither call, decide, read, frame nor reach by another name."""
    expected = ("Failed to load", "CORS policy", "frame", "violates", "Refused to")
    with served(SOURCE) as server, run.view(expected=expected) as context:
        page = context.new_page()
        page.goto(server.page)
        page.goto(f"{server.base}#/tools/pay")
        page.get_by_label("to", exact=True).fill("ann")
        page.locator(".run .primary").first.click()
        page.wait_for_selector(".outcome .note")
        with blank_pages() as port:
            for name in NAMES:
                attack(context.new_page(), f"http://{name}:{port}/", server)
        rename(context.new_page(), server)
        page.goto(server.base + "#/history")
        page.wait_for_selector("tbody tr")
        if page.locator("tbody tr").count() != 1:
            raise Failed("another page made a call")


def attack(evil: Page, origin: str, server: Served) -> None:
    """Try everything from the pages of an origin."""
    evil.goto(origin)
    page_token, inbox_token = (one.partition("=")[2] for one in (server.page, server.inbox))
    for path, token in (
        ("page/data/call", page_token),
        ("page/data/save", page_token),
        ("page/data/open", page_token),
        ("approvals/x", inbox_token),
        ("tools/pay", page_token),
    ):
        found = evil.evaluate(TRIES, [server.base, token, path])
        if found:
            raise Failed(f"{origin} reaches {path}: {found}")
    post_form(evil, origin, server)
    frame(evil, origin, server)
    link(evil, origin, server)


def post_form(evil: Page, origin: str, server: Served) -> None:
    """A form of another page is refused."""
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        evil.goto(origin)
        evil.evaluate(
            """([url, kind]) => { const form = document.createElement("form");
            Object.assign(form, {method: "post", action: url, enctype: kind});
            const field = document.createElement("input");
            Object.assign(field, {name: '{"tool":"pay","text":"{}","x":"', value: '"}'});
            form.append(field); document.body.append(form); form.submit(); }""",
            [server.base + "page/data/call", kind],
        )
        evil.wait_for_url(server.base + "**")
        answer = json.loads(evil.locator("body").inner_text())
        if answer["status"] not in (401, 403, 415):
            raise Failed(f"a form is answered with {answer}")


def frame(evil: Page, origin: str, server: Served) -> None:
    """Another page cannot frame this one, nor keep a handle of its window."""
    evil.goto(origin)
    for path in ("", "inbox", "page/data/tools"):
        evil.set_content(f'<iframe src="{server.base}{path}"></iframe>')
        evil.wait_for_load_state()
        if evil.frames[1].locator("main").count():
            raise Failed(f"another page can frame /{path}")


def link(evil: Page, origin: str, server: Served) -> None:
    """A link of another page opens the inbox, as one in a mail does, and keeps no handle of it."""
    evil.goto(origin)
    with evil.context.expect_page() as opened:
        evil.evaluate("(url) => { window.kept = window.open(url); }", server.base + "inbox")
    opened.value.wait_for_selector("main h1")
    evil.wait_for_function("() => window.kept.closed")
    opened.value.close()


def rename(page: Page, server: Served) -> None:
    """Under another DNS name, which the browser resolves to this machine, nothing is answered."""
    port = server.base.rstrip("/").rpartition(":")[2]
    for path in ("", "inbox", "page/app.js", "page/data/tools"):
        answer = page.goto(f"http://rebound.example:{port}/{path}")
        if answer is None or answer.status != HTTPStatus.MISDIRECTED_REQUEST:
            raise Failed(f"by another name, /{path} is answered with {answer and answer.status}")


class Blank(SimpleHTTPRequestHandler):
    """Serves an empty page at every path."""

    def do_GET(self) -> None:
        """Answer with nothing to see."""
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html>")

    def log_message(self, format: str, *arguments: object) -> None:
        """Say nothing."""


@contextmanager
def blank_pages() -> Iterator[int]:
    """Serve empty pages at a port of this machine, as those of somebody else."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Blank) as other:
        Thread(target=other.serve_forever, daemon=True).start()
        try:
            yield other.server_port
        finally:
            other.shutdown()


def code(run: Run) -> None:
    """The code that a browser is started with works once, and is in no history or referrer."""
    with served(SOURCE) as server, run.view(expected=("Failed to load",)) as context:
        if server.page.partition("=")[2] in server.opened or "#code=" not in server.opened:
            raise Failed("the token stands among the arguments of a program")
        spent = server.opened.partition("=")[2]
        answers = race(context, server, spent)
        if sorted(answers) != [200] + [403] * 7:
            raise Failed(f"eight who sent the code at once read {answers}")
        page = context.new_page()
        page.goto(server.opened)
        page.wait_for_selector("text=this link was used before")
        if spent in page.url or page.evaluate("document.referrer"):
            raise Failed("the code stays in the address")


def race(context: BrowserContext, server: Served, spent: str) -> list[int]:
    """Send the code from eight at once."""
    page = context.new_page()
    page.goto(server.base)
    answers: list[int] = page.evaluate(
        """async (code) => Promise.all([...Array(8)].map(async () => (await fetch("/page/data/open",
        {method: "POST", headers: {"content-type": "application/json"},
        body: JSON.stringify({code})})).status))""",
        spent,
    )
    return answers
