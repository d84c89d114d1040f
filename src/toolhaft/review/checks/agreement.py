"""Rules for the agreement of schemas and validators: run when asked for, as they take a while."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolhaft.definition import names
from toolhaft.jsonio import jsontext
from toolhaft.review.agreement import Disagreement
from toolhaft.review.checks.rule import Flag, rule
from toolhaft.review.checks.subject import Subject

__all__: list[str] = []

MOST_CHARS: Final = 200


@rule("TH701", "error")
def refused(subject: Subject) -> Iterator[Flag]:
    """A validator refuses what its schema accepts.

    Why: a model that keeps to the schema reads that it did not.

    Bad:
        from pydantic import AfterValidator

        def even(number: int) -> int:
            if number % 2:
                raise ValueError("odd")
            return number

        @tool
        def pair(number: Annotated[int, AfterValidator(even)]) -> str:
            "Pair things."

    Good:
        from pydantic import Field

        @tool
        def pair(number: Annotated[int, Field(multiple_of=2)]) -> str:
            "Pair things."
    """
    for disagreement in subject.agreement.disagreements:
        yield _flag(disagreement, "say it in the schema, or in the description where no schema can")


@rule("TH703", "advice")
def unwritten(subject: Subject) -> Iterator[Flag]:
    """A check stands in no schema.

    Why: a model can only follow rules that it reads; put the check into a description.

    Bad:
        from pydantic import AfterValidator

        def tidy(text: str) -> str:
            return text.strip()

        @tool
        def note(text: Annotated[str, AfterValidator(tidy)]) -> str:
            "Take a note."

    Good:
        @tool
        def note(text: str) -> str:
            "Take a note."
    """
    audit = subject.agreement
    for text in audit.unwritten:
        yield Flag("", f"no schema says {text}", "say it in a description")
    if not audit.values:
        yield Flag("/input", "not compared: no value was found", "give patterns an example")


@rule("TH704", "advice")
def widened(subject: Subject) -> Iterator[Flag]:
    """An author's validator, or a format that nothing asserts, takes more than the schema says.

    Why: values outside the schema are no promise, and another library would reject them.

    Bad:
        from pydantic import BeforeValidator

        @tool
        def note(tags: Annotated[list[str], BeforeValidator(lambda v: v or [])]) -> str:
            "Take a note."

    Good:
        @tool
        def note(tags: list[str]) -> str:
            "Take a note."
    """
    audit = subject.agreement
    for place in audit.widened:
        yield Flag(
            "/input", f"more is accepted at {_escape_pointer(place)}", "remove it, or let it be"
        )
    for place in audit.loose:
        message = f"text of another format is accepted at {_escape_pointer(place)}"
        yield Flag("/input", message, "check it in the handler, or let it be")


def _flag(disagreement: Disagreement, fix: str) -> Flag:
    """Return a flag with the place in the data, how often it was seen, and a value."""
    where = f" at {_escape_pointer(disagreement.pointer)}" if disagreement.pointer else ""
    why = f" ({', '.join(disagreement.reasons)})" if disagreement.reasons else ""
    text = names.escape_text(jsontext.write(disagreement.value), MOST_CHARS)
    message = f"{disagreement.kind}{where}{why}, {disagreement.times} times, such as {text}"
    return Flag(f"/{disagreement.side}", message, fix)


def _escape_pointer(pointer: str) -> str:
    return names.escape_text(pointer, MOST_CHARS)
