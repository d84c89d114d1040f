"""Resolve each popular host of tools beside toolhaft's extras, for docs/installation.md.

A resolver takes an older version of a host to fit an extra in, without a warning. For each host,
the newest version by itself is compared with the version beside the core and beside each extra.
Nothing is installed.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
PAGE: Final = ROOT / "docs" / "installation.md"
START, END = "<!-- written by make resolve -->\n", "<!-- until here -->"
PYTHONS: Final = ("3.11", "3.13")
HOSTS: Final = (
    "agent-framework-core", "agno", "anthropic", "autogen-agentchat", "crewai", "dspy", "fastapi",
    "fastmcp", "google-adk", "gradio", "haystack-ai", "instructor", "langchain", "litellm",
    "llama-index-core", "llm", "openai-agents", "pydantic-ai", "smolagents", "strands-agents",
)  # fmt: skip
CORE: Final = "core"
BESIDE: Final = (CORE, "cli", "batch", "mcp", "serve")


def main() -> int:
    """Write the table; exit with 1 if the core or an extra moves a host back."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("hosts", nargs="*", default=HOSTS)
    hosts = parser.parse_args().hosts
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pairs = [(host, python) for host in hosts for python in PYTHONS]
    with ThreadPoolExecutor(4) as pool:
        rows = dict(zip(pairs, pool.map(partial(resolve_row, project), pairs), strict=True))
    table = "".join(f"{line}\n" for line in table_of(rows))
    sys.stdout.write(table)
    if set(hosts) == set(HOSTS):
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(START)
        after = rest.partition(END)[2]
        PAGE.write_text(f"{before}{START}{table}{END}{after}", encoding="utf-8")
    moved = [pair for pair, row in rows.items() for one in BESIDE if row[one] != row["alone"]]
    return 1 if moved else 0


def resolve_row(project: dict[str, object], pair: tuple[str, str]) -> dict[str, str]:
    """Return the host's version by itself and beside each extra; `-` if there is none."""
    host, python = pair
    row = {"alone": resolve([host], host, python)}
    for extra in BESIDE:
        row[extra] = resolve([host, *requirements(project, extra)], host, python)
    return row


def requirements(project: dict[str, object], extra: str) -> Iterator[str]:
    """Yield what toolhaft with an extra requires, as pyproject.toml has it."""
    core: object = project["dependencies"]
    extras: object = project["optional-dependencies"]
    assert isinstance(core, list)
    assert isinstance(extras, dict)
    yield from core
    for one in () if extra == CORE else extras[extra]:
        own = re.fullmatch(r"toolhaft\[(.*)\]", one)
        if own is None:
            yield one
        else:
            yield from extras[own[1]]


def resolve(wanted: list[str], host: str, python: str) -> str:
    """Return the version of a host that uv resolves."""
    command = [
        sys.executable, "-m", "uv", "pip", "compile", "-", "--quiet", "--no-header",
        "--no-annotate", "--python-version", python, "--prerelease", "if-necessary-or-explicit",
    ]  # fmt: skip
    done = subprocess.run(  # noqa: S603
        command, input="\n".join(wanted), capture_output=True, text=True, check=False
    )
    found = re.search(rf"^{re.escape(host)}==(\S+)", done.stdout, re.MULTILINE)
    return found[1] if found else "-"


def table_of(rows: dict[tuple[str, str], dict[str, str]]) -> Iterator[str]:
    """Yield the lines of the table; one for a host whose row is the same on each Python."""
    yield f"| host | Python | by itself | {' | '.join(f'`{one}`' for one in BESIDE)} |"
    yield "|---" * (3 + len(BESIDE)) + "|"
    for host in dict.fromkeys(host for host, _ in rows):
        per_python = {python: rows[host, python] for python in PYTHONS}
        same = len({tuple(row.values()) for row in per_python.values()}) == 1
        shown = {", ".join(PYTHONS): per_python[PYTHONS[0]]} if same else per_python
        for python, row in shown.items():
            cells = ("=" if row[one] == row["alone"] else f"**{row[one]}**" for one in BESIDE)
            yield f"| {host} | {python} | {row['alone']} | {' | '.join(cells)} |"


if __name__ == "__main__":
    sys.exit(main())
