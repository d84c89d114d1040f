"""`toolhaft init`: a small module of tools, its test, and an entry for pre-commit."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from toolhaft.cli.errors import Unusable
from toolhaft.cli.options import FILE_PATH

__all__ = ["init"]

TOOLS: Final = '''\
"""Tools for a model."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from toolhaft import Doc, ToolError, Toolset, tool

OPENING_HOURS = {"library": "9 to 18", "pool": "7 to 21"}


@tool(annotations={"readOnlyHint": True})
def opening_hours(
    place: Annotated[str, Doc("What the place is called, in one word"), Field(max_length=40)],
    day: Annotated[Literal["weekday", "weekend"], Doc("Which kind of day")] = "weekday",
) -> str:
    """Say when a public place in town opens and closes."""
    if place not in OPENING_HOURS:
        raise ToolError(f"no such place; there are {', '.join(OPENING_HOURS)}")
    return "closed" if day == "weekend" else OPENING_HOURS[place]


TOOLS = Toolset([opening_hours])
'''
TEST: Final = '''\
"""The tools do what their schemas say."""

from __future__ import annotations

from tools import TOOLS, opening_hours

from toolhaft.testing import assert_conforms


def test_a_call_of_a_model_is_answered() -> None:
    assert TOOLS.call_sync("opening_hours", '{"place": "pool"}').text == "7 to 21"


def test_a_wrong_call_is_refused_and_says_why() -> None:
    outcome = TOOLS.call_sync("opening_hours", '{"place": "pool", "day": "holiday"}')
    assert not outcome
    assert "weekend" in outcome.text


def test_schema_and_validator_agree() -> None:
    assert_conforms(opening_hours)
'''
HOOKS: Final = """\
repos:
  - repo: local
    hooks:
      - id: toolhaft-check
        name: toolhaft check
        entry: toolhaft check tools.py
        language: system
        pass_filenames: false
        always_run: true
"""
FILES: Final = {"tools.py": TOOLS, "test_tools.py": TEST, ".pre-commit-config.yaml": HOOKS}


@click.command(short_help="Create a tool module, its test and a pre-commit hook.")
@click.argument("folder", type=FILE_PATH, default=Path())
def init(folder: Path) -> None:
    """Write tools.py, test_tools.py and .pre-commit-config.yaml into FOLDER, here by default.

    If one of the files exists, nothing is written.

    Exit codes: 0 ok, 2 usage.
    """
    there = [name for name in FILES if (folder / name).exists()]
    if there:
        raise Unusable(*(f"{folder / name}: already exists; nothing was written" for name in there))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in FILES.items():
            (folder / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise Unusable(f"{folder}: cannot be written: {error.strerror}") from None
    click.echo(f"toolhaft: wrote {', '.join(FILES)}", err=True)
    click.echo(f"Try next:\n  toolhaft show {folder / 'tools.py'}", err=True)
