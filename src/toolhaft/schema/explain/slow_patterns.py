"""Patterns that go back in texts, matched within what a walk may spend on all of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from toolhaft.schema.engine import is_linear, matcher
from toolhaft.schema.explain.node import NodeIssue
from toolhaft.schema.explain.wording import cut
from toolhaft.spec import Issue, Path

if TYPE_CHECKING:
    from toolhaft.schema.explain.node import Node, Walk

__all__ = ["MatchText", "match_text"]

# Whether a text matches: (run, text, path, required).
MatchText: TypeAlias = "Callable[[Walk, str, Path, bool], bool]"


def match_text(node: Node, pattern: str) -> MatchText:
    """The test of a pattern on a text or a key; a walk ends where it would take too long."""
    fits = matcher(pattern)
    if is_linear(pattern):
        return lambda _, text, __, ___: fits(text)
    message = f"takes too long to match against {cut(pattern)}; send less text"

    def matches(run: Walk, text: str, path: Path, required: bool) -> bool:
        is_match = run.matches(pattern, text)
        if is_match is None:
            issue = Issue(message, path, "format", facts={"pattern": pattern})
            run.give_up(NodeIssue(issue, node.schema, required))
        return is_match

    return matches
