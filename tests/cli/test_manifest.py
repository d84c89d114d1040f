"""`toolhaft manifest` writes a section, and `--check` reports its outdated parts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import Run

TOOLS = '''
from toolhaft import tool


@tool
def find(city: str) -> str:
    """Find a shop."""
    return city
'''
WROTE = "toolhaft: wrote the section of AGENTS.md\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shops.py").write_text(TOOLS)
    (tmp_path / "AGENTS.md").write_text("# Project\n")
    return tmp_path


@pytest.mark.requirement("cli-manifest")
def test_a_file_is_written_and_stays_true_until_a_word_changes(run: Run, folder: Path) -> None:
    assert run("manifest", "shops.py", "--file", "AGENTS.md") == (0, "", WROTE)
    first = (folder / "AGENTS.md").read_bytes()
    assert first.startswith(b"# Project\n\n<!-- toolhaft:begin -->")
    assert run("manifest", "shops.py", "--file", "AGENTS.md") == (0, "", WROTE)
    assert (folder / "AGENTS.md").read_bytes() == first
    assert run("manifest", "shops.py", "--file", "AGENTS.md", "--check") == (0, "", "")
    (folder / "shops.py").write_text(TOOLS.replace("a shop", "the shop"))
    ran = run("manifest", "shops.py", "--file", "AGENTS.md", "--check")
    assert ran.code == 1
    assert ran.out.startswith("find description: the description changed\n--- AGENTS.md\n")
    assert "-Find a shop.\n+Find the shop.\n" in ran.out
    assert (folder / "AGENTS.md").read_bytes() == first


@pytest.mark.requirement("cli-manifest")
def test_an_edited_section_is_not_written_over_without_force(run: Run, folder: Path) -> None:
    run("manifest", "shops.py", "--file", "AGENTS.md")
    path = folder / "AGENTS.md"
    path.write_text(path.read_text().replace("toolhaft:lock", "gone"))
    edited = path.read_text()
    ran = run("manifest", "shops.py", "--file", "AGENTS.md")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err == "error: AGENTS.md: the section was edited; replace it with --force\n"
    assert path.read_text() == edited
    assert run("manifest", "shops.py", "--file", "AGENTS.md", "--force").code == 0
    assert run("manifest", "shops.py", "--file", "AGENTS.md", "--check").code == 0


@pytest.mark.requirement("manifest-guarded")
def test_a_word_that_was_added_by_hand_is_not_lost(run: Run, folder: Path) -> None:
    run("manifest", "shops.py", "--file", "AGENTS.md")
    path = folder / "AGENTS.md"
    path.write_text(path.read_text().replace("Find a shop.\n\n|", "Find a shop. Mine.\n\n|", 1))
    edited = path.read_text()
    ran = run("manifest", "shops.py", "--file", "AGENTS.md")
    words = "the section was edited; replace it with --force"
    assert ran == (1, "", f"error: AGENTS.md: {words}\n")
    assert path.read_text() == edited
    ran = run("manifest", "shops.py", "--file", "AGENTS.md", "--check", "--format", "json")
    assert (ran.code, ran.json["true"], ran.json["changes"]) == (1, False, [])
    assert "-Find a shop. Mine.\n+Find a shop.\n" in ran.json["difference"]


@pytest.mark.requirement("cli-manifest")
@pytest.mark.usefixtures("folder")
def test_strict_schemas_are_shown_on_request(run: Run) -> None:
    asked = ("manifest", "shops.py", "--format", "json", "--target", "openai")
    [plain] = run(*asked).json
    [strict] = run(*asked, "--strict", "prefer").json
    assert (plain["targets"]["openai"]["strict"], strict["targets"]["openai"]["strict"]) == (
        False,
        True,
    )
    assert strict["targets"]["openai"]["schema"]["additionalProperties"] is False


@pytest.mark.requirement("cli-manifest")
def test_the_section_as_json_has_what_each_target_sees(run: Run, folder: Path) -> None:
    strict = TOOLS.replace("@tool", "@tool(strict=True)")
    (folder / "shops.py").write_text(strict)
    ran = run("manifest", "shops.py", "--format", "json", "--target", "openai")
    schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    [written] = ran.json
    sent = written["targets"]["openai"]
    assert (written["name"], written["description"]) == ("find", "Find a shop.")
    assert (sent["name"], sent["strict"]) == ("find", True)
    assert sent["schema"] == {**schema, "additionalProperties": False}


def test_without_a_file_the_section_is_printed(run: Run, folder: Path) -> None:
    ran = run("manifest", "shops.py", "--target", "mcp")
    assert (ran.code, ran.err) == (0, "")
    assert "\nmcp see:\n" in ran.out
    assert (folder / "AGENTS.md").read_text() == "# Project\n"


def test_only_a_file_of_markdown_gets_a_section(run: Run, folder: Path) -> None:
    (folder / "calls.jsonl").write_text("{}")
    assert run("manifest", "shops.py", "--file", "calls.jsonl").err == (
        "error: calls.jsonl: not a file of Markdown; name one such as AGENTS.md\n"
    )
    assert (folder / "calls.jsonl").read_text() == "{}"


def test_a_file_that_is_not_there_is_made_but_not_checked(run: Run, folder: Path) -> None:
    assert run("manifest", "shops.py", "--file", "none.md", "--check").code == 2
    assert run("manifest", "shops.py", "--file", "CLAUDE.md").code == 0
    assert (folder / "CLAUDE.md").read_text().startswith("<!-- toolhaft:begin -->")
    (folder / "bytes.md").write_bytes(b"\xff")
    assert run("manifest", "shops.py", "--file", "bytes.md").err == (
        "error: bytes.md: cannot be read: UnicodeDecodeError\n"
    )
    assert "cannot be written" in run("manifest", "shops.py", "--file", "no/such/folder.md").err
