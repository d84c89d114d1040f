"""The schemas that a target accepts, as data: rules, each with its evidence.

A dialect is a list of rules. A rule about a keyword has whether the target takes it: always
(`True`), never (`False`), or for some values (a collection, a range or a test). A rule about a
trait, whose name contains a space, describes how the target treats a shape that has no keyword of
its own. The same rules drive the linter and the lowering, so the two cannot drift apart.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal, NamedTuple, TypeAlias

__all__ = [
    "BASIC_KEYWORDS",
    "COMBINATORS",
    "DRAFT_07",
    "DRAFT_2020_12",
    "NO_LOOKAROUND",
    "Dialect",
    "Evidence",
    "Rule",
    "rules",
]

COMBINATORS = ("anyOf", "oneOf", "allOf", "enum", "not")
DRAFT_2020_12 = "https://json-schema.org/draft/2020-12/schema"
DRAFT_07 = "http://json-schema.org/draft-07/schema#"

Evidence: TypeAlias = Literal["documented", "types", "observed", "guess"]
Takes: TypeAlias = bool | int | str | Collection[Any] | Callable[[Any], bool]

# The keywords that every dialect with a list of keywords takes; each dialect adds its evidence.
BASIC_KEYWORDS: Final[Mapping[str, Takes]] = dict.fromkeys(
    ("type", "properties", "required", "items", "anyOf", "enum", "description"), True
)


class Rule(NamedTuple):
    """A target's answer to one keyword or trait, with the source of that fact and its date.

    `evidence`: `documented` by the provider, in the `types` of its SDK, `observed` in an error that
    a user quoted, or a `guess` on the careful side.
    """

    keyword: str
    takes: Takes
    evidence: Evidence
    date: str
    source: str


def rules(evidence: Evidence, date: str, source: str, takes: dict[str, Takes]) -> tuple[Rule, ...]:
    """Several rules with one origin."""
    return tuple(Rule(keyword, value, evidence, date, source) for keyword, value in takes.items())


def NO_LOOKAROUND(pattern: Any) -> bool:  # noqa: N802 - a constant test, written into data files
    """Whether a pattern has no lookaround, back-reference or word boundary."""
    return isinstance(pattern, str) and re.search(r"\(\?[=!<]|\\[1-9bBk]", pattern) is None


# How a target that has no rule for a trait is treated: as plain JSON Schema 2020-12.
_DEFAULTS: dict[str, Takes] = {
    "root object": False,
    "refused at the root": (),
    "required parameter": False,
    "closed objects": False,
    "declared required": False,
    "all required": False,
    "typed nodes": False,
    "array items": False,
    "boolean schemas": True,
    "type list": True,
    "type null": True,
    "enum members": ("string", "number", "boolean", "null", "array", "object"),
    "property key": "",
    "root property key": "",
    "tuple form": "prefixItems",
    "definitions place": "$defs",
    "reference siblings": True,
    "union siblings": True,
    "recursive references": True,
    "exclusive limits": "number",
    "any value": "empty",
    "other keywords": True,
}


@dataclass(frozen=True)
class Dialect:
    """The rules of one target in one mode, and the limits that it sets.

    `limits` apply to one schema, `request` to a whole request: its names, how many tools it may
    have, and what may be strict.
    """

    target: str
    strict: bool
    rules: tuple[Rule, ...]
    limits: tuple[Rule, ...] = ()
    request: tuple[Rule, ...] = ()

    @cached_property
    def _takes(self) -> dict[str, Takes]:
        return _DEFAULTS | {rule.keyword: rule.takes for rule in self.rules}

    def trait(self, name: str) -> Any:
        """Return the value of the rule about a shape; the default is plain JSON Schema's."""
        return self._takes[name]

    def takes(self, keyword: str, value: Any) -> bool:
        """Whether the keyword with this value may be sent."""
        rule = None if " " in keyword else self._takes.get(keyword)
        if rule is None:
            rule = self._takes["other keywords"]
        if callable(rule):
            return rule(value)
        if isinstance(rule, bool | int | str):
            return rule is True
        return not isinstance(value, dict | list) and value in rule

    def limit(self, name: str) -> int | None:
        """Return a limit of the target, or None if it has none."""
        rules = (*self.limits, *self.request)
        most = next((rule.takes for rule in rules if rule.keyword == name), None)
        return most if isinstance(most, int) else None

    def request_text(self, name: str, otherwise: str) -> str:
        """Return the text value of a rule of the request, or `otherwise` if it has no such rule."""
        value = next((rule.takes for rule in self.request if rule.keyword == name), otherwise)
        return value if isinstance(value, str) else otherwise
