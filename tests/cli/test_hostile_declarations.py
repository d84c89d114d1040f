"""Declarations of others go through every command, and nothing of theirs is obeyed by a reader.

A terminal gets no escapes and no hidden characters, a page no HTML, a manifest no foreign marker.
"""

from __future__ import annotations

import json
import re
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import Run, forked
from toolhaft.definition.names import strip_hidden

pytestmark = pytest.mark.requirement("cli-hostile-declarations")

EVIL = (
    "\x1b]0;owned\x07\x1b[31mred\x1b[2J \x9b31m \u202e\u2066evil\u2069 \U000e0061 \u200b\x7f "
    "<script>alert(1)</script><img src=x onerror=alert(1)> | `code` ``` "
    "<!-- toolhaft:begin --> --> <!-- toolhaft:end -->\r\n::error file=x::owned"
)
SHOWN = strip_hidden(EVIL)
MARKUP = "Find. <script>alert(1)</script> <img src=x> | `a` ``` <!-- toolhaft:end --> -->"


def declarations(**of_plain: Any) -> str:
    plain = {"type": "string", "description": SHOWN, "default": SHOWN, **of_plain}
    node = {"type": "string", "title": SHOWN, "enum": [SHOWN, "b"], "examples": [SHOWN]}
    properties = {
        f"a{SHOWN}": node,
        "plain": plain,
        "nested": {"type": "object", "properties": {SHOWN: {"type": "integer", "format": SHOWN}}},
    }
    concealed = {"type": "object", "properties": {f"a{EVIL}": {"enum": [EVIL]}}}
    tools = [
        {
            "name": "find",
            "description": MARKUP,
            "inputSchema": {"type": "object", "properties": properties, "required": ["plain"]},
            "outputSchema": {"type": "object", "properties": {SHOWN: {"description": SHOWN}}},
        },
        {"name": "concealed", "description": "C.", "inputSchema": concealed},
        {"name": f"bad{EVIL}", "description": "Bad.", "inputSchema": {"type": "object"}},
        {"name": "worse", "description": EVIL, "inputSchema": {"type": "object"}},
        {"name": "titled", "title": EVIL, "description": "T.", "inputSchema": {"type": "object"}},
    ]
    return json.dumps({"tools": tools})


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "old.json").write_text(declarations())
    (tmp_path / "new.json").write_text(declarations(enum=[SHOWN], maxLength=3))
    calls = [
        {
            "type": "tool_use",
            "id": EVIL,
            "name": "find",
            "input": {"plain": EVIL, f"a{EVIL}": EVIL},
        },
        {"type": "tool_use", "id": "2", "name": "find", "input": {"plain": EVIL, EVIL: 1}},
        {"type": "tool_use", "id": "3", "name": f"none{EVIL}", "input": {}},
    ]
    (tmp_path / "calls.jsonl").write_text("\n".join(map(json.dumps, calls)))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_COLOR", "1")
    return tmp_path


def hidden(text: str) -> set[str]:
    """Return the characters that a terminal obeys or a reader cannot see."""
    return {one for one in text if one not in "\n\t" and unicodedata.category(one) in ("Cc", "Cf")}


def is_command_of_a_log(text: str) -> bool:
    return any(line.startswith("::error file=x") for line in text.splitlines())


SCREENS = [
    *("show old.json", "show old.json --format json"),
    *(f"check old.json --format {shape}" for shape in ("text", "json", "github", "sarif")),
    *("diff old.json new.json", "diff old.json new.json --format json"),
    *("call old.json find --help", "call old.json find plain=x", "call old.json none"),
    *("call old.json find plain=x --format json", "call old.json find bad=x"),
    *("batch old.json calls.jsonl --show", "batch old.json calls.jsonl -o -"),
    *("manifest old.json", "manifest old.json --format json", "lock old.json -o -"),
    *(f"export old.json --target {name}" for name in ("openai", "mcp", "text", "gemini")),
    "export old.json --target openapi-3.1 --document",
    "export old.json --target openai --format json",
]


@pytest.mark.parametrize("command", SCREENS)
def test_no_screen_has_what_a_terminal_obeys(run: Run, folder: Path, command: str) -> None:
    ran = run(*command.split())
    assert ran.out or ran.err
    assert hidden(ran.out + ran.err) == set()
    assert not is_command_of_a_log(ran.out + ran.err)
    assert "Traceback" not in ran.err


@pytest.mark.parametrize("command", ["check old.json", "diff old.json new.json", "show old.json"])
def test_nor_has_a_terminal_in_colour(
    run: Run, folder: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    ran = run(*command.split())
    assert ran.out
    # Bold and dim are ours, where colours are not wanted.
    assert hidden(re.sub("\x1b\\[[012]m", "", ran.out + ran.err)) == set()


def without_code(page: str) -> str:
    """Return a page without fenced blocks and comments, in which nothing is markup."""
    page = re.sub(r"^```.*?^```$", "", page, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"<!-- (Written by|toolhaft:lock) .*? -->", "", page, flags=re.DOTALL)


def test_no_page_has_html_or_hidden_characters_of_others(run: Run, folder: Path) -> None:
    assert run("docs", "old.json", "-o", "pages").code == 0
    assert run("manifest", "old.json", "--file", "AGENTS.md").code == 0
    assert run("lock", "old.json").code == 0
    pages = sorted([*(folder / "pages").iterdir(), folder / "AGENTS.md"])
    assert len(pages) >= 4
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert hidden(text) == set(), page
        assert re.findall("<script|<img|<!-- toolhaft:end -->.", without_code(text)) == [], page
    assert hidden((folder / "toolhaft.lock").read_text(encoding="utf-8")) == set()


def test_a_manifest_and_a_lock_of_such_declarations_detect_changes(run: Run, folder: Path) -> None:
    run("manifest", "old.json", "--file", "AGENTS.md")
    run("lock", "old.json")
    assert run("manifest", "old.json", "--file", "AGENTS.md", "--check").code == 0
    assert run("lock", "old.json", "--check").code == 0
    for command in (("manifest", "--file", "AGENTS.md", "--check"), ("lock", "--check")):
        ran = run(command[0], "new.json", *command[1:])
        assert (ran.code, hidden(ran.out + ran.err)) == (1, set())
    ran = run("diff", "toolhaft.lock", "new.json")
    assert "find plain: is an enumeration now" in ran.out


def test_a_terminal_obeys_no_result_of_a_tool(folder: Path) -> None:
    (folder / "tools.py").write_text(
        "from toolhaft import tool\n\n@tool\ndef read() -> str:\n"
        "    'Read a page.'\n    return 'one\\x1b[2J\\ntwo\\u202e'\n"
    )
    piped = forked("call", "tools.py", "read", cwd=folder)
    assert piped.out == "one\x1b[2J\ntwo\u202e\n"
    shown = forked("call", "tools.py", "read", cwd=folder, FORCE_COLOR="1")
    assert shown.out == "one\\x1b[2J\ntwo\\u202e\n"
