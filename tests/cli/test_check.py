"""`toolhaft check` reports mistakes in every format, and applies safe fixes."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest

from tests.cli.running import Run, forked
from toolhaft.review.places import describe_place

TOOLS = '''
from toolhaft import tool


@tool
def wait(delay: int) -> None:
    """Wait for some time.

    Args:
        dealy: Seconds to wait.
    """
'''


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "waiting.py").write_text(TOOLS)
    return "waiting.py"


@pytest.mark.requirement("cli-check")
def test_findings_are_lines_with_place_code_and_fix(run: Run, path: str) -> None:
    ran = run("check", path)
    assert (ran.code, ran.err) == (1, "")
    assert (
        ran.out
        == """\
waiting.py:6: TH102 warning wait delay: no description; \
describe it in the docstring or with Doc
waiting.py:5: TH106 warning wait description: the docstring describes dealy, which is no \
parameter; did you mean delay?; rename or remove it in the docstring [--fix]
1 tool, about 37 tokens: 2 warnings
"""
    )


@pytest.mark.requirement("cli-check")
def test_safe_fixes_are_applied(run: Run, path: str) -> None:
    ran = run("check", path, "--fix", "--select", "TH106")
    assert (ran.code, ran.err) == (0, "toolhaft: fixed 1\n")
    assert run("check", path).out == "1 tool, about 43 tokens: nothing found\n"


@pytest.mark.requirement("cli-check")
def test_json_has_every_finding_and_the_size_of_every_tool(run: Run, path: str) -> None:
    ran = run("check", path, "--select", "TH102", "--format", "json")
    assert ran.json == {
        "findings": [
            {
                "code": "TH102",
                "severity": "warning",
                "tool": "wait",
                "pointer": "/input/properties/delay",
                "message": "no description",
                "fix": "describe it in the docstring or with Doc",
                "where": "waiting.py:6",
                "fixable": False,
            }
        ],
        "tokens": {"wait": 37},
        "deferred": [],
    }


@pytest.mark.requirement("cli-check")
def test_github_gets_a_command_for_each_finding(run: Run, path: str) -> None:
    assert run("check", path, "--select", "TH102", "--format", "github").out == (
        "::warning file=waiting.py,line=6,title=TH102::wait delay: "
        "no description; describe it in the docstring or with Doc\n"
    )


@pytest.mark.requirement("cli-check")
def test_sarif_names_the_rule_and_the_place(run: Run, path: str) -> None:
    [one] = run("check", path, "--select", "TH102", "--format", "sarif").json["runs"]
    assert [rule["id"] for rule in one["tool"]["driver"]["rules"]] == ["TH102"]
    [result] = one["results"]
    assert (result["ruleId"], result["level"]) == ("TH102", "warning")
    assert result["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "waiting.py"},
        "region": {"startLine": 6},
    }


def test_advice_alone_is_no_failure(run: Run, path: str) -> None:
    Path(path).write_text(
        "from toolhaft import tool\nfind = tool(lambda a: a, name='find', description='Find it.', "
        "input={'type': 'object', 'properties': {'q': {'type': 'string'}}}, output=None)\n"
    )
    ran = run("check", path, "--select", "TH209")
    assert (ran.code, ran.out.splitlines()[-1]) == (0, "1 tool, about 25 tokens: 1 piece of advice")


def test_the_projects_configuration_is_read(run: Run, path: str) -> None:
    Path("pyproject.toml").write_text('[tool.toolhaft]\nignore = { TH1 = "known" }\n')
    assert run("check", path).code == 0
    Path("pyproject.toml").write_text("[tool.toolhaft]\nignored = {}\n")
    ran = run("check", path)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == (
        "error: pyproject.toml: tool.toolhaft: unknown key ignored; did you mean ignore?\n"
    )


def test_a_faulty_declaration_is_a_finding(run: Run, path: str) -> None:
    named = {"name": "find", "description": "Find.", "inputSchema": {"type": "object"}}
    bad = {"name": "bad", "inputSchema": {"type": "object", "properties": {"a": {"$ref": "x"}}}}
    Path("tools.json").write_text(json.dumps([named, bad]))
    ran = run("check", "tools.json", "--format", "json")
    assert ran.code == 1
    assert [(one["code"], one["tool"]) for one in ran.json["findings"]] == [
        ("TH000", "bad"),
        ("TH103", "find"),
    ]


def test_an_unknown_rule_is_refused(run: Run, path: str) -> None:
    ran = run("check", path, "--select", "E501")
    assert (ran.code, ran.err) == (
        2,
        "error: --select: no rule begins with E501; docs/rules.md lists them\n",
    )


AGREED = '''
from typing import Annotated

from pydantic import AfterValidator

from toolhaft import tool


def small(n: int) -> int:
    if n > 9:
        raise ValueError("too many")
    return n


@tool
def order(n: Annotated[int, AfterValidator(small)]) -> None:
    """Order some, n at a time."""
    raise RuntimeError("the handler ran")
'''


@pytest.mark.requirement("cli-check-agreement")
def test_disagreements_are_errors_with_a_value_that_shows_them(run: Run, path: str) -> None:
    Path(path).write_text(AGREED)
    ran = run("check", path, "--agreement", "--select", "TH7")
    [refused, unwritten, last] = ran.out.splitlines()
    assert ran.code == 1
    assert refused.startswith(
        "waiting.py:15: TH701 error order: refused at /n (custom, too many), "
    )
    assert ', such as {"n":' in refused
    assert "TH703 advice order: no schema says input/n: validator small" in unwritten
    assert last.endswith(": 1 error, 1 piece of advice")


@pytest.mark.requirement("cli-check-agreement")
def test_values_are_tried_only_on_request(run: Run, path: str) -> None:
    Path(path).write_text(AGREED)
    assert "TH7" not in run("check", path).out
    assert "TH701" in run("check", path, "--agreement").out
    assert "TH701" in run("check", path, "--select", "TH701").out


ONE_BROKEN = """
from __future__ import annotations
from toolhaft import Toolset, tool

