"""Checks that refuse every value that comes to them, whatever it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from toolhaft.schema.document.kinds import NAMES, Kind
from toolhaft.schema.explain.node import Check
from toolhaft.schema.explain.wording import one_of, one_of_types
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
) -> Check:
    """A check that reports one issue; models repeat themselves, so the last one is kept."""
    from toolhaft.schema.explain.node import NodeIssue

    last = NodeIssue(Issue(message, (), code, expected, received), schema, required=True)

    def check(run: Walk, _: Any, path: Path, required: bool) -> None:
        nonlocal last
        node_issue = last
        if node_issue.issue.path != path or node_issue.required is not required:
            issue = Issue(message, path, code, expected, received)
            last = node_issue = NodeIssue(issue, schema, required)
        run.add(node_issue)

    return check


def wrong_constant(members: Sequence[Any]) -> Check:
    """The refusal of a value that is none of the constants, whatever they stand in."""
    return refusal({"enum": members}, one_of(members), "enum")


def wrong_type(schema: Any, names: Iterable[str], kind: Kind) -> Check:
    """The refusal of a value of one type where others are expected."""
    expected, received = one_of_types(names), NAMES[kind]
    return refusal(schema, f"expected {expected}, received {received}", "type", expected, received)


def nothing(run: Walk, _: Any, path: Path, required: bool) -> None:
    """The check of the schema `false`."""
    if path and isinstance(path[-1], str):
        run.report(False, required, "unknown", path, "extra")
    else:
        run.report(False, required, "expected no value", path)
