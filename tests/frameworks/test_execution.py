"""The execution rules in every host, and in our own loop: `parallel`, `limit` and `visible`."""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Generator
from contextlib import contextmanager, suppress
from typing import Any, cast

import pytest

from tests.frameworks import table
from tests.frameworks.driver import INSTALLED, Call, Runner, converters
from toolhaft import CallInfo, Context, Toolset, tool
from toolhaft.errors import ToolhaftError

pytestmark = pytest.mark.filterwarnings("ignore")  # the hosts' own

LOOP = "agent_loop"
ADMIN, GUEST = {"user": "admin"}, {"user": "ann"}


@pytest.fixture(params=[LOOP, *INSTALLED])
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def runner(name: str) -> Runner:
    return cast("Runner", importlib.import_module(f"tests.frameworks.drivers.drive_{name}"))


class Gauge:
    """Counts what runs: the most at a time of each tool, and what ran beside `alone`."""

    def __init__(self) -> None:
        self.now: list[str] = []
        self.ran: list[str] = []
        self.most: dict[str, int] = {"": 0}
        self.met_alone: list[list[str]] = []

    @contextmanager
    def running(self, name: str) -> Generator[None]:
        self.now.append(name)
        self.ran.append(name)
        self.most[""] = max(self.most[""], len(self.now))
        self.most[name] = max(self.most.get(name, 0), self.now.count(name))
        if "alone" in self.now and len(self.now) > 1:
            self.met_alone.append(list(self.now))
        try:
            yield
        finally:
            self.now.remove(name)


def counted(gauge: Gauge, name: str, **options: Any) -> Any:
    @tool(name=name, **options)
    async def count() -> str:
        """Count what runs beside it."""
        with gauge.running(name):
            for _ in range(100):
                await asyncio.sleep(0)
        return "counted"

    return count


def run(runner: Runner, tools: Toolset, names: list[str], context: Any = None) -> list[str]:
    return asyncio.run(runner.run_calls(tools, [Call(name) for name in names], context))


@pytest.mark.requirement("frameworks-parallel")
def test_a_tool_that_is_not_parallel_runs_alone(name: str, runner: Runner) -> None:
    free, barred = Gauge(), Gauge()
    run(runner, Toolset([counted(free, "alone"), counted(free, "quick")]), ["alone", "quick"] * 2)
    assert (free.most[""] == 4) == runner.SIDE_BY_SIDE
    tools = Toolset([counted(barred, "alone", parallel=False), counted(barred, "quick")])
    run(runner, tools, ["quick", "alone", "alone", "quick", "quick", "alone"])
    assert barred.met_alone == []
    assert sorted(barred.ran) == ["alone"] * 3 + ["quick"] * 3
    assert barred.most["alone"] == 1
    table.note_rule(name, "parallel=False", f"1 of {free.most['']}")


@pytest.mark.requirement("frameworks-limit")
def test_no_more_run_than_the_limits_allow(name: str, runner: Runner) -> None:
    gauge = Gauge()
    tools = Toolset([counted(gauge, "few", limit=2), counted(gauge, "many")], limit=3)
    run(runner, tools, ["few", "many"] * 3)
    most = (2, 3) if runner.SIDE_BY_SIDE else (1, 1)
    assert (gauge.most["few"], gauge.most[""]) == most
    assert len(gauge.ran) == 6
    table.note_rule(name, "limit", f"{most[0]} of {len(gauge.ran)}")


# The hosts whose runners pass the id of a call on.
WITH_ID = {
    "agent_framework": "call-1",
    LOOP: "call_1",
    "google_adk": "call-1",
    "langchain": "call-1",
    "llamaindex": "call-1",
    "openai_agents": "call-1",
    "pydantic_ai": "call-1",
    "strands": "call-1",
}


