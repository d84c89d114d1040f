"""The command line: `toolhaft show | call | batch`, each command in its own file."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line; `toolhaft --help` lists its commands."""
    try:
        from toolhaft.cli.app import app
    except ModuleNotFoundError as error:
        if error.name != "click":
            raise
        sys.stderr.write("error: the command line needs click; pip install 'toolhaft[cli]'\n")
        sys.exit(2)
    app(prog_name="toolhaft")
