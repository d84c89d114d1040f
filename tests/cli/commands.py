"""Runs commands of `toolhaft`, each in a process that is forked with all of them loaded.

A request has a folder, the environment, the files to write to, the code and its arguments.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from types import ModuleType
from typing import NoReturn

from tests.forks import ROOT, serve
from toolhaft.cli.app import COMMANDS

__all__: list[str] = []

LOADED = ("asyncio", "pydantic", *(f"toolhaft.cli.{name}" for name in COMMANDS if name != "serve"))


def run(
    folder: str, environment: dict[str, str], out: str, err: str, code: str, args: list[str]
) -> NoReturn:
    """Run it as `python -P -c CODE ARGS` would, and end."""
    for number, name in enumerate((os.devnull, out, err)):
        os.dup2(os.open(name, os.O_RDWR), number)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.path.remove(str(ROOT))
    sys.argv[:] = ["-c", *args]
    sys.modules["__main__"] = main = ModuleType("__main__")
    exec(code, vars(main))
    sys.exit()


if __name__ == "__main__":
    for name in LOADED:
        import_module(name)
    serve(run)
