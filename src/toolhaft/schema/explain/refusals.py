"""Checks that refuse every value that comes to them, whatever it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from toolhaft.schema.document.kinds import NAMES, Kind
from toolhaft.schema.explain.node import Check
from toolhaft.schema.explain.wording import (
    MAX_FACTS,
    is_shown_whole,
    nearest_of,
    one_of,
    one_of_types,
)
from toolhaft.spec import Code, Issue, Path

if TYPE_CHECKING:
    from toolhaft.schema.explain.node import Walk

__all__ = ["nothing", "refusal", "wrong_constant", "wrong_type"]


def refusal(
    schema: Mapping[str, Any] | bool,
    message: str,
    code: Code = "value",
    expected: str | None = None,
    received: str | None = None,
    **facts: Any,
) -> Check:
    """A check that reports one issue; models repeat themselves, so the last one is kept."""
    from toolhaft.schema.explain.node import NodeIssue

    words = code, expected, received, None, facts
    last = NodeIssue(Issue(message, (), *words), schema, required=True)

    def check(run: Walk, _: Any, path: Path, required: bool) -> None:
        nonlocal last
        node_issue = last
        if node_issue.issue.path != path or node_issue.required is not required:
            last = node_issue = NodeIssue(Issue(message, path, *words), schema, required)
        run.issues.append(node_issue)  # as `Walk.add` does
        if len(run.issues) >= run.limit:
            run.stop()

    return check


def wrong_constant(members: Sequence[Any], schema: Any = None, **more: Any) -> Check:
    """Return the check that rejects a value that is not one of the constants.

    `more` are further facts of the issue.
    """
    schema = {"enum": members} if schema is None else schema
    facts: dict[str, Any] = {"members": list(members[:MAX_FACTS]), "member_count": len(members)}
    facts |= more
    refuse = refusal(schema, one_of(members), "enum", **facts)
    if is_shown_whole(members):
        return refuse

    def check(run: Walk, value: Any, path: Path, required: bool) -> None:
        words = nearest_of(members, value) if run.may_suggest() else None
        if words is None:
            refuse(run, value, path, required)
        else:
            run.report(schema, required, words, path, "enum", **facts)

    return check


def wrong_type(schema: Any, names: Iterable[str], kind: Kind, words: str | None = None) -> Check:
    """The refusal of a value of one type where others are expected, in other words if given."""
    expected, received = one_of_types(names), NAMES[kind]
    words = words or f"expected {expected}, received {received}"
    return refusal(schema, words, "type", expected, received)


def nothing(run: Walk, _: Any, path: Path, required: bool) -> None:
    """The check of the schema `false`."""
    if path and isinstance(path[-1], str):
        run.report(False, required, "unknown", path, "extra")
    else:
        run.report(False, required, "expected no value", path)
