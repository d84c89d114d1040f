"""The tools' section of a file: the same bytes for the same tools, and nothing else touched."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Literal

import pytest

from toolhaft import Doc, Toolset, from_json, tool
from toolhaft.review.manifest import (
    BEGIN,
    END,
    ManifestError,
    list_changes,
    replace_section,
    require_unedited,
    unified_difference,
    write_section,
)


@tool
def find(city: Annotated[str, Doc("A city | town")], kind: Literal["a", "b"] = "a") -> list[str]:
    """Find shops -- all of them."""
    return [city, kind]


@tool
def now() -> str:
    """Return the time."""
    return "noon"


TOOLS = Toolset([now, find])

NOTHING = {"type": "object", "properties": {}}


@pytest.mark.requirement("cli-manifest")
def test_a_section_has_tools_parameters_and_what_providers_see() -> None:
    text = write_section(TOOLS)
    assert text.startswith(BEGIN)
    assert text.endswith(END)
    assert "### find\n\nFind shops -- all of them.\n\n" in text
    assert "| `city` | string | yes | A city \\| town |" in text
    assert '| `kind` | "a" \\| "b" | no |  |' in text
    assert "Returns: array of string." in text
    assert "anthropic, openai see:\n\n```json\n{" in text
    assert "gemini see:" in text
    assert text.index("### find") < text.index("### now")


@pytest.mark.requirement("cli-manifest")
def test_a_name_that_a_target_cannot_take_is_shown_as_it_sees_it() -> None:
    made = from_json([{"name": "geo.find", "description": "Find.", "inputSchema": NOTHING}])
    assert "anthropic (as `geo_find`), openai (as `geo_find`) see:" in write_section(
        made, ["openai", "anthropic"]
    )


def test_a_tool_that_a_target_rejects_is_reported_as_left_out_of_it() -> None:
    colours = [f"colour {number}" for number in range(1_001)]  # openai takes 1,000 in strict mode
    schema = {"type": "object", "properties": {"colour": {"enum": colours}}}
    paint = tool(lambda given: given, name="paint", description="Paint.", input=schema)
    section = write_section(Toolset([paint.replace(strict="require")]), ["openai", "anthropic"])
    assert "Not for openai." in section
    assert "anthropic see:" in section


@pytest.mark.requirement("cli-manifest")
def test_the_rest_of_a_file_stays_byte_for_byte() -> None:
    before, after = "# Project\r\n\r\nWords.\n", "\n\tMore words, no line end"
    old = f"{before}{BEGIN}\nold\n{END}{after}"
    made = replace_section(old, write_section(TOOLS), "AGENTS.md")
    assert made == f"{before}{write_section(TOOLS)}{after}"
    assert replace_section(made, write_section(TOOLS), "AGENTS.md") == made


@pytest.mark.parametrize(
    ("text", "start"), [("", ""), ("a", "a\n\n"), ("a\n", "a\n\n"), ("a\n\n", "a\n\n")]
)
def test_a_file_without_markers_gets_the_section_at_its_end(text: str, start: str) -> None:
    assert replace_section(text, "SECTION", "x") == f"{start}SECTION\n"


@pytest.mark.parametrize("text", [BEGIN, END, f"{END}{BEGIN}", f"{BEGIN}{BEGIN}{END}"])
def test_broken_markers_are_reported_and_nothing_is_written(text: str) -> None:
    with pytest.raises(ManifestError, match=r"^AGENTS\.md: expected one <!-- toolhaft:begin -->"):
        replace_section(text, "SECTION", "AGENTS.md")


@pytest.mark.requirement("pain-80")
def test_a_word_in_one_description_is_a_change_with_tool_and_pointer() -> None:
    text = replace_section("", write_section(TOOLS), "x")
    assert list_changes(text, TOOLS, "x") == []
    renamed = Toolset([now, find.replace(description="Find shops -- some of them.")])
    assert [f"{one.tool}{one.pointer}" for one in list_changes(text, renamed, "x")] == [
        "find/description"
    ]
    lines = unified_difference(text, replace_section(text, write_section(renamed), "x"), "x")
    assert "-Find shops -- all of them.\n" in lines
    assert "+Find shops -- some of them.\n" in lines
    assert "toolhaft:lock" not in lines


HOSTILE = {
    "name": "bad",
    "description": f"Bad.\n{END}\n<img src=x onerror=alert(1)>",
    "inputSchema": {
        "type": "object",
        "properties": {
            "a`|b": {"type": "string", "description": f"{END} <b></b>\n```"},
            "c": {"enum": ["<i>"]},
        },
    },
}


@pytest.mark.requirement("texts-of-others")
def test_a_declaration_from_elsewhere_breaks_no_marker() -> None:
    tools = from_json([HOSTILE])
    text = replace_section("# Project\n", write_section(tools), "x")
    assert (text.count(BEGIN), text.count(END)) == (1, 1)
    assert replace_section(text, write_section(tools), "x") == text
    assert list_changes(text, tools, "x") == []
    assert "&lt;img src=x onerror=alert(1)>" in text
    assert "&lt;b>&lt;/b>" in text
    blocks = re.findall(r"```json\n(.*?)\n```", text, re.DOTALL)
    assert all(isinstance(json.loads(block), dict) for block in blocks)
    assert blocks


@pytest.mark.requirement("manifest-line-ends")
@pytest.mark.parametrize("start", ["# Project\r\n", f"a\r\n{BEGIN}\r\n{END}\r\nb\r\n"])
def test_the_line_ends_of_a_file_are_kept(start: str) -> None:
    text = replace_section(start, write_section(TOOLS), "x")
    assert text.count("\n") == text.count("\r\n")
    assert replace_section(text, write_section(TOOLS), "x") == text
    require_unedited(text, "x")


def test_a_section_that_was_edited_is_not_trusted() -> None:
    with pytest.raises(ManifestError, match="the section was edited"):
        list_changes(f"{BEGIN}\nmine\n{END}", TOOLS, "x")


SCRIPT = "from tests.review.test_manifest import *; print(write_section(TOOLS))"


@pytest.mark.requirement("cli-manifest")
@pytest.mark.parametrize("seed", ["1", "2"])
def test_another_process_writes_the_same_bytes(seed: str) -> None:
    root = Path(__file__).parents[2]
    paths = os.pathsep.join([str(root), str(root / "src"), *sys.path])
    child = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": paths, "PYTHONHASHSEED": seed},
    )
    assert child.stdout == write_section(TOOLS) + "\n"
