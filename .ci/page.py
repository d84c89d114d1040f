"""The page in a browser: `make page`, or `python .ci/page.py --browser PATH --axe FILE`.

The driver has an environment of its own (.venv-page), and starts servers with that of the project.
It fails where the browser reports an error or a breach of the policy, where axe-core finds
something, or where a step of the way through is not possible.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

from playwright.sync_api import Browser, Locator, Page, sync_playwright

ROOT = Path(__file__).parents[1]
PYTHON = ROOT / ".venv" / "bin" / "python"
SCHEMAS = ROOT / "tests" / "serve" / "page" / "schemas.json"
# Real tools, of which every eighteenth gets a form too, where they are beside the repository.
RECORDED = ROOT.parent / "shared" / "data" / "tools_mcp.jsonl.gz"
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
PHONE = 390
VIEWS = [("light", 1360), ("dark", 1360), ("light", PHONE), ("dark", PHONE)]
MOST_FILTER_MS = 50
AXE = "async () => (await axe.run()).violations.map(v => [v.id, v.nodes.map(n => n.html)])"
HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script>"
SHOP = '''
from typing import Annotated, Literal
from pydantic import BaseModel, Field
from toolhaft import Doc, tool

class Card(BaseModel):
    kind: Literal["card"]
    number: Annotated[str, Field(min_length=4, description="The last digits")]

class Transfer(BaseModel):
    kind: Literal["transfer"]
    iban: str

class Line(BaseModel):
    sku: Annotated[str, Field(description="The article", examples=["TEA-1"])]
    count: Annotated[int, Field(ge=1, le=100, description="How many")] = 1

@tool(examples=[{"lines": [{"sku": "TEA-1"}], "pay": {"kind": "card", "number": "4242"}}])
def place_order(
    lines: Annotated[list[Line], Doc("What to send")],
    pay: Annotated[Card | Transfer, Field(discriminator="kind", description="How it is paid")],
    note: Annotated[str | None, Doc("Words for the packer")] = None,
) -> dict[str, int]:
    """Place an order for a customer."""
    return {"packets": sum(line.count for line in lines)}

@tool(annotations={"readOnlyHint": True})
def find_articles(
    query: Annotated[str, Doc("Words of the name")],
    limit: Annotated[int, Field(ge=1, le=50, description="How many at most")] = 10,
) -> list[str]:
    """Search the articles of the shop."""
    return ["Green tea", "Black tea"][:limit]

@tool(requires_approval=True)
def refund_order(
    order: Annotated[int, Doc("The number of the order")],
    amount: Annotated[float, Field(gt=0, description="In euros")],
    reason: Annotated[str, Doc("Why")] = "unhappy",
) -> str:
    """Pay money back for an order."""
    return f"refunded {amount} for order {order}"
'''
FORMS = """
import json
from toolhaft import Toolset, tool
named = json.loads(open("schemas.json").read())
TOOLS = Toolset([
    tool(lambda arguments: arguments, name=f"form_{n}", description=name, input=schema, output=None)
    for n, (name, schema) in enumerate(named.items())
])
"""
MANY = """
from toolhaft import Toolset, tool
def make(n):
    name = f"{'find list send drop'.split()[n % 4]}_{n}"
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    return tool(lambda a: a, name=name, description=f"Tool {n}.", input=schema, output=None)
TOOLS = Toolset([make(n) for n in range(2000)])
"""


def schemas_of_forms() -> dict[str, Any]:
    """Return the schemas of forms, by what they are."""
    named: dict[str, Any] = json.loads(SCHEMAS.read_text())
    if RECORDED.exists():
        tools = [json.loads(line) for line in gzip.decompress(RECORDED.read_bytes()).splitlines()]
        named |= {tool["name"]: tool["inputSchema"] for tool in tools[:: len(tools) // 30]}
    return named


class Failed(Exception):
    """What a user could not do, or what should not have happened."""


class Served:
    """A server with its page, in a folder of its own."""

    def __init__(self, source: str) -> None:
        self.folder = Path(tempfile.mkdtemp())
        (self.folder / "shop.py").write_text(source)
        (self.folder / "schemas.json").write_text(json.dumps(schemas_of_forms()))
        # What the server starts as a browser writes down its arguments, as `ps` shows them.
        browser = self.folder / "browser"
        browser.write_text('#!/bin/sh\necho "$1" > started\n')
        browser.chmod(0o700)
        self.start("0")

    def start(self, port: str) -> None:
        """Start the server, again at its port."""
        named = {"XDG_STATE_HOME": str(self.folder), "BROWSER": str(self.folder / "browser")}
        command = [PYTHON, "-P", "-m", "toolhaft", "serve", "shop.py", "--open", "--port", port]
        self.process = subprocess.Popen(  # noqa: S603  our own command
            command, cwd=self.folder, env=os.environ | named, stdout=subprocess.PIPE, text=True,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        assert self.process.stdout is not None
        lines = [self.process.stdout.readline() for _ in range(3)]
        self.page, self.inbox = (line.partition(": ")[2].strip() for line in lines[1:])
        self.base = self.page.partition("#")[0]

    @property
    def state(self) -> Path:
        """The file of the server."""
        return next((self.folder / "toolhaft").glob("page-*.db"))

    def restart(self) -> None:
        """Kill the server, and start it again."""
        self.process.kill()
        self.process.wait()
        self.start(self.base.rstrip("/").rpartition(":")[2])

    def pytest(self) -> int:
        """Run the saved calls; return the exit code."""
        command = [PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"]
        done = subprocess.run(command, cwd=self.folder, check=False, capture_output=True)  # noqa: S603
        return done.returncode

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.folder)


class Run:
    """A browser, what it complained of, and where screenshots go."""

    def __init__(self, browser: Browser, axe: str | None, shots: Path | None) -> None:
        self.browser = browser
        self.axe = axe
        self.shots = shots
        self.complaints: list[str] = []

    @contextmanager
    def view(self, theme: str = "light", width: int = 1360) -> Iterator[Any]:
        height = 844 if width == PHONE else 900
        size = {"width": width, "height": height}
        context = self.browser.new_context(color_scheme=theme, viewport=size)  # type: ignore[arg-type]
        context.set_default_timeout(10_000)
        if self.axe:
            context.add_init_script(self.axe)
        context.on("page", self._listen)
        try:
            yield context
        finally:
            context.close()

    def _listen(self, page: Page) -> None:
        page.on("pageerror", lambda error: self.complaints.append(f"error: {error}"))
        page.on("dialog", lambda dialog: self.complaints.append(f"a dialog: {dialog.message}"))
        page.on(
            "console",
            lambda message: (
                message.type == "error"
                and "401" not in message.text
                and self.complaints.append(f"console: {message.text}")
            ),
        )

    def look(self, page: Page, name: str, theme: str, width: int) -> None:
        """Take a picture, and ask axe-core."""
        if self.axe:
            for rule, nodes in page.evaluate(AXE):
                self.complaints.append(f"axe, {name} {theme} {width}: {rule} {nodes[:2]}")
        if self.shots is not None:
            self.shots.mkdir(parents=True, exist_ok=True)
            path = self.shots / f"{name}-{theme}-{width}.jpg"
            page.screenshot(path=path, type="jpeg", quality=55)


def way_through(run: Run, theme: str, width: int) -> None:
    """Open, search, fill, wrong, mend, succeed, a provider, save, pytest, decide."""
    served = Served(SHOP)
    try:
        with run.view(theme, width) as context:
            page = context.new_page()
            page.goto(served.page)
            page.wait_for_selector(".tools a .quiet")
            run.look(page, "list", theme, width)
            page.fill("[type=search]", "place")
            page.click(".tools a")
            page.click("text=Add item")
            page.locator(".items textarea").first.fill("TEA-1")
            page.locator(".items input").first.fill("200")
            page.get_by_label("Kind of pay").select_option(index=1)
            page.locator(".run .primary").first.click()
            page.wait_for_selector(".failed")
            if page.locator(".items .issue").inner_text() != "expected at most 100":
                raise Failed("the issue does not stand at its field")
            run.look(page, "issue", theme, width)
            page.locator(".items input").first.fill("2")
            page.get_by_label("number", exact=True).fill("4242")
            page.locator(".run .primary").first.click()
            page.wait_for_selector(".good")
            page.click("text=Save as a test")
            page.locator(".run .entries .primary").click()
            page.wait_for_selector("text=Run pytest")
            run.look(page, "saved", theme, width)
            page.click("#Tool-providers-tab")
            page.wait_for_selector("#Tool-providers .json")
            run.look(page, "providers", theme, width)
            page.click("#Tool-findings-tab")
            run.look(page, "findings", theme, width)
            page.click("#Tool-call-tab")
            page.goto(served.base + "#/history")
            page.wait_for_selector("tbody tr")
            run.look(page, "history", theme, width)
            decide(run, context, page, served, theme, width)
        if width == VIEWS[0][1] and theme == VIEWS[0][0]:
            hold(served)
    finally:
        served.stop()


def hold(served: Served) -> None:
    """Check that the saved call passes, and fails once the tool has changed."""
    if served.pytest() != 0:
        raise Failed("the saved call does not pass")
    path = served.folder / "shop.py"
    path.write_text(path.read_text().replace("sum(line.count", "1 + sum(line.count"))
    if served.pytest() != 1:
        raise Failed("the saved call passes though the tool has changed")


def decide(run: Run, context: Any, page: Page, served: Served, theme: str, width: int) -> None:
    """A call waits, a person edits and approves it, and the caller reads the result."""
    page.goto(served.base + "#/tools/refund_order")
    page.get_by_label("order", exact=True).fill("42")
    page.get_by_label("amount", exact=True).fill("12.50")
    page.locator(".run .primary").first.click()
    page.wait_for_selector(".outcome .note")
    inbox = context.new_page()
    inbox.goto(served.inbox)
    inbox.wait_for_selector("article")
    run.look(inbox, "inbox", theme, width)
    inbox.click("text=Edit…")
    inbox.get_by_label("amount", exact=True).fill("10")
    run.look(inbox, "edit", theme, width)
    inbox.click("text=Approve with changes")
    inbox.wait_for_selector("text=Approved, and it ran")
    page.wait_for_selector(".outcome .note .json")
    if "refunded 10" not in page.inner_text(".outcome .note"):
        raise Failed("the caller does not read the result")


def forms(run: Run) -> None:
    """Untouched is `{}`, and a value that is loaded as JSON reads back through the form."""
    served = Served(FORMS)
    try:
        with run.view() as context:
            page = context.new_page()
            page.goto(served.page)
            page.wait_for_selector(".tools a")
            for number in range(len(schemas_of_forms())):
                page.goto(f"{served.base}#/tools/form_{number}")
                page.wait_for_selector(f"h1:text-is('form_{number}')")
                for sent in (
                    "{}",
                    '{"a": null, "x": {"y": ["", "two\\nlines", 9007199254740993]}}',
                ):
                    page.click("#Arguments-json-tab")
                    area = page.get_by_label("Arguments as JSON")
                    before = area.input_value()
                    if sent == "{}" and before != "{}":
                        raise Failed(f"form {number}: untouched is {before}")
                    area.fill(sent)
                    page.click("#Arguments-form-tab")
                    page.click("#Arguments-json-tab")
                    read = page.get_by_label("Arguments as JSON").input_value()
                    if json.loads(read) != json.loads(sent):
                        raise Failed(f"form {number}: {sent} reads back as {read}")
    finally:
        served.stop()


class Chosen(str):
    """What a person chose: the words of the value, as the form has them."""

    __slots__ = ()


class Number(str):
    """A number, by its digits."""

    __slots__ = ()


TEXTS = [
    "plain",
    "two\nlines",
    ' "quoted" \\ ',
    "5",
    "null",
    "{",
    "\u00fc\U0001f375",
    "<b>",
    "0" * 300,
]
NUMBERS = ["9007199254740993", "-1", "1.10", "1e400", "0.1", "-0"]
MOST_FIELDS = 4
DEEPEST = 3


def type_field(field: Locator, random: Random, depth: int) -> Any:
    """Type a value into a field as a person would; return what should be sent of it, or None."""
    details = field.locator(":scope > details")
    if details.count():
        return type_group(details, random, depth)
    control = field.locator(":scope > input, :scope > select, :scope > textarea:not(.code)")
    if not control.count():
        return None  # any JSON
    kind = control.evaluate("one => one.tagName === 'INPUT' ? one.inputMode : one.tagName")
    if kind == "SELECT":
        words = control.locator("option").all_inner_texts()
        place = random.randrange(1, len(words))
        control.select_option(index=place)
        return Chosen(words[place])
    typed = random.choice(NUMBERS if kind == "decimal" else TEXTS)
    control.fill(typed)
    return Number(typed) if kind == "decimal" else typed


def type_group(details: Locator, random: Random, depth: int) -> Any:
    """Type into a group, an item of a list, or a branch of a union."""
    if depth > DEEPEST:
        return None
    if details.get_attribute("open") is None:
        details.locator(":scope > summary .name").click()
    inner = details.locator(":scope > .inner")
    members = inner.locator(":scope > .members")
    if members.count():
        return type_members(members, random, depth)
    union = inner.locator(":scope > select")
    if union.count():
        union.select_option(index=random.randrange(1, union.locator("option").count()))
        branch = inner.locator(":scope > div > .members")
        if branch.count():
            return type_members(branch, random, depth, is_chosen=True)
        return type_field(inner.locator(":scope > div > .field"), random, depth + 1)
    add = inner.locator(":scope > .entries > button")
    if add.count():
        add.click()
    items = inner.locator(":scope > .entries > .items > li > .field").all()
    typed = [type_field(item, random, depth + 1) for item in items]
    return [one for one in typed if one is not None] or None


def type_members(members: Locator, random: Random, depth: int, *, is_chosen: bool = False) -> Any:
    """Type into the first members of a group, and into a key of their own if it takes one."""
    typed: dict[str, Any] = {}
    for field in members.locator(":scope > .field").all()[: 99 if is_chosen else MOST_FIELDS]:
        name = field.locator(".name").first.text_content() or ""
        typed[name] = type_field(field, random, depth + 1)
    add = members.locator(":scope > .entries > button")
    if add.count():
        add.click()
        entry = members.locator(":scope > .entries > .members > .entry").last
        entry.locator(":scope > input").fill("a key ~/")
        typed["a key ~/"] = type_field(entry.locator(":scope > .field"), random, depth + 1)
    return {key: value for key, value in typed.items() if value is not None} or None


def read_exactly(text: str) -> Any:
    """Read JSON with the digits of its numbers."""
    return json.loads(text, parse_int=Number, parse_float=Number)


def is_sent(typed: Any, read: Any) -> bool:
    """Whether what was read is what was typed."""
    if isinstance(typed, Chosen):
        return read == (str(typed) if type(read) is str else read_exactly(typed))
    if isinstance(typed, dict):
        return isinstance(read, dict) and all(
            key in read and is_sent(value, read[key]) for key, value in typed.items()
        )
    if isinstance(typed, list):
        return len(typed) == len(read) and all(map(is_sent, typed, read))
    return type(typed) is type(read) and bool(typed == read)


def typing(run: Run) -> None:
    """What is typed field by field arrives exactly, in forms of every kind of schema."""
    served = Served(FORMS)
    count = 0
    try:
        with run.view() as context:
            page = context.new_page()
            page.goto(served.page)
            page.wait_for_selector(".tools a")
            for number in range(len(schemas_of_forms())):
                page.goto(f"{served.base}#/tools/form_{number}")
                page.wait_for_selector(f"h1:text-is('form_{number}')")
                members = page.locator(".form > .members")
                typed = type_members(members, Random(number), 0) if members.count() else None  # noqa: S311  the same each time
                if typed is None:
                    continue
                count += 1
                page.click("#Arguments-json-tab")
                text = page.get_by_label("Arguments as JSON").input_value()
                if not is_sent(typed, read_exactly(text)):
                    raise Failed(f"form {number}: {typed} was typed, and {text} is sent")
        print(f"typed into {count} forms of {len(schemas_of_forms())}")
        if count * 3 < len(schemas_of_forms()) * 2:
            raise Failed("too few forms have fields to type into")
    finally:
        served.stop()


SLOW = """
import time
from toolhaft import tool

