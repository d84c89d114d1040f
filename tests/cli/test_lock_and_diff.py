"""`lock` writes down what tools are; `diff` says what changed, wherever the sides come from."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import click
import pytest

from tests.cli.running import SRC, Run, forked
from toolhaft.cli.serve_tools import verify_served
from toolhaft.cli.source import load, load_offers
from toolhaft.jsonio.canonical import digest
from toolhaft.review.lock import without_rules, write_lock

OLD = '''
from toolhaft import tool


@tool
def find(city: str, limit: int = 5) -> list[str]:
    """Find shops."""
    return [city] * limit
'''
NEW = OLD.replace("limit: int = 5", "limit: int").replace("Find shops", "Find all shops")
SAID = """\
harmless  find description: the description changed (model: unknown)
breaking  find limit: is required now
harmless  find limit: default changed
1 breaking, 2 harmless
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shops.py").write_text(OLD)
    return tmp_path


@pytest.mark.requirement("cli-lock")
def test_a_lock_is_written_and_holds_until_something_changes(run: Run, folder: Path) -> None:
    assert run("lock", "shops.py") == (0, "", "toolhaft: wrote toolhaft.lock\n")
    first = (folder / "toolhaft.lock").read_bytes()
    assert run("lock", "shops.py") == (0, "", "toolhaft: wrote toolhaft.lock\n")
    assert (folder / "toolhaft.lock").read_bytes() == first
    assert run("lock", "shops.py", "--check") == (0, "", "")
    (folder / "shops.py").write_text(NEW)
    ran = run("lock", "shops.py", "--check")
    assert (ran.code, ran.out) == (1, SAID)
    assert ran.err == (
        "toolhaft: to accept the changes, run toolhaft lock shops.py -o toolhaft.lock\n"
    )
    as_json = run("lock", "shops.py", "--check", "--format", "json")
    assert (as_json.code, [change["tool"] for change in as_json.json]) == (1, ["find"] * 3)
    assert (folder / "toolhaft.lock").read_bytes() == first


@pytest.mark.requirement("cli-lock")
def test_a_file_that_is_no_lock_is_not_written_over(run: Run, folder: Path) -> None:
    (folder / "toolhaft.lock").write_text("notes of mine")
    ran = run("lock", "shops.py")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.endswith("; --force writes over it\n")
    assert (folder / "toolhaft.lock").read_text() == "notes of mine"
    assert run("lock", "shops.py", "--check").code == 2
    assert run("lock", "shops.py", "--force").code == 0
    assert run("lock", "shops.py", "--check").code == 0


@pytest.mark.usefixtures("folder")
def test_the_list_of_written_files_is_json_on_request(run: Run) -> None:
    ran = run("lock", "shops.py", "--format", "json")
    assert (ran.code, ran.json, ran.err) == (0, {"wrote": "toolhaft.lock", "tools": 1}, "")


@pytest.mark.requirement("cli-lock")
def test_two_tools_of_one_name_are_no_lock(run: Run, folder: Path) -> None:
    declared = {"name": "a", "description": "A.", "inputSchema": {"type": "object"}}
    (folder / "twice.json").write_text(json.dumps([declared, declared]))
    ran = run("lock", "twice.json", "-o", "-")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("error: a.name: reads the same as a; rename one of them")


def test_a_lock_on_standard_output_is_json(run: Run, folder: Path) -> None:
    ran = run("lock", "shops.py", "-o", "-")
    assert ran.json["tools"]["find"]["definition"]["description"] == "Find shops."
    assert not (folder / "toolhaft.lock").exists()


@pytest.mark.requirement("cli-diff")
def test_a_lock_and_a_module_are_compared(run: Run, folder: Path) -> None:
    run("lock", "shops.py")
    (folder / "shops.py").write_text(NEW)
    assert run("diff", "toolhaft.lock", "shops.py") == (1, SAID, "")
    assert run("diff", "shops.py", "shops.py") == (0, "nothing changed\n", "")
    ran = run("diff", "toolhaft.lock", "shops.py", "--format", "json")
    assert ran.json[1] == {
        "tool": "find",
        "pointer": "/input/properties/limit",
        "what": "is required now",
        "callers": "breaking",
        "model": "breaking",
    }


@pytest.mark.requirement("diff-terminal")
def test_a_terminal_gets_what_breaks_callers_first_and_folded(folder: Path) -> None:
    (folder / "new.py").write_text(NEW)

    def screen(no_color: str) -> str:
        command = ("diff", "shops.py", "new.py")
        return forked(*command, cwd=folder, COLUMNS="50", FORCE_COLOR="1", NO_COLOR=no_color).out

    out = screen(no_color="")
    assert out.startswith("\x1b[31m\x1b[1mbreaking \x1b[0m find limit: ")
    assert (
        click.unstyle(out)
        == """\
breaking  find limit: is required now
harmless  find description: the description
          changed (model: unknown)
harmless  find limit: default changed

1 breaking, 2 harmless
"""
    )
    assert screen(no_color="1") == click.unstyle(out)


