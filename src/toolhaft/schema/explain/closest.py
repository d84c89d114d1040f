"""Which form of a union a wrong value was meant to be, and what to say where that is not clear."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from toolhaft.schema import branches
from toolhaft.schema.document.kinds import KINDS, Kind, admits, constants_of
from toolhaft.schema.explain.assertions import NO_SUCH_DATE
from toolhaft.schema.explain.phrases import branch_phrases, is_decimal, issue_phrase
from toolhaft.schema.explain.refusals import wrong_constant
from toolhaft.schema.explain.wording import join_within
from toolhaft.spec import Code, Path

if TYPE_CHECKING:
    from toolhaft.schema.explain.node import Node, NodeIssue, Walk

__all__ = ["CONTAINERS", "Closest", "alternatives", "too_many"]

# The most characters for the branches of a union; their text is one issue of several.
MAX_FORMS = 550
# How the phrase of an object with keys begins.
KEYED = "object {"
CONTAINERS = KINDS["array"] | KINDS["object"]


class Closest:
    """The branches of a union that accept values of one type, and their issues with a value.

    `schemas` are all branches; `fitting` are the ones that accept the type, checked by `children`.
    """

    def __init__(
        self, node: Node, schemas: Sequence[Any], fitting: Sequence[Any], kind: Kind
    ) -> None:
        self.node, self.schemas, self.kind = node, schemas, kind
        self.children = [node.child(schema) for schema in fitting]
        types = [(schema, branches.types_of(node.root, schema)) for schema in schemas]
        self.others: list[Any] = [
            schema
            for schema, names in types
            if names and names != ("null",) and not admits(names, kind)
        ]
        self.keys = [branches.keys_of(node.root, schema) for schema in fitting]
        self.any_key = frozenset[str]().union(*self.keys)

    def known_keys(self, value: dict[str, Any]) -> frozenset[str]:
        """Return the keys of an object that any branch declares."""
        return self.any_key.intersection(value)

    def report(
        self, run: Walk, trials: Sequence[list[NodeIssue]], value: Any, path: Path, required: bool
    ) -> None:
        """Report what the form that is meant has against a value, or else what the forms are."""
        members = _members(trials, path)
        if members and not self.others:
            wrong_constant(members)(run, value, path, required)
        elif self.kind not in CONTAINERS:
            self._report_scalar(run, trials, path, required)
        else:
            shared = {} if self._is_of_one_form(value) else _shared(trials)
            run.extend(list(shared.values()))
            rest = [[issue for issue in issues if _key(issue) not in shared] for issues in trials]
            if shared and not all(rest):
                return
            meant = self._meant(rest, value)
            if meant is None:
                self.report_forms(run, path, required)
            else:
                run.extend(meant)

    def _is_of_one_form(self, value: Any) -> bool:
        """Whether an object has nothing of any form, or what only one of them has."""
        if self.kind is not dict:
            return False
        known = self.known_keys(value)
        return not known or sum(known <= keys for keys in self.keys) == 1

    def report_untagged(self, run: Walk, name: str, value: Any, path: Path) -> None:
        """Report what else the form that is meant has against an object with a wrong tag."""
        if self.known_keys(value) <= {name}:
            return  # nothing tells which form is meant
        place = (*path, name)
        trials = [run.trial(child, value, path) for child in self.children]
        rest = [[issue for issue in issues if issue.issue.path != place] for issues in trials]
        run.extend(self._meant(rest, value) or [])

    def _meant(self, trials: Sequence[list[NodeIssue]], value: Any) -> list[NodeIssue] | None:
        """Return the issues of the intended branch: it has all the keys, or is far the closest."""
        unread = [0 for _ in trials]
        if self.kind is dict:
            known = self.known_keys(value)
            if not known:
                return None
            unread = [len(known - keys) for keys in self.keys]
        pairs = zip(trials, unread, strict=True)
        meant = branches.meant_branch(
            [branches.Trial(_distance(issues), size) for issues, size in pairs]
        )
        return None if meant is None else trials[meant]

    def _report_scalar(
        self, run: Walk, trials: Sequence[list[NodeIssue]], path: Path, required: bool
    ) -> None:
        """Report the types of all branches, and a more exact issue if the value's type fits."""
        code = trials[0][0].issue.code if len(trials) == 1 else "union"
        if self.is_decimal or any(len(issues) != 1 for issues in trials):
            self._report_phrases(run, self.phrases, path, required, code)
            return
        exact = [issues[0] for issues in trials if issues[0].issue.message == NO_SUCH_DATE]
        if exact:
            run.extend(exact[:1])
            return
        close = [issue_phrase(issues[0].issue) for issues in trials]
        phrases = (*dict.fromkeys([*close, *self.other_phrases]),)
        self._report_phrases(run, phrases, path, required, code)

    def report_forms(self, run: Walk, path: Path, required: bool) -> None:
        """Report what each form takes."""
        self._report_phrases(run, self.phrases, path, required)

    def _report_phrases(
        self,
        run: Walk,
        phrases: tuple[str, ...],
        path: Path,
        required: bool,
        code: Code = "union",
    ) -> None:
        words = alternatives(phrases)
        run.report(self.node.schema, required, words, path, code, alternatives=[*phrases])

    @cached_property
    def phrases(self) -> tuple[str, ...]:
        """What each branch takes."""
        return tuple(branch_phrases(self.node.root, self.schemas))

    @cached_property
    def other_phrases(self) -> tuple[str, ...]:
        """What each branch takes that accepts another type."""
        return tuple(branch_phrases(self.node.root, self.others))

    @cached_property
    def is_decimal(self) -> bool:
        """Whether the branches are a number, and the same as text."""
        return is_decimal(self.schemas)


