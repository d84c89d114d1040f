"""The form of a rule: a function that flags places of a tool, with a docstring that explains it.

A rule's docstring is its documentation and its test: the first line is the title, followed by the
paragraphs `Why:`, `Bad:` and `Good:`; the last two contain Python that defines tools.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from textwrap import dedent
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from toolhaft.review.checks.subject import Subject

__all__ = ["RULES", "Flag", "Rule", "Severity", "TextEdit", "rule", "set_rule", "target_rule"]

Severity: TypeAlias = Literal["error", "warning", "advice"]


class TextEdit(NamedTuple):
    """A change of one line of source that is a safe fix of a finding."""

    path: str
    line: int
    old: str
    new: str


class Flag(NamedTuple):
    """One place of a tool that a rule objects to.

    `pointer` leads from the tool: `/description`, `/input/properties/city`, `/output`.
    """

    pointer: str
    message: str
    fix: str
    edit: TextEdit | None = None


SetFlags: TypeAlias = Iterator[tuple[Subject, Flag]]


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: its code, how grave it is, and what it does."""

    code: str
    severity: Severity
    flags: Callable[[Sequence[Subject], Sequence[str]], SetFlags]
    doc: str

    @property
    def title(self) -> str:
        return self.doc.partition("\n")[0].rstrip(".")

    @property
    def why(self) -> str:
        """Why a tool is worse for it."""
        return " ".join(self._part("Why:").split())

    @property
    def bad(self) -> str:
        """Source on which the rule fires."""
        return self._part("Bad:")

    @property
    def good(self) -> str:
        """Source on which it is silent."""
        return self._part("Good:")

    def _part(self, heading: str) -> str:
        _, _, rest = self.doc.partition(f"\n{heading}")
        for other in ("\nBad:", "\nGood:"):
            rest = rest.partition(other)[0]
        return dedent(rest).strip("\n")


RULES: Final[dict[str, Rule]] = {}


OneTool: TypeAlias = Callable[[Subject], Iterator[Flag]]
AllTools: TypeAlias = Callable[[Sequence[Subject]], SetFlags]
OneTarget: TypeAlias = Callable[[Sequence[Subject], str], SetFlags]


def rule(code: str, severity: Severity) -> Callable[[OneTool], OneTool]:
    """Register a rule that looks at one tool at a time."""

    def register(flags: OneTool) -> OneTool:
        def each(subjects: Sequence[Subject], _: Sequence[str]) -> SetFlags:
            return ((subject, flag) for subject in subjects for flag in flags(subject))

        _register(code, severity, each, flags.__doc__)
        return flags

    return register


def set_rule(code: str, severity: Severity) -> Callable[[AllTools], AllTools]:
    """Register a rule that needs all tools at once."""

    def register(flags: AllTools) -> AllTools:
        _register(code, severity, lambda subjects, _: flags(subjects), flags.__doc__)
        return flags

    return register


def target_rule(code: str, severity: Severity) -> Callable[[OneTarget], OneTarget]:
    """Register a rule that looks at all tools as one target of the project takes them."""

    def register(flags: OneTarget) -> OneTarget:
        def each(subjects: Sequence[Subject], targets: Sequence[str]) -> SetFlags:
            return (flag for target in targets for flag in flags(subjects, target))

        _register(code, severity, each, flags.__doc__)
        return flags

    return register


def _register(code: str, severity: Severity, flags: Any, doc: str | None) -> None:
    first, _, rest = (doc or "").partition("\n")
    RULES[code] = Rule(code, severity, flags, f"{first}\n{dedent(rest)}")
