"""The measurements of a data team go through every command, as their README writes them."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from shutil import copytree

import pytest

from tests.cli.running import Ran, forked
from toolhaft.cli.app import COMMANDS

pytestmark = [pytest.mark.unmeasured, pytest.mark.requirement("example-commands")]

EXAMPLES = Path(__file__).parents[2] / "examples"
WRITTEN = re.findall(
    r"^    toolhaft (\w+)(.*)$", (EXAMPLES / "README.md").read_text(encoding="utf-8"), re.MULTILINE
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("attrs", reason="attrs is not installed")
    pytest.importorskip("msgspec", reason="msgspec is not installed")
    return copytree(EXAMPLES / "measurements", tmp_path_factory.mktemp("team") / "measurements")


@pytest.fixture(scope="module")
def ran(folder: Path) -> dict[str, Ran]:
    return {
        name + arguments: forked(name, *shlex.split(arguments), cwd=folder)
        for name, arguments in WRITTEN
    }


def test_every_command_is_shown_and_ends_well(ran: dict[str, Ran]) -> None:
    # Three take no tools, and one goes on until it is ended.
    left_out = {"audit", "doctor", "init", "serve"}
    assert {command.split()[0] for command in ran} == COMMANDS.keys() - left_out
    codes = {command.split()[0]: one.code for command, one in ran.items() if one.code}
    assert codes == {"batch": 1}  # one of the calls names an unknown tool


def test_each_command_does_its_job(ran: dict[str, Ran], folder: Path) -> None:
    by_name = {name: ran[name + arguments] for name, arguments in WRITTEN}
    assert by_name["call"].json == {"station": "oslo", "days": 3, "value": pytest.approx(-4 / 3)}
    assert [one["name"] for one in by_name["export"].json["tools"]] == [
        "correct",
        "stations",
        "summarise",
    ]
    assert by_name["check"].out.endswith("375 tokens: 1 piece of advice\n")
    assert by_name["lock"] == by_name["manifest"] == (0, "", "")
    assert by_name["diff"].out == "nothing changed\n"
    assert {path.name for path in (folder / "reference").iterdir()} == {
        "correct.md",
        "index.html",
        "index.md",
        "stations.md",
        "summarise.md",
    }
    assert "async def summarise(" in (folder / "calls.py").read_text(encoding="utf-8")


def test_recorded_calls_are_read_repaired_and_refused_but_none_is_approved(folder: Path) -> None:
    rows = forked("batch", "tools.py", "calls.jsonl", "--execute", "-o", "-", cwd=folder).rows
    assert [row["kind"] for row in rows] == [
        "ok",
        "ok",
        "invalid_input",
        "tool_error",
        "approval_required",
        "invalid_input",
        "unknown_tool",
    ]
    assert [one["message"] for one in rows[2]["issues"]] == ["last is before first"]
    assert [one["path"] for one in rows[5]["issues"]] == [
        "/corrections/0/day",
        "/corrections/0/value",
        "/corrections/0/reason",
    ]


@pytest.mark.requirement("cli-show-calls")
def test_eighty_columns_hold_the_table_of_calls_folded_at_words(folder: Path) -> None:
    ran = forked("batch", "tools.py", "calls.jsonl", "--show", cwd=folder, COLUMNS="80")
    lines = ran.out.splitlines()
    assert max(map(len, lines)) <= 80
    [place] = [place for place, line in enumerate(lines) if "corrections.0.day: format" in line]
    assert lines[place : place + 2] == [
        "      invalid input (corrections.0.day: format, corrections.0.value: value,",
        "      corrections.0.reason: value)",
    ]


def test_a_change_of_the_module_is_found_by_lock_diff_and_manifest(folder: Path) -> None:
    changed = folder / "changed.py"
    text = (folder / "tools.py").read_text(encoding="utf-8")
    changed.write_text(text.replace("le=60", "le=50"), encoding="utf-8")
    assert forked("lock", "changed.py", "--check", cwd=folder).code == 1
    assert forked("manifest", "changed.py", "--file", "AGENTS.md", "--check", cwd=folder).code == 1
    compared = forked("diff", "toolhaft.lock", "changed.py", "--format", "json", cwd=folder)
    assert compared.code == 1
    assert "maximum" in json.dumps(compared.json)
