"""The way through: from an unknown tool to a test that fails, and a call that a person decides."""

from __future__ import annotations

from driver import VIEWS, Failed, Run, Served, call, open_page, served
from playwright.sync_api import BrowserContext, Page

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

@tool(annotations={"readOnlyHint": True})
def show_stock(sku: Annotated[str, Doc("The article")]) -> dict[str, int]:
    """Count what is left of an article."""
    return {"left": 12}

@tool(requires_approval=True)
def refund_order(
    order: Annotated[int, Doc("The number of the order")],
    amount: Annotated[float, Field(gt=0, description="In euros")],
    reason: Annotated[str, Doc("Why")] = "unhappy",
) -> str:
    """Pay money back for an order."""
    return f"refunded {amount} for order {order}"
'''


def way_through(run: Run, theme: str, width: int) -> None:
    """Open, search, fill, wrong, fix, succeed, a provider, save, pytest, decide."""
    with served(SHOP) as server:
        with run.view(theme, width) as context:
            page = open_page(context, server)
            run.look(page, "list", theme, width)
            page.fill("[type=search]", "place")
            page.click(".tools a")
            fill_and_fix(run, page, theme, width)
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
            call(page, server, "find_articles", query="tea")
            page.wait_for_selector(".good")
            decide(run, context, page, server, theme, width)
            page.goto(server.base + "#/history")
            page.wait_for_selector("tbody tr")
            run.look(page, "history", theme, width)
        if (theme, width) == VIEWS[0]:
            hold(server)


def fill_and_fix(run: Run, page: Page, theme: str, width: int) -> None:
    """A wrong number is an issue at its field; once it is right, the call succeeds."""
    page.click("text=Add item")
    if page.locator(".items .help").all_inner_texts() != ["The article", "How many · ≥ 1, ≤ 100"]:
        raise Failed("the description of a parameter does not stand at its field")
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


def hold(server: Served) -> None:
    """Check that the saved call passes, and fails once the tool has changed."""
    tests = "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"
    if server.run(*tests) != 0:
        raise Failed("the saved call does not pass")
    path = server.folder / "shop.py"
    path.write_text(path.read_text().replace("sum(line.count", "1 + sum(line.count"))
    if server.run(*tests) != 1:
        raise Failed("the saved call passes though the tool has changed")


def decide(
    run: Run, context: BrowserContext, page: Page, server: Served, theme: str, width: int
) -> None:
    """A call waits, a person edits and approves it, and the caller reads the result."""
    call(page, server, "refund_order", order="42", amount="12.50")
    page.wait_for_selector(".outcome .note")
    inbox = context.new_page()
    inbox.goto(server.inbox)
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
