"""The rule for patterns that can take for ever: ambiguous repetition inside of repetition."""

from __future__ import annotations

from collections.abc import Iterator

from toolhaft.review.checks.rule import Flag, rule
from toolhaft.review.checks.subject import Subject
from toolhaft.schema.backtracking import UNAMBIGUOUS, explodes, patterns_of_node

__all__: list[str] = []


@rule("TH211", "error")
def exploding_pattern(subject: Subject) -> Iterator[Flag]:
    """A pattern can take exponential time.

    Why: several validators match with Python's engine, which tries every way to cut a text up.

    Bad:
        find = tool(run, name="find", description="Find.", input={"type": "object", "properties":
                    {"what": {"type": "string", "pattern": "^(a+)+$"}}})

    Good:
        find = tool(run, name="find", description="Find.", input={"type": "object", "properties":
                    {"what": {"type": "string", "pattern": "^([a-z]+ )*[a-z]+$"}}})
    """
    for node in subject.nodes:
        if any(map(explodes, patterns_of_node(node.schema))):
            yield Flag(node.pointer, "the pattern can take exponential time", UNAMBIGUOUS)
