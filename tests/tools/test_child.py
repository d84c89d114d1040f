"""The far side of a process: one request in, one answer out."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.call import isolated
from toolhaft.tools.child import answer

HERE = isolated.__name__


def asked(handler: str, arguments: Any, file: str | None = None) -> dict[str, Any]:
    return answer({"handler": handler, "file": file, "arguments": arguments})


@pytest.mark.parametrize(
    ("handler", "arguments", "answer"),
    [
        ("add", {"a": 1, "b": 2}, {"value": 3}),
        ("search", {"q": "x"}, {"value": {"title": "x since 2026"}}),
        ("halve", {"n": 8}, {"value": {"n": 2}}),
        ("halve", {"n": 2}, {"misfit": [["odd", [], "custom", None, None, None, {}]]}),
        (
            "fail",
            {"how": "type"},
            {"misfit": [["required", ["title"], "missing", None, None, None, {}]]},
        ),
    ],
)
def test_a_handler_is_found_and_its_result_checked(
    handler: str, arguments: dict[str, Any], answer: Any
) -> None:
    assert asked(f"{HERE}:{handler}", arguments) == answer


def test_an_exception_is_reported_by_its_classes_its_words_and_its_traceback() -> None:
    told = asked(f"{HERE}:fail", {"how": "words"})["raised"]
    assert told["words"] == "the shop is closed"
    assert told["kinds"][0] == "toolhaft.errors:ToolError"
    told = asked(f"{HERE}:fail", {"how": "no_return"})["raised"]
    assert told["words"] is None
    assert told["kinds"][:2] == [f"{HERE}:NoReturn", f"{HERE}:NoOrder"]
    assert told["trace"].endswith("NoReturn: sk-live-1\n")


@pytest.mark.parametrize("handler", ["no.such.module:f", f"{HERE}:nothing"])
def test_a_missing_handler_is_reported(handler: str) -> None:
    assert list(asked(handler, {})) == ["raised"]


def test_a_handlers_output_is_no_answer() -> None:
    request = {"handler": f"{HERE}:days_until", "file": None, "arguments": {"day": "2026-01-02"}}
    command = [sys.executable, "-c", "from toolhaft.tools.child import main; main()"]
    environment = {"PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run(
        command,
        input=json.dumps(request).encode(),
        capture_output=True,
        check=True,
        env=environment,
    )
    assert json.loads(done.stdout)["value"]["days"] == 1
    assert done.stderr == b"not an answer"


FILE = """
from toolhaft import tool

@tool(isolation="process")
def add(a: int, b: int) -> int:
    "Add two whole numbers."
    return a + b
"""


@pytest.mark.requirement("isolation-json")
def test_a_module_that_no_name_leads_to_is_loaded_from_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "adding.py"
    file.write_text(FILE, encoding="utf-8")
    monkeypatch.delitem(sys.modules, "_tools_child", raising=False)
    assert asked("_tools_child:add", {"a": 1, "b": 2}, str(file)) == {"value": 3}
    monkeypatch.delitem(sys.modules, "_tools_child")
    command = [sys.executable, "-c", "from toolhaft.cli import main; main()", "call"]
    done = subprocess.run(
        [*command, str(file), "add", "a:=1", "b:=2"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "3\n")


def test_a_name_that_a_module_lacks_is_not_searched_in_its_file(tmp_path: Path) -> None:
    file = tmp_path / "lacking.py"
    file.write_text("import no_such_module", encoding="utf-8")
    told = asked("_tools_lacking:add", {}, str(file))["raised"]
    assert told["trace"].endswith("ModuleNotFoundError: No module named 'no_such_module'\n")
