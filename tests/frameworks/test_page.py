"""The examples of the page run where their hosts are."""

from __future__ import annotations

import re

import pytest

from tests.frameworks import table
from tests.frameworks.driver import INSTALLED

EXAMPLES = re.findall(r"^```py\n(.*?)^```", table.PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
HOSTS = [re.findall(r"toolhaft\.frameworks\.(\w+)", example)[0] for example in EXAMPLES]


def test_the_page_has_these_examples() -> None:
    assert HOSTS == ["langchain", "pydantic_ai"]


@pytest.mark.parametrize(("host", "example"), [*zip(HOSTS, EXAMPLES, strict=True)])
def test_an_example_of_the_page_runs(host: str, example: str) -> None:
    if host not in INSTALLED:
        pytest.skip(f"{host} is not installed")
    exec(compile(example, str(table.PAGE), "exec"), {"__name__": "example"})
