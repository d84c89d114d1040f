"""Order the issues of a call for a model: what is missing first, equal ones as one with a count."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final, TypeAlias

from toolhaft.definition import names
from toolhaft.schema.issues import reword_issue
from toolhaft.spec import Issue, Path

__all__ = ["MOST_READ", "IssueGroup", "cut_place", "group_issues", "place_of"]

# More issues than these are only counted.
MOST_READ: Final = 200
# Two of a kind are told one by one, with their places.
FEWEST_EQUAL: Final = 3
# What two issues of one value may take together, and of which codes they are.
PLAIN: Final = frozenset({"value", "format"})
MOST_WORDS: Final = 60
RANKS: Final[Mapping[str, int]] = {"missing": 0, "type": 1, "json": 1}
LAST_RANK: Final = 2
# Facts of issues that say which keys are needed, or that decide what else is wrong.
NEEDED: Final = frozenset({"decides", "give", "meant", "wraps"})
_NUMBER: Final = re.compile(r"(?:(?<=\.)|(?<=item )|(?<=entry ))\d+(?=$|[.,])|^\d+(?=$|[.,])")


# An issue, or the first of several that say the same; the places of those in words; how many.
IssueGroup: TypeAlias = tuple[Issue, str | None, int]


def group_issues(issues: Sequence[Issue], most: int) -> list[IssueGroup]:
    """Order issues by rank, and put equal ones together where they are three or more.

    What one of the others says already is left out; past 200 issues are not looked at. Where there
    are more than `most` groups, equal issues are one wherever their places differ in numbers alone.

    >>> issues = [Issue("no", ("a", n)) for n in range(4)]
    >>> [(places, count) for _, places, count in group_issues(issues, 5)]
    [('a (4 items)', 4)]
    """
    ranked = _one_of_each(sorted(_without_implied(issues[:MOST_READ]), key=_rank))
    if len(ranked) < FEWEST_EQUAL or len({issue.message for issue in ranked}) == len(ranked):
        return [(issue, None, 1) for issue in ranked]
    groups = _group_equal(ranked, _without_last_number)
    return groups if len(groups) <= most else _group_equal(ranked, _without_numbers)


def _group_equal(
    ranked: Collection[Issue], without_numbers: Callable[[str], str]
) -> list[IssueGroup]:
    """Put equal issues together where they are three or more, whose places differ in numbers."""
    equal: dict[tuple[str, str], list[Issue]] = {}
    for issue in ranked:
        equal.setdefault((without_numbers(place_of(issue)), issue.message), []).append(issue)
    groups: list[IssueGroup] = []
    for alike in equal.values():
        if len(alike) >= FEWEST_EQUAL:
            places = _describe_all([place_of(issue) for issue in alike])
            groups.append((alike[0], places, len(alike)))
        else:
            groups += [(issue, None, 1) for issue in alike]
    return groups


def _without_last_number(place: str) -> str:
    """Write a star for the last number of a place."""
    if place.isidentifier():  # as most are, and no number stands alone in one
        return place
    numbers = [*_NUMBER.finditer(place)]
    return f"{place[: numbers[-1].start()]}*{place[numbers[-1].end() :]}" if numbers else place


def _without_numbers(place: str) -> str:
    """Write stars for all numbers of a place."""
    return _NUMBER.sub("*", place)


def _one_of_each(issues: Sequence[Issue]) -> Collection[Issue]:
    """Put what is expected of one value into one issue, as far as there is room."""
    by_path: dict[Path, Issue] = {}
    others = 0
    for issue in issues:
        first = by_path.setdefault(issue.path, issue)
        if first is issue:
            continue
        words = f"{first.message} and {issue.message.removeprefix('expected ')}"
        is_plain = {first.code, issue.code} <= PLAIN and issue.message.startswith("expected")
        if is_plain and len(words) <= MOST_WORDS:
            by_path[issue.path] = reword_issue(first, words)
        elif not _is_same_fault(first, issue):
            others += 1
            by_path[(*issue.path, -others)] = issue
    return by_path.values()


def _is_same_fault(first: Issue, second: Issue) -> bool:
    """Whether two issues of one place are mended alike: it is missing, or of another type."""
    is_type = first.code == "type" and first.expected == second.expected is not None
    return first.code == second.code and (is_type or first.code == "missing")


def _rank(issue: Issue) -> int:
    is_needed = issue.facts and not NEEDED.isdisjoint(issue.facts)
    return 0 if is_needed else RANKS.get(issue.code, LAST_RANK)


def _without_implied(issues: Sequence[Issue]) -> Sequence[Issue]:
    """Leave out missing keys that the words of an unknown one name or move."""
    named: set[Path] = set()
    for issue in issues:
        facts = issue.facts
        if facts and ("meant" in facts or "wraps" in facts):
            names_in_words = (facts.get("meant"), *facts.get("wraps", ()))
            named |= {(*issue.path[:-1], name) for name in names_in_words if name is not None}
    if not named:
        return issues
    return [issue for issue in issues if issue.code != "missing" or issue.path not in named]


def place_of(issue: Issue) -> str:
    """Give an issue's path in words."""
    place: str | None = issue.facts.get("place")
    return ".".join(map(str, issue.path)) if place is None else place


def _describe_all(places: Sequence[str]) -> str:
    """Write the places of several issues as one: a star where their numbers differ.

    >>> _describe_all(["stock, entry 1", "stock, entry 4"])
    'stock (2 entries)'
    >>> _describe_all(["items.0.price", "items.1.price"]), _describe_all(["a.2.0", "a.2.1"])
    ('items.*.price (2 places)', 'a.2 (2 items)')
    """
    numbers = list(zip(*map(_NUMBER.findall, places), strict=True))
    written = iter(of_all[0] if len(set(of_all)) == 1 else "*" for of_all in numbers)
    text = _NUMBER.sub(lambda _: next(written), places[0])
    for end, noun in (", entry *", "entries"), (", item *", "items"), (".*", "items"):
        outer = text.removesuffix(end)
        if outer != text and "*" not in outer:
            return f"{outer} ({len(places)} {noun})"
    return f"{len(places)} entries" if text == "entry *" else f"{text} ({len(places)} places)"


def cut_place(place: str, room: int) -> str:
    """Write a place on one line, its end where it is too long: there the value stands.

    >>> cut_place("order.delivery.address.street", 20)
    '….address.street'
    """
    text = names.escape_text(place, len(place) * 10)
    if len(text) <= room:
        return text
    tail = text[len(text) - room + 1 :]
    start = re.search(r"[.,]", tail[:-1])
    return f"…{tail[start.start() :] if start else tail}"
