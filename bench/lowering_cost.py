"""The cost of lowering and export: one typical tool, and a thousand real ones for every target.

    python bench/lowering_cost.py

The first column is the cost of lowering one tool of six parameters for the first time, the second
of exporting it again; the third of exporting 1,000 tools: the 551 real tools of
`../shared/data/tools_mcp.jsonl.gz`, and most of them once more under another name, which finds
their schemas lowered already.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Annotated, Any, Literal

from toolhaft import DefinitionError, Doc, Toolset, from_json, tool
from toolhaft.definition.targets import TARGETS
from toolhaft.lowering import lower
from toolhaft.lowering.plan import clear_cache

DATA = Path(__file__).parents[2] / "shared" / "data" / "tools_mcp.jsonl.gz"
ROUNDS = 30
MANY = 1_000


@tool
def search_flights(
    origin: Annotated[str, Doc("Airport to leave from")],
    destination: Annotated[str, Doc("Airport to arrive at")],
    days: list[str],
    cabin: Literal["economy", "business"] = "economy",
    most: int = 5,
    prices: dict[str, float] | None = None,
) -> int:
    """Search flights between two airports."""
    return len(origin + destination + cabin) + most + len(days) + len(prices or {})


def timed(work: Callable[[], Any]) -> float:
    """Seconds that one piece of work takes."""
    start = perf_counter()
    work()
    return perf_counter() - start


def real_tools() -> Toolset | None:
    """Return a thousand real tools, or None if the data are not beside the repository."""
    if not DATA.exists():
        return None
    rows = [json.loads(line) for line in gzip.decompress(DATA.read_bytes()).splitlines()]
    made: list[Any] = []
    while len(made) < MANY:
        for row in rows:
            try:
                [one] = from_json([{**row, "name": f"{row['name'][:50]}_{len(made)}"}])
            except DefinitionError:
                continue
            made.append(one)
    return Toolset(made[:MANY])


def main() -> None:
    """Print the table."""
    schema = search_flights.input_schema.json_schema()
    single, many = Toolset([search_flights]), real_tools()
    print(f"{'target':<18}{'lower, ms':>10}{'again, ms':>10}{'1,000 tools, s':>16}")
    for target in TARGETS:
        once = median(timed(lambda: lower(schema, target, "prefer")) for _ in range(ROUNDS))  # noqa: B023 - called at once
        single.export(target, strict="prefer")
        again = median(timed(lambda: single.export(target, strict="prefer")) for _ in range(ROUNDS))  # noqa: B023 - called at once
        clear_cache()
        whole = timed(lambda: many.export(target, strict="prefer")) if many else float("nan")  # noqa: B023 - called at once
        print(f"{target:<18}{once * 1e3:>10.2f}{again * 1e3:>10.2f}{whole:>16.2f}")


if __name__ == "__main__":
    main()
