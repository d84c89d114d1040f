"""With `--reload` a changed file is served, and its clients are told."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, types

from toolhaft import Toolset
from toolhaft.cli.reloading import list_files, load_again
from toolhaft.cli.source import load
from toolhaft.serve import reload
from toolhaft.serve.app import App, Options
from toolhaft.serve.catalogue import Catalogue

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
    told = asyncio.Queue[str]()

    async def note(message: Any) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            await told.put("changed")

    async def names(client: Client) -> list[str]:
        return [tool.name for tool in (await client.list_tools()).tools]

    async def talk() -> None:
        async with app.reloading(), Client(app.server, mode=mode, message_handler=note) as client:
            assert await names(client) == ["first"]
            write(module, "second", "two", clock)
            if mode == "legacy":
                assert await asyncio.wait_for(told.get(), 10) == "changed"
            while await names(client) != ["second"]:  # noqa: ASYNC110  it looks by itself
                await asyncio.sleep(0)
            assert (await client.call_tool("second", {})).structured_content is not None
            (module / "own_reloaded.py").write_text("def (")
            while "cannot be imported" not in capfd.readouterr().err:  # noqa: ASYNC110  likewise
                await asyncio.sleep(0)
            assert await names(client) == ["second"]

    asyncio.run(talk())
