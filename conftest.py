"""Examples in docstrings and in the documentation run as tests."""

from __future__ import annotations

from doctest import ELLIPSIS, NORMALIZE_WHITESPACE

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
