"""Rules for descriptions that repeat: a name, another parameter's, or another tool's."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from toolhaft.definition import names
from toolhaft.review.checks.rule import Flag, rule, set_rule
from toolhaft.review.checks.subject import Subject, normalise_text, parameter_pointer

__all__: list[str] = []

NEARLY = 0.85
FEWEST_WORDS = 6


@rule("TH103", "warning")
def repeated_name(subject: Subject) -> Iterator[Flag]:
    """A description only repeats a name.

    Why: it costs tokens and adds nothing.

    Bad:
        @tool
        def get_weather() -> str:
            "Get weather."
            return "fair"

    Good:
        @tool
        def get_weather() -> str:
            "Say what the weather at the airport is now."
            return "fair"
    """
    fix = "add what the name leaves out"
    if normalise_text(subject.description) == normalise_text(subject.name) != "":
        yield Flag("/description", "only repeats the name of the tool", fix)
    for name, description in subject.parameters.items():
        if normalise_text(description) in {normalise_text(name), f"the{normalise_text(name)}"} - {
            "",
            "the",
        }:
            yield Flag(parameter_pointer(name), "the description only repeats the name", fix)


@rule("TH104", "warning")
def copied_description(subject: Subject) -> Iterator[Flag]:
    """Two parameters of one tool have the same description.

    Why: a model cannot tell them apart; it is often a slip of copying.

    Bad:
        @tool
        def move(
            source: Annotated[str, Doc("A path on the server")],
            target: Annotated[str, Doc("A path on the server")],
        ) -> None:
            "Move a file."

    Good:
        @tool
        def move(
            source: Annotated[str, Doc("The file to move")],
            target: Annotated[str, Doc("The folder to move it to")],
        ) -> None:
            "Move a file."
    """
    seen: dict[str, str] = {normalise_text(subject.description): "the tool"}
    for name, description in subject.parameters.items():
        normalised = normalise_text(description)
        first = seen.setdefault(normalised, name) if normalised else name
        if first != name:
            message = f"the description is that of {names.escape_text(first)}"
            yield Flag(parameter_pointer(name), message, "say what is different about each")


@set_rule("TH108", "warning")
def near_duplicate(subjects: Sequence[Subject]) -> Iterator[tuple[Subject, Flag]]:
    """Two tools have nearly the same description.

    Why: a model chooses between them by chance.

    Bad:
        @tool
        def find_user() -> str:
            "Find a user of the shop by name or by mail address."
            return ""

        @tool
        def search_user() -> str:
            "Find a user of the shop by name or by mail address"
            return ""

    Good:
        @tool
        def find_user() -> str:
            "Find a user of the shop by name or by mail address."
            return ""

        @tool
        def find_order() -> str:
            "Find the last order that a user of the shop has made."
            return ""
    """
    words_by_subject = [(subject, _words(subject.description)) for subject in subjects]
    for place, (second, theirs) in enumerate(words_by_subject):
        twin = next(
            (
                candidate
                for candidate, ours in words_by_subject[:place]
                if _is_nearly_same(ours, theirs)
            ),
            None,
        )
        if twin is not None:
            message = (
                f"nearly the same description as {names.escape_text(twin.name)} ({twin.where})"
            )
            yield second, Flag("/description", message, "say when to use which")


def _is_nearly_same(ours: frozenset[str], theirs: frozenset[str]) -> bool:
    fewest, most = sorted((len(ours), len(theirs)))
    enough = fewest >= FEWEST_WORDS and fewest >= NEARLY * most
    return enough and len(ours & theirs) >= NEARLY * len(ours | theirs)


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text.casefold()))
