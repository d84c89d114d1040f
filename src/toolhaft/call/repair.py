"""Repair rejected arguments: directed by the schema, exact, recorded, and all or nothing.

A value is changed only if the schema rejects it. A rule is applied only if the schema accepts its
reading, and if all accepted readings are the same value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from toolhaft.call.paths import value_at
from toolhaft.call.repair_rules import (
    ReadingRules,
    is_plain_word,
    lenient_rules,
    safe_rules,
)
from toolhaft.call.types import Coercion, Rule
from toolhaft.jsonio.plaindata import MAX_DEPTH
from toolhaft.schema.checker import Checker
from toolhaft.schema.document.kinds import hashable
from toolhaft.schema.document.places import PlaceIndex, PlaceSchema, PlaceSchemas
from toolhaft.schema.explain.explainer import Explainer
from toolhaft.schema.explain.kind_checks import never
from toolhaft.schema.explain.node import NodeIssue
from toolhaft.schema.issues import move_issue
from toolhaft.schema.marks import marks_of
from toolhaft.spec import Issue, Path

__all__ = ["Repaired", "Repairer", "repair"]

# A repair can uncover another fault; the number of rounds is bounded.
ROUNDS = 4
MAX_FINDINGS = 5_000
# A model reads a few issues, so readings are not tried for the issues after these.
MOST_REREAD = 10
# Values that are checked for one call, about 1 us each, and what trying a reading of one adds. The
# longest JSON text that is read holds some 524,000.
MAX_WORK = 600_000
TRIAL = 40

TOO_MANY: Final = Issue(
    "too many values to repair; send numbers, booleans, arrays and objects as JSON, not as text",
    code="value",
)

ABSENT: Final = object()
# Issues that no safe rule can fix.
BEYOND_REPAIR: Final = frozenset({"missing", "extra"})
LENIENT_ONLY: Final = frozenset({"missing"})
# Types that a safe rule may read, or leave out.
CHANGEABLE_TYPES: Final = frozenset({str, dict, list, type(None)})
EMPTY_RULES: dict[str | None, Rule] = {None: "null_absent", "": "empty_absent", "None": "none_text"}
Coercions = tuple[Coercion, ...]


# The new value of a place (or `ABSENT`), and the rules that gave it.
Change: TypeAlias = tuple[Any, Coercions]
# The data, the same object if nothing was changed; the changes; the remaining issues, or None if
# they are unknown.
Repaired: TypeAlias = tuple[Any, Coercions, list[NodeIssue] | None]
# Why a value is refused that some rule may apply to, the value, and the schemas of its place.
Refused: TypeAlias = tuple[NodeIssue, Any, PlaceSchemas]


class Repairer:
    """Repairs what one schema refuses; made once for each tool.

    `policy` is "safe", "lenient" or "none". `fits` is a quick test that only valid data pass. With
    `decimals`, numbers in text that is read as a container are Decimals.
    """

    def __init__(
        self,
        checker: Checker,
        policy: str = "safe",
        *,
        fits: Callable[[Any], bool] | None = None,
        max_depth: int = MAX_DEPTH,
        decimals: bool = False,
    ) -> None:
        self.checker = checker
        self.policy = policy
        self.lenient: bool = policy == "lenient"
        self.fits: Callable[[Any], bool] = fits or never
        self.max_depth = max_depth
        self.decimals = decimals
        self.explainer: Explainer = checker.explainer
        self.root: Any = self.explainer.root
        self.places: PlaceIndex = self.explainer.places(self.root)

    def repair(self, data: Any) -> Repaired:
        """Repair data that the schema rejects, and record each change; the data are never changed.

        Issues that remain for a readable text are about its reading.
        """
        if self.policy == "none":
            return data, (), None
        issues = self.checker.node_issues(data, limit=MAX_FINDINGS)
        refused = self.changeable(data, self.places, issues)
        if not refused:
            return data, (), issues
        run = _Repair(self)
        data, coercions, remaining = run.repair_rounds(data, self.root, (), (issues, refused))
        if remaining == []:
            return data, coercions, remaining
        rest = remaining and run.reread(data, remaining)
        if run.work < 0:  # the model must know that its spelling is wrong
            rest = [NodeIssue(TOO_MANY, self.root, required=True), *(rest or issues)]
        return data, coercions, rest

    def changeable(
        self, data: Any, places: PlaceIndex, issues: Iterable[NodeIssue]
    ) -> list[Refused]:
        """Return the rejected values that some rule may apply to: most faults have none."""
        beyond_repair = LENIENT_ONLY if self.lenient else BEYOND_REPAIR
        refused = []
        for node_issue in issues:
            issue = node_issue.issue
            if issue.code in beyond_repair:
                continue
            value = value_at(data, issue.path)
            if self.lenient or type(value) in CHANGEABLE_TYPES:
                schemas = places.at(issue.path)
                if self.lenient or _may_change(value, schemas, node_issue):
                    refused.append((node_issue, value, schemas))
        return refused


def _may_change(value: Any, schemas: PlaceSchemas, node_issue: NodeIssue) -> bool:
    """Whether some safe rule may apply to a refused value."""
    if isinstance(value, str):
        if not value:
            return not node_issue.required
        is_spelled = schemas.may_be_spelled and not is_plain_word(value)
        return is_spelled or value.casefold() in schemas.spellings
    return not node_issue.required if value is None else schemas.has_branches


def repair(checker: Checker, data: Any, policy: str) -> Repaired:
    """Repair data once; a `Repairer` keeps what it learns of the schema."""
    return Repairer(checker, policy).repair(data)


class _Repair:
    """One repair, with the work that it may still spend."""

    __slots__ = ("explainer", "inside", "repairer", "work")

    def __init__(self, repairer: Repairer) -> None:
        self.repairer = repairer
        self.explainer = repairer.explainer
        self.work = MAX_WORK
        self.inside: tuple[Path, ...] = ()

    def repair_rounds(
        self,
        data: Any,
        schema: Any,
        base: Path,
        refusal: tuple[list[NodeIssue], list[Refused]] | None = None,
    ) -> Repaired:
        """Repair data in rounds; `refusal` is what is known of the data already."""
        coercions: Coercions = ()
        repairer = self.repairer
        for _ in range(ROUNDS):
            if refusal is None:
                self.work -= _count_values(data)
                if self.work < 0:
                    return data, coercions, None
                refusal = self.refusal_of(data, schema)
            issues, refused = refusal
            changes = self.find_changes(refused, base) if refused else None
            if not changes:
                return data, coercions, issues
            data = _with_changes(data, changes)
            for _, applied in changes.values():
                coercions += applied
            if schema is repairer.root and (repairer.fits(data) or repairer.checker.is_valid(data)):
                return data, coercions, []
            refusal = None
        return data, coercions, self.refusal_of(data, schema)[0]

    def refusal_of(self, data: Any, schema: Any) -> tuple[list[NodeIssue], list[Refused]]:
        """Return the issues of data; the root schema's issues come from the compiled check."""
        if schema is self.repairer.root:
            issues = self.repairer.checker.node_issues(data, limit=MAX_FINDINGS)
        else:
            issues = self.explainer.node_issues(data, limit=MAX_FINDINGS, schema=schema)
        return issues, self.repairer.changeable(data, self.explainer.places(schema), issues)

    def find_changes(self, refused: Iterable[Refused], base: Path) -> dict[Path, Change]:
        """Find at most one change for each value, and none inside a changed one."""
        changes: dict[Path, Change] = {}
        has_parts = False
        for place in refused:
            path = place[0].issue.path
            if path in changes or (has_parts and _is_inside(path, changes)):
                continue
            change = self.find_change(place, (*base, *path) if base else path)
            if change is not None:
                changes[path] = change
                has_parts = has_parts or isinstance(place[1], dict | list)
        return changes

    def find_change(self, refused: Refused, path: Path) -> Change | None:
        """Find the change of a rejected value, or return None if there is none, or several."""
        node_issue, value, places = refused
        if node_issue.issue.code == "extra":
            return _drop_key(node_issue, path)
        if len(path) > self.repairer.max_depth:
            return None
        schemas = places.schemas
        if len(schemas) > 1:
            schemas = _refusing(schemas, node_issue)
        if isinstance(value, dict | list):
            return self.read_as_branch(value, schemas, path)
        is_text = isinstance(value, str)
        change = self.read_scalar(safe_rules, value, schemas, path) if is_text else None
        if change is None and value in EMPTY_RULES:
            change = self.leave_out(value, schemas, node_issue, path)
        if change is None and self.repairer.lenient:
            change = self.read_scalar(lenient_rules, value, schemas, path)
        return change

    def read_scalar(
        self, rules: ReadingRules, value: Any, schemas: list[PlaceSchema], path: Path
    ) -> Change | None:
        """Read a scalar by the rules, if all accepted readings are the same value."""
        changes: list[Change] = []
        for schema in schemas:
            changes += self.accepted_readings(rules, value, schema, path)
        return _only_change(changes) if len(changes) > 1 else changes[0] if changes else None

    def accepted_readings(
        self, rules: ReadingRules, value: Any, schema: PlaceSchema, path: Path
    ) -> list[Change]:
        """Return the accepted readings of the first group that has any."""
        depth = self.repairer.max_depth - len(path)
        decimals = self.repairer.decimals
        for readings in rules(value, schema.types, schema.constants, depth, decimals=decimals):
            changes = []
            for reading, rule in readings:
                change = self.try_reading(reading, rule, schema.place.schema, path)
                if change is not None:
                    changes.append(change)
            if changes:
                return changes
        return []

    def read_as_branch(self, value: Any, schemas: list[PlaceSchema], path: Path) -> Change | None:
        """Repair an object or array as a branch of a union, if all branches give the same value."""
        branches = [branch for schema in schemas for branch in schema.branches]
        if not branches or path in self.inside:  # the branches of a branch would be the same again
            return None
        outer, self.inside = self.inside, (*self.inside, path)
        changes = [self.try_container(value, (), branch, path) for branch in branches]
        self.inside = outer
        return _only_change([change for change in changes if change is not None])

    def try_reading(self, value: Any, rule: Rule, schema: Any, path: Path) -> Change | None:
        """Keep a reading if the schema accepts it, once its own parts are repaired."""
        coercions = (Coercion(path, rule),)
        if isinstance(value, dict | list):
            return self.try_container(value, coercions, schema, path)
        self.work -= TRIAL
        fits = self.work >= 0 and self.explainer.accepts(value, schema)
        return (value, coercions) if fits else None

    def try_container(
        self, value: Any, coercions: Coercions, schema: Any, path: Path
    ) -> Change | None:
        """Keep an object or array if the schema accepts it, once its parts are repaired."""
        self.work -= TRIAL
        if self.work < 0:
            return None
        value, inner, remaining = self.repair_rounds(value, schema, path)
        coercions += inner
        return (value, coercions) if remaining == [] and coercions else None

    def reread(self, data: Any, issues: list[NodeIssue]) -> list[NodeIssue]:
        """Replace the issues of text that has one reading, which is refused too, by its issues."""
        reread: list[NodeIssue] = []
        for place, node_issue in enumerate(issues):
            others = self.issues_of_reading(data, node_issue) if place < MOST_REREAD else None
            reread += [node_issue] if others is None else others
        return reread

    def issues_of_reading(self, data: Any, node_issue: NodeIssue) -> list[NodeIssue] | None:
        """Return the issues of the only reading of a text, or None if it has none or several."""
        path, code = node_issue.issue.path, node_issue.issue.code
        value = value_at(data, path)
        if type(value) is not str or code in BEYOND_REPAIR or is_plain_word(value):
            return None
        schemas = _refusing(self.repairer.places.at(path).schemas, node_issue)
        if len(schemas) != 1:
            return None
        depth = self.repairer.max_depth - len(path)
        decimals = self.repairer.decimals
        groups = safe_rules(value, schemas[0].types, (), depth, decimals=decimals)
        readings = [reading for group in groups for reading, _ in group]
        if len({hashable(reading) for reading in readings}) != 1:
            return None
        _, _, refused = self.repair_rounds(readings[0], schemas[0].place.schema, path)
        return [
            node_issue._replace(issue=move_issue(node_issue.issue, (*path, *node_issue.issue.path)))
            for node_issue in refused or ()
        ] or None

    def leave_out(
        self, value: Any, schemas: list[PlaceSchema], node_issue: NodeIssue, path: Path
    ) -> Change | None:
        """Leave out an optional property that was filled with nothing."""
        rule = EMPTY_RULES.get(value) if self.repairer.lenient or value != "None" else None
        if (
            rule is None
            or node_issue.required
            or not any(place_schema.place.declared for place_schema in schemas)
        ):
            return None
        takes_null = any(
            self.explainer.accepts(None, place_schema.place.schema) for place_schema in schemas
        )
        return None if takes_null else (ABSENT, (Coercion(path, rule),))