@tool
def wait(seconds: float) -> str:
    "Wait."
    time.sleep(seconds)
    return "waited"

@tool(requires_approval=True)
def pay(amount: int) -> str:
    "Pay."
    return f"paid {amount}"
"""


def call(page: Page, served: Served, name: str, label: str, value: str) -> None:
    """Call a tool by its form."""
    page.goto(f"{served.base}#/tools/{name}")
    page.wait_for_selector(f"h1:text-is('{name}')")
    page.get_by_label(label, exact=True).fill(value)
    page.locator(".run .primary").first.click()


def failing(run: Run) -> None:
    """A server that dies in a call, and a full disk, are said; what was acknowledged is there."""
    served = Served(SLOW)
    try:
        with run.view() as context:
            page = context.new_page()
            page.goto((served.folder / "started").read_text().strip())
            page.wait_for_selector(".tools a")  # by the code that the browser was started with
            if served.page.partition("=")[2] in (served.folder / "started").read_text():
                raise Failed("the token stands among the arguments of a program")
            call(page, served, "wait", "seconds", "0")
            page.wait_for_selector(".good")
            call(page, served, "pay", "amount", "7")
            page.wait_for_selector(".outcome .note")
            call(page, served, "wait", "seconds", "600")
            page.wait_for_selector("text=Running")
            served.restart()
            page.wait_for_selector("text=the call may have taken effect")
            page.wait_for_selector(".gone", state="hidden")
            if page.get_by_label("seconds", exact=True).input_value() != "600":
                raise Failed("what was typed is lost")
            page.goto(served.base + "#/history")
            page.wait_for_selector("tbody tr")
            kinds = page.locator("tbody .chip").all_inner_texts()
            if kinds != ["unknown", "approval_required", "ok"]:
                raise Failed(f"the history has {kinds}")
            inbox = context.new_page()
            inbox.goto(served.inbox)
            inbox.wait_for_selector("article")
            full = resource.prlimit(served.process.pid, resource.RLIMIT_FSIZE)
            resource.prlimit(served.process.pid, resource.RLIMIT_FSIZE, (1, full[1]))
            call(page, served, "wait", "seconds", "0")
            page.wait_for_selector("text=The history could not be written")
            call(page, served, "pay", "amount", "8")
            page.wait_for_selector("text=could not be stored")
            inbox.get_by_role("button", name="Approve", exact=True).first.click()
            inbox.wait_for_selector("article .issue")
            print("a full disk, to an approver:", inbox.inner_text("article .issue"))
            resource.prlimit(served.process.pid, resource.RLIMIT_FSIZE, full)
            inbox.get_by_role("button", name="Approve", exact=True).first.click()
            inbox.wait_for_selector("text=Approved, and it ran")
        run.complaints = [one for one in run.complaints if "Failed to load resource" not in one]
    finally:
        served.stop()


WAIT = 1000
WAITING = """
import asyncio, sys
from toolhaft.cli.source import load
from toolhaft.serve import decisions
from toolhaft.serve.catalogue import Catalogue
from toolhaft.serve.context import Caller
from toolhaft.serve.limits import Limits
from toolhaft.serve.state import State

