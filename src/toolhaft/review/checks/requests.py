"""Rules for requests: schemas that targets reject, losses, and the size of definitions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from toolhaft.lowering.plan import Plan, plan
from toolhaft.review.checks.rule import Flag, rule, set_rule, target_rule
from toolhaft.review.checks.subject import Subject
from toolhaft.toolset.planning import declare

__all__: list[str] = []

MOST_TOKENS: Final = 1_000
MOST_IN_ALL: Final = 20_000


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


@rule("TH601", "advice")
def heavy_tool(subject: Subject) -> Iterator[Flag]:
    """One definition takes more than about 1,000 tokens.

    Why: it is sent with every request, whether the tool is called or not.

    Bad:
        find = tool(run, name="find", description="Find a shop.", input={"type": "object",
                    "properties": {f"p{n}": {"type": "string", "title": "t" * 99}
                                   for n in range(150)}})

    Good:
        find = tool(run, name="find", description="Find a shop.", input={"type": "object"})
    """
    if subject.tokens > MOST_TOKENS:
        message = f"about {subject.tokens:,} tokens, more than {MOST_TOKENS:,}"
        yield Flag("", message, "shorten it, or make several tools of it")


@set_rule("TH602", "advice")
def heavy_set(subjects: Sequence[Subject]) -> Iterator[tuple[Subject, Flag]]:
    """All definitions together take more than about 20,000 tokens.

    Why: a model chooses worse among much; send the tools that a task needs.

    Bad:
        TOOLS = [tool(run, name=f"find_{n}", description=f"Find. {'far ' * 1500}",
                      input={"type": "object"}) for n in range(25)]

    Good:
        TOOLS = [tool(run, name="find", description="Find a shop.", input={"type": "object"})]
    """
    sent = [subject for subject in subjects if not subject.tool.defer]
    total = sum(subject.tokens for subject in sent)
    if total > MOST_IN_ALL:
        message = f"all tools take about {total:,} tokens, more than {MOST_IN_ALL:,}"
        heaviest = max(sent, key=lambda subject: subject.tokens)
        yield (
            heaviest,
            Flag(
                "",
                message,
                "select the tools that a task needs, or defer some; this is the largest",
            ),
        )
