"""Find all errors of a value, with exact paths: our own bounded walk over a schema.

An engine gives the verdict; this module finds the changes that a model has to make. The schema is
in 2020-12 terms. Each node is compiled at first use to the list of checks for each JSON type, so a
value of the right type costs next to nothing. Data never makes it raise: if the steps run out, it
stops with the issues found so far.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

from toolhaft.schema.document.kinds import SETTLED, Kind, kind_of
from toolhaft.schema.document.places import PlaceIndex
from toolhaft.schema.document.references import followed
from toolhaft.schema.explain.keywords import is_alias, kind_check
from toolhaft.schema.explain.kind_checks import refused
from toolhaft.schema.explain.leaves import visits_once
from toolhaft.schema.explain.node import KindCheck, Node, NodeIssue, StopWalk, Walk
from toolhaft.schema.normalise import normalise
from toolhaft.spec import Issue, Path

__all__ = ["Explainer", "explain"]

MAX_ALIASES = 100


class Explainer:
    """A normalised schema, compiled as far as values have needed it."""

    def __init__(self, root: Any) -> None:
        self.root = root
        self._nodes: dict[int, Node] = {}
        self._places: dict[int, PlaceIndex] = {}

    def __del__(self) -> None:
        # The checks of a node hold it, and nodes that recur hold each other.
        for node in self._nodes.values():
            node.clear()

    def node(self, schema: Any) -> Node:
        """The compiled node of a part of the root, or of what that part only refers to."""
        known = self._nodes.get(id(schema))
        if known is None:
            target = self._followed(schema)
            known = self._nodes.setdefault(id(target), Node(target, self))
            self._nodes[id(schema)] = known
        return known

    def kind_check(self, node: Node, kind: Kind) -> KindCheck:
        """Return the check of a node for values of one type."""
        return kind_check(node, kind)

    def places(self, schema: Any) -> PlaceIndex:
        """The schemas for each place in data of a part of the root."""
        index = self._places.get(id(schema))
        if index is None:
            index = self._places.setdefault(id(schema), PlaceIndex(self.root, schema))
        return index

    @property
    def visits_once(self) -> bool:
        """Whether a walk comes to each object and array at most once."""
        return self._visits_once

    @cached_property
    def _whole(self) -> Node:
        return self.node(self.root)

    @cached_property
    def _visits_once(self) -> bool:
        return visits_once(self.root)

    def _followed(self, schema: Any) -> Any:
        for _ in range(MAX_ALIASES):
            if not is_alias(schema):
                break
            schema = followed(self.root, schema)
        return schema

    def accepts(self, value: Any, schema: Any) -> bool:
        """Whether a part of the root accepts a value."""
        node = self._nodes.get(id(schema)) or self.node(schema)
        kind = type(value)
        fits = node[kind if kind in SETTLED else kind_of(value)].fits
        if fits is None or fits(value):
            return True
        return fits is not refused and not self.node_issues(value, limit=1, schema=schema)

    def backtracks_on(self, data: Any) -> int | None:
        """How often a pattern may have gone back in one text; None if a walk refuses the data."""
        run = Walk(1)
        try:
            self._whole.check(run, data, (), required=True)
        except (StopWalk, RecursionError, ValueError):
            return None
        return None if run.issues else run.backtracks

    def node_issues(self, data: Any, *, limit: int = 64, schema: Any = None) -> list[NodeIssue]:
        """Return the errors of the data, at most `limit`; `schema` is a part of the root."""
        run = Walk(limit)
        try:
            node = self._whole if schema is None else self.node(schema)
            if type(data) is dict:  # most data are refused arguments
                node[dict].explain(run, data, (), True)
            else:
                node.check(run, data, (), required=True)
        except (StopWalk, RecursionError):
            pass
        except ValueError:  # the engine's, of text with a lone surrogate
            if not run.issues:
                issue = Issue("expected JSON data", (), "type")
                return [NodeIssue(issue, self.root, required=True)]
        issues = run.issues if run.last is None else [*run.issues, run.last]
        return issues if len(issues) <= 1 else _once(issues)


def _once(findings: list[NodeIssue]) -> list[NodeIssue]:
    """Return the findings without repeats by another node of the same value."""
    if len({finding.issue.path for finding in findings}) == len(findings):  # as nearly always
        return findings
    first: dict[tuple[Path, str], NodeIssue] = {}
    for finding in findings:
        issue = finding.issue
        first.setdefault((issue.path, issue.message), finding)
    return list(first.values())


def explain(schema: Any, data: Any, *, limit: int = 64, root: Any = None) -> list[NodeIssue]:
    """Return the errors of plain JSON data, at most `limit` findings.

    Each call compiles what it needs of the schema anew; a `Checker` keeps it.

    If `schema` is a part of a document, `root` is that document, for its references; both are then
    in 2020-12 terms already.

    Raises:
        SchemaRefused: The schema is faulty; see `limits.faults_of`.

    >>> [found] = explain({"properties": {"n": {"minimum": 1}}}, {"n": 0})
    >>> str(found.issue)
    'n: expected at least 1'
    """
    if root is None:
        return Explainer(normalise(schema)).node_issues(data, limit=limit)
    return Explainer(root).node_issues(data, limit=limit, schema=schema)
