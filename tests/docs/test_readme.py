"""The README says what is so. Its Python blocks run as tests of their own; this guards the rest."""

from __future__ import annotations

import json
import re
import shlex
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.cli.running import forked, spawned
from toolhaft import tool

pytestmark = pytest.mark.unmeasured

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def section(title: str, page: str = README) -> str:
    """Return the text under a heading, up to the next heading."""
    _, _, following = page.partition(f"\n## {title}\n")
    assert following, f"the page has no section {title}"
    return following.partition("\n## ")[0]


def table(title: str, page: str) -> list[list[str]]:
    """Return the rows of the first table in a section of a page, without its head."""
    text = section(title, (ROOT / "docs" / page).read_text(encoding="utf-8"))
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines[2:]]


@pytest.mark.requirement("spec-42")
@pytest.mark.requirement("readme-runs")
def test_the_first_tool_has_at_most_ten_lines_and_runs_as_written(tmp_path: Path) -> None:
    [block, *_] = re.findall(r"```python\n(.*?)```", section("A first tool"), re.DOTALL)
    assert len([line for line in block.splitlines() if line.strip()]) <= 11
    path = tmp_path / "first.py"
    path.write_text(block, encoding="utf-8")
    ran = spawned("call", str(path), "get_weather", "city=Paris", "days=3", cwd=tmp_path)
    assert ran == (0, "3 sunny days in Paris, 14 C\n", "")


@pytest.mark.requirement("readme-runs")
@pytest.mark.parametrize("command", re.findall(r"^    (toolhaft .*)$", README, re.MULTILINE))
def test_every_command_line_runs(command: str) -> None:
    _, *arguments = shlex.split(command)
    ran = forked(*arguments, cwd=ROOT)
    is_batch = arguments[0] == "batch"  # one of its calls names an unknown tool
    assert (ran.code, bool(ran.out)) == (int(is_batch), True)


@pytest.mark.requirement("readme-runs")
def test_the_two_commands_are_targets_of_the_makefile() -> None:
    targets = re.findall(r"^    make (\w+)", README, re.MULTILINE)
    assert targets == ["demo", "test"]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert all(f"\n{target}:" in makefile for target in targets)


LISTED = {"type": "array", "items": {"type": "string"}}
# For each rule of the table: a schema for the parameter `x`, and arguments that need the rule.
NEEDING: dict[str, tuple[dict[str, Any], str]] = {
    "number_text": ({"type": "integer"}, '{"x": "3"}'),
    "boolean_text": ({"type": "boolean"}, '{"x": "False"}'),
    "json_text": (LISTED, '{"x": "[\\"a\\"]"}'),
    "python_literal": (LISTED, "{'x': ['a']}"),
    "double_encoded": (LISTED, json.dumps('{"x": ["a"]}')),
    "enum_case": ({"enum": ["C", "F"]}, '{"x": "c"}'),
    "null_absent": ({"type": "integer"}, '{"x": null}'),
    "empty_absent": ({"type": "integer"}, '{"x": ""}'),
    "scalar_to_list": (LISTED, '{"x": "a"}'),
    "comma_list": (LISTED, '{"x": "a, b"}'),
    "none_text": ({"type": "integer"}, '{"x": "None"}'),
    "undeclared_dropped": ({"type": "integer"}, '{"y": 1}'),
}


def fires(rule: str, policy: Any) -> bool:
    node, raw = NEEDING[rule]
    schema = {"type": "object", "properties": {"x": node}, "additionalProperties": False}
    echo = tool(lambda a: a, name="f", description="F.", input=schema, coerce=policy)
    outcome = echo.call_sync(raw)
    return bool(outcome) and rule in {one.rule for one in outcome.coercions}


@pytest.mark.requirement("readme-runs")
def test_the_table_of_repairs_is_what_happens() -> None:
    rows = {rule.strip("`"): cells for _, rule, *cells in table("The rules", "concepts/repairs.md")}
    assert rows.keys() == NEEDING.keys()
    happens = {
        rule: ["on" if fires(rule, policy) else "off" for policy in ("safe", "lenient")]
        for rule in rows
    }
    assert happens == rows


def test_no_rule_fires_where_all_are_off() -> None:
    assert [rule for rule in NEEDING if fires(rule, "none")] == []


def test_every_link_within_the_repository_leads_somewhere() -> None:
    targets = re.findall(r"\]\(([^)]+)\)", README)
    here = [target for target in targets if not target.startswith(("http", "#"))]
    assert here
    assert [target for target in here if not (ROOT / target).exists()] == []


def build_hooks() -> Any:
    spec = spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("base", "expected"),
    [
        (
            "https://example.org/x",
            "[a](https://example.org/x/docs/a.md), [b](https://b.org), [c](#c)",
        ),
        (None, "a, [b](https://b.org), [c](#c)"),
    ],
)
def test_links_to_files_are_substituted_in_a_package(base: str | None, expected: str) -> None:
    text = "[a](docs/a.md), [b](https://b.org), [c](#c)"
    assert build_hooks().substitute_links(text, base) == expected


def test_the_readme_of_a_package_has_no_link_to_a_file_beside_it() -> None:
    metadata: dict[str, Any] = {}
    build_hooks().ReadmeHook(str(ROOT), {}).update(metadata)
    assert "](docs/" not in metadata["readme"]["text"]
    assert "Your first tool" in metadata["readme"]["text"]


@pytest.mark.requirement("readme-runs")
def test_the_comparison_describes_this_library_correctly() -> None:
    assert [cells[0] for cells in table("The same calls", "comparison.md")][:4] == [
        '`"[\\"a\\"]"` for a list',
        '`"[1]"` where text or null is declared',
        "an unknown key",
        "`null` for a parameter with a default",
    ]

    class Place(msgspec.Struct):
        city: str

    @tool
    def f(
        tags: list[str] | None = None, note: str | None = None, n: int = 3, at: Place | None = None
    ) -> Any:
        """Return the arguments."""
        return [tags, note, n, at]

    sent = {"tags": '["a"]', "note": "[1]", "n": None, "at": {"city": "Oslo"}}
    assert f.call_sync(sent).unwrap() == [["a"], "[1]", 3, Place("Oslo")]
    assert not f.call_sync({"nope": 1})
    three: Any = lambda: "three"  # noqa: E731  the checkers see that it does not fit
    broken: Any = tool(three, name="f", description="F.", output=int)
    assert broken.call_sync().kind == "output_invalid"
