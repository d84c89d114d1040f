"""A server that dies, a full disk, a damaged file: each is said, and no promise is broken."""

from __future__ import annotations

import resource
import sqlite3

from driver import Failed, Run, Served, call, open_page, served
from playwright.sync_api import Page

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
# What a browser says of answers that are refused, and of a server that is gone.
EXPECTED = ("Failed to load resource",)


def failing(run: Run) -> None:
    """A server that dies in a call, then a full disk, then a damaged history."""
    with served(SLOW) as server, run.view(expected=EXPECTED) as context:
        page = open_page(context, server)
        call(page, server, "wait", seconds="0")
        page.wait_for_selector(".good")
        call(page, server, "pay", amount="7")
        page.wait_for_selector(".outcome .note")
        die(page, server)
        inbox = context.new_page()
        inbox.goto(server.inbox)
        inbox.wait_for_selector("article")
        fill_disk(page, inbox, server)
        damage(page, server)


def die(page: Page, server: Served) -> None:
    """The server is killed while a call runs, and started again."""
    call(page, server, "wait", seconds="600")
    page.wait_for_selector("text=Running")
    server.process.kill()
    server.process.wait()
    page.wait_for_selector("text=the call may have taken effect")
    page.wait_for_selector(".gone:visible")
    for _ in range(2):
        if page.get_by_label("seconds", exact=True).input_value() != "600":
            raise Failed("what was typed is lost")
        if server.process.poll() is not None:
            server.restart()
            page.wait_for_selector(".gone", state="hidden")
        page.reload()
        page.wait_for_selector("h1:text-is('wait')")
    page.goto(server.base + "#/history")
    page.wait_for_selector("tbody tr")
    kinds = page.locator("tbody .chip").all_inner_texts()
    if kinds != ["unknown", "approval_required", "ok"]:
        raise Failed(f"the history has {kinds}")


def fill_disk(page: Page, inbox: Page, server: Served) -> None:
    """The disk takes nothing: the caller and the approver read it, and what waits can wait."""
    limit = resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (1, limit[1]))
    call(page, server, "wait", seconds="0")
    page.wait_for_selector("text=The history could not be written")
    call(page, server, "pay", amount="8")
    page.wait_for_selector("text=was not stored, nor run")
    approve = inbox.get_by_role("button", name="Approve", exact=True).first
    approve.click()
    inbox.wait_for_selector("article .issue")
    print("a full disk, to an approver:", inbox.inner_text("article .issue"))
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, limit)
    approve.click()
    inbox.wait_for_selector("text=Approved, and it ran")


def damage(page: Page, server: Served) -> None:
    """The history is damaged: a row is told apart, a file is said, and calls go on."""
    page.goto(server.base + "#/history")
    with sqlite3.connect(server.state) as connection:
        connection.execute("UPDATE history SET outcome = CAST(x'ff7b' AS TEXT) WHERE id = 1")
    page.reload()
    page.wait_for_selector(".chip:text-is('damaged')")
    page.locator("tbody a").last.click()
    page.wait_for_selector("h1:text-is('wait')")
    with sqlite3.connect(server.state) as connection:
        connection.execute("ALTER TABLE history RENAME TO lost")
    page.goto(server.base + "#/history")
    page.wait_for_selector("text=its file may be damaged")
    call(page, server, "wait", seconds="0")
    page.wait_for_selector("text=The history could not be written")
    page.wait_for_selector(".good")
