"""One node of a schema, compiled for each JSON type, and the walk that collects the issues."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn, Protocol, TypeAlias
from weakref import proxy

from toolhaft.schema.document.kinds import Kind, kind_of
from toolhaft.schema.engine import match_counted
from toolhaft.spec import Code, Issue, Path

__all__ = ["Check", "Fits", "KindCheck", "Node", "NodeIssue", "Nodes", "StopWalk", "Walk"]

MAX_STEPS = 100_000  # about 50 ms
MAX_WORK = 200_000_000  # steps of all patterns on all texts, some 300 ms
# Finding a near name costs more than all the rest, and a model reads no more.
MAX_SUGGESTIONS = 10

# Reports the errors of a value: (run, value, path, required). `required` is whether the parent
# demands a value there.
Check: TypeAlias = "Callable[[Walk, Any, Path, bool], None]"
Fits: TypeAlias = Callable[[Any], bool]


class NodeIssue(NamedTuple):
    """An issue, the node that refused the value, and whether the parent demands a value there.

    For a missing or an unknown key the node is the object's. `required` is True at the root and
    for the items of arrays.
    """

    issue: Issue
    node: Mapping[str, Any] | bool
    required: bool


class StopWalk(Exception):
    """Enough findings, or no steps left."""


@dataclass(frozen=True, slots=True)  # its fields are read faster than a named tuple's
class KindCheck:
    """A test of values of one type, and the report on values that fail it.

    `fits` is None if all values are right, `refused` if all are wrong, and `never` if only a walk
    can tell. `tests` is the number of its tests. If a value fails a final check, the others are
    moot.
    """

    fits: Fits | None
    explain: Check
    tests: int = 1
    is_final: bool = False


class Walk:
    """One walk: its findings, and its remaining budgets."""

    __slots__ = ("backtracks", "issues", "last", "limit", "steps", "suggestions", "trials", "work")

    def __init__(self, limit: int) -> None:
        self.issues: list[NodeIssue] = []
        self.limit = limit
        self.steps = MAX_STEPS
        self.work = MAX_WORK
        self.backtracks = 0
        self.last: NodeIssue | None = None
        self.suggestions = MAX_SUGGESTIONS
        self.trials: dict[tuple[int, Path, bool], list[NodeIssue]] = {}

    def report(
        self,
        schema: Mapping[str, Any] | bool,
        required: bool,
        message: str,
        path: Path,
        code: Code = "value",
        expected: str | None = None,
        received: str | None = None,
        **facts: Any,
    ) -> None:
        issue = Issue(message, path, code, expected, received, facts=facts)
        self.add(NodeIssue(issue, schema, required))

    def may_suggest(self) -> bool:
        """Whether a near name may be looked for once more."""
        self.suggestions -= 1
        return self.suggestions >= 0

    def add(self, finding: NodeIssue) -> None:
        self.issues.append(finding)
        if len(self.issues) >= self.limit:
            raise StopWalk

    def extend(self, findings: list[NodeIssue]) -> None:
        for finding in findings:
            self.add(finding)

    def stop(self) -> NoReturn:
        raise StopWalk

    def give_up(self, finding: NodeIssue) -> NoReturn:
        """Report what cannot be found out, and nothing after it."""
        self.last, self.steps = finding, -1
        raise StopWalk

    def matches(self, pattern: str, text: str) -> bool | None:
        """Whether a pattern that goes back matches; None if that is more work than is left."""
        matches, limit, spent = match_counted(pattern, text, self.work)
        self.work -= spent
        self.backtracks = max(self.backtracks, limit)
        return matches

    def trial(self, node: Node, value: Any, path: Path, required: bool = True) -> list[NodeIssue]:
        """Return the issues of a node without reporting them; they are cached."""
        check = node[kind_of(value)]
        self.steps -= 1
        if self.steps < 0:
            raise StopWalk
        if check.fits is None or check.fits(value):
            return []
        key = (id(node), path, required)
        if key not in self.trials:
            outer, self.issues = self.issues, []
            try:
                check.explain(self, value, path, required)
            except StopWalk:
                if self.steps < 0:
                    raise
            finally:
                inner_issues, self.issues = self.issues, outer
            self.trials[key] = inner_issues
        return self.trials[key]


class Nodes(Protocol):
    """The nodes of one schema, each compiled when it is first asked for."""

    @property
    def root(self) -> Any: ...
    @property
    def visits_once(self) -> bool: ...
    def node(self, schema: Any, /) -> Node: ...
    def kind_check(self, node: Node, kind: Kind, /) -> KindCheck: ...


class Node(dict[Kind, KindCheck]):
    """One schema node: its checks for each type of value, compiled when the first one comes."""

    __slots__ = ("nodes", "schema")

    def __init__(self, schema: Any, nodes: Nodes) -> None:
        self.schema = schema
        self.nodes: Nodes = proxy(nodes)  # which hold this node

    def __missing__(self, kind: Kind) -> KindCheck:
        check = self[kind] = self.nodes.kind_check(self, kind)
        return check

    @property
    def root(self) -> Any:
        return self.nodes.root

    @property
    def is_visited_once(self) -> bool:
        return self.nodes.visits_once

    def child(self, schema: Any) -> Node:
        return self.nodes.node(schema)

    def check(self, run: Walk, value: Any, path: Path, required: bool) -> None:
        """Report the errors of a value, if it has any."""
        check = self[kind_of(value)]
        if check.fits is not None:
            run.steps -= 1
            if run.steps < 0:
                raise StopWalk
            if not check.fits(value):
                check.explain(run, value, path, required)
