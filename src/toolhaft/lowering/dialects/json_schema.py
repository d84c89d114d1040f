"""JSON Schema itself: drafts 2020-12 and 7."""

from __future__ import annotations

from toolhaft.lowering.dialects.dialect import DRAFT_07, DRAFT_2020_12, Dialect, rules

__all__ = ["DRAFT_7", "DRAFT_2020"]

_2020 = "json-schema.org/draft/2020-12"
_7 = "json-schema.org/draft-07"

DRAFT_2020 = Dialect(
    "draft-2020-12",
    False,
    rules(
        "documented",
        "2020-12-01",
        _2020,
        {
            "$schema": (DRAFT_2020_12,),
            "nullable": False,
            "dependencies": False,
            "additionalItems": False,
        },
    ),
)

DRAFT_7 = Dialect(
    "draft-07",
    False,
    rules(
        "documented",
        "2018-03-19",
        _7,
        {
            "$schema": (DRAFT_07,),
            "tuple form": "items",
            "definitions place": "definitions",
            "reference siblings": "allOf",
            "nullable": False,
            "$defs": False,
            "prefixItems": False,
            "dependentRequired": False,
            "dependentSchemas": False,
            "unevaluatedProperties": False,
            "unevaluatedItems": False,
            "minContains": False,
            "maxContains": False,
            "$anchor": False,
            "$dynamicRef": False,
            "$dynamicAnchor": False,
        },
    ),
)