@pytest.mark.requirement("call-info")
def test_a_handler_has_the_id_of_the_hosts_call(name: str, runner: Runner) -> None:
    ids: list[str | None] = []

    @tool
    def ask(call: CallInfo) -> str:
        """Ask who calls."""
        ids.append(call.id)
        return "asked"

    run(runner, Toolset([ask]), ["ask"])
    assert ids == [WITH_ID.get(name)]


def make_hiding(ran: list[Any]) -> Toolset:
    """Make a toolset with a tool that admins alone see."""

    @tool
    def restart(*, context: Context[Any]) -> str:
        """Restart the host."""
        ran.append(context)
        return "restarted"

    @tool
    def look() -> str:
        """Look at the host."""
        ran.append("look")
        return "fine"

    def shown(tool: Any, context: Any) -> bool:
        return tool.name == "look" or (bool(context) and context["user"] == "admin")

    return Toolset([restart, look], visible=shown)


@pytest.mark.requirement("frameworks-visible")
def test_a_run_shows_the_tools_that_are_visible_in_its_context(name: str, runner: Runner) -> None:
    ran: list[Any] = []
    assert run(runner, make_hiding(ran), ["look"], GUEST) == ["look"]
    assert sorted(run(runner, make_hiding(ran), ["restart"], ADMIN)) == ["look", "restart"]
    [looked, context] = ran
    assert (looked, context["user"]) == ("look", "admin")
    judged = "by the context of the run" if runner.LISTS_BY_RUN else "by `context=`"
    table.note_rule(name, "visible", judged)


@pytest.mark.requirement("frameworks-visible")
def test_a_hidden_tool_that_is_called_is_not_run(runner: Runner) -> None:
    ran: list[Any] = []
    with suppress(Exception):  # a host may end the run
        run(runner, make_hiding(ran), ["restart"], GUEST)
    assert ran == []


@pytest.mark.requirement("frameworks-visible")
@pytest.mark.parametrize("host", INSTALLED)
def test_visible_without_a_context_is_an_error_and_none_is_a_context(host: str) -> None:
    to_host, _ = converters(host)
    hiding = make_hiding([])
    driver = importlib.import_module(f"tests.frameworks.drivers.drive_{host}")
    if driver.LISTS_BY_RUN:
        assert (len(to_host(hiding)), to_host(hiding["restart"]) is None) == (2, False)
    else:
        for tools in (hiding, hiding["restart"]):
            with pytest.raises(ToolhaftError, match="no context to judge by; pass context="):
                to_host(tools)
    assert len(to_host(hiding, context=None)) == 1
    assert to_host(hiding.select("restart"), context=None) == []
    with pytest.raises(ToolhaftError, match="hidden in this context"):
        to_host(hiding["restart"], context=None)


@pytest.mark.requirement("frameworks-visible")
@pytest.mark.skipif("fastmcp" not in INSTALLED, reason="FastMCP is not installed")
def test_a_provider_of_fastmcp_judges_by_the_context_of_each_request() -> None:
    from fastmcp import Client, FastMCP
    from fastmcp.exceptions import ToolError
    from mcp_types import Implementation

    from toolhaft.frameworks.fastmcp import to_fastmcp_provider

    @tool
    def restart() -> str:
        """Restart the host."""
        return "restarted"

    def shown(_: Any, context: Any) -> bool:
        params = context and context.session.client_params  # no request: the server starts
        return bool(params) and params.client_info.name == "admin"

    async def ask(name: str) -> tuple[list[str], str]:
        info: Any = {"name": name, "version": "1"}
        async with Client(server, client_info=Implementation(**info)) as client:
            names = [each.name for each in await client.list_tools()]
            try:
                result = await client.call_tool("restart", {})
            except ToolError as error:
                return names, str(error)
            return names, result.content[0].text

    provider = to_fastmcp_provider(Toolset([restart], visible=shown))
    server: Any = FastMCP("server", providers=[provider])
    assert asyncio.run(ask("admin")) == (["restart"], "restarted")
    assert asyncio.run(ask("ann")) == ([], "Unknown tool: 'restart'")
