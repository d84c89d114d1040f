"""The cost of a call's view: linear in the arguments, however they are nested."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from tests.call.asgi_post import post
from tests.call.view_types import EVERY, Branch, Limb, Tree
from tests.call.work import work_of
from toolhaft import Err, Toolset, tool
from toolhaft.observers.audit import AuditLog
from toolhaft.observers.details import unredacted
from toolhaft.serve import asgi

pytestmark = pytest.mark.requirement("view-linear")

NOBODY_DECIDES = 403
VISITS = 1_150
MOST = 40_000  # of 25 KB; less than half of it is needed
LEAST = 2_000  # of 217 bytes; a seventh of it is needed


class Deep(BaseModel):
    kept: dict[int, Deep] = {}
    span: timedelta = timedelta(0)


class Visit(BaseModel):
    length: timedelta
    guests: int = 2


class Calendar(BaseModel):
    visits: list[Visit]


def asking(tp: Any, **options: Any) -> Any:
    options = {"requires_approval": True, **options}
    return tool(lambda given: None, name="t", description="T.", input=tp, output=None, **options)


def deep(depth: int) -> dict[str, Any]:
    """Objects in maps with numbers for keys, which end in a text that is respelled."""
    return {"kept": {"1": deep(depth - 1)}} if depth else {"span": "+PT1S"}


def calendar(count: int) -> dict[str, Any]:
    return {"visits": [{"length": f"+PT{at}S"} for at in range(count)]}


def test_a_few_nested_maps_are_little_work() -> None:
    raw = json.dumps(deep(13), separators=(",", ":"))
    assert 200 < len(raw) <= 217
    nested_tool = asking(Deep)
    assert work_of(lambda: nested_tool.call_sync(raw), LEAST) < LEAST


def test_a_calendar_is_little_work_where_it_is_logged(tmp_path: Path) -> None:
    log = AuditLog(tmp_path / "audit.jsonl", values=unredacted)
    tools = Toolset([asking(Calendar, requires_approval=None)], observers=[log])
    sent = calendar(VISITS)
    assert len(json.dumps(sent)) > 25_000
    work = work_of(lambda: tools.call_sync("t", sent), MOST)
    log.close()
    assert work < MOST


def test_a_request_holds_no_other_client_of_a_server() -> None:
    pytest.importorskip("mcp", reason="mcp is not installed")
    app = asgi(Toolset([asking(Calendar)]))
    body = json.dumps(calendar(VISITS)).encode()

    def send() -> None:
        status, _ = asyncio.run(post(app, "/tools/t", body))
        assert status == NOBODY_DECIDES

    assert work_of(send, MOST) < MOST


# ------------------------------------------------------------------- growth


def rows(count: int) -> dict[str, Any]:
    """Rows whose order no validator keeps, each of which could be made of another."""
    return {"rows": [{"day": f"{1900 + at % 50}-01-02"} for at in range(count)]}


@pytest.mark.parametrize("changes", [False, True])
@pytest.mark.parametrize("makes", [False, True])
@pytest.mark.parametrize("make", EVERY)
def test_twice_the_rows_are_twice_the_work(
    make: Callable[..., Any], makes: bool, changes: bool
) -> None:
    prepared = asking(make(makes=makes, changes=changes))

    def run(count: int) -> Any:
        sent = rows(count)
        waiting = prepared.call_sync(sent)
        assert isinstance(waiting, Err)
        assert waiting.prepared is not None
        return waiting.prepared.digest

    small, large = (work_of(lambda count=count: run(count)) for count in (200, 400))  # type: ignore[misc]
    assert large <= 2.3 * small


def nested(depth: int) -> dict[str, Any]:
    """Objects in lists, which end in a text that is respelled."""
    return {"inner": [nested(depth - 1), {}]} if depth else {"spans": {"1": "+PT1S"}}


@pytest.mark.parametrize("tp", [Tree, Branch, Limb])
def test_twice_the_depth_is_twice_the_work(tp: Any) -> None:
    prepared = asking(tp)
    small, large = (
        work_of(lambda depth=depth: prepared.call_sync(nested(depth)))  # type: ignore[misc]
        for depth in (6, 12)
    )
    assert large <= 2.3 * small
