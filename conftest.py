"""Examples in docstrings and in the documentation run as tests."""

from __future__ import annotations

from doctest import ELLIPSIS, NORMALIZE_WHITESPACE

from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser, SkipParser
from sybil.parsers.rest import DocTestParser

from toolhaft.jsonio.primitives import native

FLAGS = ELLIPSIS | NORMALIZE_WHITESPACE

docstrings = Sybil(path="src", patterns=["*.py"], parsers=[DocTestParser(FLAGS)])
documents = Sybil(
    patterns=["*.md"],
    parsers=[PythonCodeBlockParser(doctest_optionflags=FLAGS), SkipParser()],
)


def pytest_report_header() -> str:
    """Say what runs of the primitives."""
    return f"toolhaft: {'native' if native else 'pure'}"


pytest_collect_file = (docstrings + documents).pytest()
