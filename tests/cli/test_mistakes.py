"""A newcomer's typing mistakes are reported in one line, with the likely intention."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.conftest import TOOLS
from tests.cli.running import Run

pytestmark = pytest.mark.requirement("cli-mistakes")

NO_OPTION = "no such option --a; arguments are written KEY=TEXT or KEY:=JSON, such as city=Paris"
ADDRESS = (
    "http://localhost:1/mcp: is an address; "
    "for the tools of an MCP server, name mcp+http://localhost:1/mcp"
)
MISSING = "ModuleNotFoundError: No module named 'library_of_nobody'"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tools.py").write_text(TOOLS)
    (tmp_path / "plain").mkdir()
    (tmp_path / "needy.py").write_text("import library_of_nobody\n")
    (tmp_path / "odd.json").write_text(json.dumps({"a": 1}))
    (tmp_path / "api.json").write_text(json.dumps({"openapi": "3.1.0", "paths": {}}))
    return tmp_path


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("check tols", "tols: no such module; did you mean tools.py?"),
        ("check toolz.py", "toolz.py: no such file; did you mean tools.py?"),
        ("check nowhere", "nowhere: no such module"),
        ("check plain", "plain: is a folder; name a file of tools in it"),
        ("show .", ".: is a folder; name a file of tools in it"),
        ("show api.json", "api.json: is an OpenAPI document; write: openapi:api.json"),
        ("call tools.py", "tools.py: missing tool name; available: add, fail"),
        ("call tools.py add --a 1", NO_OPTION),
        ("show http://localhost:1/mcp", ADDRESS),
        ("show needy.py", f"needy.py:1: cannot be imported: {MISSING}"),
    ],
)
def test_a_wrong_name_is_a_line_with_what_may_be_meant(run: Run, command: str, said: str) -> None:
    assert run(*command.split()) == (2, "", f"error: {said}\n")


@pytest.mark.parametrize("group", [(), ("audit",)])
def test_a_group_without_a_command_shows_its_help(run: Run, group: tuple[str, ...]) -> None:
    ran = run(*group)
    asked = run(*group, "--help")
    assert ran.out + ran.err == asked.out  # click 8.1 writes it to standard output


@pytest.mark.parametrize("command", ["export", "check", "manifest", "docs -o pages"])
def test_a_misspelt_target_is_guessed(run: Run, command: str) -> None:
    ran = run(*command.split(), "tools.py", "--target", "opnai")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.endswith("opnai is not a target; did you mean openai?\n")
    far = run(*command.split(), "tools.py", "--target", "grok-of-nobody")
    assert "is not one of 'openai', 'openai-chat', 'anthropic'" in far.err


def test_an_invalid_declaration_is_reported_by_its_place(run: Run) -> None:
    ran = run("check", "odd.json", "--format", "json")
    [finding] = ran.json["findings"]
    assert (finding["where"], finding["tool"], ran.code) == ("odd.json[0]", "a declaration", 1)
    shown = run("show", "odd.json")
    assert shown.err.startswith("error: odd.json[0]: the declaration: no schema of the arguments")


def test_written_files_are_listed(run: Run, folder: Path) -> None:
    assert run("lock", "tools.py").err == "toolhaft: wrote toolhaft.lock\n"
    said = "toolhaft: wrote the section of AGENTS.md\n"
    assert run("manifest", "tools.py", "--file", "AGENTS.md").err == said


def test_a_manifest_whose_lock_was_edited_is_to_be_written_anew(run: Run, folder: Path) -> None:
    run("manifest", "tools.py", "--file", "AGENTS.md")
    page = folder / "AGENTS.md"
    page.write_text(re.sub('"digest":"..', '"digest":"00', page.read_text()))
    said = "error: AGENTS.md: the section was edited; replace it with --force\n"
    assert run("manifest", "tools.py", "--file", "AGENTS.md", "--check") == (1, "", said)
    assert run("manifest", "tools.py", "--file", "AGENTS.md", "--force").code == 0
    assert run("manifest", "tools.py", "--file", "AGENTS.md", "--check") == (0, "", "")