def git(*arguments: str) -> None:
    identity = ("-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *identity, *arguments], check=True, capture_output=True)


@pytest.mark.requirement("cli-diff")
def test_a_revision_is_compared_with_what_is_here(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", SRC)
    run("lock", "shops.py")
    git("init", "-q")
    git("add", "shops.py", "toolhaft.lock")
    git("commit", "-qm", "First")
    (folder / "shops.py").write_text(NEW)
    assert run("diff", "git:HEAD:shops.py", "shops.py") == (1, SAID, "")
    assert run("diff", "git:HEAD:toolhaft.lock", "shops.py") == (1, SAID, "")
    ran = run("diff", "git:HEAD:none.py", "shops.py")
    assert (ran.code, ran.out) == (2, "")
    assert "no such file" in ran.err
    assert run("diff", "git:nothing:shops.py", "shops.py").code == 2
    assert run("diff", "git:HEAD", "shops.py").err == (
        "error: git:HEAD: expected git:REVISION:PATH, as in git:v1.2:tools.py\n"
    )


SERVER = '''
from mcp.server import MCPServer

server = MCPServer("shops")


@server.tool()
def find(city: str, limit: int) -> list[str]:
    """Find all shops."""
    return [city] * limit


server.run("stdio")
'''


@pytest.mark.requirement("cli-diff")
def test_the_tools_of_a_live_server_are_read_from_its_list(run: Run, folder: Path) -> None:
    pytest.importorskip("mcp", reason="mcp is not installed")
    (folder / "server.py").write_text(SERVER)
    server = f"mcp+stdio:{sys.executable} server.py"
    ran = run("diff", "shops.py", server, "--format", "json")
    assert {(one["pointer"], one["callers"]) for one in ran.json} >= {
        ("/input/properties/limit", "breaking")
    }
    (folder / "asking.py").write_text(NEW.replace("@tool", '@tool(strict=True, coerce="none")'))
    ran = run("diff", "asking.py", server, "--format", "json")  # a server does not tell its rules
    assert {one["pointer"] for one in ran.json} & {"/strict", "/coerce"} == set()


@pytest.mark.requirement("lock-rules")
def test_a_lock_of_the_former_version_is_compared_with_a_note(run: Run, folder: Path) -> None:
    run("lock", "shops.py")
    lock = json.loads((folder / "toolhaft.lock").read_text())
    definitions = {name: entry["definition"] for name, entry in lock["tools"].items()}
    entries = {
        name: {"digest": digest(definition), "definition": definition}
        for name, definition in without_rules(definitions).items()
    }
    (folder / "toolhaft.lock").write_text(json.dumps({"toolhaft-lock": 1, "tools": entries}))
    note = (
        "toolhaft: the lock is of version 1, without examples, strict, coerce, extra, "
        "requires_approval, authorize, hidden; write it anew with toolhaft lock\n"
    )
    assert run("lock", "shops.py", "--check") == (0, "", note)
    assert run("diff", "toolhaft.lock", "shops.py") == (0, "nothing changed\n", note)
    assert run("lock", "shops.py").code == 0
    (folder / "shops.py").write_text(OLD.replace("@tool", "@tool(requires_approval=True)"))
    ran = run("lock", "shops.py", "--check")
    said = run("diff", "toolhaft.lock", "shops.py").out
    assert (ran.code, ran.out) == (1, said)
    assert "requires_approval false became true (model: harmless)\n1 breaking\n" in said


def test_a_broken_lock_is_named(run: Run, folder: Path) -> None:
    (folder / "bad.lock").write_text(json.dumps({"tools": {}}))
    ran = run("diff", "bad.lock", "shops.py")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == (
        "error: bad.lock: not a lock of version 1 or 2; write one with toolhaft lock\n"
    )


OFFERS = '''
from toolhaft.serve import prompt, resource


@resource("orders://{id}", mime_type="text/plain")
def order(id: int) -> str:
    """An order."""
    return f"{id}"


@prompt()
def review(code: str) -> str:
    """Review code."""
    return code
'''


@pytest.mark.requirement("serve-offers")
def test_resources_and_prompts_are_locked_and_compared(run: Run, folder: Path) -> None:
    (folder / "shops.py").write_text(OLD + OFFERS)
    assert run("lock", "shops.py").code == 0
    locked = json.loads((folder / "toolhaft.lock").read_text())
    assert list(locked["offers"]) == ["prompt review", "resource order"]
    assert run("lock", "shops.py", "--check") == (0, "", "")
    changed = OFFERS.replace("orders://", "bills://").replace("code: str", "code: str, days: int")
    (folder / "shops.py").write_text(OLD + changed)
    assert run("lock", "shops.py", "--check").code == 1
    ran = run("diff", "toolhaft.lock", "shops.py")
    assert ran.code == 1
    assert ran.out == (
        "breaking  prompt review days: is required now\n"
        "widening  prompt review days: is new\n"
        "breaking  resource order uri: the uri changed (model: harmless)\n"
        "2 breaking, 1 widening\n"
    )
    (folder / "shops.py").write_text(OLD)
    ran = run("diff", "toolhaft.lock", "shops.py")
    assert ran.out == (
        "breaking  prompt review: the prompt is gone\n"
        "breaking  resource order: the resource is gone\n"
        "2 breaking\n"
    )
    assert run("diff", "shops.py", "toolhaft.lock").out.endswith("2 widening\n")


@pytest.mark.requirement("serve-offers")
def test_what_is_not_as_it_was_locked_is_not_offered(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (folder / "shops.py").write_text(OLD + OFFERS)
    source = load("shops.py")
    lock = write_lock(source.toolset, load_offers(source).definitions())
    changed = load_offers(source)
    lock["offers"]["resource order"] = lock["offers"]["prompt review"]
    (folder / "lock").write_text(json.dumps(lock))
    tools, offers = verify_served(source.toolset, changed, "lock")
    assert [tool.name for tool in tools] == ["find"]
    assert [one.name for one in (*offers.resources, *offers.prompts)] == ["review"]
    assert "left out: resource order: changed" in capfd.readouterr().err
