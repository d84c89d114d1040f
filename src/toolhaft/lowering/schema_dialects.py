"""Write a schema in another dialect of schemas, where nobody lifts values back by a lens."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from toolhaft.definition.targets import Target
from toolhaft.errors import ToolhaftError
from toolhaft.lowering import lower
from toolhaft.spec import SchemaNotConvertible

__all__ = ["DRAFT", "write_schema"]

DRAFT: Final = "draft-2020-12"
DIALECTS: Final = (DRAFT, "draft-07", "openapi-3.0", "openapi-3.1")
# A value that the schema accepts would be another one, or could not be written.
LOST: Final = ("encoded", "narrowed", "unsupported")


def write_schema(schema: Mapping[str, Any], target: Target) -> dict[str, Any]:
    """Write a schema in a dialect.

    Raises:
        SchemaNotConvertible: There is no such dialect, or it cannot express the schema.
    """
    if target not in DIALECTS:
        fix = f"use {', '.join(DIALECTS)}, or toolhaft.lowering.lower for a provider"
        raise SchemaNotConvertible(f"{target}: not a dialect of schemas; {fix}")
    try:
        lowered = lower(schema, target)
    except ToolhaftError as error:
        raise SchemaNotConvertible(str(error)) from None
    lost = [loss for loss in lowered.losses if loss.kind in LOST]
    if lost:
        raise SchemaNotConvertible(f"{target} cannot express the schema: {lost[0]}")
    return lowered.schema
