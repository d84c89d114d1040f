"""Examples in docstrings and in the documentation run as tests."""

from __future__ import annotations

from doctest import ELLIPSIS, NORMALIZE_WHITESPACE
from pathlib import Path

from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser, SkipParser
from sybil.parsers.rest import DocTestParser

from toolhaft.jsonio.primitives import native

FLAGS = ELLIPSIS | NORMALIZE_WHITESPACE

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
