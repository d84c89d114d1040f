"""Rules for names."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence

from toolhaft.definition import names
from toolhaft.review.checks.rule import Flag, rule, set_rule
from toolhaft.review.checks.subject import Subject

__all__: list[str] = []

LONG_NAME = 50
FEWEST_LETTERS = 6


@rule("TH302", "warning")
def confusable_name(subject: Subject) -> Iterator[Flag]:
    r"""A property's name mixes letters of several scripts.

    Why: two names that look alike are two names; a model writes the usual letters.

    Bad:
        find = tool(run, name="find", description="Find.", input={"type": "object", "properties":
                    {"p\u0430th": {"type": "string"}}})

    Good:
        find = tool(run, name="find", description="Find.", input={"type": "object", "properties":
                    {"path": {"type": "string"}}})
    """
    for node in subject.nodes:
        scripts = {_script(letter) for letter in node.name if letter.isalpha()}
        if "LATIN" in scripts and scripts & {"CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE"}:
            message = f"letters of {' and '.join(sorted(map(str.title, scripts)))} in one name"
            yield Flag(node.pointer, message, "write it in one script")


@rule("TH303", "advice")
def long_name(subject: Subject) -> Iterator[Flag]:
    """A tool's name is longer than 50 characters.

    Why: clients put prefixes before it, and providers take 64.

    Bad:
        find = tool(run, name="f" * 60, description="Find a shop.", input={"type": "object"})

    Good:
        find = tool(run, name="find_shop", description="Find a shop.", input={"type": "object"})
    """
    if len(subject.name) > LONG_NAME:
        message = f"{len(subject.name)} characters, more than {LONG_NAME}"
        yield Flag("/name", message, "shorten it")


@set_rule("TH304", "warning")
def similar_name(subjects: Sequence[Subject]) -> Iterator[tuple[Subject, Flag]]:
    """Two tools have the same name but for an ending or a sign.

    Why: a model calls one for the other.

    Bad:
        get_users = tool(run, name="get_users", description="All users.", input={"type": "object"})
        getuser = tool(run, name="getUser", description="One user.", input={"type": "object"})

    Good:
        get_users = tool(run, name="list_users", description="All users.", input={"type": "object"})
        getuser = tool(run, name="get_user", description="One user.", input={"type": "object"})
    """
    first: dict[str, Subject] = {}
    for subject in subjects:
        bare = _bare(subject.name)
        twin = first.setdefault(bare, subject)
        if twin is not subject and len(bare) >= FEWEST_LETTERS:
            nearly = "" if twin.name == subject.name else "nearly "
            message = f"{nearly}the name of {names.escape_text(twin.name)} ({twin.where})"
            yield subject, Flag("/name", message, "rename one of them")


def _bare(name: str) -> str:
    letters = "".join(letter for letter in names.fold_name(name) if letter.isalnum())
    return letters.removesuffix("s")


def _script(letter: str) -> str:
    return unicodedata.name(letter, "").partition(" ")[0]
