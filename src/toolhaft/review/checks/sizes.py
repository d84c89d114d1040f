"""Rules for sizes that every request pays for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from toolhaft.review.checks.rule import Flag, rule, set_rule
from toolhaft.review.checks.subject import Subject

__all__ = ["MOST_IN_ALL", "MOST_TOKENS"]

MOST_TOKENS: Final = 1_000
MOST_IN_ALL: Final = 20_000


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
