"""Repair refused arguments: directed by the schema, exact, recorded, and all or nothing.

A value is changed only where the schema refuses it. A rule is applied only if the schema accepts
its reading, and if all accepted readings are the same value.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from toolhaft.call.paths import value_at
from toolhaft.call.repair_rules import (
    ReadingRules,
    WantedTypes,
    has_no_reading,
    lenient_rules,
    safe_rules,
)
from toolhaft.call.types import Coercion
from toolhaft.jsonio.plaindata import MAX_DEPTH
from toolhaft.schema.checker import Checker
from toolhaft.schema.document.kinds import constants_of, hashable
from toolhaft.schema.document.places import PlaceSchema
from toolhaft.schema.explain.explainer import Explainer
from toolhaft.schema.explain.node import NodeIssue
from toolhaft.schema.issues import move_issue
from toolhaft.schema.marks import marks_of
from toolhaft.spec import Path

__all__ = ["Repaired", "repair"]

# A repair can uncover another fault; the number of rounds is bounded.
ROUNDS = 4
MAX_FINDINGS = 5_000
# A model reads five issues; what others say of a value that could be read is not looked for.
MOST_REREAD = 10
# Values that are checked for one call, about 1 us each, and what trying a reading of one adds. The
# longest JSON text that is read holds some 524,000.
MAX_WORK = 600_000
TRIAL = 40

ABSENT: Final = object()
EMPTY_RULES = {None: "null_absent", "": "empty_absent", "None": "none_text"}
Coercions = tuple[Coercion, ...]


class Change(NamedTuple):
    """The new value of a place (or `ABSENT`), and the rules that gave it."""

    value: Any
    coercions: Coercions


class Repaired(NamedTuple):
    """The repaired data: the same object if nothing was changed.

    `remaining` has the issues that are left; None where they are not known.
    """

    data: Any
    coercions: Coercions
    remaining: list[NodeIssue] | None


def repair(
    checker: Checker,
    data: Any,
    policy: str,
    *,
    max_depth: int = MAX_DEPTH,
    decimals: bool = False,
) -> Repaired:
    """Repair data that a schema refuses, and record each change.

    `policy` is "safe", "lenient" or "none". The data itself is never changed. With `decimals`,
    numbers in text that is read as a container are Decimals.
    """
    issues: list[NodeIssue] | None = None
    if policy == "safe":
        issues = checker.node_issues(data, limit=MAX_FINDINGS)
        if issues and _are_beyond_repair(data, issues):
            return Repaired(data, (), issues)
    if policy == "none":
        return Repaired(data, (), None)
    repairer = _Repair(checker, max_depth, lenient=policy == "lenient", decimals=decimals)
    repaired = repairer.repair_rounds(data, repairer.root, (), issues)
    if repaired.remaining:
        return repaired._replace(remaining=repairer.reread(repaired.data, repaired.remaining))
    return repaired


class _Repair:
    """One repair, with the work that it may still spend."""

    def __init__(self, checker: Checker, max_depth: int, *, lenient: bool, decimals: bool) -> None:
        self.checker = checker
        self.explainer: Explainer = checker.explainer
        self.max_depth = max_depth
        self.root = self.explainer.root
        self.lenient = lenient
        self.decimals = decimals
        self.work = MAX_WORK
        self.inside: set[Path] = set()

    def repair_rounds(
        self, data: Any, schema: Any, base: Path, issues: list[NodeIssue] | None = None
    ) -> Repaired:
        """Repair data in rounds; `issues` are those of the data, where they are known already."""
        coercions: Coercions = ()
        for _ in range(ROUNDS):
            self.work -= _count_values(data)
            if self.work < 0:
                return Repaired(data, coercions, None)
            if issues is None:
                issues = self.all_issues(data, schema)
            changes = self.find_changes(data, schema, issues, base) if issues else {}
            if not changes:
                return Repaired(data, coercions, issues)
            data = _with_changes(data, changes)
            coercions += tuple(
                [coercion for change in changes.values() for coercion in change.coercions]
            )
            if schema is self.root and self.checker.is_valid(data):
                return Repaired(data, coercions, [])
            issues = None
        return Repaired(data, coercions, self.all_issues(data, schema))

    def all_issues(self, data: Any, schema: Any) -> list[NodeIssue]:
        """Give the issues of data; those of the root schema come from the compiled check."""
        if schema is self.root:
            return self.checker.node_issues(data, limit=MAX_FINDINGS)
        return self.explainer.node_issues(data, limit=MAX_FINDINGS, schema=schema)

    def find_changes(
        self, data: Any, schema: Any, issues: Iterable[NodeIssue], base: Path
    ) -> dict[Path, Change]:
        """Find at most one change for each value, and none inside a changed one."""
        changes: dict[Path, Change] = {}
        for node_issue in issues:
            path = node_issue.issue.path
            if not changes or not any(path[:length] in changes for length in range(len(path) + 1)):
                change = self.find_change(data, schema, node_issue, base)
                if change is not None:
                    changes[path] = change
        return changes

    def find_change(
        self, data: Any, schema: Any, node_issue: NodeIssue, base: Path
    ) -> Change | None:
        """Find the change of a refused value; None where the rules give none, or several."""
        path = (*base, *node_issue.issue.path) if base else node_issue.issue.path
        if node_issue.issue.code == "extra":
            dropped = Change(ABSENT, (Coercion(path, "undeclared_dropped"),))
            other_names = marks_of(node_issue.node).get("other_names", ())
            # To drop another name of a field is to run without what was meant.
            return dropped if self.lenient and path[-1] not in other_names else None
        if node_issue.issue.code == "missing" or len(path) > self.max_depth:
            return None
        value = value_at(data, node_issue.issue.path)
        if not self.lenient and isinstance(value, int | float):
            return None  # no rule reads a number or a boolean as anything else
        schemas = self.schemas_at(schema, node_issue)
        if isinstance(value, dict | list):
            return self.read_as_branch(value, schemas, path)
        change = self.read_scalar(safe_rules, value, schemas, path)
        change = change or self.leave_out(value, schemas, node_issue, path)
        if change is None and self.lenient:
            change = self.read_scalar(lenient_rules, value, schemas, path)
        return change

    def schemas_at(self, schema: Any, node_issue: NodeIssue) -> list[PlaceSchema]:
        """Give the schemas that a value must satisfy: whole unions, not the branch that refused."""
        schemas = self.explainer.places(schema).schemas(node_issue.issue.path)
        if len(schemas) == 1:
            return schemas
        refusing = [
            schema_here
            for schema_here in schemas
            if any(part is node_issue.node for part in schema_here.parts)
        ]
        return refusing or schemas

    def read_scalar(
        self, rules: ReadingRules, value: Any, schemas: list[PlaceSchema], path: Path
    ) -> Change | None:
        """Read a scalar by the rules, if all accepted readings are the same value."""
        return _only_change(
            [
                change
                for schema in schemas
                for change in self.accepted_readings(rules, value, schema, path)
            ]
        )

    def accepted_readings(
        self, rules: ReadingRules, value: Any, schema: PlaceSchema, path: Path
    ) -> list[Change]:
        """Give the accepted readings of the first group that has any."""
        (node, _), _, types, constants = schema
        wanted = WantedTypes(types, constants, self.max_depth - len(path), self.decimals)
        for readings in rules(value, wanted):
            read = [
                self.try_reading(reading, (Coercion(path, rule),), node, path)
                for reading, rule in readings
            ]
            changes = [change for change in read if change is not None]
            if changes:
                return changes
        return []

    def read_as_branch(self, value: Any, schemas: list[PlaceSchema], path: Path) -> Change | None:
        """Repair an object or array as a branch of a union, if all branches give the same value."""
        if path in self.inside:  # the branches of a branch would be the same again
            return None
        branches = [
            branch
            for schema in schemas
            for part in schema.parts
            for branch in (*part.get("anyOf", ()), *part.get("oneOf", ()))
        ]
        self.inside.add(path)
        changes = [self.try_reading(value, (), branch, path) for branch in branches]
        self.inside.discard(path)
        return _only_change(changes)

    def try_reading(
        self, value: Any, coercions: Coercions, schema: Any, path: Path
    ) -> Change | None:
        """Keep a reading if the schema accepts it, once its own parts are repaired."""
        self.work -= TRIAL
        if self.work < 0:
            return None
        if not isinstance(value, dict | list):
            return None if self.issues_of(value, schema) else Change(value, coercions)
        value, inner, remaining = self.repair_rounds(value, schema, path)
        return Change(value, coercions + inner) if remaining == [] and coercions + inner else None

    def reread(self, data: Any, issues: list[NodeIssue]) -> list[NodeIssue]:
        """Replace the issues of text that has one reading, which is refused too, by its issues."""
        reread: list[NodeIssue] = []
        for place, node_issue in enumerate(issues):
            others = self.issues_of_reading(data, node_issue) if place < MOST_REREAD else None
            reread += [node_issue] if others is None else others
        return reread

    def issues_of_reading(self, data: Any, node_issue: NodeIssue) -> list[NodeIssue] | None:
        """Give what is wrong with the only reading of a text; None where it has none, or several."""
        path = node_issue.issue.path
        value = value_at(data, path)
        schemas = self.schemas_at(self.root, node_issue) if isinstance(value, str) else []
        if len(schemas) != 1 or node_issue.issue.code in ("missing", "extra"):
            return None
        (node, _), _, types, _ = schemas[0]
        wanted = WantedTypes(types, (), self.max_depth - len(path), self.decimals)
        readings = [reading for group in safe_rules(value, wanted) for reading, _ in group]
        if len({hashable(reading) for reading in readings}) != 1:
            return None
        refused = self.repair_rounds(readings[0], node, path)
        return [
            found._replace(issue=move_issue(found.issue, (*path, *found.issue.path)))
            for found in refused.remaining or ()
        ] or None

    def leave_out(
        self, value: Any, schemas: list[PlaceSchema], node_issue: NodeIssue, path: Path
    ) -> Change | None:
        """Leave out an optional property that was filled with nothing."""
        rule = EMPTY_RULES.get(value) if self.lenient or value != "None" else None
        if (
            rule is None
            or node_issue.required
            or not any(place_schema.place.declared for place_schema in schemas)
        ):
            return None
        takes_null = any(
            not self.issues_of(None, place_schema.place.schema) for place_schema in schemas
        )
        return None if takes_null else Change(ABSENT, (Coercion(path, rule),))

    def issues_of(self, value: Any, schema: Any) -> list[NodeIssue]:
        return self.explainer.node_issues(value, limit=1, schema=schema)


def _are_beyond_repair(data: Any, issues: Iterable[NodeIssue]) -> bool:
    """Whether no safe rule could apply to any of the values: true of most faults."""
    return all(_is_beyond_repair(data, issue) for issue in issues)


def _is_beyond_repair(data: Any, node_issue: NodeIssue) -> bool:
    """Whether no safe rule could apply, as far as the refusing node alone tells."""
    issue = node_issue.issue
    if issue.code in ("missing", "extra"):
        return True
    value = value_at(data, issue.path)
    if isinstance(value, str):
        return has_no_reading(value) and not _may_be_member(value, node_issue)
    return isinstance(value, int) or (isinstance(value, float) and not value.is_integer())


def _may_be_member(text: str, node_issue: NodeIssue) -> bool:
    """Whether a text may be a member of an enumeration but for case."""
    if node_issue.issue.code in ("type", "format", "value"):
        return False
    folded = text.casefold()
    members = constants_of(node_issue.node)
    return members is None or any(
        type(member) is str and member.casefold() == folded for member in members
    )


def _only_change(changes: Sequence[Change | None]) -> Change | None:
    """Give the change that all of them agree on; None where they differ."""
    if len(changes) == 1:
        return changes[0]
    distinct: dict[Hashable, Change] = {}
    for change in changes:
        if change is not None:
            distinct.setdefault(hashable(change.value), change)
    return next(iter(distinct.values())) if len(distinct) == 1 else None


def _with_changes(data: Any, changes: Mapping[Path, Change]) -> Any:
    """Apply changes to a copy of the data; unchanged parts are shared."""
    if () in changes:
        return changes[()].value
    copies: dict[Path, Any] = {(): data.copy()}
    for path, change in changes.items():
        for length in range(1, len(path)):
            inner, (*outer, step) = path[:length], path[:length]
            if inner not in copies:
                copies[inner] = copies[tuple(outer)][step] = copies[tuple(outer)][step].copy()
        *outer, step = path
        if change.value is ABSENT:
            del copies[tuple(outer)][step]
        else:
            copies[tuple(outer)][step] = change.value
    return copies[()]


def _count_values(data: Any) -> int:
    """Count the values in the data, itself included."""
    size, queue = 1, [data]
    while queue:
        value = queue.pop()
        if isinstance(value, dict | list):
            size += len(value)
            queue += value.values() if isinstance(value, dict) else value
    return size
