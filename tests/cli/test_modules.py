"""The forms of TOOLS, and the errors for unusable ones: one line, and exit code 2."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.cli.conftest import TOOLS
from tests.cli.running import SRC, Run, spawned

SEVERAL = '''
from toolhaft import Toolset, tool

@tool
def one() -> int:
    """One."""
    return 1

@tool
def two() -> int:
    """Two."""
    return 2

def three() -> int:
    """Three."""
    return 3

uno = one
first = Toolset([one])
listed = [two, three]
'''


def names(run: Run, target: str) -> list[str]:
    ran = run("show", target, "--format", "json")
    assert (ran.code, ran.err) == (0, "")
    return [one["name"] for one in ran.json]


def test_a_file_is_its_only_toolset_or_the_named_one(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "several.py"
    path.write_text(SEVERAL)
    assert names(run, str(path)) == ["one"]
    assert names(run, f"{path}:first") == ["one"]
    assert names(run, f"{path}:listed") == ["two", "three"]
    assert names(run, f"{path}:two") == ["two"]
    path.write_text(SEVERAL.replace("first = ", "del uno; "))
    assert names(run, str(path)) == ["one", "two"]


def test_a_module_is_found_from_the_current_folder(tmp_path: Path) -> None:
    package = tmp_path / "app" / "agents"
    package.mkdir(parents=True)
    (package / "tools.py").write_text("from .parts import *\n")
    (package / "parts.py").write_text(TOOLS)
    ran = spawned("call", "app.agents.tools", "add", "a=1", cwd=tmp_path)
    assert ran == (0, '{"sum":2,"unit":"cm"}\n', "")
    ran = spawned("call", "app.agents.tools:add", "add", "a=1", cwd=tmp_path)
    assert ran == (0, '{"sum":2,"unit":"cm"}\n', "")


@pytest.mark.requirement("cli-unusable-tools")
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("import surely_not_there", "cannot be imported: ModuleNotFoundError: No module named"),
        ("1 / 0", "cannot be imported: ZeroDivisionError: division by zero"),
        ("def f(:", "cannot be imported: SyntaxError: invalid syntax (tools.py, line 1)"),
        ("raise ValueError('one\\ntwo')", "cannot be imported: ValueError: one two"),
        ("raise ValueError('x' * 10_000)", "cannot be imported: ValueError: xxx"),
        ("import sys; sys.exit()", "cannot be imported: it calls sys.exit"),
        ("import sys; sys.exit('bye')", "cannot be imported: it calls sys.exit"),
        ("x = 1", "has no tools; make one with @tool"),
        (SEVERAL + "second = Toolset([two])", "has 2 toolsets; say which: "),
    ],
)
def test_a_module_that_cannot_be_used_is_one_line_and_exit_code_2(
    run: Run, tmp_path: Path, text: str, reason: str
) -> None:
    path = tmp_path / "tools.py"
    path.write_text(text)
    for command in (["show"], ["call", "NAME"], ["batch", "CALLS"]):
        ran = run(command[0], str(path), *command[1:])
        assert (ran.code, ran.out) == (2, "")
        place = f"{path}:1" if reason.startswith("cannot") else path
        assert ran.err.startswith(f"error: {place}: {reason}")
        assert ran.err.count("\n") == 1
        assert len(ran.err) < 500


@pytest.mark.requirement("cli-unusable-tools")
@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("nowhere.py", "no such file"),
        ("nowhere.json", "no such file"),
        ("no.such.module", "no such module"),
        ("tools.txt", "no such module"),
        ("./tools", "expected package.module, a file with the ending .py, .json"),
        ("", "expected package.module, a file"),
    ],
)
def test_tools_that_are_not_there_are_one_line_and_exit_code_2(
    run: Run, target: str, reason: str
) -> None:
    ran = run("show", target)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"error: {target}: {reason}")
    assert ran.err.count("\n") == 1


def test_a_name_that_the_module_has_not_is_one_line(run: Run, tools: str) -> None:
    assert run("show", f"{tools}:qwerty") == (2, "", f"error: {tools}: has no qwerty\n")


def test_a_nearly_right_name_gets_a_suggestion(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "tools.py"
    wanted = f"error: {path}: has no secnd; did you mean second?\n"
    path.write_text(SEVERAL + "second = Toolset([two])")
    assert run("show", f"{path}:secnd") == (2, "", wanted)


def test_a_file_that_holds_no_tools_is_not_taken_for_a_module(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "README.md").write_text("# Tools\n")
    ran = run("show", "README.md")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("error: README.md: expected package.module, a file with the")


def test_every_fault_of_a_definition_is_a_line(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "tools.py"
    path.write_text(
        "from toolhaft import tool\n@tool(timeout=-1)\ndef f(a, b: int) -> int: return 1\n"
    )
    ran = run("show", str(path))
    assert (ran.code, ran.out) == (2, "")
    lines = ran.err.splitlines()
    assert [line.startswith(f"error: {path}:2: f") for line in lines] == [True] * 3
    assert [word in ran.err for word in ("timeout", "description", "f.a")] == [True] * 3


def test_faults_that_show_when_types_are_resolved_are_lines_too(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "tools.py"
    path.write_text(
        "from __future__ import annotations\n"
        "from toolhaft import tool\n"
        "@tool\n"
        "def f(a: Nowhere) -> int:\n"
        "    'F.'\n"
        "    return 1\n"
    )
    ran = run("show", str(path))
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"error: {path}:3: f.a: ")


@pytest.mark.requirement("cli-printing-module")
@pytest.mark.parametrize(
    "text",
    [
        "print('hello')",
        "import os; os.write(1, b'hello')",
        "import subprocess, sys; subprocess.run([sys.executable, '-c', 'print(1)'])",
        "import sys; sys.stdout.write('hello')",
        "import sys; sys.__stdout__.write('hello')",
    ],
)
def test_a_module_that_prints_is_refused_in_one_line(tmp_path: Path, text: str) -> None:
    path = tmp_path / "tools.py"
    path.write_text(TOOLS + text)
    ran = spawned("show", "tools.py", "--format", "json", cwd=tmp_path)
    error = {"error": "tools.py: prints while it is imported", "fix": "remove that or use stderr"}
    assert (ran.code, ran.out, json.loads(ran.err)) == (2, "", error)


@pytest.mark.requirement("cli-printing-module")
def test_a_handlers_output_goes_to_standard_error(tmp_path: Path) -> None:
    (tmp_path / "tools.py").write_text(
        "import os, sys\n"
        "sys.stdout.reconfigure(encoding='utf-8')\n"
        "from toolhaft import tool\n"
        "@tool\n"
        "def f() -> int:\n"
        "    'F.'\n"
        "    print('from python')\n"
        "    sys.stdout.flush()\n"
        "    os.write(1, b'from the descriptor\\n')\n"
        "    return 1\n"
    )
    ran = spawned("call", "tools.py", "f", "--format", "json", cwd=tmp_path)
    assert (ran.code, ran.json["value"]) == (0, 1)
    assert ran.err == "from python\nfrom the descriptor\n"
    (tmp_path / "calls.jsonl").write_text('{"name": "f"}\n{"name": "f"}\n')
    ran = spawned("batch", "tools.py", "calls.jsonl", "--execute", "-o", "-", cwd=tmp_path)
    assert [row["value"] for row in ran.rows] == [1, 1]


@pytest.mark.requirement("cli-no-shadowing")
@pytest.mark.parametrize("target", ["tools.py", "tools"])
def test_files_beside_the_tools_do_not_take_the_place_of_other_modules(
    tmp_path: Path, target: str
) -> None:
    for name in ("json", "typing", "logging", "pydantic", "rich", "jiter", "asyncio", "types"):
        (tmp_path / f"{name}.py").write_text("raise RuntimeError('the wrong module')")
    (tmp_path / "beside.py").write_text(TOOLS)
    (tmp_path / "tools.py").write_text("import json, logging\nfrom beside import add, fail\n")
    ran = spawned("call", target, "add", "a=1", cwd=tmp_path)
    assert ran == (0, '{"sum":2,"unit":"cm"}\n', "")
    assert spawned("show", target, cwd=tmp_path).code == 0


def test_a_file_of_tools_may_have_the_name_of_another_module(tmp_path: Path) -> None:
    for name in ("json.py", "click.py", "toolhaft.py", "my.tools.py"):
        folder = tmp_path / name.replace(".", "_")
        folder.mkdir()
        (folder / name).write_text(TOOLS)
        ran = spawned("call", f"{folder.name}/{name}", "add", "a=1", cwd=tmp_path)
        assert ran == (0, '{"sum":2,"unit":"cm"}\n', "")


def test_a_module_that_is_installed_comes_before_one_of_the_current_folder(tmp_path: Path) -> None:
    elsewhere, here = tmp_path / "elsewhere", tmp_path / "here"
    for folder, text in ((elsewhere, TOOLS), (here, "raise RuntimeError")):
        folder.mkdir()
        (folder / "mytools.py").write_text(text)
    path = os.pathsep.join([SRC, str(elsewhere)])
    assert spawned("show", "mytools", cwd=here, PYTHONPATH=path).code == 0


def test_a_file_is_read_as_it_is_now(run: Run, tmp_path: Path) -> None:
    """Bytecode of another text of the same length and second must not be taken for it."""
    path = tmp_path / "tools.py"
    for word in ("Once.", "Then."):
        path.write_text(f'from toolhaft import tool\n\n@tool\ndef one() -> int:\n    "{word}"\n')
        os.utime(path, (1, 1))
        ran = run("show", str(path), "--format", "json")
        assert [one["description"] for one in ran.json] == [word]
