"""Schemas for no provider: JSON Schema 2020-12 and draft-07, and OpenAPI's Schema Object."""

from __future__ import annotations

from toolhaft.lowering.dialects.dialect import (
    BASIC_KEYWORDS,
    DRAFT_07,
    DRAFT_2020_12,
    Dialect,
    Rule,
    rules,
)

__all__ = ["DRAFT_7", "DRAFT_2020", "OPENAPI_3_0", "OPENAPI_3_1"]

_2020 = "json-schema.org/draft/2020-12"
_7 = "json-schema.org/draft-07"
_30 = "OpenAPI Specification 3.0.3, Schema Object"

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

OPENAPI_3_0 = Dialect(
    "openapi-3.0",
    False,
    rules(
        "documented",
        "2020-02-20",
        _30,
        {
            "tuple form": "widen",
            "definitions place": "components",
            "reference siblings": "allOf",
            "boolean schemas": False,
            "array items": True,
            "type list": False,
            "type null": False,
            "exclusive limits": "boolean",
            "other keywords": False,
            **BASIC_KEYWORDS,
            "title": True,
            "default": True,
            "format": True,
            "nullable": True,
            "minimum": True,
            "maximum": True,
            "exclusiveMinimum": (True, False),
            "exclusiveMaximum": (True, False),
            "multipleOf": True,
            "minLength": True,
            "maxLength": True,
            "pattern": True,
            "minItems": True,
            "maxItems": True,
            "uniqueItems": True,
            "additionalProperties": True,
            "minProperties": True,
            "maxProperties": True,
            "allOf": True,
            "oneOf": True,
            "not": True,
            "$ref": True,
            "components": True,
            "discriminator": True,
            "readOnly": True,
            "writeOnly": True,
            "xml": True,
            "externalDocs": True,
            "example": True,
            "deprecated": True,
        },
    ),
)

OPENAPI_3_1 = Dialect(
    "openapi-3.1",
    False,
    (
        *DRAFT_2020.rules,
        Rule("nullable", False, "documented", "2021-02-15", "OpenAPI Specification 3.1.0"),
    ),
)
