"""The engine that gives verdicts: jsonschema-rs, held to local references and bounded patterns."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from toolhaft.schema.faults import SchemaFault, SchemaRefused

__all__ = ["compiled", "matcher"]

# Steps that one pattern may go back on one text: 1 ms, and enough for lookarounds on 100 KB.
# Past it the text does not match. Patterns without lookarounds and back references need none.
BACKTRACK_LIMIT = 100_000
# Bytes that one compiled pattern may take: `\p{L}{1,64}` takes nearly 3 MB, real ones far less.
SIZE_LIMIT = 4 << 20


@lru_cache(maxsize=64)
def matcher(pattern: str) -> Callable[[str], bool]:
    """The test of a pattern (ECMA-262) on a text, in linear time or with bounded backtracking.

    Raises:
        SchemaRefused: No engine can run the pattern.
    """
    return compiled({"pattern": pattern})


def compiled(schema: Any) -> Callable[[Any], bool]:
    """The engine's verdict on data, which raises `ValueError` for some data that are not plain.

    Raises:
        SchemaRefused: The schema does not compile.
    """
    import jsonschema_rs

    try:
        validator = jsonschema_rs.Draft202012Validator(
            schema,
            validate_formats=False,
            retriever=_refuse,
            pattern_options=jsonschema_rs.FancyRegexOptions(BACKTRACK_LIMIT, SIZE_LIMIT),
        )
    except ValueError as error:
        reason = str(error).partition("\n")[0][:200]
        fault = SchemaFault("", f"the schema does not compile: {reason}", "correct the schema")
        raise SchemaRefused([fault]) from None
    return validator.is_valid


def _refuse(uri: str) -> Any:
    raise LookupError(uri)