async def fill(state):
    tools = load("shop.py").toolset
    decider = decisions.Decider(lambda request: None)
    kept = decisions.Decisions(decider, state, Catalogue(tools), Limits())
    for number in range(1000):
        name = f"caller {number // 100}"
        err = await tools.call("refund_order", {"order": number, "amount": 1.5})
        await kept.store(err.prepared, Caller(None, name, name))

asyncio.run(fill(State(sys.argv[1])))
"""


def waiting(run: Run) -> None:
    """1,000 calls wait: the inbox opens at once, and goes through all of them."""
    served = Served(SHOP)
    try:
        command = [PYTHON, "-c", WAITING, str(served.state)]
        subprocess.run(command, cwd=served.folder, check=True)  # noqa: S603
        with run.view() as context:
            page = context.new_page()
            page.goto(served.inbox)
            page.wait_for_selector("article")
            spent = [page.evaluate(CLICKED, ["Later calls", "article"]) for _ in range(19)]
            if page.locator("article").count() != WAIT or page.is_visible("text=Later calls"):
                raise Failed("the inbox does not go through all calls")
            middle = sorted(spent)[9]
            print(f"1,000 waiting calls: 50 more in {middle:.0f} ms, {max(spent):.0f} at most")
            page.locator("article").last.get_by_text("Approve").click()
            page.wait_for_selector("text=Approved, and it ran")
    finally:
        served.stop()


CLICKED = """async ([words, what]) => {
    const count = () => document.querySelectorAll(what).length;
    const before = count(), begun = performance.now();
    [...document.querySelectorAll('button')].find((one) => one.textContent === words).click();
    while (count() === before) await new Promise(requestAnimationFrame);
    return performance.now() - begun;
}"""


def past(run: Run) -> None:
    """A history of 100,000 calls is shown by pages."""
    served = Served(SHOP)
    outcome = '{"outcome":{"kind":"ok","value":{"packets":2}}}'
    fields = ["place_order", '{"lines":[]}', "ok", outcome]
    digest = sha256(json.dumps(fields, separators=(",", ":")).encode()).digest()[:16]
    insert = (
        "INSERT INTO history (begun, tool, sent, process, kind, seconds, outcome, digest) "
        "VALUES (?, ?, ?, 0, ?, 0.001, ?, ?)"
    )
    try:
        with sqlite3.connect(served.state) as connection:
            rows = ((4e9 + number, *fields, digest) for number in range(100_000))
            connection.executemany(insert, rows)
        with run.view() as context:
            page = context.new_page()
            page.goto(served.page)
            page.wait_for_selector(".tools a")
            page.goto(served.base + "#/history")
            page.wait_for_selector("tbody tr")
            spent = [page.evaluate(CLICKED, ["Older calls", "tbody tr"]) for _ in range(40)]
            if page.locator("tbody tr").count() != 41 * 50:
                raise Failed("a page of the history is missing")
            if set(page.locator("tbody .chip").all_inner_texts()) != {"ok"}:
                raise Failed("a row of the history is not shown as it ended")
            print(f"100,000 calls: a page in {sorted(spent)[20]:.0f} ms, {max(spent):.0f} at most")
    finally:
        served.stop()


def hostile(run: Run) -> None:
    """What tools, arguments and results say is text."""
    source = f'''
from toolhaft import tool

@tool
def echo(text: str) -> dict[str, str]:
    """{HOSTILE} is what this describes."""
    return {{text: text * 3, "{HOSTILE}": "x" * 2_000_000}}
'''
    served = Served(source)
    try:
        with run.view() as context:
            page = context.new_page()
            page.goto(served.page)
            page.click(".tools a")
            page.get_by_label("text", exact=True).fill(HOSTILE + "\u202e")
            page.locator(".run .primary").first.click()
            page.wait_for_selector(".good")
            if page.locator("img, body script").count():
                raise Failed("a text became an element")
            framed = context.new_page()
            framed.set_content(f'<iframe src="{served.base}"></iframe>')
            framed.wait_for_timeout(500)
            if framed.frames[1].locator("main").count():
                raise Failed("another page can frame the page")
            run.complaints = [
                one for one in run.complaints if "frame" not in one and "403" not in one
            ]
    finally:
        served.stop()


def many(run: Run) -> None:
    """Of 2,000 tools those that fit are shown within a moment."""
    served = Served(MANY)
    try:
        with run.view() as context:
            page = context.new_page()
            page.goto(served.page)
            page.wait_for_selector(".tools a .quiet", timeout=60_000)
            spent = page.evaluate(
                """() => { const box = document.querySelector('[type=search]');
                const all = []; for (const text of ['find', 'find_1', '19', 'nothing', '']) {
                const begun = performance.now(); box.value = text;
                box.dispatchEvent(new Event('input')); document.body.offsetHeight;
                all.push(performance.now() - begun); } return all; }"""
            )
        print(f"2,000 tools: filtered in {max(spent):.0f} ms at most")
        if sorted(spent)[2] > MOST_FILTER_MS:
            raise Failed(f"the filter takes {max(spent):.0f} ms")
    finally:
        served.stop()


def main() -> int:
    """Run every step; return 1 if one failed, or the browser complained."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--browser", default=shutil.which("chromium"))
    parser.add_argument("--axe", type=Path, help="axe.min.js of axe-core")
    parser.add_argument("--only", default="", help="words of the steps to run")
    parser.add_argument("--shots", type=Path, help="where pictures go")
    asked = parser.parse_args()
    if asked.browser is None:
        print("make page: skipped, because there is no chromium here")
        return 0
    axe = None if asked.axe is None else asked.axe.read_text()
    failed = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=asked.browser, args=FLAGS)
        run = Run(browser, axe, asked.shots)
        steps = [
            (f"the way through, {theme}, {width}", way_through, (theme, width))
            for theme, width in VIEWS
        ]
        steps += [("forms", forms, ()), ("hostile texts", hostile, ()), ("many tools", many, ())]
        steps += [("typing", typing, ()), ("a dying server and a full disk", failing, ())]
        steps += [("1,000 waiting calls", waiting, ()), ("100,000 calls", past, ())]
        steps = [step for step in steps if asked.only in step[0]]
        for name, step, arguments in steps:
            try:
                step(run, *arguments)
                print(f"{name}: done", flush=True)
            except Exception as error:  # noqa: BLE001  each step is told
                failed.append(name)
                print(f"{name}: {error}", flush=True)
        browser.close()
    print("\n".join(dict.fromkeys(run.complaints)))
    return 1 if failed or run.complaints else 0


if __name__ == "__main__":
    sys.exit(main())
