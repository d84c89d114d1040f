"""Fuzz the primitives against their twins: `make fuzz`, in an environment with atheris.

The input chooses a schema, data that nearly fit it and their text, and says how the text is edited.
libFuzzer sees which lines of the twins an input reaches.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from contextlib import suppress
from importlib import import_module
from random import Random
from typing import Any

atheris: Any = import_module("atheris")

with atheris.instrument_imports(include=["toolhaft.jsonio", "toolhaft.schema"]):
    from tests.native.agreement import broken_laws
    from tests.native.samples import PIECES, data_for, object_schema, text_of
    from toolhaft.jsonio.primitives import native
    from toolhaft.schema.checker import Checker
    from toolhaft.schema.limits import faults_of
    from toolhaft.schema.shape import Shape, shape_of

SCHEMAS = 256


def pairs() -> list[tuple[Any, Any, Shape]]:
    """Return schemas with their shapes and the twins of these."""
    random = Random("fuzz")
    schemas = [object_schema(random) for _ in range(SCHEMAS)]
    checkers = [Checker(schema) for schema in schemas if not faults_of(schema)]
    return [
        (checker.schema, shape_of(checker, whole_floats=whole), Shape(checker, whole_floats=whole))
        for checker in checkers
        for whole in (False, True)
    ]


def edited(text: str, provider: Any) -> str:
    """Edit a text as the input says."""
    while provider.remaining_bytes():
        place = provider.ConsumeIntInRange(0, len(text))
        end = place + provider.ConsumeIntInRange(0, 3)
        if provider.ConsumeBool():
            piece = PIECES[provider.ConsumeIntInRange(0, len(PIECES) - 1)]
        else:
            piece = provider.ConsumeUnicode(2)
        text = text[:place] + piece + text[end:]
    return text


def main() -> None:
    """Run until libFuzzer's own options end it."""
    if not native:
        sys.exit("the primitives in C are not there")
    known = pairs()

    def compare(data: bytes) -> None:
        provider = atheris.FuzzedDataProvider(data)
        schema, shape, twin = known[provider.ConsumeIntInRange(0, len(known) - 1)]
        random = Random(provider.ConsumeIntInRange(0, 1 << 24))
        value = data_for(schema, random)
        text = edited(text_of(value, random), provider)
        with suppress(ValueError, RecursionError):
            value = json.loads(text) if random.random() < 0.5 else value
        broken = broken_laws(shape, twin, value, text, Counter())
        if broken:
            raise AssertionError(f"{broken}: {schema!r}: {value!r}: {text!r}")

    atheris.Setup(sys.argv, compare)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
