"""The way through by the keyboard alone, and what a screen reader has to say of it."""

from __future__ import annotations

from driver import Failed, Run, open_page, served
from playwright.sync_api import Page
from way import SHOP

MOST_STEPS = 60
# Controls that a screen reader would have no name for, of those that can be reached.
UNNAMED = """() => [...document.querySelectorAll("a, button, input, select, textarea, summary")]
    .filter((one) => one.checkVisibility() && !(one.textContent.trim() || one.ariaLabel
        || [...(one.labels ?? [])].some((label) => label.textContent.trim())))
    .map((one) => one.outerHTML)"""
FOCUSED = "(selector) => document.activeElement.matches(selector)"


def go_to(page: Page, selector: str, key: str = "Tab") -> None:
    """Press a key until an element has the focus, which must be seen."""
    for _ in range(MOST_STEPS):
        if page.evaluate(FOCUSED, selector):
            shown = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
            if shown == "none":
                raise Failed(f"the focus of {selector} cannot be seen")
            return
        page.keyboard.press(key)
    raise Failed(f"{key} does not lead to {selector}")


def require_names(page: Page) -> None:
    """Check that each control has a name."""
    unnamed = page.evaluate(UNNAMED)
    if unnamed:
        raise Failed(f"a control has no name: {unnamed}")


def keyboard(run: Run) -> None:
    """Search, call, read, and decide without a mouse."""
    with served(SHOP) as server, run.view() as context:
        page = open_page(context, server)
        go_to(page, "[type=search]")
        page.keyboard.type("refund")
        go_to(page, ".tools a")
        page.keyboard.press("Enter")
        page.wait_for_selector("h1:text-is('refund_order')")
        for text in ("42", "12.50"):
            go_to(page, ".field input")
            page.keyboard.type(text)
            page.keyboard.press("Tab")
        page.keyboard.press("Control+Enter")
        page.wait_for_selector(".outcome .note")
        require_names(page)
        go_to(page, "#Tool-call-tab", "Shift+Tab")
        page.keyboard.press("ArrowRight")
        page.wait_for_selector("#Tool-providers .json")
        require_names(page)
        inbox = context.new_page()
        inbox.goto(server.inbox)
        inbox.wait_for_selector("article")
        go_to(inbox, "article .decide button:nth-child(3)")
        inbox.keyboard.press("Enter")
        inbox.keyboard.type("not now")
        require_names(inbox)
        go_to(inbox, "article .danger")
        inbox.keyboard.press("Enter")
        inbox.wait_for_selector("[role=status]:text-is('Denied.')")
        page.keyboard.press("ArrowLeft")
        page.wait_for_selector("text=The call is denied")
        if "not now" not in page.inner_text(".outcome .note"):
            raise Failed("the caller does not read why")
