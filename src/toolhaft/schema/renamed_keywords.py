"""Rename the keywords of an object that refer to properties by name.

A hidden property is always present, so no keyword requires it any more.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, Final

from toolhaft.schema.marks import MARK

__all__ = ["Unreadable", "rename_keywords"]

COUNTS: Final = ("minProperties", "maxProperties")
# Keywords that go by names in a way that cannot be followed.
CLOSED: Final = ("$dynamicRef", "patternProperties", "propertyNames", "dependencies")


class Unreadable(Exception):
    """A keyword stands in the way of other names."""

    def __init__(self, keyword: str) -> None:
        super().__init__(keyword)
        self.keyword = keyword


def rename_keywords(
    node: dict[str, Any],
    names: Mapping[str, str],
    hidden: Collection[str],
    filled: Collection[str] = (),
) -> dict[str, Any]:
    """Write an object's schema with properties renamed, hidden, or filled in where absent.

    Raises:
        Unreadable: A keyword goes by names in a way that cannot be followed.

    >>> schema = {"properties": {"q": {}, "key": {}}, "required": ["q", "key"]}
    >>> rename_keywords(schema, {"q": "query"}, {"key"})
    {'properties': {'query': {}}, 'required': ['query']}
    """
    if not (names or hidden or filled):
        return node
    keyword = next((keyword for keyword in CLOSED if keyword in node), None)
    if keyword is not None and (names or hidden):
        raise Unreadable(keyword)
    return _Renaming(names, hidden, filled).rename(_with_conditions_met(node, hidden))


def _with_conditions_met(node: dict[str, Any], hidden: Collection[str]) -> dict[str, Any]:
    """Ask at once for what depends on a property that is always there."""
    dependent: Mapping[str, Any] = node.get("dependentRequired", {})
    asked = [name for key, names in dependent.items() if key in hidden for name in names]
    if asked:
        node = {**node, "required": [*dict.fromkeys([*node.get("required", ()), *asked])]}
    schemas = [sub for key, sub in node.get("dependentSchemas", {}).items() if key in hidden]
    return {**node, "allOf": [*node.get("allOf", ()), *schemas]} if schemas else node


class _Renaming:
    """The new names of properties, the hidden ones, and the ones that are filled in."""

    def __init__(
        self, names: Mapping[str, str], hidden: Collection[str], filled: Collection[str]
    ) -> None:
        self.names, self.hidden, self.filled = names, hidden, filled
        self.rules: dict[str, Callable[[Any], Any]] = {
            **dict.fromkeys(COUNTS, lambda count: max(count - len(hidden), 0)),
            "required": self.rename_required,
            "properties": self.rename_keys,
            "dependentSchemas": self.rename_keys,
            "dependentRequired": self.rename_dependents,
            MARK: self.rename_marks,
        }

    def rename(self, node: dict[str, Any]) -> dict[str, Any]:
        return {
            word: self.rules[word](value) if word in self.rules else value
            for word, value in node.items()
        }

    def rename_required(self, required: list[str]) -> list[str]:
        visible = (n for n in required if n not in self.hidden and n not in self.filled)
        return [self.names.get(name, name) for name in visible]

    def rename_keys(self, members: Mapping[str, Any]) -> dict[str, Any]:
        visible = ((name, value) for name, value in members.items() if name not in self.hidden)
        return {self.names.get(name, name): value for name, value in visible}

    def rename_dependents(self, members: Mapping[str, Any]) -> dict[str, Any]:
        renamed = self.rename_keys(members)
        return {name: self.rename_required(required) for name, required in renamed.items()}

    def rename_marks(self, facts: dict[str, Any]) -> dict[str, Any]:
        """Write other names of keys by the names that those have now; they may not be sent."""
        known: dict[str, Any] = facts.get("other_names", {})
        renamed = {
            name: None if key in self.hidden else self.names.get(key, key)
            for name, key in known.items()
            if name not in self.names.values()
        }
        return {**facts, "other_names": renamed} if known else facts