def _is_inside(path: Path, changes: Mapping[Path, Change]) -> bool:
    """Whether a value around a place is changed."""
    return any(path[:length] in changes for length in range(len(path)))


def _refusing(schemas: list[PlaceSchema], node_issue: NodeIssue) -> list[PlaceSchema]:
    """Return the schemas of a place that rejected it: whole unions, not the branch alone."""
    refusing = [
        place_schema
        for place_schema in schemas
        if any(part is node_issue.node for part in place_schema.parts)
    ]
    return refusing or schemas


def _drop_key(node_issue: NodeIssue, path: Path) -> Change | None:
    """Drop an undeclared key, but not another name of a field: that would lose its value."""
    if path[-1] in marks_of(node_issue.node).get("other_names", ()):
        return None
    return ABSENT, (Coercion(path, "undeclared_dropped"),)


def _only_change(changes: Sequence[Change]) -> Change | None:
    """Return the change that all of them agree on, or None if they differ."""
    if len(changes) <= 1:
        return changes[0] if changes else None
    distinct = {hashable(value) for value, _ in changes}
    return changes[0] if len(distinct) == 1 else None


def _with_changes(data: Any, changes: Mapping[Path, Change]) -> Any:
    """Apply changes to a copy of the data; unchanged parts are shared."""
    if () in changes:
        return changes[()][0]
    copies: dict[Path, Any] = {(): data.copy()}
    for path, (value, _) in changes.items():
        holder = _copy_at(path[:-1], copies)
        if value is ABSENT:
            del holder[path[-1]]
        else:
            holder[path[-1]] = value
    return copies[()]


def _copy_at(path: Path, copies: dict[Path, Any]) -> Any:
    """Return the copy of a part of the data, which the copy around it holds."""
    copy = copies.get(path)
    if copy is None:
        outer, step = _copy_at(path[:-1], copies), path[-1]
        copy = copies[path] = outer[step] = outer[step].copy()
    return copy


def _count_values(data: Any) -> int:
    """Count the values in the data, itself included."""
    size = 1
    containers = [data] if isinstance(data, dict | list) else []
    while containers:
        value = containers.pop()
        size += len(value)
        parts = value.values() if type(value) is dict else value
        containers += [part for part in parts if type(part) is dict or type(part) is list]
    return size
