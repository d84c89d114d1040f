"""Unions that only say which keys must be there together, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["requirement_words"]


def requirement_words(word: str, branches: Sequence[Any]) -> str:
    """The sentence for `anyOf: [{required: [a]}, {required: [b]}]`, or nothing for other unions.

    >>> requirement_words("anyOf", [{"required": ["a"]}, {"required": ["b"]}])
    'Provide at least one of: a, b.'
    """
    if not all(isinstance(each, dict) and _only_required(each) for each in branches):
        return ""
    groups = [" and ".join(each["required"]) for each in branches]
    many = "at least" if word == "anyOf" else "exactly"
    return f"Provide {many} one of: {', '.join(groups)}."


def _only_required(branch: dict[str, Any]) -> bool:
    named = branch.get("required")
    return isinstance(named, list) and bool(named) and branch.keys() <= {"required", "type"}
