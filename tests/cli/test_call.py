"""`toolhaft call` makes one call as a model would."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import TOOLS
from tests.cli.running import Run, forked, spawned


@pytest.mark.requirement("cli-call")
def test_text_values_become_the_types_of_the_schema(run: Run, tools: str) -> None:
    assert run("call", tools, "add", "a=2", "b=3", "unit=km") == (0, '{"sum":5,"unit":"km"}\n', "")


@pytest.mark.requirement("cli-call")
def test_json_values_are_written_with_a_colon(run: Run, tools: str) -> None:
    assert run("call", tools, "add", "a:=2").out == '{"sum":3,"unit":"cm"}\n'
    ran = run("call", tools, "add", "a:=true")
    assert (ran.code, ran.err) == (1, "")
    assert "a: expected integer, received boolean" in ran.out


@pytest.mark.requirement("cli-call")
def test_whole_arguments_are_read_as_a_model_writes_them(run: Run, tools: str) -> None:
    assert run("call", tools, "add", "--json", "{'a': 2}").out == '{"sum":3,"unit":"cm"}\n'
    ran = run("call", tools, "add", "--json", '{"a": 2')
    assert ran.code == 1
    assert "cut off" in ran.out


def test_whole_arguments_come_from_standard_input_for_a_dash(tools: str, tmp_path: Path) -> None:
    ran = spawned("call", tools, "add", "--json", "-", cwd=tmp_path, input=b'{"a": 2}')
    assert ran == (0, '{"sum":3,"unit":"cm"}\n', "")


@pytest.mark.requirement("cli-call")
def test_a_typed_call_reports_that_no_person_is_asked(run: Run, tmp_path: Path) -> None:
    source = (
        TOOLS + '@tool(requires_approval=True)\ndef wipe(disk: str) -> str:\n    "Wipe a disk."\n'
    )
    (tmp_path / "asks.py").write_text(source)
    ran = run("call", str(tmp_path / "asks.py"), "wipe", "disk=a")
    assert (ran.code, ran.out.partition(" and was")[0]) == (
        1,
        "This call needs the approval of a person",
    )
    assert ran.err == (
        "toolhaft: not run: the call needs approval; give its toolset an approve= that answers\n"
    )


@pytest.mark.requirement("cli-call")
def test_a_repair_is_reported_and_text_that_was_typed_is_none(run: Run, tools: str) -> None:
    assert run("call", tools, "add", "a=2").err == ""
    ran = run("call", tools, "add", "--json", '{"a": "2", "unit": "KM"}')
    assert (ran.code, ran.err) == (0, "toolhaft: repaired a: number_text, unit: enum_case\n")


@pytest.mark.requirement("cli-call")
def test_the_whole_outcome_is_there_as_json(run: Run, tools: str) -> None:
    ran = run("call", tools, "add", "a=2", "--format", "json")
    assert (ran.code, ran.json) == (
        0,
        {
            "tool": "add",
            "kind": "ok",
            "arguments": {"a": 2},
            "coercions": [],
            "issues": [],
            "text": '{"sum":3,"unit":"cm"}',
            "value": {"sum": 3, "unit": "cm"},
        },
    )
    ran = run("call", tools, "add", "b=x", "--format", "json")
    assert (ran.code, ran.json["kind"]) == (1, "invalid_input")
    assert [(one["path"], one["code"]) for one in ran.json["issues"]] == [
        ("/a", "missing"),
        ("/b", "type"),
    ]


def test_a_tool_that_denies_or_crashes_exits_with_1(tools: str, tmp_path: Path) -> None:
    assert forked("call", tools, "fail", "how=no", cwd=tmp_path) == (1, "not today\n", "")
    ran = forked("call", tools, "fail", "how=crash", cwd=tmp_path)
    assert ran.code == 1
    assert "sk-live-1" not in ran.out
    assert "RuntimeError: the key is sk-live-1" in ran.err  # the author's log, as Python keeps it


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["a"], "arguments are written KEY=TEXT or KEY:=JSON"),
        (["=1"], "arguments are written KEY=TEXT or KEY:=JSON"),
        (["a=1", "a=2"], "a is given twice"),
        (["a:=x"], "a: not JSON: expected a value at line 1 column 1"),
        (["a=1", "--json", "{}"], "give KEY=TEXT pairs or --json, not both"),
        (["a=1", "--context", "x"], "not JSON: expected a value at line 1 column 1"),
        (["a=1", "--context", "[]"], "expected a JSON object"),
    ],
)
def test_wrong_usage_ends_with_2(run: Run, tools: str, arguments: list[str], reason: str) -> None:
    ran = run("call", tools, "add", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert reason in ran.err


def test_an_unknown_name_exits_with_2_and_the_nearest_name(run: Run, tools: str) -> None:
    assert run("call", tools, "ad", "a=1") == (
        2,
        "",
        "error: There is no tool named ad. Did you mean add? Available tools: add, fail.\n",
    )


def test_a_declared_tool_is_checked_and_not_run(run: Run, tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    path = tmp_path / "tools.json"
    path.write_text(json.dumps([{"name": "f", "description": "F.", "input_schema": schema}]))
    assert run("call", str(path), "f", "n=1") == (0, 'accepted, not run: {"n":1}\n', "")
    assert run("call", str(path), "f").code == 1


INJECTED = '''
from toolhaft import Injected, tool

@tool
def whoami(*, user: Injected[str]) -> str:
    """Say who asks."""
    return user
'''


@pytest.mark.requirement("cli-context")
def test_the_context_feeds_what_the_model_cannot_send(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "who.py"
    path.write_text(INJECTED)
    ran = run("call", str(path), "whoami", "--context", '{"user": "ann"}')
    assert ran == (0, "ann\n", "")
    assert run("call", str(path), "whoami") == (
        2,
        "",
        "error: whoami needs user from --context\n",
    )
    ran = run("call", str(path), "whoami", "user=eve", "--context", '{"user": "ann"}')
    assert (ran.code, "user: unknown" in ran.out) == (1, True)


ATTRIBUTED = '''
from toolhaft import Context, tool

@tool
def whoami(*, caller: Context[dict[str, str]]) -> str:
    """Say who asks."""
    return caller["user"]
'''


@pytest.mark.requirement("cli-context")
def test_a_tool_that_takes_the_context_is_not_called_without_one(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "who.py"
    path.write_text(ATTRIBUTED)
    missing = "error: whoami needs caller from --context"
    assert run("call", str(path), "whoami") == (2, "", f"{missing}\n")
    assert run("call", str(path), "whoami", "--context", '{"user": "ann"}') == (0, "ann\n", "")
    pytest.importorskip("mcp", reason="mcp is not installed")
    advice = (
        "a Context is your own object for each call, unlike FastMCP's: name a function of the "
        "request, or yield it from lifespan() of the module (progress: a Report parameter)"
    )
    assert run("serve", str(path), "--stdio") == (2, "", f"{missing}; {advice}\n")


@pytest.mark.requirement("call-help")
def test_the_help_of_a_tool_is_made_from_its_schema(run: Run, tools: str) -> None:
    ran = run("call", tools, "add", "--help")
    assert (ran.code, ran.err) == (0, "")
    assert (
        ran.out.split("\n\n", 1)[1]
        == """\
  Add two lengths.

Required:
  a  integer

Optional:
  b     integer [default: 1]
  unit  "cm" | "km" [default: "cm"]
"""
    )
    usage = " ".join(ran.out.split("\n\n")[0].split())
    assert usage == f"Usage: toolhaft call {tools} add a:=JSON"
    assert run("call", tools, "ad", "--help").code == 2
    assert "Usage: toolhaft call [OPTIONS] TOOLS NAME" in run("call", "--help").out