@tool
def double(
    n: int,
    why: str,
) -> int:
    'Twice that number.'
    return 2 * n

broken = tool(
    double, name="bro ken")

@tool
def lost(n: Nowhere) -> int:
    'Half of that number.'
    return n

TOOLS = Toolset([double, broken])
"""


@pytest.mark.requirement("check-one-broken")
def test_one_broken_tool_is_a_finding_among_the_others(run: Run, path: str) -> None:
    Path("tools.py").write_text(ONE_BROKEN)
    ran = run("check", "tools.py", "--select", "TH102", "--format", "json")
    assert (ran.code, ran.err) == (1, "")
    findings = [(one["code"], one["tool"], one["where"]) for one in ran.json["findings"]]
    assert findings == [
        ("TH000", "double", "tools.py:13"),
        ("TH000", "lost", "tools.py:16"),
        ("TH102", "double", "tools.py:7"),
        ("TH102", "double", "tools.py:8"),
    ]
    assert "double" in run("check", "tools.py").out
    ran = run("show", "tools.py")
    assert (ran.code, ran.out) == (2, "")
    assert [line.split(": ")[1] for line in ran.err.splitlines()] == ["tools.py:13", "tools.py:16"]


CRASH = """
def helper():
    return {}["nope"]

helper()
"""


@pytest.mark.requirement("check-one-broken")
@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [(CRASH, 3, "KeyError: 'nope'"), ("x = (\n", 1, "SyntaxError"), ("1 / 0", 1, "ZeroDivision")],
)
def test_a_module_that_cannot_be_imported_is_a_finding_in_every_format(
    run: Run, path: str, text: str, line: int, reason: str
) -> None:
    Path("tools.py").write_text(text)
    for shape in ("text", "github", "json"):
        ran = run("check", "tools.py", "--format", shape)
        assert (ran.code, ran.err) == (1, "")
        assert "TH000" in ran.out
        assert reason in ran.out
    [result] = run("check", "tools.py", "--format", "sarif").json["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]) == ("tools.py", {"startLine": line})


@pytest.mark.requirement("cli-traceback")
def test_a_fault_of_a_module_has_its_line_and_a_traceback_on_request(run: Run, path: str) -> None:
    Path("tools.py").write_text(CRASH)
    words = "error: tools.py:3: cannot be imported: KeyError: 'nope'\n"
    assert run("show", "tools.py") == (2, "", words)
    ran = run("show", "tools.py", "--traceback")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("Traceback (most recent call last):\n")
    assert "in helper\n" in ran.err
    assert ran.err.endswith(words)


TERMINAL = """
from toolhaft import tool

@tool
def wait(delay: int, why: str) -> None:
    'Wait for some time.'

