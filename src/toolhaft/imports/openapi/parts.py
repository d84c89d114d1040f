"""The schemas that speak of one value: each that it refers to or is combined of, once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from toolhaft.imports.openapi.document import Document

__all__ = ["parts_of"]

LISTS: Final = ("anyOf", "oneOf")
SINGLES: Final = ("if", "then", "else")
MAPS: Final = ("dependentSchemas", "dependencies")


def parts_of(
    document: Document, schemas: Iterable[Any], *, in_any_case: bool
) -> list[Mapping[str, Any]]:
    """Give schemas, what they refer to and what they combine, by whatever chain.

    `in_any_case` asks for those too that hold for some values only, as `anyOf` has them.

    Raises:
        Refused: A reference cannot be followed.
    """
    parts: dict[int, Mapping[str, Any]] = {}
    queue = list(schemas)
    for node in queue:  # which grows meanwhile
        if not isinstance(node, Mapping) or id(node) in parts:
            continue
        parts[id(node)] = node
        if "$ref" in node:
            queue.append(document.target(node["$ref"], "schema"))
        queue += _list_at(node, "allOf")
        if in_any_case:
            queue += _conditional(node)
    return list(parts.values())


def _conditional(node: Mapping[str, Any]) -> list[Any]:
    listed = [sub for word in LISTS for sub in _list_at(node, word)]
    maps = [value for word in MAPS if isinstance(value := node.get(word), Mapping)]
    mapped = [sub for value in maps for sub in value.values()]
    return [*listed, *(node.get(word) for word in SINGLES), *mapped]


def _list_at(node: Mapping[str, Any], word: str) -> list[Any]:
    value = node.get(word)
    return value if isinstance(value, list) else []
