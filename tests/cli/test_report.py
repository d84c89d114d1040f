"""Suggested commands can be typed as they are printed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from toolhaft.batch.calls import Call
from toolhaft.batch.record import Record
from toolhaft.cli.batch_report import next_steps


def commands(example: Record | None = None) -> list[str]:
    lines = next_steps("my tools.py", "calls.jsonl", example).splitlines()
    return [line.strip() for line in lines if line.startswith("    ")]


def test_names_and_arguments_are_quoted_for_a_shell() -> None:
    example = Record(1, Call(None, "f", {}), "ok", {"q": "it's"})
    assert commands(example)[1] == ("""toolhaft call 'my tools.py' f --json '{"q":"it'"'"'s"}'""")
    assert len(commands()) == 2


@pytest.mark.requirement("cli-show-calls")
def test_a_program_that_is_not_on_the_path_is_named_as_it_was_typed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "argv", [".venv/bin/toolhaft"])
    monkeypatch.setenv("PATH", "")
    assert commands()[0] == ".venv/bin/toolhaft show 'my tools.py'"
    program = tmp_path / "toolhaft"
    program.touch(0o755)
    monkeypatch.setattr(sys, "argv", [str(program)])
    monkeypatch.setenv("PATH", str(tmp_path))
    assert commands()[0] == "toolhaft show 'my tools.py'"