broken = tool(lambda: 1, name="w w", description="W.")
"""


@pytest.mark.requirement("check-terminal")
@pytest.mark.parametrize("width", [80, 120])
def test_a_terminal_gets_paragraphs_severe_ones_first(
    path: str, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("tools.py").write_text(TERMINAL)
    monkeypatch.delenv("NO_COLOR", raising=False)
    out = forked("check", "tools.py", cwd=Path.cwd(), COLUMNS=str(width), FORCE_COLOR="1").out
    assert "\x1b[31m\x1b[1merror[TH000]\x1b[0m" in out
    plain = click.unstyle(out)
    assert max(map(len, plain.splitlines())) <= width
    assert (
        plain
        == """\
error[TH000] name: holds U+0020 SPACE; use 1 to 64 letters, digits, _ and -
    --> tools.py:8 w w
    8 | broken = tool(lambda: 1, name="w w", description="W.")
    fix correct it; the rest is checked once it can be imported

warning[TH102] no description (2 times)
    --> tools.py:5 wait delay
    5 | def wait(delay: int, why: str) -> None:
    and tools.py:5 wait why
    fix describe it in the docstring or with Doc

advice[TH209] no maximum length: why
    --> tools.py:4 wait
    4 | @tool
    fix set maxLength or maxItems

1 tool, about 45 tokens: 1 error, 2 warnings, 1 piece of advice
"""
    )
    calm = forked("check", "tools.py", cwd=Path.cwd(), COLUMNS="80", FORCE_COLOR="1", NO_COLOR="1")
    assert "\x1b" not in calm.out


LONG = """\
from toolhaft import tool


@tool
def order(items: list[dict[str, int]], sender: str, receiver: str, note: str, api_key: str) -> int:
    "Order what is on a list, and have it sent."
"""


@pytest.mark.requirement("check-terminal")
def test_of_a_long_line_a_terminal_shows_the_part_with_the_parameter(path: str) -> None:
    Path("tools.py").write_text(LONG)
    command = ("check", "tools.py", "--select", "TH204,TH207,TH201", "--format", "text")
    out = forked(*command, cwd=Path.cwd(), COLUMNS="60", FORCE_COLOR="1").out
    plain = click.unstyle(out)
    assert max(map(len, plain.splitlines())) <= 60
    assert (
        plain
        == """\
warning[TH207] internal configuration
    --> tools.py:5 order api_key
    5 | …str, note: str, api_key: str) -> int:
    fix take it from the context: Injected

1 tool, about 94 tokens: 1 warning
"""
    )


@pytest.mark.parametrize(
    ("pointer", "place"),
    [
        ("", "order"),
        ("/description", "order description"),
        ("/output/properties/id", "order output.id"),
        ("/input/properties/items/items/properties/sku/maximum", "order items[].sku"),
        ("/input/properties/stock/additionalProperties/type", "order stock.*"),
        ("/input/properties/at/anyOf/0/properties/a~1b", "order at.a/b"),
        ("/input/$defs/City/properties/properties", "order City.properties"),
    ],
)
def test_a_place_is_named_as_an_author_does(pointer: str, place: str) -> None:
    assert describe_place("order", pointer) == place


@pytest.mark.requirement("cli-check")
def test_several_modules_are_checked_together(run: Run, path: str, tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text(TOOLS.replace("def wait", "def pause"))
    ran = run("check", path, "other.py", "--select", "TH102")
    lines = ran.out.splitlines()
    assert (ran.code, [line.partition(":")[0] for line in lines[:-1]]) == (1, [path, "other.py"])
    assert lines[-1].startswith("2 tools, ")


OFFERS = '''
from toolhaft.serve import prompt, resource


@resource("orders://{id}")
def order(id: int) -> str:
    """Order."""
    return f"{id}"


@prompt()
def review(code: str) -> str:
    """Ask for a review of code."""
    return code
'''


@pytest.mark.requirement("serve-offers")
def test_resources_and_prompts_are_checked_too(run: Run, path: str) -> None:
    Path(path).write_text(TOOLS + OFFERS)
    ran = run("check", path, "--select", "TH0,TH10", "--format", "json")
    found = {(one["tool"], one["code"]) for one in ran.json["findings"]}
    assert found == {
        ("wait", "TH102"),
        ("wait", "TH106"),
        ("resource order", "TH103"),
        ("prompt review", "TH102"),
    }
    Path(path).write_text(TOOLS + OFFERS.replace('{id}")\ndef', '{number}")\ndef'))
    ran = run("check", path, "--select", "TH0")
    assert ran.code == 1
    assert "TH000 error the module: order.uri: the address has number" in ran.out
