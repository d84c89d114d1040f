"""Runs tests, and writes the lines of toolhaft that each reaches and how long it takes.

    python -m tests.mutation.mapping tests/FOLDER

What a child process reaches counts for the test that started it.
"""

from __future__ import annotations

import json
import os
import sys
from collections import defaultdict
from collections.abc import Generator
from pathlib import Path
from typing import Any, Final

import coverage
import pytest

from tests.mutation import tree
from tests.mutation.tree import FOLDERS

__all__ = ["Contexts", "map_of", "write_map"]

DATA: Final = tree.KEPT / "coverage"


class Contexts:
    """Measures each test in its own context, and remembers the failed ones."""

    def __init__(self, measured: coverage.Coverage) -> None:
        self.measured = measured
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.failed: set[str] = set()

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        self.measured.switch_context(item.nodeid)
        config = self.measured.config
        config.context = item.nodeid
        os.environ["COVERAGE_PROCESS_CONFIG"] = config.serialize()
        before = sum(os.times()[:4])
        try:
            return (yield)
        finally:
            self.seconds[item.nodeid] = sum(os.times()[:4]) - before
            self.measured.switch_context("")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.outcome != "passed":
            self.failed.add(report.nodeid)


def map_of(folder: str) -> Path:
    """Return the file of the map of a folder's tests."""
    return tree.MAPS / f"{Path(folder).name}.json"


def write_map(folder: str) -> None:
    """Run the tests of a folder, and write the map of the ones that pass."""
    DATA.mkdir(parents=True, exist_ok=True)
    measured = coverage.Coverage(
        str(DATA / Path(folder).name), source=[str(tree.SOURCE)], config_file=False
    )
    measured.set_option("run:parallel", value=True)
    contexts = Contexts(measured)
    measured.start()
    pytest.main(["-q", "-p", "no:cacheprovider", "-n0", folder], plugins=[contexts])
    measured.stop()
    os.environ.pop("COVERAGE_PROCESS_CONFIG", None)
    measured.save()
    measured.combine(keep=False)
    passed = {
        test: round(seconds, 3)
        for test, seconds in contexts.seconds.items()
        if test not in contexts.failed
    }
    tree.MAPS.mkdir(exist_ok=True)
    text = json.dumps({"seconds": passed, "lines": _lines(measured.get_data(), set(passed))})
    map_of(folder).write_text(text, encoding="utf-8")


def _lines(data: Any, passed: set[str]) -> dict[str, dict[int, list[str]]]:
    folders = [tree.SOURCE / "toolhaft" / folder for folder in FOLDERS]
    return {
        path.relative_to(tree.SOURCE).as_posix(): {
            line: sorted(passed.intersection(contexts))
            for line, contexts in data.contexts_by_lineno(str(path)).items()
        }
        for path in map(Path, data.measured_files())
        if any(path.is_relative_to(folder) for folder in folders)
    }


if __name__ == "__main__":
    tree.copy()
    tree.environment(native=sys.argv[1] == tree.NATIVE)
    if not map_of(sys.argv[1]).exists():  # of a run that was ended
        write_map(sys.argv[1])
