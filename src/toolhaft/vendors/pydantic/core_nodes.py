"""Every node of a pydantic core schema, with the place in the data that it is about."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from typing import Any, Final

from toolhaft.spec import Path

__all__ = ["core_nodes"]

# Where a node keeps nodes that the data reach by no step.
SAME_PLACE: Final = ("schema", "steps", "choices", "json_schema", "strict_schema", "definitions")
ITEMS: Final = ("items_schema", "values_schema", "keys_schema", "extras_schema")


def core_nodes(
    node: Mapping[str, Any], path: Path = (), *, closed: Container[str] = ()
) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    """Yield every node with its path, itself first; an item of a container is at `*`.

    Nodes of the types in `closed` are yielded without the nodes inside them.
    """
    yield path, node
    for inner, steps in () if node.get("type", "") in closed else _inner_nodes(node):
        yield from core_nodes(inner, (*path, *steps), closed=closed)


def _inner_nodes(node: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], Path]]:
    fields = node.get("fields", ())
    named_fields = (
        fields.items() if isinstance(fields, Mapping) else ((f["name"], f) for f in fields)
    )
    if node.get("type") in ("model-fields", "dataclass-args", "typed-dict"):
        yield from ((field["schema"], (_key(name, field),)) for name, field in named_fields)
    elif node.get("type") == "named-tuple":  # an array in JSON
        yield from ((field["schema"], (at,)) for at, (_, field) in enumerate(named_fields))
    for word in SAME_PLACE:
        yield from ((inner_node, ()) for inner_node in _nodes_under(node.get(word)))
    for word in ITEMS:
        yield from ((inner_node, ("*",)) for inner_node in _nodes_under(node.get(word)))


def _key(name: str, field: Mapping[str, Any]) -> str:
    alias = field.get("validation_alias")
    return alias if isinstance(alias, str) else name


def _nodes_under(value: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the nodes under a key: one, several, or several by name or with a label."""
    items: Iterable[Any] = value if isinstance(value, list) else ()
    if isinstance(value, Mapping):
        items = (value,) if isinstance(value.get("type"), str) else value.values()
    for item in items:
        node = item[0] if isinstance(item, tuple) else item
        if isinstance(node, Mapping):
            yield node
