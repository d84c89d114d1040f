"""The cases that passed: kept as data, and written into the page.

A run of the battery notes each case; `python -m tests.frameworks` keeps the notes if all cases
passed, with the versions of the frameworks.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from tests.frameworks.driver import Loss
from toolhaft.frameworks.hosts import HOSTS

__all__ = ["PAGE", "RESULTS", "RULES", "keep", "note", "note_round_trip", "note_rule", "read"]
__all__ += ["render", "written"]

ROOT: Final = Path(__file__).parents[2]
RESULTS: Final = ROOT / "tests" / "frameworks" / "results.json"
PAGE: Final = ROOT / "docs" / "frameworks.md"
BEGIN: Final = "<!-- written by make frameworks -->\n"
END: Final = "<!-- until here -->\n"
ROUND_TRIP: Final = "round trip"
RULES: Final = ("parallel=False", "limit", "visible", "defer")
LOOP: Final = "agent_loop"

NOTED: dict[str, dict[str, str]] = {}
NOTED_RULES: dict[str, dict[str, str]] = {}


def note(host: str, case: str, loss: Loss | None) -> None:
    """Note that a case was seen to pass, or to be lost as its driver says."""
    NOTED.setdefault(host, {})[case] = "" if loss is None else loss.why


def note_round_trip(host: str, tools: int, calls: int) -> None:
    """Note how many tools came back as they went out, and how many calls were answered alike."""
    NOTED.setdefault(host, {})[ROUND_TRIP] = f"{tools} tools, {calls:,} calls"


def note_rule(runner: str, rule: str, seen: str) -> None:
    """Note how a host, or our own loop, was seen to keep a rule of execution."""
    NOTED_RULES.setdefault(runner, {})[rule] = seen


def read() -> dict[str, Any]:
    """Read the record of each framework: its version, and why each case is lost, if it is."""
    results: dict[str, Any] = json.loads(RESULTS.read_text(encoding="utf-8"))
    return results


def keep(hosts: Iterable[str]) -> None:
    """Keep the notes about these frameworks, and write the page anew."""
    results = read() if RESULTS.exists() else {}
    results[LOOP] = {"rules": NOTED_RULES[LOOP]}
    for host in hosts:
        package = version(HOSTS[host].package)
        results[host] = {"version": package, "cases": NOTED[host], "rules": NOTED_RULES[host]}
    text = json.dumps(results, indent=2, sort_keys=True, ensure_ascii=False)
    RESULTS.write_text(text + "\n", encoding="utf-8")
    write_page(results)


def write_page(results: dict[str, Any]) -> None:
    """Write the results into the page."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    PAGE.write_text(f"{before}{BEGIN}{render(results)}{END}{after}", encoding="utf-8")


def written() -> str:
    """Return the page's copy of the table."""
    return PAGE.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0]


def render(results: dict[str, Any]) -> str:
    """Write the results as Markdown: two rows for each host, and a line for what each one loses."""
    hosts = {host: result for host, result in results.items() if host != LOOP}
    return "\n".join([*_rows(hosts), "", *_losses(hosts), "", *_rules(results), ""])


def _rows(results: dict[str, Any]) -> Iterator[str]:
    yield "| host | version | cases as they should be | real tools out and back |"
    yield "|---|---|---|---|"
    for host, result in sorted(results.items()):
        cases = {case: why for case, why in result["cases"].items() if case != ROUND_TRIP}
        right = sum(not why for why in cases.values())
        package = f"{HOSTS[host].package} {result['version']}"
        columns = (HOSTS[host].title, package, f"{right} of {len(cases)}")
        yield f"| {' | '.join([*columns, result['cases'][ROUND_TRIP]])} |"


def _rules(results: dict[str, Any]) -> Iterator[str]:
    yield "The most calls of one turn that ran at a time, by what `visible=` was judged, and how a"
    yield "deferred tool was found:"
    yield ""
    yield "| host | `parallel=False` | `limit=2` | `visible=` | `defer=True` |"
    yield "|---|---|---|---|---|"
    for runner, result in sorted(results.items()):
        if "rules" not in result:  # it has not been run since the rules were
            continue
        title = f"`{LOOP}`" if runner == LOOP else HOSTS[runner].title
        yield f"| {' | '.join([title, *(result['rules'][rule] for rule in RULES)])} |"


def _losses(results: dict[str, Any]) -> Iterator[str]:
    yield "The other cases behave as follows:"
    yield ""
    for host, result in sorted(results.items()):
        lost: dict[str, list[str]] = {}
        for case, why in sorted(result["cases"].items()):
            if why and case != ROUND_TRIP:
                lost.setdefault(why, []).append(case)
        groups = [f"{', '.join(cases)} ({why})" for why, cases in lost.items()]
        yield f"- **{HOSTS[host].title}**: {'; '.join(groups)}."
