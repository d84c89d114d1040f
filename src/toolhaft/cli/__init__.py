"""The command line: `toolhaft show | call | batch`, each command in its own file."""

from __future__ import annotations

from importlib import import_module

from toolhaft.packages import naming_extra

__all__ = ["main"]

with naming_extra("toolhaft.cli", "click", "toolhaft[cli]"):
    import_module("click")
with naming_extra("toolhaft.cli", "packaging", "toolhaft[cli]"):
    import_module("packaging")


def main() -> None:
    """Run the command line; `toolhaft --help` lists its commands."""
    from toolhaft.cli.app import app

    app(prog_name="toolhaft")
