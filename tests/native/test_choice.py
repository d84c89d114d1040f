"""The primitives in C run if they are available, unless plain ones are requested: chosen once."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import toolhaft
from toolhaft.jsonio import primitives

ROOT = Path(__file__).parents[2]
SOURCE = str(Path(toolhaft.__file__).parents[1])
SAY = """
import sys
from toolhaft import tool
from toolhaft.jsonio.primitives import native
@tool
def double(n: int) -> int:
    "Twice a number."
    return 2 * n
assert double.call_sync('{"n": "21"}').unwrap() == double.call_sync({"n": 21}).unwrap() == 42
print(native)
"""


def say(before: str = "", **environment: str) -> str:
    """Ask a new interpreter which it runs."""
    clean = {key: value for key, value in os.environ.items() if key != "TOOLHAFT_PURE"}
    command = [sys.executable, "-c", before + SAY]
    ran = subprocess.run(
        command, env={**clean, "PYTHONPATH": SOURCE, **environment}, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert ran.stderr == ""
    return ran.stdout.strip()


def test_the_primitives_in_c_run_where_they_are() -> None:
    is_built = any((Path(SOURCE) / "toolhaft").glob("_native.*.so"))
    assert say() == str(is_built)


def test_plain_ones_run_where_they_are_asked_for() -> None:
    assert say(TOOLHAFT_PURE="1") == "False"


def test_plain_ones_run_where_those_in_c_are_missing() -> None:
    assert say("import sys; sys.modules['toolhaft._native'] = None\n") == "False"


def test_plain_ones_run_without_a_global_lock() -> None:
    assert say("import sys; sys.version = '3.13.0 free-threading build'\n") == "False"


def test_the_command_says_which_run() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "toolhaft", "--version"],
        env={**os.environ, "PYTHONPATH": SOURCE},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.stdout.rpartition(", ")[2] == ("native\n" if primitives.native else "pure\n")
