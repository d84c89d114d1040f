"""The command line: `toolhaft show | call | batch`, each command in its own file."""

from __future__ import annotations

from importlib import import_module

from toolhaft.packages import naming_extra

__all__ = ["main"]

for package in ("click", "packaging"):
    with naming_extra("toolhaft.cli", package, "toolhaft[cli]"):
        import_module(package)


def main() -> None:
    """Run the command line; `toolhaft --help` lists its commands."""
    from toolhaft.cli.app import app

    app(prog_name="toolhaft")