@lru_cache(maxsize=256)  # models repeat themselves; no value is in it
def alternatives(phrases: tuple[str, ...]) -> str:
    """Describe the branches of a union; objects by the keys that distinguish them.

    >>> alternatives(("object {a, b}", "object {c}", "array"))
    'send either {a, b}, {c} or array'
    >>> alternatives(("object {a, b}", "array")), alternatives(('"auto"', "integer"))
    ('expected object {a, b} or array', 'expected "auto" or integer')
    """
    if sum(phrase.startswith(KEYED) for phrase in phrases) < 2:  # noqa: PLR2004 - one is no choice
        return f"expected {join_within(phrases, MAX_FORMS)}"
    keyed = [phrase.replace(KEYED, KEYED[-1], 1) for phrase in phrases]
    return f"send either {join_within(keyed, MAX_FORMS)}"


def too_many(root: Any, schemas: Sequence[Any], accepting: int) -> tuple[str, list[str]]:
    """Describe the features of single branches, because more than one accepts a value."""
    phrases = [branch_phrases(root, [schema]) for schema in schemas]
    uses = Counter(phrase for of_form in phrases for phrase in of_form)
    telling = [phrase for phrase, times in uses.items() if times == 1]
    if not telling:
        return f"expected only one of {accepting} forms", []
    return f"expected only one of these: {join_within(telling, MAX_FORMS)}", telling


def _key(node_issue: NodeIssue) -> tuple[Path, str]:
    return node_issue.issue.path, node_issue.issue.message


def _shared(trials: Sequence[list[NodeIssue]]) -> dict[tuple[Path, str], NodeIssue]:
    """Return the issues that every branch has with a value."""
    first, *rest = ({_key(issue): issue for issue in issues} for issues in trials)
    if not rest:
        return {}
    return {
        key: node_issue
        for key, node_issue in first.items()
        if all(key in issues for issues in rest) and node_issue.issue.code != "union"
    }


def _members(trials: Sequence[list[NodeIssue]], path: Path) -> list[Any]:
    """All constants, where every form failed by its constants alone."""
    members: list[Any] = []
    for issues in trials:
        refused = constants_of(issues[0].node) if issues[0].issue.path == path else None
        if len(issues) > 1 or refused is None:
            return []
        members += refused
    return members


def _distance(node_issues: Sequence[NodeIssue]) -> int:
    """Measure how far a value is from a branch: a wrong kind counts twice as much as a bound."""
    return sum(
        1 if node_issue.issue.code in ("value", "format") else 2 for node_issue in node_issues
    )
