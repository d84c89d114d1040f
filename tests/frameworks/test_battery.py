"""One battery for all frameworks: a model's texts, a handler's values, a person's questions."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from typing import Any

import pytest

from tests.frameworks import table
from tests.frameworks.driver import (
    EXPECTED,
    INSTALLED,
    Driver,
    Seen,
    converters,
    driver_of,
    fault_of,
)
from tests.frameworks.tools import AWKWARD, PIXEL, TREE, Cancelled, make_tools
from toolhaft import Err, Ok
from toolhaft.frameworks.hosts import HOSTS

pytestmark = pytest.mark.filterwarnings("ignore")  # the hosts' own

# The text of a call, and the tool that it is for.
CALLS = {
    "right": ("plant", '{"root": {"label": "a", "children": [{"label": "b"}]}, "when": "now"}'),
    "repairable": ("plant", '{"root": {"label": "a"}, "sizes": {"x": "3"}, "when": "NOW"}'),
    "wrong": ("plant", '{"root": {"label": ""}, "sizes": {"x": -1}, "when": {"day": "soon"}}'),
    "missing": ("plant", '{"when": "now"}'),
    "unknown argument": ("plant", '{"root": {"label": "a"}, "roots": 1}'),
    "crash": ("crash", "{}"),
    "ToolError": ("complain", "{}"),
    "25 awkward names": ("echo", json.dumps({name: name.upper() for name in AWKWARD})),
    "key twice": ("plant", '{"root": {"label": "a"}, "root": {"label": "b"}}'),
    "text cut off": ("plant", '{"root": {"label": "a"}, "sizes": {"x": 1'),
    "Python's text": ("plant", "{'root': {'label': 'a'}, 'sizes': None}"),
    "a list": ("plant", "[]"),
    "null": ("crash", "null"),
}
CASES = (
    *CALLS, "unknown tool", "image", "context", "sync", "approved", "declined", "refused unasked",
    "cancelled", "control flow", "strict schema", "schema",
)  # fmt: skip
SYNC = ("right", "wrong", "ToolError", "crash")


@pytest.mark.parametrize("host", HOSTS)
def test_a_host_is_there_wherever_it_was_installed(host: str) -> None:
    fault = fault_of(host)
    if fault is not None and host not in EXPECTED:
        pytest.skip(fault)
    assert fault is None


@pytest.fixture(params=INSTALLED)
def host(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def driver(host: str) -> Driver:
    return driver_of(host)


def attempt(run: Callable[[], Any]) -> Any:
    """Return a model's view, or the class of the exception that ends the run."""
    try:
        seen = run()
    except Exception as error:  # noqa: BLE001  of the host's runner
        return type(error)
    return seen._replace(text=without_id(seen.text)) if isinstance(seen, Seen) else seen


def without_id(text: str) -> str:
    return re.sub(r"\bid [0-9a-f]{12}\b", "id …", text)


@contextmanager
def closing_loop() -> Generator[None]:
    """Set a loop for the sync runners that would make one and leave it open."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    try:
        yield
    finally:
        asyncio.set_event_loop(None)
        loop.close()


def expect(driver: Driver, case: str, outcome: Ok[Any] | Err) -> Any:
    """Return the expected view of a case: the outcome, or the framework's listed loss."""
    if case in driver.LOSSES:
        return driver.LOSSES[case].instead
    shown = driver.shown(outcome)
    return shown._replace(text=without_id(shown.text))


@pytest.mark.requirement("frameworks-out")
@pytest.mark.parametrize("case", CALLS)
def test_a_model_reads_our_text_of_a_call(host: str, driver: Driver, case: str) -> None:
    name, text = CALLS[case]
    expected = expect(driver, case, make_tools().call_sync(name, text))
    assert attempt(lambda: asyncio.run(driver.run(make_tools(), name, text))) == expected
    table.note(host, case, driver.LOSSES.get(case))


@pytest.mark.requirement("frameworks-out")
def test_the_sync_runner_returns_the_same(host: str, driver: Driver) -> None:
    with closing_loop():
        runs = {case: partial(driver.run_sync, make_tools(), *CALLS[case]) for case in SYNC}
        seen = {case: attempt(run) for case, run in runs.items()}
    if "sync" in driver.LOSSES:
        assert set(seen.values()) == {driver.LOSSES["sync"].instead}
    else:
        outcomes = {case: make_tools().call_sync(*CALLS[case]) for case in SYNC}
        assert seen == {case: expect(driver, case, outcomes[case]) for case in SYNC}
    table.note(host, "sync", driver.LOSSES.get("sync"))


