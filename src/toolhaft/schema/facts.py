"""What the nodes of a schema say together, read once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from toolhaft.schema.document.kinds import named_types
from toolhaft.schema.document.references import OTHER_MEANS
from toolhaft.schema.document.walk import nodes_of
from toolhaft.schema.marks import MARK

__all__ = ["Facts", "facts_of", "facts_of_nodes", "patterns_of_node", "whole_bounds"]

# Other keywords of references and their targets, and words that the current draft lacks.
OLD: Final = frozenset({
    *OTHER_MEANS, "$anchor", "$id", "additionalItems", "definitions", "dependencies", "id",
    "nullable",
})  # fmt: skip
BOUNDS: Final = frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"})
PATTERNS: Final = frozenset({"pattern", "patternProperties"})


class Facts(NamedTuple):
    """The keywords of all nodes, the marks, the references, and what else they name.

    `types` are the JSON types that each node names by itself. `ignores_keys` is whether an object
    ignores undeclared keys, `is_current` whether no node is written in older words, whatever it
    refers to, and `has_whole_bounds` whether some node has a bound such as 1.0.
    """

    words: frozenset[str]
    marks: frozenset[str]
    types: frozenset[tuple[str, ...]]
    refs: tuple[Any, ...]
    patterns: frozenset[str]
    ignores_keys: bool
    is_current: bool
    has_whole_bounds: bool


def facts_of(schema: Any) -> Facts:
    """Read the facts of a schema in one walk.

    >>> facts = facts_of({"items": {"type": "integer", "pattern": "^a"}})
    >>> sorted(facts.words), facts.patterns
    (['items', 'pattern', 'type'], frozenset({'^a'}))
    """
    return facts_of_nodes(nodes_of(schema))


def facts_of_nodes(nodes: Sequence[Any]) -> Facts:
    """Read the facts of a schema from its nodes."""
    objects = [node for node in nodes if isinstance(node, dict)]
    words = frozenset[str]().union(*objects)
    marks = [node[MARK] for node in objects if MARK in node] if MARK in words else []
    patterned = [] if PATTERNS.isdisjoint(words) else objects
    bounded = [] if BOUNDS.isdisjoint(words) else objects
    return Facts(
        words,
        frozenset[str]().union(*marks),
        frozenset(map(named_types, objects)),
        tuple([node["$ref"] for node in objects if "$ref" in node]) if "$ref" in words else (),
        frozenset([pattern for node in patterned for pattern in patterns_of_node(node)]),
        any(each.get("extra") == "ignore" for each in marks),
        OLD.isdisjoint(words) and not any(map(_is_old, objects)),
        any(map(whole_bounds, bounded)),
    )


def _is_old(node: dict[str, Any]) -> bool:
    """Whether the value of a word has an older spelling."""
    return (
        type(node.get("items")) is list
        or type(node.get("exclusiveMinimum")) is bool
        or type(node.get("exclusiveMaximum")) is bool
    )


def patterns_of_node(node: Any) -> list[str]:
    """Return the patterns of texts and of keys of a schema itself, without its parts.

    >>> patterns_of_node({"pattern": "^a", "patternProperties": {"^b": {"pattern": "^c"}}})
    ['^a', '^b']
    """
    if not isinstance(node, dict):
        return []
    patterns = [node.get("pattern"), *node.get("patternProperties", ())]
    return [pattern for pattern in patterns if isinstance(pattern, str)]


def whole_bounds(node: Any) -> dict[str, int]:
    """Return 1 for a bound of 1.0: with a float, the engine compares the floats of decimals."""
    if not isinstance(node, dict):
        return {}
    bounds = {word: node[word] for word in BOUNDS if type(node.get(word)) is float}
    return {word: int(bound) for word, bound in bounds.items() if bound.is_integer()}
