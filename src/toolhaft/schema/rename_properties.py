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
    if not isinstance(node, dict):
        return node
    keyword = next((keyword for keyword in CLOSED if keyword in node), None)
    if keyword is not None and (names or hidden):
        raise Unreadable(keyword)

    def rename(schema: Any) -> Any:
        return rename_properties(schema, names, hidden, filled)

    def rename_required(required: list[str]) -> list[str]:
        visible = (name for name in required if name not in hidden and name not in filled)
        return [names.get(name, name) for name in visible]

    def rename_members(members: dict[str, Any]) -> dict[str, Any]:
        visible = {name: one for name, one in members.items() if name not in hidden}
        return {names.get(name, name): one for name, one in visible.items()}

    def facts_of(facts: dict[str, Any]) -> dict[str, Any]:
        """Write the other names of keys by the names that those have now."""
        others: dict[str, Any] = facts.get("other_names", {})
        renamed = {
            name: None if key in hidden else names.get(key, key)
            for name, key in others.items()
            if name not in names.values()
        }
        return {**facts, "other_names": renamed} if others else facts

    rules: dict[str, Callable[[Any], Any]] = {
        **dict.fromkeys(BRANCHES, lambda branches: list(map(rename, branches))),
        **dict.fromkeys(CONDITIONS, rename),
        **dict.fromkeys(COUNTS, lambda count: max(count - len(hidden), 0)),
        "required": rename_required,
        "properties": rename_members,
        MARK: facts_of,
        "dependentRequired": lambda by_name: {
            n: rename_required(one) for n, one in rename_members(by_name).items()
        },
        "dependentSchemas": lambda by_name: {
            n: rename(one) for n, one in rename_members(by_name).items()
        },
    }
    return {word: rules[word](value) if word in rules else value for word, value in node.items()}
