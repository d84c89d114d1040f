"""Write unions that only require keys as a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["requirement_words"]


def requirement_words(word: str, branches: Sequence[Any]) -> str:
    """Write the sentence for `anyOf: [{required: [a]}, {required: [b]}]`; empty for other unions.

    >>> requirement_words("anyOf", [{"required": ["a"]}, {"required": ["b"]}])
    'give at least one of a, b'
    """
    if not all(isinstance(each, dict) and _only_required(each) for each in branches):
        return ""
    groups = [" and ".join(each["required"]) for each in branches]
    if len(groups) == 1:
        return f"give {groups[0]}"
    many = "at least" if word == "anyOf" else "exactly"
    return f"give {many} one of {', '.join(groups)}"


def _only_required(branch: dict[str, Any]) -> bool:
    required = branch.get("required")
    return isinstance(required, list) and bool(required) and branch.keys() <= {"required", "type"}
