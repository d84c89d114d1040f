"""The meaning of a lowered schema to its target, as JSON Schema 2020-12."""

from __future__ import annotations

import json
from typing import Any

from toolhaft.schema.document.walk import child_nodes, replace_children
from toolhaft.schema.normalise import normalise

__all__ = ["meaning"]


def meaning(schema: Any, target: str) -> Any:
    """The schema as 2020-12: draft-07 by its own words, OpenAPI's null and open limits."""
    if target == "draft-07":
        return normalise({**schema, "$schema": "http://json-schema.org/draft-07/schema#"})
    if target in ("openapi-3.0", "gemini-openapi"):
        schema = json.loads(json.dumps(schema).replace("#/components/schemas/", "#/$defs/"))
        parts = schema.get("components", {}).get("schemas", {})
        modern = _modern({key: value for key, value in schema.items() if key != "components"})
        return {**modern, "$defs": {k: _modern(v) for k, v in parts.items()}}
    return normalise(schema)


def _modern(node: Any) -> Any:
    if not isinstance(node, dict):
        return node
    changes = {steps: _modern(sub) for steps, sub in child_nodes(node)}
    node = replace_children(node, changes) if changes else dict(node)
    for word, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if node.get(word) is True:
            node[word] = node.pop(bound)
        elif word in node and isinstance(node[word], bool):
            del node[word]
    if node.pop("nullable", False):
        return {"anyOf": [node, {"type": "null"}]}
    return node
