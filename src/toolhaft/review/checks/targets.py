"""Rules for the targets that a project names: schemas that they reject, and losses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from toolhaft.lowering.plan import Plan, plan
from toolhaft.review.checks.rule import Flag, target_rule
from toolhaft.review.checks.subject import Subject
from toolhaft.toolset.wire import declare

__all__: list[str] = []

REPORTED_KINDS = ("narrowed", "unsupported", "widened")


@target_rule("TH501", "error")
def refused(subjects: Sequence[Subject], target: str) -> Iterator[tuple[Subject, Flag]]:
    """A target that the project names cannot take a tool.

    Why: the provider refuses the request, often with all of its tools.

    Bad:
        TARGETS = ["openai"]
        find = tool(run, name="find", description="f" * 2000, input={"type": "object"})

    Good:
        TARGETS = ["openai"]
        find = tool(run, name="find", description="Find a shop.", input={"type": "object"})
    """
    by_name = {subject.name: subject for subject in subjects}
    for problem in _plan_for(subjects, target).problems:
        subject = by_name.get(problem.tool, subjects[0])
        yield subject, Flag(f"/input{problem.pointer}", f"{target}: {problem.reason}", problem.fix)


@target_rule("TH502", "warning")
def lost(subjects: Sequence[Subject], target: str) -> Iterator[tuple[Subject, Flag]]:
    """A target that the project names cannot say something that a schema says.

    Why: the model is shown another schema than the author wrote; the boundary still checks.

    Bad:
        TARGETS = ["openapi-3.0"]
        find = tool(run, name="find", description="Find a shop.", input={"type": "object",
                    "properties": {"at": {"type": "array", "minItems": 2, "items": False,
                    "prefixItems": [{"type": "number"}, {"type": "string"}]}}})

    Good:
        TARGETS = ["openapi-3.0"]
        find = tool(run, name="find", description="Find a shop.", input={"type": "object",
                    "properties": {"city": {"type": "string"}}, "required": ["city"]})
    """
    by_name = {subject.name: subject for subject in subjects}
    kinds: Counter[tuple[str, str, str, str]] = Counter()
    for loss in _plan_for(subjects, target).losses:
        if loss.kind in REPORTED_KINDS:
            kinds[loss.tool, loss.pointer, loss.kind, loss.keyword] += 1
    for name, pointer, kind, keyword in kinds:
        message = f"{target}: {keyword} is {kind}"
        yield by_name[name], Flag(f"/input{pointer}", message, "see toolhaft export --target")


def _plan_for(subjects: Sequence[Subject], target: str) -> Plan:
    return plan((declare(subject.tool) for subject in subjects), target)
