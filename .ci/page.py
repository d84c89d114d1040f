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
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

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
        environment = {**os.environ, "XDG_STATE_HOME": str(self.folder), "BROWSER": "true"}
        command = [PYTHON, "-P", "-m", "toolhaft", "serve", "shop.py", "--open", "--port", "0"]
        self.process = subprocess.Popen(  # noqa: S603  our own command
            command, cwd=self.folder, env=environment, stdout=subprocess.PIPE, text=True,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        assert self.process.stdout is not None
        lines = [self.process.stdout.readline() for _ in range(3)]
        self.page, self.inbox = (line.partition(": ")[2].strip() for line in lines[1:])
        self.base = self.page.partition("#")[0]

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
