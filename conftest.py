"""Examples in docstrings and in the documentation run as tests."""

from __future__ import annotations

from collections import defaultdict
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE
from itertools import takewhile
from pathlib import Path
from unittest import SkipTest

import pytest
from sybil import Sybil
from sybil.integration.pytest import SybilItem
from sybil.parsers.markdown import PythonCodeBlockParser, SkipParser
from sybil.parsers.rest import DocTestParser

from toolhaft.jsonio.primitives import native

FLAGS = ELLIPSIS | NORMALIZE_WHITESPACE
# The examples of each page that have not run in this process, in their order.
UNEVALUATED: defaultdict[Path, list[SybilItem]] = defaultdict(list)

# To look for the docstrings of a module takes long: only where a module of its name has examples.
SRC = Path(__file__).parent / "src"
NAMES = {path.name for path in SRC.rglob("*.py") if b">>>" in path.read_bytes()}

docstrings = Sybil(path="src", filenames=NAMES, parsers=[DocTestParser(FLAGS)])
documents = Sybil(
    patterns=["*.md"],
    parsers=[PythonCodeBlockParser(doctest_optionflags=FLAGS), SkipParser()],
)


def pytest_report_header() -> str:
    """Say what runs of the primitives."""
    return f"toolhaft: {'native' if native else 'pure'}"


pytest_collect_file = (docstrings + documents).pytest()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Note the examples of each page, and keep their order, as one may use the names of another."""
    for item in items:
        if isinstance(item, SybilItem):
            UNEVALUATED[item.path].append(item)
    for examples in UNEVALUATED.values():
        examples.sort(key=lambda item: item.example.line)
    ordered = {path: iter(examples) for path, examples in UNEVALUATED.items()}
    items[:] = [next(ordered[item.path]) if isinstance(item, SybilItem) else item for item in items]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Run the examples that come before this one on its page, if another worker has run them."""
    if not isinstance(item, SybilItem):
        return
    unevaluated = UNEVALUATED[item.path]
    earlier_items = list(takewhile(lambda other: other is not item, unevaluated))
    del unevaluated[: len(earlier_items) + 1]
    for earlier_item in earlier_items:
        try:
            earlier_item.runtest()
        except SkipTest:
            continue
