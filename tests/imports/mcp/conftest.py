"""Write what `make from-mcp` saw into the table of `docs/imports.md`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from importlib.metadata import version
from typing import Any

from tests.imports.mcp.environment import FASTMCP, ROOT, WHOLE

PAGE = ROOT / "docs" / "imports.md"
HEAD = "| server | transport | revision | tests passed |\n|---|---|---|---|\n"
SERVERS = {
    "test_session.py": "of the official package",
    "test_hostile_servers.py": "hostile ones",
    "test_fastmcp.py": "FastMCP's",
}


def row_of(test: str) -> tuple[str, str, str] | None:
    """Return the server, the transport and the revision of a test that has all three."""
    server = next((words for name, words in SERVERS.items() if name in test), None)
    revision = re.search(r"20\d\d-\d\d-\d\d", test)
    if server is None or revision is None:
        return None
    over_stdio = "stdio" in test or "fastmcp" in test or "dies_in_a_call" in test
    return server, "stdio" if over_stdio else "memory", revision[0]


def rows(passed: Counter[Any], counted: Counter[Any]) -> Iterator[str]:
    versions = {"FastMCP's": f"fastmcp {FASTMCP}"}
    for key in sorted(counted):
        server, transport, revision = key
        package = versions.get(server, f"mcp {version('mcp')}")
        count = f"{passed[key]} of {counted[key]}"
        yield f"| {server}, {package} | {transport} | {revision} | {count} |\n"


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Write the table, where all of the tests were run."""
    if not WHOLE:
        return
    passed, counted = Counter[Any](), Counter[Any]()
    for outcome in ("passed", "failed"):
        for report in terminalreporter.stats.get(outcome, ()):
            if report.when == "call" and (row := row_of(report.nodeid)) is not None:
                counted[row] += 1
                passed[row] += outcome == "passed"
    if len({server for server, _, _ in counted}) < len(SERVERS):
        return  # a part of them
    head, begin, rest = PAGE.read_text("utf-8").partition("<!-- from-mcp: begin -->\n")
    _, end, tail = rest.partition("<!-- from-mcp: end -->")
    client = f"By the client of mcp {version('mcp')}:\n\n"
    table = f"{client}{HEAD}{''.join(rows(passed, counted))}"
    PAGE.write_text(f"{head}{begin}{table}{end}{tail}", "utf-8")
    terminalreporter.write_line(f"wrote {PAGE.relative_to(ROOT)}")
