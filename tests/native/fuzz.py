"""Fuzz the primitives against their twins: `make fuzz`, in an environment with atheris.

The input is text; it is looked at as JSON text, and as data where it is JSON.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from random import Random

import atheris  # type: ignore[import-not-found]

from tests.native.agreement import broken_laws
from tests.native.samples import data_for, object_schema
from toolhaft.jsonio.primitives import native
from toolhaft.schema.checker import Checker
from toolhaft.schema.limits import faults_of
from toolhaft.schema.shape import Shape, shape_of

SHAPES = 64


def main() -> None:
    """Run until libFuzzer's own options end it."""
    if not native:
        sys.exit("the primitives in C are not there")
    random = Random("fuzz")
    schemas = [object_schema(random) for _ in range(SHAPES)]
    checkers = [Checker(schema) for schema in schemas if not faults_of(schema)]
    pairs = [
        (shape_of(checker, whole_floats=whole), Shape(checker, whole_floats=whole), checker.schema)
        for checker in checkers
        for whole in (False, True)
    ]

    def compare(data: bytes) -> None:
        provider = atheris.FuzzedDataProvider(data)
        shape, twin, schema = pairs[provider.ConsumeIntInRange(0, len(pairs) - 1)]
        seed = provider.ConsumeIntInRange(0, 1 << 16)
        text = provider.ConsumeUnicode(provider.remaining_bytes())
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            value = data_for(schema, Random(seed))
        broken = broken_laws(shape, twin, value, text, Counter())
        if broken:
            raise AssertionError(f"{broken}: {schema!r}: {value!r}: {text!r}")

    atheris.Setup(sys.argv, compare)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
