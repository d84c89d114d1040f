"""The command itself: cheap to ask for help, clear about what it does not know."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.cli.running import MAIN, SRC, Run, spawned
from toolhaft.cli.app import COMMANDS

TERMINAL = 80
PROBE = """
import sys
from toolhaft.cli import main
try:
    main()
finally:
    print(*sorted({name.partition(".")[0] for name in sys.modules}), file=sys.stderr)
"""


@pytest.mark.requirement("cli-cheap-help")
@pytest.mark.parametrize("arguments", [["--help"], ["batch", "--help"], ["--version"]])
def test_asking_for_help_loads_no_validator_and_draws_nothing(
    arguments: list[str], tmp_path: Path
) -> None:
    ran = spawned(*arguments, cwd=tmp_path, code=PROBE)
    assert ran.code == 0
    assert ran.out
    dear = {"pydantic", "pydantic_core", "jsonschema_rs", "jiter", "rich", "asyncio"}
    assert dear & set(ran.err.split()) == set()


def test_help_lists_the_commands_and_the_exit_codes(run: Run) -> None:
    ran = run("--help")
    assert ran.code == 0
    for words in (
        "batch ",
        "call ",
        "show ",
        "Exit codes: 0 ok, 1 findings, 2 usage, 130 interrupted.",
    ):
        assert words in ran.out


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_help_fits_a_terminal_of_80_columns(run: Run, command: str) -> None:
    lines = run(command, "--help").out.splitlines()
    assert [line for line in lines if len(line) > TERMINAL] == []


def test_the_package_can_be_run_as_a_module(tmp_path: Path) -> None:
    code = "import runpy; runpy.run_module('toolhaft', run_name='__main__', alter_sys=True)"
    ran = spawned("--version", cwd=tmp_path, code=code)
    assert (ran.code, ran.out.split(",")[0], ran.err) == (0, "toolhaft", "")


def test_an_unknown_command_is_a_usage_error(run: Run) -> None:
    ran = run("run")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "error: no such command 'run'; see toolhaft --help\n"


def test_without_click_a_one_line_error_names_the_install_command(tmp_path: Path) -> None:
    (tmp_path / "click.py").write_text("raise ModuleNotFoundError('no', name='click')")
    path = os.pathsep.join([str(tmp_path), SRC])
    ran = spawned(cwd=tmp_path, code="from toolhaft.__main__ import main; main()", PYTHONPATH=path)
    words = "error: toolhaft.cli: click is not installed: pip install 'toolhaft[cli]'\n"
    assert ran == (2, "", words)


def test_another_missing_module_is_not_taken_for_click(tmp_path: Path) -> None:
    (tmp_path / "click.py").write_text("import surely_not_installed")
    ran = spawned(cwd=tmp_path, PYTHONPATH=os.pathsep.join([str(tmp_path), SRC]))
    assert ran.code == 1
    assert ran.err.endswith("No module named 'surely_not_installed'\n")


def test_a_shell_completes_the_names_of_commands(tmp_path: Path) -> None:
    ran = spawned(
        cwd=tmp_path, _TOOLHAFT_COMPLETE="bash_complete", COMP_WORDS="toolhaft s", COMP_CWORD="1"
    )
    assert (ran.code, ran.out) == (0, "plain,serve\nplain,show\nplain,stubs\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize(
    "arguments", [["show"], ["call", "add", "a=1"], ["batch", "calls.jsonl", "-o", "-"]]
)
def test_a_full_disk_is_one_line_and_exit_code_2(
    tools: str, tmp_path: Path, arguments: list[str]
) -> None:
    (tmp_path / "calls.jsonl").write_text('{"name": "add", "arguments": {"a": 1}}')
    command, *rest = arguments
    code = f"import os; os.dup2(os.open('/dev/full', os.O_WRONLY), 1)\n{MAIN}"
    ran = spawned(command, tools, *rest, cwd=tmp_path, code=code)
    words = "standard output: cannot be written: No space left on device"
    assert ran == (2, "", f"error: {words}\n")


def test_a_reader_that_went_away_is_no_traceback(tools: str, tmp_path: Path) -> None:
    code = f"import os; r, w = os.pipe(); os.close(r); os.dup2(w, 1)\n{MAIN}"
    ran = spawned("show", tools, cwd=tmp_path, code=code)
    assert ran == (1, "", "")


@pytest.mark.requirement("reprs-and-typos")
def test_a_misspelt_command_gets_the_nearest_name(run: Run) -> None:
    ran = run("chek", "tools.py")
    assert ran == (2, "", "error: no such command chek; did you mean check?\n")
    assert "did you mean" not in run("qqqqqqqq").err


@pytest.mark.requirement("cli-errors")
def test_an_error_is_one_json_object_if_the_output_is_json(run: Run) -> None:
    ran = run("show", "toolz.py", "--format", "json")
    assert (ran.code, ran.out) == (2, "")
    assert json.loads(ran.err) == {"error": "toolz.py: no such file", "fix": None}
    usage = run("check", "tools.py", "--format=json", "--flix")
    assert json.loads(usage.err) == {
        "error": "no such option --flix",
        "fix": "did you mean --fix?",
    }


@pytest.mark.requirement("cli-errors")
def test_several_errors_are_in_one_json_object(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "tools.py"
    path.write_text("from toolhaft import tool\n\n@tool\ndef f(a, b):\n    'Add.'\n")
    first, *more = run("show", str(path)).err.splitlines()
    written = json.loads(run("show", str(path), "--format", "json").err)
    lines = [f"error: {each['error']}; {each['fix']}" for each in [written, *written["more"]]]
    assert lines == [first, *more]


@pytest.mark.requirement("cli-errors")
@pytest.mark.parametrize(
    ("typed", "error"),
    [
        ("show", "missing argument 'TOOLS'; see toolhaft show --help"),
        ("show tools.py --fromat json", "no such option --fromat; did you mean --format?"),
        ("serve tools.py --port many", "invalid value for '--port': 'many' is not a valid integer"),
    ],
)
def test_a_usage_error_has_the_form_of_every_error(run: Run, typed: str, error: str) -> None:
    ran = run(*typed.split())
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"error: {error}")
    assert ran.err.count("\n") == 1
