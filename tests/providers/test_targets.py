"""All targets alike: the table, the golden files, and what a provider's file may import."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.providers.sample import tools
from toolhaft import Toolset
from toolhaft.definition.targets import TARGETS
from toolhaft.errors import ToolhaftError
from toolhaft.lowering import Strict
from toolhaft.providers import for_target

GOLDEN = Path(__file__).parent / "golden"
ALL = pytest.mark.parametrize("target", TARGETS)


@ALL
def test_a_target_has_a_provider_of_its_name(target: str) -> None:
    assert for_target(target).target == target


def test_an_unknown_target_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(ToolhaftError) as raised:
        tools().export("opena")
    assert str(raised.value) == (
        f"export: no such target; did you mean openai? use one of {', '.join(TARGETS)}"
    )


def test_a_target_like_none_gets_no_guess() -> None:
    with pytest.raises(ToolhaftError, match="no such target; use one of openai, openai-chat"):
        for_target("zzz")


@ALL
def test_the_request_is_as_in_the_golden_file(target: str) -> None:
    wanted = (GOLDEN / f"{target}.json").read_text(encoding="utf-8")
    assert json.dumps(tools().export(target).request, indent=2) + "\n" == wanted


def name_of(declared: dict[str, Any]) -> str:
    inner = declared.get("function") or declared.get("toolSpec") or declared
    name: str = inner["name"]
    return name


@ALL
def test_declarations_are_in_the_order_of_their_names(target: str) -> None:
    declared = tools().export(target).tools
    declared = declared[0].get("functionDeclarations", declared)
    names = [name_of(one) for one in declared]
    dotted = target.startswith(("mcp", "gemini"))
    foreign = "calendar.respond" if dotted else "calendar_respond"
    assert names == ["add", foreign, "crash", "find_order", "get_weather"]


SCRIPT = """
import random
from tests.providers.sample import tools
from tests.providers.test_targets import everywhere
from toolhaft import Toolset
members = list(tools())
for seed in range(20):
    random.Random(seed).shuffle(members)
    shuffled = Toolset(members)
    print(everywhere(shuffled))
"""


def everywhere(toolset: Toolset) -> str:
    """Everything in the exports of a toolset, for every target, plain and strict."""
    modes: tuple[Strict, ...] = (False, "prefer")
    wires = [toolset.export(target, strict=strict) for target in TARGETS for strict in modes]
    return json.dumps([(wire.request, wire.losses, wire.problems) for wire in wires])


def printed(hash_seed: str) -> list[str]:
    root = Path(__file__).parents[2]
    paths = [str(root), str(root / "src"), *sys.path]
    environment = {"PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join(paths)}
    command = [sys.executable, "-c", SCRIPT]
    child = subprocess.run(
        command, capture_output=True, text=True, check=True, timeout=120, env=environment
    )
    return child.stdout.splitlines()


@pytest.mark.unmeasured
@pytest.mark.requirement("pain-16")
@pytest.mark.requirement("row-42")
def test_order_and_hash_seed_never_change_a_byte() -> None:
    lines = [*printed("1"), *printed("2")]
    assert len(lines) == 40
    assert set(lines) == {everywhere(tools())}


LOADED = """
import sys
from toolhaft.providers import for_target
for_target({target!r})
print(sorted(name for name in sys.modules if name.startswith("toolhaft.providers.")))
print(sorted({{"openai", "anthropic", "mcp", "mcp_types", "asyncio"}} & set(sys.modules)))
"""


@pytest.mark.unmeasured
@pytest.mark.parametrize(
    ("target", "file"),
    [("anthropic", "anthropic"), ("mcp-2025-11-25", "mcp"), ("openai", "openai"),
     ("openai-chat", "openai_chat")],
)  # fmt: skip
def test_a_target_loads_its_own_file_and_no_sdk(target: str, file: str) -> None:
    command = [sys.executable, "-c", LOADED.format(target=target)]
    child = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    shared = {
        "deferred",
        "ending",
        "provider",
        "recognise",
        "response",
        "streams",
        *(["chat", "chat_chunks"] if "chat" in file else []),
    }
    own = [f"toolhaft.providers.{name}" for name in sorted({file, *shared})]
    assert child.stdout.splitlines() == [str(own), "[]"]


def golden(target: str) -> Any:
    return json.loads((GOLDEN / f"{target}.json").read_text(encoding="utf-8"))


@pytest.mark.requirement("export-provider-options")
def test_the_options_for_a_target_are_in_its_declaration_and_in_no_other() -> None:
    special = {
        "anthropic": golden("anthropic")["tools"][4]["cache_control"],
        "openai": golden("openai")["tools"][4]["defer_loading"],
        "mcp": golden("mcp")["tools"][4]["_meta"],
    }
    assert special == {
        "anthropic": {"type": "ephemeral"},
        "openai": True,
        "mcp": {"example.com/group": "travel"},
    }
    for target in special:
        text = (GOLDEN / f"{target}.json").read_text(encoding="utf-8")
        words = ("cache_control", "defer_loading", "_meta")
        assert sum(word in text for word in words) == (target != "openai-chat")
