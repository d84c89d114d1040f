"""Two thousand tools, a thousand calls that wait, and a history of a hundred thousand."""

from __future__ import annotations

import json
import sqlite3
from hashlib import sha256
from statistics import median

from driver import CLICKED, Failed, Run, open_page, served
from way import SHOP

MOST_FILTER_MS = 50
MANY = """
from toolhaft import Toolset, tool
def make(n):
    name = f"{'find list send drop'.split()[n % 4]}_{n}"
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}
    return tool(lambda a: a, name=name, description=f"Tool {n}.", input=schema, output=None)
TOOLS = Toolset([make(n) for n in range(2000)])
"""
TYPED = """() => {
    const box = document.querySelector('[type=search]');
    return ['find', 'find_1', '19', 'nothing', ''].map((text) => {
        const begun = performance.now();
        box.value = text;
        box.dispatchEvent(new Event('input'));
        document.body.offsetHeight;
        return performance.now() - begun;
    });
}"""
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
INSERT = (
    "INSERT INTO history (begun, tool, caller, sent, process, kind, seconds, outcome, digest) "
    "VALUES (?, ?, 'page', ?, 0, ?, 0.001, ?, ?)"
)


def many(run: Run) -> None:
    """Of 2,000 tools those that fit are shown within a moment."""
    with served(MANY) as server, run.view() as context:
        page = context.new_page()
        page.goto(server.page)
        page.wait_for_selector(".tools a .quiet", timeout=60_000)
        spent = page.evaluate(TYPED)
    print(f"2,000 tools: filtered in {median(spent):.0f} ms, {max(spent):.0f} at most")
    if median(spent) > MOST_FILTER_MS:
        raise Failed("the filter takes too long")


def waiting(run: Run) -> None:
    """1,000 calls wait: the inbox opens at once, and goes through all of them."""
    with served(SHOP) as server, run.view() as context:
        if server.run("-c", WAITING, str(server.state)) != 0:
            raise Failed("no calls wait")
        page = context.new_page()
        page.goto(server.inbox)
        page.wait_for_selector("article")
        spent = [page.evaluate(CLICKED, ["Later calls", "article"]) for _ in range(19)]
        if page.locator("article").count() != WAIT or page.is_visible("text=Later calls"):
            raise Failed("the inbox does not go through all calls")
        print(f"1,000 waiting calls: 50 more in {median(spent):.0f} ms, {max(spent):.0f} at most")
        page.locator("article").last.get_by_text("Approve").click()
        page.wait_for_selector("text=Approved, and it ran")


def past(run: Run) -> None:
    """A history of 100,000 calls is shown by pages."""
    outcome = '{"outcome":{"kind":"ok","value":{"packets":2}}}'
    fields = ["place_order", '{"lines":[]}', "ok", outcome]
    digest = sha256(json.dumps(fields, separators=(",", ":")).encode()).digest()[:16]
    with served(SHOP) as server, run.view() as context:
        with sqlite3.connect(server.state) as connection:
            rows = ((4e9 + number, *fields, digest) for number in range(100_000))
            connection.executemany(INSERT, rows)
        page = open_page(context, server)
        page.goto(server.base + "#/history")
        page.wait_for_selector("tbody tr")
        spent = [page.evaluate(CLICKED, ["Older calls", "tbody tr"]) for _ in range(40)]
        if page.locator("tbody tr").count() != 41 * 50:
            raise Failed("a page of the history is missing")
        if set(page.locator("tbody .chip").all_inner_texts()) != {"ok"}:
            raise Failed("a row of the history is not shown as it ended")
        print(f"100,000 calls: a page in {median(spent):.0f} ms, {max(spent):.0f} at most")
