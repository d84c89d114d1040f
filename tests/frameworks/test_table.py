"""The page of frameworks has what the last run saw, of the versions that are pinned."""

from __future__ import annotations

import re

import pytest

from tests.frameworks import table
from tests.frameworks.test_battery import CASES
from toolhaft.frameworks.hosts import HOSTS

RESULTS = table.read()


def pinned(host: str) -> str:
    file = "strands" if host == "strands" else "frameworks"
    text = (table.ROOT / "constraints" / f"{file}.txt").read_text(encoding="utf-8")
    [version] = re.findall(rf"^{re.escape(HOSTS[host].package)}==(\S+)$", text, re.MULTILINE)
    return str(version)


def test_the_page_is_written_by_the_run() -> None:
    assert table.written() == table.render(RESULTS)


def test_the_page_has_every_host_and_no_other() -> None:
    assert RESULTS.keys() == {*HOSTS, table.LOOP}


@pytest.mark.parametrize("host", HOSTS)
def test_every_case_was_seen_with_the_version_that_is_pinned(host: str) -> None:
    assert RESULTS[host]["version"] == pinned(host)
    assert RESULTS[host]["cases"].keys() == {*CASES, "round trip"}


@pytest.mark.parametrize("runner", [*HOSTS, table.LOOP])
def test_every_rule_of_execution_was_seen_to_hold(runner: str) -> None:
    assert RESULTS[runner]["rules"].keys() == set(table.RULES)


@pytest.mark.parametrize("host", HOSTS)
def test_at_least_three_hundred_real_tools_went_out_and_back(host: str) -> None:
    tools = int(RESULTS[host]["cases"]["round trip"].partition(" ")[0])
    assert tools >= 300
