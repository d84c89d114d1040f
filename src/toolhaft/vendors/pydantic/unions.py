"""Rules for unions: which branch pydantic would take, where decoded data no longer say it.

pydantic weighs how exactly each branch fits. In JSON mode text is an exact UUID and an object an
exact model; behind a guard they fit less exactly. Where that could change the choice, the whole
type is read in JSON mode.
"""

from __future__ import annotations

from typing import Final

from toolhaft.vendors.pydantic.scalars import scalar_kind
from toolhaft.vendors.pydantic.walk import NeedsJson, Node, Rule, Walk, numbered

__all__ = ["RULES"]


def _tagged(walk: Walk, node: Node) -> Node:
    choices = {tag: walk(choice) for tag, choice in node["choices"].items()}
    return {**node, "choices": choices, "strict": False}


def _union(walk: Walk, node: Node) -> Node:
    found = [one[0] if isinstance(one, tuple) else one for one in node["choices"]]
    if walk.route == "python" and node.get("mode", "smart") == "smart":
        _tell_apart(walk, found)
    return {**node, "choices": numbered(map(walk, found)), "strict": False}


def _tell_apart(walk: Walk, choices: list[Node]) -> None:
    forms = [_forms(walk, choice) for choice in choices]
    for place, (kinds, rewritten) in enumerate(forms):
        others = {kind for at, (one, _) in enumerate(forms) if at != place for kind in one}
        if rewritten and kinds & others:
            raise NeedsJson


def _forms(walk: Walk, node: Node) -> tuple[frozenset[str], bool]:
    """Give the JSON types that a node may accept, and whether its exactness is lost."""
    kind = node["type"]
    if kind in _FORMS:
        return _FORMS[kind]
    if kind == "literal":
        kinds = {type(value) for value in node["expected"]}
        return _named(kinds), kinds != {str}
    if kind == "enum":
        return _named({scalar_kind(member.value) for member in node["members"]}), True
    if kind == "definition-ref":
        return _FORMS.get(walk.definitions[node["schema_ref"]]["type"], _ANYTHING)
    for key in ("schema", "json_schema", "strict_schema"):
        if key in node:
            return _forms(walk, node[key])
    return _ANYTHING


def _named(kinds: set[type]) -> frozenset[str]:
    return frozenset(_NAMES.get(kind, "any") for kind in kinds)


_NAMES: Final[dict[type, str]] = {
    bool: "boolean",
    int: "integer",
    str: "string",
    float: "number",
    type(None): "null",
}
_ANYTHING: Final = (frozenset([*_NAMES.values(), "array", "object"]), True)
_EXACT: Final = {
    "none": "null",
    "bool": "boolean",
    "int": "integer",
    "str": "string",
    "list": "array",
    "generator": "array",
    "model": "object",
    "dataclass": "object",
    "tagged-union": "object",
}
_REWRITTEN: Final = {
    "uuid": "string",
    "url": "string",
    "multi-host-url": "string",
    "complex": "string",
    "bytes": "string",
    "date": "string",
    "datetime": "string",
    "time": "string",
    "timedelta": "string",
    "tuple": "array",
    "set": "array",
    "frozenset": "array",
    "deque": "array",
    "named-tuple": "array",
    # A dict fits more exactly than a model, which JSON mode takes for an exact fit as well.
    "dict": "object",
    "typed-dict": "object",
}
_FORMS: Final[dict[str, tuple[frozenset[str], bool]]] = {
    "float": (frozenset(["integer", "number"]), False),
    **{kind: (frozenset([name]), False) for kind, name in _EXACT.items()},
    **{kind: (frozenset([name]), True) for kind, name in _REWRITTEN.items()},
}
RULES: Final[dict[str, Rule]] = {"union": _union, "tagged-union": _tagged}
