"""The command line, for tests of what every entry point loads."""

from tests.cli.conftest import run

__all__ = ["run"]
