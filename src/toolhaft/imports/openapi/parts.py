"""Find all schemas that describe one value, through references and combining keywords."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Mapping
from typing import Any, Final

from toolhaft.imports.openapi.document import Document, Refused, as_object

__all__ = ["Marks", "alternatives_of", "conditions_of", "holders_of", "parts_of"]

LISTS: Final = ("anyOf", "oneOf")
SINGLES: Final = ("if", "then", "else")
MAPS: Final = ("dependentSchemas", "dependencies")
# The most properties with a mark of one object and of all schemas that it combines.
MAX_NAMES: Final = 1_000
REFERENCES: Final = ("$ref", "$dynamicRef")
COMBINING: Final = frozenset({*REFERENCES, "allOf", *LISTS, *SINGLES, *MAPS})


def parts_of(
    document: Document,
    schemas: Iterable[Any],
    *,
    in_any_case: bool,
    known: Container[int] = (),
) -> list[Mapping[str, Any]]:
    """Return schemas with all that they refer to or combine, transitively.

    `in_any_case` adds schemas that apply to some values only, such as `anyOf`'s. Schemas behind the
    ones whose `id` is `known` are left out.

    Raises:
        Refused: A reference cannot be followed.
    """
    parts: dict[int, Mapping[str, Any]] = {}
    queue = list(schemas)
    for node in queue:  # which grows meanwhile
        if not isinstance(node, Mapping) or id(node) in parts:
            continue
        parts[id(node)] = node
        if COMBINING.isdisjoint(node) or id(node) in known:
            continue
        queue += _unconditional(document, node)
        if in_any_case:
            queue += (*alternatives_of(node), *conditions_of(node))
    return list(parts.values())


class Marks:
    """Which schemas of a document have a mark such as `readOnly`, themselves or by combination.

    The whole document is searched once, from the marks backwards, because many schemas need it.
    """

    def __init__(self, document: Document, word: str) -> None:
        self.document, self.word = document, word
        self._marked = _add_users(document, document.places_of(word), _known_parts)
        self._names: dict[int, tuple[Any, frozenset[str]]] = {}

    def has(self, node: Any) -> bool:
        """Return whether a schema has the mark: it is marked in the document, or marked itself."""
        is_marked = isinstance(node, Mapping) and node.get(self.word) is True
        return is_marked or id(node) in self._marked

    def names(self, node: Any) -> frozenset[str]:
        """Return the properties with the mark that any schema of an object has.

        Raises:
            Refused: A reference cannot be followed.
        """
        if not self._marked:
            return frozenset()
        if id(node) not in self._names:
            # The furthest first, so the parts of each are known when it needs them.
            parts = parts_of(self.document, [node], in_any_case=True, known=self._names)
            for part in (*reversed(parts), node):
                if id(part) not in self._names:
                    self._names[id(part)] = part, self._gather_names(part)
        return self._names[id(node)][1]

    def _gather_names(self, node: Any) -> frozenset[str]:
        known = self._names
        parts = parts_of(self.document, [node], in_any_case=True, known=known)
        names = (known[id(part)][1] if id(part) in known else self._own(part) for part in parts)
        gathered = frozenset[str]().union(*names)
        if len(gathered) > MAX_NAMES:
            reason = f"more than {MAX_NAMES} properties of one object that are {self.word}"
            raise Refused("schema", reason, "split the object")
        return gathered

    def _own(self, part: Mapping[str, Any]) -> frozenset[str]:
        properties = as_object(part.get("properties"))
        return frozenset(name for name, sub in properties.items() if self.has(sub))


def holders_of(document: Document, word: str) -> set[int]:
    """Return the `id` of each object and list with a mark anywhere inside or behind a reference."""
    return _add_users(document, document.places_of(word), _known_contents)


def _add_users(
    document: Document, places: set[int], used_by: Callable[[Document, Any], Iterable[Any]]
) -> set[int]:
    """Add all that uses one of these places, transitively."""
    users: defaultdict[int, list[int]] = defaultdict(list)
    for node in document.containers if places else ():
        for used in used_by(document, node):
            users[id(used)].append(id(node))
    queue = list(places)
    for place in queue:  # which grows meanwhile
        unknown = {user for user in users.get(place, ()) if user not in places}
        places |= unknown
        queue += unknown
    return places


def _known_parts(document: Document, node: Any) -> list[Any]:
    """Return the schemas that one combines; the target of a reference only if it exists."""
    if not isinstance(node, Mapping) or COMBINING.isdisjoint(node):
        return []
    combined = [*_list_at(node, "allOf"), *alternatives_of(node), *conditions_of(node)]
    return [*_known_target(document, node), *combined]


def _known_contents(document: Document, node: Any) -> list[Any]:
    if isinstance(node, Mapping):
        return [*_known_target(document, node), *node.values()]
    return list(node)


def _known_target(document: Document, node: Mapping[str, Any]) -> list[Any]:
    try:
        return _targets(document, node)
    except Refused:
        return []


def _unconditional(document: Document, node: Mapping[str, Any]) -> list[Any]:
    return [*_targets(document, node), *_list_at(node, "allOf")]


def _targets(document: Document, node: Mapping[str, Any]) -> list[Any]:
    """Return the targets of references; a dynamic reference by name is rejected as unknown."""
    return [document.target(node[word], "schema") for word in REFERENCES if word in node]


def alternatives_of(node: Mapping[str, Any]) -> list[Any]:
    """Return the schemas of which a value fits at least one."""
    return [sub for word in LISTS for sub in _list_at(node, word)]


def conditions_of(node: Mapping[str, Any]) -> list[Any]:
    """Return the schemas that apply on a condition."""
    mapped = [sub for word in MAPS for sub in as_object(node.get(word)).values()]
    return [*(node.get(word) for word in SINGLES), *mapped]


def _list_at(node: Mapping[str, Any], word: str) -> list[Any]:
    value = node.get(word)
    return value if isinstance(value, list) else []
