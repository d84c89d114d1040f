"""`toolhaft` and `python -m toolhaft`: the command line, or one line about its missing extra."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line."""
    try:
        from toolhaft.cli import main as run
    except ModuleNotFoundError as error:
        if "toolhaft[" not in str(error):
            raise
        sys.stderr.write(f"error: {error}\n")
        sys.exit(2)
    run()


if __name__ == "__main__":
    main()
