"""Show what repair does to calls of real models: how many it saves, and how many are right.

Takes recorded calls through the gate of the tools that they were meant for; nothing runs.
Undeclared keys count as accepted where the schema does not forbid them.

    python bench/repair_report.py [DATA] [--policy lenient]

DATA holds `tools_for_calls`, `calls_failing` and `calls_valid` as `.jsonl.gz`.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from ground_truth import is_right

from toolhaft import Coercion, from_json
from toolhaft.tools.tool import AnyTool

DATA = Path(__file__).parents[2] / "shared" / "data"


class Result(NamedTuple):
    """One call: the arguments that were accepted (None: refused), and how they came about."""

    arguments: dict[str, Any] | None
    coercions: tuple[Coercion, ...]


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """Read the lines of a compressed JSONL file."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def declared(data: Path, policy: Any) -> dict[str, AnyTool]:
    """Make a tool of each declaration, by its id."""
    rows_of_tools = rows(data / "tools_for_calls.jsonl.gz")
    return {
        row["id"]: one.replace(coerce=policy) for row in rows_of_tools for one in from_json([row])
    }


def gated(tool: AnyTool, text: str) -> Result:
    """Take one call's raw arguments as far as they get."""
    prepared = tool.prepare(text)
    return Result(prepared.json if prepared else None, prepared.coercions)


def report_failing(data: Path, tools: dict[str, AnyTool]) -> None:
    """Print how many refused calls repair makes acceptable, and how many of those are right."""
    known = accepted = with_truth = right = 0
    fired: Counter[str] = Counter()
    judged: Counter[str] = Counter()
    correct: Counter[str] = Counter()
    for call in rows(data / "calls_failing.jsonl.gz"):
        if not call.get("tool_id"):
            continue
        known += 1
        result = gated(tools[call["tool_id"]], call["arguments_text"])
        if result.arguments is None:
            continue
        accepted += 1
        rules: set[str] = {coercion.rule for coercion in result.coercions} or {"(none needed)"}
        fired.update(rules)
        if call.get("expected"):
            with_truth += 1
            judged.update(rules)
            if is_right(result.arguments, call["expected"]):
                right += 1
                correct.update(rules)
    print(f"failing calls of known tools {known:6}")
    print(f"  accepted                   {accepted:6}")
    print(f"  of those with ground truth {with_truth:6}: {right} right, {with_truth - right} wrong")
    print(f"  {'by rule, in calls accepted':28}{'calls':>6}{'right':>7}{'of':>5}")
    for rule, calls in fired.most_common():
        print(f"    {rule:26}{calls:6}{correct[rule]:7}{judged[rule]:5}")


def report_valid(data: Path, tools: dict[str, AnyTool]) -> None:
    """Print how many valid calls repair changes or refuses: none, or it does harm."""
    calls = changed = refused = 0
    for call in rows(data / "calls_valid.jsonl.gz"):
        calls += 1
        result = gated(tools[call["tool_id"]], call["arguments_text"])
        if result.arguments is None:
            refused += 1
        else:
            changed += bool(result.coercions) or result.arguments != json.loads(
                call["arguments_text"]
            )
    print(f"valid calls                  {calls:6}")
    print(f"  changed                    {changed:6}")
    print(f"  refused                    {refused:6}")


def main() -> None:
    """Read the command line and print both reports."""
    parser = argparse.ArgumentParser(description="what repair does to calls of real models")
    parser.add_argument("data", nargs="?", type=Path, default=DATA)
    parser.add_argument("--policy", choices=("safe", "lenient", "none"), default="safe")
    options = parser.parse_args()
    if not options.data.is_dir():
        parser.error(f"no folder at {options.data}")
    tools = declared(options.data, options.policy)
    report_failing(options.data, tools)
    report_valid(options.data, tools)


if __name__ == "__main__":
    main()
