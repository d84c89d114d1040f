"""Tools from a file of declarations: every shape is read, and a wrong one names its place."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import Run

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


def declared(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "description": "F.", "inputSchema": SCHEMA, **more}


def names(run: Run, path: Path) -> list[str]:
    ran = run("show", str(path), "--format", "json")
    assert (ran.code, ran.err) == (0, "")
    return [one["name"] for one in ran.json]


@pytest.mark.requirement("cli-declarations")
def test_declarations_of_every_shape_are_read_from_one_file(run: Run, tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        declared("mcp"),
        {"name": "anthropic", "description": "F.", "input_schema": SCHEMA},
        {"type": "function", "name": "openai", "description": "F.", "parameters": SCHEMA},
        {
            "type": "function",
            "function": {"name": "chat", "description": "F.", "parameters": SCHEMA},
        },
    ]
    lines = "".join(f"{json.dumps(row)}\n" for row in rows)
    (tmp_path / "tools.jsonl").write_text(lines)
    (tmp_path / "tools.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    (tmp_path / "tools.json").write_text(json.dumps(rows))
    (tmp_path / "listed.json").write_text(json.dumps({"tools": rows}))
    for name in ("tools.jsonl", "tools.jsonl.gz", "tools.json", "listed.json"):
        assert names(run, tmp_path / name) == ["mcp", "anthropic", "openai", "chat"]
    (tmp_path / "one.json").write_text(json.dumps(rows[0]))
    assert names(run, tmp_path / "one.json") == ["mcp"]


@pytest.mark.requirement("cli-declarations")
def test_names_may_repeat_where_ids_differ(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "tools.jsonl"
    text = {"type": "object", "properties": {"n": {"type": "string"}}}
    rows = [declared("f", id="v1"), declared("f", id="v2", inputSchema=text)]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    assert names(run, path) == ["f", "f"]
    assert run("call", str(path), "v2", "n=x").code == 0
    assert run("call", str(path), "v1", "n=x").code == 1
    ran = run("call", str(path), "f", "n=x")
    assert ran == (2, "", "error: 2 tools have the name; say the id of one: v1, v2\n")


@pytest.mark.requirement("cli-unusable-tools")
@pytest.mark.parametrize(
    ("name", "text", "reasons"),
    [
        ("t.json", "nope", ["t.json: not JSON: expected true, false or null at line 1 column 2"]),
        ("t.json", "[]", ["t.json: declares no tools"]),
        ("t.json", "[5]", ["t.json[0]: not a declaration: expected an object"]),
        ("t.jsonl", "", ["t.jsonl: declares no tools"]),
        ("t.jsonl", "{}\nnope", None),
        ("t.jsonl", json.dumps(declared("f")) + "\n{", None),
        ("t.jsonl.gz", "not gzip, and not JSON", None),
        ("t.json", json.dumps([declared("a b"), declared("c", inputSchema=5)]), None),
    ],
)
def test_a_file_without_useful_declarations_is_reported_by_place(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str, reasons: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_text(text)
    ran = run("show", name)
    assert (ran.code, ran.out) == (2, "")
    lines = ran.err.splitlines()
    assert lines
    assert all(line.startswith(f"error: {name}") for line in lines)
    if reasons is not None:
        assert lines == [f"error: {reason}" for reason in reasons]


@pytest.mark.requirement("cli-declarations")
def test_a_faulty_declaration_is_named_and_the_others_still_work(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    rows = [declared("a b", id="v1"), declared("fine"), declared("c", inputSchema=5)]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    ran = run("show", str(path), "--format", "json")
    assert (ran.code, [one["name"] for one in ran.json]) == (1, ["fine"])
    first, second = ran.err.splitlines()
    assert first.startswith(f"toolhaft: left out: {path}:1: a b.name: ")
    assert second.startswith(f"toolhaft: left out: {path}:3: the declaration.inputSchema: ")

    calls = tmp_path / "calls.jsonl"
    calls.write_text(
        '{"name": "fine", "arguments": {"n": 1}}\n'
        '{"name": "c", "arguments": {"n": 1}}\n'
        '{"name": "a b", "tool_id": "v1", "arguments": {"n": 1}}\n'
    )
    rows = run("batch", str(path), str(calls), "-o", "-").rows
    assert [row["kind"] for row in rows] == ["accepted", "invalid", "invalid"]
    assert rows[1]["issues"][0]["message"] == "the declaration of its tool is faulty"


def test_damaged_compressed_text_is_one_line(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl.gz"
    path.write_bytes(gzip.compress(json.dumps(declared("f")).encode() * 100)[:60])
    ran = run("show", str(path))
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"error: {path}: cannot be read: ")
    assert ran.err.count("\n") == 1


def test_a_folder_and_a_line_that_is_too_long_are_one_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / "folder.json").mkdir()
    ran = run("show", str(tmp_path / "folder.json"))
    assert (ran.code, ran.err.count("\n")) == (2, 1)
    path = tmp_path / "long.jsonl"
    path.write_bytes(b"x" * ((4 << 20) + 1))
    assert run("show", str(path)) == (2, "", f"error: {path}:1: the line is too long\n")


@pytest.mark.requirement("cli-calls-as-tools")
def test_calls_given_as_tools_are_one_line(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "calls.jsonl"
    rows = [
        {"name": "add", "arguments": {"a": 1}},
        {"type": "function", "id": "c", "function": {"name": "add", "arguments": "{}"}},
        {"type": "tool_use", "name": "add", "input": {}},
        {"method": "tools/call", "params": {"name": "add", "arguments": {}}},
        {"type": "function_call", "call_id": "c", "name": "add", "arguments": "{}"},
    ]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    words = f"holds calls, not tools; write: toolhaft batch TOOLS {path}"
    for command in (["show"], ["check"], ["lock", "-o", "-"]):
        name, *rest = command
        assert run(name, str(path), *rest) == (2, "", f"error: {path}: {words}\n")


def test_a_file_without_valid_declarations_is_reported_in_few_lines(
    run: Run, tmp_path: Path
) -> None:
    path = tmp_path / "tools.jsonl"
    path.write_text('{"name": "f"}\n' * 99)
    ran = run("show", str(path))
    lines = ran.err.splitlines()
    assert (ran.code, ran.out, len(lines)) == (2, "", 21)
    assert lines[-1] == "error: and 79 more"
