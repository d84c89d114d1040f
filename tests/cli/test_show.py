"""`toolhaft show` lists tools for people and for programs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.running import Run

DECLARED = {
    "name": "search",
    "description": "Search.\nIn detail.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "q": {"type": "string"},
            "size": {"enum": [1, 2, 3, 4, 5, 6, 7]},
            "mode": {"const": "fast"},
            "near": {"anyOf": [{"type": "number", "minimum": 0}, {"type": "null"}]},
            "tags": {"type": "array", "items": {"enum": ["a", "b"]}},
            "either": {"type": ["string", "integer"], "maximum": 5},
            "place": {"$ref": "#/$defs/Place"},
            "anything": True,
        },
        "required": ["q"],
        "$defs": {"Place": {"type": "object"}},
    },
}


@pytest.mark.requirement("cli-show")
def test_each_tool_is_a_paragraph_of_plain_text(run: Run, tools: str) -> None:
    ran = run("show", tools)
    assert (ran.code, ran.err) == (0, "")
    first, second = ran.out.split("\n\n")
    assert first.splitlines()[:5] == [
        "add",
        "    Add two lengths.",
        "    a: integer",
        "    b?: integer = 1",
        '    unit?: "cm" | "km" = "cm"',
    ]
    assert "".join(line.strip() for line in first.splitlines()[5:]) == f"{tools}:9"
    assert second.splitlines()[:3] == [
        "fail",
        "    Fail in one of several ways.",
        "    how: string",
    ]


@pytest.mark.requirement("cli-show")
def test_parameters_are_described_in_a_few_words_for_any_schema(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "tools.json"
    path.write_text(json.dumps([DECLARED]))
    ran = run("show", str(path))
    assert ran.code == 0
    for words in (
        "q: string",
        "size?: 1 | 2 | 3 | 4 | 5 | 6 | ...",
        'mode?: "fast"',
        "near?: number from 0 | null",
        'tags?: array of ("a" | "b")',
        "either?: string | integer to 5",
        "place?: Place",
        "anything?: any",
    ):
        assert words in ran.out
    assert "In detail" not in ran.out


@pytest.mark.requirement("cli-show")
def test_json_has_the_whole_schemas(run: Run, tools: str) -> None:
    ran = run("show", tools, "--format", "json")
    add, fail = ran.json
    assert (ran.code, ran.err) == (0, "")
    assert add["input_schema"]["required"] == ["a"]
    assert add["output_schema"]["type"] == "object"
    assert (add["name"], add["description"]) == ("add", "Add two lengths.")
    assert add["defined"].endswith("tools.py:9")
    assert fail["output_schema"] == {"type": "string"}


def test_declared_tools_are_shown_with_the_place_of_their_declaration(
    run: Run, tmp_path: Path
) -> None:
    path = tmp_path / "tools.jsonl"
    path.write_text(f"{json.dumps(DECLARED)}\n")
    [shown] = run("show", str(path), "--format", "json").json
    assert shown["input_schema"] == DECLARED["inputSchema"]
    assert shown["defined"] == f"{path}:1"


SHAPES = """
from typing import Annotated, Literal
from datetime import date
from dataclasses import dataclass
from pydantic import Field
from toolhaft import tool

@dataclass
class Circle:
    radius: float
    name: str = ""

@tool
def draw(
    circle: Circle,
    counts: dict[str, int],
    day: date,
    code: Annotated[str, Field(min_length=2, max_length=3)],
    size: Annotated[float, Field(gt=0, le=9)],
    tags: Annotated[list[str], Field(max_length=4)],
    kinds: dict[str, Literal["a", "b"]],
) -> None:
    'Draw it.'
"""


@pytest.mark.requirement("show-shapes")
def test_shapes_bounds_and_formats_are_shown(run: Run, tmp_path: Path) -> None:
    (tmp_path / "tools.py").write_text(SHAPES)
    out = run("show", str(tmp_path / "tools.py")).out
    words = " ".join(out.split())
    for shape in (
        "circle: object{radius, name?}",
        "counts: map of integers",
        "day: string (date)",
        "code: string, 2 to 3 characters",
        "size: number to 9, above 0",
        "tags: array of string, at most 4 items",
        'kinds: map of ("a" | "b")',
    ):
        assert shape in words


@pytest.mark.requirement("texts-of-others")
def test_a_declaration_cannot_steer_the_terminal(run: Run, tmp_path: Path) -> None:
    text = "\x1b[2J\u202e"
    schema = {"type": "object", "properties": {f"a{text}": {"enum": [text], "description": text}}}
    path = tmp_path / "tools.json"
    path.write_text(json.dumps([{"name": "f", "description": "F.", "inputSchema": schema}]))
    for command in (["show"], ["check"], ["call", "f", "--help"], ["export", "--target", "openai"]):
        ran = run(command[0], str(path), *command[1:])
        payload = ran.err if command[0] == "export" else ran.out + ran.err
        assert [character for character in text if character in payload and character < " "] == []
        assert "\u202e" not in payload
        assert payload or command[0] == "export"
