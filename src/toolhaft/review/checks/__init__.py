"""`toolhaft check`: find mistakes in tools before a model sees them.

Each rule is one function in one of the modules here; its docstring is its documentation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from typing import Final

from toolhaft.review.checks.config import Config
from toolhaft.review.checks.finding import Finding, make_finding
from toolhaft.review.checks.rule import RULES, Rule, TextEdit
from toolhaft.review.checks.source import Ignore
from toolhaft.review.checks.subject import Subject

__all__ = ["check", "rules"]

_MODULES: Final = (
    "descriptions", "repetition", "schemas", "parameters", "naming", "handlers", "requests",
    "agreement",
)  # fmt: skip


def rules() -> dict[str, Rule]:
    """Every rule by its code, in the order of the codes."""
    for name in _MODULES:
        import_module(f"{__name__}.{name}")
    return dict(sorted(RULES.items()))


def check(
    subjects: Sequence[Subject],
    config: Config | None = None,
    track: Callable[[Sequence[Rule]], Iterable[Rule]] = iter,
) -> list[Finding]:
    """Apply the selected rules to tools; return the findings by place in the set, then by code.

    `track` is called with the rules, and yields each before it is applied.

    >>> from toolhaft import tool
    >>> @tool
    ... def wait(delay: int) -> None:
    ...     "Wait for some time."
    >>> [(one.code, one.pointer) for one in check([Subject(wait, "tools.py:1")])]
    [('TH102', '/input/properties/delay')]
    """
    config = config or Config()
    chosen = [rule for rule in rules().values() if config.selects(rule.code)]
    flagged = [
        make_finding(rule, subject, flag)
        for rule in track(chosen)
        for subject, flag in rule.flags(subjects, config.targets)
        if not config.ignores(rule.code, subject.name)
    ]
    kept, used = _apply_ignores(subjects, flagged)
    place = {subject.name: number for number, subject in enumerate(subjects)}
    findings = [*kept, *_check_ignores(subjects, used, {rule.code for rule in chosen})]
    return sorted(
        findings, key=lambda finding: (place.get(finding.tool, -1), finding.code, finding.pointer)
    )


def _apply_ignores(
    subjects: Sequence[Subject], flagged: list[Finding]
) -> tuple[list[Finding], set[tuple[str, int, str]]]:
    """Leave out findings that a comment ignores with a reason; give the comments that were used."""
    ignores = {subject.name: subject.source.ignores for subject in subjects}
    kept: list[Finding] = []
    used: set[tuple[str, int, str]] = set()
    for finding in flagged:
        comment = next(
            (ignore for ignore in ignores.get(finding.tool, ()) if finding.code in ignore.codes),
            None,
        )
        if comment is not None:
            used.add((finding.tool, comment.line, finding.code))
        if comment is None or not comment.reason:
            kept.append(finding)
    return kept, used


def _check_ignores(
    subjects: Sequence[Subject], used: set[tuple[str, int, str]], chosen: set[str]
) -> Iterator[Finding]:
    for subject in subjects:
        for ignore in subject.source.ignores:
            if not ignore.reason:
                yield _comment_finding(
                    subject, ignore, "TH001", "ignores without a reason", "write why"
                )
            unused = [
                code for code in ignore.codes if (subject.name, ignore.line, code) not in used
            ]
            if all(code in chosen or code not in RULES for code in unused) and unused:
                message = f"{', '.join(unused)} would not fire here"
                yield _comment_finding(
                    subject, ignore, "TH002", message, "remove it", _remove_comment(subject, ignore)
                )


def _comment_finding(
    subject: Subject,
    ignore: Ignore,
    code: str,
    message: str,
    fix: str,
    edit: TextEdit | None = None,
) -> Finding:
    """Make a finding about a comment, on its own line."""
    path = subject.where.rpartition(":")[0]
    return Finding(code, "warning", subject.name, "", message, fix, f"{path}:{ignore.line}", edit)


def _remove_comment(subject: Subject, ignore: Ignore) -> TextEdit:
    """Make the edit that removes a comment."""
    line = dict(subject.source.lines)[ignore.line]
    before, _, _ = line.partition("# toolhaft:")
    return TextEdit(subject.source.path, ignore.line, line, before.rstrip())
