"""A report as plain JSON data, for the page and the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolhaft.batch.report.intervals import Share, difference
from toolhaft.batch.report.tally import VERDICTS, Group, Tally

__all__ = ["to_json"]

NAMED = (("models", "model"), ("tools", "tool"), ("rules", "rule"))


def to_json(tallies: Sequence[Tally]) -> dict[str, Any]:
    """Return the report on one run, or on several side by side.

    >>> to_json([Tally("a")])["runs"][0]["all"]["calls"]
    0
    """
    match tallies:
        case [first, second]:
            changes = _changes(first, second)
        case _:
            changes = []
    return {"runs": [_run(tally) for tally in tallies], "changes": changes}


def _run(tally: Tally) -> dict[str, Any]:
    groups = {
        plural: [
            {"name": name, **_group(group)}
            for name, group in sorted(
                getattr(tally, plural).items(), key=lambda item: (-item[1].total, item[0])
            )
        ]
        for plural, _ in NAMED
    }
    issues = [
        {**place._asdict(), "count": count, "texts": tally.texts[place]}
        for place, count in sorted(tally.issues.items(), key=lambda item: (-item[1], item[0]))
    ]
    codes = dict(sorted(tally.codes.items(), key=lambda item: (-item[1], item[0])))
    return {
        "name": tally.name,
        "all": _group(tally.all),
        **groups,
        "codes": codes,
        "issues": issues,
    }


def _group(group: Group) -> dict[str, Any]:
    judged = group.right + group.wrong
    return {
        "calls": group.total,
        "verdicts": {verdict: group.verdicts[verdict] for verdict in VERDICTS},
        "accepted": Share(group.accepted, group.total).as_json(),
        "right": Share(group.right, judged).as_json() if judged else None,
    }


def _changes(first: Tally, second: Tally) -> list[dict[str, Any]]:
    """Return how many more calls the second run accepts, in all and by model and tool."""
    changes = [_change("all", "", first.all, second.all)]
    for plural, name in NAMED[:2]:
        before, after = getattr(first, plural), getattr(second, plural)
        changes += [
            _change(name, key, before[key], after[key])
            for key in sorted(before.keys() & after.keys())
        ]
    return changes


def _change(kind: str, name: str, first: Group, second: Group) -> dict[str, Any]:
    gain, low, high = difference(
        Share(first.accepted, first.total), Share(second.accepted, second.total)
    )
    numbers = {"gain": gain, "low": low, "high": high}
    return {
        "kind": kind,
        "name": name,
        "calls": [first.total, second.total],
        **{key: round(number, 4) for key, number in numbers.items()},
        "is_clear": low > 0 or high < 0,
    }
