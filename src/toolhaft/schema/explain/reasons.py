"""Why a part of a schema applies: `because env is "production"`, in the schema's own words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from toolhaft.schema.document.kinds import constants_of
from toolhaft.schema.explain.node import Check
from toolhaft.schema.explain.wording import any_of, quote
from toolhaft.schema.issues import reword_issue, with_facts
from toolhaft.spec import Path

if TYPE_CHECKING:
    from toolhaft.schema.explain.node import Walk

__all__ = ["because", "reason_of"]

# More than these are not worth the room.
MAX_CONDITIONS = 2
MAX_MEMBERS = 3


def reason_of(condition: Any, *, holds: bool = True) -> str | None:
    """Describe a condition's demand on an object, or its lack; None if it is too complex.

    >>> reason_of({"properties": {"env": {"const": "production"}}, "required": ["env"]})
    'env is "production"'
    >>> reason_of({"required": ["cluster"]}, holds=False)
    'cluster is not given'
    """
    if not isinstance(condition, dict):
        return None
    properties = condition.get("properties", {})
    demanded = [name for name in condition.get("required", ()) if name not in properties]
    parts = [_Part(name, "given") for name in demanded]
    for name, sub in properties.items():
        members = constants_of(sub)
        if not members or len(members) > MAX_MEMBERS:
            return None
        parts.append(_Part(name, any_of(list(map(quote, members)))))
    if not parts or len(parts) > (MAX_CONDITIONS if holds else 1):
        return None
    return " and ".join(part.words(holds=holds) for part in parts)


@dataclass(frozen=True, slots=True)
class _Part:
    """A key, and what a condition says that it is."""

    name: str
    state: str

    def words(self, *, holds: bool) -> str:
        return f"{self.name} is {'' if holds else 'not '}{self.state}"


def because(check: Check, reason: str | None) -> Check:
    """The check with the reason in the words of each issue."""
    if reason is None:
        return check

    def explained(run: Walk, value: Any, path: Path, required: bool) -> None:
        issues, start = run.issues, len(run.issues)
        try:
            check(run, value, path, required)
        finally:
            for place, node_issue in enumerate(issues[start:], start):
                issue = node_issue.issue
                if "because" not in issue.facts:
                    words = f"{issue.message}, because {reason}"
                    explained = with_facts(reword_issue(issue, words), because=reason)
                    issues[place] = node_issue._replace(issue=explained)

    return explained
