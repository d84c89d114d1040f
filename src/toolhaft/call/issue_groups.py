"""Order the issues of a call for a model: missing keys first, equal messages together."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain
from typing import Final, TypeAlias

from toolhaft.definition import names
from toolhaft.schema.issues import reword_issue
from toolhaft.spec import Issue, Path

__all__ = ["MOST_READ", "IssueGroup", "cut_place", "group_issues", "place_of"]

# More issues than these are only counted.
MOST_READ: Final = 200
# More places than these that differ in numbers alone are counted, not listed.
MOST_LISTED: Final = 5
FEW_LISTED: Final = 2  # of places that cannot stand in one list
# The most characters of two issues of one value together, and their codes.
PLAIN: Final = frozenset({"value", "format"})
MOST_WORDS: Final = 60
# The message of several issues, where they are, and how many.
IssueGroup: TypeAlias = tuple[str, Sequence[str], int]
RANKS: Final[Mapping[str, int]] = {"missing": 0, "type": 1, "json": 1}
LAST_RANK: Final = 2
# Facts of issues that say which keys are needed, or that decide what else is wrong.
NEEDED: Final = frozenset({"decides", "give", "meant", "wraps"})
_NUMBER: Final = re.compile(
    r"(?:^|(?<=\.)|(?<=, ))(?:(\d+)(?=$|[.,])|(\d+(?:st|nd|rd|th)) entry(?=$|,))"
)
_LAST_ENTRY: Final = re.compile(r"(?:^|, )(\d+(?:st|nd|rd|th)) entry$")


def group_issues(issues: Sequence[Issue]) -> list[IssueGroup]:
    """Order issues by rank, and put those with the same message together.

    Issues that another one implies are left out; issues after the first 200 are ignored.

    >>> issues = [Issue("no", ("a", n)) for n in range(9)]
    >>> group_issues([*issues, Issue("no", ("b",))])
    [('no', ['a (9 items)', 'b'], 10)]
    """
    ranked: tuple[list[Issue], ...] = [], [], []
    for issue in _without_implied(issues[:MOST_READ]):
        ranked[_rank(issue)].append(issue)
    equal: dict[str, list[str]] = {}
    for issue in _one_of_each([*chain.from_iterable(ranked)]):
        equal.setdefault(issue.message, []).append(place_of(issue))
    return [
        (message, places, len(whole))
        for message, whole in equal.items()
        for places in ([whole] if len(whole) == 1 else _kept_apart([*_describe_all(whole)]))
    ]


def _describe_all(places: Sequence[str]) -> Iterator[str]:
    """Write places, many that differ in numbers alone as one with their count."""
    alike: dict[str, list[str]] = {}
    for place in places:
        key = place if place.isidentifier() else _NUMBER.sub("*", place)  # most have no number
        alike.setdefault(key, []).append(place)
    for key, group in alike.items():
        listed = [*_join_entries(group)]
        most = FEW_LISTED if len(listed) > 1 and ", " in key else MOST_LISTED
        if len(group) > most and "*" in key:
            yield _count_all(group)
        else:
            yield from listed if key else [""]


def _one_of_each(issues: Sequence[Issue]) -> Collection[Issue]:
    """Put what is expected of one value into one issue, as far as there is room."""
    by_path: dict[Path, Issue] = {issue.path: issue for issue in issues}
    if len(by_path) == len(issues):
        return issues
    by_path.clear()
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
    """Return whether two issues of one place have one fix: a missing value, or another type."""
    is_type = first.code == "type" and first.expected == second.expected is not None
    return first.code == second.code and (is_type or first.code == "missing")


def _rank(issue: Issue) -> int:
    facts = issue.facts
    return 0 if facts and not NEEDED.isdisjoint(facts) else RANKS.get(issue.code, LAST_RANK)


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
    """Return an issue's path in words."""
    facts, path = issue.facts, issue.path
    if facts and "place" in facts:
        return facts["place"]  # type: ignore[no-any-return]
    return str(path[0]) if len(path) == 1 else ".".join(map(str, path))


def _join_entries(places: Sequence[str]) -> Iterator[str]:
    """Write the entries of one map together; any other place as it is.

    >>> [*_join_entries(["stock, 1st entry", "stock, 4th entry"])]
    ['stock, 1st and 4th entries']
    """
    entries: dict[str, list[str]] = {}
    for place in places:
        found = _LAST_ENTRY.search(place)
        outer = place[: found.start(1)] if found else place
        entries.setdefault(outer, []).extend([found[1]] if found else [])
    for outer, numbers in entries.items():
        *first, last = numbers or [""]
        listed = f"{', '.join(first)} and {last} entries" if first else f"{last} entry"
        yield f"{outer}{listed}" if numbers else outer


def _count_all(places: Sequence[str]) -> str:
    """Write the places of several issues as one: a star where their numbers differ.

    >>> _count_all(["stock, 1st entry", "stock, 4th entry"])
    'stock (2 entries)'
    >>> _count_all(["items.0.price", "items.1.price"]), _count_all(["a.2.0", "a.2.1"])
    ('items.*.price (2 places)', 'a.2 (2 items)')
    """
    steps = [[found[0] for found in _NUMBER.finditer(place)] for place in places]
    varying = [len(set(of_all)) > 1 for of_all in zip(*steps, strict=True)]
    if varying.count(True) == 1 and varying[-1]:
        [*_, last] = _NUMBER.finditer(places[0])
        if last.end() == len(places[0]):
            outer = places[0][: last.start()].rstrip(",. ")
            size = f"{len(places)} {'items' if last[1] else 'entries'}"
            return f"{outer} ({size})" if outer else size
    shown = iter(varying)
    star = _NUMBER.sub(lambda found: _star(found) if next(shown) else found[0], places[0])
    return f"{star} ({len(places)} places)"


def _star(found: re.Match[str]) -> str:
    return "*" if found[1] else "any entry"


def _kept_apart(places: Sequence[str]) -> Iterator[Sequence[str]]:
    """Put places into one list unless a comma in one, or none at all, makes it hard to read."""
    plain = [place for place in places if place and ", " not in place]
    if plain:
        yield plain
    yield from ([place] for place in places if not place or ", " in place)


def cut_place(place: str, room: int) -> str:
    """Write a place on one line, cut in its middle if it is too long.

    Its first name identifies the parameter, and its end the place of the value.

    >>> cut_place("order.delivery.address.street", 20)
    'order….street'
    """
    text = names.escape_text(place, len(place) * 10)
    if len(text) <= room:
        return text
    first = re.split(r"[.,\[]", text, maxsplit=1)[0]
    left = room - len(first) - 1
    if left < 1:
        return f"{text[: room - 1]}…"
    tail = text[-left:]
    start = re.search(r"[.,\[]", tail[:-1])
    return f"{first}…{tail[start.start() :] if start else tail}"
