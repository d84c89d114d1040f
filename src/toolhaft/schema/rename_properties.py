"""A schema of arguments under other names: for a tool that is derived from another.

Names are changed wherever a keyword says something of the arguments themselves, in branches too.
What is always filled in is not asked for any more.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, Final

from toolhaft.schema.marks import MARK

__all__ = ["Unreadable", "rename_properties"]

BRANCHES: Final = ("allOf", "anyOf", "oneOf")
CONDITIONS: Final = ("not", "if", "then", "else")
COUNTS: Final = ("minProperties", "maxProperties")
# Keywords of the arguments themselves that go by names in a way that cannot be followed.
CLOSED: Final = ("$ref", "$dynamicRef", "patternProperties", "propertyNames", "dependencies")


class Unreadable(Exception):
    """A keyword stands in the way of other names."""

    def __init__(self, keyword: str) -> None:
        super().__init__(keyword)
        self.keyword = keyword


def rename_properties(
    node: Any, names: Mapping[str, str], hidden: Collection[str], filled: Collection[str]
) -> Any:
    """Write an object's schema with properties renamed, hidden, or filled in where absent.

    Raises:
        Unreadable: A keyword goes by names in a way that cannot be followed.

    >>> schema = {"properties": {"q": {}, "key": {}}, "required": ["q", "key"]}
    >>> rename_properties(schema, {"q": "query"}, {"key"}, set())
    {'properties': {'query': {}}, 'required': ['query']}
    """
    return _Renaming(names, hidden, filled).rename(node)


class _Renaming:
    """The new names of properties, those that are hidden, and those that are filled in."""

    def __init__(
        self, names: Mapping[str, str], hidden: Collection[str], filled: Collection[str]
    ) -> None:
        self.names = names
        self.hidden = hidden
        self.filled = filled
        self.rules: dict[str, Callable[[Any], Any]] = {
            **dict.fromkeys(BRANCHES, lambda branches: list(map(self.rename, branches))),
            **dict.fromkeys(CONDITIONS, self.rename),
            **dict.fromkeys(COUNTS, lambda count: max(count - len(hidden), 0)),
            "required": self.rename_required,
            "properties": self.rename_keys,
            MARK: self.rename_marks,
            "dependentRequired": lambda by_name: self.rename_each(by_name, self.rename_required),
            "dependentSchemas": lambda by_name: self.rename_each(by_name, self.rename),
        }

    def rename(self, node: Any) -> Any:
        if not isinstance(node, dict):
            return node
        keyword = next((keyword for keyword in CLOSED if keyword in node), None)
        if keyword is not None and (self.names or self.hidden):
            raise Unreadable(keyword)
        rules = self.rules
        return {
            word: rules[word](value) if word in rules else value for word, value in node.items()
        }

    def rename_required(self, required: list[str]) -> list[str]:
        visible = (n for n in required if n not in self.hidden and n not in self.filled)
        return [self.names.get(name, name) for name in visible]

    def rename_keys(self, members: Mapping[str, Any]) -> dict[str, Any]:
        visible = ((name, value) for name, value in members.items() if name not in self.hidden)
        return {self.names.get(name, name): value for name, value in visible}

    def rename_each(
        self, members: Mapping[str, Any], rename: Callable[[Any], Any]
    ) -> dict[str, Any]:
        return {name: rename(value) for name, value in self.rename_keys(members).items()}

    def rename_marks(self, facts: dict[str, Any]) -> dict[str, Any]:
        """Write the other names of keys by the names that those have now."""
        others: dict[str, Any] = facts.get("other_names", {})
        renamed = {
            name: None if key in self.hidden else self.names.get(key, key)
            for name, key in others.items()
            if name not in self.names.values()
        }
        return {**facts, "other_names": renamed} if others else facts