@pytest.mark.requirement("frameworks-out")
def test_an_unknown_tool_is_reported_as_such(host: str, driver: Driver) -> None:
    expected = driver.LOSSES["unknown tool"].instead
    seen = attempt(lambda: asyncio.run(driver.run(make_tools(), "nope", "{}")))
    assert getattr(seen, "text", seen) == getattr(expected, "text", expected)
    table.note(host, "unknown tool", driver.LOSSES["unknown tool"])


@pytest.mark.requirement("frameworks-out")
def test_an_image_reaches_the_model(host: str, driver: Driver) -> None:
    seen = attempt(lambda: asyncio.run(driver.run(make_tools(), "draw", "{}")))
    if "image" in driver.LOSSES:
        assert seen == driver.LOSSES["image"].instead
    else:
        assert (seen.text, seen.images) == ("a pixel", (PIXEL,))
    table.note(host, "image", driver.LOSSES.get("image"))


@pytest.mark.requirement("frameworks-out")
def test_the_hosts_context_is_the_context_of_a_call(host: str, driver: Driver) -> None:
    run = driver.run(make_tools(), "whoami", "{}", context={"user": "ann"})
    expected = expect(driver, "context", make_tools().call_sync("whoami", context={"user": "ann"}))
    assert attempt(lambda: asyncio.run(run)) == expected
    table.note(host, "context", driver.LOSSES.get("context"))


@pytest.mark.requirement("frameworks-approval")
@pytest.mark.parametrize(("case", "approved"), [("approved", True), ("declined", False)])
def test_a_framework_asks_a_person_and_resumes(
    host: str, driver: Driver, case: str, approved: bool
) -> None:
    call = "pay", '{"amount": "20"}'
    seen = attempt(lambda: asyncio.run(driver.decide(make_tools(), *call, approved)))
    if case in driver.LOSSES:
        assert seen == driver.LOSSES[case].instead
    elif approved:
        paid = make_tools().asking(approve=lambda _: True).call_sync(*call)
        assert seen == driver.shown(paid)
    else:
        assert seen.text == driver.DECLINED
    table.note(host, case, driver.LOSSES.get(case))


@pytest.mark.requirement("frameworks-approval")
def test_no_person_is_asked_about_a_rejected_call(host: str, driver: Driver) -> None:
    seen = attempt(lambda: asyncio.run(driver.decide(make_tools(), "pay", '{"amount": []}', True)))
    loss = driver.LOSSES.get("refused unasked")
    assert seen == (None if loss is None else loss.instead)
    table.note(host, "refused unasked", loss)


@pytest.mark.requirement("frameworks-out")
def test_a_run_that_is_cancelled_cancels_the_handler(host: str, driver: Driver) -> None:
    async def cancel() -> bool:
        cancelled = Cancelled()
        run = asyncio.ensure_future(driver.run(make_tools(cancelled=cancelled), "wait", "{}"))
        await cancelled.begun.wait()
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run
        return cancelled.seen

    assert asyncio.run(asyncio.wait_for(cancel(), 20)) == ("cancelled" not in driver.LOSSES)
    table.note(host, "cancelled", driver.LOSSES.get("cancelled"))


@pytest.mark.requirement("frameworks-control-flow")
def test_a_handler_steers_the_host(host: str, driver: Driver) -> None:
    tools = make_tools(steer=driver.steer)
    steered = asyncio.run(driver.is_steered(tools, "steered"))
    assert steered == ("control flow" not in driver.LOSSES)
    table.note(host, "control flow", driver.LOSSES.get("control flow"))


@pytest.mark.requirement("frameworks-out")
def test_a_framework_receives_the_schema_unchanged(host: str, driver: Driver) -> None:
    to_host, _ = converters(host)
    sent = driver.sent(to_host(make_tools()["plant"]), False)
    assert (sent == TREE) == ("schema" not in driver.LOSSES)
    table.note(host, "schema", driver.LOSSES.get("schema"))


@pytest.mark.requirement("frameworks-out")
def test_a_schema_lowered_for_a_strict_provider_passes_the_hosts_own_pass(
    host: str, driver: Driver
) -> None:
    tools = make_tools().select("order")
    [declared] = tools.export("openai", strict="require").tools
    to_host, _ = converters(host)
    [tool] = to_host(tools, target="openai", strict="require")
    sent = driver.sent(tool, True)
    loss = driver.LOSSES.get("strict schema")
    assert (sent == declared["parameters"]) == (loss is None)
    table.note(host, "strict schema", loss)
