"""With `--reload` a changed file is served, and its clients are notified."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from contextvars import copy_context
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, types
from mcp.client.subscriptions import (
    PromptsListChanged,
    ResourcesListChanged,
    ToolsListChanged,
)

from toolhaft import Toolset
from toolhaft.call.interrupts import CTRL_C_IS_A_SIGNAL
from toolhaft.cli.serve_tools import list_files, load_again
from toolhaft.cli.source import load
from toolhaft.serve import reload
from toolhaft.serve.app import App
from toolhaft.serve.catalogue import Catalogue
from toolhaft.serve.options import Options

pytestmark = pytest.mark.requirement("serve-reload")

SOURCE = """
from toolhaft import tool
import beside

@tool
def {name}() -> str:
    "Do."
    return beside.WORD
"""


def write(folder: Path, name: str, word: str, clock: list[int]) -> None:
    """Write both files, a second later than before."""
    clock[0] += 1
    texts = {"own_reloaded.py": SOURCE.format(name=name), "beside.py": f"WORD = {word!r}\n"}
    for file, text in texts.items():
        (folder / file).write_text(text)
        os.utime(folder / file, (clock[0], clock[0]))


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "path", [*sys.path, str(tmp_path)])
    monkeypatch.setattr(reload, "SECONDS", 0.01)
    monkeypatch.delitem(sys.modules, "beside", raising=False)
    return tmp_path


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_changed_file_is_served_and_clients_are_told(
    module: Path, mode: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    clock = [1_000]
    write(module, "first", "one", clock)
    target = str(module / "own_reloaded.py")
    tools: Toolset = load(target).toolset
    watched = reload.Reload(lambda: list_files(target), lambda: load_again(target))
    app = App(Catalogue(tools), Options(reload=watched))
    told = asyncio.Event()

    async def note(message: Any) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            told.set()

    @asynccontextmanager
    async def listen(client: Client) -> AsyncGenerator[Callable[[], Awaitable[Any]]]:
        """Listen as the revision does; yield a function that waits until the list has changed."""
        if mode == "legacy":
            assert client.server_capabilities.tools == types.ToolsCapability(list_changed=True)
            yield told.wait
            return
        async with client.listen(tools_list_changed=True) as changes:
            yield changes.__anext__

    async def names(client: Client) -> list[str]:
        return [tool.name for tool in (await client.list_tools()).tools]

    async def talk() -> None:
        async with (
            app.living(),
            Client(app.server, mode=mode, message_handler=note) as client,
            listen(client) as change,
        ):
            assert await names(client) == ["first"]
            write(module, "second", "two", clock)
            assert await asyncio.wait_for(change(), 10) in (True, ToolsListChanged())
            assert await names(client) == ["second"]
            assert (await client.call_tool("second", {})).structured_content is not None
            (module / "own_reloaded.py").write_text("def (")
            while "cannot be imported" not in capfd.readouterr().err:  # noqa: ASYNC110  likewise
                await asyncio.sleep(0)
            assert await names(client) == ["second"]

    asyncio.run(talk())


def test_a_file_that_was_gone_for_a_while_is_served_again(module: Path) -> None:
    clock = [1_000]
    write(module, "first", "one", clock)
    target = str(module / "own_reloaded.py")
    catalogue = Catalogue(load(target).toolset)
    watched = reload.Reload(lambda: list_files(target), lambda: load_again(target))
    reloader = reload.Reloader(catalogue, watched)

    async def change() -> list[bool]:
        (module / "own_reloaded.py").unlink()
        were_loaded = [await reloader.look() for _ in range(2)]
        write(module, "second", "two", clock)
        return [*were_loaded, await reloader.look()]

    assert asyncio.run(change()) == [False, False, True]
    assert [tool.name for tool in catalogue.tools] == ["second"]


@pytest.mark.parametrize("error", ["KeyboardInterrupt", "GeneratorExit", "BaseException"])
def test_a_file_that_raises_what_would_end_the_server_ends_nothing(
    module: Path, error: str
) -> None:
    write(module, "first", "one", [1_000])
    target = str(module / "own_reloaded.py")
    assert load_again(target) is not None
    (module / "own_reloaded.py").write_text(f"raise {error}")
    context = copy_context()
    context.run(CTRL_C_IS_A_SIGNAL.set, True)  # as a server does
    assert context.run(load_again, target) is None


@pytest.mark.requirement("context-missing-early")
def test_a_changed_tool_that_needs_a_context_is_not_served_without_one(
    module: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    write(module, "first", "one", [1_000])
    target = str(module / "own_reloaded.py")
    path = module / "own_reloaded.py"
    changed = path.read_text().replace("first()", "first(caller: Context[str])")
    path.write_text(changed.replace("import tool", "import Context, tool"))
    assert load_again(target, has_context=False) is None
    assert "first needs caller from --context" in capfd.readouterr().err
    assert load_again(target, has_context=True) is not None


OFFERING = """
from toolhaft import tool
from toolhaft.serve import prompt, resource

@tool
def add(a: int) -> int:
    "Add."
    return a

"""
OFFERS = """
@resource("orders://{id}")
def order(id: int) -> str:
    "An order."
    return f"WORD {id}"

@prompt()
def review() -> str:
    "Review."
    return "WORD"
"""


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_resources_and_prompts_that_change_are_offered_and_clients_are_told(
    module: Path, mode: Any
) -> None:
    file = module / "own_offering.py"
    clock = 1_000

    def write(text: str) -> None:
        nonlocal clock
        clock += 1
        file.write_text(OFFERING + text)
        os.utime(file, (clock, clock))

    write("")
    watched = reload.Reload(lambda: list_files(str(file)), lambda: load_again(str(file)))
    app = App(Catalogue(load(str(file)).toolset), Options(reload=watched))
    told: set[type] = set()
    heard = asyncio.Event()

    async def note(message: Any) -> None:
        told.add(type(message))
        if {types.ResourceListChangedNotification, types.PromptListChangedNotification} <= told:
            heard.set()

    async def wait_for_changes(client: Client) -> None:
        if mode == "legacy":
            await heard.wait()
            return
        async with client.listen(resources_list_changed=True, prompts_list_changed=True) as changes:
            write(OFFERS)
            assert {await changes.__anext__(), await changes.__anext__()} == {
                ResourcesListChanged(),
                PromptsListChanged(),
            }

    async def talk() -> None:
        async with (
            app.living(),
            Client(app.server, mode=mode, message_handler=note) as client,
        ):
            assert (await client.list_prompts()).prompts == []
            if mode == "legacy":
                write(OFFERS)
            await asyncio.wait_for(wait_for_changes(client), 10)
            templates = (await client.list_resource_templates()).resource_templates
            assert [one.uri_template for one in templates] == ["orders://{id}"]
            read = await client.read_resource("orders://3")
            assert read.contents[0].model_dump()["text"] == "WORD 3"
            assert (await client.get_prompt("review", {})).messages

    asyncio.run(talk())
