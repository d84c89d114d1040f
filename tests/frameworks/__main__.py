"""Run the battery on the hosts of TOOLHAFT_HOSTS, and keep what passed: `make frameworks`."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.frameworks import table
from tests.frameworks.driver import EXPECTED

# The hosts warn of themselves; langchain-tests brings a plugin that wants to be set.
FOLDER = Path(__file__).parent
options = ["-q", "-W", "ignore", "-p", "no:cacheprovider", *sys.argv[1:]]
if find_spec("pytest_asyncio"):
    options += ["-o", "asyncio_mode=auto", "-o", "asyncio_default_fixture_loop_scope=function"]

failed = pytest.main([*options, f"--ignore={FOLDER / 'test_table.py'}", str(FOLDER)])
if not failed:
    table.keep(EXPECTED)
sys.exit(failed)
