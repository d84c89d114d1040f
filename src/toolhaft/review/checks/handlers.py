"""Rules for the function behind a tool."""

from __future__ import annotations

from collections.abc import Iterator

from toolhaft.definition.annotations import own_annotations
from toolhaft.review.checks.rule import Flag, rule
from toolhaft.review.checks.subject import Subject

__all__: list[str] = []


@rule("TH401", "warning")
def undeclared_return(subject: Subject) -> Iterator[Flag]:
    """A handler does not declare its result.

    Why: without it there is no output schema, and a wrong result reaches the model unchecked.

    Bad:
        @tool
        def find(city: str):
            "Find a shop."
            return {"shop": city}

    Good:
        @tool
        def find(city: str) -> dict[str, str]:
            "Find a shop."
            return {"shop": city}
    """
    declared = "return" in own_annotations(subject.tool.function) or subject.output is not None
    if subject.runs and not declared:
        yield Flag("/output", "no return annotation", "annotate its return")
