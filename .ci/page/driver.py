"""Servers with their page, and the browser that looks at it."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".venv" / "bin" / "python"
PHONE = 390
VIEWS = [("light", 1360), ("dark", 1360), ("light", PHONE), ("dark", PHONE)]
LINES = 3  # what `toolhaft serve --open` prints, with its two addresses
START_SECONDS = 60
STOP_SECONDS = 30
AXE = "async () => (await axe.run()).violations.map(v => [v.id, v.nodes.map(n => n.html)])"
# Waits until there is more of what a button shows; returns for how long, in milliseconds.
CLICKED = """async ([words, what]) => {
    const count = () => document.querySelectorAll(what).length;
    const before = count(), begun = performance.now();
    [...document.querySelectorAll('button')].find((one) => one.textContent === words).click();
    while (count() === before) {
        if (performance.now() - begun > 20_000) throw new Error(`${words} shows nothing`);
        await new Promise(requestAnimationFrame);
    }
    return performance.now() - begun;
}"""


class Failed(Exception):
    """What a user could not do, or what should not have happened."""


class Served:
    """A server with its page, in a folder of its own."""

    def __init__(self, source: str, **files: str) -> None:
        self.folder = Path(tempfile.mkdtemp())
        (self.folder / "shop.py").write_text(source)
        for name, text in files.items():
            (self.folder / f"{name}.json").write_text(text)
        # What the server starts as a browser writes down its arguments, as `ps` shows them.
        browser = self.folder / "browser"
        browser.write_text('#!/bin/sh\necho "$1" > started\n')
        browser.chmod(0o700)
        self.start("0")

    def start(self, port: str) -> None:
        """Start the server, again at its port.

        It prints into a file: a pipe that nobody reads would stop it once it is full.
        """
        named = {"XDG_STATE_HOME": str(self.folder), "BROWSER": str(self.folder / "browser")}
        command = [PYTHON, "-P", "-m", "toolhaft", "serve", "shop.py", "--open", "--port", port]
        printed = self.folder / "printed"
        with printed.open("w") as out, (self.folder / "errors").open("a") as err:
            self.process = subprocess.Popen(  # noqa: S603  our own command
                command, cwd=self.folder, env=os.environ | named, stdin=subprocess.DEVNULL,
                stdout=out, stderr=err,
            )  # fmt: skip
        until = time.monotonic() + START_SECONDS
        while len(lines := printed.read_text().splitlines()) < LINES:
            if self.process.poll() is not None or time.monotonic() > until:
                raise Failed(f"no server: {(self.folder / 'errors').read_text()[-2000:]}")
            time.sleep(0.05)
        self.page, self.inbox = (line.partition(": ")[2].strip() for line in lines[1:LINES])
        self.base = self.page.partition("#")[0]

    @property
    def state(self) -> Path:
        """The file of the server."""
        return next((self.folder / "toolhaft").glob("page-*.db"))

    @property
    def opened(self) -> str:
        """The address that a browser was started with."""
        return (self.folder / "started").read_text().strip()

    def restart(self) -> None:
        """Kill the server, and start it again."""
        self.process.kill()
        self.process.wait()
        self.start(self.base.rstrip("/").rpartition(":")[2])

    def run(self, *command: str) -> int:
        """Run Python in the folder of the server; return the exit code."""
        done = subprocess.run(  # noqa: S603  our own command
            [PYTHON, *command], cwd=self.folder, check=False, stdin=subprocess.DEVNULL,
            capture_output=True, timeout=120,
        )  # fmt: skip
        return done.returncode

    def stop(self) -> None:
        """Stop the server, and forget its folder."""
        self.process.terminate()
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise Failed("the server does not stop") from None
        finally:
            shutil.rmtree(self.folder)


@contextmanager
def served(source: str, **files: str) -> Iterator[Served]:
    """Serve tools within the block."""
    server = Served(source, **files)
    try:
        yield server
    finally:
        server.stop()


class Run:
    """A browser, what it complained of, and where screenshots go."""

    def __init__(self, browser: Browser, axe: str | None, shots: Path | None) -> None:
        self.browser = browser
        self.axe = axe
        self.shots = shots
        self.complaints: list[str] = []

    @contextmanager
    def view(
        self, theme: str = "light", width: int = 1360, expected: tuple[str, ...] = ()
    ) -> Iterator[BrowserContext]:
        """Open a window; complaints with an expected word in them are none."""
        size = {"width": width, "height": 844 if width == PHONE else 900}
        context = self.browser.new_context(color_scheme=theme, viewport=size)  # type: ignore[arg-type]
        context.set_default_timeout(20_000)
        if self.axe:
            context.add_init_script(self.axe)
        heard: list[str] = []
        context.on("page", lambda page: _listen(page, heard))
        try:
            yield context
        finally:
            context.close()
            left = [one for one in heard if not any(word in one for word in expected)]
            self.complaints += left

    def look(self, page: Page, name: str, theme: str, width: int) -> None:
        """Take a picture, of a wide window from its top, and ask axe-core."""
        if self.axe:
            for rule, nodes in page.evaluate(AXE):
                self.complaints.append(f"axe, {name} {theme} {width}: {rule} {nodes[:2]}")
        if self.shots is not None:
            self.shots.mkdir(parents=True, exist_ok=True)
            if width != PHONE:
                page.evaluate("scrollTo(0, 0)")
            path = self.shots / f"{name}-{theme}-{width}.jpg"
            page.screenshot(path=path, type="jpeg", quality=55)


def _listen(page: Page, heard: list[str]) -> None:
    page.on("pageerror", lambda error: heard.append(f"error: {error}"))
    page.on("dialog", lambda dialog: _dismiss(dialog, heard))
    page.on(
        "console",
        lambda message: message.type == "error" and heard.append(f"console: {message.text}"),
    )


def _dismiss(dialog: Any, heard: list[str]) -> None:
    heard.append(f"a dialog: {dialog.message}")
    dialog.dismiss()


def open_page(context: BrowserContext, server: Served) -> Page:
    """Open the page of a server, and wait for its tools with their details."""
    page = context.new_page()
    page.goto(server.page)
    page.wait_for_selector(".tools a .quiet")
    return page


def call(page: Page, server: Served, name: str, **typed: str) -> None:
    """Call a tool by its form."""
    page.goto(f"{server.base}#/tools/{name}")
    page.wait_for_selector(f"h1:text-is('{name}')")
    for label, value in typed.items():
        page.get_by_label(label, exact=True).fill(value)
    page.locator(".run .primary").first.click()
