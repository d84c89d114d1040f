"""`python -m toolhaft`: the command line, where its script is not on the path."""

from __future__ import annotations

from toolhaft.cli import main

__all__: list[str] = []

if __name__ == "__main__":
    main()
