"""Hosts that are missing, too old or not asked for, and objects that are no tools of theirs."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.frameworks.driver import INSTALLED, converters
from toolhaft import DefinitionError, tool
from toolhaft.frameworks import hosts
from toolhaft.frameworks.hosts import HOSTS

SCRIPT = """
import json, sys
import {modules}
print(json.dumps(sorted({{name.partition(".")[0] for name in sys.modules}})))
"""


@tool
def double(n: int) -> int:
    """Twice a number."""
    return 2 * n


@pytest.fixture(autouse=True)
def fresh() -> None:
    hosts.require_host.cache_clear()


@pytest.mark.requirement("frameworks-missing")
@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize(
    ("version", "fault"),
    [(None, "is not installed"), ("0.0.1", "0.0.1 is too old: {oldest} or newer is read")],
)
def test_a_host_that_is_missing_or_too_old_is_one_line_with_the_extra(
    monkeypatch: pytest.MonkeyPatch, host: str, version: str | None, fault: str
) -> None:
    monkeypatch.setattr("toolhaft.vendors.versions.installed_version", lambda _: version)
    known = HOSTS[host]
    reason = f"{known.package} {fault.format(oldest=known.oldest)}"
    for convert in converters(host):
        with pytest.raises(ImportError) as raised:
            convert(double)
        line = f"toolhaft.frameworks.{host}: {reason}: pip install 'toolhaft[{known.extra}]'"
        assert str(raised.value) == line
        assert raised.value.name == known.package


@pytest.mark.requirement("frameworks-missing")
def test_the_files_of_the_hosts_load_no_host() -> None:
    script = SCRIPT.format(modules=", ".join(f"toolhaft.frameworks.{host}" for host in HOSTS))
    child = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    modules = {"agents", "langchain_core", "pydantic_ai", "fastmcp", "anthropic", "google", "llm"}
    modules |= {"llama_index", "strands", "agno", "agent_framework", "haystack", "pydantic"}
    assert modules.intersection(json.loads(child.stdout)) == set()


@pytest.mark.requirement("frameworks-in")
@pytest.mark.parametrize("host", INSTALLED)
@pytest.mark.parametrize("given", [object(), None, "tool", double, [double]])
def test_an_object_that_is_no_tool_of_the_framework_is_a_fault_that_names_one(
    host: str, given: object
) -> None:
    _, from_host = converters(host)
    with pytest.raises(DefinitionError) as raised:
        from_host(given)
    [fault] = raised.value.faults
    reason = f"not a tool of {HOSTS[host].title}"
    assert (fault.tool, fault.where, fault.reason) == (type(given).__name__, "", reason)
    assert fault.fix.startswith("give a")


@pytest.mark.parametrize("host", INSTALLED)
def test_an_object_that_is_no_tool_of_ours_does_not_go_out(host: str) -> None:
    to_host, _ = converters(host)
    with pytest.raises(DefinitionError, match="not a tool"):
        to_host(object())
