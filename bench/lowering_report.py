"""The cost and losses of lowering on real schemas: one line for each corpus and target.

Reads the corpora under `--data`. `narrowed` and findings must be 0; `structural` is the share of
nodes that are not JSON text; `reached` the share of valid random values that come back unchanged.
"""

from __future__ import annotations

import argparse
import gzip
import json
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from tests.laws.__main__ import modes
from tests.laws.laws import Tally, check
from toolhaft.lowering import Strict, lower
from toolhaft.lowering.loss import LoweringUnsupported
from toolhaft.schema.document.walk import walk_schemas
from toolhaft.schema.faults import SchemaRefused
from toolhaft.schema.limits import faults_of

CORPORA = {
    "tools_mcp": ("tools_mcp.jsonl.gz", "inputSchema"),
    "jsonschemabench": ("schemas_jsonschemabench.jsonl.gz", "schema"),
    "tools_for_calls": ("tools_for_calls.jsonl.gz", "inputSchema"),
}


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--values", type=int, default=4)
    parser.add_argument("--target")
    parser.add_argument("--corpus", choices=CORPORA)
    options = parser.parse_args()
    for name, (file, key) in CORPORA.items():
        if options.corpus in (None, name):
            schemas = list(_schemas(options.data / file, key))
            for target, strict in modes():
                if options.target in (None, target):
                    print(line(name, target, strict, schemas, options.values), flush=True)


def _schemas(path: Path, key: str) -> Iterator[dict[str, Any]]:
    """The schemas with an object at the root that a definition may have."""
    with gzip.open(path, "rt", encoding="utf-8") as rows:
        for row in rows:
            schema = json.loads(row)[key]
            if schema.get("type", "object") == "object" and not faults_of(schema):
                yield schema


def line(name: str, target: str, strict: Strict, schemas: list[Any], values: int) -> str:
    """Figures of one corpus and one target."""
    tally, total, texts = Tally(), 0, 0
    seconds = _seconds(schemas, target, strict)
    for number, schema in enumerate(schemas):
        check(schema, target, strict, Random(number), tally, values)  # noqa: S311 - draws values
        total += sum(1 for _ in walk_schemas(schema))
        texts += _texts(schema, target, strict)
    kinds = ", ".join(f"{kind} {count}" for kind, count in sorted(tally.losses.items()))
    faults = {law: tally.faults.count(law) for law in tally.samples}
    return (
        f"{name:15} {target:14} {'strict' if strict else 'plain':6} "
        f"schemas {len(schemas)} refused {tally.refused} {dict(tally.unsupported)} "
        f"faults {faults or 0} reached {tally.reached}/{tally.values} "
        f"structural {100 * (1 - texts / total):.2f}% "
        f"{1e6 * seconds / len(schemas):.0f} us each; losses: {kinds or 'none'}"
    )


def _seconds(schemas: list[Any], target: str, strict: Strict) -> float:
    started = time.perf_counter()
    for schema in schemas:
        _lowered(schema, target, strict)
    return time.perf_counter() - started


def _texts(schema: Any, target: str, strict: Strict) -> int:
    losses = _lowered(schema, target, strict)
    return sum(loss.detail == "JSON text" for loss in losses)


def _lowered(schema: Any, target: str, strict: Strict) -> Any:
    try:
        return lower(schema, target, strict).losses
    except (LoweringUnsupported, SchemaRefused):
        return ()


if __name__ == "__main__":
    main()
