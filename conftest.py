"""Examples in docstrings and in the documentation run as tests."""

from __future__ import annotations

from doctest import ELLIPSIS, NORMALIZE_WHITESPACE

import pytest
from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser, SkipParser
from sybil.parsers.rest import DocTestParser

FLAGS = ELLIPSIS | NORMALIZE_WHITESPACE

docstrings = Sybil(path="src", patterns=["*.py"], parsers=[DocTestParser(FLAGS)])
documents = Sybil(
    patterns=["*.md"],
    parsers=[PythonCodeBlockParser(doctest_optionflags=FLAGS), SkipParser()],
)

pytest_collect_file = (docstrings + documents).pytest()


@pytest.hookimpl(tryfirst=True)  # before xdist reads the marks
@pytest.hookimpl(tryfirst=True)  # before xdist reads the marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the examples of a document in one worker: they share their names."""
    for item in items:
        if type(item).__module__.startswith("sybil"):
            item.add_marker(pytest.mark.xdist_group(item.nodeid.partition("::")[0]))
