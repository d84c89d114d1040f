"""The forms that a value may have by a schema: unions are spread, references followed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, product
from typing import Any, Final, NamedTuple, TypeAlias

from toolhaft.schema.document.kinds import names_of
from toolhaft.schema.document.references import extended

__all__ = ["Field", "Form", "fields_of", "further_of", "items_of", "kinds_of", "spread"]

# Nodes that hold together. A node is known by its identity in its document.
Form: TypeAlias = tuple[Any, ...]

OBJECT: Final = frozenset({"properties", "patternProperties", "additionalProperties", "required"})
ARRAY: Final = frozenset({"items", "prefixItems"})
# The keywords that say something about the type by themselves.
OWN: Final = OBJECT | ARRAY | {"type", "const", "enum"}
MOST_FORMS: Final = 32


class Field(NamedTuple):
    """A declared property of an object, and whether it has to be there."""

    key: str
    nodes: Form
    is_required: bool


def spread(root: Any, nodes: Iterable[Any]) -> list[Form]:
    """Return the forms of values that satisfy all nodes of a document.

    >>> spread({}, [{"anyOf": [{"type": "string"}, {"type": "null"}]}])
    [({'type': 'string'},), ({'type': 'null'},)]
    """
    return _combine([_spread(root, node, ()) for node in nodes])


def _spread(root: Any, node: Any, above: tuple[int, ...]) -> list[Form]:
    if not isinstance(node, dict):
        return [()] if node else []
    if id(node) in above:  # a node that refers to itself adds nothing
        return [()]
    above = (*above, id(node))
    unions = [node[keyword] for keyword in ("anyOf", "oneOf") if node.get(keyword)]
    return _combine(
        [
            [() if OWN.isdisjoint(node) else (node,)],
            *(_spread(root, branch, above) for branch in extended(root, node)),
            *([*chain(*(_spread(root, each, above) for each in union))] for union in unions),
        ]
    )


def _combine(parts: list[list[Form]]) -> list[Form]:
    """Combine the forms of nodes that hold together; a union that makes too many is left out."""
    forms: list[Form] = [()]
    for part in parts:
        if len(forms) * len(part) <= MOST_FORMS:
            joined = (left + right for left, right in product(forms, part))
            distinct = (tuple({id(node): node for node in form}.values()) for form in joined)
            forms = list({tuple(map(id, form)): form for form in distinct}.values())
    return forms


def kinds_of(form: Form) -> list[str]:
    """Return the JSON types of a form; without any, the type that its keywords are about.

    >>> kinds_of(({"type": ["number", "string"]}, {"type": "integer"}))
    ['integer']
    """
    named = [kinds for node in form if (kinds := names_of(node))]
    if named:
        mentioned = dict.fromkeys(chain(*named))
        return [kind for kind in mentioned if all(_admits(kinds, kind) for kinds in named)]
    keywords = frozenset(chain(*form))
    if not OBJECT.isdisjoint(keywords):
        return ["object"]
    return ["any" if ARRAY.isdisjoint(keywords) else "array"]


def _admits(kinds: Iterable[str], kind: str) -> bool:
    return kind in kinds or (kind == "integer" and "number" in kinds)


def fields_of(form: Form) -> list[Field]:
    """Return the declared properties of an object, without forbidden ones."""
    declared: dict[str, list[Any]] = {}
    for node in form:
        for key, value in _mapping(node, "properties").items():
            declared.setdefault(key, []).append(value)
    required = dict.fromkeys(chain(*(node.get("required", ()) for node in form)))
    return [
        Field(key, tuple(declared.get(key, ())), key in required)
        for key in {**declared, **required}
        if False not in declared.get(key, ())
    ]


def further_of(form: Form) -> list[Any]:
    """Return the schemas of the values under other keys, if there are any."""
    schemas: Iterator[Any] = chain(
        *(
            (
                node.get("additionalProperties", False),
                *_mapping(node, "patternProperties").values(),
            )
            for node in form
        )
    )
    return [schema for schema in schemas if schema is not False]


def items_of(form: Form) -> tuple[list[Any], bool]:
    """Return the schemas of a list's items, and whether each is that of one place."""
    places = [item for node in form for item in _places(node)]
    items = [node["items"] for node in form if isinstance(node.get("items"), dict)]
    return [*places, *items], bool(places)


def _places(node: Mapping[str, Any]) -> Iterable[Any]:
    """Return the schemas of single places, in the newer and the older spelling."""
    items = node.get("items")
    places: Iterable[Any] = items if isinstance(items, list) else node.get("prefixItems", ())
    return places


def _mapping(node: Mapping[str, Any], keyword: str) -> Mapping[str, Any]:
    value = node.get(keyword)
    return value if isinstance(value, dict) else {}
