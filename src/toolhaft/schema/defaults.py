"""The defaults that a schema declares, filled into data: what a validator goes on to take."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any, Final

from toolhaft.schema import refs

__all__ = ["filled"]

MOST_REFERENCES: Final = 32
ANYTHING: Final[Mapping[str, Any]] = {}


def filled(root: Any, data: Any) -> Any:
    """Give data with the default of each absent property, in objects and lists within it too.

    What stands under a union is left as it is: which branch is meant is the validator's to say.

    >>> inner = {"properties": {"unit": {"default": "C"}}}
    >>> filled({"properties": {"at": inner, "days": {"default": 3}}}, {"at": {}})
    {'at': {'unit': 'C'}, 'days': 3}
    """
    return _filled(root, root, data)


def _filled(root: Any, node: Any, data: Any) -> Any:
    node = _resolved(root, node)
    if isinstance(data, dict):
        declared = node.get("properties", ANYTHING)
        made = {key: _filled(root, declared.get(key), value) for key, value in data.items()}
        for key, one in declared.items():
            if key not in made and isinstance(one, Mapping) and "default" in one:
                made[key] = deepcopy(one["default"])
        return made
    if isinstance(data, list):
        return [_filled(root, node.get("items"), item) for item in data]
    return data


def _resolved(root: Any, node: Any) -> Mapping[str, Any]:
    for _ in range(MOST_REFERENCES):
        if not isinstance(node, Mapping):
            return ANYTHING
        if not isinstance(node.get("$ref"), str):
            return node
        node = refs.resolve(root, node["$ref"])
    return ANYTHING
