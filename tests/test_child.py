"""The far side of a process: one request in, one answer out."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from tests.call import isolated
from toolhaft.child import answered

HERE = isolated.__name__


@pytest.mark.parametrize(
    ("handler", "arguments", "answer"),
    [
        ("add", {"a": 1, "b": 2}, {"value": 3}),
        ("search", {"q": "x"}, {"value": {"title": "x since 2026"}}),
        ("fail", {"how": "type"}, {"misfit": [["required", ["title"], "missing", None, None]]}),
    ],
)
def test_a_handler_is_found_and_its_result_checked(
    handler: str, arguments: dict[str, Any], answer: Any
) -> None:
    assert answered({"handler": f"{HERE}:{handler}", "arguments": arguments}) == answer


def test_what_is_raised_is_told_by_its_classes_its_words_and_its_traceback() -> None:
    told = answered({"handler": f"{HERE}:fail", "arguments": {"how": "words"}})["raised"]
    assert told["words"] == "the shop is closed"
    assert told["kinds"][0] == "toolhaft.errors:ToolError"
    told = answered({"handler": f"{HERE}:fail", "arguments": {"how": "no_return"}})["raised"]
    assert told["words"] is None
    assert told["kinds"][:2] == [f"{HERE}:NoReturn", f"{HERE}:NoOrder"]
    assert told["trace"].endswith("NoReturn: sk-live-1\n")


@pytest.mark.parametrize("handler", ["no.such.module:f", f"{HERE}:nothing"])
def test_a_handler_that_is_not_there_is_told(handler: str) -> None:
    assert list(answered({"handler": handler, "arguments": {}})) == ["raised"]


def test_what_a_handler_prints_is_no_answer() -> None:
    request = {"handler": f"{HERE}:days_until", "arguments": {"day": "2026-01-02"}}
    command = [sys.executable, "-c", "from toolhaft.child import main; main()"]
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
