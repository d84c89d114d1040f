"""The example of the page runs where its host is."""

from __future__ import annotations

import re

import pytest

from tests.frameworks import table
from tests.frameworks.driver import INSTALLED


@pytest.mark.skipif("langchain" not in INSTALLED, reason="LangChain is not installed")
def test_the_example_of_the_page_runs() -> None:
    [example] = re.findall(
        r"^```py\n(.*?)^```", table.PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    exec(compile(example, str(table.PAGE), "exec"), {"__name__": "example"})
