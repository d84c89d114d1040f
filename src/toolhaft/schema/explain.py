"""Everything that is wrong with a value, with exact paths: our own bounded walk over a schema.

An engine gives the verdict; this says what a model has to change. The schema is in 2020-12 terms.
Each node is compiled at first use to the list of checks for each JSON type, so that a value of the
right type costs next to nothing. Data never makes it raise: where the steps run out it stops
with what is known.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, NamedTuple, NoReturn

from toolhaft.schema.forms import Kind, kind_of
from toolhaft.schema.keywords import is_alias, kind_check
from toolhaft.schema.kind_checks import KindCheck
from toolhaft.schema.leaves import visits_once
from toolhaft.schema.normalise import normalise
from toolhaft.schema.places import PlaceIndex
from toolhaft.schema.refs import resolve
from toolhaft.spec import Code, Issue, Path

__all__ = ["Explainer", "Finding", "Node", "Run", "findings"]

MAX_STEPS = 100_000  # about 50 ms
MAX_ALIASES = 100


class Finding(NamedTuple):
    """An issue, the node that refused the value, and whether the parent demands a value there.

    For a missing or an unknown key the node is the object's. `required` is True at the root and
    for the items of arrays.
    """

    issue: Issue
    node: Mapping[str, Any] | bool
    required: bool


class _Stop(Exception):
    """Enough findings, or no steps left."""


class Run:
    """One walk: what it has found, and what it may still spend."""

    __slots__ = ("findings", "limit", "steps", "trials")

    def __init__(self, limit: int) -> None:
        self.findings: list[Finding] = []
        self.limit = limit
        self.steps = MAX_STEPS
        self.trials: dict[tuple[int, Path, bool], list[Finding]] = {}

    def report(
        self,
        schema: Mapping[str, Any] | bool,
        required: bool,
        message: str,
        path: Path,
        code: Code = "value",
        expected: str | None = None,
        received: str | None = None,
    ) -> None:
        self.add(Finding(Issue(message, path, code, expected, received), schema, required))

    def add(self, finding: Finding) -> None:
        self.findings.append(finding)
        if len(self.findings) >= self.limit:
            raise _Stop

    def extend(self, findings: list[Finding]) -> None:
        for finding in findings:
            self.add(finding)

    def stop(self) -> NoReturn:
        raise _Stop

    def trial(self, node: Node, value: Any, path: Path, required: bool = True) -> list[Finding]:
        """What a node would report, without reporting it; asked again, it is not walked again."""
        check = node[kind_of(value)]
        self.steps -= 1
        if self.steps < 0:
            raise _Stop
        if check.fits is None or check.fits(value):
            return []
        key = (id(node), path, required)
        if key not in self.trials:
            outer, self.findings = self.findings, []
            try:
                check.explain(self, value, path, required)
            except _Stop:
                if self.steps < 0:
                    raise
            finally:
                found, self.findings = self.findings, outer
            self.trials[key] = found
        return self.trials[key]


class Node(dict[Kind, KindCheck]):
    """One schema node: what it checks on each type of value, compiled when the first one comes."""

    __slots__ = ("explainer", "schema")

    def __init__(self, schema: Any, explainer: Explainer) -> None:
        self.schema = schema
        self.explainer = explainer

    def __missing__(self, kind: Kind) -> KindCheck:
        check = self[kind] = kind_check(self, kind)
        return check

    @property
    def root(self) -> Any:
        return self.explainer.root

    @property
    def is_visited_once(self) -> bool:
        return self.explainer.visits_once

    def child(self, schema: Any) -> Node:
        return self.explainer.node(schema)

    def check(self, run: Run, value: Any, path: Path, required: bool) -> None:
        """Report what is wrong, if anything."""
        check = self[kind_of(value)]
        if check.fits is not None:
            run.steps -= 1
            if run.steps < 0:
                raise _Stop
            if not check.fits(value):
                check.explain(run, value, path, required)


class Explainer:
    """A normalised schema, compiled as far as values have needed it."""

    def __init__(self, root: Any) -> None:
        self.root = root
        self._nodes: dict[int, Node] = {}
        self._places: dict[int, PlaceIndex] = {}

    def node(self, schema: Any) -> Node:
        """The compiled node of a part of the root, or of what that part only refers to."""
        found = self._nodes.get(id(schema))
        if found is None:
            target = self._followed(schema)
            found = self._nodes.setdefault(id(target), Node(target, self))
            self._nodes[id(schema)] = found
        return found

    def places(self, schema: Any) -> PlaceIndex:
        """The schemas for each place in data of a part of the root."""
        index = self._places.get(id(schema))
        if index is None:
            index = self._places.setdefault(id(schema), PlaceIndex(self.root, schema))
        return index

    @cached_property
    def visits_once(self) -> bool:
        """Whether a walk comes to each object and array at most once."""
        return visits_once(self.root)

    def _followed(self, schema: Any) -> Any:
        for _ in range(MAX_ALIASES):
            if not is_alias(schema):
                break
            schema = resolve(self.root, schema["$ref"])
        return schema

    def findings(self, data: Any, *, limit: int = 64, schema: Any = None) -> list[Finding]:
        """What is wrong with the data, at most `limit`; `schema` is a part of the root."""
        run = Run(limit)
        try:
            check = self.node(self.root if schema is None else schema)[kind_of(data)]
            if check.fits is not None and not check.fits(data):
                check.explain(run, data, (), True)
        except (_Stop, RecursionError):
            pass
        except ValueError:  # the engine's, of text with a lone surrogate
            if not run.findings:
                return [Finding(Issue("expected JSON data", (), "type"), self.root, required=True)]
        return _once(run.findings) if len(run.findings) > 1 else run.findings


def _once(findings: list[Finding]) -> list[Finding]:
    """The findings without those that another node of the same value has reported too."""
    first: dict[tuple[Path, str], Finding] = {}
    for finding in findings:
        issue = finding.issue
        first.setdefault((issue.path, issue.message), finding)
    return list(first.values())


def findings(schema: Any, data: Any, *, limit: int = 64, root: Any = None) -> list[Finding]:
    """What is wrong with plain JSON data, at most `limit` findings.

    Each call compiles what it needs of the schema anew; a `Checker` keeps it.

    `root` is the whole that the references of `schema` lead into, when `schema` is a part of it;
    both are then in 2020-12 terms already.

    Raises:
        SchemaRefused: The schema is faulty; see `limits.faults_of`.

    >>> [found] = findings({"properties": {"n": {"minimum": 1}}}, {"n": 0})
    >>> str(found.issue)
    'n: expected at least 1'
    """
    if root is None:
        return Explainer(normalise(schema)).findings(data, limit=limit)
    return Explainer(root).findings(data, limit=limit, schema=schema)
