"""Where an issue lies, in words: keys that the schema declares are named, others are not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from toolhaft import names
from toolhaft.spec import Issue, Path

__all__ = ["at", "shown_path"]

MOST_STEP_CHARS = 60
MOST_NODES = 200
COMBINED = ("allOf", "anyOf", "oneOf")


def at(data: Any, path: Path) -> Any:
    """Give the value at `path`, or None where the data has no such place."""
    for step in path:
        try:
            data = data[step]
        except (KeyError, IndexError, TypeError):
            return None
    return data


def shown_path(issue: Issue, schema: Any) -> str:
    """Write an issue's path dotted; a key that came with the data, in an open map, is `[key]`.

    >>> shown_path(Issue("required", ("tags", 0)), {"properties": {"tags": {}}})
    'tags.0'
    """
    steps, told = issue.path, issue.code in ("extra", "missing")
    if len(steps) == 1 and (told or _declares([schema], steps[0])):
        return names.shown(str(steps[0]), MOST_STEP_CHARS)
    nodes, words = [schema], []
    for place, step in enumerate(steps, start=1):
        last = place == len(steps)
        if not _declares(nodes, step):
            nodes = list(_alternatives(schema, nodes))
        named = isinstance(step, int) or (told and last) or _declares(nodes, step)
        words.append(names.shown(str(step), MOST_STEP_CHARS) if named else "[key]")
        if not last:
            found = [child for node in nodes for child in _children(node, step)]
            nodes = [child for child in found if isinstance(child, Mapping)]
    return ".".join(words)


def _declares(nodes: list[Any], step: str | int) -> bool:
    objects = (node for node in nodes if isinstance(node, dict))
    return any(step in node.get("properties", ()) for node in objects)


def _alternatives(root: Any, nodes: list[Any]) -> Iterator[Mapping[str, Any]]:
    """Every node that may describe the same place: through references and combinators."""
    from toolhaft.schema.refs import resolve  # few schemas have references

    queue, seen = list(nodes), 0
    while queue and seen < MOST_NODES:
        node, seen = queue.pop(0), seen + 1
        if not isinstance(node, Mapping):
            continue
        yield node
        queue += [branch for word in COMBINED for branch in node.get(word, ())]
        if isinstance(node.get("$ref"), str):
            queue.append(resolve(root, node["$ref"]))


def _children(node: Mapping[str, Any], step: str | int) -> Iterator[Any]:
    if isinstance(step, str):
        yield node.get("properties", {}).get(step, node.get("additionalProperties"))
        return
    prefix = node.get("prefixItems", ())
    yield prefix[step] if 0 <= step < len(prefix) else node.get("items")
