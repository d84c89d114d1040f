"""OpenAPI: the Schema Object of 3.0, and of 3.1, which is JSON Schema 2020-12."""

from __future__ import annotations

from toolhaft.lowering.dialects.dialect import BASIC_KEYWORDS, Dialect, Rule, rules
from toolhaft.lowering.dialects.json_schema import DRAFT_2020

__all__ = ["OPENAPI_3_0", "OPENAPI_3_1"]

_30 = "OpenAPI Specification 3.0.3, Schema Object"

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
