"""Every example of an agent runs as it stands, against a server that speaks its provider's wire."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.forks import answering
from tests.servers.anthropic_messages import AnthropicMessages
from tests.servers.gemini_generate import GeminiGenerate
from tests.servers.loopback import Loopback, Wire
from tests.servers.openai_responses import OpenAIResponses
from tests.servers.script import Call, Turn
from toolhaft.call import feedback

pytestmark = pytest.mark.unmeasured

EXAMPLES = Path(__file__).parents[2] / "examples"
SRC = str(EXAMPLES.with_name("src"))
AGENTS = sorted(
    path.relative_to(EXAMPLES)
    for path in [*EXAMPLES.glob("*_agent.py"), *EXAMPLES.glob("*_agent/*.py")]
)


def says(script: str, wire: Wire, *turns: Turn, typed: str = "") -> list[str]:
    """Run an example by itself; give the lines that it prints."""
    with Loopback(wire, turns) as server:
        lines = run(script, server, typed=typed)
    assert (server.refusals, server.turns) == ([], [])
    return lines


def run(script: str, server: Loopback, typed: str = "") -> list[str]:
    """Run an example in a process of its own, with clients that talk to a server."""
    ran = subprocess.run(
        [sys.executable, EXAMPLES / script],
        env={**os.environ, **addresses(server.url)},
        input=typed,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ran.stderr == ""
    return ran.stdout.splitlines()


def addresses(url: str) -> Mapping[str, str]:
    """The variables by which the SDKs themselves know where to go."""
    return {
        "OPENAI_BASE_URL": url,
        "OPENAI_API_KEY": "x",
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": "x",
        "GOOGLE_GEMINI_BASE_URL": url,
        "GEMINI_API_KEY": "x",
    }


@pytest.mark.requirement("example-agents")
@pytest.mark.parametrize("path", AGENTS, ids=str)
def test_an_example_has_less_than_sixty_lines(path: Path) -> None:
    assert len((EXAMPLES / path).read_text(encoding="utf-8").splitlines()) < 60


@pytest.mark.requirement("example-agents")
def test_the_openai_agent_finds_an_order_after_a_wrong_number() -> None:
    pytest.importorskip("openai", reason="openai is not installed")
    lines = says(
        "openai_agent.py",
        OpenAIResponses(),
        Turn((Call("call_1", "find_order", {"number": 70}),)),
        Turn(
            (
                Call("call_2", "find_order", {"number": "7"}),
                Call("call_3", "opening_hours", {"day": None}),
            )
        ),
        Turn(text="It was shipped on Monday."),
    )
    assert lines == [
        "find_order: there is no order 70; ask for the number on the receipt",
        "find_order: shipped on Monday",
        "opening_hours: 9:00 to 18:00",
        "It was shipped on Monday.",
    ]


@pytest.mark.requirement("example-agents")
def test_the_mcp_agent_uses_the_tools_of_a_server_of_its_own() -> None:
    pytest.importorskip("openai", reason="openai is not installed")
    pytest.importorskip("mcp", reason="mcp is not installed")
    lines = says(
        "mcp_agent/agent.py",
        OpenAIResponses(),
        Turn((Call("call_1", "stock_of", {"item": "milk"}),)),
        Turn((Call("call_2", "stock_of", {"item": "tea"}),)),
        Turn(text="Twelve packets."),
    )
    assert lines == [
        "stock_of: we do not sell this; we sell tea, coffee",
        'stock_of: {"item":"tea","left":12}',
        "Twelve packets.",
    ]


@pytest.mark.requirement("example-mcp-server")
@pytest.mark.parametrize(
    ("mode", "action"),
    [("legacy", "accept"), ("legacy", None), ("2026-07-28", "accept"), ("2026-07-28", "decline")],
)
def test_the_mcp_server_speaks_the_clients_revision_and_asks_its_user(
    mode: Any, action: Any
) -> None:
    pytest.importorskip("mcp", reason="mcp is not installed")
    from mcp import Client, StdioServerParameters
    from mcp.types import ElicitResult

    async def asked(_context: Any, _params: Any) -> Any:
        return ElicitResult(action=action)

    async def session() -> tuple[list[str], str, bool]:
        server = StdioServerParameters(
            command=sys.executable,
            args=["-m", "toolhaft", "serve", str(EXAMPLES / "mcp_agent" / "server.py"), "--stdio"],
            env={**os.environ, "PYTHONPATH": SRC},
        )
        asking: dict[str, Any] = {"elicitation_callback": asked} if action else {}
        async with Client(server, mode=mode, **asking) as client:
            listed = [tool.name for tool in (await client.list_tools()).tools]
            result = await client.call_tool("order", {"item": "tea"})
            parts: list[Any] = result.content
            [part] = parts
            return listed, part.text, bool(result.is_error)

    listed, text, is_error = asyncio.run(session())
    assert listed == ["order", "stock_of"]
    runs = action == "accept"
    assert (text == "ordered tea", is_error) == (runs, not runs)
    assert "nternal" not in text


@pytest.mark.requirement("example-agents")
def test_the_anthropic_agent_asks_a_person_before_it_pays() -> None:
    pytest.importorskip("anthropic", reason="anthropic is not installed")
    lines = says(
        "anthropic_agent.py",
        AnthropicMessages(),
        Turn((Call("call_1", "paid_for", {"order": 7}),)),
        Turn((Call("call_2", "refund", {"order": 7, "cents": "1900"}),)),
        Turn((Call("call_3", "refund", {"order": 7, "cents": 900}),)),
        Turn(text="I have paid back 9 euros."),
        typed="half of it at most\ny\n",
    )
    asked = "refund {'order': 7, 'cents': %d}? (y, or why not) refund: %s"
    assert lines == [
        "paid_for: 1900",
        asked % (1900, feedback.describe_decline("half of it at most")),
        asked % (900, "1000 cents are left"),
        "I have paid back 9 euros.",
    ]


@pytest.mark.requirement("example-approval")
@pytest.mark.parametrize("provider", ["openai", "anthropic"])
def test_a_person_approves_in_a_second_process_and_only_once(provider: str, tmp_path: Path) -> None:
    pytest.importorskip(provider, reason=f"{provider} is not installed")
    wires: dict[str, Callable[[], Wire]] = {
        "openai": OpenAIResponses,
        "anthropic": AnthropicMessages,
    }
    calls = [
        Call("call_2", "paid_for", {"order": 7}),
        Call("call_3", "refund", {"order": 7, "cents": "1900"}),
        Call("call_4", "refund", {"order": 7, "cents": 100}),
    ]
    first = Turn((Call("call_1", "paid_for", {"order": 8}),))
    turns = [first, Turn(tuple(calls)), Turn(text="Paid."), Turn(text="As I said.")]
    with (
        Loopback(wires[provider](), turns) as server,
        answering("tests.examples.agents_child", provider) as ask,
    ):
        variables = {**addresses(server.url), "PROVIDER": provider}

        def printed(script: str, typed: str = "") -> list[str]:
            path = EXAMPLES / "approval_agent" / script
            ran = ask(str(path), str(tmp_path), variables, typed)
            assert ran.code == 0, ran.text
            lines: list[str] = json.loads(ran.text)
            return lines

        asked = printed("ask.py")
        state = (tmp_path / "waiting.json").read_text()
        decided = printed("decide.py", "y\nthat is paid\n")
        again = printed("decide.py", "y\ny\n")
    waits = f"refund: {feedback.APPROVAL}"
    assert asked == [
        "paid_for: 500",
        "paid_for: 1900",
        waits,
        waits,
        "waiting.json has what waits",
    ]
    assert "payments" not in state
    prompts = "".join(
        f"refund {{'order': 7, 'cents': {cents}}}? (y, or why not) " for cents in (1900, 100)
    )
    assert decided == [
        f"{prompts}refund: 0 cents are left",
        f"refund: {feedback.describe_decline('that is paid')}",
        "the model has finished: done",
    ]
    assert again[0] == f"{prompts}refund: {feedback.SPENT}"
    assert (server.refusals, server.turns) == ([], [])
    sent = server.requests[2].body
    assert "that is paid" in json.dumps(sent)


@pytest.mark.requirement("example-agents")
def test_the_gemini_agent_shows_the_words_as_they_come() -> None:
    pytest.importorskip("google.genai", reason="google-genai is not installed")
    lines = says(
        "gemini_agent.py",
        GeminiGenerate(),
        Turn(
            (Call("call_1", "convert", {"amount": "20", "source": "eur", "target": "YEN"}),),
            text="Let me see. ",
        ),
        Turn((Call("call_2", "convert", {"amount": "20", "source": "eur", "target": "JPY"}),)),
        Turn(text="About 3,448 yen."),
    )
    assert "\n".join(lines) == (
        "Let me see. [convert: Please rewrite the input with valid arguments. "
        'Errors: target: expected one of "EUR", "JPY", "USD"]\n'
        "[convert: 3448.28]\n"
        "About 3,448 yen."
    )
