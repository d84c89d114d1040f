"""How often each keyword stands in a node of each type in real schemas.

Reads the corpora under `--data` and prints JSON; `tests/laws/frequencies.json` is its output.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from toolhaft.lowering.keywords import ANNOTATIONS, ASSERTIONS
from toolhaft.schema.document.walk import walk_schemas
from toolhaft.schema.faults import SchemaRefused
from toolhaft.schema.normalise import normalise

FILES = {
    "tools_mcp.jsonl.gz": "inputSchema",
    "tools_for_calls.jsonl.gz": "inputSchema",
    "schemas_jsonschemabench.jsonl.gz": "schema",
}


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    counts: dict[str, Counter[str]] = {}
    for schema in _schemas(parser.parse_args().data):
        _count(schema, counts)
    print(json.dumps({kind: _shares(counts[kind]) for kind in sorted(counts)}, indent=1))


def _schemas(folder: Path) -> Iterator[Any]:
    for name, key in FILES.items():
        with gzip.open(folder / name, "rt", encoding="utf-8") as lines:
            yield from (json.loads(line)[key] for line in lines)


def _count(schema: Any, counts: dict[str, Counter[str]]) -> None:
    try:
        found = list(walk_schemas(normalise(schema)))
    except SchemaRefused:
        return
    for _, node in found:
        if isinstance(node, dict):
            kind = node.get("type", "untyped")
            counter = counts.setdefault(kind if isinstance(kind, str) else "several", Counter())
            counter.update(["nodes", *node])


def _shares(counter: Counter[str]) -> dict[str, float]:
    total = counter["nodes"]
    known = {*ASSERTIONS, *ANNOTATIONS, "format"}
    shares = {key: round(counter[key] / total, 4) for key in sorted(counter) if key in known}
    return {**shares, "nodes": total}


if __name__ == "__main__":
    main()
